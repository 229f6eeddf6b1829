#include "apps/sluice/options/exchange.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/export.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/schedule_file.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/aggregation.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

struct PlanExchangeOptions {
  ExchangeInput problem;
  PlanOutput output;
  ExportOption exported;
  std::string algorithm = "auto";
  LocalLinksInput local;
  std::string resume;
  bool explain = false;
};

/// What each stage of auto found and used, or that there are no stages.
std::string stages_text(const ExchangePlan& plan) {
  if (plan.stages.empty()) return "\nno stages: only auto has them, for one k and nodes of one speed\n";
  using Align = TextTable::Align;
  TextTable table({{"stage", Align::kLeft}, {"cheapest plan then"}, {"counted work"}});
  for (const ExchangeStage& stage : plan.stages) {
    const double cost = move_decimal_point(stage.cost, -plan.schedule.decimals);
    table.add_row({stage.name, number_text(cost), fmt::format("{}", stage.work)});
  }
  return "\n" + table.text();
}

/// Reads what an earlier run of exact wrote. Throws InputError for anything but a schedule of steps.
ExchangeStart read_start(const std::string& file) {
  ScheduleFile read = read_steps_file(file, "one that plan exchange --algorithm exact wrote");
  return {std::move(read.schedule), std::move(read.certificate), file};
}

/// A line on how much the detour through neighbours saves.
std::string local_line(const AggregatedPlan& plan, std::int32_t decimals) {
  const auto text = [&](double total) { return number_text(move_decimal_point(total, -decimals)); };
  const std::optional<LocalPhases>& phases = plan.exchange.schedule.local_phases;
  if (!phases) {
    return fmt::format("local links: no plan found that uses them costs less; none can cost less than {}\n",
                       text(plan.bound));
  }
  return fmt::format(
      "local links: {} among the senders before, {} among the receivers after; in all {}, without them {}, no plan "
      "costs less than {}\n",
      count_text(phases->before.steps.size(), "step"), phases->after.steps.size(), text(plan.total),
      text(plan.plain_total), text(plan.bound));
}

int plan_with_local_phases(const PlanExchangeOptions& options, const ExchangeTask& task) {
  const LocalLinks links = options.local.read(task);
  ExchangeOptions how = task.planned_by(options.algorithm);
  AggregatedPlan plan;
  {
    const PlanningProgress progress(how, task.problem.traffic.decimals);
    plan = plan_with_local_links(task.problem, links, how);
  }
  options.exported.write(plan.exchange.schedule);
  return show_plan(task.title() + '\n' + costs_of(plan.exchange) + local_line(plan, task.problem.traffic.decimals) +
                       task.time_line(plan.total, plan.bound) + (options.explain ? stages_text(plan.exchange) : ""),
                   plan.exchange, options.output);
}

/// Throws InputError for options that need a plan for one switch.
void check_switches(const PlanExchangeOptions& options) {
  const std::string expected = "a plan for one switch, without --switches";
  if (options.local.given()) throw InputError("--local-links", "a plan for several switches", expected);
  if (options.output.timeline.wanted())
    throw InputError(options.output.timeline.given(), "a plan for several switches, which is not simulated", expected);
}

int plan(const PlanExchangeOptions& options) {
  check_algorithm("exchange", options.algorithm);
  const ExchangeTask task = read(options.problem);
  options.output.check_targets();
  const bool several = task.problem.switches > 1;
  options.exported.check(options.output.summary ? "--summary" : several ? "--switches" : "");
  if (several) check_switches(options);
  ExchangeOptions how = task.planned_by(options.algorithm);
  if (!options.resume.empty()) {
    if (options.algorithm != "exact")
      throw InputError("--resume", "algorithm " + options.algorithm, "--algorithm exact");
    if (several) throw InputError("--resume", "cannot be used with --switches", "a plan for one switch");
    how.start = read_start(options.resume);
  }
  const Interruptible interruptible(searches(options.algorithm));
  if (options.local.given()) return plan_with_local_phases(options, task);
  const ExchangePlan plan = plan_with_progress(task.problem, how);
  options.exported.write(plan.schedule);
  return show_plan(task.title() + '\n' + costs_of(plan) +
                       task.time_line(cost(plan.schedule).total, plan.bound.cost.total) +
                       (options.explain ? stages_text(plan) : ""),
                   plan, options.output);
}

}  // namespace

void add_plan_exchange(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem =
      plan_verb.add_subcommand("exchange", "send any traffic: who sends how much to whom, k transfers at once");
  const auto options = std::make_shared<PlanExchangeOptions>();
  options->problem.add_to(*problem);
  options->problem.add_switches_to(*problem);
  offer(problem->add_option("--algorithm", options->algorithm, algorithm_list("exchange")), algorithm_names("exchange"))
      ->option_text("NAME [auto]");
  options->local.add_to(*problem);
  problem
      ->add_option("--resume", options->resume,
                   "go on from the plan and the bound in this file, written by exact (--json) when it was interrupted")
      ->option_text("FILE");
  problem->add_flag("--explain", options->explain,
                    "print the stages of auto: the cost of the cheapest plan after each, and its work; an effort of 1 "
                    "is a work of 1e9");
  options->exported.add_to(*problem);
  options->output.add_to(*problem, "sizes in the unit of the traffic", "print costs and bounds alone");
  problem->footer(
      algorithms_help("exchange") + kExchangeHelp +
      "A bound tells how far from the optimum a plan can be: eta (Proposition 1 of Cohen et al.), or lp, a linear\n"
      "program.\n\n"
      "Examples:\n"
      "  sluice plan exchange traffic.mtx\n"
      "  sluice plan exchange traffic.csv --max-transfers 8 --setup 2.5 --json plan.json\n"
      "  sluice plan exchange traffic.mtx --backbone 1Gbit --sender-link 100Mbit --receiver-link 1Gbit --latency 1ms\n"
      "  sluice plan exchange traffic.mtx --backbone 1Gbit --sender-link 100Mbit --receiver-link 1Gbit --latency 1ms "
      "\\\n"
      "    --local-links 10Gbit --local-latency 20us\n"
      "  sluice plan exchange traffic.mtx --algorithm exact --effort 60 --summary\n"
      "  sluice plan exchange traffic.mtx --algorithm exact --effort 600 --resume plan.json --json further.json\n"
      "  sluice plan exchange traffic.mtx --switches 4 --setup 100 --json plan.json\n"
      "  sluice plan exchange traffic.mtx --speeds speeds.json --json plan.json\n"
      "  sluice plan exchange traffic.mtx --export ppermute steps.json");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
