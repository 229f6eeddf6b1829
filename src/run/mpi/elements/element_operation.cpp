#include "run/mpi/elements/element_operation.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/predefined.hpp"

namespace sluice::mpi::detail {

bool order_may_matter(const ElementOperation& operation) {
  return !is_built_in(operation.op) || !is_exact(type_number(operation.type));
}

ElementOperation checked_operation(const ElementOperation& operation) {
  if (operation.count < 0) throw InputError("count", fmt::format("{}", operation.count), "at least 0");
  if (operation.type == MPI_DATATYPE_NULL) throw InputError("type", "MPI_DATATYPE_NULL", "a committed type");
  if (operation.op == MPI_OP_NULL) throw InputError("op", "MPI_OP_NULL", "an operation");
  const ElementLayout layout(operation.type);
  constexpr std::int64_t kMostBytes = std::numeric_limits<int>::max();  // as MPI packs them
  if (layout.size > kMostBytes)
    throw InputError("type", fmt::format("an element of {} bytes", layout.size), fmt::format("at most {}", kMostBytes));
  if (layout.extent < 0) throw InputError("type", fmt::format("an extent of {}", layout.extent), "at least 0");
  checked::multiply(operation.count, layout.extent, "bytes of the elements");
  if (is_users(operation.op)) return operation;
  // MPI_Reduce_local would end the program, and asking it takes another error handler for a communicator of the user's.
  const MPI_Datatype own = original_type(operation.type);
  if (!is_defined(op_number(operation.op), type_number(own)))
    throw InputError("op", "an operation of MPI's own that is not defined for the type", "one that is");
  return {operation.count, own, operation.op};
}

void add_operation(Arguments& arguments, const ElementOperation& operation) {
  arguments.add_all(op_number(operation.op), type_number(original_type(operation.type)));
}

ElementCopy::ElementCopy(const ElementOperation& operation, const void* from) : layout_(operation.type) {
  const auto bytes = static_cast<std::size_t>(layout_.bytes(operation.count));
  bytes_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (bytes > 0) std::memcpy(bytes_.get(), static_cast<const std::byte*>(from) + layout_.true_lower, bytes);
}

}  // namespace sluice::mpi::detail
