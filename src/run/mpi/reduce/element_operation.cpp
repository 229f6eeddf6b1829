#include "run/mpi/reduce/element_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

bool is_any_of(MPI_Datatype type, std::initializer_list<MPI_Datatype> list) {
  return std::ranges::find(list, type) != list.end();
}

bool is_integer(MPI_Datatype type) {
  return is_any_of(
      type, {MPI_CHAR,     MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE,          MPI_SHORT,     MPI_UNSIGNED_SHORT,
             MPI_INT,      MPI_UNSIGNED,    MPI_LONG,          MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG,
             MPI_INT8_T,   MPI_INT16_T,     MPI_INT32_T,       MPI_INT64_T,       MPI_UINT8_T,   MPI_UINT16_T,
             MPI_UINT32_T, MPI_UINT64_T});
}

bool is_floating_point(MPI_Datatype type) { return is_any_of(type, {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE}); }

bool is_complex(MPI_Datatype type) {
  return is_any_of(type, {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX});
}

bool is_pair(MPI_Datatype type) {
  return is_any_of(type, {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_2INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT});
}

/// Whether one of MPI's own operations is defined for one of its types, as far as the types are C's (MPI 3.1, 5.9.2).
bool is_defined(MPI_Op op, MPI_Datatype type) {
  const bool sums = op == MPI_SUM || op == MPI_PROD;
  const bool orders = op == MPI_MAX || op == MPI_MIN;
  const bool locates = op == MPI_MAXLOC || op == MPI_MINLOC;
  if (is_pair(type)) return locates;
  if (is_complex(type)) return sums;
  if (is_floating_point(type)) return sums || orders;
  return !locates;
}

}  // namespace

bool is_built_in(MPI_Op op) {
  constexpr std::size_t kOps = 12;
  const std::array<MPI_Op, kOps> all{MPI_SUM, MPI_PROD, MPI_MAX,  MPI_MIN,  MPI_LAND,   MPI_BAND,
                                     MPI_LOR, MPI_BOR,  MPI_LXOR, MPI_BXOR, MPI_MAXLOC, MPI_MINLOC};
  return std::ranges::find(all, op) != all.end();
}

bool order_may_matter(const ElementOperation& operation) {
  return !is_built_in(operation.op) || !is_integer(operation.type);
}

void check_operation(const ElementOperation& operation) {
  if (operation.count < 0) throw InputError("count", fmt::format("{}", operation.count), "at least 0");
  if (operation.type == MPI_DATATYPE_NULL) throw InputError("type", "MPI_DATATYPE_NULL", "a committed type");
  if (operation.op == MPI_OP_NULL) throw InputError("op", "MPI_OP_NULL", "an operation");
  const ElementLayout layout(operation.type);
  constexpr std::int64_t kMostBytes = std::numeric_limits<int>::max();  // as MPI packs them
  if (layout.size > kMostBytes)
    throw InputError("type", fmt::format("an element of {} bytes", layout.size), fmt::format("at most {}", kMostBytes));
  const std::int64_t extent = layout.extent;
  if (extent < 0) throw InputError("type", fmt::format("an extent of {}", extent), "at least 0");
  checked::multiply(operation.count, extent, "bytes of the elements");
  if (!is_built_in(operation.op)) return;
  // MPI_Reduce_local would end the program, and asking it takes another error handler for a communicator of the user's.
  int combiner = 0;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  SLUICE_MPI(MPI_Type_get_envelope(operation.type, &integers, &addresses, &types, &combiner));
  if ((combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_DUP) || !is_defined(operation.op, operation.type))
    throw InputError("op", "an operation of MPI's own that is not defined for the type", "one that is");
}

ElementCopy::ElementCopy(const ElementOperation& operation, const void* from) : layout_(operation.type) {
  const auto bytes = static_cast<std::size_t>(layout_.bytes(operation.count));
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(bytes_.get(), static_cast<const std::byte*>(from) + layout_.true_lower, bytes);
}

}  // namespace sluice::mpi::detail
