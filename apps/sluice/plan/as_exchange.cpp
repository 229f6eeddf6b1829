#include "apps/sluice/plan/as_exchange.hpp"

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/plan/between_layouts.hpp"

namespace sluice::command {

ExchangePlan plan_as_exchange(const RedistributeTask& task, const std::string& algorithm, std::int64_t effort) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = exchange_effort(effort);
  options.time_limit_s = task.time_limit_s;
  options.stop = stop_at_interrupt();
  return plan_with_progress(
      options, 0, [&](const ExchangeOptions& how) { return plan_pieces(task.problem, task.input, task.setup, how); });
}

}  // namespace sluice::command
