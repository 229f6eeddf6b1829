// How good the bound of the linear program over steps is, how fast it comes, and how long `exact` takes.
//
//     exact_bench [bound|speed|exact|large] [EFFORT]
//
// bound: mean of bound / eta on 20 dense 10 x 10 matrices, sizes 1 to 20. speed: the bound of 20 + 20 nodes with 400
// messages of sizes up to 10^4 after 0.25, 0.5, ... s. exact: 20 dense 8 x 8 matrices, sizes 1 to 20, set-up 3, each
// with an EFFORT (default 300); CPU time, as a busy machine would distort the wall's. large: five dense 12 x 12
// matrices, sizes 1 to 100, with each of eight set-ups; only where it is named. All seeds fixed; every plan is
// validated.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace {

sluice::Traffic dense(std::int64_t nodes, std::int64_t largest, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  sluice::Traffic traffic;
  traffic.senders = nodes;
  traffic.receivers = nodes;
  for (std::int64_t i = 0; i < nodes; ++i) {
    for (std::int64_t j = 0; j < nodes; ++j)
      traffic.messages.push_back({i, j, 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(largest))});
  }
  return traffic;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double eta(const sluice::ExchangeProblem& problem) {
  return sluice::lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
}

void measure_bound() {
  for (const double setup : {1.0, 3.0, 10.0, 50.0}) {
    double sum = 0;
    double seconds = -cpu_seconds();
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const sluice::ExchangeProblem problem{dense(10, 20, seed), 10, setup};
      sluice::ExchangeOptions options;
      options.effort = 60;
      sum += sluice::exchange_bound(problem, options).cost.total / eta(problem);
    }
    seconds += cpu_seconds();
    fmt::print("10 x 10, sizes to 20, beta {:2}: bound / eta {:.4f}, {:.3f} s CPU each\n", setup, sum / 20,
               seconds / 20);
  }
}

void measure_speed() {
  for (const double setup : {500.0, 1500.0, 5000.0, 20000.0}) {
    const sluice::ExchangeProblem problem{dense(20, 10'000, 1), 20, setup};
    fmt::print("20 x 20, sizes to 10^4, beta {:5}: bound / eta", setup);
    for (const double effort : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
      sluice::ExchangeOptions options;
      options.effort = effort;
      const double start = cpu_seconds();
      const double ratio = sluice::exchange_bound(problem, options).cost.total / eta(problem);
      fmt::print("  {:.4f} ({:.2f} s CPU)", ratio, cpu_seconds() - start);
    }
    fmt::print("\n");
  }
}

struct Instances {
  std::int64_t nodes;
  std::int64_t largest;  ///< size
  double setup;
  std::uint64_t number;
};

int measure_exact(const Instances& which, double effort) {
  std::vector<double> times;
  double gaps = 0;
  std::uint64_t proven = 0;
  for (std::uint64_t seed = 1; seed <= which.number; ++seed) {
    const sluice::ExchangeProblem problem{dense(which.nodes, which.largest, seed), which.nodes, which.setup};
    sluice::ExchangeOptions options;
    options.algorithm = "exact";
    options.effort = effort;
    const double start = cpu_seconds();
    const sluice::ExchangePlan plan = sluice::plan_exchange(problem, options);
    times.push_back(cpu_seconds() - start);
    if (!sluice::validate(plan.schedule, problem.traffic).empty()) {
      fmt::print(stderr, "seed {}: not a valid schedule\n", seed);
      return EXIT_FAILURE;
    }
    proven += plan.optimal ? 1 : 0;
    const double cost = sluice::cost(plan.schedule).total;
    gaps += cost / plan.bound.cost.total - 1;
    fmt::print("seed {:2}: cost {}, bound {}, {:.2f} s CPU{}\n", seed, cost, plan.bound.cost.total, times.back(),
               plan.optimal ? "" : ", not proven");
    std::fflush(stdout);
  }
  std::sort(times.begin(), times.end());
  const double median = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
  fmt::print(
      "{0} x {0}, sizes to {1}, beta {2}: {3} of {4} proven, mean gap {5:.2f} %, median {6:.2f} s CPU, longest "
      "{7:.2f} s\n",
      which.nodes, which.largest, which.setup, proven, which.number, 100 * gaps / static_cast<double>(which.number),
      median, times.back());
  return EXIT_SUCCESS;
}

int measure_large(double effort) {
  for (const double setup : {1.0, 3.0, 10.0, 20.0, 30.0, 50.0, 100.0, 300.0})
    if (const int status = measure_exact({12, 100, setup, 5}, effort); status != EXIT_SUCCESS) return status;
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const double effort = argc > 2 ? std::strtod(argv[2], nullptr) : 300;
  if (what.empty() || what == "bound") measure_bound();
  if (what.empty() || what == "speed") measure_speed();
  if (what == "large") return measure_large(effort);
  return what.empty() || what == "exact" ? measure_exact({8, 20, 3, 20}, effort) : EXIT_SUCCESS;
}
