// Planning a reduction: the summary, and all transfers in memory, for growing numbers of machines. Then the part of one
// rank alone. Medians of 5; every schedule is validated and its length compared with the closed form, and parts with
// the schedule's.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <ranges>
#include <string>
#include <vector>

#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace {

template <class Work>
double median_ms(Work&& work) {
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + 2);
  return times[2];
}

struct Case {
  std::string name;
  double transfer;
  double compute;
  std::optional<std::int64_t> max_transfers;
  std::optional<std::int64_t> max_reducers;
};

/// The part of one rank, by tree with parts given and chosen, and by reduce-scatter. False if it is not the plan's.
bool print_own_parts() {
  fmt::print("\n{:<28} {:>10} {:>6} {:>10} {:>12}\n", "own part", "machines", "parts", "transfers", "part_us");
  for (const std::int64_t machines : {1'000, 10'000, 1'000'000}) {
    sluice::ReduceProblem problem;
    problem.machines = machines;
    problem.transfer = 1;
    problem.compute = 0.7;
    problem.transfer_overhead = 1e-4;
    problem.root = machines / 3;
    const std::int64_t rank = machines / 2;
    const auto print = [&](const std::string& name, std::int64_t parts, std::size_t transfers, double part_ms) {
      fmt::print("{:<28} {:>10} {:>6} {:>10} {:>12.1f}\n", name, machines, parts, transfers, 1000 * part_ms);
    };
    for (const bool commutative : {true, false}) {
      for (const std::int64_t segments : {1, 256, 0}) {
        problem.commutative = commutative;
        problem.segments = segments;
        sluice::ReductionPart part;
        const double part_ms = median_ms([&] { part = sluice::plan_reduction_part(problem, rank); });
        print(fmt::format("tree{}{}", commutative ? "" : ", in order", segments == 0 ? ", parts chosen" : ""),
              part.segments, part.receives.size() + part.sends.size(), part_ms);
        if (machines <= 10'000 && part != part_of(sluice::plan_reduce(problem).schedule, rank)) return false;
      }
    }
    problem.commutative = true;
    constexpr std::int64_t kElements = 1 << 24;
    sluice::Program part;
    const double part_ms = median_ms([&] { part = sluice::plan_reduce_scatter_part(problem, rank, kElements); });
    print("reduce-scatter", 1, part.operations.size(), part_ms);
    if (machines > 10'000) continue;
    const sluice::Program whole = sluice::plan_reduce_scatter(problem, kElements);
    if (!std::ranges::equal(part.operations,
                            whole.operations | std::views::filter([&](const auto& op) { return op.rank == rank; }),
                            [](const auto& a, const auto& b) {
                              return a.kind == b.kind && a.peer == b.peer && a.offset == b.offset && a.bytes == b.bytes;
                            }))
      return false;
  }
  return true;
}

}  // namespace

int main() {
  const std::vector<Case> cases = {{"greedy", 1, 1, {}, {}},
                                   {"greedy", 0.7, 0.1, {}, {}},
                                   {"greedy", 0.1, 0.7, {}, {}},
                                   {"greedy, 1000 transfers", 1, 3, 1000, {}},
                                   {"greedy, 1000 reducers", 1, 3, {}, 1000}};
  fmt::print("{:<24} {:>4} {:>4} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "algorithm", "d", "c", "machines", "length",
             "summary_ms", "plan_ms", "ns/machine");
  for (const Case& each : cases) {
    for (const std::int64_t machines : {1'000'000, 10'000'000, 16'000'000}) {
      sluice::ReduceProblem problem;
      problem.machines = machines;
      problem.transfer = each.transfer;
      problem.compute = each.compute;
      problem.max_transfers = each.max_transfers;
      problem.max_reducers = each.max_reducers;
      sluice::ReduceOptions summary;
      summary.transfers = false;
      sluice::ReducePlan plan;
      const double summary_ms = median_ms([&] { plan = sluice::plan_reduce(problem, summary); });
      const double length = plan.schedule.length;
      const double plan_ms = median_ms([&] {
        plan = {};  // before the next one: one schedule in memory at a time
        plan = sluice::plan_reduce(problem);
      });
      const bool limited = problem.max_transfers || problem.max_reducers;
      const double shortest = sluice::shortest_length(machines, problem.transfer, problem.compute);
      if (plan.schedule.length != length || !plan.optimal || (!limited && length != shortest) ||
          !sluice::validate(plan.schedule).empty()) {
        fmt::print(stderr, "{} of {}: a broken schedule\n", each.name, machines);
        return 1;
      }
      fmt::print("{:<24} {:>4} {:>4} {:>10} {:>12.6g} {:>12.3f} {:>12.1f} {:>12.1f}\n", each.name, each.transfer,
                 each.compute, machines, length, summary_ms, plan_ms, plan_ms * 1e6 / static_cast<double>(machines));
      std::fflush(stdout);
    }
  }
  if (!print_own_parts()) {
    fmt::print(stderr, "a part that is not the plan's\n");
    return 1;
  }
  return 0;
}
