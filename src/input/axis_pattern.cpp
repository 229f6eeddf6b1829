#include "sluice/input/axis_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>

#include "input/modular.hpp"
#include "sluice/checked.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

using detail::floor_divide;
using detail::floor_modulo;
using detail::Int128;
using detail::inverse_modulo;

namespace {

constexpr std::int64_t kMaximum = std::numeric_limits<std::int64_t>::max();

/// How many positions of a run lie in 0 .. extent - 1. The run has `length` positions from `first` (> -length) and is
/// repeated every `period` positions.
std::int64_t positions_within(std::int64_t first, std::int64_t length, std::int64_t period, std::int64_t extent) {
  if (first >= extent) return 0;
  const std::int64_t last_start = (extent - 1 - first) / period;  // number of the last repetition that starts inside
  const std::int64_t tail = extent - (first + last_start * period);
  std::int64_t result = last_start * length + std::min(length, tail);
  if (first < 0) result += first;  // the part of the first repetition before position 0
  return result;
}

std::int64_t saturated_lcm(std::int64_t a, std::int64_t b) {
  const Int128 result = static_cast<Int128>(a / std::gcd(a, b)) * b;
  return result > kMaximum ? kMaximum : static_cast<std::int64_t>(result);
}

/// The normalisations of AxisPattern; `end` is the global index behind the sub-array on this side.
Axis normalised(const Axis& axis, const Axis& other, std::int64_t end, std::int64_t other_end) {
  Axis result = axis;
  if (axis.irregular) return result;
  const std::int64_t other_block = std::clamp<std::int64_t>(other_end, 1, other.block);
  if (axis.processes == 1) {
    result.block = other.processes == 1 || other.irregular
                       ? std::max<std::int64_t>({end, other_end, 1})
                       : checked::multiply(other.processes, other_block, "grid times block");
  } else {
    result.block = std::clamp<std::int64_t>(end, 1, axis.block);
  }
  return result;
}

void check_fits(const Axis& axis, std::int64_t start, std::int64_t extent, const char* side) {
  check(axis, side);
  if (extent < 0) throw InputError("sub-array", fmt::format("an extent of {}", extent), "at least 0");
  if (start < 0) throw InputError("sub-array", fmt::format("a {} start of {}", side, start), "at least 0");
  if (start > axis.extent || extent > axis.extent - start) {
    throw InputError(
        "sub-array",
        fmt::format("{} from {} on in a {} of {}", count_text(extent, "element"), start, side, axis.extent),
        "a sub-array inside the array");
  }
}

/// Calls visit(first, last) for the blocks of relative process `process`, in positions counted from global index
/// `start`, cut to the positions lo .. hi - 1, in increasing order.
template <class Visit>
void for_each_block(const Axis& axis, std::int64_t start, std::int64_t process, std::int64_t lo, std::int64_t hi,
                    Visit&& visit) {
  if (axis.irregular) {
    const IrregularBlocks& blocks = *axis.irregular;
    const std::span<const std::int64_t> own = blocks.blocks_of(Coordinate(process));
    const auto end_of = [&](std::int64_t number) { return blocks.begin(number + 1) - start; };
    for (auto at = std::ranges::upper_bound(own, lo, {}, end_of); at != own.end(); ++at) {
      const std::int64_t first = blocks.begin(*at) - start;
      if (first >= hi) return;
      visit(std::max(first, lo), std::min(end_of(*at), hi));
    }
    return;
  }
  const std::int64_t cycle = axis.processes * axis.block;
  const std::int64_t own = process * axis.block;
  // The first block that ends behind position lo; own + block <= cycle, so nothing here overflows.
  std::int64_t number = std::max<std::int64_t>(0, floor_divide(start - own - axis.block + lo, cycle) + 1);
  for (;; ++number) {
    const Int128 first = static_cast<Int128>(number) * cycle + own - start;
    if (first >= hi) return;
    const auto begin = static_cast<std::int64_t>(std::max<Int128>(first, lo));
    const auto end = static_cast<std::int64_t>(std::min<Int128>(first + axis.block, hi));
    visit(begin, end);
  }
}

/// The largest number of blocks of one process that meet the sub-array. If blocks are of any sizes, the number of
/// blocks of `process`.
std::int64_t blocks_inside(const Axis& axis, std::int64_t extent, std::int64_t process = 0) {
  if (axis.irregular) return std::ssize(axis.irregular->blocks_of(Coordinate(process)));
  return extent / (axis.processes * axis.block) + 2;
}

/// The number of positions lo .. hi - 1 that relative process `process` has.
std::int64_t count_between(const Axis& axis, std::int64_t start, std::int64_t process, std::int64_t lo,
                           std::int64_t hi) {
  if (axis.irregular) {
    std::int64_t result = 0;
    for_each_block(axis, start, process, lo, hi,
                   [&](std::int64_t first, std::int64_t last) { result += last - first; });
    return result;
  }
  const std::int64_t cycle = axis.processes * axis.block;
  const auto before = [&](std::int64_t global) {
    const std::int64_t rest = global % cycle - process * axis.block;
    return global / cycle * axis.block + std::clamp<std::int64_t>(rest, 0, axis.block);
  };
  return before(start + hi) - before(start + lo);
}

/// How many of the positions 0 .. end - 1 are both of `process` on its side and of `peer` on the other one, from the
/// blocks of `process`.
std::int64_t count_by_blocks(const Axis& own, std::int64_t own_start, std::int64_t process, const Axis& other,
                             std::int64_t other_start, std::int64_t peer, std::int64_t end) {
  std::int64_t result = 0;
  for_each_block(own, own_start, process, 0, end, [&](std::int64_t first, std::int64_t last) {
    result += count_between(other, other_start, peer, first, last);
  });
  return result;
}

/// The runs of a period, at most, of two axes with g = gcd(P r, Q s).
std::int64_t runs_of_period(const Axis& from, const Axis& to, std::int64_t gcd) {
  return (from.block + to.block - 1) / gcd + 1;
}

/// The messages of the owner of the positions first .. last - 1 of each of its blocks: adds up what falls to each peer.
void add_overlaps(const Axis& axis, std::int64_t start, std::int64_t first, std::int64_t last,
                  std::vector<AxisMessage>& messages) {
  if (axis.irregular) {
    const IrregularBlocks& blocks = *axis.irregular;
    for (std::int64_t number = blocks.block_of(GlobalIndex(start + first)); first < last; ++number) {
      const std::int64_t end = std::min(blocks.begin(number + 1) - start, last);
      messages.push_back({blocks.owner(number), end - first});
      first = end;
    }
    return;
  }
  // Every process gets a block of each whole cycle.
  const std::int64_t cycle = axis.processes * axis.block;
  if (const std::int64_t cycles = (last - first) / cycle; cycles > 1) {
    for (std::int64_t p = 0; p < axis.processes; ++p) messages.push_back({Coordinate(p), cycles * axis.block});
    first += cycles * cycle;
  }
  while (first < last) {
    const std::int64_t global = start + first;
    const std::int64_t left_in_block = axis.block - global % axis.block;
    const std::int64_t end = left_in_block < last - first ? first + left_in_block : last;
    messages.push_back({axis.owner(GlobalIndex(global)), end - first});
    first = end;
  }
}

/// The messages of relative process `process` of `own` if blocks of either side are of any sizes. They are found from
/// its blocks, or from the other side's blocks if its own are block-cyclic and more.
std::vector<AxisMessage> messages_between_blocks(const Axis& own, std::int64_t own_start, std::int64_t process,
                                                 const Axis& other, std::int64_t other_start, std::int64_t extent) {
  std::vector<AxisMessage> messages;
  if (other.irregular && !own.irregular && other.irregular->count() < blocks_inside(own, extent)) {
    const IrregularBlocks& blocks = *other.irregular;
    for (std::int64_t number = 0; number < blocks.count(); ++number) {
      const std::int64_t first = std::max<std::int64_t>(0, blocks.begin(number) - other_start);
      const std::int64_t last = std::min(extent, blocks.begin(number + 1) - other_start);
      const std::int64_t count = first < last ? count_between(own, own_start, process, first, last) : 0;
      if (count > 0) messages.push_back({blocks.owner(number), count});
    }
    return messages;
  }
  for_each_block(own, own_start, process, 0, extent, [&](std::int64_t first, std::int64_t last) {
    add_overlaps(other, other_start, first, last, messages);
  });
  return messages;
}

void sort_and_merge(std::vector<AxisMessage>& messages) {
  std::ranges::sort(messages, {}, &AxisMessage::peer);
  std::size_t kept = 0;
  for (const AxisMessage& message : messages) {
    if (kept > 0 && messages[kept - 1].peer == message.peer) {
      messages[kept - 1].count += message.count;
    } else {
      messages[kept++] = message;
    }
  }
  messages.resize(kept);
}

}  // namespace

