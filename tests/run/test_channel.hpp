#pragma once

#include <mpi.h>

#include <memory>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/context.hpp"

namespace sluice::mpi::testing {

/// A new channel of all ranks. On all ranks.
[[nodiscard]] inline std::unique_ptr<detail::Channel> make_channel() {
  const std::shared_ptr<detail::Context> context = detail::Context::of(MPI_COMM_WORLD);
  return std::make_unique<detail::Channel>(context, context->take_number(), "test");
}

}  // namespace sluice::mpi::testing
