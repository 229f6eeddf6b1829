#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sluice/input/axis_pattern.hpp"

namespace sluice::detail {

/// How the steps of one dimension fall into groups of `group` consecutive steps. In each group every process of one
/// side has at most one message. 1: no grouping; a step is its own group, and both sides have at most one message
/// anyway.
struct Fold {
  std::int64_t group = 1;
  bool single_receivers = true;  ///< the receivers have at most one message a group; otherwise the senders

  friend bool operator==(const Fold&, const Fold&) = default;
};

/// The step of each message of one dimension. Every planner of `redistribute` makes one.
///
/// Senders and receivers are numbered relative to the process with the first block, as in CommunicationGrid.
class StepRule {
 public:
  StepRule() = default;
  StepRule(const StepRule&) = delete;
  StepRule& operator=(const StepRule&) = delete;
  virtual ~StepRule() = default;

  /// Steps are 0 .. steps() - 1.
  [[nodiscard]] virtual std::int64_t steps() const = 0;
  /// See combined_steps.hpp for what it is good for.
  [[nodiscard]] virtual Fold fold() const { return {}; }
  /// @pre the pair exchanges a message.
  [[nodiscard]] virtual std::int64_t step_of(std::int64_t sender, std::int64_t receiver) const = 0;
  /// The largest message of each step. Asks every process for its messages; a rule that knows better overrides it.
  [[nodiscard]] virtual std::vector<std::int64_t> durations(const AxisPattern& pattern) const;
};

/// The planners of one dimension. Each throws InputError if it does not apply.
std::shared_ptr<const StepRule> plan_classes(const AxisPattern& pattern);
std::shared_ptr<const StepRule> plan_stepwise(const AxisPattern& pattern);
/// For arrays of several dimensions, see stepwise.cpp; null when the busiest sender and the busiest receiver have
/// equally many messages, so that there is nothing to fold.
std::shared_ptr<const StepRule> plan_stepwise_folded(const AxisPattern& pattern);
std::shared_ptr<const StepRule> plan_greedy(const AxisPattern& pattern);
std::shared_ptr<const StepRule> plan_coloring(const AxisPattern& pattern);
std::shared_ptr<const StepRule> plan_caterpillar(const AxisPattern& pattern);

/// How much work peeling matchings off the messages of `pattern` is: edges of their graph times steps; infinite if the
/// graph does not fit. On a core of the 2020s 10^8 take a second or less.
double peeling_work(const AxisPattern& pattern);
/// The most peeling_work that `auto` does.
inline constexpr double kMostPeelingWork = 1e8;

/// The grid of the paper, blocks as the user wrote them.
inline CommunicationGrid paper_grid(const AxisPattern& pattern) {
  return {pattern.from(), pattern.to(), pattern.from_start(), pattern.to_start()};
}

/// How many slices of lcm(P r, Q s) elements the sub-array is made of, or 0 if it is not a whole number of them.
std::int64_t whole_slices(const AxisPattern& pattern);

}  // namespace sluice::detail