std::int64_t IndexRuns::count() const {
  std::int64_t result = 0;
  for (const IndexRun& run : runs) result += positions_within(run.first, run.length, period, extent);
  return result;
}

AxisPattern::AxisPattern(const Axis& from, const Axis& to, std::int64_t from_start, std::int64_t to_start,
                         std::int64_t extent)
    : from_((check_fits(from, from_start, extent, "source"), from)),
      to_((check_fits(to, to_start, extent, "target"), to)),
      from_start_(from_start),
      to_start_(to_start),
      extent_(extent),
      is_irregular_(from.irregular || to.irregular),
      from_runs_(normalised(from, to, from_start + extent, to_start + extent)),
      to_runs_(normalised(to, from, to_start + extent, from_start + extent)),
      grid_(from_runs_, to_runs_, from_start, to_start) {
  if (is_irregular_) {
    period_ = kMaximum;
    gcd_ = to_multiplier_ = 1;
    return;
  }
  const std::int64_t from_cycle = from_runs_.processes * from_runs_.block;
  const std::int64_t to_cycle = to_runs_.processes * to_runs_.block;
  gcd_ = std::gcd(from_cycle, to_cycle);
  period_ = saturated_lcm(from_cycle, to_cycle);
  to_multiplier_ = inverse_modulo(from_cycle / gcd_, to_cycle / gcd_);
}

