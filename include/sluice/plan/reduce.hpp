#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Plans reductions whose transfers overlap with combining: n machines hold an element each, a transfer takes d,
/// combining two elements takes c, and a machine receives from one other at a time while it combines. The model is that
/// of tree_schedule.hpp.
///
/// Times and costs are in the user's unit, the same for all.
namespace sluice {

/// Lets the planner choose the root.
inline constexpr std::int64_t kAnyRoot = -1;

/// Who reduces what, and what it costs.
struct ReduceProblem {
  std::int64_t machines = 1;  ///< n, 1 to 2^30; 2^62 for the plain summary of greedy
  double transfer = 0;        ///< d of a whole element
  double compute = 0;         ///< c of a whole element; not both 0
  /// In the place of `transfer`, which is 0 then: d of each sender, or of each pair, a row for each sender (the entry
  /// of a machine and itself stands for nothing).
  std::vector<double> transfer_costs;
  std::vector<double> compute_costs;          ///< in the place of `compute`: c of each machine that combines
  std::optional<std::int64_t> max_transfers;  ///< at most so many transfers at once, at least 1
  std::optional<std::int64_t> max_reducers;   ///< at most so many machines combine, at least 1
  bool commutative = true;                    ///< else elements are combined in the order of the machines
  std::int64_t root = 0;                      ///< who gets the result, or kAnyRoot
  std::vector<double> arrivals;               ///< empty, or for each machine the date from which on it takes part

  /// Parts an element is cut into, or 0: the planner chooses, at most `max_segments`.
  std::int64_t segments = 1;
  std::int64_t max_segments = 256;  ///< at least 1; read where `segments` is 0
  /// The share of `transfer` that each part costs however short it is: one of S parts takes overhead + (transfer -
  /// overhead) / S. At most `transfer`.
  double transfer_overhead = 0;
  double compute_overhead = 0;  ///< the same share of `compute`

