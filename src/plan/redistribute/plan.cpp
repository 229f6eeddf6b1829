#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/redistribute/between_processes.hpp"
#include "plan/redistribute/bound.hpp"
#include "plan/redistribute/combined_steps.hpp"
#include "plan/redistribute/exact.hpp"
#include "plan/redistribute/written_out.hpp"
#include "plan/step_rule.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {

using detail::CombinedSteps;
using detail::StepRule;

namespace {

constexpr double kMostPricingWork = 4e9;  // some seconds

}  // namespace

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

/// Every combination of one entry of each list, the last list's entry changing fastest.
template <class Entry, class Visit>
void for_each_combination(const std::vector<std::vector<Entry>>& lists, Visit&& visit) {
  for (const std::vector<Entry>& list : lists)
    if (list.empty()) return;
  std::vector<std::size_t> chosen(lists.size(), 0);
  while (true) {
    visit(chosen);
    std::size_t d = lists.size();
    while (d > 0 && ++chosen[d - 1] == lists[d - 1].size()) chosen[--d] = 0;
    if (d == 0) return;
  }
}

}  // namespace

RedistributionPlan::RedistributionPlan(RedistributionProblem problem, std::string algorithm, std::vector<AxisPlan> axes,
                                       double setup)
    : problem_(std::move(problem)), algorithm_(std::move(algorithm)), axes_(std::move(axes)), setup_(setup) {
  check_setup(setup);
  SLUICE_ASSERT(problem_.is_by_dimension(), "a plan by dimensions, which knows no copies, no parts and no cuts");
  std::vector<CombinedSteps::AxisSteps> steps;
  for (const AxisPlan& axis : axes_) steps.push_back({axis.steps(), axis.rule_->fold()});
  combined_ = std::make_shared<const CombinedSteps>(std::move(steps));
}

RedistributionPlan::RedistributionPlan(RedistributionProblem problem, std::string algorithm,
                                       std::shared_ptr<const detail::ArrayRule> rule, std::int64_t transmission,
                                       double setup)
    : problem_(std::move(problem)),
      algorithm_(std::move(algorithm)),
      setup_(setup),
      whole_(std::move(rule)),
      whole_transmission_(transmission) {
  check_setup(setup);
}

RedistributionPlan RedistributionPlan::with_bound(const Cost& bound) const {
  RedistributionPlan result = *this;
  result.bound_ = bound;
  return result;
}

RedistributionPlan RedistributionPlan::with_setup(double setup) const {
  check_setup(setup);
  RedistributionPlan result = *this;
  result.setup_ = setup;
  result.bound_.reset();
  return result;
}

std::int64_t RedistributionPlan::steps() const { return whole_ ? whole_->steps() : combined_->steps(); }

std::vector<PlannedMessage> RedistributionPlan::messages(Rank process, bool sending) const {
  const Distribution& own = sending ? problem_.from() : problem_.to();
  const Distribution& peers = sending ? problem_.to() : problem_.from();
  const std::vector<Coordinate> at = own.coordinates(process);
  // For each dimension the peers and their steps; for a whole-array plan, the peers counted from the first block on.
  std::vector<std::vector<PlannedAxisMessage>> lists;
  std::vector<std::int64_t> here, there(problem_.dimensions());
  for (std::size_t d = 0; d < problem_.dimensions(); ++d) {
    if (!whole_) {
      lists.push_back(sending ? axes_[d].sends(at[d]) : axes_[d].receives(at[d]));
      continue;
    }
    const AxisPattern& pattern = problem_.axis(d);
    here.push_back((sending ? pattern.from() : pattern.to()).relative(at[d]));
    std::vector<PlannedAxisMessage>& list = lists.emplace_back();
    for (const AxisMessage& message : sending ? pattern.sends(at[d]) : pattern.receives(at[d]))
      list.push_back({(sending ? pattern.to() : pattern.from()).relative(message.peer), message.peer, message.count});
  }
  std::vector<PlannedMessage> result;
  for_each_combination(lists, [&](const std::vector<std::size_t>& chosen) {
    PlannedMessage message{0, Rank(0), 1};
    for (std::size_t d = 0; d < lists.size(); ++d) {
      const PlannedAxisMessage& part = lists[d][chosen[d]];
      message.peer.value += part.peer.value * peers.rank_step(d);
      message.count *= part.count;
      there[d] = part.step;
    }
    if (sending ? problem_.is_copy(process, message.peer) : problem_.is_copy(message.peer, process)) return;
    if (problem_.has_part()) {
      message.count = sending ? problem_.count(process, message.peer) : problem_.count(message.peer, process);
      if (message.count == 0) return;
    }
    message.step = !whole_   ? combined_->step_of(there)
                   : sending ? whole_->step_of(here, there)
                             : whole_->step_of(there, here);
    result.push_back(message);
  });
  std::ranges::sort(result, {}, &PlannedMessage::step);
  return result;
}

std::vector<PlannedMessage> RedistributionPlan::sends(Rank sender) const { return messages(sender, /*sending=*/true); }

std::vector<PlannedMessage> RedistributionPlan::receives(Rank receiver) const {
  return messages(receiver, /*sending=*/false);
}

Cost RedistributionPlan::cost() const {
  std::int64_t transmission = whole_transmission_;
  if (!whole_) {
    if (combined_->pricing_work() > kMostPricingWork) {
      throw InputError("cost", fmt::format("{:.3g} tuples of steps to look at", combined_->pricing_work()),
                       fmt::format("at most {:.0e}", kMostPricingWork));
    }
    std::vector<std::vector<std::int64_t>> durations;
    for (const AxisPlan& axis : axes_) durations.push_back(axis.durations());
    transmission = combined_->transmission(durations);
  }
  return priced(steps(), transmission, setup_);
}

Cost RedistributionPlan::bound() const { return bound_ ? *bound_ : redistribution_bound(problem_, setup_); }

Cost redistribution_bound(const RedistributionProblem& problem, double setup) {
  if (problem.is_by_dimension()) return detail::whole_message_bound(problem.axes(), setup);
  const detail::ClassBound bound = bound_of(detail::classes_between(problem).messages());
  return priced(bound.steps, bound.transmission, setup);
}

StepSchedule RedistributionPlan::schedule(const RedistributionInput& input) const {
  constexpr std::int64_t kMaximumSteps = std::int64_t{1} << 28;
  if (steps() > kMaximumSteps) {
    throw InputError("plan", fmt::format("{} to write out", count_text(steps(), "step")),
                     fmt::format("at most {}", kMaximumSteps));
  }
  detail::check_written_out(problem_);
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
  for (const Message& copy : problem_.copies()) result.copies.push_back({copy.from, copy.to, 0, copy.size});
  return result;
}

}  // namespace sluice