/// Calls visit(first, length, from) with `from`, the local index of `first` at the sender.
template <class Visit>
void AxisPattern::for_each_run_of_period(std::int64_t sender, std::int64_t receiver, Visit&& visit) const {
  const std::int64_t r = from_runs_.block;
  const std::int64_t s = to_runs_.block;
  const std::int64_t from_cycle = from_runs_.processes * r;
  const std::int64_t to_cycle = to_runs_.processes * s;
  const Int128 period = static_cast<Int128>(from_cycle / gcd_) * to_cycle;  // period_ may be cut to int64
  const std::int64_t from_first = sender * r - from_start_ % from_cycle;
  const std::int64_t to_first = receiver * s - to_start_ % to_cycle;
  // Every difference k = y - x = p r - q s - c (mod g) in 1 - r .. s - 1 is one run of a period.
  const std::int64_t lowest = 1 - r;
  const std::int64_t k_modulo = floor_modulo(floor_modulo(from_first, gcd_) - floor_modulo(to_first, gcd_), gcd_);
  std::int64_t k = lowest + floor_modulo(k_modulo - floor_modulo(lowest, gcd_), gcd_);
  if (k > s - 1) return;
  // Position i satisfies i = from_first + x (mod P r) and i = to_first + x + k (mod Q s): i = from_first + x + steps P
  // r, with steps = (to_first - from_first + k) / g times the inverse of P r / g (mod Q s / g). Steps grow by that
  // inverse from one run to the next.
  const std::int64_t modulus = to_cycle / gcd_;
  std::int64_t steps =
      detail::multiply_modulo(floor_modulo((to_first - from_first + k) / gcd_, modulus), to_multiplier_, modulus);
  for (; k <= s - 1; k += gcd_) {
    const std::int64_t x = std::max<std::int64_t>(0, -k);
    const std::int64_t length = std::min(r, s - k) - x;
    Int128 first = static_cast<Int128>(from_cycle) * steps + from_first + x;
    std::int64_t cycle = from_start_ / from_cycle + steps;  // the cycle of the source array that holds it
    if (first < 0) {
      first += period;
      cycle += modulus;
    }
    if (first + length > period) {  // reaches over the end of the period into the start
      first -= period;
      cycle -= modulus;
    }
    steps = to_multiplier_ < modulus - steps ? steps + to_multiplier_ : steps - (modulus - to_multiplier_);
    if (first < extent_) visit(static_cast<std::int64_t>(first), length, LocalIndex(cycle * r + x));
  }
}

