/// Lower bounds of reductions whose costs differ, or that have dates, limits, parts and an order together.
///
/// Problem: see include/sluice/plan/reduce.hpp. Let d and c be the least costs of any transfer and any combination, and
/// d_u the least cost of a transfer from u. Let a_u be the date of u, T the length, S the number of parts. An order
/// only makes a reduction longer, so only the last of the bounds uses it. The largest of these is taken:
///  - Even costs. Make every transfer as short as d by starting it later, and every combination as short as c by ending
///    it earlier: nothing breaks, the end comes no later. So the optimum for d and c bounds T, with the same limits.
///  - Late machines. In the schedule made so, u sends no earlier than r_u = a_u + d_u - d. Backwards in time, the i
///    machines of largest r are inserted by T - r, with r the least of their r_u. The machines inserted by then, with
///    their transfers, are a reduction of at least i + 1 machines that takes T - r: no less than the optimum of i + 1
///    machines. This holds for every i.
///  - Ports. Backwards in time, let t_i be when the i-th machine is inserted, t_0 = 0. The i transfers until then take
///    at least the i least d_u together. They go through ports of machines that were inserted before, each free of them
///    from t_v + c_v on: the sum of the i least d_u <= the sum of max(0, t_i - t_v - c_v) over v < i. These machines
///    also combine i times, v at most (t_i - t_v - d) / c_v times. If the machines that combine are limited, only that
///    number of them counts. If transfers at once are limited to K: t_i >= c + the sum of the d_u over K. The i-th
///    cheapest path has to fit, too. The least t_i that all this allows, one after the other, are bounds on the true
///    ones; and T >= t_i + the i-th latest date.
///  - Ports of late machines. All transfers of the i machines of latest dates, S from each, start after a, the earliest
///    of these dates. T - a is at least the least t with S times the sum of their d_u <= the sum of max(0, t - t_v -
///    c_v), and likewise for combining.
///  - Load. All transfers: S times the sum of all d_u <= the sum of max(0, T - t_v - c_v - a_v), and likewise for
///    combining. The machine at each t_i is not known. Sums of max(0, T - t_i - c_j) are largest if the machine of the
///    i-th least c_j is the i-th. Reason: max(0, T - x - y) is supermodular in x and y. Putting two machines into this
///    order never makes the sum smaller. So c, or c + a, are taken in rising order, except for a given root, which is
///    the 0th. In the sum of combinations each of t_i, a_j and 1 / c_k is taken so, by itself. Any k machines have
///    windows whose sum is at most the sum of the k longest windows made so, and falling weights come to most on
///    falling windows.
///  - No limits. With few machines: the optimum of one part without limits (exact_mixed.hpp), order kept.
///  - Paths. The last part that u sends starts at a_u + (S - 1) d_u or later. What it is combined to has to reach the
///    root over transfers and combinations: T >= a_u + (S - 1) d_u + the cheapest path. The root also receives at least
///    S parts after its date.
///  - Work. A machine has time after its date and before it has to send (the cheapest path before T). It can receive
///    and combine only a limited number of times then, because its port and its processor each do one thing at a time.
///    With a limit on
///    the machines that combine, the best ones count. Together they must come to (n - 1) S.
///  - Limit on transfers. All transfers together take S times the sum of d_u, K at a time. Here, and in the load, pair
///    costs and a limit R on the machines that combine allow more. Take the sum of all transfers to a given root, less
///    the R - 1 largest savings. v saves the sum of what u pays less to v than to the root; machines together save no
///    more than each alone. If only the root combines, d_u is what u pays to it.
/// Complexity: O(n^2) if pairs have costs, otherwise O(n log n), with 60 lengths tried for `work`; and exact_mixed for
/// at most 8 machines, in an order 16. Deterministic.
/// Source: the first, Canon and Antoniu 2012 for the even problem; the others ours.
///
/// Example: root 0, c = 1, machines 1 to 8; machine 8 has d = 8, the others 1. Late machines, i = 1: r = 7, and two
/// machines take d + c = 2, so T >= 9: machine 8 sends at 0, its element is there at 8, combined at 9. The optimum is
/// 10, because the root receives nothing else in these 8 units.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "plan/reduce/check.hpp"
#include "plan/reduce/exact_mixed.hpp"
#include "plan/reduce/greedy.hpp"
#include "plan/reduce/mixed.hpp"
#include "plan/reduce/mixed_problem.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr double kNoWay = std::numeric_limits<double>::infinity();

