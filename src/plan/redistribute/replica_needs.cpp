#include "plan/redistribute/replica_needs.hpp"

#include <algorithm>
#include <tuple>

namespace sluice::detail {

ReplicaNeeds needs_of(const ReplicatedProblem& problem, std::int64_t copies) {
  const std::int64_t targets = problem.one().to().processes();
  const std::int64_t sources = problem.one().from().processes();
  const std::vector<Message> messages = problem.one().traffic().messages;  // by sender
  std::vector<std::int64_t> begun(static_cast<std::size_t>(targets), 0);
  ReplicaNeeds needs;
  needs.sent.reserve(messages.size() * static_cast<std::size_t>(copies));
  for (const Message& message : messages) {
    std::int64_t& offset = begun[static_cast<std::size_t>(message.to)];
    for (std::int64_t t = 0; t < copies; ++t) {
      const std::int64_t receiver = t * targets + message.to;
      const std::int64_t self = problem.sender_of(receiver);
      if (self >= 0 && self % sources == message.from) {
        needs.copied.push_back({self, receiver, offset, message.size});
      } else {
        needs.sent.push_back({message.from, receiver, offset, message.size});
      }
    }
    offset += message.size;
  }
  std::ranges::sort(needs.sent, [](const ReplicaNeed& a, const ReplicaNeed& b) {
    return std::tie(a.process, a.receiver) < std::tie(b.process, b.receiver);
  });
  return needs;
}

std::vector<Transfer> dealt_whole(const ReplicatedProblem& problem, std::vector<ReplicaNeed> needs) {
  const std::int64_t sources = problem.one().from().processes();
  std::ranges::stable_sort(needs, [](const ReplicaNeed& a, const ReplicaNeed& b) {
    return std::tie(a.process, b.size) < std::tie(b.process, a.size);
  });
  struct Load {
    std::int64_t size = 0;
    std::int64_t needs = 0;
  };
  std::vector<Load> loads;
  std::int64_t process = -1;
  std::vector<Transfer> result;
  result.reserve(needs.size());
  for (const ReplicaNeed& need : needs) {
    if (need.process != process) loads.assign(static_cast<std::size_t>(problem.from_replicas()), {});
    process = need.process;
    const auto least = std::ranges::min_element(
        loads, [](const Load& a, const Load& b) { return std::tie(a.size, a.needs) < std::tie(b.size, b.needs); });
    least->size += need.size;
    ++least->needs;
    result.push_back({(least - loads.begin()) * sources + process, need.receiver, need.offset, need.size});
  }
  return result;
}

std::vector<Transfer> dealt_evenly(const ReplicatedProblem& problem, const std::vector<ReplicaNeed>& needs) {
  const std::int64_t sources = problem.one().from().processes();
  const std::int64_t replicas = problem.from_replicas();
  std::vector<Transfer> result;
  for (auto first = needs.begin(); first != needs.end();) {
    const auto last =
        std::find_if(first, needs.end(), [&](const ReplicaNeed& need) { return need.process != first->process; });
    std::int64_t sum = 0;
    for (auto need = first; need != last; ++need) sum += need->size;
    const std::int64_t share = sum / replicas + (sum % replicas != 0 ? 1 : 0);
    std::int64_t copy = 0, left = share;
    for (; first != last; ++first) {
      for (std::int64_t done = 0; done < first->size;) {
        if (left == 0) {
          ++copy;
          left = share;
        }
        const std::int64_t size = std::min(left, first->size - done);
        result.push_back({copy * sources + first->process, first->receiver, first->offset + done, size});
        done += size;
        left -= size;
      }
    }
  }
  return result;
}

}  // namespace sluice::detail
