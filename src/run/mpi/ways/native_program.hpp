#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "run/mpi/ways/native_collective.hpp"
#include "sluice/run/mpi/element_operation.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// Carries out by MPI's own collective what a program is for, of any size: blocks that MPI cannot count get a datatype
/// of their own. A share of a reduce-scatter has at most 2^31 - 1 elements, and blocks of different sizes have at most
/// as many bytes on each rank.
class NativeProgram {
 public:
  /// `shape`: what is asked for, without operations. `operation`: its elements.
  NativeProgram(const Program& shape, const ElementOperation& operation, MPI_Comm comm);

  /// Whether MPI can count it.
  [[nodiscard]] static bool possible(const Program& shape, const ElementOperation& operation);
  /// The call that carries it out: "MPI_Iallgather", "MPI_Iallgatherv".
  [[nodiscard]] static const char* name(const Program& shape);

  /// The arguments of CollectiveJob::execute.
  [[nodiscard]] NativeCollective::StartNext start(const void* own, void* result) const;
  /// The memory that the call uses, which is kept as long as MPI may use it.
  [[nodiscard]] std::shared_ptr<const void> memory() const { return arguments_; }

 private:
  struct Arguments;

  std::shared_ptr<Arguments> arguments_;
};

}  // namespace sluice::mpi::detail
