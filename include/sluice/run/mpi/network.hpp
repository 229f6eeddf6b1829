#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::mpi {

/// Describes hosts that have similar latency and speed between them.
struct HostGroup {
  std::vector<int> hosts;  ///< hosts in the order of their first ranks, counted from 0
  double latency_s = 0;    ///< of a short message between two of the hosts; 0 if there is only one
  double bytes_per_s = 0;  ///< rate of a host's link, in each direction while both are in use
  /// Rate of all links of the group to other groups together, in each direction. 0 if it was not measured, for example
  /// if there are two groups.
  double uplink_bytes_per_s = 0;
};

/// Describes the network between two groups.
struct GroupLink {
  std::size_t from = 0;    ///< index into HostNetwork::groups, from < to
  std::size_t to = 0;      ///< index of the other group
  double latency_s = 0;    ///< of a short message
  double bytes_per_s = 0;  ///< rate of one connection that has the link to itself
  /// k: number of simultaneous connections at that speed; the number of hosts if they share no link.
  std::int64_t connections = 1;
};

/// Describes what the library knows about the network between hosts.
struct HostNetwork {
  std::vector<int> host_of_rank;  ///< host of each rank; hosts are counted in the order of their first ranks
  double message_s = 0;           ///< seconds that a short message keeps its sender busy
  std::vector<HostGroup> groups;  ///< each host is in one group
  std::vector<GroupLink> links;   ///< one for each pair of groups
  std::string source;             ///< "measured", or the name of the file that it was read from
  double measured_s = 0;          ///< seconds that measuring took

  /// Returns the number of hosts.
  [[nodiscard]] std::int64_t hosts() const;
  /// Returns the index into `groups` of each host.
  [[nodiscard]] std::vector<std::size_t> groups_of_hosts() const;
};

/// Returns text such as "8 hosts on one switch, 11.9 MB/s each way, 95 us; no k". If there are several groups, it has a
/// line for each group and each link.
[[nodiscard]] std::string to_text(const HostNetwork& network);

/// Converts the network to a platform for the planners, which passes check_platform. If each rank has a host of its
/// own, each group of hosts becomes a cluster. Otherwise each host becomes a cluster of its ranks, which share its
/// link.
[[nodiscard]] Platform to_platform(const HostNetwork& network);

/// Returns the network that the jobs of `comm` plan for, and measures it if it is unknown. Hosts meet in rounds: 7
/// rounds for 8 hosts or 16 hosts, 16 rounds for 1000 hosts, and one per host for other numbers up to 16. A round takes
/// about 20 ms, or the time of 96 KiB if that is longer. On one host there is nothing to measure.
///
/// Nothing is measured in these cases; the first that applies counts:
///
///  - The ranks belong to a communicator whose network is known.
///  - The variable SLUICE_PLATFORM_CACHE names a file that an earlier measurement wrote for the same hosts and MPI. If
///    the file does not exist, or is for others, the measurement is written to it for the next run of the program.
///
/// Method: hosts meet in rounds of disjoint pairs. All pairs of a round meet at the same time, so that shared links
/// show. In round r, host i meets host i xor r, or hosts meet if the sum of their numbers is r modulo the number of
/// hosts (MeetingRound). In a meeting, short messages first go back and forth; then both hosts send all the time, 96
/// KiB to 4 MiB.
///
/// Groups are found in this order:
///
///  1. Two hosts were near in a meeting if both had at least three quarters of their best rate. Their latency was also
///     at most 20 us more than twice the smaller of their two smallest latencies.
///  2. Sets of hosts are joined, the nearest first, if they were near in at least two fifths of the meetings between
///     them. So no single meeting decides.
///  3. If these sets explain few of the rates, the library tries sites of equal numbers of consecutive hosts. It
///     accepts them if links between them, or uplinks, of one rate explain 70 % of the rates, and 10 % more than any
///     other division. Hosts of two sites may see no loss if few of them meet across in a round.
///  4. Hosts whose link carries less than 0.7 of their group's median form a group of their own.
///
/// The first meetings prove one group if three quarters of them were near. They prove several groups if all of the
/// following hold:
///
///  - nine in ten meetings inside the sets were near;
///  - nine in ten meetings between sets were not near, or nine in ten rates are explained;
///  - no set is a single host;
///  - a slow link carried its median, within a tenth, in all meetings inside the set except one, and in at least three.
///    A host that is busy for a while is slow in some meetings only.
///
/// Otherwise all rounds are repeated a second and, if needed, a third time. Several groups are then accepted if all
/// meetings together give them, and also the meetings of two of these times alone. If not, all hosts are one group.
///
/// Between two groups, one pair of hosts alone measures the speed of a connection. Then all hosts of a group send to
/// the hosts of other groups at once, and receive from them, for 0.03 s. With two groups this gives the number of
/// connections that fit. With three to six groups it gives the rate of the group's uplink. If this rate is at least
/// three quarters of the sum of the links' own rates, the uplink has that sum.
///
/// Limits: it cannot see a bottleneck that no round fills. With more than 16 hosts, sites that are not halves, thirds,
/// quarters, eighths, ... of the hosts in rank order may be taken for one site. `sluice probe` measures pair by pair.
///
/// Collective; returns equal results on all ranks. Throws InputError if `comm` is not an intracommunicator; MpiError;
/// JobError.
[[nodiscard]] HostNetwork network(MPI_Comm comm);

}  // namespace sluice::mpi
