#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Plans reductions whose transfers overlap with combining. n machines have an element each; a transfer takes d, and
/// combining two elements takes c. A machine receives from one other machine at a time while it combines.
/// tree_schedule.hpp describes the model.
///
/// All times and costs are in one unit, which the user chooses.
namespace sluice {

/// Lets the planner choose the root.
inline constexpr std::int64_t kAnyRoot = -1;

/// Describes a reduction: the machines and the costs.
struct ReduceProblem {
  std::int64_t machines = 1;  ///< n, 1 to 2^30; up to 2^62 for "greedy" without transfers, limits and other options
  double transfer = 0;        ///< d, for a whole element
  double compute = 0;         ///< c, for a whole element; d and c must not both be 0
  /// Replaces `transfer`, which is then 0: d of each sender, or of each pair with a row for each sender. The entry of a
  /// machine with itself has no meaning.
  std::vector<double> transfer_costs;
  std::vector<double> compute_costs;          ///< replaces `compute`: c of each machine that combines
  std::optional<std::int64_t> max_transfers;  ///< most transfers at once, at least 1
  std::optional<std::int64_t> max_reducers;   ///< most machines that combine, at least 1
  bool commutative = true;                    ///< if false, elements are combined in the order of the machines
  std::int64_t root = 0;                      ///< machine that gets the result, or kAnyRoot
  std::vector<double> arrivals;               ///< date when each machine begins to take part; may be empty

  /// Number of parts of an element; 0: the planner chooses, at most `max_segments`.
  std::int64_t segments = 1;
  std::int64_t max_segments = 256;  ///< at least 1; used if `segments` is 0
  /// Share of `transfer` that each part costs, however short it is: one of S parts takes overhead + (transfer -
  /// overhead) / S. 0 to `transfer`.
  double transfer_overhead = 0;
  double compute_overhead = 0;  ///< such a share of `compute`

