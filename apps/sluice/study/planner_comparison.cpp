#include "apps/sluice/study/planner_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "apps/compare/quantile.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

/// Ratios to the bound of one instance, by planner; none where it refused.
using Ratios = std::vector<std::optional<double>>;

struct Statistics {
  double mean = 0;
  double worst = 0;
  std::int64_t refused = 0;
  compare::Quartiles quartiles = {};
};

bool for_switches(std::string_view name) {
  return std::ranges::any_of(algorithms("exchange"),
                             [&](const Algorithm& each) { return each.for_switches && each.name == name; });
}

/// Whether the table shows it; the file has all.
bool is_shown(std::string_view name) {
  return for_switches(name) || name == "oggp" || name == "thresholds" || name == "auto";
}

/// Those that end by themselves, and auto at the end.
std::vector<std::string> planners() {
  std::vector<std::string> names;
  for (const Algorithm& each : algorithms("exchange"))
    if (!each.searches) names.emplace_back(each.name);
  names.emplace_back("auto");
  return names;
}

double largest_load(const Traffic& traffic) {
  return static_cast<double>(lower_bound(traffic, std::max(traffic.senders, traffic.receivers), 0).transmission);
}

Ratios ratios_of(const InstanceGroup& group, const std::vector<std::string>& names, double effort, std::uint64_t seed,
                 std::int64_t number) {
  constexpr double kPercent = 0.01;
  ExchangeProblem problem{group.traffic(seed, number), group.nodes, 0, group.switches};
  problem.setup = std::round(kPercent * group.setup_percent * largest_load(problem.traffic));
  ExchangeOptions options;
  options.effort = effort;
  double bound = exchange_bound(problem, options).cost.total;
  std::vector<std::optional<double>> costs;
  for (const std::string& name : names) {
    options.algorithm = name;
    try {
      const ExchangePlan plan = plan_exchange(problem, options);
      const std::vector<Violation> violations = validate(plan.schedule, problem.traffic);
      SLUICE_ASSERT(violations.empty(), fmt::format("{}: {}", name, to_string(violations.front())));
      bound = std::max(bound, plan.bound.cost.total);
      costs.emplace_back(cost(plan.schedule).total);
    } catch (const InputError&) {
      costs.emplace_back(std::nullopt);
    }
  }
  for (std::optional<double>& each : costs)
    if (each) *each /= bound;
  return costs;
}

Statistics statistics_of(const std::vector<Ratios>& samples, std::size_t planner) {
  Statistics result;
  std::vector<double> values;
  for (const Ratios& ratios : samples) {
    if (!ratios[planner]) {
      ++result.refused;
      continue;
    }
    values.push_back(*ratios[planner]);
    result.mean += *ratios[planner];
    result.worst = std::max(result.worst, *ratios[planner]);
  }
  const auto planned = static_cast<double>(static_cast<std::int64_t>(samples.size()) - result.refused);
  if (planned > 0) result.mean /= planned;
  result.quartiles = compare::quartiles_of(std::move(values));
  return result;
}

/// auto over the cheapest of the planners for switches.
Statistics over_switches(const std::vector<Ratios>& samples, const std::vector<std::string>& names) {
  Statistics result;
  for (const Ratios& ratios : samples) {
    double least = HUGE_VAL;
    for (std::size_t p = 0; p < names.size(); ++p)
      if (for_switches(names[p]) && ratios[p]) least = std::min(least, *ratios[p]);
    const double ratio = *ratios.back() / least;
    result.mean += ratio / static_cast<double>(samples.size());
    result.worst = std::max(result.worst, ratio);
  }
  return result;
}

/// A curve a planner over the set-ups, for the largest instances on the most switches. The means stand in the script,
/// as gnuplot joins no points of a file that have others between them.
std::string gnuplot_script(const PlannerComparison& comparison, const std::vector<std::string>& names,
                           const std::vector<std::vector<Ratios>>& ratios) {
  const InstanceGroup& last = comparison.groups.back();
  std::string data;
  std::string plots;
  for (std::size_t p = 0; p < names.size(); ++p) {
    std::string points;
    for (std::size_t g = 0; g < ratios.size(); ++g) {
      const Statistics each = statistics_of(ratios[g], p);
      const InstanceGroup& group = comparison.groups[g];
      if (group.nodes == last.nodes && group.switches == last.switches && each.mean > 0)
        points += fmt::format("{},{:.6f},{:.6f},{:.6f}\n", group.setup_percent, each.mean, each.quartiles.low,
                              each.quartiles.high);
    }
    if (points.empty()) continue;
    data += fmt::format("$planner{} << END\n{}END\n", p, points);
    plots += fmt::format(R"({}$planner{} using 1:2:3:4 with yerrorlines title "{}")",
                         plots.empty() ? "plot " : ", \\\n     ", p, names[p]);
  }
  return fmt::format(
      "set title \"{}, {}{}: cost over the bound, mean and quartiles\"\nset xlabel \"set-up, % of the largest "
      "load\"\n"
      "set ylabel \"cost / bound\"\nset logscale x\nset logscale y\nset ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, "
      "1000)\nset grid\n{}{}\n",
      comparison.title, count_text(last.nodes, "node"),
      last.switches > 1 ? fmt::format(", {}", count_text(last.switches, "switch", "switches")) : "", data, plots);
}

}  // namespace

