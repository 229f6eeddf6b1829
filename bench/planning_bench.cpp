// Planning a redistribution: the whole plan (auto and each named algorithm), and the part of one process alone. Medians
// of 9.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "sluice/plan/redistribute.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

template <class Work>
double median_ms(Work&& work) {
  std::vector<double> times;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + 4);
  return times[4];
}

}  // namespace

int main() {
  constexpr std::int64_t kLargestValidated = 2000;  // processes; beyond, only the messages of some are compared
  fmt::print("{:<12} {:<14} {:<12} {:>6} {:>8} {:>10} {:>14}\n", "from", "to", "algorithm", "NS", "TC", "plan_ms",
             "own_part_ms");
  for (const auto& [from, to] : {std::pair{"16:3", "16:5"},
                                 {"1000:64", "1024:100"},
                                 {"100000:64", "100000:100"},
                                 {"1000000:64", "1000000:100"},
                                 {"4x2:64x64", "2x4:100x100"}}) {
    for (const std::string algorithm : {"auto", "stepwise", "greedy", "coloring"}) {
      const sluice::RedistributionProblem problem =
          sluice::one_slice(sluice::parse_layout(from, "from"), sluice::parse_layout(to, "to"));
      const sluice::RedistributionPlan plan = sluice::plan_redistribution(problem, algorithm);
      if (problem.from().processes() <= kLargestValidated &&
          !sluice::validate(plan.schedule({}), problem.traffic()).empty()) {
        fmt::print(stderr, "{} -> {}: {} gave a broken schedule\n", from, to, algorithm);
        return 1;
      }
      const sluice::Rank middle(problem.from().processes() / 2);
      for (const sluice::PlannedMessage& send : plan.sends(middle)) {
        const auto receives = plan.receives(send.peer);
        if (std::ranges::find(receives, sluice::PlannedMessage{send.step, middle, send.count}) == receives.end()) {
          fmt::print(stderr, "{} -> {}: {}: sender and receiver disagree\n", from, to, algorithm);
          return 1;
        }
      }
      const double plan_ms = median_ms([&] { (void)sluice::plan_redistribution(problem, algorithm); });
      const double own_ms = median_ms([&] {
        (void)plan.sends(middle);
        (void)plan.receives(middle);
      });
      const sluice::Cost cost = plan.cost();
      fmt::print("{:<12} {:<14} {:<12} {:>6} {:>8} {:>10.4f} {:>14.4f}\n", from, to, algorithm, cost.steps,
                 cost.transmission, plan_ms, own_ms);
      std::fflush(stdout);
    }
  }
  return 0;
}