class MixedBounds {
 public:
  MixedBounds(const ReduceProblem& problem, const MixedProblem& mixed)
      : problem_(problem),
        p_(mixed),
        costs_(mixed.costs()),
        n_(mixed.machines),
        parts_(static_cast<double>(mixed.segments)) {
    find_least_costs();
    find_all_transfers();
    find_paths();
  }

  [[nodiscard]] double lower() const {
    return std::max(
        {even_costs(n_), late_machines(), ports(), paths(), work(), limit_on_transfers(), without_limits()});
  }

  /// The length if all send to one machine, one transfer after the other, once all machines are there.
  [[nodiscard]] double upper() const {
    double least = kNoWay;
    for (std::int64_t root = p_.root == kAnyRoot ? 0 : p_.root; root < (p_.root == kAnyRoot ? n_ : p_.root + 1);
         ++root) {
      double length = static_cast<double>(n_ - 1) * costs_.compute(root);
      for (std::int64_t u = 0; u < n_; ++u)
        if (u != root) length += costs_.transfer(u, root);
      least = std::min(least, length);
      if (p_.root == kAnyRoot && root == kMostRoots) break;
    }
    double last = 0;
    for (const double date : p_.arrivals) last = std::max(last, date);
    return last + parts_ * least;
  }

 private:
  static constexpr std::int64_t kMostRoots = 4096;  ///< considered for the upper bound
  static constexpr std::int64_t kAllCounts = 4096;  ///< of machines; beyond, powers of two

  static std::size_t at(std::int64_t machine) { return static_cast<std::size_t>(machine); }
  [[nodiscard]] bool of_pairs() const { return !p_.transfer_costs.empty() && !is_for_each(p_.transfer_costs, n_); }

  void find_least_costs() {
    from_.assign(at(n_), kNoWay);
    to_.assign(at(n_), kNoWay);
    if (of_pairs()) {
      for (std::int64_t u = 0; u < n_; ++u)
        for (std::int64_t v = 0; v < n_; ++v) {
          if (u == v || u == p_.root || (only_root() && v != p_.root)) continue;
          from_[at(u)] = std::min(from_[at(u)], costs_.transfer(u, v));
          to_[at(v)] = std::min(to_[at(v)], costs_.transfer(u, v));
        }
    } else {
      for (std::int64_t u = 0; u < n_; ++u)
        if (u != p_.root) from_[at(u)] = costs_.transfer(u, u == 0 ? 1 : 0);
      to_.assign(at(n_), *std::min_element(from_.begin(), from_.end()));
    }
    least_.transfer = *std::min_element(from_.begin(), from_.end());
    least_.compute = costs_.compute(0);
    for (std::int64_t v = 1; v < n_; ++v) least_.compute = std::min(least_.compute, costs_.compute(v));
  }

  /// Whether only a given root may combine.
  [[nodiscard]] bool only_root() const { return p_.max_reducers == 1 && p_.root != kAnyRoot; }

