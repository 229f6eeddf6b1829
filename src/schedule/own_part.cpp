#include "schedule/own_part.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <span>
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
    const bool combines = op.kind == Kind::kCombine;
    where_.clear();
    if (combines && !program_.commutative) {
      where_ = std::move(sides_[i]);
    } else {
      op.for_ranges([&](const ByteRange& range) { where_.push_back({range.offset, range.bytes}); });
    }
    for (Range& range : where_) {
      range.begin /= program_.element_bytes;
      range.count /= program_.element_bytes;
    }
    before_.clear();
    for (const std::int64_t before : op.after) before_.push_back(place_[static_cast<std::size_t>(before)]);
    OwnPart::Own end;
    end.peer = static_cast<std::int32_t>(op.peer);
    end.sends = op.kind == Kind::kSend;
    end.kind = combines ? MessageKind::kCombine : MessageKind::kKeep;
    place_[i] = part.add(end, where_, before_);
    if (!program_.pace.empty()) part.pace.push_back(program_.pace[i]);
  }

 private:
  const Program& program_;
  std::vector<std::vector<Range>> sides_;  ///< of OriginWalk
  std::vector<std::uint32_t> place_;       ///< of each operation among the ends of its rank
  std::vector<Range> where_;
  std::vector<std::uint32_t> before_;
};

/// Gives ranks their ends of the transfers of a schedule, in the order of the steps.
class StepCutter {
 public:
  StepCutter(const StepSchedule& schedule, const Lists<std::uint32_t>& waits) : waits_(waits) {
    std::int32_t step = 0;
    for (const Step& each : schedule.steps) {
      for (const Transfer& transfer : each.transfers) transfers_.push_back({&transfer, step});
      ++step;
    }
    if (!waits.empty()) later_ = inverted(waits, transfers_.size());
  }

  [[nodiscard]] std::size_t size() const { return transfers_.size(); }
  [[nodiscard]] const Transfer& operator[](std::size_t i) const { return *transfers_[i].transfer; }

  void reserve(OwnPart& part, std::size_t ends) const {
    part.ends.reserve(ends);
    part.ranges.reserve(ends, ends);
    if (waits_.empty()) return;
    part.permits.reserve(ends);
    part.grants.reserve(ends, 0);
  }
  void add_send(std::size_t i, OwnPart& part) { add(i, part, operator[](i).to, true); }
  void add_receive(std::size_t i, OwnPart& part) { add(i, part, operator[](i).from, false); }

 private:
  struct Place {
    const Transfer* transfer = nullptr;
    std::int32_t step = 0;
  };

  void add(std::size_t i, OwnPart& part, std::int64_t other, bool sends) {
    const Transfer& transfer = operator[](i);
    const auto peer = static_cast<std::int32_t>(other);
    OwnPart::Own end;
    end.peer = peer;
    end.sends = sends;
    end.step = transfers_[i].step;
    (void)part.add(end, Range{transfer.offset, transfer.size, false, peer});
    if (waits_.empty()) return;
    part.permits.push_back(sends ? 1 + static_cast<std::int32_t>(waits_[i].size()) : 0);
    hears_.clear();
    if (!sends)
      for (const std::uint32_t later : later_[i])
        hears_.push_back({static_cast<std::int32_t>(operator[](later).from), transfers_[later].step});
    part.grants.add(hears_);
  }

  const Lists<std::uint32_t>& waits_;
  std::vector<Place> transfers_;
  Lists<std::uint32_t> later_;  ///< by transfer: those that wait for it
  std::vector<OwnPart::Hears> hears_;
};

template <class Item>
std::int64_t bytes_of(const std::vector<Item>& items) {
  return static_cast<std::int64_t>(items.size() * sizeof(Item));
}

template <class Item>
std::int64_t bytes_of(const Lists<Item>& lists) {
  return static_cast<std::int64_t>(lists.size() * 2 * sizeof(std::uint32_t) + lists.values() * sizeof(Item));
}

