#include "schedule/own_part.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "schedule/range_map.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

using Kind = ProgramOperation::Kind;
using Range = OwnPart::Range;

/// Carries a program out with nothing but the lowest rank that each byte is combined of.
class OriginWalk {
 public:
  explicit OriginWalk(const Program& program)
      : program_(program), lower_(program.operations.size()), held_(static_cast<std::size_t>(program.ranks)) {
    for (std::int64_t rank = 0; rank < program.ranks; ++rank)
      for (const ByteRange& range : ranges_at_start(program, rank))
        held_[static_cast<std::size_t>(rank)].assign(range.offset, range.end(), rank);
  }

  /// For each combine, its message in ranges that each come only from lower ranks, or only from higher ones.
  std::vector<std::vector<Range>> run() {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < program_.operations.size(); ++i) left.push_back(i);
    std::vector<char> done(left.size(), 0);
    while (!left.empty()) {
      // The first operations of their rank and kind that are left over; later ones must not overtake them.
      std::map<std::pair<std::int64_t, std::int64_t>, bool> held_back;
      std::vector<std::size_t> later;
      for (const std::size_t i : left) {
        const ProgramOperation& op = program_.operations[i];
        const bool sends = op.kind == Kind::kSend;
        bool& behind = held_back[{op.rank, sends ? op.peer : -1}];
        bool may = !behind && (sends || !messages_[{op.peer, op.rank}].empty());
        for (const std::int64_t before : op.after) may = may && done[static_cast<std::size_t>(before)] != 0;
        if (may) {
          carry_out(i);
          done[i] = 1;
        } else {
          behind = true;
          later.push_back(i);
        }
      }
      SLUICE_ASSERT(later.size() < left.size(), "a program whose ranks wait for each other");
      left = std::move(later);
    }
    return std::move(lower_);
  }

 private:
  struct Carried {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t lowest = 0;
  };

  void carry_out(std::size_t i) {
    const ProgramOperation& op = program_.operations[i];
    RangeMap<std::int64_t>& here = held_[static_cast<std::size_t>(op.rank)];
    if (op.kind == Kind::kSend) {
      std::vector<Carried> message;
      op.for_ranges([&](const ByteRange& range) {
        (void)here.visit(range.offset, range.end(), [&](std::int64_t begin, std::int64_t end, std::int64_t lowest) {
          message.push_back({begin, end, lowest});
        });
      });
      messages_[{op.rank, op.peer}].push_back(std::move(message));
      return;
    }
    std::deque<std::vector<Carried>>& queue = messages_[{op.peer, op.rank}];
    const std::vector<Carried> message = std::move(queue.front());
    queue.pop_front();
    for (const Carried& each : message) {
      std::vector<Carried> joined;
      if (op.kind == Kind::kCombine) {
        (void)here.visit(each.begin, each.end, [&](std::int64_t begin, std::int64_t end, std::int64_t own) {
          add(lower_[i], {begin, end - begin, each.lowest < own});
          joined.push_back({begin, end, std::min(own, each.lowest)});
        });
      } else {
        joined.push_back(each);
      }
      for (const Carried& part : joined) here.assign(part.begin, part.end, part.lowest);
    }
  }

  static void add(std::vector<Range>& ranges, const Range& range) {
    if (!ranges.empty()) {
      Range& last = ranges.back();
      if (last.lower == range.lower && last.begin + last.count == range.begin) {
        last.count += range.count;
        return;
      }
    }
    ranges.push_back(range);
  }

  const Program& program_;
  std::vector<std::vector<Range>> lower_;     ///< by operation; of combines
  std::vector<RangeMap<std::int64_t>> held_;  ///< by rank: the lowest rank in each byte
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<std::vector<Carried>>> messages_;
};

/// Gives ranks their operations of a program, one after the other in the order of the list.
class Cutter {
 public:
  explicit Cutter(const Program& program) : program_(program), place_(program.operations.size()) {
    if (!program.commutative) sides_ = OriginWalk(program).run();
  }

  void add(std::size_t i, OwnPart& part) {
    const ProgramOperation& op = program_.operations[i];
    place_[i] = part.add(op.peer, op.kind == Kind::kSend,
                         op.kind == Kind::kCombine ? MessageKind::kCombine : MessageKind::kKeep);
    const std::int64_t element = program_.element_bytes;
    if (op.kind == Kind::kCombine && !program_.commutative) {
      for (const Range& range : sides_[i]) part.add_range({range.begin / element, range.count / element, range.lower});
    } else {
      op.for_ranges([&](const ByteRange& range) {
        part.add_range({range.offset / element, range.bytes / element, false});
      });
    }
    for (const std::int64_t before : op.after) part.wait_for(place_[static_cast<std::size_t>(before)]);
    if (!program_.pace.empty()) part.pace.push_back(program_.pace[i]);
  }

 private:
  const Program& program_;
  std::vector<std::vector<Range>> sides_;  ///< of OriginWalk
  std::vector<std::uint32_t> place_;       ///< of each operation among the ends of its rank
};

/// Scales an offset in a message of `largest` elements to a message of `count`.
std::int64_t scaled(std::int64_t offset, std::int64_t count, std::int64_t largest) {
  if (count == largest) return offset;
  if (offset == largest) return count;
  return static_cast<std::int64_t>(static_cast<long double>(offset) * static_cast<long double>(count) /
                                   static_cast<long double>(largest));
}

}  // namespace

std::uint32_t OwnPart::add(std::int64_t peer, bool sends, MessageKind kind) {
  ends.push_back({static_cast<std::int32_t>(peer), sends, kind, 0});
  after.add();
  ranges.add();
  return static_cast<std::uint32_t>(ends.size() - 1);
}

void OwnPart::add_range(const Range& range) {
  ranges.push(range);
  ends.back().count += range.count;
}

std::vector<OwnPart> cut(const Program& program) {
  std::vector<OwnPart> parts(static_cast<std::size_t>(program.ranks));
  Cutter cutter(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    cutter.add(i, parts[static_cast<std::size_t>(program.operations[i].rank)]);
  return parts;
}

OwnPart cut(const Program& program, std::int64_t rank) {
  OwnPart part;
  Cutter cutter(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].rank == rank) cutter.add(i, part);
  return part;
}

OwnPart shrunk(const OwnPart& part, std::int64_t largest, std::int64_t count) {
  OwnPart result;
  std::vector<std::optional<std::uint32_t>> place(part.ends.size());  // none of what is empty
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    const OwnPart::Own& end = part.ends[i];
    for (const Range& range : part.ranges[i]) {
      const std::int64_t from = scaled(range.begin, count, largest);
      const std::int64_t to = scaled(range.begin + range.count, count, largest);
      if (from == to) continue;
      if (!place[i]) place[i] = result.add(end.peer, end.sends, end.kind);
      result.add_range({from, to - from, range.lower});
    }
    if (!place[i]) continue;
    for (const std::uint32_t before : part.after[i])
      if (place[before]) result.wait_for(*place[before]);
    if (!part.pace.empty()) result.pace.push_back(part.pace[i]);
  }
  return result;
}

}  // namespace sluice::detail
