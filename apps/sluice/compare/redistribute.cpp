#include "apps/sluice/options/redistribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "apps/sluice/compare/compare.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/batch.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/plan/as_exchange.hpp"
#include "apps/sluice/plan/replicas.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/replicated.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// Rows for several copies and for several arrays.
constexpr const char* kFirstCopy = "first-copy";
constexpr const char* kDirect = "direct";
constexpr const char* kOneByOne = "one-by-one";

struct CompareRedistributeOptions {
  RedistributeOptions problem;
  ComparedAlgorithms algorithms;
  std::string effort;
  ComparisonOutput output;
};

/// `bound` is raised to what the plan proves.
ComparedPlan direct(const RedistributeTask& task, const std::string& algorithm, std::int64_t effort, Cost& bound) {
  ComparedPlan row{algorithm, {}, 0, {}};
  const TimeLimit limit(task.time_limit_s);
  const RedistributionPlan plan =
      timed(row.plan_s, [&] { return plan_redistribution(task.problem, algorithm, task.setup, effort, limit.stop()); });
  row.figures = figures_of(plan.cost());
  if (algorithm == "auto") row.note = "takes " + plan.algorithm();
  if (limit.reached()) row.add_stopped();
  if (plan.bound().total > bound.total) bound = plan.bound();
  return row;
}

ComparedPlan two_stages(const RedistributeTask& task) {
  ComparedPlan row{kWalkerOtto, {}, 0, {}};
  const WalkerOttoPlan plan = timed(row.plan_s, [&] { return plan_walker_otto(task.problem, task.setup); });
  const Cost first = plan.first.cost(), second = plan.second.cost();
  row.figures =
      figures_of({first.steps + second.steps, first.transmission + second.transmission, first.total + second.total});
  row.note = fmt::format("two stages, {} + {} steps", first.steps, second.steps);
  return row;
}

/// Several copies: the plain way, everything from the source, and passing on.
int compare_replicas(const RedistributeTask& task, std::int64_t effort, const CompareRedistributeOptions& options) {
  ReplicatedOptions how = replicated_options(task, "auto", effort);
  Comparison comparison;
  comparison.problem = "redistribute";
  comparison.head = fmt::format("{}\ntotal = TC + {} NS, in elements", task.title(), number_text(task.setup));
  const auto row_of = [](const char* name, auto&& plan, const std::string& note) {
    ComparedPlan row{name, {}, 0, note};
    row.figures = figures_of(cost(timed(row.plan_s, plan)));
    return row;
  };
  const auto planned_by = [&](const std::string& name) {
    if (name == kFirstCopy)
      return row_of(
          kFirstCopy, [&] { return plan_from_first_copy(*task.replicated, how); }, "all from copy 0 of the source");
    how.forward = name == "auto";
    if (!how.forward)
      return row_of(
          kDirect, [&] { return plan_replicated(*task.replicated, how).schedule; }, "nothing is passed on");
    ReplicatedPlan plan;
    ComparedPlan row{"auto", {}, 0, {}};
    plan = timed(row.plan_s, [&] { return plan_replicated(*task.replicated, how); });
    row.figures = figures_of(cost(plan.schedule));
    if (plan.longest_chain > 1)
      row.note = fmt::format("chains of {}", count_text(plan.longest_chain, "copy", "copies"));
    return row;
  };
  for (const std::string& name : options.algorithms.among({kFirstCopy, kDirect, "auto"}))
    comparison.add(name, [&] { return planned_by(name); });
  const ReplicatedBounds bounds = replicated_bounds(*task.replicated, task.setup);
  comparison.bounds.push_back({figures_of(bounds.direct), "direct", "of schedules that pass nothing on"});
  comparison.bounds.push_back({figures_of(bounds.any), "ports", "of any schedule"});
  return show_comparison(comparison, options.output);
}

/// Blocks of any sizes: whole messages by what redistribute has for them, and messages that may be cut by exchange.
int compare_irregular(const RedistributeTask& task, std::int64_t effort, const CompareRedistributeOptions& options) {
  Comparison comparison;
  comparison.problem = "redistribute";
  comparison.head =
      fmt::format("{}\n{}total = TC + {} NS, in elements", task.title(), task.kept_text(), number_text(task.setup));
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms("redistribute")) names.emplace_back(algorithm.name);
  for (const std::string& name : algorithm_names("exchange"))
    if (!is_algorithm("redistribute", name)) names.push_back(name);
  names.emplace_back("auto");
  const std::int64_t ports = std::min(task.problem.from().processes(), task.problem.to().processes());
  ExchangeBound bound{lower_bound(task.problem.traffic_between_processes(), ports, task.setup), "eta"};
  const auto whole = [&](const std::string& name) {
    Cost ignored;
    ComparedPlan row = direct(task, name, effort, ignored);
    row.add_note("whole messages");
    return row;
  };
  const auto by_exchange = [&](const std::string& name) {
    ComparedPlan row{name, {}, 0, {}};
    const ExchangePlan plan = timed(row.plan_s, [&] { return plan_as_exchange(task, name, effort); });
    row.figures = figures_of(cost(plan.schedule));
    if (plan.optimal) row.add_optimal();
    if (plan.bound.cost.total > bound.cost.total) bound = plan.bound;
    return row;
  };
  for (const std::string& name : options.algorithms.among(names)) {
    const bool of_redistribute = name != "auto" && is_algorithm("redistribute", name);
    comparison.add(name, [&] { return of_redistribute ? whole(name) : by_exchange(name); });
  }
  comparison.bounds.push_back({figures_of(bound.cost), bound.kind, "messages may be cut"});
  return show_comparison(comparison, options.output);
}

