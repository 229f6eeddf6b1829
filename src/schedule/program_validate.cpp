#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/byte_uses.hpp"
#include "schedule/most_combining.hpp"
#include "schedule/range_map.hpp"
#include "schedule/range_text.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice {
namespace {

using Kind = ProgramOperation::Kind;

/// A number for each of many, as good as random: splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t scrambled(std::uint64_t number) {
  number += 0x9e3779b97f4a7c15ULL;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebULL;
  return number ^ (number >> 31);
}

/// The ranks whose contributions some bytes combine. Sets of ranks are told apart by the sums of random numbers of
/// their members. If bytes are only moved, all sets are alike.
struct Origin {
  std::int64_t count = 0;
  std::uint64_t first = 0, second = 0;  ///< sums
  std::int64_t from = 0, to = 0;        ///< ranks from ... to - 1, if the order counts

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// Bytes of a message.
struct Carried {
  std::int64_t begin, end;
  Origin origin;
};

Origin origin_of(std::int64_t rank) {
  const auto seed = 2 * static_cast<std::uint64_t>(rank);
  return {1, scrambled(seed), scrambled(seed + 1), rank, rank + 1};
}

class ProgramValidator {
 public:
  explicit ProgramValidator(const Program& program) : p_(program) {}

  std::vector<Violation> run() {
    if (check_counts()) check_operations();
    // Without any operation, all have what they need: one rank, or no bytes. With listed blocks this has to be checked.
    if (violations_.empty() && !(p_.operations.empty() && p_.block_offsets.empty())) {
      match();
      if (violations_.empty()) check_after();
      if (violations_.empty()) order();
      if (violations_.empty()) carry_out();
    }
    if (violations_.empty()) check_end();
    return std::move(violations_);
  }

 private:
  template <class... Args>
  void report(std::int64_t step, std::int64_t rank, fmt::format_string<Args...> reason, Args&&... args) {
    violations_.push_back({step, rank, fmt::format(reason, std::forward<Args>(args)...)});
  }
  [[nodiscard]] const ProgramOperation& operation(std::int64_t position) const {
    return p_.operations[static_cast<std::size_t>(position)];
  }
  [[nodiscard]] std::int64_t operations() const { return static_cast<std::int64_t>(p_.operations.size()); }
  [[nodiscard]] static const char* name(Kind kind) {
    return kind == Kind::kSend ? "send" : kind == Kind::kReceive ? "receive" : "combine";
  }

  // ---- fields

  void check_pace() {
    if (p_.pace.size() != p_.operations.size()) {
      report(-1, -1, "a pace for {} of {}", p_.pace.size(),
             count_text(static_cast<std::int64_t>(p_.operations.size()), "operation"));
      return;
    }
    for (std::size_t i = 0; i < p_.pace.size(); ++i) {
      const auto [port_s, connection_s] = p_.pace[i];
      const auto at = static_cast<std::int64_t>(i);
      if (!std::isfinite(port_s) || port_s < 0 || !std::isfinite(connection_s) || connection_s < port_s)
        report(at, p_.operations[i].rank, "port_s is {} and connection_s {}, must be finite, at least 0 and rise",
               port_s, connection_s);
      else if (connection_s > 0 && p_.operations[i].kind != Kind::kSend)
        report(at, p_.operations[i].rank, "a {} with a pace, which only sends have", name(p_.operations[i].kind));
    }
  }

  void check_combining() {
    const std::vector<double>& by_rank = p_.combine_s_per_byte.by_rank();
    if (by_rank.empty()) {
      if (const double cost = p_.combine_s_per_byte.of(0); !detail::may_be_combining(cost))
        report(-1, -1, "combine_s_per_byte is {}, must be 0 to {}", cost, detail::kMostCombining);
      return;
    }
    if (std::cmp_not_equal(by_rank.size(), p_.ranks))
      report(-1, -1, "{}, must be one for each of {}", count_text(by_rank.size(), "combine cost"),
             count_text(p_.ranks, "rank"));
    if (const auto bad = std::ranges::find_if_not(by_rank, detail::may_be_combining); bad != by_rank.end())
      report(-1, -1, "combine cost {} of rank {}, must be 0 to {}", *bad, bad - by_rank.begin(),
             detail::kMostCombining);
  }

