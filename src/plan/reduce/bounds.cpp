#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "plan/reduce/check.hpp"
#include "plan/reduce/greedy.hpp"
#include "plan/reduce/mixed.hpp"
#include "plan/reduce/mixed_problem.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice {

namespace {

using detail::GreedyLimits;
using detail::kNoLimit;
using detail::ReduceCosts;

constexpr std::int64_t kMostOfInt64 = std::numeric_limits<std::int64_t>::max();

/// ceil(log2 n)
double doublings(std::int64_t n) {
  return n <= 1 ? 0 : static_cast<double>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
}

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Rounds of c + d: in each, every machine that has something gives half of it away, at most `limit` machines at once.
double limited_rounds(std::int64_t n, std::int64_t limit) {
  limit = std::max<std::int64_t>(1, std::min(limit, n / 2));
  const auto spreading = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(limit)));  // floor(log2 limit) + 1
  const std::int64_t reached = std::int64_t{1} << std::min(spreading, 62);
  return spreading + static_cast<double>(n > reached ? ceil_div(n - reached, limit) : 0);
}

/// Bounds for `n` machines that are there from 0 on, and one part.
ReduceBounds bounds_from_zero(std::int64_t n, const ReduceCosts& costs, std::int64_t max_transfers,
                              std::int64_t max_reducers) {
  if (n == 1) return {};
  const double d = costs.transfer;
  const double c = costs.compute;
  ReduceBounds bounds;
  bounds.simple = {doublings(n) * costs.largest(), doublings(n) * (d + c)};
  const std::int64_t limit = std::min(max_transfers, max_reducers);
  if (limit < n / 2) bounds.simple.upper = limited_rounds(n, limit) * (d + c);
  if (max_transfers < n - 1)
    bounds.simple.lower = std::max(bounds.simple.lower, static_cast<double>(ceil_div(n - 1, max_transfers)) * d + c);
  if (max_reducers < n - 1)
    bounds.simple.lower = std::max(bounds.simple.lower, degree_bound(ceil_div(n - 1, max_reducers), d, c));
  const auto greedy = [&](const GreedyLimits& limits) { return greedy_shape(n, costs, limits).length.value(costs); };
  if (max_transfers == kNoLimit && max_reducers == kNoLimit) bounds.best = greedy({});
  if (max_transfers != kNoLimit) bounds.best = greedy({max_transfers, kNoLimit, kNoLimit});
  if (max_reducers != kNoLimit) bounds.best = std::max(bounds.best, greedy({kNoLimit, max_reducers, kNoLimit}));
  bounds.best = std::max(bounds.best, bounds.simple.lower);
  return bounds;
}

}  // namespace

double degree_bound(std::int64_t children, double transfer, double compute) {
  if (children <= 0) return 0;
  return transfer + static_cast<double>(children - 1) * std::max(transfer, compute) + compute;
}

double depth_bound(std::int64_t depth, double transfer, double compute) {
  return static_cast<double>(depth) * (transfer + compute);
}

std::int64_t most_machines(double length, double transfer, double compute) {
  detail::check_costs(transfer, compute);
  const ReduceCosts costs{transfer, compute};
  // c + d <= 2 max(d, c): after 63 (c + d) there are 2^63, and a <= 126 before.
  if (length >= 63 * (transfer + compute)) return kMostOfInt64;
  std::int64_t machines = 1;
  const auto within = [&](std::int64_t a, std::int64_t b) {
    return (detail::Moment{b, b} + spacing(costs, a)).value(costs) <= length;
  };
  // row[a] = C(a + b - 1, a)
  std::vector<std::int64_t> row;
  for (std::int64_t a = 0; within(a, 1); ++a) row.push_back(1);
  for (std::int64_t b = 1; !row.empty() && within(0, b); ++b) {
    if (b > 1)
      for (std::size_t a = 1; a < row.size(); ++a)
        if (__builtin_add_overflow(row[a], row[a - 1], &row[a])) row[a] = kMostOfInt64;
    for (std::size_t a = 0; a < row.size() && within(static_cast<std::int64_t>(a), b); ++a)
      if (__builtin_add_overflow(machines, row[a], &machines)) return kMostOfInt64;
  }
  return machines;
}

