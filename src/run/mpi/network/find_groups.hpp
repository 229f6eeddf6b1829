#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/network/meetings.hpp"
#include "sluice/run/mpi/network.hpp"

/// What follows from meetings of hosts; no MPI here.
namespace sluice::mpi::detail {

/// The groups, by the rule that network() states, from the meetings of all passes. Also the links between them, as far
/// as these meetings tell. The speed of a connection is the best of all meetings; a meeting that has the link to itself
/// gives the final speed (set_single_connection). `message_s` is left 0. Meetings that found nothing have rates of 0.
[[nodiscard]] HostNetwork find_groups(int hosts, std::span<const Meeting> meetings);

/// Whether the meetings leave no doubt of the groups that find_groups makes of them, by the rule that network() states.
[[nodiscard]] bool beyond_doubt(int hosts, std::span<const Meeting> meetings);

/// All hosts as one group, for any meetings.
[[nodiscard]] HostNetwork one_group(int hosts, std::span<const Meeting> meetings);

[[nodiscard]] bool same_groups(const HostNetwork& one, const HostNetwork& other);

/// Sets the speed of a connection of `link`, and from it how many fit. `carried`: the most that meetings of a round
/// carried across in one direction. `pairs`: the number of pairs of hosts that could meet across.
void set_single_connection(GroupLink& link, double bytes_per_s, double carried, std::int64_t pairs);

/// The most that the meetings of a round between hosts of two groups carried in one direction, in bytes a second.
[[nodiscard]] double most_carried(const HostGroup& from, const HostGroup& to, std::span<const Meeting> meetings);

/// Pairs of a host of a group and a host of another group, as many as there can be side by side, alternating between
/// all other groups. Together they fill the uplink of the group, if it has one.
[[nodiscard]] std::vector<std::pair<int, int>> pairs_across(const HostNetwork& network, std::size_t group);

/// Sets the uplink of a group, by the rule that network() states. For two groups it sets how many connections fit in
/// their link. `carried`: what all pairs_across of the group carried together in one direction.
void set_uplink(HostNetwork& network, std::size_t group, double carried);

}  // namespace sluice::mpi::detail
