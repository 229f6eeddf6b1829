#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::mpi {

/// Hosts between which latency and speed are alike.
struct HostGroup {
  std::vector<int> hosts;  ///< in the order of their first ranks, counted from 0
  double latency_s = 0;    ///< of a short message between two of them; 0 where there is one
  double bytes_per_s = 0;  ///< of a host's link, each way while both are in use
  /// What all links of the group to other ones carry together, each way; 0 where that was not measured, as where there
  /// are two groups.
  double uplink_bytes_per_s = 0;
};

/// The network between two groups.
struct GroupLink {
  std::size_t from = 0;          ///< places in HostNetwork::groups, from < to
  std::size_t to = 0;            ///< the other place
  double latency_s = 0;          ///< of a short message
  double bytes_per_s = 0;        ///< of one connection that has the link to itself
  std::int64_t connections = 1;  ///< k: how many run side by side at that speed; the number of hosts if none is shared
};

/// What the library knows about the network between hosts.
struct HostNetwork {
  std::vector<int> host_of_rank;  ///< hosts are counted in the order of their first ranks
  double message_s = 0;           ///< how long a short message keeps its sender
  std::vector<HostGroup> groups;  ///< every host is in one
  std::vector<GroupLink> links;   ///< one for each pair of groups
  std::string source;             ///< "measured", or the name of the file that it was read from
  double measured_s = 0;          ///< how long measuring took

  /// Number of hosts.
  [[nodiscard]] std::int64_t hosts() const;
  /// The place in `groups` of each host.
  [[nodiscard]] std::vector<std::size_t> groups_of_hosts() const;
};

/// Text such as "8 hosts on one switch, 11.9 MB/s each way, 95 us; no k", with a line for each group and each link if
/// there are several groups.
[[nodiscard]] std::string to_text(const HostNetwork& network);

/// The network as a platform for the planners. If every rank has a host of its own, each group of hosts becomes a
/// cluster; otherwise each host becomes a cluster of its ranks, which share its link. It passes check_platform.
[[nodiscard]] Platform to_platform(const HostNetwork& network);

/// The network that the jobs of `comm` plan for. It is measured now if it is not known yet, in rounds of meetings: 7
/// for 8 or 16 hosts, 16 for 1000, and as many as hosts for other numbers up to 16. A round takes some 20 ms, or as
/// long as 96 KiB take if that is longer. On one host there is nothing to measure.
///
/// In the first of these cases that applies, nothing is measured:
///  - the ranks are some of those of a communicator whose network is known;
///  - the variable SLUICE_PLATFORM_CACHE names a file that an earlier measurement wrote, for the same hosts and MPI. If
///    the file does not exist, or is for others, the measurement is written to it for the next run of the program.
///
/// Method: hosts meet in rounds of disjoint pairs, all pairs of a round at the same time, so that shared links show:
/// host i and host i xor r, or hosts whose sum is r modulo their number (MeetingRound). In a meeting both send all the
/// time, 96 KiB to 4 MiB, and short messages go back and forth before. Two hosts were near in a meeting if both had at
/// least three quarters of what their links carried at best, and a latency of at most twice the least of either (and 20
/// us more). Sets of hosts are joined, the nearest first, that were near in at least two fifths of the meetings between
/// them, so that no single meeting decides. If these sets explain few of the rates, sites of equal numbers of hosts,
/// one after the other, are tried: they are taken if links between them, or uplinks, of one rate explain 70 % of the
/// rates, and 10 % more than any other division, as hosts of two sites find nothing missing where few meet across in a
/// round. Hosts whose link carries less than 0.7 of their group's median are a group of their own.
///
/// The first meetings leave no doubt of one group if three quarters of them were near, and none of several if nine in
/// ten within the sets were near, nine in ten between them were not or nine in ten rates are explained, no set is a
/// single host, and a link that is slow carried its median, within a tenth, in all meetings within the set but one, in
/// three at least: a host that is busy for a while is slow in some of them only. Otherwise all rounds are held a second
/// time, and if need be a third: groups are believed then if all meetings together make them, and two of the times that
/// rounds were held do so by themselves; if not, all hosts are one group. Between two groups, the speed of a connection
/// is that of one pair of hosts alone. All hosts of a group then send to those of others at once, and they to it, for
/// 0.03 s. Of two groups that says how many connections fit, of three to six what the uplink of the group carries;
/// where that is at least three quarters of the sum of what its links carry one by one, it is that sum.
///
/// What it cannot see: a bottleneck that no round fills: of more than 16 hosts, sites that are not halves, thirds,
/// quarters, eighths, ... of the hosts in the order of their ranks may be taken for one site. `sluice probe` measures
/// pair by pair.
///
/// Collective; the same on all ranks. Throws InputError if `comm` is not an intracommunicator, MpiError, JobError.
[[nodiscard]] HostNetwork network(MPI_Comm comm);

}  // namespace sluice::mpi
