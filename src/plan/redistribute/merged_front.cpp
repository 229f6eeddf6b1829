#include "plan/redistribute/merged_front.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/redistribute/front_search.hpp"
#include "plan/redistribute/named_steps.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

namespace {

/// The messages as classes of one each, in their order; processes without a message have no number.
MessageClasses classes_of(const std::vector<Message>& messages) {
  std::vector<std::int64_t> senders, receivers;
  const auto distinct = [&](std::vector<std::int64_t>& processes, std::int64_t Message::*end) {
    for (const Message& each : messages) processes.push_back(each.*end);
    std::ranges::sort(processes);
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    return static_cast<std::int32_t>(processes.size());
  };
  const auto number = [](const std::vector<std::int64_t>& processes, std::int64_t process) {
    return static_cast<std::int32_t>(std::ranges::lower_bound(processes, process) - processes.begin());
  };
  MessageClasses result;
  result.lefts = distinct(senders, &Message::from);
  result.rights = distinct(receivers, &Message::to);
  for (const Message& each : messages)
    result.classes.push_back({number(senders, each.from), number(receivers, each.to), each.size});
  return result;
}

/// What every schedule of a front has in common.
struct Merged {
  std::vector<Message> messages;
  StepSchedule without_steps;
};

struct NamedSchedule {
  std::string algorithm;
  std::shared_ptr<const EdgeSteps> steps;
};

StepSchedule written_out(const Merged& merged, const NamedSchedule& named) {
  StepSchedule schedule = merged.without_steps;
  schedule.algorithm = named.algorithm;
  schedule.steps.resize(static_cast<std::size_t>(named.steps->steps));
  for (std::size_t m = 0; m < merged.messages.size(); ++m) {
    const Message& message = merged.messages[m];
    Step& step = schedule.steps[static_cast<std::size_t>(named.steps->step_of_edge[m])];
    step.transfers.push_back({message.from, message.to, 0, message.size});
    step.duration = std::max(step.duration, message.size);
  }
  return schedule;
}

}  // namespace

BatchFront front_of_merged(const BatchProblem& problem, std::vector<Message> of_batch, const BatchOptions& options) {
  const auto count = static_cast<std::int64_t>(of_batch.size());
  if (count > kMostPlannedAsGraph)
    throw InputError("front", fmt::format("{} merged messages of arrays that are not alike", count),
                     fmt::format("at most {}", kMostPlannedAsGraph));
  const auto merged = std::make_shared<Merged>();
  merged->messages = std::move(of_batch);
  StepSchedule& common = merged->without_steps;
  common.problem = "redistribute";
  common.senders = problem.senders();
  common.receivers = problem.receivers();
  common.max_transfers = std::min(common.senders, common.receivers);
  common.setup = options.setup;
  for (const Message& copy : problem.copies()) common.copies.push_back({copy.from, copy.to, 0, copy.size});

  const MessageClasses messages = classes_of(merged->messages);
  std::vector<PricedSchedule<NamedSchedule>> known;
  for (NamedSteps& each : named_steps(messages, "auto")) {
    auto steps = std::make_shared<const EdgeSteps>(std::move(each.steps));
    known.push_back({{std::move(each.algorithm), steps}, steps->steps, transmission_of(messages, *steps)});
  }
  const ClassBound own = bound_of(messages);
  ExactSearch search(messages, options.effort, options.stop);
  const SearchedFront<NamedSchedule> front =
      search_front(search, {own.steps, own.transmission, 0}, known, [](const LeastTransmission& found) {
        return NamedSchedule{"exact", {found.rule, &found.rule->edge_steps()}};
      });
  common.bound = priced(front.bound.steps, front.bound.transmission, options.setup);
  BatchFront result{{}, common.bound, front.complete};
  for (const auto& [best, at_least] : front.points)
    result.points.push_back({best.schedule.algorithm, priced(best.steps, best.transmission, options.setup), at_least,
                             [merged, named = best.schedule] { return written_out(*merged, named); }});
  return result;
}

}  // namespace sluice::detail
