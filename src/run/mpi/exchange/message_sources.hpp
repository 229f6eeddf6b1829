#pragma once

#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi::detail {

/// What this rank gets, by rank of the sender, if each rank knows only what it sends. No rank learns more than its own
/// messages, and each sends as many messages as it has receivers.
///
/// Method: every rank sends each of its receivers the size, synchronously, and takes what comes. When its own messages
/// have been taken it enters a barrier without waiting, and takes what comes until all ranks are in the barrier: then
/// nothing is left to come.
///
/// Source: the non-blocking consensus of Hoefler, Siebert, Lumsdaine, "Scalable Communication Protocols for Dynamic
/// Sparse Data Exchange" (2010). On all ranks; throws as Channel::check, and MpiError.
[[nodiscard]] std::vector<MessageSize> find_sources(Channel& channel, const std::vector<MessageSize>& sends);

}  // namespace sluice::mpi::detail
