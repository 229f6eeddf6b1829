#include "schedule/program_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "schedule/byte_uses.hpp"
#include "schedule/message_waits.hpp"
#include "schedule/range_map.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {
namespace {

constexpr std::int64_t kMostProgramMessages = std::int64_t{1} << 22;
constexpr std::int64_t kMostRanges = std::int64_t{1} << 25;

[[noreturn]] void refuse_so_many() {
  throw InputError(
      "plan", fmt::format("more than {} messages or {} ranges of bytes in them", kMostProgramMessages, kMostRanges),
      "fewer ranks or another algorithm");
}

ProgramOperation operation_of(std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer,
                              std::span<const ByteRange> ranges) {
  ProgramOperation op{rank, kind, peer, ranges.front().offset, ranges.front().bytes, {}, {}};
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

/// add(rank, kind, peer, message) for each operation, in its order.
template <class Add>
void for_operations(const ProgramMessages& messages, Add add) {
  using Kind = ProgramOperation::Kind;
  const std::vector<ProgramMessage>& list = messages.list();
  for (std::size_t first = 0, end = 0; first < list.size(); first = end) {
    end = first + 1;
    while (end < list.size() && list[end].with_last) ++end;
    for (std::size_t m = first; m < end; ++m) add(list[m].from, Kind::kSend, list[m].to, list[m]);
    for (std::size_t m = first; m < end; ++m)
      add(list[m].to, list[m].combine ? Kind::kCombine : Kind::kReceive, list[m].from, list[m]);
  }
}

}  // namespace

void check_message_count(std::int64_t messages) {
  if (messages > kMostProgramMessages)
    throw InputError("plan", count_text(messages, "message"),
                     fmt::format("at most {}: fewer ranks or another algorithm", kMostProgramMessages));
}

void check_pair_count(std::size_t senders, std::size_t receivers) {
  constexpr std::size_t kMostPairs = std::size_t{1} << 27;
  if (receivers > 0 && senders > kMostPairs / receivers)
    throw InputError("plan", fmt::format("a pattern of {} times {} pairs", senders, receivers),
                     fmt::format("at most {} pairs, or another algorithm", kMostPairs));
}

void ProgramMessages::add(std::int64_t from, std::int64_t to, std::vector<ByteRange> ranges, bool combine,
                          const SendPace& pace) {
  std::erase_if(ranges, [](const ByteRange& range) { return range.bytes == 0; });
  if (ranges.empty()) return;
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
  ranges.shrink_to_fit();
  ranges_ += static_cast<std::int64_t>(ranges.size());
  list_.push_back({from, to, std::move(ranges), combine, false, pace});
  check_size();
}

void ProgramMessages::check_size() const {
  if (static_cast<std::int64_t>(list_.size()) > kMostProgramMessages || ranges_ > kMostRanges) refuse_so_many();
}

void ProgramMessages::add_at_once(const std::vector<Edge>& edges, const ByteRange& range) {
  const std::size_t first = list_.size();
  for (const Edge& edge : edges) {
    add(edge.from, edge.to, {range}, true);
    if (list_.size() > first + 1) list_.back().with_last = true;
  }
}

void ProgramMessages::append(ProgramMessages other) {
  ranges_ += other.ranges_;
  list_.insert(list_.end(), std::make_move_iterator(other.list_.begin()), std::make_move_iterator(other.list_.end()));
  check_size();
}

ProgramMessages ProgramMessages::reversed(bool combine) const {
  ProgramMessages result;
  result.ranges_ = ranges_;
  result.list_.reserve(list_.size());
  for (auto message = list_.rbegin(); message != list_.rend(); ++message)
    result.list_.push_back({message->to, message->from, message->ranges, combine, false, {}});
  return result;
}

ProgramMessages ProgramMessages::with_ranks(std::span<const std::int64_t> ranks) const {
  ProgramMessages result = *this;
  for (ProgramMessage& message : result.list_) {
    message.from = ranks[static_cast<std::size_t>(message.from)];
    message.to = ranks[static_cast<std::size_t>(message.to)];
  }
  return result;
}

ProgramMessages ProgramMessages::needed_for(const Program& shape) const {
  std::vector<RangeMap<bool>> needed(static_cast<std::size_t>(shape.ranks));  // of what a rank has, by a later time
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank)
    for (const ByteRange& range : ranges_at_end(shape, rank))
      needed[static_cast<std::size_t>(rank)].assign(range.offset, range.end(), true);
  std::vector<std::vector<ByteRange>> kept(list_.size());
  for (std::size_t end = list_.size(), first = 0; end > 0; end = first) {
    first = end - 1;
    while (list_[first].with_last) --first;
    for (std::size_t m = end; m-- > first;) {
      RangeMap<bool>& there = needed[static_cast<std::size_t>(list_[m].to)];
      for (const ByteRange& range : list_[m].ranges)
        there.visit(range.offset, range.end(), [&](std::int64_t from, std::int64_t to, bool) {
          kept[m].push_back({from, to - from});
        });
      if (list_[m].combine) continue;
      for (const ByteRange& range : kept[m]) there.erase(range.offset, range.end());
    }
    for (std::size_t m = first; m < end; ++m)
      for (const ByteRange& range : kept[m])
        needed[static_cast<std::size_t>(list_[m].from)].assign(range.offset, range.end(), true);
  }
  ProgramMessages result;
  bool begun = false;  // the messages that belong together
  for (std::size_t m = 0; m < list_.size(); ++m) {
    begun = begun && list_[m].with_last;
    if (kept[m].empty()) continue;
    result.add(list_[m].from, list_[m].to, std::move(kept[m]), list_[m].combine, list_[m].pace);
    result.list_.back().with_last = std::exchange(begun, true);
  }
  return result;
}

std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, std::int64_t ranks) {
  return operations_of(messages, waits_of(messages, ranks));
}

std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, const MessageWaits& waits) {
  std::vector<ProgramOperation> operations;
  operations.reserve(waits.operations.size());
  for_operations(messages,
                 [&](std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer, const ProgramMessage& message) {
                   operations.push_back(operation_of(rank, kind, peer, message.ranges));
                   const auto after = waits.after(operations.size() - 1);
                   operations.back().after.assign(after.begin(), after.end());
                 });
  return operations;
}

bool states_pace(const ProgramMessages& messages) {
  return std::ranges::any_of(messages.list(), [](const ProgramMessage& each) { return each.pace != SendPace(); });
}

std::vector<SendPace> paces_of(const ProgramMessages& messages) {
  std::vector<SendPace> paces;
  if (!states_pace(messages)) return paces;
  paces.reserve(2 * messages.list().size());
  for_operations(messages, [&](std::int64_t, ProgramOperation::Kind kind, std::int64_t, const ProgramMessage& message) {
    paces.push_back(kind == ProgramOperation::Kind::kSend ? message.pace : SendPace());
  });
  return paces;
}

std::vector<ProgramOperation> operations_of_rank(const ProgramMessages& messages, std::int64_t own) {
  std::vector<ProgramOperation> operations;
  ByteUses uses;
  for_operations(messages,
                 [&](std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer, const ProgramMessage& message) {
                   if (rank != own) return;
                   operations.push_back(operation_of(rank, kind, peer, message.ranges));
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
