#include "run/mpi/collective/program_part.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>

#include "schedule/range_map.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

using Kind = ProgramOperation::Kind;
using sluice::detail::RangeMap;

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
  std::vector<std::vector<PartRange>> run() {
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

  static void add(std::vector<PartRange>& ranges, const PartRange& range) {
    if (!ranges.empty()) {
      PartRange& last = ranges.back();
      if (last.lower == range.lower && last.begin + last.count == range.begin) {
        last.count += range.count;
        return;
      }
    }
    ranges.push_back(range);
  }

  const Program& program_;
  std::vector<std::vector<PartRange>> lower_;  ///< by operation; of combines
  std::vector<RangeMap<std::int64_t>> held_;   ///< by rank: the lowest rank in each byte
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<std::vector<Carried>>> messages_;
};

/// An operation as its rank carries it out, without what it waits for.
PartOperation own_operation(const Program& program, const ProgramOperation& op) {
  PartOperation part{op.kind, op.peer, {}, {}, {}};
  op.for_ranges([&](const ByteRange& range) {
    part.ranges.push_back({range.offset / program.element_bytes, range.bytes / program.element_bytes, false});
  });
  return part;
}

Program without_operations(const Program& program) {
  Program shape = program;
  shape.operations.clear();
  shape.pace.clear();
  return shape;
}

/// Scales an offset in a message of `largest` bytes to a message of `bytes`.
std::int64_t scaled(std::int64_t offset, std::int64_t bytes, std::int64_t largest) {
  if (bytes == largest) return offset;
  if (offset == largest) return bytes;
  return static_cast<std::int64_t>(static_cast<long double>(offset) * static_cast<long double>(bytes) /
                                   static_cast<long double>(largest));
}

}  // namespace

std::vector<ProgramPart> parts_of(const Program& program) {
  std::vector<std::vector<PartRange>> sides;
  if (!program.commutative) sides = OriginWalk(program).run();
  const Program shape = without_operations(program);
  std::vector<ProgramPart> parts(static_cast<std::size_t>(program.ranks));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    parts[rank].shape = shape;
    parts[rank].rank = static_cast<std::int64_t>(rank);
  }
  std::vector<std::int64_t> place(program.operations.size());  // among the operations of the rank
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& op = program.operations[i];
    std::vector<PartOperation>& own = parts[static_cast<std::size_t>(op.rank)].operations;
    place[i] = static_cast<std::int64_t>(own.size());
    PartOperation part = own_operation(program, op);
    if (op.kind == Kind::kCombine && !program.commutative) {
      part.ranges = std::move(sides[i]);
      for (PartRange& range : part.ranges) {
        range.begin /= program.element_bytes;
        range.count /= program.element_bytes;
      }
    }
    for (const std::int64_t before : op.after) part.after.push_back(place[static_cast<std::size_t>(before)]);
    if (!program.pace.empty()) part.pace = program.pace[i];
    own.push_back(std::move(part));
  }
  return parts;
}

ProgramPart part_of(const Program& program, std::int64_t rank) {
  ProgramPart part;
  part.shape = without_operations(program);
  part.rank = rank;
  for (const ProgramOperation& op : program.operations) {
    PartOperation& own = part.operations.emplace_back(own_operation(program, op));
    own.after = op.after;
  }
  return part;
}

ProgramPart shrunk(const ProgramPart& part, std::int64_t bytes) {
  const std::int64_t largest = part.shape.size_bytes;
  ProgramPart result;
  result.shape = part.shape;
  result.shape.size_bytes = bytes;
  result.rank = part.rank;
  std::vector<std::int64_t> place(part.operations.size(), -1);  // none of what is empty
  for (std::size_t i = 0; i < part.operations.size(); ++i) {
    const PartOperation& op = part.operations[i];
    PartOperation own{op.kind, op.peer, {}, {}, op.pace};
    for (const PartRange& range : op.ranges) {
      const std::int64_t begin = scaled(range.begin, bytes, largest);
      const std::int64_t end = scaled(range.begin + range.count, bytes, largest);
      if (begin < end) own.ranges.push_back({begin, end - begin, range.lower});
    }
    if (own.ranges.empty()) continue;
    for (const std::int64_t before : op.after)
      if (place[static_cast<std::size_t>(before)] >= 0) own.after.push_back(place[static_cast<std::size_t>(before)]);
    place[i] = static_cast<std::int64_t>(result.operations.size());
    result.operations.push_back(std::move(own));
  }
  return result;
}

}  // namespace sluice::mpi::detail
