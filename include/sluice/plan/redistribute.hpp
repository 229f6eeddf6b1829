#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// A message of one process in one dimension, with the step it belongs to.
struct PlannedAxisMessage {
  std::int64_t step = 0;
  Coordinate peer;         ///< the process at the other end
  std::int64_t count = 0;  ///< elements, above 0

  friend bool operator==(const PlannedAxisMessage&, const PlannedAxisMessage&) = default;
};

/// A message of one process, with the step it belongs to; `peer` is a process of the other side's grid.
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

/// The steps of one dimension: every pair that exchanges a message has one step, and no process has two messages in
/// one. The plan holds a rule, not a table of pairs; a process asks for its own messages alone, in time and memory
/// proportional to them.
class AxisPlan {
 public:
  /// For planners: the pattern of one dimension, and the rule that gives each pair its step.
  AxisPlan(AxisPattern pattern, std::shared_ptr<const detail::StepRule> rule);

  /// What moves in this dimension.
  [[nodiscard]] const AxisPattern& pattern() const { return pattern_; }
  /// NS: steps are 0 .. steps - 1. On an array shorter than a period some of them may be empty of messages.
  [[nodiscard]] std::int64_t steps() const;
  /// The step of a pair that exchanges a message.
  [[nodiscard]] std::int64_t step_of(Coordinate sender, Coordinate receiver) const;
  /// The messages of one process, in the order of their steps, none of them empty.
  [[nodiscard]] std::vector<PlannedAxisMessage> sends(Coordinate sender) const;
  /// The messages to one process, in the order of their steps, none of them empty.
  [[nodiscard]] std::vector<PlannedAxisMessage> receives(Coordinate receiver) const;
  /// The largest message of each step, exactly. O(processes of the quotient's messages) on whole periods, else
  /// O(messages).
  [[nodiscard]] std::vector<std::int64_t> durations() const;

 private:
  friend class RedistributionPlan;

  AxisPattern pattern_;
  std::shared_ptr<const detail::StepRule> rule_;
};

/// A redistribution's schedule, combined from the schedules of its dimensions: a message is a message in each of them,
/// and a tuple of their steps is a step, so NS = NS1 NS2 and TC = TC1 TC2; fewer where the busiest process is a sender
/// in one dimension and a receiver in another. Nothing of the size of the product is built unless asked for.
/// `exact`, and every plan of a problem with roles, a part or blocks of any sizes, plans the array as a whole instead.
///
/// Where the problem says which processes are in both grids (RedistributionProblem::with_roles), what they send
/// themselves is in no step, and neither in sends() nor receives().
class RedistributionPlan {
 public:
  /// For planners: combines a plan for each dimension of `problem`, which has neither a part nor roles. Here and below
  /// `setup` is from 0 to kLargestSetup, or InputError is thrown.
  RedistributionPlan(RedistributionProblem problem, std::string algorithm, std::vector<AxisPlan> axes, double setup);
  /// `transmission` is that of `rule`.
  RedistributionPlan(RedistributionProblem problem, std::string algorithm,
                     std::shared_ptr<const detail::ArrayRule> rule, std::int64_t transmission, double setup);

  /// What was planned.
  [[nodiscard]] const RedistributionProblem& problem() const { return problem_; }
  /// The algorithm that made it, never "auto".
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  /// The plans of the dimensions; none where the array is planned as a whole.
  [[nodiscard]] const std::vector<AxisPlan>& axes() const { return axes_; }
  /// NS: the number of steps, those without a message included.
  [[nodiscard]] std::int64_t steps() const;
  /// The messages of one process in the order of their steps, none of them empty: what it has to do, and in which
  /// order.
  [[nodiscard]] std::vector<PlannedMessage> sends(Rank sender) const;
  /// The messages to one process, in the order of their steps, none of them empty.
  [[nodiscard]] std::vector<PlannedMessage> receives(Rank receiver) const;
  /// transmission + setup * steps, in elements of the problem's array, tails included. Steps without any message count
  /// among the steps, as the paper counts the caterpillar's; no other planner makes any where the array holds a slice
  /// or more. Throws InputError where that would look at more than 10^8 messages, or 4 * 10^9 tuples of steps, one by
  /// one.
  [[nodiscard]] Cost cost() const;
  /// No schedule that sends messages whole costs less, each of the three values on its own: redistribution_bound, or
  /// what the planner proved beyond it.
  [[nodiscard]] Cost bound() const;
  /// Every step written out. `input` is copied into the schedule. Throws InputError for more than 2^28 steps,
  /// and for more than kMostListedMessages.
  [[nodiscard]] StepSchedule schedule(const RedistributionInput& input) const;

  /// The same plan with a bound that was proven for its problem and set-up.
  [[nodiscard]] RedistributionPlan with_bound(const Cost& bound) const;
  /// The same steps at another set-up cost, with the bound of redistribution_bound.
  [[nodiscard]] RedistributionPlan with_setup(double setup) const;

