#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "redistribute_options.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/step_lines.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using Align = TextTable::Align;

/// Lines below the costs, unless --all.
constexpr std::int64_t kShownLines = 40;
/// Beyond this the steps are not written out: half a gigabyte of transfers, and more as JSON.
constexpr std::int64_t kMostTransfers = std::int64_t{1} << 24;

struct PlanOptions {
  RedistributeOptions problem;
  std::string algorithm = "auto";
  std::string json;
  std::string rank;
  bool all = false;
  bool summary = false;
};

std::string algorithm_line(const std::string& name, const std::string& asked_for) {
  std::string line = "algorithm: " + name;
  if (asked_for == "auto") line += ", chosen by auto";
  for (const Algorithm& algorithm : algorithms("redistribute"))
    if (algorithm.name == name) line += fmt::format(" ({})", algorithm.guarantee);
  return line + '\n';
}

/// Cost beside the bound; in each line "optimal" where they meet.
std::string cost_table(const Cost& cost, const Cost& bound, double setup) {
  TextTable table({{"", Align::kLeft}, {"cost"}, {"lower bound"}, {"ratio"}, {"", Align::kLeft}});
  const auto add = [&](const std::string& name, double value, double least) {
    table.add_row(
        {name, number_text(value), number_text(least), ratio_text(value, least), value <= least ? "optimal" : ""});
  };
  add("steps (NS)", static_cast<double>(cost.steps), static_cast<double>(bound.steps));
  add("transmission (TC)", static_cast<double>(cost.transmission), static_cast<double>(bound.transmission));
  add(fmt::format("total = TC + {} NS", number_text(setup)), cost.total, bound.total);
  return table.text();
}

/// What one process sends and receives in each step in which it does.
std::string table_of_rank(const RedistributionPlan& plan, std::int64_t rank, bool all) {
  const RedistributionProblem& problem = plan.problem();
  std::vector<PlannedMessage> sends, receives;
  if (rank < problem.from().processes()) sends = plan.sends(Rank(rank));
  if (rank < problem.to().processes()) receives = plan.receives(Rank(rank));
  std::string result =
      fmt::format("rank {}: {} messages to send, {} to receive\n\n", rank, sends.size(), receives.size());
  TextTable table({{"step"}, {"sends"}, {"to"}, {"receives"}, {"from"}});
  std::int64_t left_out = 0;
  for (std::size_t s = 0, r = 0; s < sends.size() || r < receives.size();) {
    const bool sends_now = s < sends.size() && (r == receives.size() || sends[s].step <= receives[r].step);
    const bool receives_now = r < receives.size() && (!sends_now || receives[r].step == sends[s].step);
    if (all || static_cast<std::int64_t>(std::max(s, r)) < kShownLines) {
      std::vector<std::string> cells(5);
      cells[0] = fmt::format("{}", sends_now ? sends[s].step : receives[r].step);
      if (sends_now) cells[1] = fmt::format("{}", sends[s].count), cells[2] = fmt::format("{}", sends[s].peer.value);
      if (receives_now)
        cells[3] = fmt::format("{}", receives[r].count), cells[4] = fmt::format("{}", receives[r].peer.value);
      table.add_row(std::move(cells));
    } else {
      ++left_out;
    }
    s += sends_now ? 1U : 0U;
    r += receives_now ? 1U : 0U;
  }
  result += table.text();
  if (left_out > 0) result += fmt::format("... {} more lines; --all shows them\n", left_out);
  return result;
}

