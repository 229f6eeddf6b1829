/// Circulant graphs: broadcasts in the fewest rounds for any number of ranks and segments, without communication.
///
/// Problem: the first of p ranks has n segments; all shall have them. In a round, a rank sends one segment and receives
/// one.
/// Method: q = ceil(log2 p) skips, s(q) = p and s(k) = ceil(s(k + 1) / 2). In round i, with k = i mod q, every position
/// r sends to r + s(k) and receives from r - s(k). The segments repeat in every phase of q rounds, increased by q. A
/// position gets exactly one of the q segments that begin in a phase first, numbered b: its base. That segment comes to
/// it along the canonical path from the root, by falling skips. From the previous phase it gets the other q - 1
/// segments, numbered e - q. In the first phases numbers below 0 are not sent. Beyond the last segment the last one
/// takes the place of all.
///  - Receives: for k = 0, 1, ..., take the path to the last position, by falling skips. It has three properties. It
///    reaches r - s(k) or a position before it. It does not reach back to r - s(k + 1). It begins with a skip that
///    has not served yet. One search in depth through the skips that are left finds it, and visits O(q) of them.
///  - Sends: what the position r + s(k) receives in round k. Deviation: its receives tell; the source finds most of
///    them without (O(q) instead of O(q^2) for all sends of a position).
/// Guarantee: n - 1 + q rounds, the fewest there can be. Reversed, a reduction takes as many.
/// Complexity: one rank's part O(q) time for what it receives, O(q^2) for what it sends; O(p (n + q)) for all.
/// Source: Traeff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast,
/// Reduction and All-Reduction" (2024), algorithms 1 to 6. Allgather: Traeff, "Optimal, Non-pipelined Reduce-scatter
/// and Allreduce Algorithms" (2024): in round k, position i gets from i + s(k) the next s(k + 1) - s(k) sets.
///
/// Example: p = 4, skips 1, 2, 4. Position 1 has base 0 (from the root by skip 1); position 2 base 1; position 3, which
/// is 0 + 2 + 1, base 0. With one segment: in round 0 the root sends it to 1 and in round 1 to 2, and 1 to 3.
#include "plan/patterns/circulant.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "plan/patterns/patterns.hpp"

namespace sluice::detail {
namespace {

using Skips = std::vector<std::int64_t>;

/// The last skip of the canonical path from 0 to `position`; q for position 0.
std::size_t base_of(std::int64_t position, const Skips& skips) {
  const std::size_t q = skips.size() - 1;
  std::int64_t reached = 0;
  for (std::size_t k = q; k-- > 0;) {
    if (reached + skips[k] == position) return k;
    if (reached + skips[k] < position) reached += skips[k];
  }
  return q;
}

/// The search for the segments of one position. Skips that are left are a list, by falling size, linked both ways; its
/// ends are at q + 1.
class ReceiveSearch {
 public:
  ReceiveSearch(std::int64_t position, const Skips& skips)
      : skips_(skips), q_(skips.size() - 1), target_(skips.back() + position), next_(q_ + 2), before_(q_ + 2) {
    for (std::size_t e = 0; e <= q_; ++e) {
      next_[e] = e == 0 ? end() : e - 1;
      before_[e] = e + 1;
    }
    next_[end()] = q_;
    before_[end()] = 0;
    const std::size_t base = base_of(position, skips);
    take(base);
    (void)search(0, q_, 0);
    for (std::size_t& each : found_) {
      const auto number = static_cast<std::int64_t>(each == q_ ? base : each);
      result_.push_back(each == q_ ? number : number - static_cast<std::int64_t>(q_));
    }
  }

  [[nodiscard]] Skips take_result() { return std::move(result_); }

 private:
  [[nodiscard]] std::size_t end() const { return q_ + 1; }
  void take(std::size_t e) {
    next_[before_[e]] = next_[e];
    before_[next_[e]] = before_[e];
  }

  /// From `reached` on, by skips from `e` down, for the rounds from k on; the first round that is left.
  std::size_t search(std::int64_t reached, std::size_t e, std::size_t k) {
    for (; e != end(); e = next_[e]) {
      const std::int64_t there = reached + skips_[e];
      if (k == q_ || there > target_ - skips_[k] || there >= least_) continue;
      if (there <= target_ - skips_[k + 1]) k = search(there, e, k);
      if (k == q_ || reached > target_ - skips_[k + 1]) return k;
      least_ = there;
      found_.push_back(e);
      ++k;
      take(e);
    }
    return k;
  }

