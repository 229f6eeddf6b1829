#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/network.hpp"

namespace sluice::mpi::detail {

/// Whether the library may measure. It may not if ranks are simulated, or if SLUICE_MEASURE=0 says so on rank 0 of
/// `channel`. Collective, like the functions below: a rank may have failed after others learned something, so no rank
/// acts only on what it knows alone.
[[nodiscard]] bool may_measure(Channel& channel);

/// What memory carries, in bytes per second, exact enough for plans.
constexpr double kMemoryBytes_s = 4e9;

/// The network of the channel's context, which keeps it. Collective. Throws what Channel::check throws.
std::shared_ptr<const HostNetwork> learn_network(Channel& channel);

/// Networks that other communicators know are not inherited any more. Local, for all ranks.
void forget_networks();

/// The platform of the file that the variable SLUICE_PLATFORM of rank 0 names; nothing if it names none. If the file
/// cannot be read, or is for another number of ranks, one line on standard error says so. On all ranks; collective.
[[nodiscard]] std::shared_ptr<const Platform> platform_of_variable(Channel& channel);

/// The platform that jobs plan by if the user gave none.
struct JobPlatform {
  Platform platform;
  bool speeds_are_known = false;  ///< otherwise it is good only for the shape of a plan
};
/// The platform of SLUICE_PLATFORM; otherwise of the network if that may be measured; otherwise the usual one.
/// Collective.
[[nodiscard]] JobPlatform platform_of_job(Channel& channel);
/// The platform of usual_network, except that messages of 64 KiB or more take longer than their bytes: most MPIs send
/// them only when the receiver asks for them. Collective.
[[nodiscard]] JobPlatform usual_platform(Channel& channel);

constexpr double kMeasuredWithin = 0.05;  ///< how exactly the network is known

/// What a network of these hosts usually is: all connected alike by 1 Gbit/s, a message taking as long as 4 KiB do.
/// What it is good for is the shape of a plan, not its length.
[[nodiscard]] HostNetwork usual_network(std::vector<int> host_of_rank);

/// The number of each rank's host, in the order of their first ranks. On all ranks; collective.
[[nodiscard]] std::vector<int> hosts_of_ranks(Channel& channel);

}  // namespace sluice::mpi::detail
