#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/stop.hpp"

namespace sluice {

/// Describes a message of one process in one dimension, and its step.
struct PlannedAxisMessage {
  std::int64_t step = 0;
  Coordinate peer;         ///< the process at the other end
  std::int64_t count = 0;  ///< elements, above 0

  friend bool operator==(const PlannedAxisMessage&, const PlannedAxisMessage&) = default;
};

/// Describes a message of one process, and its step; `peer` is a process of the other side's grid.
struct PlannedMessage {
  std::int64_t step = 0;
  Rank peer;
  std::int64_t count = 0;  ///< elements, above 0

  friend bool operator==(const PlannedMessage&, const PlannedMessage&) = default;
};

namespace detail {
class ArrayRule;
class CombinedSteps;
class StepRule;
}  // namespace detail

/// Holds the steps of one dimension. Each pair that exchanges a message has one step, and no process has two messages
/// in one step. The plan holds a rule, not a table of pairs. A process asks for its own messages alone, in time and
/// memory proportional to them.
class AxisPlan {
 public:
  /// Makes the plan; for planners. `pattern`: the messages of one dimension; `rule`: gives each pair its step.
  AxisPlan(AxisPattern pattern, std::shared_ptr<const detail::StepRule> rule);

  /// Returns what moves in this dimension.
  [[nodiscard]] const AxisPattern& pattern() const { return pattern_; }
  /// Returns NS, the number of steps; they are numbered 0 .. steps - 1. On an array shorter than a period some of them
  /// may have no messages.
  [[nodiscard]] std::int64_t steps() const;
  /// Returns the step of a pair that exchanges a message.
  [[nodiscard]] std::int64_t step_of(Coordinate sender, Coordinate receiver) const;
  /// Returns the messages of one process, in the order of their steps, without empty ones.
  [[nodiscard]] std::vector<PlannedAxisMessage> sends(Coordinate sender) const;
  /// Returns the messages to one process, in the order of their steps, without empty ones.
  [[nodiscard]] std::vector<PlannedAxisMessage> receives(Coordinate receiver) const;
  /// Returns the exact size of the largest message of each step. O(processes of the quotient's messages) on whole
  /// periods, otherwise O(messages).
  [[nodiscard]] std::vector<std::int64_t> durations() const;

 private:
  friend class RedistributionPlan;

  AxisPattern pattern_;
  std::shared_ptr<const detail::StepRule> rule_;
};

/// Holds a redistribution's schedule, combined from the schedules of its dimensions. A message is a message in each
/// dimension, and a tuple of their steps is a step, so NS = NS1 NS2 and TC = TC1 TC2. There are fewer steps if the
/// busiest process is a sender in one dimension and a receiver in another. Data of the size of the product is built on
/// request only. "exact", and every plan of a problem with roles, a part or blocks of any sizes, plans the array as a
/// whole instead.
///
/// If the problem says which processes are in both grids (RedistributionProblem::with_roles), data that they send to
/// themselves is in no step, and not in sends() and receives().
class RedistributionPlan {
 public:
  /// Combines a plan for each dimension of `problem`, which has neither a part nor roles; for planners. Here and below
  /// `setup` is from 0 to kLargestSetup, or InputError is thrown.
  RedistributionPlan(RedistributionProblem problem, std::string algorithm, std::vector<AxisPlan> axes, double setup);
  /// Makes the plan of an array as a whole; for planners. `transmission` is the transmission of `rule`.
  RedistributionPlan(RedistributionProblem problem, std::string algorithm,
                     std::shared_ptr<const detail::ArrayRule> rule, std::int64_t transmission, double setup);

  /// Returns the planned problem.
  [[nodiscard]] const RedistributionProblem& problem() const { return problem_; }
  /// Returns the algorithm that made the plan, never "auto".
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  /// Returns the plans of the dimensions; empty if the array is planned as a whole.
  [[nodiscard]] const std::vector<AxisPlan>& axes() const { return axes_; }
  /// Returns NS, the number of steps, including steps without a message.
  [[nodiscard]] std::int64_t steps() const;
  /// Returns the messages of one process in the order of their steps, without empty ones. This is what the process has
  /// to do.
  [[nodiscard]] std::vector<PlannedMessage> sends(Rank sender) const;
  /// Returns the messages to one process, in the order of their steps, without empty ones.
  [[nodiscard]] std::vector<PlannedMessage> receives(Rank receiver) const;
  /// Returns the cost: transmission + setup * steps, in elements of the problem's array, including tails. Steps without
  /// any message count, as the paper counts the caterpillar's. No other planner makes such steps if the array has a
  /// slice or more. Throws InputError if it had to look at more than 10^8 messages, or 4 * 10^9 tuples of steps, one by
  /// one.
  [[nodiscard]] Cost cost() const;
  /// Returns a lower bound on each of the three values alone, for schedules that send messages whole. It is
  /// redistribution_bound, or a better bound that the planner proved.
  [[nodiscard]] Cost bound() const;
  /// Returns the schedule with every step written out. `input` is copied into it. Throws InputError for more than 2^28
  /// steps, and for more than kMostListedMessages.
  [[nodiscard]] StepSchedule schedule(const RedistributionInput& input) const;

  /// Returns the same plan with a bound that was proven for its problem and set-up.
  [[nodiscard]] RedistributionPlan with_bound(const Cost& bound) const;
  /// Returns the same steps at another set-up cost, with the bound of redistribution_bound.
  [[nodiscard]] RedistributionPlan with_setup(double setup) const;

