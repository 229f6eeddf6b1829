#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"

namespace sluice::detail {

MessageGraph lower(const Program& program) {
  using Kind = ProgramOperation::Kind;
  using Placed = std::pair<std::uint64_t, std::size_t>;  // sender and receiver, a position
  const auto between = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to);
  };
  const std::vector<ProgramOperation>& operations = program.operations;
  MessageGraph graph;
  graph.order.resize(operations.size());
  std::vector<Placed> sends, receives;  // by message, and by operation
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ProgramOperation& op = operations[i];
    if (op.kind != Kind::kSend) {
      receives.emplace_back(between(op.peer, op.rank), i);
      continue;
    }
    graph.order[i] = start_of(graph.size());
    sends.emplace_back(between(op.rank, op.peer), graph.size());
    graph.messages.push_back(
        {static_cast<std::int32_t>(op.rank), static_cast<std::int32_t>(op.peer), op.message_bytes()});
    if (!program.pace.empty()) graph.pace.push_back(program.pace[i]);
  }
  // The k-th send between two ranks and the k-th receive there.
  std::ranges::sort(sends);
  std::ranges::sort(receives);
  for (std::size_t k = 0; k < sends.size() && k < receives.size(); ++k) {
    const std::size_t m = sends[k].second, i = receives[k].second;
    graph.order[i] = done_of(m);
    if (operations[i].kind == Kind::kCombine) graph.messages[m].kind = MessageKind::kCombine;
  }
  graph.after = Lists<MessageEnd>(operations.size());
  std::vector<MessageEnd> after;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    after.clear();
    for (const std::int64_t before : operations[i].after)
      after.push_back(graph.order[static_cast<std::size_t>(before)]);
    graph.after.set(graph.order[i], after);
  }
  return graph;
}

}  // namespace sluice::detail