  const Skips& skips_;
  std::size_t q_;
  std::int64_t target_;
  std::vector<std::size_t> next_, before_;
  std::int64_t least_ = std::int64_t{1} << 62;  ///< every next path ends before the last one found
  std::vector<std::size_t> found_;              ///< by round
  Skips result_;
};

}  // namespace

std::vector<std::int64_t> circulant_skips(std::int64_t ranks) {
  std::vector<std::int64_t> skips{ranks};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  std::reverse(skips.begin(), skips.end());
  return skips;
}

std::vector<std::int64_t> circulant_receives(std::int64_t position, const std::vector<std::int64_t>& skips) {
  return ReceiveSearch(position, skips).take_result();
}

std::vector<std::int64_t> circulant_sends(std::int64_t position, const std::vector<std::int64_t>& skips) {
  const std::size_t q = skips.size() - 1;
  const std::int64_t p = skips.back();
  std::vector<std::int64_t> result;
  for (std::size_t k = 0; k < q; ++k) result.push_back(circulant_receives((position + skips[k]) % p, skips)[k]);
  return result;
}

namespace {

/// The rounds of a broadcast of n segments: calls visit(k, segment) in a round that is number k of its phase.
/// segment(number) is the segment that a number of circulant_receives or circulant_sends stands for, -1 if it is none.
/// The last of the rounds, n - 1 + q in all, is the last of a phase.
template <class Visit>
void for_each_round(std::int64_t n, std::int64_t q, Visit visit) {
  const std::int64_t first = (q - (n - 1) % q) % q;
  for (std::int64_t round = first; round < first + n - 1 + q; ++round) {
    const std::int64_t phase = (round / q) * q - first;
    visit(static_cast<std::size_t>(round % q),
          [n, phase](std::int64_t number) { return number + phase < 0 ? -1 : std::min(number + phase, n - 1); });
  }
}

}  // namespace

MessageGraph circulant_broadcast(const Ranks& ranks, const Ranges& segments) {
  MessageGraph messages;
  const auto p = static_cast<std::int64_t>(ranks.size());
  const auto n = static_cast<std::int64_t>(segments.size());
  if (p < 2 || n == 0) return messages;
  const std::vector<std::int64_t> skips = circulant_skips(p);
  check_message_count((p - 1) * n);
  std::vector<std::vector<std::int64_t>> receives;
  for (std::int64_t r = 0; r < p; ++r) receives.push_back(circulant_receives(r, skips));
  for_each_round(n, std::ssize(skips) - 1, [&](std::size_t k, auto segment) {
    for (std::int64_t r = 1; r < p; ++r) {
      const std::int64_t number = segment(receives[static_cast<std::size_t>(r)][k]);
      if (number < 0) continue;
      const auto from = static_cast<std::size_t>((r + p - skips[k]) % p);
      messages.add(ranks[from], ranks[static_cast<std::size_t>(r)], segments[static_cast<std::size_t>(number)]);
    }
  });
  return messages;
}

MessageGraph circulant_broadcast_of(std::int64_t position, std::int64_t ranks, const Ranges& segments) {
  MessageGraph messages;
  const auto n = static_cast<std::int64_t>(segments.size());
  if (ranks < 2 || n == 0) return messages;
  const std::vector<std::int64_t> skips = circulant_skips(ranks);
  const std::vector<std::int64_t> receives = circulant_receives(position, skips);
  const std::vector<std::int64_t> sends = circulant_sends(position, skips);
  for_each_round(n, std::ssize(skips) - 1, [&](std::size_t k, auto segment) {
    const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t number) {
      if (to != 0 && number >= 0) messages.add(from, to, segments[static_cast<std::size_t>(number)]);
    };
    add(position, (position + skips[k]) % ranks, segment(sends[k]));
    add((position + ranks - skips[k]) % ranks, position, segment(receives[k]));
  });
  return messages;
}

MessageGraph circulant_allgather(const Ranks& ranks, const RangeSets& sets) {
  return allgather_by_skips(ranks, sets, circulant_skips(static_cast<std::int64_t>(ranks.size())));
}

}  // namespace sluice::detail
