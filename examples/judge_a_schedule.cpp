// A schedule made by hand, judged: is it right, what does it cost, and how far is it from the best there can be?
#include <fmt/core.h>

#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/step_schedule.hpp"
#include "sluice/schedule/validate.hpp"

int main() {
  const sluice::Traffic traffic{2, 3, {{0, 0, 3}, {0, 1, 1}, {1, 1, 2}, {1, 2, 2}}};

  sluice::StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.algorithm = "by hand";
  schedule.senders = 2;
  schedule.receivers = 3;
  schedule.max_transfers = 2;
  schedule.setup = 1;
  schedule.steps = {{3, {{0, 0, 0, 3}, {1, 1, 0, 2}}}, {2, {{0, 1, 0, 1}, {1, 2, 0, 2}}}};

  const auto violations = sluice::validate(schedule, traffic);
  for (const auto& violation : violations) fmt::print("{}\n", sluice::to_string(violation));
  if (!violations.empty()) return 1;

  const sluice::Cost cost = sluice::cost(schedule);
  const sluice::Cost uncut = sluice::whole_message_bound(traffic, schedule.max_transfers, schedule.setup);
  const sluice::Cost any = sluice::lower_bound(traffic, schedule.max_transfers, schedule.setup);
  fmt::print("cost {}: {} steps, transmission {}\n", cost.total, cost.steps, cost.transmission);
  fmt::print("at least {} with whole messages, {} with messages cut\n", uncut.total, any.total);
}