template <class Visit>
void AxisPattern::for_each_overlap(std::int64_t sender, std::int64_t receiver, Visit&& visit) const {
  const auto blocks_of_sender = [&](std::int64_t lo, std::int64_t hi, auto&& use) {
    for_each_block(from_runs_, from_start_, sender, lo, hi, use);
  };
  const auto blocks_of_receiver = [&](std::int64_t lo, std::int64_t hi, auto&& use) {
    for_each_block(to_runs_, to_start_, receiver, lo, hi, use);
  };
  const auto add = [&](std::int64_t first, std::int64_t last) { visit(first, last - first); };
  if (blocks_inside(from_runs_, extent_, sender) <= blocks_inside(to_runs_, extent_, receiver)) {
    blocks_of_sender(0, extent_, [&](std::int64_t lo, std::int64_t hi) { blocks_of_receiver(lo, hi, add); });
  } else {
    blocks_of_receiver(0, extent_, [&](std::int64_t lo, std::int64_t hi) { blocks_of_sender(lo, hi, add); });
  }
}

bool AxisPattern::overlaps_are_fewer() const {
  if (is_irregular_) return true;
  if (extent_ >= period_) return false;
  // Outer blocks, and inside them the blocks of the other side.
  const std::int64_t from_blocks = blocks_inside(from_runs_, extent_);
  const std::int64_t to_blocks = blocks_inside(to_runs_, extent_);
  return std::min(from_blocks, to_blocks) +
             std::max(from_blocks, to_blocks) / std::max(from_.processes, to_.processes) <=
         runs_of_period(from_runs_, to_runs_, gcd_);
}

std::int64_t AxisPattern::slice() const {
  if (is_irregular_) return kMaximum;
  return saturated_lcm(from_.processes * from_.block, to_.processes * to_.block);
}

std::int64_t AxisPattern::count(Coordinate sender, Coordinate receiver) const {
  if (extent_ == 0) return 0;
  const std::int64_t p = from_.relative(sender);
  const std::int64_t q = to_.relative(receiver);
  const auto before = [&](std::int64_t end, bool by_sender) {
    return by_sender ? count_by_blocks(from_runs_, from_start_, p, to_runs_, to_start_, q, end)
                     : count_by_blocks(to_runs_, to_start_, q, from_runs_, from_start_, p, end);
  };
  if (is_irregular_) return before(extent_, from_runs_.irregular != nullptr);
  // The blocks of one side in a period, or its runs: long blocks of one side meet many short ones of the other.
  const std::int64_t part = std::min(extent_, period_);
  const std::int64_t from_blocks = blocks_inside(from_runs_, part), to_blocks = blocks_inside(to_runs_, part);
  if (std::min(from_blocks, to_blocks) <= runs_of_period(from_runs_, to_runs_, gcd_)) {
    const bool by_sender = from_blocks <= to_blocks;
    const std::int64_t rest = before(extent_ % period_, by_sender);
    return extent_ < period_ ? rest : extent_ / period_ * before(period_, by_sender) + rest;
  }
  // Each whole period has all positions of a run; what is left has some of the run that begins in it, or reached into
  // the period before, and of one that reaches over its end.
  const std::int64_t periods = period_ == kMaximum ? 0 : extent_ / period_;
  const std::int64_t rest = extent_ - periods * period_;
  std::int64_t result = 0;
  for_each_run_of_period(p, q, [&](std::int64_t first, std::int64_t length, LocalIndex) {
    result += periods * length + std::clamp<std::int64_t>(rest - first, 0, length) - std::max<std::int64_t>(-first, 0);
    if (first < 0) result += std::clamp<std::int64_t>(rest - period_ - first, 0, length);
  });
  return result;
}