  /// What all transfers of one part take together: to the root, less what other machines that may combine can save,
  /// each at most what it would save alone.
  void find_all_transfers() {
    double largest = 0;
    for (std::int64_t u = 0; u < n_; ++u) {
      if (u == p_.root) continue;
      all_transfers_ += from_[at(u)];
      largest = std::max(largest, from_[at(u)]);
    }
    if (p_.root == kAnyRoot) all_transfers_ -= largest;
    if (!of_pairs() || p_.max_reducers >= n_) return;
    std::vector<double> to(at(n_), 0), saved(at(n_), 0);
    for (std::int64_t v = 0; v < n_; ++v) {
      for (std::int64_t u = 0; u < n_; ++u) {
        if (u == v || u == p_.root) continue;
        to[at(v)] += costs_.transfer(u, v);
        if (p_.root != kAnyRoot) saved[at(v)] += std::max(0.0, costs_.transfer(u, p_.root) - costs_.transfer(u, v));
      }
    }
    if (p_.root != kAnyRoot) {
      double sum = to[at(p_.root)];
      std::sort(saved.begin(), saved.end(), std::greater<>());
      for (std::int64_t i = 0; i + 1 < p_.max_reducers; ++i) sum -= saved[at(i)];
      all_transfers_ = std::max(all_transfers_, sum);
    } else if (p_.max_reducers == 1) {
      all_transfers_ = std::max(all_transfers_, *std::min_element(to.begin(), to.end()));
    }
  }

  /// The cheapest way of an element from each machine to the root; 0 if any may be the root.
  void find_paths() {
    path_.assign(at(n_), 0);
    if (p_.root == kAnyRoot) return;
    // If only the sender counts, no detour is cheaper.
    for (std::int64_t u = 0; u < n_; ++u)
      if (u != p_.root) path_[at(u)] = costs_.transfer(u, p_.root) + costs_.compute(p_.root);
    if (!of_pairs() || only_root()) return;
    std::vector<char> known(at(n_), 0);
    known[at(p_.root)] = 1;
    for (std::int64_t round = 1; round < n_; ++round) {
      std::int64_t next = -1;
      for (std::int64_t u = 0; u < n_; ++u)
        if (known[at(u)] == 0 && (next < 0 || path_[at(u)] < path_[at(next)])) next = u;
      known[at(next)] = 1;
      for (std::int64_t u = 0; u < n_; ++u)
        if (known[at(u)] == 0)
          path_[at(u)] = std::min(path_[at(u)], costs_.transfer(u, next) + costs_.compute(next) + path_[at(next)]);
    }
  }

  /// The optimum of `machines` machines for the least costs, with the limits, or a bound on it.
  [[nodiscard]] double even_costs(std::int64_t machines) const {
    if (least_.transfer == 0 && least_.compute == 0) return 0;
    ReduceProblem even;
    even.machines = machines;
    even.transfer = least_.transfer;
    even.compute = least_.compute;
    even.max_transfers = problem_.max_transfers;
    even.max_reducers = problem_.max_reducers;
    return reduce_bounds(even).best;
  }

  [[nodiscard]] double late_machines() const {
    std::vector<double> sends;
    for (std::int64_t u = 0; u < n_; ++u)
      if (u != p_.root) sends.push_back(p_.date(u) + from_[at(u)] - least_.transfer);
    std::sort(sends.begin(), sends.end(), std::greater<>());
    // One of all may be the root.
    const std::size_t skipped = p_.root == kAnyRoot ? 1 : 0;
    double bound = 0;
    for (std::size_t i = 1; i + skipped <= sends.size(); i = n_ <= kAllCounts ? i + 1 : 2 * i)
      bound = std::max(bound, sends[i - 1 + skipped] + even_costs(static_cast<std::int64_t>(i) + 1));
    return bound;
  }

  /// Machines that work from some time on, each at a rate of its own: when they have done how much.
  class Workers {
   public:
    /// @pre not before what `until` has found
    void add(double begin, double rate) {
      if (rate == kNoWay)
        at_once_ = std::min(at_once_, begin);
      else
        later_.emplace(begin, rate);
    }
    /// When they have done `needed`, which is no less than before.
    double until(double needed) {
      for (;;) {
        const double time = std::min(at_once_, rate_ > 0 ? (needed + begun_) / rate_ : kNoWay);
        if (later_.empty() || later_.top().first >= time) return time;
        const auto [begin, rate] = later_.top();
        later_.pop();
        rate_ += rate;
        begun_ += rate * begin;
      }
    }

