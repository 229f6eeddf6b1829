#include "schedule/message_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "schedule/byte_uses.hpp"
#include "schedule/range_map.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kMostGraphMessages = std::int64_t{1} << 22;
constexpr std::size_t kMostRanges = std::size_t{1} << 25;

/// Before these are added: memory that grows beyond the limits would be twice as much.
void check_room(const MessageGraph& graph, std::size_t messages, std::size_t ranges) {
  if (std::cmp_greater(graph.size() + messages, kMostGraphMessages) || graph.ranges.values() + ranges > kMostRanges)
    throw InputError(
        "plan", fmt::format("more than {} messages or {} ranges of bytes in them", kMostGraphMessages, kMostRanges),
        "fewer ranks or another algorithm");
}

/// By rising offsets, none empty, none adjacent to the next one.
bool are_joined(std::span<const ByteRange> ranges) {
  if (ranges.empty() || ranges.front().bytes == 0) return false;
  for (std::size_t i = 1; i < ranges.size(); ++i)
    if (ranges[i].bytes == 0 || ranges[i].offset < ranges[i - 1].offset || ranges[i].offset == ranges[i - 1].end())
      return false;
  return true;
}

std::vector<ByteRange> joined(std::span<const ByteRange> given) {
  std::vector<ByteRange> ranges(given.begin(), given.end());
  std::erase_if(ranges, [](const ByteRange& range) { return range.bytes == 0; });
  if (ranges.empty()) return ranges;
  const auto before = [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), before)) std::sort(ranges.begin(), ranges.end(), before);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].offset == ranges[kept].end())
      ranges[kept].bytes += ranges[i].bytes;
    else
      ranges[++kept] = ranges[i];
  }
  ranges.resize(kept + 1);
  return ranges;
}

std::int32_t rank_in_graph(std::int64_t rank) {
  SLUICE_ASSERT(rank >= 0 && rank <= std::numeric_limits<std::int32_t>::max(), fmt::format("rank {}", rank));
  return static_cast<std::int32_t>(rank);
}

/// The operation at one end, which waits for nothing yet.
ProgramOperation operation_of(const MessageGraph& graph, MessageEnd end) {
  const MessageGraph::Message& message = graph.at(end);
  const std::span<const ByteRange> ranges = graph.ranges[message_of(end)];
  ProgramOperation op{
      message.from, ProgramOperation::Kind::kSend, message.to, ranges.front().offset, ranges.front().bytes, {}, {}};
  if (!is_start(end)) {
    std::swap(op.rank, op.peer);
    op.kind =
        message.kind == MessageKind::kCombine ? ProgramOperation::Kind::kCombine : ProgramOperation::Kind::kReceive;
  }
  op.more.assign(ranges.begin() + 1, ranges.end());
  return op;
}

/// Has the operation wait for what it has to; `uses`: of its rank, by all that the rank does before.
void wait_for_needed(ProgramOperation& op, ByteUses& uses, std::int64_t position) {
  op.for_ranges([&](const ByteRange& range) {
    uses.for_needed(op.kind, range, [&](std::int64_t needed) {
      op.after.push_back(needed);
      return true;
    });
  });
  std::sort(op.after.begin(), op.after.end());
  op.after.erase(std::unique(op.after.begin(), op.after.end()), op.after.end());
  op.after.shrink_to_fit();
  op.for_ranges([&](const ByteRange& range) { uses.add(op.kind, range, position); });
}

}  // namespace

void check_message_count(std::int64_t messages) {
  if (messages > kMostGraphMessages)
    throw InputError("plan", count_text(messages, "message"),
                     fmt::format("at most {}: fewer ranks or another algorithm", kMostGraphMessages));
}

void check_pair_count(std::size_t senders, std::size_t receivers) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 27;
  if (receivers > 0 && senders > kMostPairs / receivers)
    throw InputError("plan", fmt::format("a pattern of {} times {} pairs", senders, receivers),
                     fmt::format("at most {} pairs, or another algorithm", kMostPairs));
}

