#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithm_names.hpp"
#include "option_values.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "redistribute_options.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using Align = TextTable::Align;

/// Beyond this the steps are not written out: half a gigabyte of transfers, and more as JSON.
constexpr std::int64_t kMostTransfers = std::int64_t{1} << 24;

struct PlanOptions {
  RedistributeOptions problem;
  PlanOutput output;
  std::string algorithm = "auto";
  std::string rank;
};

std::string whole_message_costs(const RedistributionPlan& plan, const std::string& asked_for, double setup) {
  return fmt::format("algorithm: {}{} ({})\n\n{}", plan.algorithm(), asked_for == "auto" ? ", chosen by auto" : "",
                     guarantee_of("redistribute", plan.algorithm()), cost_table(plan.cost(), plan.bound(), setup));
}

/// What one process has to do, in the order of the steps.
struct RanksPart {
  std::vector<PlannedMessage> sends;
  std::vector<PlannedMessage> receives;
};

RanksPart part_of(const RedistributionPlan& plan, std::int64_t rank) {
  RanksPart part;
  if (rank < plan.problem().from().processes()) part.sends = plan.sends(Rank(rank));
  if (rank < plan.problem().to().processes()) part.receives = plan.receives(Rank(rank));
  return part;
}

RanksPart part_of(const StepSchedule& schedule, std::int64_t rank) {
  RanksPart part;
  for (std::size_t t = 0; t < schedule.steps.size(); ++t) {
    const auto step = static_cast<std::int64_t>(t);
    for (const Transfer& transfer : schedule.steps[t].transfers) {
      if (transfer.from == rank) part.sends.push_back({step, Rank(transfer.to), transfer.size});
      if (transfer.to == rank) part.receives.push_back({step, Rank(transfer.from), transfer.size});
    }
  }
  return part;
}

std::string table_of_rank(const RanksPart& part, std::int64_t rank, bool all) {
  const auto& [sends, receives] = part;
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
  return result + table.text() + left_out_line(left_out);
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

/// By a planner of exchange, which knows nothing of layouts and may cut messages.
ExchangePlan plan_as_exchange(const RedistributeTask& task, const std::string& algorithm) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.time_limit_s = task.time_limit_s;
  ExchangePlan plan = plan_with_progress(
      {task.problem.traffic(), std::min(task.problem.from().processes(), task.problem.to().processes()), task.setup},
      options);
  plan.schedule.problem = "redistribute";
  plan.schedule.input = task.input;
  return plan;
}

int plan(const PlanOptions& options) {
  const bool whole_messages = is_algorithm("redistribute", options.algorithm);
  if (!whole_messages && !is_algorithm("exchange", options.algorithm)) {
    throw InputError(
        "--algorithm", fmt::format("'{}'", options.algorithm),
        fmt::format("one of {}, or of exchange: {}", algorithm_list("redistribute"), algorithm_list("exchange")));
  }
  const RedistributeTask task = read(options.problem);
  const PlanOutput& output = options.output;
  const bool for_rank = !options.rank.empty();
  std::int64_t rank = 0;
  if (for_rank) {
    const std::int64_t ranks = std::max(task.problem.from().processes(), task.problem.to().processes());
    rank = parse_count(options.rank, "--rank", 0, ranks - 1);
  }
  if (options.algorithm == kWalkerOtto) {
    if (!output.json.empty())
      throw InputError("--json", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    if (for_rank) throw InputError("--rank", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    return plan_in_two_stages(task);
  }
  if (!output.json.empty() && for_rank)
    throw InputError("--json", "--rank beside it", "the whole schedule for --json, or a table without it");
  check_summary_alone(output);
  const bool writes_out = !output.summary && !for_rank;
  if ((writes_out || !whole_messages) && count_messages(task.problem, kMostTransfers) > kMostTransfers) {
    throw InputError("plan", fmt::format("more than {} transfers to write out", kMostTransfers),
                     whole_messages ? "less, or --summary, or the part of one --rank" : "less, or --algorithm auto");
  }

  std::string head = task.title() + '\n';
  if (!whole_messages) {
    const ExchangePlan plan = plan_as_exchange(task, options.algorithm);
    head += costs_of(plan);
    if (!for_rank) return show_plan(head, plan.schedule, output);
    print(head + '\n' + table_of_rank(part_of(plan.schedule, rank), rank, output.all));
    return kDone;
  }
  const RedistributionPlan plan = plan_redistribution(task.problem, options.algorithm, task.setup);
  head += whole_message_costs(plan, options.algorithm, task.setup);
  if (writes_out) return show_plan(head, plan.schedule(task.input), output);
  print(for_rank ? head + '\n' + table_of_rank(part_of(plan, rank), rank, output.all) : head);
  return kDone;
}

}  // namespace

void add_plan_redistribute(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem = plan_verb.add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<PlanOptions>();
  options->problem.add_to(*problem, kSliceUnlessShape);
  problem
      ->add_option("--algorithm", options->algorithm,
                   algorithm_list("redistribute") + "; or one of exchange that is not among them")
      ->option_text("NAME [auto]");
  options->output.add_to(*problem, "sizes in elements", "costs and bounds alone; works for any number of processes");
  problem->add_option("--rank", options->rank, "show what process R sends and receives, alone; works likewise")
      ->option_text("R");
  problem->footer(
      algorithms_help("redistribute") +
      "\nAlgorithms of exchange (sluice plan exchange --help) may cut messages into pieces; they write every "
      "message\nout, whatever is shown.\n"
      "\nExamples:\n"
      "  sluice plan redistribute --from 16:3 --to 16:5\n"
      "  sluice plan redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096 --json plan.json\n"
      "  sluice plan redistribute --from 100000:64 --to 100000:100 --summary\n"
      "  sluice plan redistribute --from 15:2 --to 6:3 --algorithm oggp");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