double shortest_length(std::int64_t machines, double transfer, double compute) {
  detail::check_machines(machines);
  detail::check_costs(transfer, compute);
  const ReduceCosts costs{transfer, compute};
  return greedy_shape(machines, costs, {}).length.value(costs);
}

ReduceBounds reduce_bounds(const ReduceProblem& asked) {
  detail::check_problem(asked);
  if (asked.segments == 0) throw InputError("segments", "0", "a number of parts: their bounds depend on it");
  const ReduceProblem problem = detail::simplified(asked);
  if (detail::is_mixed(problem)) return detail::mixed_bounds(problem);
  const std::int64_t n = problem.machines;
  const ReduceCosts costs = detail::part_costs(problem, problem.segments);
  const auto bounds_of = [&](std::int64_t machines) {
    return bounds_from_zero(machines, costs, problem.max_transfers.value_or(kNoLimit),
                            problem.max_reducers.value_or(kNoLimit));
  };
  ReduceBounds bounds = bounds_of(n);
  if (problem.segments > 1 && n > 1) {
    const auto parts = static_cast<double>(problem.segments);
    bounds.simple.upper *= parts;
    bounds.simple.lower =
        std::max({bounds.simple.lower, parts * costs.transfer + costs.compute, costs.transfer + parts * costs.compute});
    bounds.best = std::max(bounds.best, bounds.simple.lower);
  }
  if (!problem.arrivals.empty()) {
    std::vector<double> dates = problem.arrivals;
    std::sort(dates.begin(), dates.end(), std::greater<>());
    bounds.simple.upper += dates.front();
    for (std::int64_t k = 1; k <= n; k = k < n ? std::min(2 * k, n) : n + 1)
      bounds.simple.lower =
          std::max(bounds.simple.lower, dates[static_cast<std::size_t>(k - 1)] + bounds_of(k).simple.lower);
    // The machine that comes last sends or receives once at least.
    if (n > 1) bounds.simple.lower = std::max(bounds.simple.lower, dates.front() + costs.transfer + costs.compute);
    bounds.best = std::max(bounds.best, bounds.simple.lower);
  }
  return bounds;
}

std::vector<StrategyRatios> strategy_ratios(std::int64_t first, std::int64_t last) {
  if (first < 1 || last < first || last > detail::kMostNodes)
    throw InputError("machines", fmt::format("{} to {}", first, last),
                     fmt::format("1 <= first <= last <= {}", detail::kMostNodes));
  const ReduceCosts even{1, 1};
  const ReduceCosts uneven{0, 1};
  const detail::ReversedTree fibonacci = greedy_tree(last, even, {});
  const detail::ReversedTree binomial = greedy_tree(last, uneven, {});
  // lengths[i]: of the first i + 1 nodes of `tree`, with the times of `costs` and children in order of their insertion.
  const auto lengths = [&](const detail::ReversedTree& tree, const ReduceCosts& costs) {
    const std::size_t nodes = tree.parent.size();
    std::vector<double> inserted(nodes, 0);
    std::vector<double> next_split(nodes, 0);
    std::vector<double> result(nodes, 0);
    for (std::size_t node = 1; node < nodes; ++node) {
      double& split = next_split[static_cast<std::size_t>(tree.parent[node])];
      inserted[node] = next_split[node] = split + costs.transfer + costs.compute;
      split += costs.largest();
      result[node] = std::max(result[node - 1], inserted[node]);
    }
    return result;
  };
  const std::vector<double> binomial_even = lengths(binomial, even);
  const std::vector<double> binomial_uneven = lengths(binomial, uneven);
  const std::vector<double> fibonacci_even = lengths(fibonacci, even);
  const std::vector<double> fibonacci_uneven = lengths(fibonacci, uneven);
  std::vector<StrategyRatios> result;
  for (std::int64_t n = first; n <= last; ++n) {
    const auto i = static_cast<std::size_t>(n - 1);
    result.push_back({n, 1, 1});
    if (n == 1) continue;
    result.back().binomial = binomial_even[i] / fibonacci_even[i];
    result.back().fibonacci = fibonacci_uneven[i] / binomial_uneven[i];
  }
  return result;
}

}  // namespace sluice
