#include "apps/sluice/options/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::command {

namespace {

struct PlanBroadcastOptions {
  BroadcastInput problem;
  PlanOutput output;
  std::string algorithm = "auto";
  std::string program;  ///< a file for it
  ReversedInput reversed;
};

/// Sets the length to the length of its replay, unless that is too much work. Without it, the length of a long message
/// is extrapolated from its first segments, and a reduction has the length of the broadcast.
Program replayed(const Platform& platform, Program program) {
  constexpr std::size_t kMostOperations = std::size_t{1} << 16;
  if (program.operations.size() > kMostOperations) return program;
  program.length_s = replay(platform, program).length_s;
  if (const std::size_t at = program.algorithm.find(kEstimated); at != std::string::npos)
    program.algorithm.erase(at, kEstimated.size());
  return program;
}

bool writes_tree(const PlanBroadcastOptions& options) {
  return !options.output.json.empty() || !options.output.tree.empty();
}

/// The head of a plan of either direction; `beside`: rows below its own. It has one length: the time until the last
/// rank is done. A tree between clusters has a length of its own in the file, which knows less than the replay.
template <class Plan>
std::string head_of(const BroadcastTask& task, const std::string& title, const Plan& plan, std::int64_t messages,
                    bool estimated, bool stopped, const std::vector<TreeFact>& beside = {}) {
  const TreeSchedule& schedule = plan.schedule;
  const double length_s = plan.program.length_s;
  std::string line = algorithm_text("broadcast", schedule.algorithm);
  if (plan.between_clusters && plan.optimal) line += ", proven to be the shortest tree of whole messages";
  if (estimated)
    line += ", the length estimated: a replay of all messages is too much work";
  else if (!plan.program.bound.empty())
    line += distance_text(length_s, plan.program.bound_s, false, plan.program.bound);
  line += end_of_search_text(stopped);
  // The bound of a tree holds for trees alone; the bound of a program holds for every method.
  const bool of_all = !plan.program.bound.empty();
  const double bound_s = of_all ? plan.program.bound_s : schedule.bound.lower;
  const std::string bounded = of_all                  ? ", " + plan.program.bound
                              : plan.between_clusters ? ", trees in " + count_text(schedule.segments, "segment")
                                                      : std::string();
  std::vector<TreeFact> rows{{"length", seconds_text(length_s), plan.program.algorithm}};
  rows.push_back({"lower bound", seconds_text(bound_s),
                  length_s <= bound_s ? "reached" + bounded : "ratio " + ratio_text(length_s, bound_s) + bounded});
  const bool of_ranks = schedule.machines == task.platform.ranks && schedule.machines != 1 &&
                        schedule.machines != static_cast<std::int64_t>(task.platform.clusters.size());
  rows.push_back({"tree of", fmt::format("{}", schedule.machines),
                  fmt::format("{}, in {}",
                              schedule.machines == 1 ? of_ranks ? "rank" : "cluster"
                              : of_ranks             ? "ranks"
                                                     : "clusters",
                              count_text(schedule.segments, "segment"))});
  rows.push_back({"messages", fmt::format("{}", messages), "between ranks"});
  // The first one is the plan itself.
  for (std::size_t i = 1; i < plan.candidates.size(); ++i)
    rows.push_back({i == 1 ? "compared" : "", seconds_text(plan.candidates[i].length_s), plan.candidates[i].method});
  rows.insert(rows.end(), beside.begin(), beside.end());
  std::string text = title + '\n' + line + "\n\n" + fact_table(rows);
  const auto is_estimated = [](const auto& each) { return each.method.ends_with(kEstimated); };
  if (std::any_of(plan.candidates.begin() + (plan.candidates.empty() ? 0 : 1), plan.candidates.end(), is_estimated))
    text += fmt::format(kEstimatesLine, schedule.problem);
  return text;
}

int plan_forth(const PlanBroadcastOptions& options, const BroadcastTask& task, const TimeLimit& limit) {
  const BroadcastPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by(options.algorithm, options.output.writes_out() || !options.program.empty());
  }();
  if (!options.program.empty()) refuse_native(plan, "--program");
  if (!options.program.empty()) write_file_atomically(options.program, to_json(replayed(task.platform, plan.program)));
  return show_plan(head_of(task, task.title(), plan, plan.messages, plan.estimated, limit.reached()), plan.schedule,
                   options.output);
}