  /// Whether there is an array.
  bool check_counts() {
    if (p_.ranks < 1) report(-1, -1, "{}, must be at least 1", count_text(p_.ranks, "rank"));
    if (p_.size_bytes < 0) report(-1, -1, "size_bytes is {}, must be at least 0", p_.size_bytes);
    if (p_.root < 0 || p_.root >= p_.ranks)
      report(-1, -1, "root {} is not one of the {}", p_.root, count_text(p_.ranks, "rank"));
    if (!has_root(p_.problem) && p_.root != 0)
      report(-1, -1, "root {}, must be 0: {} has none", p_.root, to_string(p_.problem));
    if (p_.element_bytes < 1 || p_.size_bytes % p_.element_bytes != 0)
      report(-1, -1, "elements of {}, must be a divisor of {}", count_text(p_.element_bytes, "byte"), p_.size_bytes);
    if (!std::isfinite(p_.length_s) || p_.length_s < 0)
      report(-1, -1, "length_s is {}, must be finite and at least 0", p_.length_s);
    if (!std::isfinite(p_.bound_s) || p_.bound_s < 0)
      report(-1, -1, "bound_s is {}, must be finite and at least 0", p_.bound_s);
    else if (p_.bound_s > p_.length_s)
      report(-1, -1, "bound_s is {}, more than length_s, {}", p_.bound_s, p_.length_s);
    check_combining();
    if (!p_.block_offsets.empty()) check_blocks();
    if (!p_.pace.empty()) check_pace();
    if (!violations_.empty()) return false;
    try {
      bytes_ = array_bytes(p_);
    } catch (const InputError&) {
      report(-1, -1, "{} with {} each, more than 2^63 - 1 bytes", count_text(p_.ranks, "rank"),
             count_text(p_.size_bytes, "byte"));
      return false;
    }
    // The following checks keep a state for each rank. If blocks have other sizes and are listed, ranks may have none.
    if (p_.block_offsets.empty() && p_.ranks > 1 && bytes_ > 0 && p_.ranks > operations()) {
      report(-1, -1, "{} with {}, must have at least one each", count_text(p_.ranks, "rank"),
             count_text(operations(), "operation"));
      return false;
    }
    return true;
  }

  void check_blocks() {
    const std::vector<std::int64_t>& offsets = p_.block_offsets;
    if (!has_blocks(p_.problem)) {
      report(-1, -1, "block_bytes of {}, which has no blocks", to_string(p_.problem));
      return;
    }
    const auto blocks = static_cast<std::int64_t>(offsets.size()) - 1;
    const bool pairs = p_.problem == Collective::kAlltoall;
    if (p_.ranks < 1 || (pairs ? blocks % p_.ranks != 0 || blocks / p_.ranks != p_.ranks : blocks != p_.ranks)) {
      report(-1, -1, "{} block_bytes, must be one for each {} of {}", blocks, pairs ? "pair of ranks" : "rank",
             p_.ranks);
      return;
    }
    if (offsets.front() != 0) report(-1, -1, "the first block begins at {}, must at 0", offsets.front());
    if (offsets.back() != p_.size_bytes)
      report(-1, -1, "blocks of {} in all, must be size_bytes, {}", count_text(offsets.back(), "byte"), p_.size_bytes);
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      if (offsets[i] < offsets[i - 1] || (p_.element_bytes > 0 && offsets[i] % p_.element_bytes != 0)) {
        report(-1, -1, "block {} ends at {} and begins at {}, must be whole elements", i - 1, offsets[i],
               offsets[i - 1]);
        return;
      }
    }
  }

  void check_operations() {
    const bool combining = combines(p_.problem);
    for (std::int64_t i = 0; i < operations(); ++i) {
      const ProgramOperation& op = operation(i);
      if (op.rank < 0 || op.rank >= p_.ranks) {
        report(i, op.rank, "rank {} is not one of the {}, counted from 0", op.rank, p_.ranks);
        continue;
      }
      if (op.peer < 0 || op.peer >= p_.ranks || op.peer == op.rank)
        report(i, op.rank, "peer {} of rank {} is no other of {}", op.peer, op.rank, count_text(p_.ranks, "rank"));
      if (op.kind == Kind::kCombine && !combining)
        report(i, op.rank, "combine in a problem that combines nothing, {}", to_string(p_.problem));
      check_ranges(i);
      for (const std::int64_t before : op.after)
        if (before < 0 || before >= i || operation(before).rank != op.rank)
          report(i, op.rank, "after {} is no operation of rank {} that stands before", before, op.rank);
    }
  }

