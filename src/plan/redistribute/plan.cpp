#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "plan/redistribute/bound.hpp"
#include "plan/redistribute/combined_steps.hpp"
#include "plan/step_rule.hpp"
#include "sluice/checked.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice {

using detail::CombinedSteps;
using detail::StepRule;

// ---------------------------------------------------------------------------------------------------------------------
// One dimension

AxisPlan::AxisPlan(AxisPattern pattern, std::shared_ptr<const StepRule> rule)
    : pattern_(std::move(pattern)), rule_(std::move(rule)) {}

std::int64_t AxisPlan::steps() const { return rule_->steps(); }

std::int64_t AxisPlan::step_of(Coordinate sender, Coordinate receiver) const {
  return rule_->step_of(pattern_.from().relative(sender), pattern_.to().relative(receiver));
}

std::vector<PlannedAxisMessage> AxisPlan::sends(Coordinate sender) const {
  std::vector<PlannedAxisMessage> result;
  for (const AxisMessage& message : pattern_.sends(sender)) {
    result.push_back({step_of(sender, message.peer), message.peer, message.count});
  }
  std::ranges::sort(result, {}, &PlannedAxisMessage::step);
  return result;
}

std::vector<PlannedAxisMessage> AxisPlan::receives(Coordinate receiver) const {
  std::vector<PlannedAxisMessage> result;
  for (const AxisMessage& message : pattern_.receives(receiver)) {
    result.push_back({step_of(message.peer, receiver), message.peer, message.count});
  }
  std::ranges::sort(result, {}, &PlannedAxisMessage::step);
  return result;
}

std::vector<std::int64_t> AxisPlan::durations() const { return rule_->durations(pattern_); }

// ---------------------------------------------------------------------------------------------------------------------
// The product of dimensions

namespace {

/// The messages of one process, in the order of their steps: the product of its messages in each dimension.
std::vector<PlannedMessage> product(std::span<const AxisPlan> axes, const CombinedSteps& steps,
                                    std::span<const Coordinate> at,
                                    std::vector<PlannedAxisMessage> (AxisPlan::*messages_of)(Coordinate) const,
                                    const Distribution& peers) {
  std::vector<std::vector<PlannedAxisMessage>> lists;
  std::size_t size = 1;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    lists.push_back((axes[d].*messages_of)(at[d]));
    size *= lists.back().size();
  }
  std::vector<PlannedMessage> result;
  result.reserve(size);
  std::vector<std::size_t> chosen(axes.size(), 0);
  std::vector<std::int64_t> axis_steps(axes.size());
  for (std::size_t i = 0; i < size; ++i) {
    PlannedMessage message{0, Rank(0), 1};
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const PlannedAxisMessage& part = lists[d][chosen[d]];
      message.peer.value = message.peer.value * peers.axis(d).processes + part.peer.value;
      message.count *= part.count;
      axis_steps[d] = part.step;
    }
    message.step = steps.step_of(axis_steps);
    result.push_back(message);
    for (std::size_t d = axes.size(); d-- > 0 && ++chosen[d] == lists[d].size();) chosen[d] = 0;
  }
  std::ranges::sort(result, {}, &PlannedMessage::step);
  return result;
}

}  // namespace

RedistributionPlan::RedistributionPlan(RedistributionProblem problem, std::string algorithm, std::vector<AxisPlan> axes,
                                       double setup)
    : problem_(std::move(problem)), algorithm_(std::move(algorithm)), axes_(std::move(axes)), setup_(setup) {
  std::vector<CombinedSteps::AxisSteps> steps;
  for (const AxisPlan& axis : axes_) steps.push_back({axis.steps(), axis.rule_->fold()});
  combined_ = std::make_shared<const CombinedSteps>(std::move(steps));
}

std::int64_t RedistributionPlan::steps() const { return combined_->steps(); }

std::vector<PlannedMessage> RedistributionPlan::sends(Rank sender) const {
  return product(axes_, *combined_, problem_.from().coordinates(sender), &AxisPlan::sends, problem_.to());
}

