#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithm_names.hpp"
#include "broadcast_options.hpp"
#include "output.hpp"
#include "plan.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

struct PlanOptions {
  BroadcastInput problem;
  PlanOutput output;
  std::string algorithm = "auto";
  bool reversed = false;
};

std::string head_of(const BroadcastTask& task, const BroadcastPlan& plan) {
  const TreeSchedule& schedule = plan.schedule;
  std::string line = algorithm_text("broadcast", schedule.algorithm);
  line += distance_text(schedule.length, schedule.bound.lower, plan.optimal, "cheapest paths");
  std::size_t messages = 0;
  for (const RankProgram& rank : plan.program.ranks) messages += rank.sends.size();
  const bool of_ranks = schedule.machines == task.platform.ranks && schedule.machines != 1 &&
                        schedule.machines != static_cast<std::int64_t>(task.platform.clusters.size());
  std::vector<TreeFact> more;
  more.push_back({"machines", fmt::format("{}", schedule.machines), of_ranks ? "ranks" : "clusters"});
  more.push_back({"segments", fmt::format("{}", schedule.segments), ""});
  more.push_back({"messages", fmt::format("{}", messages), "between ranks"});
  more.push_back({"ranks done", seconds_text(plan.program.length_s), plan.program.method});
  for (const BroadcastPlan::Candidate& each : plan.candidates)
    if (each.method != plan.program.method) more.push_back({"", seconds_text(each.length_s), each.method});
  return task.title() + '\n' + line + "\n\n" + tree_table(schedule, schedule.bound.lower, more);
}

/// The reduction between clusters that goes the other way round.
int plan_reversed(const PlanOptions& options, const BroadcastTask& task) {
  if (options.algorithm == "pipelined" || options.algorithm == "parallel-entry" || options.algorithm == "native")
    throw InputError("--reversed", "algorithm " + options.algorithm, "a tree between clusters");
  if (task.options.early_internal)
    throw InputError("--reversed", "--early-internal beside it", "clusters that combine before they receive");
  const BetweenClusters problem = between_clusters(
      task.platform, task.bytes, task.root, std::max<std::int64_t>(1, task.options.segments), task.options.inside);
  BetweenOptions how;
  how.algorithm = options.algorithm;
  how.lookahead = task.options.lookahead;
  how.time_limit_s = task.options.time_limit_s;
  const BetweenPlan forth = plan_between_clusters(transposed(problem), how);
  const TreeSchedule schedule = reversed(forth.schedule, problem);
  std::vector<TreeFact> more;
  more.push_back({"machines", fmt::format("{}", schedule.machines), "clusters"});
  more.push_back({"segments", fmt::format("{}", schedule.segments), ""});
  const std::string title = fmt::format("reduce: {} of {} ranks in {} clusters to rank {} ({})", bytes_text(task.bytes),
                                        task.platform.ranks, task.platform.clusters.size(), task.root, task.file);
  return show_plan(title + '\n' + algorithm_text("broadcast", schedule.algorithm) +
                       distance_text(schedule.length, schedule.bound.lower, forth.optimal, "cheapest paths") + "\n\n" +
                       tree_table(schedule, schedule.bound.lower, more),
                   schedule, options.output);
}

int plan(const PlanOptions& options) {
  check_algorithm("broadcast", options.algorithm);
  const BroadcastTask task = read(options.problem);
  check_json_target(options.output.json);
  if (options.reversed) return plan_reversed(options, task);
  const BroadcastPlan plan = task.planned_by(options.algorithm);
  return show_plan(head_of(task, plan), plan.schedule, options.output);
}

}  // namespace

void add_plan_broadcast(CLI::App& plan_verb, Action& chosen) {
  CLI::App* problem = plan_verb.add_subcommand("broadcast", "give all ranks what one has, over clusters and links");
  const auto options = std::make_shared<PlanOptions>();
  options->problem.add_to(*problem);
  problem->add_option("--algorithm", options->algorithm, algorithm_list("broadcast"))->option_text("NAME [auto]");
  problem->add_flag("--reversed", options->reversed,
                    "the schedule of a reduction to the root between the clusters, by a tree the other way round");
  options->output.add_to(*problem, "times in seconds", "length, bounds and methods alone");
  problem->footer(algorithms_help("broadcast") + kBroadcastHelp +
                  "\nExamples:\n"
                  "  sluice plan broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi\n"
                  "  sluice plan broadcast --platform studies/grid5000/grid5000-88.json --size 1Mi --algorithm ecef-la "
                  "--json plan.json");
  problem->callback([options, &chosen] { chosen = [options] { return plan(*options); }; });
}

}  // namespace sluice::command
