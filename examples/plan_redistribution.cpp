// A redistribution planned without MPI: its cost, how far it is from the best there can be, and what one process has to
// do.
#include <fmt/core.h>

#include "sluice/plan/redistribute.hpp"

int main() {
  const sluice::Layout from = sluice::parse_layout("16:3", "from"), to = sluice::parse_layout("16:5", "to");
  const sluice::RedistributionPlan plan = sluice::plan_redistribution(sluice::one_slice(from, to));

  const sluice::Cost cost = plan.cost(), bound = plan.bound();
  fmt::print("{}: {} steps, transmission {}; at least {} and {}\n", plan.algorithm(), cost.steps, cost.transmission,
             bound.steps, bound.transmission);
  for (const sluice::PlannedMessage& message : plan.sends(sluice::Rank(5))) {
    fmt::print("step {}: process 5 sends {} elements to process {}\n", message.step, message.count, message.peer.value);
  }
}