int plan_in_two_stages(const RedistributeTask& task) {
  const WalkerOttoPlan plan = plan_walker_otto(task.problem, task.setup);
  const Cost bound = redistribution_bound(task.problem, task.setup);
  const auto layout = [](const Distribution& distribution) {
    Layout result;
    for (const Axis& axis : distribution.axes()) {
      result.grid.push_back(axis.processes);
      result.block.push_back(axis.block);
    }
    return to_string(result);
  };
  TextTable table({{"stage", Align::kLeft}, {"steps (NS)"}, {"transmission (TC)"}, {"total"}});
  const auto add = [&](const std::string& name, const Cost& cost) {
    table.add_row({name, fmt::format("{}", cost.steps), fmt::format("{}", cost.transmission), number_text(cost.total)});
  };
  Cost both;
  for (const RedistributionPlan* stage : {&plan.first, &plan.second}) {
    const Cost cost = stage->cost();
    add(layout(stage->problem().from()) + " -> " + layout(stage->problem().to()), cost);
    both.steps += cost.steps;
    both.transmission += cost.transmission;
    both.total += cost.total;
  }
  add("both", both);
  add("lower bound of one stage", bound);
  table.add_row({"ratio", ratio_text(static_cast<double>(both.steps), static_cast<double>(bound.steps)),
                 ratio_text(static_cast<double>(both.transmission), static_cast<double>(bound.transmission)),
                 ratio_text(both.total, bound.total)});
  print(task.title() + "\nalgorithm: walker-otto (two stages through blocks of lcm(r, s))\n\n" + table.text());
  return kDone;
}

int plan(const PlanOptions& options) {
  check_algorithm(options.algorithm);
  const RedistributeTask task = read(options.problem);
  const bool for_rank = !options.rank.empty();
  std::int64_t rank = 0;
  if (for_rank) {
    const std::int64_t ranks = std::max(task.problem.from().processes(), task.problem.to().processes());
    rank = parse_count(options.rank, "--rank", 0, ranks - 1);
  }
  if (options.algorithm == kWalkerOtto) {
    if (!options.json.empty())
      throw InputError("--json", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    if (for_rank) throw InputError("--rank", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    return plan_in_two_stages(task);
  }
  if (!options.json.empty() && (for_rank || options.summary)) {
    throw InputError("--json", for_rank ? "--rank beside it" : "--summary beside it",
                     "the whole schedule for --json, or a table without it");
  }

  if (!options.summary && !for_rank && count_messages(task.problem, kMostTransfers) > kMostTransfers) {
    throw InputError("plan", fmt::format("more than {} transfers to write out", kMostTransfers),
                     "less, or --summary, or the part of one --rank");
  }
  const RedistributionPlan plan = plan_redistribution(task.problem, options.algorithm, task.setup);
  std::string text = task.title() + '\n' + algorithm_line(plan.algorithm(), options.algorithm) + '\n' +
                     cost_table(plan.cost(), plan.bound(), task.setup);
  if (for_rank) {
    text += '\n' + table_of_rank(plan, rank, options.all);
  } else if (!options.summary) {
    const StepSchedule schedule = plan.schedule(task.input);
    if (options.json == "-") {
      print(to_json(schedule));
      return kDone;
    }
    const StepLines steps = step_lines(schedule, options.all ? -1 : kShownLines);
    text += '\n' + steps.text;
    if (steps.left_out > 0) text += fmt::format("... {} more lines; --all shows them\n", steps.left_out);
    if (!options.json.empty()) write_file_atomically(options.json, to_json(schedule));
  }
  print(text);
  return kDone;
}

}  // namespace

void add_plan(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("plan", "plan one schedule and show it: costs and bounds, then the steps");
  verb->footer(
      "Example:\n  sluice plan redistribute --from 16:3 --to 16:5\n\n"
      "sluice plan redistribute --help lists the options.");
  CLI::App* problem = verb->add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<PlanOptions>();
  options->problem.add_to(*problem, kSliceUnlessShape);
  problem->add_option("--algorithm", options->algorithm, redistribute_algorithms())->option_text("NAME [auto]");
  problem
      ->add_option("--json", options->json,
                   "write the schedule as JSON (sluice.schedule/1), sizes in elements; -: instead of the table")
      ->option_text("FILE|-");
  problem->add_flag("--all", options->all, fmt::format("every line of the steps, not just {}", kShownLines));
  problem->add_flag("--summary", options->summary, "costs and bounds alone; works for any number of processes");
  problem->add_option("--rank", options->rank, "show what process R sends and receives, alone; works likewise")
      ->option_text("R");
  problem->footer(redistribute_algorithms_help() +
                  "\nExamples:\n"
                  "  sluice plan redistribute --from 16:3 --to 16:5\n"
                  "  sluice plan redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096 --json plan.json\n"
                  "  sluice plan redistribute --from 100000:64 --to 100000:100 --summary");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
