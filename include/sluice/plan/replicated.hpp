#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sluice/input/replicated_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/stop.hpp"

namespace sluice {

/// Sets how to plan for several copies of an array.
struct ReplicatedOptions {
  std::string algorithm = "auto";  ///< name of an algorithm of exchange, or "auto"
  double setup = 1;                ///< set-up cost of a step, in elements
  double effort = 1;               ///< limits each search of exchange, as ExchangeOptions::effort
  /// Limits each search in seconds, as ExchangeOptions::time_limit_s.
  double time_limit_s = std::numeric_limits<double>::infinity();
  StopRequest stop;  ///< ends each search, as ExchangeOptions::stop
  /// Lets copies of the target forward data to one another.
  bool forward = true;
};

/// Holds lower bounds on the cost of a plan for several copies.
struct ReplicatedBounds {
  Cost any;     ///< of every schedule, even if receivers forward data
  Cost direct;  ///< of schedules that send everything from the source
};

/// Holds a schedule for several copies: R copies of the source on P processes each, and S copies of the target.
///
/// Senders 0 .. R P - 1 are the processes of the source. With more than one copy of the target, sender R P + j is
/// receiver j, which forwards what it got in earlier steps. Offsets are places in the data of the receiver
/// (ReplicatedProblem).
struct ReplicatedPlan {
  StepSchedule schedule;
  ReplicatedBounds bounds;  ///< `any` is the bound of the schedule
  /// Copies of the target that get everything from the source: 1 .. S.
  std::int64_t heads = 0;
  std::int64_t longest_chain = 0;  ///< most copies that an element goes through: 1 if nothing is forwarded
  double direct_total = 0;         ///< cost of the best schedule found that forwards nothing
  std::int64_t source_load = 0;    ///< most elements that a process of the source sends
  bool stopped = false;            ///< says that the time limit, or `stop`, ended a search
};

/// Plans `problem`; the caller fills in the schedule's `input`.
///
/// Without forwarding, the copies of the source share what all copies of the target need. Whole messages go, longest
/// first, to the copy with the least to send. If that does not balance, all messages to the copies are laid end to end
/// and cut into R equal parts. Then no process sends more than its share rounded up. The planners of exchange make
/// steps of the result. A redistribution of one copy, done H / R times, is also a candidate.
///
/// With forwarding, H of the S copies are served in this way. Copy t forwards to copy t + H in the next step what it
/// got in one step. Nothing collides, because copy t + H receives in step i + 1 what copy t received in step i. Steps
/// are cut so that the cost of filling the chains and the set-up cost of the steps are balanced. H is chosen by cost.
/// Processes that are on both sides are the last of their chains and forward nothing. So H is at least the number of
/// such copies of any one process of the target grid. The other copies are in the chains in the order of their numbers.
///
/// For example, two copies of the source, four copies of the target, and no forwarding:
///
///     const ReplicatedPlan plan = plan_replicated(ReplicatedProblem(one, 2, 4), {.setup = 1000, .forward = false});
///
/// Deterministic, unless stopped. Throws InputError for problems that plan_exchange refuses, and if S copies have more
/// than 2^20 messages.
[[nodiscard]] ReplicatedPlan plan_replicated(const ReplicatedProblem& problem, const ReplicatedOptions& options = {});

/// Returns lower bounds for all schedules, for each of the three values of Cost alone; docs/explanation/replicas.md has
/// proofs. `setup`: set-up cost of a step, in elements.
[[nodiscard]] ReplicatedBounds replicated_bounds(const ReplicatedProblem& problem, double setup = 1);

/// Plans the simple way, for comparison: copy 0 of the source sends everything to every copy of the target, in steps of
/// the planners of exchange.
[[nodiscard]] StepSchedule plan_from_first_copy(const ReplicatedProblem& problem,
                                                const ReplicatedOptions& options = {});

}  // namespace sluice
