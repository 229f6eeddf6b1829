/// What the ends of messages wait for.
///
/// Problem: a send waits for what its rank has received or combined last of its bytes. A receive waits for the reads of
/// what was there or, if nobody has read it, for what wrote it (see program.hpp). Planners consider dozens of programs
/// of some 10^4 messages, and take one.
/// Method: rank by rank. The ends of all ranges that the rank sends or receives cut the array into pieces, which no
/// message divides. For each piece, in the order of the operations, it keeps the last writer and a list of the
/// operations that have read it since. Pieces that were read together share the list. Ends of ranges are numbered by a
/// table of the ends seen, because most are met often; only different ones are sorted.
/// Complexity: O(n + k log k) for a rank whose messages cover n pieces with k different ends; memory is linear in the
/// ranges of one rank and in what is waited for.
/// Source: folklore (dependences of reads and writes); ByteUses does it one operation at a time.
///
/// Example: a rank receives bytes 0 to 7, sends 0 to 3, and receives 2 to 5: pieces begin at 0, 2, 4 and 6. The send
/// waits for the first receive, and the second receive for both: 2 and 3 were read, 4 and 5 written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"

namespace sluice::detail {
namespace {

/// Numbers of some offsets, by rising offsets.
class OffsetNumbers {
 public:
  /// Prepares for at most `most` different offsets.
  void clear(std::size_t most) {
    std::size_t size = 16;
    while (size < 2 * most) size *= 2;
    if (slots_.size() < size) slots_.assign(size, {});
    ++round_;
    mask_ = size - 1;
    offsets_.clear();
  }
  /// Takes an offset when it is met; number() tells its number when all have been met.
  std::uint32_t met(std::int64_t offset) {
    constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15;
    constexpr int kShift = 32;
    for (std::size_t at = static_cast<std::uint64_t>(offset) * kMultiplier >> kShift & mask_;; at = (at + 1) & mask_) {
      Slot& slot = slots_[at];
      if (slot.round != round_) {
        slot = {offset, round_, static_cast<std::uint32_t>(offsets_.size())};
        offsets_.push_back({offset, slot.met});
        return slot.met;
      }
      if (slot.offset == offset) return slot.met;
    }
  }
  void all_met() {
    const auto before = [](const Met& a, const Met& b) { return a.offset < b.offset; };
    if (!std::is_sorted(offsets_.begin(), offsets_.end(), before)) std::sort(offsets_.begin(), offsets_.end(), before);
    numbers_.resize(offsets_.size());
    for (std::size_t i = 0; i < offsets_.size(); ++i) numbers_[offsets_[i].met] = static_cast<std::uint32_t>(i);
  }
  [[nodiscard]] std::uint32_t number(std::uint32_t met) const { return numbers_[met]; }
  [[nodiscard]] std::size_t count() const { return offsets_.size(); }

 private:
  struct Slot {
    std::int64_t offset = 0;
    std::uint32_t round = 0;
    std::uint32_t met = 0;
  };
  struct Met {
    std::int64_t offset = 0;
    std::uint32_t met = 0;
  };
  std::vector<Slot> slots_;
  std::vector<Met> offsets_;
  std::vector<std::uint32_t> numbers_;
  std::uint32_t round_ = 0;
  std::size_t mask_ = 0;
};

class WaitsFinder {
 public:
  explicit WaitsFinder(MessageGraph& graph) : graph_(graph) {}

  /// Finds what the ends of one rank wait for.
  void find(std::span<const MessageEnd> of_rank) {
    number_pieces(of_rank);
    auto range = ranges_.begin();
    for (const MessageEnd end : of_rank) {
      const auto next = range + static_cast<std::ptrdiff_t>(graph_.ranges[message_of(end)].size());
      found_.clear();
      for (; range != next; ++range) is_start(end) ? read(*range, end) : write(*range, end);
      if (found_.size() > 1) {
        std::sort(found_.begin(), found_.end());
        found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
      }
      graph_.after.set(end, found_);
    }
  }

 private:
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  struct PieceRange {
    std::uint32_t begin, end;
  };
  struct Piece {
    MessageEnd writer = kNobody;
    std::uint32_t reader = kNobody;  // the last one since, in readers_
  };
  struct Reader {
    MessageEnd end;
    std::uint32_t before;
    MessageEnd seen_by;  // the last end that met it
  };

  void number_pieces(std::span<const MessageEnd> of_rank) {
    std::size_t ranges = 0;
    for (const MessageEnd end : of_rank) ranges += graph_.ranges[message_of(end)].size();
    numbers_.clear(2 * ranges);
    ranges_.clear();
    ranges_.reserve(ranges);
    for (const MessageEnd end : of_rank)
      for (const ByteRange& range : graph_.ranges[message_of(end)]) {
        const std::uint32_t begin = numbers_.met(range.offset);
        ranges_.push_back({begin, numbers_.met(range.end())});
      }
    numbers_.all_met();
    for (PieceRange& range : ranges_) range = {numbers_.number(range.begin), numbers_.number(range.end)};
    pieces_.assign(numbers_.count(), {});
    readers_.clear();
  }

  void read(const PieceRange& range, MessageEnd end) {
    std::uint32_t before = kNobody, own = kNobody, writer = kNobody;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
      Piece& piece = pieces_[p];
      if (piece.writer != kNobody && piece.writer != writer) found_.push_back(writer = piece.writer);
      if (own == kNobody || before != piece.reader) {
        before = piece.reader;
        own = static_cast<std::uint32_t>(readers_.size());
        readers_.push_back({end, before, kNobody});
      }
      piece.reader = own;
    }
  }

  void write(const PieceRange& range, MessageEnd end) {
    std::uint32_t writer = kNobody;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
      Piece& piece = pieces_[p];
      if (piece.reader == kNobody && piece.writer != kNobody && piece.writer != writer)
        found_.push_back(writer = piece.writer);
      for (std::uint32_t at = piece.reader; at != kNobody && readers_[at].seen_by != end; at = readers_[at].before) {
        readers_[at].seen_by = end;
        found_.push_back(readers_[at].end);
      }
      piece = {end, kNobody};
    }
  }

  MessageGraph& graph_;
  OffsetNumbers numbers_;
  std::vector<PieceRange> ranges_;  // of the rank's ends, one after the other
  std::vector<Piece> pieces_;
  std::vector<Reader> readers_;
  std::vector<MessageEnd> found_;  // what the end at hand waits for
};

}  // namespace

void find_waits(MessageGraph& graph) {
  graph.after = Lists<MessageEnd>(2 * graph.size());
  graph.after.reserve(0, 2 * graph.size());
  // Rank by rank: what one has is near in memory.
  std::vector<std::uint32_t> ends;
  const auto count = [&](std::int32_t rank) {
    if (std::cmp_greater_equal(rank, ends.size())) ends.resize(static_cast<std::size_t>(rank) + 1, 0);
    ++ends[static_cast<std::size_t>(rank)];
  };
  for (const MessageGraph::Message& message : graph.messages) {
    count(message.from);
    count(message.to);
  }
  Lists<MessageEnd> by_rank(ends);
  for_ends(graph, [&](MessageEnd end) { by_rank.push(static_cast<std::size_t>(graph.rank_of(end)), end); });
  WaitsFinder finder(graph);
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank) finder.find(by_rank[rank]);
}

}  // namespace sluice::detail
