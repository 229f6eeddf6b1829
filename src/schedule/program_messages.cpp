#include "schedule/program_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

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

/// Puts an operation behind those of all ranks; `uses`: of its rank.
void append(std::vector<ProgramOperation>& operations, ByteUses& uses, std::int64_t rank, ProgramOperation::Kind kind,
            std::int64_t peer, std::span<const ByteRange> ranges) {
  const auto position = static_cast<std::int64_t>(operations.size());
  ProgramOperation op{rank, kind, peer, ranges.front().offset, ranges.front().bytes, {}, {}};
  op.more.assign(ranges.begin() + 1, ranges.end());
  for (const ByteRange& range : ranges)
    uses.for_needed(kind, range, [&](std::int64_t needed) {
      op.after.push_back(needed);
      return true;
    });
  std::sort(op.after.begin(), op.after.end());
  op.after.erase(std::unique(op.after.begin(), op.after.end()), op.after.end());
  op.after.shrink_to_fit();
  for (const ByteRange& range : ranges) uses.add(kind, range, position);
  operations.push_back(std::move(op));
}

/// add(rank, kind, peer, ranges) for each operation, in its order.
template <class Add>
void for_operations(const ProgramMessages& messages, Add add) {
  using Kind = ProgramOperation::Kind;
  const std::vector<ProgramMessage>& list = messages.list();
  for (std::size_t first = 0, end = 0; first < list.size(); first = end) {
    end = first + 1;
    while (end < list.size() && list[end].with_last) ++end;
    for (std::size_t m = first; m < end; ++m) add(list[m].from, Kind::kSend, list[m].to, list[m].ranges);
    for (std::size_t m = first; m < end; ++m)
      add(list[m].to, list[m].combine ? Kind::kCombine : Kind::kReceive, list[m].from, list[m].ranges);
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

void OperationList::add(std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer,
                        std::span<const ByteRange> ranges) {
  append(operations_, uses_[static_cast<std::size_t>(rank)], rank, kind, peer, ranges);
}

void OperationList::add_message(std::int64_t from, std::int64_t to, const ByteRange& range, bool combine) {
  using Kind = ProgramOperation::Kind;
  check_message_count(static_cast<std::int64_t>(operations_.size()) / 2 + 1);
  add(from, Kind::kSend, to, {&range, 1});
  add(to, combine ? Kind::kCombine : Kind::kReceive, from, {&range, 1});
}

void ProgramMessages::add(std::int64_t from, std::int64_t to, std::vector<ByteRange> ranges, bool combine) {
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
  list_.push_back({from, to, std::move(ranges), combine, false});
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
    result.list_.push_back({message->to, message->from, message->ranges, combine, false});
  return result;
}

std::vector<ProgramOperation> operations_of(const ProgramMessages& messages, std::int64_t ranks) {
  OperationList operations(ranks);
  for_operations(messages, [&](std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer,
                               const std::vector<ByteRange>& ranges) { operations.add(rank, kind, peer, ranges); });
  return std::move(operations).take();
}

std::vector<ProgramOperation> operations_of_rank(const ProgramMessages& messages, std::int64_t own) {
  std::vector<ProgramOperation> operations;
  ByteUses uses;
  for_operations(messages, [&](std::int64_t rank, ProgramOperation::Kind kind, std::int64_t peer,
                               const std::vector<ByteRange>& ranges) {
    if (rank == own) append(operations, uses, rank, kind, peer, ranges);
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
