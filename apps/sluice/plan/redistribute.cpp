#include "apps/sluice/options/redistribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/export.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/plan/as_exchange.hpp"
#include "apps/sluice/plan/batch.hpp"
#include "apps/sluice/plan/front.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "apps/sluice/plan/replicas.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

struct PlanRedistributeOptions {
  RedistributeOptions problem;
  PlanOutput output;
  ExportOption exported;
  std::string algorithm = "auto";
  std::string effort;
  std::string rank;
  bool front = false;
  bool preemptive = false;
};

/// What is proven of a plan, in words.
std::string proof_text(const Cost& cost, const Cost& bound, const std::string& asked_for) {
  if (cost.steps <= bound.steps && cost.transmission <= bound.transmission) return "optimal in NS and TC (proven)";
  if (cost.total <= bound.total) return "optimal in total (proven)";
  std::string text = fmt::format("at most {} above the optimum", excess_text(cost.total, bound.total));
  if ((asked_for == "auto" || asked_for == "exact") && !exact_uses_cbc())
    text += "; this build has no CBC, with which exact finds out more";
  return text;
}

std::string whole_message_costs(const RedistributionPlan& plan, const std::string& asked_for, double setup,
                                bool stopped) {
  const Cost cost = plan.cost(), bound = plan.bound();
  // Algorithms guarantee this for all messages of the whole box, also for those that a process sends itself.
  std::string guarantee = plan.problem().is_plain() ? guarantee_of("redistribute", plan.algorithm()) : "";
  if (!guarantee.empty()) guarantee = fmt::format(" ({})", guarantee);
  return fmt::format("algorithm: {}{}{}\nresult: {}{}\n\n{}", plan.algorithm(),
                     asked_for == "auto" ? ", chosen by auto" : "", guarantee, proof_text(cost, bound, asked_for),
                     end_of_search_text(stopped), cost_table(cost, bound, setup));
}

/// Says how much cheaper or more expensive it is to cut messages than to send them whole.
std::string cutting_text(const Cost& cut, const Cost& whole) {
  const char* verb = cut.total <= whole.total ? "gains" : "loses";
  const auto [less, more] = std::minmax(cut.total, whole.total);
  return fmt::format("whole messages: NS {}, TC {}, total {}; cutting them {} {}\n", whole.steps, whole.transmission,
                     number_text(whole.total), verb, more > less ? excess_text(more, less) : "nothing");
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
      fmt::format("rank {}: {} to send, {} to receive\n\n", rank, count_text(sends.size(), "message"), receives.size());
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
  TextTable table({{"stage", TextTable::Align::kLeft}, {"steps (NS)"}, {"transmission (TC)"}, {"total"}});
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
  tell(task.title() + "\nalgorithm: walker-otto (two stages through blocks of lcm(r, s))\n\n" + table.text());
  return kDone;
}

/// The option that leaves the steps out; "" where there is none.
std::string not_written_out(const PlanRedistributeOptions& options, const RedistributeTask& task) {
  if (task.replicated) return "--from-replicas or --to-replicas";
  if (options.output.summary) return "--summary";
  if (options.front) return "--front";
  if (!options.rank.empty()) return "--rank";
  return options.algorithm == kWalkerOtto ? "algorithm walker-otto" : "";
}

/// Throws InputError for what --front is not shown with.
void check_front_alone(const PlanRedistributeOptions& options) {
  const auto refuse = [](const std::string& option) {
    throw InputError("--front", "cannot be used with " + option, "one of the two");
  };
  if (options.output.timeline.traced()) refuse("--trace");
  if (options.output.timeline.beside()) refuse("--beside");
  if (options.output.timeline.row() != GanttRow::kSender) refuse("--rows");
  if (!options.rank.empty()) refuse("--rank");
  if (options.preemptive) refuse("--preemptive");
  if (options.algorithm != "auto") refuse("--algorithm");
}

