// Planning a redistribution: the whole plan (auto, what jobs have of it, and each named algorithm), and the part of one
// process alone; medians of 9. Memory: by how much the resident memory of planning and looking up that part grows at
// most.

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
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

/// What /proc says of this process, in kB.
double status_kb(const std::string& name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    double value = 0;
    if (word == name && file >> value) return value;
  }
  return 0;
}

/// The largest growth of resident memory meanwhile.
template <class Work>
double growth_mb(Work&& work) {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins again
  const double before = status_kb("VmRSS:");
  work();
  return (status_kb("VmHWM:") - before) / 1e3;
}

}  // namespace

int main() {
  constexpr std::int64_t kLargestValidated = 2000;  // processes; beyond, only the messages of some are compared
  fmt::print("{:<15} {:<17} {:<12} {:>6} {:>8} {:>10} {:>14} {:>10}\n", "from", "to", "algorithm", "NS", "TC",
             "plan_ms", "own_part_ms", "memory_MB");
  for (const auto& [from, to] : {std::pair{"16:3", "16:5"},
                                 {"1000:64", "1024:100"},
                                 {"100000:64", "100000:100"},
                                 {"1000000:64", "1000000:100"},
                                 {"1000x1000:64x64", "1000x1000:100x100"},
                                 {"4x2:64x64", "2x4:100x100"}}) {
    for (const auto& [algorithm, effort] : {std::pair{std::string("auto"), sluice::kDefaultEffort},
                                            {"auto", 0},
                                            {"stepwise", sluice::kDefaultEffort},
                                            {"greedy", sluice::kDefaultEffort},
                                            {"coloring", sluice::kDefaultEffort}}) {
      const sluice::RedistributionProblem problem =
          sluice::one_slice(sluice::parse_layout(from, "from"), sluice::parse_layout(to, "to"));
      const auto planned = [&, name = algorithm, most = effort] {
        return sluice::plan_redistribution(problem, name, 1, most);
      };
      const sluice::RedistributionPlan plan = planned();
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
      const double plan_ms = median_ms([&] { (void)planned(); });
      const double own_ms = median_ms([&] {
        (void)plan.sends(middle);
        (void)plan.receives(middle);
      });
      const double memory_mb = growth_mb([&] {
        const sluice::RedistributionPlan again = planned();
        (void)again.sends(middle);
        (void)again.receives(middle);
      });
      const sluice::Cost cost = plan.cost();
      fmt::print("{:<15} {:<17} {:<12} {:>6} {:>8} {:>10.4f} {:>14.4f} {:>10.2f}\n", from, to,
                 effort == 0 ? "auto in jobs" : algorithm, cost.steps, cost.transmission, plan_ms, own_ms, memory_mb);
      std::fflush(stdout);
    }
  }
  return 0;
}
