#include <memory>
#include <string>

#include "algorithm_names.hpp"
#include "exchange_options.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::command {

namespace {

struct PlanOptions {
  ExchangeInput problem;
  PlanOutput output;
  std::string algorithm = "auto";
};

int plan(const PlanOptions& options) {
  check_algorithm("exchange", options.algorithm);
  const ExchangeTask task = read(options.problem);
  if (!options.output.json.empty() && options.output.json != "-") check_writable(options.output.json);
  const ExchangePlan plan = plan_with_progress(task.problem, task.planned_by(options.algorithm));
  return show_plan(task.title() + '\n' + costs_of(plan) + task.time_line(cost(plan.schedule), plan.bound.cost),
                   plan.schedule, options.output);
}

}  // namespace

void add_plan_exchange(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem =
      plan_verb.add_subcommand("exchange", "any traffic: who sends how much to whom, k transfers at once");
  const auto options = std::make_shared<PlanOptions>();
  options->problem.add_to(*problem);
  problem->add_option("--algorithm", options->algorithm, algorithm_list("exchange"))->option_text("NAME [auto]");
  options->output.add_to(*problem, "the unit of the traffic", "costs and bounds alone");
  problem->footer(
      algorithms_help("exchange") + kExchangeHelp +
      "How far from the optimum a plan can be is told by a bound: eta (Proposition 1 of Cohen et al.), or lp, "
      "a linear\nprogram.\n"
      "\nExamples:\n"
      "  sluice plan exchange traffic.mtx\n"
      "  sluice plan exchange traffic.csv --max-transfers 8 --setup 2.5 --json plan.json\n"
      "  sluice plan exchange traffic.mtx --backbone 1Gbit --sender-link 100Mbit --receiver-link 1Gbit --latency 1ms\n"
      "  sluice plan exchange traffic.mtx --algorithm exact --time-limit 60 --summary");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
