#include "schedule/message_partners.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

namespace sluice::detail {

std::vector<std::size_t> message_partners(const Program& program) {
  std::vector<std::size_t> result(program.operations.size());
  struct Waiting {
    std::deque<std::size_t> sends, receives;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Waiting> waiting;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& op = program.operations[i];
    const bool send = op.kind == ProgramOperation::Kind::kSend;
    Waiting& pair = waiting[send ? std::pair(op.rank, op.peer) : std::pair(op.peer, op.rank)];
    std::deque<std::size_t>& others = send ? pair.receives : pair.sends;
    if (others.empty()) {
      (send ? pair.sends : pair.receives).push_back(i);
      continue;
    }
    result[i] = others.front();
    result[others.front()] = i;
    others.pop_front();
  }
  return result;
}

}  // namespace sluice::detail
