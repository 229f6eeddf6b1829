#pragma once

#include "sluice/input/traffic.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/run/mpi/network.hpp"

namespace sluice::mpi::detail {

/// What messages between the ranks of `network` share, as planners need it; no MPI here. The unit of time is a byte's
/// time over the link of a host in the fastest group:
///  - the link between two groups, once for each direction: how many connections it carries, if the groups have more
///    hosts, and how long one connection takes;
///  - what all links of a group carry together, if that was measured and is less than its hosts could send;
///  - the link of a host that has several ranks: one message to other hosts at once, and one from them. Messages inside
///    the host take the time of its memory.
[[nodiscard]] SharedLinks links_of_ranks(const HostNetwork& network);

/// Whether some of the bytes go over links that carry less than ports allow, and some do not: less than the share
/// `nearly_all`. Otherwise there is nothing to send meanwhile, and more at once than fits does no harm. False if there
/// are more than 2^22 messages times links, because examining all takes long.
[[nodiscard]] bool are_shared_by_some(const SharedLinks& links, const Traffic& traffic, double nearly_all);

}  // namespace sluice::mpi::detail
