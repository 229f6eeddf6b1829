#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "run/mpi/native/native_collective.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {

/// What a program is for by the collective of MPI's own, of any size: blocks that MPI cannot count are of a type of
/// their own. Of shares of a reduce-scatter there are 2^31 - 1 elements at most, of blocks of different sizes as many
/// bytes on each rank.
class NativeProgram {
 public:
  /// `shape`: what is asked for, without operations. `operation`: its elements.
  NativeProgram(const Program& shape, const ElementOperation& operation, MPI_Comm comm);

  /// Whether MPI can count it.
  [[nodiscard]] static bool possible(const Program& shape, const ElementOperation& operation);
  /// "MPI_Allgather", "MPI_Allgatherv".
  [[nodiscard]] static const char* name(const Program& shape);

  /// The arguments of CollectiveJob::execute.
  [[nodiscard]] NativeCollective::StartNext start(const void* own, void* result) const;
  /// What the call works on, which lasts as long as MPI may use it.
  [[nodiscard]] std::shared_ptr<const void> memory() const { return arguments_; }

 private:
  struct Arguments;

  std::shared_ptr<Arguments> arguments_;
};

}  // namespace sluice::mpi::detail