std::vector<PlannedMessage> RedistributionPlan::receives(Rank receiver) const {
  return product(axes_, *combined_, problem_.to().coordinates(receiver), &AxisPlan::receives, problem_.from());
}

Cost RedistributionPlan::cost() const {
  std::vector<std::vector<std::int64_t>> durations;
  for (const AxisPlan& axis : axes_) durations.push_back(axis.durations());
  Cost cost{steps(), combined_->transmission(durations), 0};
  cost.total = static_cast<double>(cost.transmission) + setup_ * static_cast<double>(cost.steps);
  return cost;
}

Cost RedistributionPlan::bound() const { return redistribution_bound(problem_, setup_); }

Cost redistribution_bound(const RedistributionProblem& problem, double setup) {
  return detail::whole_message_bound(problem.axes(), setup);
}

StepSchedule RedistributionPlan::schedule(const RedistributionInput& input) const {
  constexpr std::int64_t kMaximumSteps = std::int64_t{1} << 28;
  if (steps() > kMaximumSteps) {
    throw InputError("plan", fmt::format("{} steps to write out", steps()), fmt::format("at most {}", kMaximumSteps));
  }
  StepSchedule result;
  result.problem = "redistribute";
  result.algorithm = algorithm_;
  result.senders = problem_.from().processes();
  result.receivers = problem_.to().processes();
  result.max_transfers = std::min(result.senders, result.receivers);
  result.setup = setup_;
  result.bound = bound();
  result.input = input;
  result.steps.resize(static_cast<std::size_t>(steps()));
  for (std::int64_t p = 0; p < result.senders; ++p) {
    for (const PlannedMessage& message : sends(Rank(p))) {
      Step& step = result.steps[static_cast<std::size_t>(message.step)];
      step.transfers.push_back({p, message.peer.value, 0, message.count});
      step.duration = std::max(step.duration, message.count);
    }
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Choosing

namespace {

using Planner = std::shared_ptr<const StepRule> (*)(const AxisPattern&);

Planner planner(const std::string& algorithm) {
  if (algorithm == "classes") return detail::plan_classes;
  if (algorithm == "stepwise") return detail::plan_stepwise;
  if (algorithm == "greedy") return detail::plan_greedy;
  if (algorithm == "coloring") return detail::plan_coloring;
  if (algorithm == "caterpillar") return detail::plan_caterpillar;
  std::string known;
  for (const Algorithm& entry : algorithms("redistribute")) known += fmt::format("{}, ", entry.name);
  throw InputError("--algorithm", fmt::format("'{}'", algorithm), known + "or auto");
}

/// One schedule of one dimension to choose from.
struct Candidate {
  std::string algorithm;
  std::shared_ptr<const StepRule> rule;
};

class Candidates {
 public:
  explicit Candidates(const AxisPattern& pattern)
      : pattern_(pattern),
        compared_(pattern.from(), pattern.to(), pattern.from_start(), pattern.to_start(),
                  pattern.extent() -
                      pattern.extent() % std::min(pattern.slice(), std::max<std::int64_t>(1, pattern.extent()))) {}

  void add(const std::string& algorithm, Planner plan) {
    std::shared_ptr<const StepRule> rule = plan(pattern_);
    if (rule != nullptr) choices_.push_back({algorithm, std::move(rule)});
  }
  /// As add, but an algorithm that does not apply is one candidate less.
  void try_to_add(const std::string& algorithm, Planner plan) {
    try {
      add(algorithm, plan);
    } catch (const InputError&) {
      return;
    }
  }
  [[nodiscard]] const std::vector<Candidate>& choices() const { return choices_; }
  /// The durations of every choice on whole slices, where they come from the quotient alone.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> durations() const {
    std::vector<std::vector<std::int64_t>> result;
    for (const Candidate& candidate : choices_) result.push_back(candidate.rule->durations(compared_));
    return result;
  }

 private:
  AxisPattern pattern_;
  AxisPattern compared_;
  std::vector<Candidate> choices_;
};

/// The candidates of `auto` in one dimension. Where `classes` applies and the array holds a slice nothing is better in
/// that dimension. Peeling is left out where it would take longer than about a second, and all graphs where they do not
/// fit: the same on every process, as no clock is asked.
void add_whatever_fits(Candidates& candidates, const AxisPattern& pattern, bool one_of_several) {
  constexpr double kMostPeelingWork = 1e8;
  candidates.try_to_add("classes", detail::plan_classes);
  const bool optimal = !candidates.choices().empty() && pattern.extent() >= pattern.slice();
  if (optimal && !one_of_several) return;
  const bool peels = detail::peeling_work(pattern) <= kMostPeelingWork;
  if (peels && one_of_several) candidates.add("stepwise", detail::plan_stepwise_folded);
  if (optimal) return;
  if (peels) {
    candidates.add("stepwise", detail::plan_stepwise);
    candidates.add("greedy", detail::plan_greedy);
  }
  candidates.try_to_add("coloring", detail::plan_coloring);
  if (candidates.choices().empty()) candidates.add("caterpillar", detail::plan_caterpillar);
}

/// The choice of one candidate a dimension whose combination costs least: transmission + setup * steps, or steps before
/// transmission where `fewest_steps`.
std::vector<std::size_t> cheapest(const std::vector<Candidates>& axes, double setup, bool fewest_steps) {
  std::vector<std::size_t> current(axes.size(), 0), best;
  if (std::ranges::all_of(axes, [](const Candidates& candidates) { return candidates.choices().size() == 1; })) {
    return current;
  }
  std::vector<std::vector<std::vector<std::int64_t>>> durations_of_choices;
  for (const Candidates& candidates : axes) durations_of_choices.push_back(candidates.durations());
  std::pair<double, double> best_price;
  while (true) {
    std::vector<CombinedSteps::AxisSteps> steps;
    std::vector<std::vector<std::int64_t>> durations;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const Candidate& candidate = axes[d].choices()[current[d]];
      steps.push_back({candidate.rule->steps(), candidate.rule->fold()});
      durations.push_back(durations_of_choices[d][current[d]]);
    }
    const CombinedSteps combined(std::move(steps));
    const auto number = static_cast<double>(combined.steps());
    const auto transmission = static_cast<double>(combined.transmission(durations));
    const std::pair<double, double> price =
        fewest_steps ? std::pair(number, transmission) : std::pair(transmission + setup * number, number);
    if (best.empty() || price < best_price) best = current, best_price = price;
    std::size_t d = 0;
    while (d < axes.size() && ++current[d] == axes[d].choices().size()) current[d++] = 0;
    if (d == axes.size()) return best;
  }
}

}  // namespace

