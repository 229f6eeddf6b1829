#include "schedule/message_partners.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace sluice::detail {

std::vector<std::size_t> message_partners(const Program& program) {
  using Kind = ProgramOperation::Kind;
  const std::vector<ProgramOperation>& operations = program.operations;
  const auto sender = [](const ProgramOperation& op) { return op.kind == Kind::kSend ? op.rank : op.peer; };
  const auto key = [&](std::size_t i) {
    const ProgramOperation& op = operations[i];
    return op.kind == Kind::kSend ? std::pair(op.peer, 0) : std::pair(op.rank, 1);
  };
  // Both ends of messages by sender, in the order of the list.
  std::vector<std::size_t> first(static_cast<std::size_t>(program.ranks) + 1, 0);
  for (const ProgramOperation& op : operations) ++first[static_cast<std::size_t>(sender(op)) + 1];
  for (std::size_t s = 1; s < first.size(); ++s) first[s] += first[s - 1];
  std::vector<std::size_t> ends(operations.size());
  std::vector<std::size_t> filled(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < operations.size(); ++i)
    ends[filled[static_cast<std::size_t>(sender(operations[i]))]++] = i;

  std::vector<std::size_t> result(operations.size());
  for (std::size_t s = 0; s + 1 < first.size(); ++s) {
    // By receiver: first the sends to it, then the operations that receive them.
    const auto begin = ends.begin() + static_cast<std::ptrdiff_t>(first[s]);
    const auto end = ends.begin() + static_cast<std::ptrdiff_t>(first[s + 1]);
    std::sort(begin, end, [&](std::size_t a, std::size_t b) { return std::pair(key(a), a) < std::pair(key(b), b); });
    for (auto at = begin; at != end;) {
      const std::int64_t to = key(*at).first;
      const auto receives = std::find_if(at, end, [&](std::size_t i) { return key(i) >= std::pair(to, 1); });
      const auto next = std::find_if(receives, end, [&](std::size_t i) { return key(i).first != to; });
      auto received = receives;
      for (auto sent = at; sent != receives && received != next; ++sent, ++received) {
        result[*sent] = *received;
        result[*received] = *sent;
      }
      at = next;
    }
  }
  return result;
}

}  // namespace sluice::detail