void MessageGraph::reserve(std::size_t count, std::size_t of_ranges) {
  count = std::min(count, static_cast<std::size_t>(kMostGraphMessages));
  messages.reserve(count);
  ranges.reserve(count, std::min(of_ranges, kMostRanges));
}

void MessageGraph::add(std::int64_t from, std::int64_t to, std::span<const ByteRange> bytes, MessageKind kind,
                       const SendPace& send_pace) {
  std::vector<ByteRange> changed;
  if (!are_joined(bytes)) {
    changed = joined(bytes);
    if (changed.empty()) return;
    bytes = changed;
  }
  check_room(*this, 1, bytes.size());
  if (!pace.empty() || send_pace != SendPace()) {
    pace.resize(size());
    pace.push_back(send_pace);
  }
  messages.push_back({rank_in_graph(from), rank_in_graph(to), total_bytes(bytes), kind});
  ranges.add(bytes);
}

void MessageGraph::add_at_once(const std::vector<Edge>& edges, const ByteRange& range) {
  const std::size_t first = size();
  for (const Edge& edge : edges) {
    add(edge.from, edge.to, range, MessageKind::kCombine);
    if (size() > first + 1) messages.back().at_once = true;
  }
}

void MessageGraph::append(MessageGraph other) {
  if (messages.empty()) {
    *this = std::move(other);
    return;
  }
  check_room(*this, other.size(), other.ranges.values());
  if (!pace.empty() || !other.pace.empty()) {
    pace.resize(size());
    pace.insert(pace.end(), other.pace.begin(), other.pace.end());
    pace.resize(size() + other.size());
  }
  messages.insert(messages.end(), other.messages.begin(), other.messages.end());
  ranges.append(other.ranges);
}

std::size_t MessageGraph::add_after(const Message& message, std::span<const MessageEnd> ends) {
  messages.push_back(message);
  after.add(ends);
  after.add({});
  return size() - 1;
}

MessageGraph MessageGraph::reversed(MessageKind kind) const {
  MessageGraph result;
  result.messages.reserve(size());
  result.ranges.reserve(size(), ranges.values());
  for (std::size_t m = size(); m-- > 0;) {
    result.messages.push_back({messages[m].to, messages[m].from, messages[m].bytes, kind});
    result.ranges.add(ranges[m]);
  }
  return result;
}

MessageGraph MessageGraph::with_ranks(std::span<const std::int64_t> other) const {
  MessageGraph result = *this;
  for (Message& message : result.messages) {
    message.from = rank_in_graph(other[static_cast<std::size_t>(message.from)]);
    message.to = rank_in_graph(other[static_cast<std::size_t>(message.to)]);
  }
  return result;
}

MessageGraph MessageGraph::in_order(std::span<const std::size_t> messages_in_order) const {
  MessageGraph result;
  result.messages.reserve(size());
  result.ranges.reserve(size(), ranges.values());
  result.pace.reserve(pace.size());
  for (const std::size_t m : messages_in_order) {
    result.messages.push_back(messages[m]);
    result.ranges.add(ranges[m]);
    if (!pace.empty()) result.pace.push_back(pace[m]);
  }
  if (after.empty()) return result;
  std::vector<MessageEnd> place(size());  // by message: where it starts
  for (std::size_t i = 0; i < messages_in_order.size(); ++i) place[messages_in_order[i]] = start_of(i);
  result.after.reserve(after.size(), after.values());
  std::vector<MessageEnd> before;
  for (const std::size_t m : messages_in_order) {
    for (const MessageEnd end : {start_of(m), done_of(m)}) {
      before.clear();
      for (const MessageEnd each : after[end]) before.push_back(place[message_of(each)] + (is_start(each) ? 0 : 1));
      result.after.add(before);
    }
  }
  return result;
}

