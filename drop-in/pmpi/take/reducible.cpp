#include "pmpi/take/reducible.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace sluice::pmpi {
namespace {

enum class Kind { kInteger, kByte, kFloating, kComplex, kPair };
struct KnownType {
  MPI_Datatype type;
  Kind kind;
};

// Not constexpr, as handles are addresses in some MPIs, and made when first asked for.
const std::array<KnownType, 31>& known_types() {
  static const std::array<KnownType, 31> types{{
      {MPI_SIGNED_CHAR, Kind::kInteger},
      {MPI_UNSIGNED_CHAR, Kind::kInteger},
      {MPI_SHORT, Kind::kInteger},
      {MPI_UNSIGNED_SHORT, Kind::kInteger},
      {MPI_INT, Kind::kInteger},
      {MPI_UNSIGNED, Kind::kInteger},
      {MPI_LONG, Kind::kInteger},
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
      {MPI_BYTE, Kind::kByte},
      {MPI_FLOAT, Kind::kFloating},
      {MPI_DOUBLE, Kind::kFloating},
      {MPI_LONG_DOUBLE, Kind::kFloating},
      {MPI_C_FLOAT_COMPLEX, Kind::kComplex},
      {MPI_C_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_C_LONG_DOUBLE_COMPLEX, Kind::kComplex},
      {MPI_FLOAT_INT, Kind::kPair},
      {MPI_DOUBLE_INT, Kind::kPair},
      {MPI_LONG_INT, Kind::kPair},
      {MPI_2INT, Kind::kPair},
      {MPI_SHORT_INT, Kind::kPair},
      {MPI_LONG_DOUBLE_INT, Kind::kPair},
  }};
  return types;
}

/// C's type of a Fortran number, itself for any other one.
MPI_Datatype as_in_c(MPI_Datatype type) {
  const auto is = [&](MPI_Datatype fortran, std::size_t bytes) {  // compilers may be told to make numbers longer
    int size = 0;
    return type == fortran && PMPI_Type_size(type, &size) == MPI_SUCCESS && static_cast<std::size_t>(size) == bytes;
  };
  if (is(MPI_INTEGER, sizeof(int))) return MPI_INT;
  if (is(MPI_REAL, sizeof(float))) return MPI_FLOAT;
  if (is(MPI_DOUBLE_PRECISION, sizeof(double))) return MPI_DOUBLE;
  if (is(MPI_COMPLEX, 2 * sizeof(float))) return MPI_C_FLOAT_COMPLEX;
  if (is(MPI_DOUBLE_COMPLEX, 2 * sizeof(double))) return MPI_C_DOUBLE_COMPLEX;
  return type;
}

enum class Does { kSums, kOrders, kLogic, kBits, kLocates };
struct KnownOp {
  MPI_Op op;
  Does does;
};
const std::array<KnownOp, 12>& known_ops() {
  static const std::array<KnownOp, 12> ops{{{MPI_SUM, Does::kSums},
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
                                            {MPI_MINLOC, Does::kLocates}}};
  return ops;
}

bool is_defined(Does does, Kind kind) {
  switch (kind) {
    case Kind::kInteger:
      return does != Does::kLocates;
    case Kind::kByte:
      return does == Does::kBits;
    case Kind::kFloating:
      return does == Does::kSums || does == Does::kOrders;
    case Kind::kComplex:
      return does == Does::kSums;
    case Kind::kPair:
      return does == Does::kLocates;
  }
  return false;
}

}  // namespace

std::optional<Reducible> reducible(MPI_Datatype type, MPI_Op op) {
  if (type == MPI_DATATYPE_NULL) return std::nullopt;
  const MPI_Datatype in_c = as_in_c(type);
  const auto& types = known_types();
  const auto* const found = std::ranges::find(types, in_c, &KnownType::type);
  if (found == types.end()) return std::nullopt;
  const auto& ops = known_ops();
  const auto* const how = std::ranges::find(ops, op, &KnownOp::op);
  if (how == ops.end() || !is_defined(how->does, found->kind)) return std::nullopt;
  return Reducible{in_c, found - types.begin(), how - ops.begin()};
}

bool is_users(MPI_Op op) {
  return op != MPI_OP_NULL && op != MPI_REPLACE && op != MPI_NO_OP &&
         std::ranges::find(known_ops(), op, &KnownOp::op) == known_ops().end();
}

}  // namespace sluice::pmpi
