#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithm_names.hpp"
#include "compare.hpp"
#include "reduce_options.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// Beyond this the transfers are left out of the planning.
constexpr std::int64_t kWrittenOut = std::int64_t{1} << 20;

struct CompareReduceOptions {
  ReduceInput problem;
  ComparedAlgorithms algorithms;
  ComparisonOutput output;
};

ComparedBound bound_of(double length, const TreeBound& simple, const std::string& kind, const std::string& note) {
  ComparedBound bound{figures_of_tree(length), kind, note};
  bound.figures.fields.emplace_back("lower", json_number(simple.lower));
  bound.figures.fields.emplace_back("upper", json_number(simple.upper));
  return bound;
}

int compare(const CompareReduceOptions& options) {
  const ReduceTask task = read(options.problem);
  options.output.check_targets();
  const ReduceBounds bounds = task.bounds();
  const std::int64_t most_segments = task.problem.segments == 0 ? task.problem.max_segments : task.problem.segments;
  const bool transfers = task.problem.machines - 1 <= kWrittenOut / most_segments;

  Comparison comparison;
  comparison.problem = "reduce";
  comparison.head = task.title();
  if (!transfers) comparison.head += "\nplanned without writing the transfers out";
  comparison.columns = {"length", "reducers", "depth", "degree"};
  comparison.ratio_of = "length";
  if (task.problem.segments != 1) comparison.columns.emplace_back("segments");
  double proven = bounds.best;
  for (const std::string& name : options.algorithms.among(algorithm_names("reduce"))) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const ReducePlan plan = timed(row.plan_s, [&] { return task.planned_by(name, transfers); });
      std::vector<std::pair<std::string, std::int64_t>> counts{
          {"reducers", plan.reducers}, {"depth", plan.depth}, {"degree", plan.max_children}};
      if (task.problem.segments != 1) counts.emplace_back("segments", plan.schedule.segments);
      row.figures = figures_of_tree(plan.schedule.length, counts);
      if (plan.optimal) row.add_optimal();
      proven = std::max(proven, plan.optimum_at_least);
      return row;
    });
  }
  comparison.bounds.push_back(
      bound_of(bounds.simple.lower, bounds.simple, "simple", "simple: powers of two and limits"));
  if (proven > bounds.simple.lower) comparison.bounds.push_back(bound_of(proven, bounds.simple, "best", "best known"));
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_reduce(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem = compare_verb.add_subcommand("reduce", "combine an element of each machine, transfers overlapped");
  const auto options = std::make_shared<CompareReduceOptions>();
  options->problem.add_to(*problem);
  options->problem.add_platform_to(*problem);
  options->algorithms.add_to(*problem, algorithm_names("reduce"));
  options->output.add_to(*problem);
  problem->footer(
      algorithms_help("reduce") + kReduceHelp + kComparisonHelp +
      "Examples:\n"
      "  sluice compare reduce --machines 64 --transfer 2 --compute 1\n"
      "  sluice compare reduce --machines 12 --transfer 1 --compute 1 --max-transfers 2 --json compare.json");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