MessageGraph MessageGraph::needed_for(const Program& shape) const {
  std::vector<RangeMap<bool>> needed(static_cast<std::size_t>(shape.ranks));  // of what a rank has, by a later time
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank)
    for (const ByteRange& range : ranges_at_end(shape, rank))
      needed[static_cast<std::size_t>(rank)].assign(range.offset, range.end(), true);
  Lists<ByteRange> kept(size());
  std::vector<ByteRange> parts;
  for (std::size_t end = size(), first = 0; end > 0; end = first) {
    first = end - 1;
    while (messages[first].at_once) --first;
    for (std::size_t m = end; m-- > first;) {
      RangeMap<bool>& there = needed[static_cast<std::size_t>(messages[m].to)];
      parts.clear();
      for (const ByteRange& range : ranges[m])
        there.visit(range.offset, range.end(), [&](std::int64_t from, std::int64_t to, bool) {
          parts.push_back({from, to - from});
        });
      kept.set(m, parts);
      if (messages[m].kind == MessageKind::kCombine) continue;
      for (const ByteRange& range : parts) there.erase(range.offset, range.end());
    }
    for (std::size_t m = first; m < end; ++m)
      for (const ByteRange& range : kept[m])
        needed[static_cast<std::size_t>(messages[m].from)].assign(range.offset, range.end(), true);
  }
  MessageGraph result;
  bool begun = false;  // the messages that belong together
  for (std::size_t m = 0; m < size(); ++m) {
    begun = begun && messages[m].at_once;
    if (kept[m].empty()) continue;
    result.add(messages[m].from, messages[m].to, kept[m], messages[m].kind, pace.empty() ? SendPace() : pace[m]);
    result.messages.back().at_once = std::exchange(begun, true);
  }
  return result;
}

Lists<MessageEnd> waiting_of(const MessageGraph& graph) {
  std::vector<std::uint32_t> waiting(2 * graph.size(), 0);
  for (std::size_t end = 0; end < graph.after.size(); ++end)
    for (const MessageEnd before : graph.after[end]) ++waiting[before];
  Lists<MessageEnd> result(waiting);
  if (graph.after.empty()) return result;
  for_ends(graph, [&](MessageEnd end) {
    for (const MessageEnd before : graph.after[end]) result.push(before, end);
  });
  return result;
}

std::vector<ProgramOperation> operations_of(MessageGraph graph) {
  if (graph.after.empty()) find_waits(graph);
  std::vector<std::int64_t> positions(2 * graph.size());
  std::int64_t next = 0;
  for_ends(graph, [&](MessageEnd end) { positions[end] = next++; });
  std::vector<ProgramOperation> operations;
  operations.reserve(positions.size());
  for_ends(graph, [&](MessageEnd end) {
    std::vector<std::int64_t>& after = operations.emplace_back(operation_of(graph, end)).after;
    after.reserve(graph.after[end].size());
    for (const MessageEnd before : graph.after[end]) after.push_back(positions[before]);
    std::ranges::sort(after);
  });
  return operations;
}

std::vector<SendPace> paces_of(const MessageGraph& graph) {
  std::vector<SendPace> paces;
  if (graph.pace.empty()) return paces;
  paces.reserve(2 * graph.size());
  for_ends(graph, [&](MessageEnd end) { paces.push_back(is_start(end) ? graph.pace[message_of(end)] : SendPace()); });
  return paces;
}

std::vector<ProgramOperation> operations_of_rank(const MessageGraph& graph, std::int64_t rank) {
  std::vector<ProgramOperation> operations;
  ByteUses uses;
  for_ends(graph, [&](MessageEnd end) {
    if (graph.rank_of(end) != rank) return;
    operations.push_back(operation_of(graph, end));
    wait_for_needed(operations.back(), uses, static_cast<std::int64_t>(operations.size()) - 1);
  });
  return operations;
}

std::vector<ByteRange> cut(const ByteRange& range, std::int64_t parts, std::int64_t element_bytes) {
  const std::int64_t elements = range.bytes / element_bytes;
  const std::int64_t each = elements / parts, longer = elements % parts;
  std::vector<ByteRange> result;
  std::int64_t at = range.offset;
  for (std::int64_t i = 0; i < parts && at < range.end(); ++i) {
    const std::int64_t bytes = (each + (i < longer ? 1 : 0)) * element_bytes;
    result.push_back({at, bytes});
    at += bytes;
  }
  return result;
}

}  // namespace sluice::detail
