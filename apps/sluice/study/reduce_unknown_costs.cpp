#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/instance_random.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/show/text_table.hpp"

// Benoit, Canon and Marchal (2015) ask what a reduction loses that knows no costs, on machines and links whose costs
// are random. Here d of each link and c of each machine are log-normal, with mean 1 and d / c. The lengths of the four
// algorithms that know none are divided by the length of `greedy`, which knows all.

namespace sluice::command {

namespace {

constexpr std::int64_t kReduceMachines = 64;
constexpr std::array<double, 4> kSpreads{0, 0.25, 0.5, 1};  ///< the logarithm's standard deviation
constexpr std::array<double, 3> kRatios{0.25, 1, 4};        ///< d / c

struct Method {
  const char* name;
  bool commutative;
};
constexpr std::array<Method, 5> kMethods{
    {{"binomial", true}, {"fibonacci", true}, {"tree-dyn", true}, {"non-commut-tree-dyn", false}, {"auto", true}}};

struct CostRow {
  double spread = 0;
  double d_over_c = 1;
  std::array<double, kMethods.size()> mean{};  ///< length over the length of greedy
  double greedy_over_bound = 0;
};

ReduceProblem instance(double spread, double d_over_c, std::uint64_t seed, std::int64_t number) {
  InstanceRandom random(seed, kReduceMachines, number);
  // The mean is 1 whatever the spread.
  const auto cost = [&](double mean) { return mean * std::exp(spread * random.normal() - spread * spread / 2); };
  ReduceProblem problem;
  problem.machines = kReduceMachines;
  for (std::int64_t i = 0; i < kReduceMachines * kReduceMachines; ++i) problem.transfer_costs.push_back(cost(1));
  for (std::int64_t i = 0; i < kReduceMachines; ++i) problem.compute_costs.push_back(cost(1 / d_over_c));
  return problem;
}

std::string csv(const std::vector<CostRow>& rows) {
  std::string text = "spread,d_over_c";
  for (const Method& method : kMethods) text += fmt::format(",{}", method.name);
  text += ",greedy_over_bound\n";
  for (const CostRow& row : rows) {
    text += fmt::format("{},{}", row.spread, row.d_over_c);
    for (const double mean : row.mean) text += fmt::format(",{:.4f}", mean);
    text += fmt::format(",{:.4f}\n", row.greedy_over_bound);
  }
  return text;
}

std::string gnuplot_script() {
  std::string script =
      R"gp(set title "64 machines, d = c on average: length over the length of greedy, which knows the costs"
set xlabel "spread of costs (standard deviation of their logarithm)"
set ylabel "ratio"
set grid
plot 1 with lines linecolor "black" notitle)gp";
  for (std::size_t m = 0; m < kMethods.size(); ++m)
    script += fmt::format(
        ", \\\n     \"reduce-unknown-costs.csv\" using ($2 == 1 ? $1 : 1/0):{} every ::1 with linespoints title \"{}\"",
        m + 3, kMethods[m].name);
  return script + '\n';
}

}  // namespace

int study_reduce_unknown_costs(const StudyTask& task) {
  const std::int64_t samples = task.samples > 0 ? task.samples : task.quick ? 3 : 100;
  make_folder(task.folder);
  const Progress progress(static_cast<std::int64_t>(kSpreads.size() * kRatios.size()) * samples);
  std::vector<CostRow> rows;
  std::int64_t done = 0;
  for (const double spread : kSpreads) {
    for (const double ratio : kRatios) {
      CostRow row;
      row.spread = spread;
      row.d_over_c = ratio;
      for (std::int64_t number = 0; number < samples; ++number) {
        progress.show(done++, fmt::format("spread {}, d / c = {}", spread, ratio));
        ReduceProblem problem = instance(spread, ratio, task.seed, number);
        const auto length = [&](const char* algorithm) {
          return plan_reduce(problem, {.algorithm = algorithm, .transfers = false, .effort = 0.1}).schedule.length;
        };
        const double greedy = length("greedy");
        row.greedy_over_bound += greedy / reduce_bounds(problem).best / static_cast<double>(samples);
        for (std::size_t m = 0; m < kMethods.size(); ++m) {
          problem.commutative = kMethods[m].commutative;
          row.mean[m] += length(kMethods[m].name) / greedy / static_cast<double>(samples);
        }
      }
      rows.push_back(row);
    }
  }
  write_file_atomically(task.folder + "/reduce-unknown-costs.csv", csv(rows));
  draw(task.folder, "reduce-unknown-costs", gnuplot_script());

  std::vector<TextTable::Column> columns{{"spread"}, {"d / c"}};
  for (const Method& method : kMethods) columns.push_back({method.name});
  columns.push_back({"greedy / bound"});
  TextTable table(columns);
  for (const CostRow& row : rows) {
    std::vector<std::string> cells{fmt::format("{}", row.spread), fmt::format("{}", row.d_over_c)};
    for (const double mean : row.mean) cells.push_back(fmt::format("{:.3f}", mean));
    cells.push_back(fmt::format("{:.3f}", row.greedy_over_bound));
    table.add_row(std::move(cells));
  }
  print(fmt::format("{} machines, {}: length over the length of greedy, which knows the costs\n\n{}\nwritten to {}\n",
                    kReduceMachines, count_text(samples, "instance"), table.text(), task.folder));
  return kDone;
}

}  // namespace sluice::command
