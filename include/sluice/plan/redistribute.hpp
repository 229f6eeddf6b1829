#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sluice/index.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice {

/// A message of one process in one dimension, with the step it belongs to.
struct PlannedAxisMessage {
  std::int64_t step = 0;
  Coordinate peer;
  std::int64_t count = 0;

  friend bool operator==(const PlannedAxisMessage&, const PlannedAxisMessage&) = default;
};

/// A message of one process, with the step it belongs to; `peer` is a process of the other side's grid.
struct PlannedMessage {
  std::int64_t step = 0;
  Rank peer;
  std::int64_t count = 0;

  friend bool operator==(const PlannedMessage&, const PlannedMessage&) = default;
};

namespace detail {
class CombinedSteps;
class StepRule;
}  // namespace detail

/// The steps of one dimension: every pair that exchanges a message has one step, and no process has two messages in
/// one. The plan holds a rule, not a table of pairs; a process asks for its own messages alone, in time and memory
/// proportional to them.
class AxisPlan {
 public:
  AxisPlan(AxisPattern pattern, std::shared_ptr<const detail::StepRule> rule);

  [[nodiscard]] const AxisPattern& pattern() const { return pattern_; }
  /// NS: steps are 0 .. steps - 1. On an array shorter than a period some of them may be empty of messages.
  [[nodiscard]] std::int64_t steps() const;
  /// The step of a pair that exchanges a message.
  [[nodiscard]] std::int64_t step_of(Coordinate sender, Coordinate receiver) const;
  /// The messages of one process, in the order of their steps, none of them empty.
  [[nodiscard]] std::vector<PlannedAxisMessage> sends(Coordinate sender) const;
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
class RedistributionPlan {
 public:
  RedistributionPlan(RedistributionProblem problem, std::string algorithm, std::vector<AxisPlan> axes, double setup);

  [[nodiscard]] const RedistributionProblem& problem() const { return problem_; }
  /// The algorithm that made it, never "auto".
  [[nodiscard]] const std::string& algorithm() const { return algorithm_; }
  [[nodiscard]] const std::vector<AxisPlan>& axes() const { return axes_; }
  [[nodiscard]] std::int64_t steps() const;
  /// The messages of one process in the order of their steps, none of them empty: what it has to do, and in which
  /// order.
  [[nodiscard]] std::vector<PlannedMessage> sends(Rank sender) const;
  [[nodiscard]] std::vector<PlannedMessage> receives(Rank receiver) const;
  /// transmission + setup * steps, in elements of the problem's array. Steps without any message count among the steps,
  /// as the paper counts the caterpillar's; no other planner makes any where the array holds a slice or more.
  [[nodiscard]] Cost cost() const;
  /// No schedule that sends messages whole costs less.
  [[nodiscard]] Cost bound() const;
  /// Every step written out. `input` is copied into the schedule. Throws InputError for more than 2^28 steps.
  [[nodiscard]] StepSchedule schedule(const RedistributionInput& input) const;

 private:
  RedistributionProblem problem_;
  std::string algorithm_;
  std::vector<AxisPlan> axes_;
  double setup_;
  std::shared_ptr<const detail::CombinedSteps> combined_;
};

/// Plans `problem` by a named algorithm ("classes", "stepwise", "greedy", "caterpillar") or "auto", the cheapest of
/// them.
///
/// `setup` is the price of a step in elements; it decides for "auto" only. Deterministic: every process that plans the
/// same problem gets the same plan, without communication.
/// Throws InputError for an unknown algorithm, and for one that does not apply, saying why.
[[nodiscard]] RedistributionPlan plan_redistribution(const RedistributionProblem& problem,
                                                     const std::string& algorithm = "auto", double setup = 1);

/// What no schedule of `problem` that sends messages whole costs less than; the bound() of every plan of it.
[[nodiscard]] Cost redistribution_bound(const RedistributionProblem& problem, double setup = 1);

/// The two stages of Walker and Otto's strategy through blocks of lcm(r, s), each with its own steps.
struct WalkerOttoPlan {
  RedistributionPlan first;
  RedistributionPlan second;
};

/// A comparison for the direct schedules: every element moves twice. Throws InputError when lcm(r, s) is beyond int64.
[[nodiscard]] WalkerOttoPlan plan_walker_otto(const RedistributionProblem& problem, double setup = 1);

}  // namespace sluice
