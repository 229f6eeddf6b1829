#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "run/mpi/runtime/agreement.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "sluice/run/mpi/element_operation.hpp"
#include "sluice/run/mpi/predefined.hpp"

/// What there is to know about the elements of a reduction and their operation.
namespace sluice::mpi::detail {

/// The operation. If the user's type is a copy of MPI's own type, the operation is on that type, because MPI's
/// operations do not take copies. Throws InputError for what cannot be reduced.
[[nodiscard]] ElementOperation checked_operation(const ElementOperation& operation);

/// Whether the operation is one of MPI's own: it costs as much as reading and writing memory.
[[nodiscard]] inline bool is_built_in(MPI_Op op) { return op_number(op) != kNotPredefined; }

/// Adds what ranks can compare of operation and type: which of MPI's own they are. All others are alike.
void add_operation(Arguments& arguments, const ElementOperation& operation);

/// Whether the order of combining may matter to the last bit: all but integers with an operation of MPI's own.
[[nodiscard]] bool order_may_matter(const ElementOperation& operation);

/// A copy of a rank's elements, with what lies between them.
class ElementCopy {
 public:
  ElementCopy(const ElementOperation& operation, const void* from);
  /// The address of the first element.
  [[nodiscard]] std::byte* first() const { return bytes_.get() - layout_.true_lower; }

 private:
  ElementLayout layout_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace sluice::mpi::detail