/// The reduction by any program, or where combining takes time, which a tree over links knows nothing of.
int plan_by_program(const PlanBroadcastOptions& options, const BroadcastTask& task, const TimeLimit& limit) {
  const PlanOutput& output = options.output;
  if (writes_tree(options))
    throw InputError(options.reversed.in_order             ? "--in-order"
                     : options.reversed.combining.option() ? options.reversed.combining.option()
                                                           : "--algorithm",
                     "cannot be used with the file of a tree, which knows no order and no cost of combining",
                     "--program FILE");
  const ProgramPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.costly_reduction_by(options.algorithm, options.reversed);
  }();
  PlanOutput of_program = output;
  of_program.json = options.program;
  const std::string head =
      task.reversed_title(plan.program) + '\n' +
      algorithm_text(is_algorithm("broadcast", options.algorithm) ? "broadcast" : kReductionPrograms,
                     options.algorithm) +
      end_of_search_text(limit.reached());
  return show_plan(head, plan, task.platform, of_program);
}

/// The reduction that is a broadcast the other way round. All files are of it; where nothing but the file of a tree
/// asks for one, a row tells of a shorter program.
int plan_back(const PlanBroadcastOptions& options, const BroadcastTask& task, const TimeLimit& limit) {
  ReversedPlan plan = task.reversed_by(options.algorithm, options.reversed);
  const bool open = task.leaves_reduction_open(options.algorithm);
  if (open || !options.program.empty()) plan.program = replayed(task.platform, std::move(plan.program));
  if (!options.program.empty()) write_file_atomically(options.program, to_json(plan.program));
  std::vector<TreeFact> beside;
  if (open) {
    const Program any = task.costly_reduction_by(options.algorithm, options.reversed).program;
    if (any.length_s < plan.program.length_s)
      beside.push_back({"a program", seconds_text(any.length_s),
                        any.algorithm + ": what --program writes without --json and --tree"});
  }
  const auto messages = static_cast<std::int64_t>(plan.program.operations.size() / 2);
  return show_plan(head_of(task, task.reversed_title(plan.program), plan, messages, false, limit.reached(), beside),
                   plan.schedule, options.output);
}

int plan(const PlanBroadcastOptions& options) {
  check_broadcast_algorithm(options.algorithm, options.reversed.reversed);
  BroadcastTask task = read(options.problem);
  options.output.check_targets();
  if (!options.program.empty()) check_writable(options.program);
  check(options.reversed);
  if (options.problem.lookahead != BroadcastInput().lookahead && options.algorithm != "ecef-la")
    throw InputError("--lookahead", "algorithm " + options.algorithm, "--algorithm ecef-la");
  const Interruptible interruptible(searches(options.algorithm));
  const TimeLimit limit(task.time_limit_s);
  task.options.stop = limit.stop();
  if (!options.reversed.reversed) return plan_forth(options, task, limit);
  // The file of a tree asks for one.
  const bool open = task.leaves_reduction_open(options.algorithm) && !writes_tree(options);
  if (open || needs_program(options.algorithm, options.reversed)) return plan_by_program(options, task, limit);
  return plan_back(options, task, limit);
}

}  // namespace

void add_plan_broadcast(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem = plan_verb.add_subcommand("broadcast", "give all ranks what one has, over clusters and links");
  const auto options = std::make_shared<PlanBroadcastOptions>();
  options->problem.add_to(*problem);
  offer(problem->add_option(
            "--algorithm", options->algorithm,
            algorithm_list("broadcast") + "; with --reversed also a program: " + algorithm_list(kReductionPrograms)),
        algorithm_names("broadcast"))
      ->option_text("NAME [auto]");
  options->reversed.add_to(*problem);
  problem
      ->add_option(
          "--program", options->program,
          "write what each rank does as JSON (sluice.program/1), which check, simulate, report and run read; -: "
          "instead of the table")
      ->option_text("FILE|-");
  options->output.add_to(*problem, "times in seconds", "print length, bounds and methods alone");
  options->output.add_tree_to(*problem);
  problem->footer(algorithms_help("broadcast") + kBroadcastHelp +
                  "\nExamples:\n"
                  "  sluice plan broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi\n"
                  "  sluice plan broadcast --platform studies/grid5000/grid5000-88.json --size 1Mi --algorithm ecef-la "
                  "--json plan.json");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
