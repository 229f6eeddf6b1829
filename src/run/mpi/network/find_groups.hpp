#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "sluice/run/mpi/network.hpp"

/// What follows from meetings of hosts; no MPI here.
namespace sluice::mpi::detail {

/// What two hosts found when they met, while others did.
struct Meeting {
  int a = 0;  ///< hosts, a < b
  int b = 0;
  int round = 0;         ///< its place in rounds_of
  double latency_s = 0;  ///< half of a round trip
  double to_a = 0;       ///< bytes per second that came there
  double to_b = 0;
  int pass = 0;  ///< of several in which all rounds are held
};

/// A round of meetings of n hosts: host i meets host i xor r, or, mirrored, the one for which the sum of both is r
/// modulo n. Two hosts that would meet themselves meet each other then. Neighbours meet neighbours in both, so that
/// what they share shows; mirrored, whatever n is.
struct MeetingRound {
  int r = 0;
  bool mirrored = false;

  /// Whom `host` meets; none: itself, or `hosts` or more.
  [[nodiscard]] int partner(int host, int hosts) const;

  friend bool operator==(const MeetingRound&, const MeetingRound&) = default;
};

/// The rounds of some hosts. Where their number is a power of two: r is 1 to 7 for up to 8 hosts, else the powers of
/// two, which join all hosts, and three more. Else: mirrored, all r, for up to 16 hosts; for more of them the powers of
/// two, two more, and mirrored ones in which halves and thirds of the hosts meet.
[[nodiscard]] std::vector<MeetingRound> rounds_of(int hosts);

/// The groups, by the rule that network() states, from the meetings of all passes, with the links between them as far
/// as these meetings tell: the speed of a connection is the best of any, to be replaced by that of one which had the
/// link to itself (set_single_connection). `message_s` is left 0. Meetings that found nothing have rates of 0.
[[nodiscard]] HostNetwork find_groups(int hosts, std::span<const Meeting> meetings);

/// Whether the meetings leave no doubt of the groups that find_groups makes of them, by the rule that network() states.
[[nodiscard]] bool beyond_doubt(int hosts, std::span<const Meeting> meetings);

/// All hosts as one group, whatever was found between them.
[[nodiscard]] HostNetwork one_group(int hosts, std::span<const Meeting> meetings);

[[nodiscard]] bool same_groups(const HostNetwork& one, const HostNetwork& other);

/// Sets the speed of a connection of `link`, and from it how many fit. `carried`: the most that meetings of a round
/// carried across in one direction; `pairs`: of hosts that could meet across.
void set_single_connection(GroupLink& link, double bytes_per_s, double carried, std::int64_t pairs);

/// The most that the meetings of a round between hosts of two groups carried in one direction, in bytes a second.
[[nodiscard]] double most_carried(const HostGroup& from, const HostGroup& to, std::span<const Meeting> meetings);

/// Pairs of a host of a group and one of another group, as many as there can be side by side, and of all other groups
/// in turn: together they fill the uplink of the group, if it has one.
[[nodiscard]] std::vector<std::pair<int, int>> pairs_across(const HostNetwork& network, std::size_t group);

/// Sets the uplink of a group, by the rule that network() states, or, of two groups, how many connections fit in their
/// link. `carried`: what all pairs_across of the group carried together in one direction.
void set_uplink(HostNetwork& network, std::size_t group, double carried);

}  // namespace sluice::mpi::detail