 private:
  [[nodiscard]] std::vector<PlannedMessage> messages(Rank process, bool sending) const;

  RedistributionProblem problem_;
  std::string algorithm_;
  std::vector<AxisPlan> axes_;
  double setup_;
  std::optional<Cost> bound_;
  std::shared_ptr<const detail::CombinedSteps> combined_;  ///< or else
  std::shared_ptr<const detail::ArrayRule> whole_;
  std::int64_t whole_transmission_ = 0;
};

/// The effort of `exact` and `auto` unless told: some 0.2 s of one core at most, a few milliseconds nearly always.
inline constexpr std::int64_t kDefaultEffort = 10'000;
/// `multiple` times the default effort, as the command, Python and C count: N times the effort of 1 is N times the
/// work. Throws InputError naming `where` unless it is at least 0 and no more than 2^50 units of work.
[[nodiscard]] std::int64_t multiple_of_default_effort(double multiple, const std::string& where);
/// So much effort takes about as long as an effort of 1 of the planners of exchange: a second of one core.
inline constexpr std::int64_t kEffortOfASecond = 50'000;
/// The effort of exchange (ExchangeOptions::effort, above 0) that takes about as long as `effort` here.
[[nodiscard]] constexpr double exchange_effort(std::int64_t effort) {
  return static_cast<double>(effort < 1 ? 1 : effort) / static_cast<double>(kEffortOfASecond);
}

/// Plans `problem` by a named algorithm ("exact", "classes", "stepwise", "greedy", "coloring", "caterpillar") or
/// "auto".
///
/// `setup` is the set-up cost of a step in elements; "exact" and "auto" make transmission + setup * steps as low as
/// they can. "auto" takes the cheapest of the other algorithms, as far as it can afford them; if that does not meet
/// redistribution_bound, it searches on as "exact" does. `effort` is the most work of that search: pivots of the
/// simplex method, counted, never timed (0: none); `stop` ends it before. Deterministic, without `stop`: every process
/// that plans the same problem with the same library gets the same plan, without communication. Throws InputError for
/// an unknown algorithm, and for one that does not apply, saying why; for a problem with roles of more than 2^24
/// messages, or 2^20 where a named algorithm takes matchings out of them; for blocks of any sizes, which "classes" and
/// "caterpillar" do not apply to, with more than 2^20 messages.
[[nodiscard]] RedistributionPlan plan_redistribution(const RedistributionProblem& problem,
                                                     const std::string& algorithm = "auto", double setup = 1,
                                                     std::int64_t effort = kDefaultEffort,
                                                     const StopRequest& stop = {});

/// Whether this library was built with CBC. Without it "exact" and "auto" search on their own, which is enough for
/// grids of up to about 10 x 10 processes; a unit of effort is then a hundred placings of messages.
[[nodiscard]] bool exact_uses_cbc();

/// A lower bound on what schedules of `problem` that send messages whole cost, from the messages of each process alone;
/// those to itself not counted where the problem has roles (InputError for more than 2^24 messages then).
[[nodiscard]] Cost redistribution_bound(const RedistributionProblem& problem, double setup = 1);

/// A schedule of the front: the lowest TC known for its number of steps, lower than with fewer steps.
struct FrontPoint {
  RedistributionPlan plan;  ///< with its NS and TC
  /// No schedule of as many steps, or fewer, has a lower TC. Proven to be on the front if it is that of the plan.
  std::int64_t transmission_at_least = 0;
};

/// Schedules of which each has more steps and a lower TC than the one before.
struct RedistributionFront {
  std::vector<FrontPoint> points;  ///< by rising NS
  Cost bound;                      ///< steps and transmission alone, for any schedule
  bool complete = false;           ///< whether every point is proven, and that there is none beside them
};

/// All that nothing beats in NS and TC at once, for `setup` in the costs of the plans alone. `effort` as above.
[[nodiscard]] RedistributionFront redistribution_front(const RedistributionProblem& problem, double setup = 1,
                                                       std::int64_t effort = kDefaultEffort,
                                                       const StopRequest& stop = {});

/// The two stages of Walker and Otto's strategy through blocks of lcm(r, s), each with its own steps.
struct WalkerOttoPlan {
  RedistributionPlan first;   ///< from the source layout to blocks of lcm(r, s)
  RedistributionPlan second;  ///< from these to the target layout
};

/// A comparison for the direct schedules: every element moves twice. Throws InputError when lcm(r, s) is beyond int64,
/// and for a problem with roles, with a part, or with blocks of any sizes.
[[nodiscard]] WalkerOttoPlan plan_walker_otto(const RedistributionProblem& problem, double setup = 1);

}  // namespace sluice