int plan_several(const PlanRedistributeOptions& options, std::int64_t effort) {
  const auto refuse = [](const char* option) {
    throw InputError(option, "cannot be used with several arrays", "one array");
  };
  if (options.preemptive) refuse("--preemptive");
  if (!options.rank.empty()) refuse("--rank");
  if (options.algorithm == kWalkerOtto) refuse("--algorithm walker-otto");
  options.output.check_targets();
  options.exported.check(options.front ? "--front" : options.output.summary ? "--summary" : "");
  if (options.front) {
    check_front_alone(options);
    const Interruptible interruptible;
    return plan_front(read_batch(options.problem), effort, options.output);
  }
  return plan_batch_of(read_batch(options.problem), options.algorithm, effort, options.output, options.exported);
}

int plan(const PlanRedistributeOptions& options) {
  const bool knows_layouts = is_algorithm("redistribute", options.algorithm) || options.algorithm == kWalkerOtto;
  if (options.preemptive) check_algorithm("exchange", options.algorithm);
  if (!knows_layouts && !is_algorithm("exchange", options.algorithm)) {
    throw InputError("--algorithm", fmt::format("'{}'", options.algorithm),
                     fmt::format("one of {}, {}, or of exchange: {}", algorithm_list("redistribute"), kWalkerOtto,
                                 algorithm_list("exchange")));
  }
  const std::int64_t effort = parse_effort(options.effort);
  if (asks_for_batch(options.problem)) return plan_several(options, effort);
  const RedistributeTask task = read(options.problem);
  // Blocks of any sizes make messages of any sizes, which are cheaper cut.
  const bool whole_messages =
      knows_layouts && !options.preemptive && !(task.problem.is_irregular() && options.algorithm == "auto");
  const PlanOutput& output = options.output;
  output.check_targets();
  options.exported.check(not_written_out(options, task));
  if (task.replicated) {
    const auto refuse = [](const char* option) {
      throw InputError(option, "cannot be used with --from-replicas or --to-replicas", "one copy of each array");
    };
    if (options.front) refuse("--front");
    if (options.preemptive) refuse("--preemptive");
    if (!options.rank.empty()) refuse("--rank");
    return plan_replicas(task, options.algorithm, effort, output);
  }
  const Interruptible interruptible(options.front || searches(options.algorithm));
  if (options.front) {
    check_front_alone(options);
    return plan_front(task, effort, output);
  }
  const bool for_rank = !options.rank.empty();
  std::int64_t rank = 0;
  if (for_rank) {
    const std::int64_t ranks = std::max(task.problem.from().processes(), task.problem.to().processes());
    rank = parse_count(options.rank, "--rank", 0, ranks - 1);
  }
  if (options.algorithm == kWalkerOtto) {
    if (output.timeline.wanted())
      throw InputError(output.timeline.given(), "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    if (task.roles)
      throw InputError("--algorithm", "walker-otto, which sends everything through another layout",
                       "an algorithm of one schedule beside --same-processes and --relabel");
    if (!output.json.empty())
      throw InputError("--json", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    if (for_rank) throw InputError("--rank", "algorithm walker-otto, two schedules", "an algorithm of one schedule");
    return plan_in_two_stages(task);
  }
  if (output.timeline.wanted() && for_rank)
    throw InputError(output.timeline.given(), "cannot be used with --rank",
                     "the whole schedule, or a table without it");
  if (!output.json.empty() && for_rank)
    throw InputError("--json", "cannot be used with --rank", "the whole schedule for --json, or a table without it");
  const bool writes_out = output.writes_out() && !for_rank;
  if ((writes_out || !whole_messages) && count_messages(task.problem, kMostListedMessages) > kMostListedMessages) {
    throw InputError("plan", fmt::format("more than {} transfers to write out", kMostListedMessages),
                     whole_messages ? "less, or --summary, or the part of one --rank" : "less, or --algorithm auto");
  }

  std::string head = task.title() + '\n' + task.kept_text();
  if (task.roles && !output.summary) head += table_of_roles(*task.roles, output.all);
  if (!whole_messages) {
    const ExchangePlan plan = plan_as_exchange(task, options.algorithm, effort);
    head += costs_of(plan);
    constexpr std::int64_t kMostPlannedWhole = std::int64_t{1} << 20;  // where nothing is known of layouts
    if (!task.problem.is_irregular() || count_messages(task.problem, kMostPlannedWhole) <= kMostPlannedWhole)
      head += '\n' + cutting_text(cost(plan.schedule), plan_redistribution(task.problem, "auto", task.setup, effort,
                                                                           TimeLimit(task.time_limit_s).stop())
                                                           .cost());
    if (!for_rank) {
      options.exported.write(plan.schedule);
      return show_plan(head, plan, output);
    }
    tell(head + '\n' + table_of_rank(part_of(plan.schedule, rank), rank, output.all));
    return status_unless_interrupted(kDone);
  }
  const TimeLimit limit(task.time_limit_s);
  const RedistributionPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return plan_redistribution(task.problem, options.algorithm, task.setup, effort, limit.stop());
  }();
  head += whole_message_costs(plan, options.algorithm, task.setup, limit.reached());
  if (writes_out) {
    const StepSchedule schedule = plan.schedule(task.input);
    options.exported.write(schedule);
    return show_plan(head, schedule, output);
  }
  tell(for_rank ? head + '\n' + table_of_rank(part_of(plan, rank), rank, output.all) : head);
  return status_unless_interrupted(kDone);
}

}  // namespace

