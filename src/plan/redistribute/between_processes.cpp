#include "plan/redistribute/between_processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "plan/redistribute/named_steps.hpp"
#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr double kMostListed = 1 << 24;

/// The coordinates of a process from those with the first blocks on.
std::vector<std::int64_t> relative_coordinates(const Distribution& grid, Rank process) {
  std::vector<std::int64_t> result;
  const std::vector<Coordinate> at = grid.coordinates(process);
  for (std::size_t d = 0; d < at.size(); ++d) result.push_back(grid.axis(d).relative(at[d]));
  return result;
}

/// The processes in row-major order of relative_coordinates.
std::vector<Rank> by_relative_number(const Distribution& grid) {
  std::vector<Rank> result(static_cast<std::size_t>(grid.processes()), Rank(0));
  for (std::int64_t p = 0; p < grid.processes(); ++p) {
    std::int64_t number = 0;
    const std::vector<std::int64_t> at = relative_coordinates(grid, Rank(p));
    for (std::size_t d = 0; d < at.size(); ++d) number = number * grid.axis(d).processes + at[d];
    result[static_cast<std::size_t>(number)] = Rank(p);
  }
  return result;
}

}  // namespace

ArrayClasses classes_between(const RedistributionProblem& problem) {
  const double most = most_messages(problem);
  const auto processes = static_cast<double>(problem.from().processes() + problem.to().processes());
  if (most > kMostListed || processes > kMostListed) {
    const std::string found = fmt::format("up to {:.3g} messages among {:.3g} processes", most, processes);
    if (problem.is_irregular()) throw InputError("cuts", found, "at most 2^24 of each, to plan them one by one");
    throw InputError(problem.has_part() ? "part" : "roles", found,
                     "at most 2^24 of each, to know which of them are copies, or in a part; or all elements, and "
                     "processes that are all apart");
  }
  std::vector<AxisClasses> axes;
  for (const AxisPattern& pattern : problem.axes()) axes.emplace_back(pattern);
  const std::vector<Rank> senders = by_relative_number(problem.from());
  const std::vector<Rank> receivers = by_relative_number(problem.to());
  return {std::move(axes), [&](std::int32_t left, std::int32_t right, std::int64_t length) {
            const Rank sender = senders[static_cast<std::size_t>(left)];
            const Rank receiver = receivers[static_cast<std::size_t>(right)];
            if (problem.is_copy(sender, receiver)) return std::int64_t{0};
            return problem.has_part() ? problem.count(sender, receiver) : length;
          }};
}

double messages_at_once(const RedistributionProblem& problem) {
  double messages = 1;
  for (const AxisPattern& pattern : problem.axes())
    messages *= most_messages_of(pattern, whole_slices(pattern) > 0 ? 1 : 0);
  return messages;
}

PlansBetween::PlansBetween(const RedistributionProblem& problem, const std::string& algorithm, double most_peeling)
    : problem_(problem),
      classes_(std::make_shared<const ArrayClasses>(classes_between(problem))),
      messages_(classes_->messages()) {
  const auto count = static_cast<std::int64_t>(messages_.classes.size());
  if (count <= kMostPlannedAsGraph) {
    add(algorithm, most_peeling);
  } else if (plans_graph(algorithm)) {
    throw InputError(algorithm, fmt::format("{} between processes", count_text(count, "message")),
                     fmt::format("at most {}; auto, and classes where it applies, take more", kMostPlannedAsGraph));
  }
}

PlansBetween::PlansBetween(const RedistributionProblem& problem, double most_peeling) : problem_(problem) {
  std::vector<AxisClasses> axes;
  for (const AxisPattern& pattern : problem.axes()) {
    if (whole_slices(pattern) > 0) {
      axes.emplace_back(pattern, 1);
    } else {
      axes.emplace_back(pattern);
    }
  }
  classes_ = std::make_shared<const ArrayClasses>(std::move(axes));
  messages_ = told_apart(classes_->messages());
  add("auto", most_peeling);
  // The name tells these schedules from what algorithms of the same name make dimension by dimension.
  for (Choice& each : peeled_) each.algorithm += " of messages";
}

void PlansBetween::add(const std::string& algorithm, double most_peeling) {
  for (NamedSteps& each : named_steps(messages_, algorithm, most_peeling))
    peeled_.push_back(choice(std::move(each.algorithm), std::move(each.steps)));
}

PlansBetween::Choice PlansBetween::choice(std::string algorithm, EdgeSteps steps) const {
  const std::int64_t transmission = transmission_of(messages_, steps);
  return {std::move(algorithm), std::make_shared<const ArrayRule>(classes_, std::move(steps)), transmission};
}

PlansBetween::Choice PlansBetween::left(const RedistributionPlan& of_all) const {
  std::vector<std::int64_t> step_of_edge(messages_.classes.size(), -1);
  for (std::int64_t p = 0; p < problem_.from().processes(); ++p) {
    const std::vector<std::int64_t> sender = relative_coordinates(problem_.from(), Rank(p));
    for (const PlannedMessage& message : of_all.sends(Rank(p))) {
      if (problem_.is_copy(Rank(p), message.peer)) continue;
      if (problem_.has_part() && problem_.count(Rank(p), message.peer) == 0) continue;
      const std::int64_t edge = classes_->edge_of(sender, relative_coordinates(problem_.to(), message.peer));
      step_of_edge[static_cast<std::size_t>(edge)] = message.step;
    }
  }
  std::vector<std::int64_t> used = step_of_edge;
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  EdgeSteps steps;
  steps.steps = static_cast<std::int64_t>(used.size());
  for (const std::int64_t step : step_of_edge)
    steps.step_of_edge.push_back(static_cast<std::int32_t>(std::ranges::lower_bound(used, step) - used.begin()));
  return choice(of_all.algorithm(), std::move(steps));
}

RedistributionPlan PlansBetween::cheapest(const std::optional<RedistributionPlan>& of_all, double setup,
                                          bool fewest_steps, const std::string& name) const {
  std::vector<Choice> choices;
  if (of_all) choices.push_back(left(*of_all));
  choices.insert(choices.end(), peeled_.begin(), peeled_.end());
  if (choices.empty())
    throw InputError("cuts", count_text(messages_.classes.size(), "message"),
                     fmt::format("at most {}", kMostPlannedAsGraph));
  const auto price = [&](const Choice& each) {
    const auto steps = static_cast<double>(each.rule->steps());
    const auto transmission = static_cast<double>(each.transmission);
    return fewest_steps ? std::pair(steps, transmission) : std::pair(transmission + setup * steps, steps);
  };
  const Choice& best =
      *std::ranges::min_element(choices, [&](const Choice& a, const Choice& b) { return price(a) < price(b); });
  return {problem_, name.empty() ? best.algorithm : name, best.rule, best.transmission, setup};
}

RedistributionPlan PlansBetween::left_of(const RedistributionPlan& of_all, double setup) const {
  const Choice found = left(of_all);
  return {problem_, found.algorithm, found.rule, found.transmission, setup};
}

}  // namespace sluice::detail
