#include "plan_as_exchange.hpp"

#include <algorithm>

#include "interrupt.hpp"
#include "plan.hpp"

namespace sluice::command {

ExchangePlan plan_as_exchange(const RedistributeTask& task, const std::string& algorithm) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.time_limit_s = task.time_limit_s;
  options.stop = stop_at_interrupt();
  ExchangePlan plan =
      plan_with_progress({task.problem.traffic_between_processes(),
                          std::min(task.problem.from().processes(), task.problem.to().processes()), task.setup},
                         options);
  plan.schedule.problem = "redistribute";
  plan.schedule.input = task.input;
  for (const Message& copy : task.problem.copies()) plan.schedule.copies.push_back({copy.from, copy.to, 0, copy.size});
  return plan;
}

}  // namespace sluice::command
