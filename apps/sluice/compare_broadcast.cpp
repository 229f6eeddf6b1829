#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithm_names.hpp"
#include "broadcast_options.hpp"
#include "compare.hpp"
#include "interrupt.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

struct CompareOptions {
  BroadcastInput problem;
  ComparedAlgorithms algorithms;
  ComparisonOutput output;
};

int compare(const CompareOptions& options) {
  const BroadcastTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = "broadcast";
  comparison.head = task.title();
  comparison.columns = {"length", "ranks done", "segments"};
  // Each method has a bound by its own model; the smallest of them holds for all that are compared.
  double bound = -1;
  const std::vector<std::string> all = algorithm_names("broadcast");
  const std::vector<std::string> names = options.algorithms.among(all);
  for (const std::string& name : names) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const BroadcastPlan plan = timed(row.plan_s, [&] { return task.planned_by(name); });
      row.figures = figures_of_tree(plan.schedule.length, {{"segments", plan.schedule.segments}});
      row.figures.cells = {seconds_text(plan.schedule.length), seconds_text(plan.program.length_s),
                           fmt::format("{}", plan.schedule.segments)};
      row.figures.fields.emplace_back("program_s", json_number(plan.program.length_s));
      if (plan.optimal) row.note = "shortest tree";
      bound = bound < 0 ? plan.schedule.bound.lower : std::min(bound, plan.schedule.bound.lower);
      return row;
    });
  }
  ComparedBound lower{figures_of_tree(std::max(0.0, bound)), "paths",
                      names.size() == all.size() ? "paths: no way through the network is faster"
                                                 : "paths: by the models of these algorithms"};
  lower.figures.cells = {seconds_text(std::max(0.0, bound))};
  comparison.bounds.push_back(std::move(lower));
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_broadcast(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem = compare_verb.add_subcommand("broadcast", "give all ranks what one has, over clusters and links");
  const auto options = std::make_shared<CompareOptions>();
  options->problem.add_to(*problem);
  options->algorithms.add_to(*problem, algorithm_names("broadcast"));
  options->output.add_to(*problem);
  problem->footer(algorithms_help("broadcast") + kBroadcastHelp + kComparisonHelp +
                  "length: of the schedule, internal broadcasts by their models; ranks done: of the messages between\n"
                  "ranks, simulated.\n\n"
                  "Examples:\n"
                  "  sluice compare broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi\n"
                  "  sluice compare broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi --segments 1");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
