/// What operations wait for.
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
#include "schedule/message_waits.hpp"

#include <algorithm>

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
  WaitsFinder(const ProgramMessages& messages, MessageWaits& waits) : list_(messages.list()), waits_(waits) {}

  /// Finds the waits of one rank, given by its operations.
  void find(std::span<const std::uint32_t> of_rank) {
    number_pieces(of_rank);
    auto range = ranges_.begin();
    for (const std::uint32_t position : of_rank) {
      const MessageWaits::Operation& op = waits_.operations[position];
      const auto end = range + static_cast<std::ptrdiff_t>(list_[op.message].ranges.size());
      const std::size_t first = waits_.positions.size();
      for (auto each = range; each != end; ++each) op.sends ? read(*each, position) : write(*each, position);
      name(position, first);
      range = end;
    }
  }

 private:
  static constexpr std::uint32_t kNobody = UINT32_MAX;
  struct PieceRange {
    std::uint32_t begin, end;
  };
  struct Piece {
    std::uint32_t writer = kNobody;
    std::uint32_t reader = kNobody;  // the last one since, in readers_
  };
  struct Reader {
    std::uint32_t position;
    std::uint32_t before;
    std::uint32_t seen_by;  // the last operation that met it
  };

  void number_pieces(std::span<const std::uint32_t> of_rank) {
    std::size_t ranges = 0;
    for (const std::uint32_t position : of_rank) ranges += list_[waits_.operations[position].message].ranges.size();
    numbers_.clear(2 * ranges);
    ranges_.clear();
    ranges_.reserve(ranges);
    for (const std::uint32_t position : of_rank)
      for (const ByteRange& range : list_[waits_.operations[position].message].ranges) {
        const std::uint32_t begin = numbers_.met(range.offset);
        ranges_.push_back({begin, numbers_.met(range.end())});
      }
    numbers_.all_met();
    for (PieceRange& range : ranges_) range = {numbers_.number(range.begin), numbers_.number(range.end)};
    pieces_.assign(numbers_.count(), {});
    readers_.clear();
  }

  void read(const PieceRange& range, std::uint32_t position) {
    std::uint32_t before = kNobody, own = kNobody, writer = kNobody;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
      Piece& piece = pieces_[p];
      if (piece.writer != kNobody && piece.writer != writer) waits_.positions.push_back(writer = piece.writer);
      if (own == kNobody || before != piece.reader) {
        before = piece.reader;
        own = static_cast<std::uint32_t>(readers_.size());
        readers_.push_back({position, before, kNobody});
      }
      piece.reader = own;
    }
  }

  void write(const PieceRange& range, std::uint32_t position) {
    std::uint32_t writer = kNobody;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
      Piece& piece = pieces_[p];
      if (piece.reader == kNobody && piece.writer != kNobody && piece.writer != writer)
        waits_.positions.push_back(writer = piece.writer);
      for (std::uint32_t at = piece.reader; at != kNobody && readers_[at].seen_by != position;
           at = readers_[at].before) {
        readers_[at].seen_by = position;
        waits_.positions.push_back(readers_[at].position);
      }
      piece = {position, kNobody};
    }
  }

  /// Notes what was found for an operation, from `first` on, each once.
  void name(std::uint32_t position, std::size_t first) {
    std::vector<std::uint32_t>& all = waits_.positions;
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
    if (all.size() > first + 1) {
      std::sort(begin, all.end());
      all.erase(std::unique(begin, all.end()), all.end());
    }
    waits_.named[position] = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(all.size() - first)};
  }

  const std::vector<ProgramMessage>& list_;
  MessageWaits& waits_;
  OffsetNumbers numbers_;
  std::vector<PieceRange> ranges_;  // of the rank's operations, one after the other
  std::vector<Piece> pieces_;
  std::vector<Reader> readers_;
};

/// Sends before receives, of messages that belong together all sends first.
std::vector<MessageWaits::Operation> in_their_order(const ProgramMessages& messages) {
  const std::vector<ProgramMessage>& list = messages.list();
  std::vector<MessageWaits::Operation> operations;
  operations.reserve(2 * list.size());
  for (std::size_t first = 0, end = 0; first < list.size(); first = end) {
    end = first + 1;
    while (end < list.size() && list[end].with_last) ++end;
    for (const bool sends : {true, false})
      for (std::size_t m = first; m < end; ++m) operations.push_back({static_cast<std::uint32_t>(m), sends});
  }
  return operations;
}

}  // namespace

MessageWaits waits_of(const ProgramMessages& messages, std::int64_t ranks) {
  MessageWaits waits;
  waits.operations = in_their_order(messages);
  const std::size_t count = waits.operations.size();
  waits.named.resize(count);
  waits.positions.reserve(count);
  const auto rank_of = [&](const MessageWaits::Operation& op) {
    const ProgramMessage& message = messages.list()[op.message];
    return static_cast<std::size_t>(op.sends ? message.from : message.to);
  };
  // Rank by rank: what one has is near in memory.
  std::vector<std::size_t> first(static_cast<std::size_t>(ranks) + 1, 0);
  for (const MessageWaits::Operation& op : waits.operations) ++first[rank_of(op) + 1];
  for (std::size_t r = 1; r < first.size(); ++r) first[r] += first[r - 1];
  std::vector<std::uint32_t> by_rank(count);
  std::vector<std::size_t> filled(first.begin(), first.end() - 1);
  for (std::size_t i = 0; i < count; ++i)
    by_rank[filled[rank_of(waits.operations[i])]++] = static_cast<std::uint32_t>(i);
  WaitsFinder finder(messages, waits);
  for (std::size_t r = 0; r + 1 < first.size(); ++r) finder.find({by_rank.data() + first[r], first[r + 1] - first[r]});
  return waits;
}

}  // namespace sluice::detail
