#include "apps/sluice/options/reduce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/timing/program_replay.hpp"

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

/// The bounds in every number of parts that is planned: where plans choose it, each has a bound of its own, and the
/// least of them holds for all.
class BoundsInParts {
 public:
  explicit BoundsInParts(const ReduceTask& task) : task_(task) {
    if (task.problem.segments != 0) (void)in(task.problem.segments);
  }

  void add(const ReducePlan& plan) {
    ReduceBounds& bounds = in(plan.schedule.segments);
    bounds.best = std::max(bounds.best, plan.optimum_at_least);
  }
  /// In one part where nothing was planned.
  [[nodiscard]] ReduceBounds least() {
    if (of_parts_.empty()) (void)in(1);
    return std::ranges::min_element(of_parts_, {}, [](const auto& each) { return each.second.best; })->second;
  }

 private:
  ReduceBounds& in(std::int64_t parts) {
    const auto found = of_parts_.find(parts);
    if (found != of_parts_.end()) return found->second;
    task_.problem.segments = parts;
    return of_parts_[parts] = task_.bounds();
  }

  ReduceTask task_;
  std::map<std::int64_t, ReduceBounds> of_parts_;
};

int compare(const CompareReduceOptions& options) {
  const ReduceTask task = read(options.problem);
  options.output.check_targets();
  BoundsInParts bounds(task);
  const std::int64_t most_segments = task.problem.segments == 0 ? task.problem.max_segments : task.problem.segments;
  const bool transfers = task.problem.machines - 1 <= kWrittenOut / most_segments;

  Comparison comparison;
  comparison.problem = "reduce";
  comparison.head = task.title();
  if (!transfers) comparison.head += "\nplanned without writing the transfers out";
  comparison.columns = {"length", "reducers", "depth", "degree"};
  comparison.ratio_of = "length";
  if (task.problem.segments != 1) comparison.columns.emplace_back("segments");
  for (const std::string& name : options.algorithms.among(algorithm_names("reduce"))) {
    comparison.add(name, [&] {
      ComparedPlan row{name, {}, 0, {}};
      const ReducePlan plan = timed(row.plan_s, [&] { return task.planned_by(name, transfers); });
      std::vector<std::pair<std::string, std::int64_t>> counts{
          {"reducers", plan.reducers}, {"depth", plan.depth}, {"degree", plan.max_children}};
      if (task.problem.segments != 1) counts.emplace_back("segments", plan.schedule.segments);
      row.figures = figures_of_tree(plan.schedule.length, counts);
      // In its own number of parts alone, where it chose that.
      if (plan.optimal && task.problem.segments != 0) row.add_optimal();
      bounds.add(plan);
      return row;
    });
  }
  const auto& [simple, proven] = bounds.least();
  const std::string in_parts = task.problem.segments == 0 ? ", in parts as above" : "";
  comparison.bounds.push_back(bound_of(simple.lower, simple, "simple", "simple: powers of two and limits" + in_parts));
  if (proven > simple.lower) comparison.bounds.push_back(bound_of(proven, simple, "best", "best known" + in_parts));
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
