#include "sluice/plan/between_layouts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plan/exchange/registry.hpp"
#include "plan/redistribute/pieces.hpp"
#include "plan/redistribute/registry.hpp"
#include "plan/redistribute/written_out.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/replicated.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

LayoutPlan plan_copies(const RedistributionProblem& problem, const RedistributionInput& input,
                       const LayoutPlanOptions& options) {
  ReplicatedOptions how;
  how.algorithm = options.algorithm;
  how.setup = options.setup;
  how.effort = exchange_effort(options.effort);
  how.stop = options.stop;
  how.forward = options.forward;
  ReplicatedPlan plan = plan_replicated({problem, input.from_replicas, input.to_replicas}, how);
  const double bound = options.forward ? plan.bounds.any.total : plan.bounds.direct.total;
  const bool optimal = cost(plan.schedule).total <= bound;
  return {std::move(plan.schedule), optimal, plan.stopped};
}

LayoutPlan plan_cut_messages(const RedistributionProblem& problem, const RedistributionInput& input,
                             const LayoutPlanOptions& options) {
  ExchangeOptions how;
  how.algorithm = options.algorithm;
  how.effort = exchange_effort(options.effort);
  how.stop = options.stop;
  ExchangePlan plan = plan_pieces(problem, input, options.setup, how);
  const bool optimal = plan.optimal || cost(plan.schedule).total <= plan.bound.cost.total;
  return {std::move(plan.schedule), optimal, plan.stopped};
}

}  // namespace

ExchangePlan plan_pieces(const RedistributionProblem& problem, const RedistributionInput& input, double setup,
                         const ExchangeOptions& how) {
  ExchangePlan plan = detail::pieces_of(
      {problem.traffic_between_processes(), std::min(problem.from().processes(), problem.to().processes()), setup},
      problem.copies(), how);
  plan.schedule.input = input;
  return plan;
}

LayoutPlan plan_between_layouts(const RedistributionProblem& problem, const RedistributionInput& input,
                                const LayoutPlanOptions& options) {
  check_setup(options.setup);
  const std::string& algorithm = options.algorithm;
  const bool of_exchange = has_algorithm(detail::exchange_algorithms(), algorithm);
  LayoutPlan result;
  if (input.has_replicas()) {
    result = plan_copies(problem, input, options);
  } else {
    detail::check_written_out(problem);
    if (algorithm == "auto" ? problem.is_irregular()
                            : of_exchange && !has_algorithm(detail::redistribute_algorithms(), algorithm)) {
      result = plan_cut_messages(problem, input, options);
    } else {
      const RedistributionPlan plan =
          plan_redistribution(problem, algorithm, options.setup, options.effort, options.stop);
      result.schedule = plan.schedule({});
      result.optimal = cost(result.schedule).total <= plan.bound().total;
      result.stopped = options.stop && options.stop();
    }
  }
  result.schedule.input = input;
  return result;
}

}  // namespace sluice