   private:
    using Later = std::pair<double, double>;
    std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
    double at_once_ = kNoWay;
    double rate_ = 0;
    double begun_ = 0;  // sum of rate * begin of the machines that work
  };
  /// What transfers take, through ports, and how often is combined.
  struct Loads {
    Workers ports, combining;

    void add(double port_begins, double combining_begins, double compute) {
      ports.add(port_begins, 1);
      combining.add(combining_begins, compute > 0 ? 1 / compute : kNoWay);
    }
    double until(double transfers, double combinations) {
      return std::max(ports.until(transfers), combining.until(combinations));
    }
  };

  /// The values in rising order; a given root comes first.
  template <class Of>
  [[nodiscard]] std::vector<double> in_order(Of of) const {
    std::vector<double> result;
    for (std::int64_t v = 0; v < n_; ++v) result.push_back(of(v));
    if (p_.root != kAnyRoot) std::swap(result[0], result[at(p_.root)]);
    std::sort(result.begin() + (p_.root == kAnyRoot ? 0 : 1), result.end());
    return result;
  }

  [[nodiscard]] double ports() const {
    std::vector<double> costs;
    std::vector<std::pair<double, double>> late;  // date and cost, the latest first
    for (std::int64_t u = 0; u < n_; ++u) {
      if (u == p_.root) continue;
      costs.push_back(from_[at(u)]);
      late.emplace_back(p_.date(u), from_[at(u)]);
    }
    std::sort(costs.begin(), costs.end());
    std::sort(late.begin(), late.end(), std::greater<>());
    const std::vector<double> combining = in_order([&](std::int64_t v) { return costs_.compute(v); });
    const std::vector<double> dates = in_order([&](std::int64_t v) { return p_.date(v); });
    const std::vector<double> both = in_order([&](std::int64_t v) { return p_.date(v) + costs_.compute(v); });
    const std::vector<double> paths = in_order([&](std::int64_t v) { return path_[at(v)]; });
    // One of all may be the root.
    const std::size_t skipped = p_.root == kAnyRoot ? 1 : 0;
    const std::size_t inserted = costs.size() - skipped;
    const auto counts = [&](std::size_t i) { return std::cmp_less(i, p_.max_reducers); };
    const double first = least_.transfer;
    double bound = 0;
    std::vector<double> times{0};
    Loads until_now;
    double transfers = 0;  // what the first i take
    for (std::size_t i = 1; i <= inserted; ++i) {
      if (counts(i - 1)) until_now.add(times[i - 1] + combining[i - 1], times[i - 1] + first, combining[i - 1]);
      transfers += costs[i - 1];
      double time = std::max({times.back(), paths[i], until_now.until(transfers, static_cast<double>(i))});
      if (p_.max_transfers != kNoLimit)
        time = std::max(time, least_.compute + transfers / static_cast<double>(p_.max_transfers));
      times.push_back(time);
      bound = std::max(bound, time + late[i - 1 + skipped].first);
    }
    Loads of_late, of_all;
    for (std::size_t i = 0; i < times.size() && counts(i); ++i) {
      of_late.add(times[i] + combining[i], times[i] + first, combining[i]);
      of_all.add(times[i] + both[i], times[i] + dates[i] + first, combining[i]);
    }
    double sum = 0, largest = 0;
    for (std::size_t i = 0; i < late.size(); ++i) {
      sum += late[i].second;
      largest = std::max(largest, late[i].second);
      if (i < skipped) continue;
      const double needed = parts_ * (skipped == 0 ? sum : sum - largest);
      const double combinations = parts_ * static_cast<double>(i + 1 - skipped);
      bound = std::max(bound, late[i].first + of_late.until(needed, combinations));
      if (i + 1 == late.size()) {
        bound = std::max(bound, of_all.until(std::max(needed, parts_ * all_transfers_), combinations));
      }
    }
    return bound;
  }

