#include <fmt/format.h>

#include <memory>
#include <string>

#include "algorithm_names.hpp"
#include "compare.hpp"
#include "exchange_options.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::command {

namespace {

struct CompareOptions {
  ExchangeInput problem;
  std::string json;
};

int compare(const CompareOptions& options) {
  const ExchangeTask task = read(options.problem);
  if (!options.json.empty() && options.json != "-") check_writable(options.json);
  const Cost eta = lower_bound(task.problem.traffic, task.problem.max_transfers, task.problem.setup);
  ExchangeBound best{eta, "eta"};
  const auto note_bound = [&](const ExchangeBound& bound) {
    if (bound.cost.total > best.cost.total) best = bound;
  };
  note_bound(exchange_bound(task.problem, task.time_limit_s));

  Comparison comparison;
  comparison.problem = "exchange";
  comparison.head = task.title();
  comparison.decimals = task.problem.traffic.decimals;
  const auto add = [&](const std::string& name) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const ExchangePlan plan =
          timed(row.plan_s, [&] { return plan_with_progress(task.problem, task.planned_by(name)); });
      row.cost = cost(plan.schedule);
      if (plan.optimal) row.note = "proven optimal";
      note_bound(plan.bound);
      return row;
    });
  };
  for (const Algorithm& algorithm : algorithms("exchange")) add(std::string(algorithm.name));
  add("auto");

  comparison.bounds.push_back({eta, "eta", "eta, Proposition 1"});
  if (best.kind != "eta") {
    comparison.bounds.push_back(
        {best.cost, best.kind, best.kind == "lp" ? "lp, the linear program over steps" : best.kind});
  }
  return show_comparison(comparison, options.json);
}

}  // namespace

void add_compare_exchange(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem =
      compare_verb.add_subcommand("exchange", "any traffic: who sends how much to whom, k transfers at once");
  const auto options = std::make_shared<CompareOptions>();
  options->problem.add_to(*problem);
  add_json_option(*problem, options->json);
  problem->footer(algorithms_help("exchange") + kExchangeHelp + kComparisonHelp +
                  "The time limit holds for each of auto, exact and the bound lp.\n\n"
                  "Examples:\n"
                  "  sluice compare exchange traffic.mtx\n"
                  "  sluice compare exchange traffic.csv --max-transfers 8 --setup 2.5 --json comparison.json");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
