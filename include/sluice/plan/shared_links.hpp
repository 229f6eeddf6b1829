#pragma once

#include <cstdint>
#include <vector>

#include "sluice/plan/exchange.hpp"

namespace sluice {

/// Transfers that share a link: those from one of `from` to one of `to`, such as all from the hosts of one cluster to
/// those of another, or all that leave a host of several ranks.
struct SharedLink {
  std::vector<std::int64_t> from;  ///< senders, rising
  std::vector<std::int64_t> to;    ///< receivers, rising
  std::int64_t max_transfers = 0;  ///< at once, at the speed of one of them alone; 0: as many as ports allow
  double time_per_unit = 1;        ///< of a transfer; above 0

  /// Whether the ports of its ends allow more transfers than it carries.
  [[nodiscard]] bool limits() const;
};

/// The links of an exchange besides the ports of its nodes. A transfer may go over several, and takes the time per unit
/// of the slowest of them; 1 if it goes over none.
struct SharedLinks {
  std::vector<SharedLink> links;
  double transfer_setup = 0;  ///< what a transfer takes besides, in the unit of the traffic; at least 0
};

/// A schedule for ranks that keep its order, and that wait for no steps.
struct LinkedPlan {
  StepSchedule schedule;
  double length = 0;  ///< length_over_links of it
  double bound = 0;   ///< no schedule has less: what the busiest port or link has to carry
};

/// When the last transfer ends, if each starts as soon as its sender and its receiver are done with theirs of earlier
/// steps, and each of its links with all but max_transfers - 1 of those that were begun before. Transfers begin in the
/// order of their steps, and in a step in the order in which their ports come free.
/// O(t (log t + l)) for t transfers and l links. @pre a valid schedule; its max_transfers is a link of all
[[nodiscard]] double length_over_links(const StepSchedule& schedule, const SharedLinks& links);

/// Plans an exchange for ports and links.
///
/// Problem: a step of plan_exchange has as many transfers as ports allow. If more of them share a link than it carries,
/// all of these slow each other down, and keep their ports from messages that go elsewhere.
///
/// Method: list scheduling. Whenever a transfer ends, whole messages whose two ports are free, and whose links have
/// room, begin, first those whose ports and links have most left to do. This is tried again with those amounts
/// multiplied by random factors, until the length is within a hundredth of the bound or the effort is spent. The
/// schedule of plan_exchange is taken if it is as short. Steps come last: a transfer is in the first one behind those
/// of its sender and its receiver in which each of its links has room.
///
/// Cost: a try is O(t (d + l)) for t messages and d of the busiest node; of `options.effort` 1 all tries take a
/// quarter of a second, and one that takes longer is given up.
/// Guarantee: never longer than what plan_exchange makes, by length_over_links; if it is another schedule than that, no
/// step has more than max_transfers over a link. Deterministic, unless the time limit ends it.
///
/// Source: list scheduling, Graham, "Bounds on Multiprocessing Timing Anomalies", 1969; that whole messages serve as
/// operations of an open shop whose links are machines of several places is ours.
///
/// Example: hosts 0, 1 and 2, 3 with a link for one transfer each way, all messages alike. By plan_exchange 0 and 1
/// send to 2 and 3 side by side in two of three steps, which take twice as long then: 5 units. In the four steps here
/// one sends over the link while the other sends to its neighbour, or waits: 4 units, which is what the link needs.
///
/// Throws InputError as plan_exchange, for `speeds` or `switches` of the problem, and for links with a node out of
/// range, a negative number of transfers or a time that is not above 0 and finite.
[[nodiscard]] LinkedPlan plan_over_links(const ExchangeProblem& problem, const SharedLinks& links,
                                         const ExchangeOptions& options = {});

}  // namespace sluice
