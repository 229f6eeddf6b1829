#include "plan/redistribute/exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/redistribute/between_processes.hpp"
#include "plan/redistribute/class_steps.hpp"
#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice::detail {

namespace {

constexpr double kMostExactMessages = 1 << 20;  // of the classes that are examined, or to price a schedule by
constexpr std::int64_t kMostLengths = std::int64_t{1} << 52;  // whole numbers of a double

/// Calls visit(sender, receiver, count) for every message, processes by their coordinates from the first block on.
template <class Visit>
void for_each_message(const RedistributionProblem& problem, Visit&& visit) {
  const std::size_t dimensions = problem.dimensions();
  // The messages of each dimension, as (sender, receiver, count).
  struct One {
    std::int64_t sender, receiver, count;
  };
  std::vector<std::vector<One>> axes;
  for (const AxisPattern& pattern : problem.axes()) {
    std::vector<One>& all = axes.emplace_back();
    for (std::int64_t p = 0; p < pattern.from().processes; ++p) {
      for (const AxisMessage& message : pattern.sends(pattern.from().absolute(p)))
        all.push_back({p, pattern.to().relative(message.peer), message.count});
    }
    if (all.empty()) return;
  }
  std::vector<std::size_t> at(dimensions, 0);
  std::vector<std::int64_t> sender(dimensions), receiver(dimensions);
  while (true) {
    std::int64_t count = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      const One& one = axes[d][at[d]];
      sender[d] = one.sender;
      receiver[d] = one.receiver;
      count *= one.count;
    }
    visit(sender, receiver, count);
    std::size_t d = 0;
    while (d < dimensions && ++at[d] == axes[d].size()) at[d++] = 0;
    if (d == dimensions) return;
  }
}

std::vector<std::int64_t> divisors(std::int64_t number) {
  std::vector<std::int64_t> result;
  for (std::int64_t each = 1; each <= number / each; ++each) {
    if (number % each != 0) continue;
    result.push_back(each);
    if (each != number / each) result.push_back(number / each);
  }
  std::ranges::sort(result);
  return result;
}

}  // namespace

std::int64_t ArrayRule::transmission(const RedistributionProblem& problem) const {
  std::vector<std::int64_t> durations(static_cast<std::size_t>(steps()), 0);
  for_each_message(problem, [&](const auto& sender, const auto& receiver, std::int64_t count) {
    std::int64_t& duration = durations[static_cast<std::size_t>(step_of(sender, receiver))];
    duration = std::max(duration, count);
  });
  std::int64_t sum = 0;
  for (const std::int64_t duration : durations) sum += duration;  // at most the number of elements
  return sum;
}

ExactSearch::ExactSearch(const RedistributionProblem& problem, std::int64_t effort, StopRequest stop)
    : problem_(problem), effort_(effort, std::move(stop)) {
  // Everything may stay where it is if the array is redistributed among roles.
  if (problem.size() == 0 || problem.size() > kMostLengths || redistribution_bound(problem, 0).steps == 0) return;
  const double messages = most_messages(problem);
  if (!problem.is_by_dimension()) {
    if (messages <= kMostExactMessages)
      levels_.push_back({std::vector<std::int64_t>(problem.dimensions(), 0), /*true_lengths=*/true, /*finest=*/true});
    return;
  }
  // Dimensions that are whole slices by their quotient, the others by their messages; then these by their slices too.
  std::vector<std::vector<std::int64_t>> exactly, by_slices;
  bool slices_differ = false, all_have_slices = true;
  for (const AxisPattern& pattern : problem.axes()) {
    const std::vector<std::int64_t> lifts = divisors(paper_grid(pattern).lift());
    const bool whole = whole_slices(pattern) > 0;
    exactly.push_back(whole ? lifts : std::vector<std::int64_t>{0});
    by_slices.push_back(lifts);
    slices_differ = slices_differ || !whole;
    all_have_slices = all_have_slices && pattern.extent() >= pattern.slice();
  }
  if (slices_differ && all_have_slices && messages <= kMostExactMessages) {
    for (std::vector<std::int64_t>& choice : by_slices) choice.resize(1);
    add_levels(by_slices, /*true_lengths=*/false);
  }
  add_levels(exactly, /*true_lengths=*/true);
}

ExactSearch::ExactSearch(MessageClasses messages, std::int64_t effort, StopRequest stop)
    : effort_(effort, std::move(stop)) {
  SLUICE_ASSERT(messages.copies() == 1, fmt::format("{} messages in a class", messages.copies()));
  double size = 0;
  for (const MessageClass& each : messages.classes) size += static_cast<double>(each.length);
  if (size == 0 || size > static_cast<double>(kMostLengths) ||
      static_cast<double>(messages.classes.size()) > kMostExactMessages)
    return;
  levels_.push_back({{}, /*true_lengths=*/true, /*finest=*/true});
  between_ = std::make_shared<const ArrayClasses>(std::move(messages));
}

