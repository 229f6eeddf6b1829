#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plan/reduce/mixed_problem.hpp"
#include "plan/reduce/reversed_tree.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/quantity_text.hpp"

/// Whether a problem makes sense. All throw InputError if not.
namespace sluice::detail {

inline constexpr std::int64_t kMostMachines = std::int64_t{1} << 62;
inline constexpr std::int64_t kMostMixed = std::int64_t{1} << 20;  ///< machines with all options (mixed.hpp)
inline constexpr std::int64_t kMostMixedTransfers = std::int64_t{1} << 24;
inline constexpr std::int64_t kMostNodes = std::int64_t{1} << 30;  ///< of a tree that is written out

inline void check_machines(std::int64_t machines) {
  if (machines < 1 || machines > kMostMachines) throw InputError("machines", fmt::format("{}", machines), "1 to 2^62");
}

inline void check_nodes(std::int64_t machines, std::string_view algorithm) {
  if (machines > kMostNodes)
    throw InputError("machines", fmt::format("{}", machines),
                     fmt::format("at most 2^30 for a tree that is written out ({})", algorithm));
}

inline void check_time(const std::string& what, double time) {
  if (!std::isfinite(time) || time < 0) throw InputError(what, fmt::format("{}", time), "a finite time of at least 0");
}

inline void check_costs(double transfer, double compute) {
  check_time("transfer", transfer);
  check_time("compute", compute);
  if (transfer == 0 && compute == 0)
    throw InputError("transfer", "0, and compute 0 as well", "a cost above 0 for one of them");
}

/// `costs`: of single machines or of pairs, and what they stand in the place of.
inline void check_single_costs(const std::string& what, const std::vector<double>& costs, double of_all,
                               std::int64_t machines, bool may_be_pairs) {
  if (costs.empty()) return;
  if (of_all != 0) throw InputError(what, "besides a cost that is the same for all", "one of the two");
  if (!is_for_each(costs, machines) && !(may_be_pairs && is_for_each_pair(costs, machines)))
    throw InputError(what, count_text(costs.size(), "cost"),
                     fmt::format("{}, one per machine{}", machines, may_be_pairs ? ", or one per pair" : ""));
  for (std::size_t i = 0; i < costs.size(); ++i) check_time(fmt::format("{}[{}]", what, i), costs[i]);
}

inline void check_all_costs(const ReduceProblem& problem) {
  check_single_costs("transfer_costs", problem.transfer_costs, problem.transfer, problem.machines, true);
  check_single_costs("compute_costs", problem.compute_costs, problem.compute, problem.machines, false);
  const ReduceProblem even = with_even_costs(problem);
  if (even.transfer_costs.empty() && even.compute_costs.empty()) check_costs(even.transfer, even.compute);
  check_time("transfer", even.transfer);
  check_time("compute", even.compute);
}

/// The least of the costs that stand for anything.
inline double least_cost(const std::vector<double>& costs, double of_all, std::int64_t machines) {
  if (costs.empty()) return of_all;
  const bool of_pairs = !is_for_each(costs, machines);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (!of_pairs || i % (static_cast<std::size_t>(machines) + 1) != 0) least = std::min(least, costs[i]);
  return least;
}

inline void check_problem(const ReduceProblem& problem) {
  check_machines(problem.machines);
  check_all_costs(problem);
  const auto at_least_one = [](const char* what, std::int64_t count) {
    if (count < 1) throw InputError(what, fmt::format("{}", count), "at least 1");
  };
  if (problem.max_transfers) at_least_one("max_transfers", *problem.max_transfers);
  if (problem.max_reducers) at_least_one("max_reducers", *problem.max_reducers);
  if (problem.root != kAnyRoot && (problem.root < 0 || problem.root >= problem.machines))
    throw InputError("root", fmt::format("{}", problem.root),
                     fmt::format("one of {}, counted from 0", count_text(problem.machines, "machine")));
  if (!problem.arrivals.empty() && std::cmp_not_equal(problem.arrivals.size(), problem.machines))
    throw InputError("arrivals", count_text(problem.arrivals.size(), "date"),
                     fmt::format("{}, one per machine", problem.machines));
  for (std::size_t v = 0; v < problem.arrivals.size(); ++v)
    check_time(fmt::format("arrivals[{}]", v), problem.arrivals[v]);
  if (problem.segments < 0 || problem.segments > kMostNodes)
    throw InputError("segments", fmt::format("{}", problem.segments), "0 to 2^30");
  if (problem.segments == 0) at_least_one("max_segments", std::min(problem.max_segments, kMostNodes));
  const bool plain = !problem.max_transfers && !problem.max_reducers && problem.segments == 1;
  if (!plain && problem.machines > kMostNodes)
    throw InputError("machines", fmt::format("{}", problem.machines), "at most 2^30 with a limit or parts");
  const auto overhead = [](const char* what, double part, double whole) {
    check_time(what, part);
    if (part > whole) throw InputError(what, fmt::format("{}", part), fmt::format("at most the whole, {}", whole));
  };
  overhead("transfer_overhead", problem.transfer_overhead,
           least_cost(problem.transfer_costs, problem.transfer, problem.machines));
  overhead("compute_overhead", problem.compute_overhead,
           least_cost(problem.compute_costs, problem.compute, problem.machines));
  if (!is_mixed(problem)) return;
  const std::int64_t parts = std::max<std::int64_t>(1, problem.segments);
  if (problem.machines > kMostMixed || parts > kMostMixedTransfers / problem.machines)
    throw InputError("machines", fmt::format("{} in {}", problem.machines, count_text(parts, "part")),
                     "at most 2^20, and 2^24 parts of all, with costs of single machines or links, and with dates, "
                     "limits, parts and an order together");
}

/// The costs of one of `segments` parts.
inline ReduceCosts part_costs(const ReduceProblem& problem, std::int64_t segments) {
  if (segments == 1) return {problem.transfer, problem.compute};
  const auto part = [&](double overhead, double whole) {
    return overhead + (whole - overhead) / static_cast<double>(segments);
  };
  return {part(problem.transfer_overhead, problem.transfer), part(problem.compute_overhead, problem.compute)};
}

}  // namespace sluice::detail