/// Scales an offset in a message of `largest` elements to a message of `count`.
std::int64_t scaled(std::int64_t offset, std::int64_t count, std::int64_t largest) {
  if (count == largest) return offset;
  if (offset == largest) return count;
  return static_cast<std::int64_t>(static_cast<long double>(offset) * static_cast<long double>(count) /
                                   static_cast<long double>(largest));
}

}  // namespace

std::uint32_t OwnPart::add(Own end, std::span<const Range> where, std::span<const std::uint32_t> before) {
  if (!before.empty()) {
    while (after.size() < ends.size()) after.add();
    after.add(before);
  }
  end.count = 0;
  for (const Range& range : where) end.count += range.count;
  ranges.add(where);
  ends.push_back(end);
  return static_cast<std::uint32_t>(ends.size() - 1);
}

std::vector<std::uint32_t> ends_of(const OwnPart& part, bool sends, std::uint8_t lane) {
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < part.ends.size(); ++i)
    if (part.ends[i].sends == sends && part.ends[i].lane == lane) result.push_back(static_cast<std::uint32_t>(i));
  return result;
}

Lists<std::uint32_t> waiting_of(const OwnPart& part) { return inverted(part.after, part.ends.size()); }

std::int64_t bytes_of(const OwnPart& part) {
  return bytes_of(part.ends) + bytes_of(part.after) + bytes_of(part.ranges) + bytes_of(part.pace) +
         bytes_of(part.runs) + bytes_of(part.permits) + bytes_of(part.grants);
}

std::vector<OwnPart> cut(const Program& program) {
  std::vector<OwnPart> parts(static_cast<std::size_t>(program.ranks));
  Cutter cutter(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    cutter.add(i, parts[static_cast<std::size_t>(program.operations[i].rank)]);
  return parts;
}

OwnPart cut_for(const Program& program, std::int64_t rank) {
  OwnPart part;
  Cutter cutter(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].rank == rank) cutter.add(i, part);
  return part;
}

std::vector<OwnPart> cut(const StepSchedule& schedule, std::int64_t ranks, const Lists<std::uint32_t>& waits) {
  std::vector<OwnPart> parts(static_cast<std::size_t>(ranks));
  StepCutter cutter(schedule, waits);
  std::vector<std::size_t> ends(parts.size(), 0);  // by rank
  for (std::size_t i = 0; i < cutter.size(); ++i)
    for (const std::int64_t rank : {cutter[i].from, cutter[i].to}) ++ends[static_cast<std::size_t>(rank)];
  for (std::size_t rank = 0; rank < parts.size(); ++rank) cutter.reserve(parts[rank], ends[rank]);
  for (std::size_t i = 0; i < cutter.size(); ++i) {
    cutter.add_send(i, parts[static_cast<std::size_t>(cutter[i].from)]);
    cutter.add_receive(i, parts[static_cast<std::size_t>(cutter[i].to)]);
  }
  return parts;
}

OwnPart cut_for(const StepSchedule& schedule, std::int64_t rank, const Lists<std::uint32_t>& waits) {
  OwnPart part;
  StepCutter cutter(schedule, waits);
  for (std::size_t i = 0; i < cutter.size(); ++i) {
    if (cutter[i].from == rank) cutter.add_send(i, part);
    if (cutter[i].to == rank) cutter.add_receive(i, part);
  }
  return part;
}

OwnPart shrunk(const OwnPart& part, std::int64_t largest, std::int64_t count) {
  OwnPart result;
  std::vector<std::optional<std::uint32_t>> place(part.ends.size());  // none of what is empty
  std::vector<Range> where;
  std::vector<std::uint32_t> before;
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    where.clear();
    before.clear();
    for (Range range : part.ranges[i]) {
      const std::int64_t end = scaled(range.begin + range.count, count, largest);
      range.begin = scaled(range.begin, count, largest);
      range.count = end - range.begin;
      if (range.count > 0) where.push_back(range);
    }
    if (where.empty()) continue;
    for (const std::uint32_t each : part.after_of(i))
      if (place[each]) before.push_back(*place[each]);
    place[i] = result.add(part.ends[i], where, before);
    if (!part.pace.empty()) result.pace.push_back(part.pace[i]);
  }
  return result;
}

}  // namespace sluice::detail
