#include "apps/sluice/plan/plan.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/cost_text.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/local_phases.hpp"
#include "sluice/schedule/tree_json.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/step_lines.hpp"
#include "sluice/show/text_table.hpp"
#include "sluice/show/tree_lines.hpp"
#include "sluice/show/tree_picture.hpp"
#include "sluice/timing/model.hpp"

namespace sluice::command {

void PlanOutput::add_to(CLI::App& problem, const std::string& unit, const std::string& summary_help) {
  problem
      .add_option("--json", json,
                  "write the schedule as JSON (sluice.schedule/1), " + unit + "; -: instead of the table")
      ->option_text("FILE|-");
  timeline.add_to(problem, "by the model");
  timeline.add_beside_to(problem);
  problem.add_flag("--all", all, fmt::format("print every line, not just {}", kShownLines));
  problem.add_flag("--summary", summary, summary_help);
}

void PlanOutput::add_tree_to(CLI::App& problem) {
  problem
      .add_option("--tree", tree,
                  "draw the tree, a row per machine, each transfer at its time (SVG); -: instead of the table")
      ->option_text("FILE|-");
}

void PlanOutput::check_targets() const {
  if (summary && all) throw InputError("--all", "cannot be used with --summary", "one of the two");
  check_json_target(json);
  check_picture_target("--tree", tree);
  timeline.check();
}

std::string cost_table(const Cost& cost, const Cost& bound, double setup, std::int32_t decimals,
                       std::int64_t switches) {
  using Align = TextTable::Align;
  TextTable table({{switches > 1 ? "most of a switch" : "", Align::kLeft},
                   {"cost"},
                   {"lower bound"},
                   {"ratio"},
                   {"", Align::kLeft}});
  const auto add = [&](const std::string& name, double value, double least, auto&& text) {
    table.add_row({name, text(cost), text(bound), ratio_text(value, least), value <= least ? "optimal" : ""});
  };
  add("steps (NS)", static_cast<double>(cost.steps), static_cast<double>(bound.steps), steps_text);
  add("transmission (TC)", static_cast<double>(cost.transmission), static_cast<double>(bound.transmission),
      [&](const Cost& each) { return transmission_text(each, decimals); });
  add(fmt::format("total = TC + {} NS", setup_text(setup, decimals)), cost.total, bound.total,
      [&](const Cost& each) { return total_text(each, decimals); });
  return table.text();
}

std::string left_out_line(std::int64_t lines) {
  return lines > 0 ? fmt::format("... {} more lines; --all shows them\n", lines) : "";
}

namespace {

/// The steps with the local phases around them, each with at most `limit` lines.
std::string lines_of(const StepSchedule& schedule, std::int64_t limit) {
  std::string text;
  const auto add = [&](const char* title, const StepSchedule& phase) {
    const ShownLines lines = step_lines(phase, limit);
    text += '\n' + (title + lines.text) + left_out_line(lines.left_out);
  };
  if (!schedule.local_phases) {
    add("", schedule);
    return text;
  }
  const LocalPhases& phases = *schedule.local_phases;
  if (!phases.before.steps.empty())
    add("first, among the senders:\n", phase_schedule(schedule, phases.before, schedule.senders));
  add("over the backbone, from senders to receivers:\n", schedule);
  if (!phases.after.steps.empty())
    add("last, among the receivers:\n", phase_schedule(schedule, phases.after, schedule.receivers));
  return text;
}

std::string lines_of(const TreeSchedule& schedule, std::int64_t limit) {
  const ShownLines lines = tree_lines(schedule, limit);
  return '\n' + lines.text + left_out_line(lines.left_out);
}

Timeline timeline_of(const StepSchedule& schedule) { return simulate(schedule, StepOrder::kBarrier); }
Timeline timeline_of(const TreeSchedule& schedule) { return simulate(schedule); }

/// `json()`: the schedule as a file.
template <class Schedule, class Json>
int show(const std::string& head, const Schedule& schedule, const PlanOutput& output, Json json) {
  std::optional<Timeline> timeline;
  if (output.timeline.wanted()) timeline = timeline_of(schedule);
  std::string text = head;
  if (!output.summary) text += lines_of(schedule, output.all ? -1 : kShownLines);
  if (!output.json.empty()) write_file_atomically(output.json, json());
  if (timeline) output.timeline.write(*timeline, fmt::format("{}, {}", schedule.problem, schedule.algorithm));
  tell(text);
  return end_of_plan();
}

}  // namespace

int end_of_plan() {
  if (was_interrupted() && manners().output_is_taken)
    std::fputs((interrupted_text() + ": the best plan so far\n").c_str(), stderr);
  return status_unless_interrupted(kDone);
}

std::string table_of_roles(const TargetRoles& roles, bool all) {
  TextTable table({{"process"}, {"role in the target grid"}});
  std::int64_t shown = 0, left_out = 0;
  for (std::size_t p = 0; p < roles.role_of_process.size(); ++p) {
    const std::int64_t role = roles.role_of_process[p].value;
    if (role == static_cast<std::int64_t>(p)) continue;
    if (!all && shown >= kShownLines) {
      ++left_out;
      continue;
    }
    ++shown;
    table.add_row({fmt::format("{}", p), fmt::format("{}", role)});
  }
  if (shown == 0) return "";
  return table.text() + left_out_line(left_out) + '\n';
}

int show_plan(const std::string& head, const StepSchedule& schedule, const PlanOutput& output) {
  return show_plan(head, schedule, std::nullopt, output);
}

int show_plan(const std::string& head, const StepSchedule& schedule, const std::optional<BoundCertificate>& certificate,
              const PlanOutput& output) {
  return show(head, schedule, output, [&] { return to_json(schedule, certificate); });
}

int show_plan(const std::string& head, const TreeSchedule& schedule, const PlanOutput& output) {
  if (!output.tree.empty())
    write_file_atomically(output.tree, tree_svg(schedule, fmt::format("{}, {}", schedule.problem, schedule.algorithm)));
  return show(head, schedule, output, [&] { return to_json(schedule); });
}

int show_plan(const std::string& head, const ExchangePlan& plan, const PlanOutput& output) {
  // With local phases the bound is for what crosses the backbone, and the certificate for the whole traffic.
  const bool certified = !plan.schedule.local_phases;
  return show_plan(head, plan.schedule, certified ? std::optional(plan.certificate) : std::nullopt, output);
}

std::string distance_text(double value, double bound, bool optimal, const std::string& kind) {
  if (optimal || value <= bound) return ", proven optimal";
  return fmt::format(", at most {} above the optimum ({})", excess_text(value, bound), kind);
}

std::string tree_table(const TreeSchedule& schedule, double optimum_at_least, const std::vector<TreeFact>& more,
                       const std::string& bounded) {
  const auto ratio = [&](double bound) { return "ratio " + ratio_text(schedule.length, bound) + bounded; };
  // Lengths over a platform are in seconds; others are in the unit of d and c.
  const auto time = [&](double value) {
    return schedule.problem == "broadcast" || schedule.over_links ? seconds_text(value) : number_text(value);
  };
  std::vector<TreeFact> facts{
      {"length", time(schedule.length), schedule.length <= optimum_at_least ? "optimal" + bounded : ""}};
  if (optimum_at_least > schedule.bound.lower)
    facts.push_back({"optimum at least", time(optimum_at_least), ratio(optimum_at_least)});
  facts.push_back({"lower bound", time(schedule.bound.lower), ratio(schedule.bound.lower)});
  facts.push_back({"upper bound", time(schedule.bound.upper), ""});
  facts.insert(facts.end(), more.begin(), more.end());
  return fact_table(facts);
}

std::string fact_table(const std::vector<TreeFact>& facts) {
  using Align = TextTable::Align;
  TextTable table({{"", Align::kLeft}, {""}, {"", Align::kLeft}});
  for (const TreeFact& fact : facts) table.add_row({fact.name, fact.value, fact.note});
  const std::string text = table.text();
  return text.substr(text.find('\n') + 1);  // without a title
}

ExchangePlan plan_with_progress(ExchangeOptions options, std::int32_t decimals,
                                const std::function<ExchangePlan(const ExchangeOptions&)>& plan) {
  // Only these two algorithms tell how far they are.
  if (options.algorithm != "auto" && options.algorithm != "exact") {
    const Elapsed elapsed(kPlanning);
    return plan(options);
  }
  const PlanningProgress progress(options, decimals);
  return plan(options);
}

ExchangePlan plan_with_progress(const ExchangeProblem& problem, const ExchangeOptions& options) {
  return plan_with_progress(options, problem.traffic.decimals,
                            [&](const ExchangeOptions& how) { return plan_exchange(problem, how); });
}

std::string costs_of(const ExchangePlan& plan) {
  const StepSchedule& schedule = plan.schedule;
  const Cost total = cost(schedule);
  // What is guaranteed at several speeds has more to it than a word: docs/explanation/exchange.md.
  std::string line =
      schedule.speeds.empty() ? algorithm_text("exchange", schedule.algorithm) : "algorithm: " + schedule.algorithm;
  line += distance_text(total.total, plan.bound.cost.total, plan.optimal || total.total <= plan.bound.cost.total,
                        plan.bound.kind);
  line += end_of_search_text(plan.stopped);
  return line + "\n\n" + cost_table(total, plan.bound.cost, schedule.setup, schedule.decimals, schedule.switches);
}

void add_plan(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("plan", "plan one schedule and show it: costs and bounds, then the steps or transfers");
  verb->footer(
      "Examples:\n"
      "  sluice plan redistribute --from 16:3 --to 16:5\n"
      "  sluice plan exchange traffic.mtx --max-transfers 8\n"
      "  sluice plan reduce --machines 64 --transfer 2 --compute 1\n\n"
      "sluice plan PROBLEM --help lists the options.");
  add_plan_redistribute(*verb, chosen);
  add_plan_exchange(*verb, chosen);
  add_plan_reduce(*verb, chosen);
  add_plan_broadcast(*verb, chosen);
  add_plan_collectives(*verb, chosen);
}

}  // namespace sluice::command
