/// How long a reduce-scatter takes, without the clocks of all machines.
///
/// Problem: messages of reduce-scatter (reduce_scatter.cpp) are sent, received and combined in a given order, each when
/// the sender has what it sends and both ends are free. When is the root done?
/// Method: level by level, from all machines down to single ones. The groups of a level have one of two sizes, which
/// differ by one machine. Groups of one size do the same things, but begin at different times. So one group stands for
/// all of them: each of its machines is as late as the latest machine with its place in any of them. The machines of a
/// group differ by what is left over from odd numbers, which goes to the first 8 of a half. So these have clocks of
/// their own, and all others share one clock. A group has the largest share of elements that a group of its size can
/// have. Then the shares go back, from groups of a level to groups of the level above, of either size.
/// Guarantee: exact for powers of two that divide the elements. Otherwise rather too long than too short, compared with
/// a simulation of the clocks of up to 1000 machines. With 16 or more elements each, 2 % on average, 20 % at worst.
/// With one or two elements each, up to 40 %, because the largest share is then far from the mean.
/// Complexity: O(log n) time and memory, for messages in up to 8 parts. Deterministic.
/// Source: ours.
///
/// Example: the 3 machines of reduce_scatter.cpp are a group of 2 and a group of 1 at the next level, and three groups
/// of 1 at the last one; the first two of these count as one.
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "plan/reduce/halving.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kTold = Halving::kMostParts;  // machines of a group that have clocks of their own

/// What a machine has of others, and when.
struct Known {
  Range range;
  double done = 0;
};

struct Clock {
  double sends = 0;  ///< from when on it can send
  double receives = 0;
  double combines = 0;
  std::vector<Known> known;

  [[nodiscard]] double ready(const Range& range) const {
    double ready = 0;
    for (const Known& each : known)
      if (each.range.meets(range)) ready = std::max(ready, each.done);
    return ready;
  }

  /// Becomes as late as itself and `other`.
  void join(const Clock& other) {
    sends = std::max(sends, other.sends);
    receives = std::max(receives, other.receives);
    combines = std::max(combines, other.combines);
    for (const Known& each : other.known) {
      const auto same = [&](const Known& k) {
        return k.range.begin == each.range.begin && k.range.end == each.range.end;
      };
      const auto at = std::find_if(known.begin(), known.end(), same);
      if (at == known.end())
        known.push_back(each);
      else
        at->done = std::max(at->done, each.done);
    }
  }

  /// Keeps only the elements in `range`; elements are counted from the beginning of `range` from then on.
  void keep(const Range& range) {
    std::vector<Known> kept;
    for (const Known& each : known) {
      if (!each.range.meets(range)) continue;
      // The largest shares of groups may add up to a little more than the whole.
      const bool last = each.range.end >= range.end;
      kept.push_back({{std::max(each.range.begin, range.begin) - range.begin,
                       last ? std::numeric_limits<std::int64_t>::max() : each.range.end - range.begin},
                      each.done});
    }
    known = std::move(kept);
  }
};

/// The machines of a group: the first ones, and one for all others.
struct Group {
  std::int64_t count = 0;
  std::vector<Clock> clocks;

  explicit Group(std::int64_t machines)
      : count(machines), clocks(static_cast<std::size_t>(std::min(machines, kTold + 1))) {}
  [[nodiscard]] Clock& at(std::int64_t i) { return clocks[static_cast<std::size_t>(std::min(i, kTold))]; }
  [[nodiscard]] const Clock& at(std::int64_t i) const { return clocks[static_cast<std::size_t>(std::min(i, kTold))]; }
  void join(const Group& other) {
    for (std::size_t i = 0; i < clocks.size(); ++i) clocks[i].join(other.clocks[i]);
  }
};

void join(std::optional<Group>& to, Group&& group) {
  if (to)
    to->join(group);
  else
    to.emplace(std::move(group));
}

/// The first machine of a group, when it has all of the group's range.
struct Gathered {
  double sends = 0;
  double receives = 0;
  double done = 0;
};

class Levels {
 public:
  explicit Levels(const Halving& halving) : halving_(halving) {}