void add_plan_redistribute(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem = plan_verb.add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<PlanRedistributeOptions>();
  options->problem.add_to(*problem, kSliceUnlessShape);
  options->problem.add_roles_to(*problem);
  options->problem.add_replicas_to(*problem);
  options->problem.add_batch_to(*problem);
  offer(problem->add_option("--algorithm", options->algorithm,
                            fmt::format("{}, {}; or one of exchange that is not among them",
                                        algorithm_list("redistribute"), kWalkerOtto)),
        redistribution_names())
      ->option_text("NAME [auto]");
  add_effort_option(*problem, options->effort);
  problem->add_flag("--front", options->front,
                    "show the best pairs of NS and TC, with proof, instead of a schedule. --svg draws them, --json "
                    "writes them (sluice.front/1)");
  problem->add_flag("--preemptive", options->preemptive,
                    "plan by an algorithm of exchange, which may cut messages, and say what that gains");
  options->exported.add_to(*problem);
  options->output.add_to(*problem, "sizes in elements", "print costs and bounds alone, for any number of processes");
  problem
      ->add_option("--rank", options->rank,
                   "show only what process R sends and receives; works for any number of processes")
      ->option_text("R");
  problem->footer(
      algorithms_help("redistribute") +
      "\nAlgorithms of exchange (sluice plan exchange --help) may cut messages into pieces. They list every message,\n"
      "whatever is shown. If cuts give the blocks, auto is the algorithm auto of exchange; likewise for several\n"
      "arrays that are not alike.\n\n"
      "Plans do not depend on how fast the machine is. A job (sluice run, or the library) searches very little unless "
      "--effort is given.\n\n"
      "Examples:\n"
      "  sluice plan redistribute --from 16:3 --to 16:5\n"
      "  sluice plan redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096 --json plan.json\n"
      "  sluice plan redistribute --from 100000:64 --to 100000:100 --summary\n"
      "  sluice plan redistribute --from 15:2 --to 6:3 --front --svg front.svg\n"
      "  sluice plan redistribute --from 15:2 --to 6:3 --preemptive\n"
      "  sluice plan redistribute --from 16:3 --to 16:5 --relabel --json plan.json\n"
      "  sluice plan redistribute --from 4:64 --to 2:100 --from-replicas 2 --to-replicas 8 --setup 100\n"
      "  sluice plan redistribute --from 2x2:0,10,35,100x64 --to 4x1:25x0,30,200@0,0\n"
      "  sluice plan redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096 --arrays 8 --json plan.json\n"
      "  sluice plan redistribute --batch arrays.json --json plan.json");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