RedistributionPlan plan_redistribution(const RedistributionProblem& problem, const std::string& algorithm,
                                       double setup) {
  std::vector<Candidates> axes;
  for (const AxisPattern& pattern : problem.axes()) {
    Candidates& candidates = axes.emplace_back(pattern);
    const bool one_of_several = problem.dimensions() > 1;
    if (algorithm == "auto") {
      add_whatever_fits(candidates, pattern, one_of_several);
    } else {
      candidates.add(algorithm, planner(algorithm));
      if (algorithm == "stepwise" && one_of_several) candidates.add(algorithm, detail::plan_stepwise_folded);
    }
  }
  const std::vector<std::size_t> best = cheapest(axes, setup, algorithm == "stepwise");
  std::vector<AxisPlan> plans;
  std::vector<std::string> names;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Candidate& candidate = axes[d].choices()[best[d]];
    plans.emplace_back(problem.axis(d), candidate.rule);
    names.push_back(candidate.algorithm);
  }
  // Dimensions planned alike have one name, others are listed: "classes+stepwise".
  const bool alike = std::ranges::all_of(names, [&](const std::string& name) { return name == names.front(); });
  return {problem, alike ? names.front() : fmt::format("{}", fmt::join(names, "+")), std::move(plans), setup};
}

}  // namespace sluice