  double run() {
    // The present level: groups of `size` machines, and of one less.
    std::int64_t size = halving_.machines();
    std::optional<Group> larger{Group(size)};
    std::optional<Group> smaller;
    std::vector<std::int64_t> sizes;
    Gathered small;
    for (; size > 1; size = Halves(size).low) {
      sizes.push_back(size);
      if (size == 2 && smaller) small = single(*smaller);
      std::optional<Group> next_larger;
      std::optional<Group> next_smaller;
      const auto take = [&](Group&& half) {
        join(half.count == Halves(size).low ? next_larger : next_smaller, std::move(half));
      };
      for (const std::optional<Group>* group : {&larger, &smaller}) {
        if (!*group || (*group)->count < 2) continue;
        auto [low, high] = split(**group);
        take(std::move(low));
        take(std::move(high));
      }
      larger = std::move(next_larger);
      smaller = std::move(next_smaller);
    }

    Gathered large = single(*larger);
    for (; !sizes.empty(); sizes.pop_back()) {
      const Halves halves(sizes.back());
      const Gathered& high = halves.odd() ? small : large;
      const Gathered all = gather(large, high, halves.high);
      // One machine less: of an odd number, two halves as the smaller one; of an even number, the high one is smaller.
      if (sizes.back() > 2) small = gather(halves.odd() ? small : large, small, Halves(sizes.back() - 1).high);
      large = all;
    }
    return large.done;
  }

 private:
  /// The most elements that `machines` machines have.
  [[nodiscard]] std::int64_t share(std::int64_t machines) const {
    const std::int64_t each = halving_.elements() / halving_.machines();
    return machines * each + std::min(machines, halving_.elements() % halving_.machines());
  }

  /// Adds what is received to `received`.
  void send(Clock& from, Clock& to, const Range& range, std::vector<Known>& received) const {
    if (range.size() == 0) return;
    const double start = std::max({from.sends, to.receives, from.ready(range)});
    from.sends = to.receives = start + halving_.transfer(range.size());
    to.combines = std::max(to.receives, to.combines) + halving_.compute(range.size());
    received.push_back({range, to.combines});
  }

  [[nodiscard]] std::pair<Group, Group> split(const Group& group) const {
    const Halves halves(group.count);
    const Range low{0, share(halves.low)};
    const Range high{low.end, low.end + share(halves.high)};
    Group lows(halves.low);
    Group highs(halves.high);
    const std::int64_t parts = halving_.parts(low.size());
    for (std::int64_t i = 0; i < std::ssize(highs.clocks); ++i) {
      Clock one = group.at(i);
      Clock other = group.at(halves.low + i);
      std::vector<Known> of_one;
      std::vector<Known> of_other;
      for (std::int64_t part = 0; part < parts; ++part) {
        send(one, other, part_of(high, part, parts), of_other);
        send(other, one, part_of(low, part, parts), of_one);
      }
      // What comes last has been combined last: what was known before no longer matters.
      one.known = std::move(of_one);
      other.known = std::move(of_other);
      lows.at(i) = std::move(one);
      highs.at(i) = std::move(other);
    }
    if (halves.odd()) {
      Clock odd = group.at(halves.low - 1);
      const std::int64_t pieces = halving_.pieces(halves.high, high.size());
      for (std::int64_t i = 0; i < pieces; ++i) send(odd, highs.at(i), part_of(high, i, pieces), highs.at(i).known);
      lows.at(halves.low - 1).join(odd);
    }
    for (Clock& clock : lows.clocks) clock.keep(low);
    for (Clock& clock : highs.clocks) clock.keep(high);
    return {std::move(lows), std::move(highs)};
  }

  [[nodiscard]] static Gathered single(const Group& group) {
    const Clock& clock = group.at(0);
    Gathered gathered{clock.sends, clock.receives, 0};
    for (const Known& each : clock.known) gathered.done = std::max(gathered.done, each.done);
    return gathered;
  }

  /// The first machine of `low` gets what the first of `high` has: the share of `machines` machines.
  [[nodiscard]] Gathered gather(const Gathered& low, const Gathered& high, std::int64_t machines) const {
    const std::int64_t elements = share(machines);
    if (elements == 0) return low;
    const double end = std::max({high.sends, low.receives, high.done}) + halving_.transfer(elements);
    return {low.sends, end, std::max(low.done, end)};
  }

  const Halving& halving_;
};

}  // namespace

double length_of(const Halving& halving) { return Levels(halving).run(); }

}  // namespace sluice::detail