/// Several arrays: one after another, and by what plans their merged messages.
int compare_batch(const BatchTask& task, std::int64_t effort, const CompareRedistributeOptions& options) {
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = "redistribute";
  comparison.head = fmt::format("{}\ntotal = TC + {} NS, in bytes", task.title(), number_text(task.setup));
  const auto one_by_one = [&] {
    ComparedPlan row{kOneByOne, {}, 0, "a plan of whole messages for each array"};
    BatchOptions whole = batch_options(task, "auto", effort, TimeLimit(task.time_limit_s));
    whole.whole_messages = true;
    row.figures = figures_of(timed(row.plan_s, [&] {
      Cost sum;
      std::vector<Rank> roles;
      for (const std::int64_t role : task.input().roles) roles.emplace_back(role);
      for (const BatchArray& array : task.problem.arrays()) {
        BatchProblem one({array});
        if (task.problem.has_roles()) one = one.with_roles(roles);
        const Cost each = cost(plan_batch(one, whole).schedule);
        sum.steps += each.steps;
        sum.transmission += each.transmission;
        sum.total += each.total;
      }
      return sum;
    }));
    return row;
  };
  Cost bound;
  bool whole_messages = true;
  const auto merged = [&](const std::string& name) {
    ComparedPlan row{name, {}, 0, {}};
    const TimeLimit limit(task.time_limit_s);
    const BatchPlan plan =
        timed(row.plan_s, [&] { return plan_batch(task.problem, batch_options(task, name, effort, limit)); });
    row.figures = figures_of(cost(plan.schedule));
    if (plan.as_one) row.note = name == "auto" ? "takes " + plan.schedule.algorithm : "";
    if (plan.stopped || limit.reached()) row.add_stopped();
    if (plan.schedule.bound.total > bound.total) bound = plan.schedule.bound;
    whole_messages = plan.as_one;
    return row;
  };
  std::vector<std::string> known = algorithm_names(task.problem.pattern() >= 0 ? "redistribute" : "exchange");
  known.insert(known.begin(), kOneByOne);
  const std::vector<std::string> names = options.algorithms.among(known);
  for (const std::string& name : names)
    comparison.add(name, [&] { return name == kOneByOne ? one_by_one() : merged(name); });
  if (names == std::vector<std::string>{kOneByOne} && !was_interrupted()) (void)merged("auto");  // for the bound
  comparison.bounds.push_back(
      {figures_of(bound), "ports", whole_messages ? "whole messages, merged" : "messages merged, and may be cut"});
  return show_comparison(comparison, options.output);
}

/// The target layouts; --to was given once for each.
std::vector<std::string> targets_of(const std::string& to) {
  std::vector<std::string> targets;
  for (std::size_t start = 0; start <= to.size();) {
    const std::size_t end = std::min(to.find('\n', start), to.size());
    targets.push_back(to.substr(start, end - start));
    start = end + 1;
  }
  return targets;
}

/// The extents of the smallest array that holds whole slices of every target; for targets without a shape.
std::string common_shape(const std::vector<std::string>& targets, const RedistributeOptions& options) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::vector<std::int64_t> common;
  for (const std::string& to : targets) {
    RedistributeOptions one = options;
    one.to = to;
    const std::vector<std::int64_t> shape = read(one).shape;
    if (common.empty()) common.assign(shape.size(), 1);
    if (common.size() != shape.size())
      throw InputError("--to", to, fmt::format("a layout of {}", count_text(common.size(), "dimension")));
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t factor = shape[d] / std::gcd(common[d], shape[d]);
      if (factor > kMost / common[d])
        throw InputError("--shape", "nothing, and no small array has whole slices of all layouts",
                         "the extents of the array");
      common[d] *= factor;
    }
  }
  return fmt::format("{}", fmt::join(common, "x"));
}