  /// The bound for one part of each machine.
  [[nodiscard]] double without_limits() const {
    constexpr std::int64_t kFewForSets = 8, kFewForRuns = 16;
    if (n_ > (p_.commutative ? kFewForSets : kFewForRuns)) return 0;
    MixedProblem one = p_;
    one.segments = 1;
    one.max_transfers = one.max_reducers = kNoLimit;
    return exact_mixed(one).length;
  }

  [[nodiscard]] double paths() const {
    double longest = 0;
    double second = 0;
    const auto add = [&](double length) {
      second = std::max(second, std::min(longest, length));
      longest = std::max(longest, length);
    };
    for (std::int64_t u = 0; u < n_; ++u) {
      if (u == p_.root) {
        const double d = to_[at(u)];
        const double c = costs_.compute(u);
        add(p_.date(u) + std::max(parts_ * d + c, d + parts_ * c));
      } else {
        const double rest = p_.root == kAnyRoot ? from_[at(u)] + least_.compute : path_[at(u)];
        add(p_.date(u) + (parts_ - 1) * from_[at(u)] + rest);
      }
    }
    return p_.root == kAnyRoot ? second : longest;
  }

  [[nodiscard]] double work() const {
    const double needed = static_cast<double>(n_ - 1) * parts_;
    std::vector<double> counts(at(n_));
    const auto enough = [&](double length) {
      for (std::int64_t v = 0; v < n_; ++v) {
        const double d = to_[at(v)];
        const double c = costs_.compute(v);
        const double time = length - path_[at(v)] - p_.date(v) - d - c;
        const double turn = std::max(d, c);
        counts[at(v)] = !(time >= 0) ? 0 : turn > 0 ? std::min(needed, 1 + std::floor(time / turn + 1e-9)) : needed;
      }
      if (p_.max_reducers < n_) {
        // A given root is one of them.
        const std::ptrdiff_t given = p_.root == kAnyRoot ? 0 : 1;
        if (given > 0) std::swap(counts[0], counts[at(p_.root)]);
        std::nth_element(counts.begin() + given, counts.begin() + static_cast<std::ptrdiff_t>(p_.max_reducers),
                         counts.end(), std::greater<>());
      }
      double sum = 0;
      for (std::int64_t i = 0; i < std::min(n_, p_.max_reducers); ++i) sum += counts[at(i)];
      return sum >= needed;
    };
    double low = 0;
    double high = upper();
    for (int i = 0; i < 60 && low < high; ++i) {
      const double middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return low;
  }

  [[nodiscard]] double limit_on_transfers() const {
    if (p_.max_transfers == kNoLimit) return 0;
    double first = kNoWay;
    for (std::int64_t u = 0; u < n_; ++u) first = std::min(first, p_.date(u));
    return first + parts_ * all_transfers_ / static_cast<double>(p_.max_transfers) + least_.compute;
  }

  const ReduceProblem& problem_;
  const MixedProblem& p_;
  MachineCosts costs_;
  std::int64_t n_;
  double parts_;
  std::vector<double> from_, to_;  // least costs of a transfer from and to a machine
  std::vector<double> path_;
  double all_transfers_ = 0;
  ReduceCosts least_;
};

}  // namespace

ReduceBounds mixed_bounds(const ReduceProblem& problem) {
  const MixedProblem mixed(problem, problem.segments);
  if (mixed.machines == 1) return {{mixed.date(0), mixed.date(0)}, mixed.date(0)};
  const MixedBounds bounds(problem, mixed);
  ReduceBounds result;
  const double lower = bounds.lower();
  result.simple.upper = bounds.upper();
  SLUICE_ASSERT(lower <= result.simple.upper * (1 + kRoundingOfSums),
                fmt::format("lower bound {} above the upper one, {}", lower, result.simple.upper));
  result.best = result.simple.lower = std::min(lower, result.simple.upper);
  return result;
}

}  // namespace sluice::detail
