#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sluice/input/replicated_problem.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// How to plan for several copies.
struct ReplicatedOptions {
  std::string algorithm = "auto";  ///< one of exchange, or "auto"
  double setup = 1;                ///< set-up cost of a step, in elements
  double effort = 1;               ///< of each search of exchange, as ExchangeOptions has it
  double time_limit_s = std::numeric_limits<double>::infinity();  ///< of each search, as ExchangeOptions has it
  StopRequest stop;                                               ///< of each search, as ExchangeOptions has it
  /// Whether copies of the target may pass data on to one another.
  bool forward = true;
};

/// Lower bounds of what a plan for several copies costs.
struct ReplicatedBounds {
  Cost any;     ///< of every schedule, including those in which receivers pass data on
  Cost direct;  ///< of schedules in which everything comes from the source
};

/// A schedule for several copies.
///
/// Senders 0 .. R P - 1 are the processes of the source. With more than one copy of the target, sender R P + j is
/// receiver j, which passes on what it got in steps before. Offsets are places in what the receiver gets
/// (ReplicatedProblem).
struct ReplicatedPlan {
  StepSchedule schedule;
  ReplicatedBounds bounds;         ///< `any` is the schedule's
  std::int64_t heads = 0;          ///< copies of the target that get everything from the source: 1 .. S; S: all of them
  std::int64_t longest_chain = 0;  ///< copies that an element goes through: 1 where nothing is passed on
  double direct_total = 0;         ///< what the best schedule found in which nothing is passed on costs
  std::int64_t source_load = 0;    ///< elements: the most that a process of the source sends
  bool stopped = false;            ///< whether the time limit, or `stop`, ended a search
};

/// Plans `problem`; the schedule's `input` is left to the caller.
///
/// Without passing on, what all copies of the target need is dealt among the copies of the source: whole messages,
/// longest first, to the copy with the least to send, and, where that does not balance, all messages to the copies laid
/// end to end and cut into R equal parts, so that no process sends more than its share rounded up. The planners of
/// exchange make steps of it; where a redistribution of one copy, done H / R times, does as well, that is a candidate.
///
/// With it, H of the S copies are served so, and copy t passes on to copy t + H what it got in one step in the next
/// one. Nothing collides, as copy t + H receives in step i + 1 what t received in step i. Steps are cut so that the
/// cost of filling the chains and the set-up cost of the steps are balanced. H is chosen by cost. Processes that are on
/// both sides are the last of their chains and pass nothing on, so H is at least the number of such copies of any one
/// process of the target grid; the other copies are in the chains in the order of their numbers.
///
/// Deterministic, unless stopped. Throws InputError for what plan_exchange refuses, and where S copies have more than
/// 2^20 messages.
[[nodiscard]] ReplicatedPlan plan_replicated(const ReplicatedProblem& problem, const ReplicatedOptions& options = {});

/// What no schedule costs less than, each of the three values on its own. Proofs:
/// docs/appendix/proofs-redistribute.md.
[[nodiscard]] ReplicatedBounds replicated_bounds(const ReplicatedProblem& problem, double setup = 1);

/// The plain way, for comparison: every copy of the target gets everything from copy 0 of the source, in steps of the
/// planners of exchange.
[[nodiscard]] StepSchedule plan_from_first_copy(const ReplicatedProblem& problem,
                                                const ReplicatedOptions& options = {});

}  // namespace sluice