  friend bool operator==(const ReduceProblem&, const ReduceProblem&) = default;
};

/// The `transfer_costs` of a reduction among the ranks of `platform`, each of which has an element of `bytes` bytes, in
/// seconds: latency and gap of the way from rank to rank, as if nothing else were on it. Throws InputError for a bad
/// platform, negative bytes, and more than 2^13 ranks.
[[nodiscard]] std::vector<double> transfer_costs_over(const Platform& platform, std::int64_t bytes);

/// How to plan a reduction.
struct ReduceOptions {
  std::string algorithm = "auto";  ///< one that algorithms("reduce") names, or "auto"
  std::int64_t arity = 4;          ///< of "k-ary"
  bool transfers = true;           ///< false: only the summary, `schedule.transfers` stays empty
  double effort = 1;               ///< above 0; of "auto" where it searches: so many times the usual work
};

/// A schedule, how good it is, and what kind of tree it is.
struct ReducePlan {
  TreeSchedule schedule;          ///< bound.lower and bound.upper are those of reduce_bounds
  double optimum_at_least = 0;    ///< no schedule is shorter: the best that is known, at least bound.lower
  bool optimal = false;           ///< whether the length is optimum_at_least
  std::int64_t transfers = 0;     ///< how many; (n - 1) * segments
  std::int64_t reducers = 0;      ///< machines that combine
  std::int64_t max_children = 0;  ///< the largest number of machines that send to one
  std::int64_t depth = 0;         ///< transfers on the longest path to the root
};

/// Plans `problem`. `schedule.algorithm` is the name asked for, and the limits, dates and costs of a part are in the
/// schedule. Deterministic.
///
/// "greedy" and "auto" take O(n) time and memory; without transfers O(log^4 n) time, with a limit O(n / limit) times
/// that at most. Dates of arrival: O(n) for each of about 50 lengths that are tried. Given trees: O(n log n). "exact"
/// takes exponential time.
///
/// Costs that differ, dates with a limit, parts or an order, and parts with a limit make a problem whose optimum no
/// algorithm here finds for many machines: "greedy" and "auto" are heuristics then (src/plan/reduce/mixed_search.cpp),
/// and `optimum_at_least` says how far from the optimum they can be. They take O(n^2) time, "auto" a number of moves
/// that `effort` allows. Without limits and in one part "exact" finds the optimum of up to 12 machines, of 64 in order,
/// and "auto" that of 9, of 64 in order, and of 6 with limits. Costs that are given for each machine and are all the
/// same are planned as one; beside other limits or costs that differ, limits that no tree can break are planned as
/// none.
///
/// Throws InputError for an unknown algorithm or one that does not apply, saying why: limits that a given tree breaks,
/// a root in the middle of a tree that cannot be split around it, "exact" beyond its machines. And for machines below 1
/// or beyond the range, costs that are negative or not finite or both 0, overheads above the whole, limits below 1, a
/// root out of range, dates that are not one per machine or not finite or negative, and for a length that is not finite
/// or, for costs that are whole numbers, beyond 2^53: doubles are not exact there.
[[nodiscard]] ReducePlan plan_reduce(const ReduceProblem& problem, const ReduceOptions& options = {});

/// What is known about the shortest schedule without planning it. The number of parts S is that of `problem`, and above
/// 0.
struct ReduceBounds {
  TreeBound simple;  ///< see below
  double best = 0;   ///< the largest lower bound
};

/// Without limits, dates and parts:
///  - simple.lower = ceil(log2 n) max(d, c), Lemma 5; simple.upper = ceil(log2 n) (d + c), Proposition 6;
///  - best = the optimum, by the recurrence of most_machines.
/// With at most K transfers at once, also:
///  - lower >= ceil((n - 1) / K) d + c, as at most K of n - 1 transfers run side by side;
///  - upper = (floor(log2 K) + 1 + ceil((n - 2^(floor(log2 K) + 1)) / K)) (d + c), for K <= n / 2 (a larger K limits
///    nothing). Proposition 8 says ceil(n / K - 2) for the second term, which does not hold unless K is a power of two:
///    n = 6, K = 3, d = 0 needs 3 c, not 2 c.
/// With at most K reducers:
///  - lower >= d + (ceil((n - 1) / K) - 1) max(d, c) + c, the bound of degree_bound for the busiest of them;
///  - upper as above (Corollary 11 says ceil(log2 K + 1), which holds).
/// With one limit, best is the length of Algorithm 2 or 3, which are optimal. With both, the larger of the two.
/// With dates: lower >= (k-th latest date) + the bound for k machines, for k = 1, 2, 4, ...; upper counts from the last
/// date on; best is the larger of lower and the optimum without dates.
/// With S parts, lower >= S d + c and d + S c, and upper is S times that of one part.
/// With costs that differ, and with dates, limits, parts and an order together, lower = best is the largest of the
/// bounds that src/plan/reduce/mixed_bounds.cpp proves, and upper is what it takes to send all elements to one machine,
/// one after the other.
///
/// Throws as plan_reduce does.
[[nodiscard]] ReduceBounds reduce_bounds(const ReduceProblem& problem);

/// The largest number of machines whose elements can be reduced within `length`, 2^63 - 1 if more. The recurrence is
///
///     N(T) = N(T - max(c, d)) + N(T - c - d), N(T) = 1 for T < c + d
///
/// (the root's last combination splits the schedule into what it had before and what it received last), solved in
/// closed form: N(T) = 1 + sum of C(a + b - 1, a) over all a >= 0 and b >= 1 with a max(c, d) + b (c + d) <= T.
[[nodiscard]] std::int64_t most_machines(double length, double transfer, double compute);

/// The length of the shortest schedule for `machines`: the least T with most_machines(T) >= machines. O(log^4 n) time.
[[nodiscard]] double shortest_length(std::int64_t machines, double transfer, double compute);

/// A schedule in which a machine receives from `children` others takes d + (children - 1) max(d, c) + c at least.
/// Section 5.
[[nodiscard]] double degree_bound(std::int64_t children, double transfer, double compute);
/// A schedule with `depth` transfers in a row takes depth (d + c) at least. Section 5.
[[nodiscard]] double depth_bound(std::int64_t depth, double transfer, double compute);

/// The factor by which each of the two strategies of section 7 is longer than the optimum in its worst case.
struct StrategyRatios {
  std::int64_t machines = 0;  ///< n
  double binomial = 1;        ///< at d = c
  double fibonacci = 1;       ///< at min(d, c) = 0
};

/// The data of Figure 2, which plots 2 to 10000: a row for each number of machines from `first` to `last`. O(last)
/// time. Throws InputError unless 1 <= first <= last <= 2^30.
[[nodiscard]] std::vector<StrategyRatios> strategy_ratios(std::int64_t first, std::int64_t last);

}  // namespace sluice