  friend bool operator==(const ReduceProblem&, const ReduceProblem&) = default;
};

/// Returns `transfer_costs` for a reduction among the ranks of `platform`, in seconds. Each rank has an element of
/// `bytes` bytes. A cost is latency and gap of the way between two ranks without other traffic. Throws InputError for a
/// bad platform, negative bytes, and more than 2^13 ranks.
[[nodiscard]] std::vector<double> transfer_costs_over(const Platform& platform, std::int64_t bytes);

/// Sets how to plan a reduction.
struct ReduceOptions {
  std::string algorithm = "auto";  ///< a name that algorithms("reduce") has, or "auto"
  std::int64_t arity = 4;          ///< children of a machine for "k-ary"
  bool transfers = true;           ///< false: makes only the summary; `schedule.transfers` stays empty
  double effort = 1;               ///< limits the search of "auto", as a multiple of the usual work; above 0
};

/// Holds a schedule, and says how good it is and what kind of tree it is.
struct ReducePlan {
  TreeSchedule schedule;          ///< bound.lower and bound.upper come from reduce_bounds
  double optimum_at_least = 0;    ///< best known lower bound of every schedule, at least bound.lower
  bool optimal = false;           ///< says that the length is optimum_at_least
  std::int64_t transfers = 0;     ///< number of transfers, (n - 1) * segments
  std::int64_t reducers = 0;      ///< number of machines that combine
  std::int64_t max_children = 0;  ///< most machines that send to one machine
  std::int64_t depth = 0;         ///< transfers on the longest path to the root
};

/// Plans a reduction.
///
///  - `problem`: machines, costs, limits, root, dates of arrival and parts
///  - `options`: algorithm and effort
///
/// `schedule.algorithm` is the name in `options`. The schedule also has the limits, dates and costs of a part.
/// Deterministic. For example, 100 machines with the tree that is best for d = 2, c = 1:
///
///     const ReducePlan plan = plan_reduce({.machines = 100, .transfer = 2, .compute = 1});
///
/// Cost: "greedy" and "auto" take O(n) time and memory. Without transfers they take O(log^4 n) time, with a limit at
/// most O(n / limit) times that. Dates of arrival take O(n) for each of about 50 lengths that are tried. Given trees
/// take O(n log n), "exact" exponential time.
///
/// Some problems are too hard for an optimum with many machines: costs that differ, dates with a limit, parts or an
/// order, and parts with a limit. "greedy" and "auto" are then heuristics (src/plan/reduce/mixed_search.cpp), and
/// `optimum_at_least` limits their distance from the optimum. They take O(n^2) time, and "auto" makes a number of moves
/// that `effort` allows.
///
/// Without limits and in one part, "exact" finds the optimum of up to 12 machines, or 64 in order. "auto" finds it for
/// 9 machines, 64 in order, and 6 with limits. If all machines are given equal costs, they count as one cost. Beside
/// other limits or costs that differ, limits that no tree can break count as none.
///
/// Throws InputError for:
///
///  - an unknown algorithm, and one that does not apply (the message says why): limits that a given tree breaks, a root
///    in the middle of a tree that cannot be split around it, "exact" beyond its machines
///  - machines out of range, limits below 1, and a root out of range
///  - costs that are negative, not finite or both 0, and overheads above the whole
///  - dates that are not one per machine, not finite or negative
///  - a length that is not finite, or, for costs that are whole numbers, beyond 2^53, because doubles are not exact
///    there
[[nodiscard]] ReducePlan plan_reduce(const ReduceProblem& problem, const ReduceOptions& options = {});

/// Holds bounds on the shortest schedule, known without planning it. The number of parts S is above 0, and is the
/// problem's.
struct ReduceBounds {
  TreeBound simple;  ///< see reduce_bounds
  double best = 0;   ///< the largest lower bound
};

/// Returns what is known about the shortest schedule without planning it.
///
/// Without limits, dates and parts:
///  - simple.lower = ceil(log2 n) max(d, c), Lemma 5; simple.upper = ceil(log2 n) (d + c), Proposition 6;
///  - best = the optimum, by the recurrence of most_machines.
/// With at most K transfers at once, also:
///  - lower >= ceil((n - 1) / K) d + c, because at most K of n - 1 transfers run at once;
///  - upper = (floor(log2 K) + 1 + ceil((n - 2^(floor(log2 K) + 1)) / K)) (d + c), for K <= n / 2; a larger K limits
///    nothing. Proposition 8 says ceil(n / K - 2) for the second term, which does not hold unless K is a power of two:
///    n = 6, K = 3, d = 0 needs 3 c, not 2 c.
/// With at most K reducers:
///  - lower >= d + (ceil((n - 1) / K) - 1) max(d, c) + c, the bound of degree_bound for the busiest reducer;
///  - upper as above; Corollary 11 says ceil(log2 K + 1), which holds.
/// With one limit, best is the length of Algorithm 2 or 3, which are optimal. With both, it is the larger of the two.
/// With dates: lower >= (k-th latest date) + the bound for k machines, for k = 1, 2, 4, ...; upper counts from the last
/// date on; best is the larger of lower and the optimum without dates.
/// With S parts: lower >= S d + c and d + S c; upper is S times the upper bound of one part.
/// With costs that differ, and with dates, limits, parts and an order together: lower = best is the largest of the
/// bounds that src/plan/reduce/mixed_bounds.cpp proves. upper is the time to send all elements to one machine, one
/// after another.
///
/// Source: Canon, Antoniu, "Scheduling Associative Reductions with Homogeneous Costs when Overlapping Communications
/// and Computations" (2012); numbers refer to it. Throws as plan_reduce does.
[[nodiscard]] ReduceBounds reduce_bounds(const ReduceProblem& problem);

/// Returns the largest number of machines whose elements can be reduced within `length`, or 2^63 - 1 if it is larger.
///
///  - `length`, `transfer`, `compute`: T, d and c in one unit, at least 0
///
/// The recurrence is
///
///     N(T) = N(T - max(c, d)) + N(T - c - d), N(T) = 1 for T < c + d
///
/// because the root's last combination splits the schedule into what it had before and what it received last. Its
/// closed form is N(T) = 1 + sum of C(a + b - 1, a) over all a >= 0 and b >= 1 with a max(c, d) + b (c + d) <= T.
[[nodiscard]] std::int64_t most_machines(double length, double transfer, double compute);

/// Returns the length of the shortest schedule for `machines`: the least T with most_machines(T) >= machines. O(log^4
/// n) time.
[[nodiscard]] double shortest_length(std::int64_t machines, double transfer, double compute);

/// Returns a lower bound for a schedule with a machine that receives from `children` others: d + (children - 1) max(d,
/// c) + c. Section 5.
[[nodiscard]] double degree_bound(std::int64_t children, double transfer, double compute);
/// Returns a lower bound for a schedule with `depth` transfers in a row: depth (d + c). Section 5.
[[nodiscard]] double depth_bound(std::int64_t depth, double transfer, double compute);

/// Holds the worst-case ratio of each strategy of section 7: its length divided by the optimum.
struct StrategyRatios {
  std::int64_t machines = 0;  ///< n
  double binomial = 1;        ///< at d = c
  double fibonacci = 1;       ///< at min(d, c) = 0
};

/// Returns the data of Figure 2, which plots 2 to 10000: a row for each number of machines from `first` to `last`.
/// O(last) time. Throws InputError unless 1 <= first <= last <= 2^30.
[[nodiscard]] std::vector<StrategyRatios> strategy_ratios(std::int64_t first, std::int64_t last);

}  // namespace sluice