void ExactSearch::add_levels(const std::vector<std::vector<std::int64_t>>& choices, bool true_lengths) {
  struct Sized {
    double size;
    Level level;
  };
  std::vector<Sized> sized;
  std::vector<std::size_t> at(choices.size(), 0);
  for (std::size_t d = 0; d < choices.size();) {
    Sized each{1, {{}, true_lengths, true_lengths}};
    for (std::size_t i = 0; i < choices.size(); ++i) {
      each.size *= most_messages_of(problem_->axis(i), choices[i][at[i]]);
      each.level.fineness.push_back(choices[i][at[i]]);
      each.level.finest = each.level.finest && at[i] + 1 == choices[i].size();
    }
    if (each.size <= kMostExactMessages) sized.push_back(std::move(each));
    d = 0;
    while (d < choices.size() && ++at[d] == choices[d].size()) at[d++] = 0;
  }
  std::ranges::stable_sort(sized, {}, &Sized::size);
  for (Sized& each : sized) levels_.push_back(std::move(each.level));
}

std::shared_ptr<const ArrayClasses> ExactSearch::classes_of(const Level& level) {
  if (!problem_ || !problem_->is_by_dimension()) {
    if (!between_) between_ = std::make_shared<const ArrayClasses>(classes_between(*problem_));
    return between_;
  }
  std::vector<AxisClasses> axes;
  for (std::size_t d = 0; d < level.fineness.size(); ++d) {
    if (level.fineness[d] == 0) {
      axes.emplace_back(problem_->axis(d));
    } else {
      axes.emplace_back(problem_->axis(d), level.fineness[d]);
    }
  }
  return std::make_shared<const ArrayClasses>(std::move(axes));
}

std::int64_t ExactSearch::at_least() {
  if (asked_) return at_least_;
  asked_ = true;
  at_least_ = problem_ ? redistribution_bound(*problem_, 0).transmission : bound_of(between_->messages()).transmission;
  at_least_ = std::max(at_least_, bound_of_level(levels_.front(), {ProgramLimits::kAnyNumber, at_least_}));
  return at_least_;
}

std::int64_t ExactSearch::bound_of_level(const Level& level, const ProgramLimits& limits) {
  const std::int64_t share = effort_.left() / 4;
  Effort part = effort_.part(share);
  // Without the tail both limits have another meaning.
  const ProgramLimits those_of_slices{limits.most_steps, 0, ProgramLimits::kAnyNumber};
  const std::int64_t bound =
      transmission_bound(classes_of(level)->messages(), level.true_lengths ? limits : those_of_slices, part);
  effort_.take(share - part.left());
  return bound;
}

LeastTransmission ExactSearch::solve(std::int64_t most_steps, std::int64_t below) {
  LeastTransmission best{nullptr, below, std::min(below, at_least())};
  // While no schedule is found, `transmission` is the limit, and what is proven beyond it does not matter: no schedule
  // lies within. A schedule that was found has this number of steps, so no bound exceeds it.
  const auto raise = [&](std::int64_t bound) {
    SLUICE_ASSERT(!best.rule || bound <= best.transmission,
                  fmt::format("bound {} above a schedule of {}", bound, best.transmission));
    best.at_least = std::min(best.transmission, std::max(best.at_least, bound));
  };
  const auto settled = [&] { return best.at_least == best.transmission; };
  bool bounded = false;
  for (const Level& level : levels_) {
    if (settled() || effort_.left() == 0) break;
    // Finer classes with the same lengths have the same bound.
    if (!bounded) raise(bound_of_level(level, {most_steps, best.at_least, best.transmission}));
    bounded = level.true_lengths;
    if (settled()) break;
    const std::shared_ptr<const ArrayClasses> classes = classes_of(level);
    const ProgramLimits limits = level.true_lengths ? ProgramLimits{most_steps, best.at_least, best.transmission}
                                                    : ProgramLimits{most_steps, 0, ProgramLimits::kAnyNumber};
    const ProgramOutcome outcome = least_transmission(classes->messages(), limits, effort_);
    if (outcome.assignment) {
      EdgeSteps steps = steps_of(classes->messages(), *outcome.assignment);
      auto rule = std::make_shared<const ArrayRule>(classes, std::move(steps));
      const std::int64_t transmission =
          level.true_lengths ? outcome.assignment->transmission() : rule->transmission(*problem_);
      if (transmission < best.transmission) {
        best.transmission = transmission;
        best.rule = std::move(rule);
      }
    }
    if (level.finest) raise(outcome.at_least);
  }
  return best;
}

}  // namespace sluice::detail
