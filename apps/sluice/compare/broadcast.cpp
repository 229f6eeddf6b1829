#include "apps/sluice/options/broadcast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice::command {

namespace {

struct CompareBroadcastOptions {
  BroadcastInput problem;
  ComparedAlgorithms algorithms;
  ComparisonOutput output;
};

int compare(const CompareBroadcastOptions& options) {
  BroadcastTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = "broadcast";
  comparison.head = task.title();
  comparison.columns = {"tree", "length", "segments"};
  comparison.ratio_of = "tree";
  std::vector<double> done;  // of each plan, when all ranks are
  bool replayed = false;     // whether that is the only length of some plan
  for (const std::string& name : options.algorithms.among(algorithm_names("broadcast"))) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const TimeLimit limit(task.time_limit_s);
      task.options.stop = limit.stop();
      const BroadcastPlan plan = timed(row.plan_s, [&] { return task.planned_by(name); });
      row.figures = figures_of_tree(plan.schedule.length, {{"segments", plan.schedule.segments}});
      done.push_back(plan.program.length_s);
      replayed = replayed || !plan.between_clusters;
      row.figures.cells = {seconds_text(plan.schedule.length), seconds_text(plan.program.length_s),
                           fmt::format("{}", plan.schedule.segments)};
      row.figures.fields.emplace_back("program_s", json_number(plan.program.length_s));
      if (plan.optimal) row.note = "shortest tree";
      if (limit.reached()) row.add_stopped();
      return row;
    });
  }
  // The bounds of trees hold for trees alone.
  const ProgramBound bound = bound_of(task.platform, {Collective::kBroadcast, task.bytes, task.root});
  ComparedBound lower{figures_of_tree(bound.seconds), bound.kind, bound.kind + ": of every method"};
  lower.figures.cells = {seconds_text(bound.seconds)};
  const auto is_below = [&](const ComparedPlan& plan) { return plan.figures.total < bound.seconds * (1 - 1e-9); };
  if (replayed || std::ranges::any_of(comparison.plans, is_below)) {
    // Lengths of trees know less than a replay, and nothing of shared uplinks, which the bound knows.
    comparison.ratio_of = "length";
    for (std::size_t i = 0; i < done.size(); ++i) comparison.plans[i].figures.total = done[i];
    lower.figures.cells.insert(lower.figures.cells.begin(), "");
  }
  comparison.bounds.push_back(std::move(lower));
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_broadcast(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem = compare_verb.add_subcommand("broadcast", "give all ranks what one has, over clusters and links");
  const auto options = std::make_shared<CompareBroadcastOptions>();
  options->problem.add_to(*problem);
  options->algorithms.add_to(*problem, algorithm_names("broadcast"));
  options->output.add_to(*problem);
  problem->footer(
      algorithms_help("broadcast") + kBroadcastHelp + kComparisonHelp +
      "length: when the last rank has the message, by a replay of all messages between ranks. tree: the length\n"
      "of the tree between clusters, with a model of each broadcast inside a cluster and without shared uplinks.\n"
      "The ratio is of the length; of the tree, if all plans are trees and no uplink is shared.\n\n"
      "Examples:\n"
      "  sluice compare broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi\n"
      "  sluice compare broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi --segments 1");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
