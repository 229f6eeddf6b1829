#pragma once

#include <cstddef>
#include <memory>

#include "run/mpi/runtime/channel.hpp"

namespace sluice::mpi::detail {

/// Seconds that a message of `bytes` takes to `peer`: half of the least of several round trips. The peer calls it with
/// the opposite `first`. `buffer` is sent, and received into.
double half_of_round_trip(Channel& channel, int peer, bool first, const std::shared_ptr<std::byte[]>& buffer,
                          int bytes);

}  // namespace sluice::mpi::detail