 private:
  [[nodiscard]] std::vector<PlannedMessage> messages(Rank process, bool sending) const;

  RedistributionProblem problem_;
  std::string algorithm_;
  std::vector<AxisPlan> axes_;
  double setup_;
  std::optional<Cost> bound_;
  std::shared_ptr<const detail::CombinedSteps> combined_;  ///< used unless whole_ is
  std::shared_ptr<const detail::ArrayRule> whole_;
  std::int64_t whole_transmission_ = 0;
};

/// Default effort of "exact" and "auto": about 0.2 s of one core at most, a few milliseconds nearly always.
inline constexpr std::int64_t kDefaultEffort = 10'000;
/// Returns `multiple` times the default effort, as the command, Python and C count it: N is N times the work of 1.
/// Throws InputError naming `where` unless `multiple` is at least 0 and the result is at most 2^50 units of work.
[[nodiscard]] std::int64_t multiple_of_default_effort(double multiple, const std::string& where);
/// Effort that takes about as long as an effort of 1 of the planners of exchange: a second of one core.
inline constexpr std::int64_t kEffortOfASecond = 50'000;
/// Returns the effort of exchange (ExchangeOptions::effort, above 0) that takes about as long as `effort` here.
[[nodiscard]] constexpr double exchange_effort(std::int64_t effort) {
  return static_cast<double>(effort < 1 ? 1 : effort) / static_cast<double>(kEffortOfASecond);
}

/// Plans a redistribution.
///
///  - `problem`: layouts and shape; may have roles or a part
///  - `algorithm`: "exact", "classes", "stepwise", "greedy", "coloring", "caterpillar" or "auto"
///  - `setup`: set-up cost of a step, in elements, 0 to kLargestSetup
///  - `effort`: most work of the search, in pivots of the simplex method, counted and never timed; 0: no search
///  - `stop`: ends the search earlier
///
/// "exact" and "auto" minimise transmission + setup * steps. "auto" takes the cheapest of the other algorithms that it
/// can afford. If that does not meet redistribution_bound, it searches on as "exact" does.
///
/// For example, a 4096 x 4096 matrix between two grids:
///
///     const Layout from = parse_layout("4x2:64x64", "from"), to = parse_layout("2x4:100x100", "to");
///     const RedistributionPlan plan = plan_redistribution(make_problem(from, to, {4096, 4096}), "stepwise", 1000);
///
/// Deterministic without `stop`: every process that plans the same problem with the same library gets the same plan,
/// without communication.
///
/// Throws InputError for an unknown algorithm, and for one that does not apply (the message says why). "classes" and
/// "caterpillar" do not apply to blocks of any sizes. A problem with roles may have 2^24 messages, or 2^20 if a named
/// algorithm takes matchings out of them. A problem with blocks of any sizes may have 2^20 messages.
[[nodiscard]] RedistributionPlan plan_redistribution(const RedistributionProblem& problem,
                                                     const std::string& algorithm = "auto", double setup = 1,
                                                     std::int64_t effort = kDefaultEffort,
                                                     const StopRequest& stop = {});

/// Returns true if this library was built with CBC. Without CBC, "exact" and "auto" use their own search, which is
/// enough for grids of up to about 10 x 10 processes. A unit of effort is then a hundred placings of messages.
[[nodiscard]] bool exact_uses_cbc();

/// Returns a lower bound on the cost of schedules of `problem` that send messages whole. It comes from the messages of
/// each process alone. If the problem has roles, messages to the process itself do not count, and more than 2^24
/// messages are an InputError.
[[nodiscard]] Cost redistribution_bound(const RedistributionProblem& problem, double setup = 1);

/// Holds a schedule of the front: the lowest TC known for its number of steps, and lower than with fewer steps.
struct FrontPoint {
  RedistributionPlan plan;  ///< its NS and TC are the point of the front
  /// Gives a lower bound on the TC of schedules with at most as many steps. If it equals the TC of the plan, the plan
  /// is proven to be on the front.
  std::int64_t transmission_at_least = 0;
};

/// Holds the schedules of a front. Each has more steps and a lower TC than the schedule before it.
struct RedistributionFront {
  std::vector<FrontPoint> points;  ///< by rising NS
  Cost bound;                      ///< of steps and of transmission alone, for any schedule
  bool complete = false;           ///< says that every point is proven, and that there are no others
};

/// Finds all schedules that no other beats in both NS and TC.
///
///  - `setup`: set-up cost of a step for the costs of the plans; does not change the front
///  - `effort`, `stop`: as for plan_redistribution
[[nodiscard]] RedistributionFront redistribution_front(const RedistributionProblem& problem, double setup = 1,
                                                       std::int64_t effort = kDefaultEffort,
                                                       const StopRequest& stop = {});

/// Holds the two stages of Walker and Otto's strategy through blocks of lcm(r, s), each with its own steps.
struct WalkerOttoPlan {
  RedistributionPlan first;   ///< from the source layout to blocks of lcm(r, s)
  RedistributionPlan second;  ///< from blocks of lcm(r, s) to the target layout
};

/// Plans by Walker and Otto's strategy, to compare with direct schedules; every element moves twice. Throws InputError
/// if lcm(r, s) is beyond int64, and for a problem with roles, with a part, or with blocks of any sizes.
[[nodiscard]] WalkerOttoPlan plan_walker_otto(const RedistributionProblem& problem, double setup = 1);

}  // namespace sluice
