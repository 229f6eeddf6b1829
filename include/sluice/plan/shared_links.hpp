#pragma once

#include <cstdint>
#include <vector>

#include "sluice/plan/exchange.hpp"

namespace sluice {

/// Describes a link that several transfers share: all transfers from one of `from` to one of `to`. Examples: all from
/// the hosts of one cluster to the hosts of another, or all that leave a host of several ranks.
struct SharedLink {
  std::vector<std::int64_t> from;  ///< senders, rising
  std::vector<std::int64_t> to;    ///< receivers, rising
  std::int64_t max_transfers = 0;  ///< most transfers at once at the speed of a single one; 0: as many as ports allow
  double time_per_unit = 1;        ///< time per unit of a transfer; above 0

  /// Returns true if the ports of its ends allow more transfers than it carries.
  [[nodiscard]] bool limits() const;
};

/// Describes the links of an exchange besides the ports of its nodes. A transfer may pass several, and takes the time
/// per unit of the slowest; 1 if it passes none.
struct SharedLinks {
  std::vector<SharedLink> links;
  double transfer_setup = 0;  ///< time of a transfer besides, in the unit of the traffic; at least 0
};

/// Holds a schedule for ranks that keep its order, and do not wait for steps.
struct LinkedPlan {
  StepSchedule schedule;
  double length = 0;  ///< length_over_links of the schedule
  double bound = 0;   ///< lower bound for every schedule: the load of the busiest port or link
};

/// Returns the time when the last transfer ends. Transfers begin in the order of their steps, and inside a step in the
/// order of the times when their ports become free. A transfer starts as soon as two conditions hold:
///
///  - its sender and its receiver have finished their transfers of earlier steps;
///  - on each of its links, at most max_transfers - 1 of the transfers that began before are still running.
///
/// O(t (log t + l)) for t transfers and l links. @pre a valid schedule; its max_transfers is a link of all
[[nodiscard]] double length_over_links(const StepSchedule& schedule, const SharedLinks& links);

/// Plans an exchange for ports and links.
///
/// Problem: a step of plan_exchange has as many transfers as ports allow. If more of them share a link than it carries,
/// they slow each other down, and block their ports for messages that go elsewhere.
///
/// Method: list scheduling. Whenever a transfer ends, whole messages begin if their two ports are free and their links
/// have room. Messages whose ports and links have the most work left go first. The planner repeats this with the
/// amounts multiplied by random factors, until the length is within a hundredth of the bound or the effort is spent. It
/// takes the schedule of plan_exchange if that is as short. Steps come last: a transfer is in the first step that
/// follows the earlier transfers of its sender and its receiver, if its links have room there.
///
/// Cost: a try is O(t (d + l)) for t messages, l links and d messages of the busiest node. With `options.effort` 1, all
/// tries take a quarter of a second; a try that takes longer is given up. Guarantee: never longer than the plan of
/// plan_exchange, by length_over_links. If it is another schedule, no step has more than max_transfers over a link.
/// Deterministic, unless the time limit ends it.
///
/// Source: list scheduling, Graham, "Bounds on Multiprocessing Timing Anomalies", 1969. Ours: whole messages as
/// operations of an open shop whose links are machines with several places.
///
/// Example: hosts 0, 1 and 2, 3 with a link for one transfer each way, all messages alike. With plan_exchange, 0 and 1
/// send to 2 and 3 at the same time in two of three steps. These steps take twice as long, so the length is 5 units.
/// This function makes four steps: one host sends over the link while the other sends to its neighbour, or waits. The
/// length is 4 units, which the link needs.
///
/// Throws InputError as plan_exchange, for `speeds` or `switches` of the problem, and for bad links: a node out of
/// range, a negative number of transfers, or a time that is not above 0 and finite.
[[nodiscard]] LinkedPlan plan_over_links(const ExchangeProblem& problem, const SharedLinks& links,
                                         const ExchangeOptions& options = {});

}  // namespace sluice
