#include "sluice/run/mpi/predefined.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sluice::mpi {
namespace {

/// Other integers are Fortran's, addresses and counts, which have no logical operations.
enum class Kind { kInteger, kOtherInteger, kByte, kLogical, kFloating, kComplex, kPair };
struct KnownType {
  MPI_Datatype type;
  Kind kind;
};

// Not constexpr, because handles are addresses in some MPIs. Made when first asked for. If an MPI lacks a type, its
// handle is MPI_DATATYPE_NULL; if it has one type of two names, the first one counts.
const auto& known_types() {
  static const auto types = std::to_array<KnownType>({
      {MPI_DOUBLE, Kind::kFloating},
      {MPI_FLOAT, Kind::kFloating},
      {MPI_INT, Kind::kInteger},
      {MPI_LONG, Kind::kInteger},
      {MPI_UNSIGNED, Kind::kInteger},
      {MPI_UNSIGNED_LONG, Kind::kInteger},
      {MPI_LONG_LONG, Kind::kInteger},
      {MPI_UNSIGNED_LONG_LONG, Kind::kInteger},
      {MPI_INT8_T, Kind::kInteger},
      {MPI_INT16_T, Kind::kInteger},
      {MPI_INT32_T, Kind::kInteger},
      {MPI_INT64_T, Kind::kInteger},
      {MPI_UINT8_T, Kind::kInteger},
      {MPI_UINT16_T, Kind::kInteger},
      {MPI_UINT32_T, Kind::kInteger},
      {MPI_UINT64_T, Kind::kInteger},
      {MPI_SHORT, Kind::kInteger},
      {MPI_UNSIGNED_SHORT, Kind::kInteger},
      {MPI_CHAR, Kind::kInteger},
      {MPI_SIGNED_CHAR, Kind::kInteger},
      {MPI_UNSIGNED_CHAR, Kind::kInteger},
      {MPI_BYTE, Kind::kByte},
      {MPI_LONG_DOUBLE, Kind::kFloating},
      {MPI_C_FLOAT_COMPLEX, Kind::kComplex},
      {MPI_C_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_C_LONG_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_C_BOOL, Kind::kLogical},
      {MPI_CXX_BOOL, Kind::kLogical},
#ifndef SMPI_H  // names them without having them
      {MPI_CXX_FLOAT_COMPLEX, Kind::kComplex},
      {MPI_CXX_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_CXX_LONG_DOUBLE_COMPLEX, Kind::kComplex},
#endif
      {MPI_AINT, Kind::kOtherInteger},
      {MPI_OFFSET, Kind::kOtherInteger},
      {MPI_COUNT, Kind::kOtherInteger},
      {MPI_FLOAT_INT, Kind::kPair},
      {MPI_DOUBLE_INT, Kind::kPair},
      {MPI_LONG_INT, Kind::kPair},
      {MPI_2INT, Kind::kPair},
      {MPI_SHORT_INT, Kind::kPair},
      {MPI_LONG_DOUBLE_INT, Kind::kPair},
      {MPI_INTEGER, Kind::kOtherInteger},
      {MPI_REAL, Kind::kFloating},
      {MPI_DOUBLE_PRECISION, Kind::kFloating},
      {MPI_COMPLEX, Kind::kComplex},
      {MPI_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_LOGICAL, Kind::kLogical},
      {MPI_2INTEGER, Kind::kPair},
      {MPI_2REAL, Kind::kPair},
      {MPI_2DOUBLE_PRECISION, Kind::kPair},
// An MPI may lack the following types.
#ifdef MPI_INTEGER1
      {MPI_INTEGER1, Kind::kOtherInteger},
#endif
#ifdef MPI_INTEGER2
      {MPI_INTEGER2, Kind::kOtherInteger},
#endif
#ifdef MPI_INTEGER4
      {MPI_INTEGER4, Kind::kOtherInteger},
#endif
#ifdef MPI_INTEGER8
      {MPI_INTEGER8, Kind::kOtherInteger},
#endif
#ifdef MPI_INTEGER16
      {MPI_INTEGER16, Kind::kOtherInteger},
#endif
#ifdef MPI_REAL2
      {MPI_REAL2, Kind::kFloating},
#endif
#ifdef MPI_REAL4
      {MPI_REAL4, Kind::kFloating},
#endif
#ifdef MPI_REAL8
      {MPI_REAL8, Kind::kFloating},
#endif
#ifdef MPI_REAL16
      {MPI_REAL16, Kind::kFloating},
#endif
#ifdef MPI_COMPLEX8
      {MPI_COMPLEX8, Kind::kComplex},
#endif
#ifdef MPI_COMPLEX16
      {MPI_COMPLEX16, Kind::kComplex},
#endif
#ifdef MPI_COMPLEX32
      {MPI_COMPLEX32, Kind::kComplex},
#endif
  });
  return types;
}

enum class Does { kSums, kOrders, kLogic, kBits, kLocates };
struct KnownOp {
  MPI_Op op;
  Does does;
};
const auto& known_ops() {
  static const auto ops = std::to_array<KnownOp>({{MPI_SUM, Does::kSums},
                                                  {MPI_PROD, Does::kSums},
                                                  {MPI_MAX, Does::kOrders},
                                                  {MPI_MIN, Does::kOrders},
                                                  {MPI_LAND, Does::kLogic},
                                                  {MPI_LOR, Does::kLogic},
                                                  {MPI_LXOR, Does::kLogic},
                                                  {MPI_BAND, Does::kBits},
                                                  {MPI_BOR, Does::kBits},
                                                  {MPI_BXOR, Does::kBits},
                                                  {MPI_MAXLOC, Does::kLocates},
                                                  {MPI_MINLOC, Does::kLocates}});
  return ops;
}

bool is_defined(Does does, Kind kind) {
  const bool counts = does == Does::kSums || does == Does::kOrders;
  switch (kind) {
    case Kind::kInteger:
      return counts || does == Does::kBits || does == Does::kLogic;
    case Kind::kOtherInteger:
      return counts || does == Does::kBits;
    case Kind::kByte:
      return does == Does::kBits;
    case Kind::kLogical:
      return does == Does::kLogic;
    case Kind::kFloating:
      return counts;
    case Kind::kComplex:
      return does == Does::kSums;
    case Kind::kPair:
      return does == Does::kLocates;
  }
  return false;
}

template <class Known, class Handle>
int number_in(const Known& known, Handle wanted, Handle Known::value_type::*handle) {
  const auto* const found = std::ranges::find(known, wanted, handle);
  return found == known.end() ? kNotPredefined : static_cast<int>(found - known.begin());
}

Kind kind_of(int type) { return known_types()[static_cast<std::size_t>(type)].kind; }

}  // namespace

int op_number(MPI_Op op) { return op == MPI_OP_NULL ? kNotPredefined : number_in(known_ops(), op, &KnownOp::op); }

int type_number(MPI_Datatype type) {
  return type == MPI_DATATYPE_NULL ? kNotPredefined : number_in(known_types(), type, &KnownType::type);
}

bool is_defined(int op, int type) {
  return op != kNotPredefined && type != kNotPredefined &&
         is_defined(known_ops()[static_cast<std::size_t>(op)].does, kind_of(type));
}

bool is_exact(int type) {
  if (type == kNotPredefined) return false;
  const Kind kind = kind_of(type);
  return kind != Kind::kFloating && kind != Kind::kComplex && kind != Kind::kPair;
}

bool is_users(MPI_Op op) {
  return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP && op_number(op) == kNotPredefined;
}

}  // namespace sluice::mpi