void compare_planners(const PlannerComparison& comparison, const StudyTask& task) {
  const std::string file = fmt::format("{}/{}.csv", task.folder, comparison.name);
  make_folder(task.folder);
  check_writable(file);
  const std::vector<std::string> names = planners();
  const auto groups = static_cast<std::int64_t>(comparison.groups.size());
  std::vector<std::vector<Ratios>> ratios(comparison.groups.size(),
                                          std::vector<Ratios>(static_cast<std::size_t>(comparison.samples)));
  {
    const Progress progress(groups * comparison.samples);
    const auto group_of = [&](std::int64_t i) { return static_cast<std::size_t>(i / comparison.samples); };
    const auto shows = [&](std::int64_t i) {
      const InstanceGroup& group = comparison.groups[group_of(i)];
      progress.show(i, fmt::format("{}, {}, set-up {} %", count_text(group.nodes, "node"),
                                   count_text(group.switches, "switch", "switches"), group.setup_percent));
    };
    for_each_in_parallel(groups * comparison.samples, shows, [&](std::int64_t i) {
      const std::int64_t number = i % comparison.samples;
      ratios[group_of(i)][static_cast<std::size_t>(number)] =
          ratios_of(comparison.groups[group_of(i)], names, comparison.effort, task.seed, number);
    });
  }
  std::string csv =
      "nodes,switches,setup_percent,algorithm,instances,mean,worst,refused,mean_over_switch_planners,worst_over_switch_"
      "planners,lower_quartile,upper_quartile\n";
  const bool several = comparison.groups.back().switches > 1;
  std::vector<TextTable::Column> columns{{"nodes"}};
  if (several) columns.push_back({"switches"});
  columns.push_back({"set-up"});
  for (const std::string& name : names)
    if (is_shown(name)) columns.push_back({name});
  columns.push_back({"auto / best of switches"});
  TextTable table(columns);
  for (std::size_t g = 0; g < comparison.groups.size(); ++g) {
    const InstanceGroup& group = comparison.groups[g];
    const Statistics relative = over_switches(ratios[g], names);
    std::vector<std::string> cells{fmt::format("{}", group.nodes)};
    if (several) cells.push_back(fmt::format("{}", group.switches));
    cells.push_back(fmt::format("{} %", group.setup_percent));
    for (std::size_t p = 0; p < names.size(); ++p) {
      const Statistics each = statistics_of(ratios[g], p);
      const bool planned = each.refused < comparison.samples;
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", group.nodes, group.switches, group.setup_percent, names[p],
                         comparison.samples, planned ? fmt::format("{:.6f}", each.mean) : "",
                         planned ? fmt::format("{:.6f}", each.worst) : "", each.refused,
                         names[p] == "auto" ? fmt::format("{:.6f},{:.6f}", relative.mean, relative.worst) : ",",
                         planned ? fmt::format("{:.6f},{:.6f}", each.quartiles.low, each.quartiles.high) : ",");
      if (!is_shown(names[p])) continue;
      cells.push_back(planned ? fmt::format("{:.3f} / {:.3f}", each.mean, each.worst) : "refused");
    }
    cells.push_back(fmt::format("{:.3f} / {:.3f}", relative.mean, relative.worst));
    table.add_row(std::move(cells));
  }
  constexpr int kHeight = 460;
  write_file_atomically(file, csv);
  draw(task.folder, comparison.name, gnuplot_script(comparison, names, ratios), kHeight);
  print(fmt::format("{}, {} of a kind, seed {}: cost over the bound, mean / worst\n\n{}\n{}.csv written to {}\n",
                    comparison.title, count_text(comparison.samples, "instance"), task.seed, table.text(),
                    comparison.name, task.folder));
}

void compare_planners_at(const std::vector<std::int64_t>& sizes, std::int64_t quick_size,
                         const std::vector<std::int64_t>& switches, const std::string& name, const std::string& title,
                         const std::function<Traffic(std::int64_t, std::uint64_t, std::int64_t)>& traffic,
                         const StudyTask& task) {
  constexpr std::int64_t kDefaultSamples = 3;
  constexpr double kQuickEffort = 0.05;
  PlannerComparison comparison{name, title, {}};
  if (task.quick) comparison.effort = kQuickEffort;
  for (const std::int64_t nodes : task.quick ? std::vector<std::int64_t>{quick_size} : sizes) {
    for (const std::int64_t side_by_side : switches) {
      for (const double percent : {0.2, 1.0, 5.0}) {
        comparison.groups.push_back(
            {nodes, percent, side_by_side,
             [&traffic, nodes](std::uint64_t seed, std::int64_t number) { return traffic(nodes, seed, number); }});
      }
    }
  }
  comparison.samples = task.samples > 0 ? task.samples : task.quick ? 1 : kDefaultSamples;
  compare_planners(comparison, task);
}

}  // namespace sluice::command
