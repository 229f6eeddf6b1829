#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/show/text_table.hpp"

// Figure 2 of the paper shows two curves for 2 to 10000 machines: how much longer than the optimum two strategies are
// in their worst cases. These are d = c for the binomial strategy, and one of the two 0 for the Fibonacci strategy.

namespace sluice::command {

namespace {

constexpr std::int64_t kFirst = 2;
constexpr std::int64_t kLast = 10000;

std::string csv(const std::vector<StrategyRatios>& rows) {
  std::string text = "machines,binomial,fibonacci\n";
  for (const StrategyRatios& row : rows)
    text += fmt::format("{},{:.6f},{:.6f}\n", row.machines, row.binomial, row.fibonacci);
  return text;
}

constexpr const char* kScript = R"(set title "Length over the optimum, each strategy where it is worst"
set xlabel "machines"
set ylabel "ratio"
set logscale x
set xrange [2:10000]
set offsets graph 0, 0, 0.05, 0.02
set grid
plot "figure2.csv" using 1:2 every ::1 with steps title "binomial, d = c", \
     "figure2.csv" using 1:3 every ::1 with steps title "Fibonacci, min(d, c) = 0"
)";

}  // namespace

int study_reduce_figure_2(const StudyTask& task) {
  make_folder(task.folder);
  const std::vector<StrategyRatios> rows = strategy_ratios(kFirst, kLast);
  write_file_atomically(task.folder + "/figure2.csv", csv(rows));
  draw(task.folder, "figure2", kScript);

  TextTable table({{"strategy", TextTable::Align::kLeft}, {"mean"}, {"worst"}, {"at machines"}, {"at 10000"}});
  const auto add = [&](const char* name, double StrategyRatios::*ratio) {
    double sum = 0;
    for (const StrategyRatios& row : rows) sum += row.*ratio;
    const auto worst =
        std::max_element(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return a.*ratio < b.*ratio; });
    table.add_row({name, fmt::format("{:.3f}", sum / static_cast<double>(rows.size())),
                   fmt::format("{:.3f}", *worst.*ratio), fmt::format("{}", worst->machines),
                   fmt::format("{:.3f}", rows.back().*ratio)});
  };
  add("binomial, d = c", &StrategyRatios::binomial);
  add("Fibonacci, min(d, c) = 0", &StrategyRatios::fibonacci);
  tell(fmt::format("length over the optimum, {} to {} machines\n\n{}\nwritten to {}\n", kFirst, kLast, table.text(),
                   task.folder));
  return kDone;
}

}  // namespace sluice::command
