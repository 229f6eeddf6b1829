#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/redistribute/replica_needs.hpp"
#include "sluice/plan/replicated.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

std::int64_t share_of(std::int64_t amount, std::int64_t among) {
  return amount / among + (amount % among != 0 ? 1 : 0);
}

/// Steps until `holders` processes have become holders + others of them, each telling one other in a step.
std::int64_t steps_of_doubling(std::int64_t holders, std::int64_t others) {
  std::int64_t steps = 0;
  for (const std::int64_t all = holders + others; holders < all; holders *= 2) ++steps;
  return steps;
}

/// What the ports of the receivers alone ask for: the most to receive, and from how many.
std::pair<std::int64_t, std::int64_t> most_received(const ReplicatedProblem& problem,
                                                    const std::vector<detail::ReplicaNeed>& needs) {
  std::vector<std::int64_t> size(static_cast<std::size_t>(problem.receivers()), 0);
  std::vector<std::int64_t> count(size.size(), 0);
  for (const detail::ReplicaNeed& need : needs) {
    size[static_cast<std::size_t>(need.receiver)] += need.size;
    ++count[static_cast<std::size_t>(need.receiver)];
  }
  return {std::ranges::max(size), std::ranges::max(count)};
}

/// A message of one copy, and how many copies of the target do not have it.
struct SharedMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t size = 0;
  std::int64_t copies = 0;
};

std::vector<SharedMessage> shared_messages(const std::vector<detail::ReplicaNeed>& needs, std::int64_t targets) {
  std::vector<SharedMessage> all;
  for (const detail::ReplicaNeed& need : needs) all.push_back({need.process, need.receiver % targets, need.size, 1});
  const auto pair = [](const SharedMessage& message) { return std::tie(message.from, message.to); };
  std::ranges::sort(all, [&](const SharedMessage& a, const SharedMessage& b) { return pair(a) < pair(b); });
  std::vector<SharedMessage> messages;
  for (const SharedMessage& each : all) {
    if (!messages.empty() && pair(messages.back()) == pair(each)) {
      ++messages.back().copies;
    } else {
      messages.push_back(each);
    }
  }
  return messages;
}

/// Calls visit(messages) with the messages of each value of `end`; sorts the messages by `end`.
template <class Visit>
void for_each_group(std::vector<SharedMessage>& messages, std::int64_t SharedMessage::*end, Visit&& visit) {
  std::ranges::stable_sort(messages, std::ranges::less{}, end);
  for (auto first = messages.begin(); first != messages.end();) {
    const auto last =
        std::find_if(first, messages.end(), [&](const SharedMessage& m) { return m.*end != (*first).*end; });
    visit(std::span<const SharedMessage>(first, last));
    first = last;
  }
}

std::int64_t fewest_copies(std::span<const SharedMessage> messages) {
  return std::ranges::min_element(messages, std::ranges::less{}, &SharedMessage::copies)->copies;
}

}  // namespace

Cost detail::direct_bound(const ReplicatedProblem& problem, const std::vector<ReplicaNeed>& needs, double setup) {
  if (needs.empty()) return {};
  auto [transmission, steps] = most_received(problem, needs);
  for (auto first = needs.begin(); first != needs.end();) {
    std::int64_t size = 0, count = 0;
    const std::int64_t process = first->process;
    for (; first != needs.end() && first->process == process; ++first, ++count) size += first->size;
    transmission = std::max(transmission, share_of(size, problem.from_replicas()));
    steps = std::max(steps, share_of(count, problem.from_replicas()));
  }
  return priced(steps, transmission, setup);
}

ReplicatedBounds replicated_bounds(const ReplicatedProblem& problem, double setup) {
  const std::vector<detail::ReplicaNeed> needs = detail::needs_of(problem, problem.to_replicas()).sent;
  if (needs.empty()) return {};
  const std::int64_t sources = problem.from_replicas();
  std::int64_t transmission = most_received(problem, needs).first;
  std::int64_t steps = 1;
  std::vector<SharedMessage> messages = shared_messages(needs, problem.one().to().processes());
  // What leaves the copies of a source process, and what reaches the copies of a target process, at least once.
  for_each_group(messages, &SharedMessage::from, [&](std::span<const SharedMessage> group) {
    std::int64_t size = 0;
    for (const SharedMessage& message : group) size += message.size;
    const std::int64_t spreading = steps_of_doubling(2 * sources, fewest_copies(group) - sources);
    transmission = std::max(transmission, share_of(size, sources) + spreading);
    steps = std::max(steps, share_of(std::ssize(group), sources) + spreading);
  });
  for_each_group(messages, &SharedMessage::to, [&](std::span<const SharedMessage> group) {
    const std::int64_t spreading = steps_of_doubling(2 * sources, fewest_copies(group) - sources);
    steps = std::max(steps, share_of(std::ssize(group), problem.to_replicas()) + spreading);
  });
  for (const SharedMessage& message : messages) steps = std::max(steps, steps_of_doubling(sources, message.copies));
  return {priced(steps, transmission, setup), detail::direct_bound(problem, needs, setup)};
}

}  // namespace sluice
