// An exchange planned without MPI: at most 2 transfers at once, each step costs 3 units besides, and a proof of how far
// the plan is from the best there can be.
#include <fmt/core.h>

#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"

int main() {
  sluice::ExchangeProblem problem;
  problem.traffic = {3, 3, {{0, 0, 7}, {0, 1, 2}, {1, 0, 4}, {1, 1, 5}, {2, 2, 9}}};
  problem.max_transfers = 2;
  problem.setup = 3;
  const sluice::ExchangePlan plan = sluice::plan_exchange(problem);

  const sluice::Cost cost = sluice::cost(plan.schedule);
  fmt::print("cost {}: {} steps, transmission {}; no plan costs less than {} ({})\n", cost.total, cost.steps,
             cost.transmission, plan.bound.cost.total, plan.bound.kind);
  for (const sluice::Step& step : plan.schedule.steps) {
    fmt::print("{:>3}:", step.duration);
    for (const sluice::Transfer& t : step.transfers) fmt::print(" {}->{}:{}", t.from, t.to, t.size);
    fmt::print("\n");
  }
}
