// How good the plans of redistributions are: steps, transmission and total over their bounds, on 500 random grids of
// one dimension (1 to 16 processes, blocks of 1 to 20, set-up 1, fixed seed). Bounds are those that `exact` proves with
// much effort; a plan whose total meets its bound is optimal.

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/validate.hpp"

int main() {
  std::mt19937 random(1);
  const auto draw = [&](unsigned largest) { return static_cast<std::int64_t>(random() % largest) + 1; };
  constexpr std::int64_t kMuchEffort = 1'000'000;
  std::vector<sluice::RedistributionProblem> problems;
  std::vector<sluice::Cost> bounds;
  for (int i = 0; i < 500; ++i) {
    const std::int64_t p = draw(16), r = draw(20), q = draw(16), s = draw(20);
    problems.push_back(sluice::one_slice({{p}, {r}}, {{q}, {s}}));
    bounds.push_back(sluice::plan_redistribution(problems.back(), "exact", 1, kMuchEffort).bound());
  }
  std::vector<std::string> names{"auto"};
  for (const sluice::Algorithm& algorithm : sluice::algorithms("redistribute")) names.emplace_back(algorithm.name);

  fmt::print("{:<12} {:>6} {:>14} {:>14} {:>14} {:>14} {:>16}\n", "algorithm", "plans", "NS/bound mean", "worst",
             "TC/bound mean", "worst", "optimal total");
  for (const std::string& name : names) {
    int plans = 0, optimal = 0;
    double steps = 0, worst_steps = 0, transmission = 0, worst_transmission = 0;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      const sluice::RedistributionProblem& problem = problems[i];
      try {
        const sluice::RedistributionPlan plan = sluice::plan_redistribution(problem, name);
        if (!sluice::validate(plan.schedule({}), problem.traffic()).empty()) {
          fmt::print(stderr, "{} gave a broken schedule\n", name);
          return 1;
        }
        const sluice::Cost cost = plan.cost(), bound = bounds[i];
        const double over_steps = static_cast<double>(cost.steps) / static_cast<double>(bound.steps);
        const double over = static_cast<double>(cost.transmission) / static_cast<double>(bound.transmission);
        steps += over_steps, worst_steps = std::max(worst_steps, over_steps);
        transmission += over, worst_transmission = std::max(worst_transmission, over);
        ++plans, optimal += cost.total <= bound.total;
      } catch (const sluice::InputError&) {
        continue;  // classes: does not apply
      }
    }
    fmt::print("{:<12} {:>6} {:>14.4f} {:>14.3f} {:>14.4f} {:>14.3f} {:>14.1f} %\n", name, plans, steps / plans,
               worst_steps, transmission / plans, worst_transmission, 100.0 * optimal / plans);
  }
  return 0;
}