IndexRuns AxisPattern::runs(Coordinate sender, Coordinate receiver) const {
  IndexRuns result;
  result.extent = extent_;
  result.period = period_;
  result.from_stride = period_ / from_.processes;
  result.to_stride = period_ / to_.processes;
  if (extent_ == 0) return result;
  const std::int64_t p = from_.relative(sender);
  const std::int64_t q = to_.relative(receiver);
  if (overlaps_are_fewer()) {
    for_each_overlap(p, q, [&](std::int64_t first, std::int64_t length) {
      result.runs.push_back({first, length, from_runs_.local(GlobalIndex(from_start_ + first)),
                             to_runs_.local(GlobalIndex(to_start_ + first))});
    });
  } else {
    result.runs.reserve(static_cast<std::size_t>(runs_of_period(from_runs_, to_runs_, gcd_)));
    const std::int64_t own = q * to_runs_.block;
    const std::int64_t to_cycle = to_runs_.processes * to_runs_.block;
    for_each_run_of_period(p, q, [&](std::int64_t first, std::int64_t length, LocalIndex from) {
      // The block's place counted from the receiver's first block: a cycle of the target array brings one block of the
      // receiver.
      const std::int64_t place = to_start_ + first - own;
      const std::int64_t cycle = floor_divide(place, to_cycle);
      result.runs.push_back({first, length, from, LocalIndex(place - cycle * (to_cycle - to_runs_.block))});
    });
    std::ranges::sort(result.runs, {}, &IndexRun::first);
  }
  return result;
}

std::vector<AxisMessage> AxisPattern::sends(Coordinate sender) const {
  std::vector<AxisMessage> messages;
  if (extent_ == 0) return messages;
  if (is_irregular_) {
    messages = messages_between_blocks(from_runs_, from_start_, from_.relative(sender), to_, to_start_, extent_);
  } else if (extent_ < period_) {
    for_each_block(from_runs_, from_start_, from_.relative(sender), 0, extent_,
                   [&](std::int64_t lo, std::int64_t hi) { add_overlaps(to_, to_start_, lo, hi, messages); });
  } else {
    grid_.for_each_receiver(from_.relative(sender), [&](std::int64_t receiver, std::int64_t) {
      const Coordinate peer = to_.absolute(receiver);
      messages.push_back({peer, count(sender, peer)});
    });
  }
  sort_and_merge(messages);
  return messages;
}

std::vector<AxisMessage> AxisPattern::receives(Coordinate receiver) const {
  std::vector<AxisMessage> messages;
  if (extent_ == 0) return messages;
  if (is_irregular_) {
    messages = messages_between_blocks(to_runs_, to_start_, to_.relative(receiver), from_, from_start_, extent_);
  } else if (extent_ < period_) {
    for_each_block(to_runs_, to_start_, to_.relative(receiver), 0, extent_,
                   [&](std::int64_t lo, std::int64_t hi) { add_overlaps(from_, from_start_, lo, hi, messages); });
  } else {
    grid_.for_each_sender(to_.relative(receiver), [&](std::int64_t sender, std::int64_t) {
      const Coordinate peer = from_.absolute(sender);
      messages.push_back({peer, count(peer, receiver)});
    });
  }
  sort_and_merge(messages);
  return messages;
}

std::int64_t slice_extent(const Axis& from, const Axis& to) {
  return checked::lcm(checked::multiply(from.processes, from.block, "grid times block"),
                      checked::multiply(to.processes, to.block, "grid times block"), "slice lcm(P r, Q s)");
}

}  // namespace sluice