/// Several target layouts of one array: a row for each, by the algorithm asked for, auto unless there is one.
int compare_targets(const std::vector<std::string>& targets, std::int64_t effort,
                    const CompareRedistributeOptions& options) {
  options.output.check_targets();
  const Interruptible interruptible;
  Comparison comparison;
  comparison.problem = "redistribute";
  const std::vector<std::string> known = algorithm_names("redistribute");
  const std::vector<std::string> names =
      options.algorithms.all() ? std::vector<std::string>{"auto"} : options.algorithms.among(known);
  const bool cuts = options.problem.from.find(',') != std::string::npos;
  const std::string shape =
      options.problem.shape.empty() && !cuts ? common_shape(targets, options.problem) : options.problem.shape;
  for (const std::string& to : targets) {
    RedistributeOptions one = options.problem;
    one.to = to;
    one.shape = shape;
    const RedistributeTask task = read(one);
    if (task.replicated || task.problem.is_irregular())
      throw InputError("--to", fmt::format("given {} times", targets.size()),
                       "once with copies of the array, and with blocks given by cuts");
    comparison.head += task.title() + '\n';
    Cost bound = redistribution_bound(task.problem, task.setup);
    for (const std::string& name : names) {
      const std::string row_name = fmt::format("--to {}, {}", to, name);
      comparison.add(row_name, [&] {
        ComparedPlan row = direct(task, name, effort, bound);
        row.algorithm = row_name;
        return row;
      });
    }
    comparison.bounds.push_back({figures_of(bound), "whole-messages", "--to " + to});
  }
  comparison.head += "total = TC + ALPHA NS, in elements; ratios are to the last bound, the least of all layouts";
  std::ranges::stable_sort(comparison.bounds, std::greater{},
                           [](const ComparedBound& bound) { return bound.figures.total; });
  return show_comparison(comparison, options.output);
}

int compare(const CompareRedistributeOptions& options) {
  const std::int64_t effort = parse_effort(options.effort);
  if (const std::vector<std::string> targets = targets_of(options.problem.to); targets.size() > 1) {
    if (asks_for_batch(options.problem))
      throw InputError("--to", fmt::format("given {} times", targets.size()), "once with --arrays or --batch");
    return compare_targets(targets, effort, options);
  }
  if (asks_for_batch(options.problem)) {
    options.output.check_targets();
    return compare_batch(read_batch(options.problem), effort, options);
  }
  const RedistributeTask task = read(options.problem);
  options.output.check_targets();
  const Interruptible interruptible;
  if (task.replicated) return compare_replicas(task, effort, options);
  if (task.problem.is_irregular()) return compare_irregular(task, effort, options);
  const Cost by_messages = redistribution_bound(task.problem, task.setup);
  Cost proven = by_messages;
  Comparison comparison;
  comparison.problem = "redistribute";
  comparison.head =
      fmt::format("{}\n{}total = TC + {} NS, in elements", task.title(), task.kept_text(), number_text(task.setup));
  std::vector<std::string> names = algorithm_names("redistribute");
  names.insert(names.end() - 1, kWalkerOtto);  // auto stands last
  for (const std::string& name : options.algorithms.among(names))
    comparison.add(name, [&] { return name == kWalkerOtto ? two_stages(task) : direct(task, name, effort, proven); });
  comparison.bounds.push_back({figures_of(by_messages), "whole-messages", "whole messages, one stage"});
  if (proven.total > by_messages.total)
    comparison.bounds.push_back({figures_of(proven), "exact", "whole messages, one stage: proven by exact"});
  return show_comparison(comparison, options.output);
}

}  // namespace

void add_compare_redistribute(CLI::App& compare_verb, Action& chosen) {
  CLI::App* problem = compare_verb.add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<CompareRedistributeOptions>();
  options->problem.add_to(*problem, kSliceUnlessShape);
  options->problem.add_roles_to(*problem);
  options->problem.add_replicas_to(*problem);
  options->problem.add_batch_to(*problem);
  problem->get_option("--to")->join()->description(
      "target layout (needed), likewise; given several times, a row compares each");
  std::vector<std::string> names = redistribution_names();
  names.insert(names.end(), {kFirstCopy, kDirect, kOneByOne});
  options->algorithms.add_to(*problem, names);
  add_effort_option(*problem, options->effort);
  options->output.add_to(*problem);
  problem->footer(
      algorithms_help("redistribute") + kComparisonHelp +
      "If cuts give the blocks, or several arrays are not alike, algorithms of exchange also apply, which may cut\n"
      "messages. one-by-one makes a plan for each array. Algorithms for several copies: first-copy (all messages\n"
      "from copy 0 of the source), direct (nothing is passed on), and auto.\n\n"
      "Examples:\n"
      "  sluice compare redistribute --from 15:3 --to 15:5\n"
      "  sluice compare redistribute --from 15:3 --to 15:5 --to 15:6 --to 5:9\n"
      "  sluice compare redistribute --from 4:0,10,35,100 --to 3:8\n"
      "  sluice compare redistribute --from 15:3 --to 15:5 --arrays 8 --setup 1000");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