  void check_ranges(std::int64_t i) {
    const ProgramOperation& op = operation(i);
    std::vector<ByteRange> ranges;
    bool sound = true;
    op.for_ranges([&](const ByteRange& range) {
      ranges.push_back(range);
      if (range.offset < 0 || range.bytes < 1 || range.offset > bytes_ || range.bytes > bytes_ - range.offset) {
        report(i, op.rank, "{} at {}: no part of {}", count_text(range.bytes, "byte"), range.offset, bytes_);
        sound = false;
      } else if (range.offset % p_.element_bytes != 0 || range.bytes % p_.element_bytes != 0) {
        report(i, op.rank, "{} at {}: no whole elements of {}", count_text(range.bytes, "byte"), range.offset,
               p_.element_bytes);
        sound = false;
      }
    });
    if (!sound || ranges.size() < 2) return;
    std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.offset < b.offset; });
    for (std::size_t r = 1; r < ranges.size(); ++r)
      if (ranges[r].offset < ranges[r - 1].end()) report(i, op.rank, "byte {} twice in a message", ranges[r].offset);
  }

  // ---- messages

  /// Finds the receive of each send.
  void match() {
    struct End {
      std::int64_t from, to, position;
    };
    std::vector<End> sends, receives;
    for (std::int64_t i = 0; i < operations(); ++i) {
      const ProgramOperation& op = operation(i);
      if (op.kind == Kind::kSend)
        sends.push_back({op.rank, op.peer, i});
      else
        receives.push_back({op.peer, op.rank, i});
    }
    const auto less = [](const End& a, const End& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); };
    std::stable_sort(sends.begin(), sends.end(), less);
    std::stable_sort(receives.begin(), receives.end(), less);
    partner_.assign(p_.operations.size(), -1);
    same_pair_.assign(p_.operations.size(), -1);
    auto receive = receives.begin();
    const End* before = nullptr;
    for (const End& send : sends) {
      for (; receive != receives.end() && less(*receive, send); ++receive)
        report(receive->position, receive->to, "rank {} does not send it", receive->from);
      if (receive == receives.end() || less(send, *receive)) {
        report(send.position, send.from, "rank {} does not receive it", send.to);
        continue;
      }
      check_same_ranges(send.position, receive->position);
      partner_[static_cast<std::size_t>(send.position)] = receive->position;
      partner_[static_cast<std::size_t>(receive->position)] = send.position;
      if (before != nullptr && !less(*before, send))
        same_pair_[static_cast<std::size_t>(send.position)] = before->position;
      before = &send;
      ++receive;
    }
    for (; receive != receives.end(); ++receive)
      report(receive->position, receive->to, "rank {} does not send it", receive->from);
  }

  void check_same_ranges(std::int64_t send, std::int64_t receive) {
    const ProgramOperation &out = operation(send), &in = operation(receive);
    if (out.offset != in.offset || out.bytes != in.bytes)
      report(send, out.rank, "{} at {}, operation {} receives {} at {}", count_text(out.bytes, "byte"), out.offset,
             receive, in.bytes, in.offset);
    else if (out.more != in.more)
      report(send, out.rank, "operation {} receives other ranges", receive);
  }

  void check_after() {
    std::vector<detail::ByteUses> uses(static_cast<std::size_t>(p_.ranks));
    std::vector<std::int64_t> named;
    for (std::int64_t i = 0; i < operations(); ++i) {
      const ProgramOperation& op = operation(i);
      detail::ByteUses& of_rank = uses[static_cast<std::size_t>(op.rank)];
      named = op.after;
      std::sort(named.begin(), named.end());
      bool sound = true;  // one complaint at most
      op.for_ranges([&](const ByteRange& range) {
        if (!sound) return;
        of_rank.for_needed(op.kind, range, [&](std::int64_t needed) {
          sound = std::binary_search(named.begin(), named.end(), needed);
          if (!sound)
            report(i, op.rank, "{} does not wait for operation {}, a {} of bytes of the same range", name(op.kind),
                   needed, name(operation(needed).kind));
          return sound;
        });
      });
      op.for_ranges([&](const ByteRange& range) { of_rank.add(op.kind, range, i); });
    }
  }

  /// Makes order_ an order that lets everything happen: a send stands for the passing of its message, a receive or
  /// combine for its end.
  void order() {
    // The operations that wait for an operation, as lists in one array.
    std::vector<std::int64_t> waits(p_.operations.size(), 0), first(p_.operations.size() + 1, 0);
    std::vector<std::int64_t> last_receive(static_cast<std::size_t>(p_.ranks), -1);
    const auto for_edges = [&](auto use) {
      std::fill(last_receive.begin(), last_receive.end(), -1);
      for (std::int64_t i = 0; i < operations(); ++i) {
        const ProgramOperation& op = operation(i);
        const std::int64_t partner = partner_[static_cast<std::size_t>(i)];
        // A message that is combined comes to a buffer; a message that is kept comes to its place.
        const std::int64_t waiting = op.kind == Kind::kReceive ? partner : i;
        for (const std::int64_t before : op.after) use(before, waiting);
        if (op.kind == Kind::kSend) {
          if (const std::int64_t before = same_pair_[static_cast<std::size_t>(i)]; before >= 0) use(before, i);
          continue;
        }
        use(partner, i);
        std::int64_t& before = last_receive[static_cast<std::size_t>(op.rank)];
        if (before >= 0) use(before, partner);
        before = i;
      }
    };
    for_edges([&](std::int64_t before, std::int64_t later) {
      ++first[static_cast<std::size_t>(before) + 1];
      ++waits[static_cast<std::size_t>(later)];
    });
    for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    std::vector<std::int64_t> next(first.begin(), first.end() - 1);
    std::vector<std::int64_t> later_ones(static_cast<std::size_t>(first.back()));
    for_edges([&](std::int64_t before, std::int64_t later) {
      later_ones[static_cast<std::size_t>(next[static_cast<std::size_t>(before)]++)] = later;
    });
    for (std::int64_t i = 0; i < operations(); ++i)
      if (waits[static_cast<std::size_t>(i)] == 0) order_.push_back(i);
    for (std::size_t at = 0; at < order_.size(); ++at) {
      const auto passed = static_cast<std::size_t>(order_[at]);
      for (std::int64_t e = first[passed]; e < first[passed + 1]; ++e) {
        const std::int64_t later = later_ones[static_cast<std::size_t>(e)];
        if (--waits[static_cast<std::size_t>(later)] == 0) order_.push_back(later);
      }
    }
    for (std::int64_t i = 0; i < operations(); ++i)
      if (waits[static_cast<std::size_t>(i)] > 0)
        report(i, operation(i).rank, "{} never ends: ranks wait for each other", name(operation(i).kind));
  }

  // ---- contents

  [[nodiscard]] Origin initial(std::int64_t rank) const {
    return combines(p_.problem) ? origin_of(rank) : Origin{1, 0, 0, 0, 0};
  }

  void carry_out() {
    held_.resize(static_cast<std::size_t>(p_.ranks));
    for (std::int64_t rank = 0; rank < p_.ranks; ++rank)
      for (const ByteRange& range : ranges_at_start(p_, rank))
        held_[static_cast<std::size_t>(rank)].assign(range.offset, range.end(), initial(rank));
    std::vector<std::vector<Carried>> under_way(p_.operations.size());  // of each send
    for (const std::int64_t i : order_) {
      const ProgramOperation& op = operation(i);
      if (op.kind == Kind::kSend)
        send(i, under_way[static_cast<std::size_t>(i)]);
      else
        receive(i, std::exchange(under_way[static_cast<std::size_t>(partner_[static_cast<std::size_t>(i)])], {}));
      if (!violations_.empty()) return;
    }
  }

  void send(std::int64_t i, std::vector<Carried>& carried) {
    const ProgramOperation& op = operation(i);
    op.for_ranges([&](const ByteRange& range) {
      const bool whole = held_[static_cast<std::size_t>(op.rank)].visit(
          range.offset, range.end(), [&](std::int64_t begin, std::int64_t end, const Origin& origin) {
            carried.push_back({begin, end, origin});
          });
      if (!whole)
        report(i, op.rank, "rank {} does not have all of {} at {}", op.rank, count_text(range.bytes, "byte"),
               range.offset);
    });
  }

  void receive(std::int64_t i, const std::vector<Carried>& carried) {
    const ProgramOperation& op = operation(i);
    detail::RangeMap<Origin>& here = held_[static_cast<std::size_t>(op.rank)];
    if (op.kind == Kind::kReceive) {
      for (const Carried& each : carried) here.assign(each.begin, each.end, each.origin);
      return;
    }
    std::vector<Carried> combined;
    for (const Carried& each : carried) {
      (void)here.visit(each.begin, each.end, [&](std::int64_t begin, std::int64_t end, const Origin& own) {
        combined.push_back({begin, end, joined(own, each.origin, i)});
      });
    }
    for (const Carried& each : combined) here.assign(each.begin, each.end, each.origin);
  }

  Origin joined(const Origin& own, const Origin& other, std::int64_t position) {
    const std::int64_t rank = operation(position).rank;
    Origin both{own.count + other.count, own.first + other.first, own.second + other.second, 0, 0};
    if (both.count > p_.ranks)
      report(position, rank, "combines {} with {}, of {}", count_text(own.count, "rank"), other.count, p_.ranks);
    if (p_.commutative) return both;
    if (own.to != other.from && other.to != own.from)
      report(position, rank, "combines ranks {} with {}, which are not next to each other",
             detail::range_text(own.from, own.to - 1), detail::range_text(other.from, other.to - 1));
    both.from = std::min(own.from, other.from);
    both.to = std::max(own.to, other.to);
    return both;
  }

  void check_end() {
    if (bytes_ == 0 || p_.ranks == 1) return;
    Origin all;
    for (std::int64_t rank = 0; rank < p_.ranks && combines(p_.problem); ++rank) {
      const Origin each = origin_of(rank);
      all = {all.count + 1, all.first + each.first, all.second + each.second, 0, 0};
    }
    for (std::int64_t rank = 0; rank < p_.ranks; ++rank) {
      for (const ByteRange& range : ranges_at_end(p_, rank)) {
        std::int64_t covered = range.offset;
        (void)held_[static_cast<std::size_t>(rank)].visit(
            range.offset, range.end(), [&](std::int64_t begin, std::int64_t end, const Origin& origin) {
              if (begin > covered)
                report(-1, rank, "rank {} never has bytes {}", rank, detail::range_text(covered, begin - 1));
              covered = end;
              check_complete(rank, begin, end, origin, all);
            });
        if (covered < range.end())
          report(-1, rank, "rank {} never has bytes {}", rank, detail::range_text(covered, range.end() - 1));
      }
    }
  }

  void check_complete(std::int64_t rank, std::int64_t begin, std::int64_t end, const Origin& origin,
                      const Origin& all) {
    if (!combines(p_.problem)) return;
    if (origin.count != all.count)
      report(-1, rank, "rank {} has bytes {} combined of {}, not of {}", rank, detail::range_text(begin, end - 1),
             count_text(origin.count, "rank"), all.count);
    else if (origin.first != all.first || origin.second != all.second)
      report(-1, rank, "rank {} has bytes {} with some rank twice and another left out", rank,
             detail::range_text(begin, end - 1));
  }

  const Program& p_;
  std::int64_t bytes_ = 0;
  std::vector<std::int64_t> partner_;    // of each operation: the other end of its message
  std::vector<std::int64_t> same_pair_;  // of each send: the previous send to the same rank
  std::vector<std::int64_t> order_;
  std::vector<detail::RangeMap<Origin>> held_;
  std::vector<Violation> violations_;
};

}  // namespace

std::vector<Violation> validate(const Program& program) { return ProgramValidator(program).run(); }

}  // namespace sluice
