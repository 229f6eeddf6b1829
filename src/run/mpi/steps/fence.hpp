#pragma once

#include <mpi.h>

#include "run/mpi/control_channel.hpp"

namespace sluice::mpi::detail {

/// A barrier between two executions that no rank waits in: a rank that is done enters and leaves, and looks at the
/// start of the next execution whether all others have come.
class Fence {
 public:
  /// The channel must outlive the fence.
  explicit Fence(ControlChannel& channel) : channel_(channel) {}
  /// Waits until everybody has entered as often as this rank, or somebody has abandoned the channel.
  ~Fence();
  Fence(const Fence&) = delete;
  Fence& operator=(const Fence&) = delete;

  void enter();
  /// Whether everybody has entered as often as this rank.
  bool open();

 private:
  ControlChannel& channel_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace sluice::mpi::detail
