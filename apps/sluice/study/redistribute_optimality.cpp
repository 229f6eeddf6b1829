#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// The open problem of Desprez et al. 1997: schedules optimal in the number of steps NS and in the total cost TC at
// once. For each grid P:r -> Q:s the whole front of (NS, TC) is planned and proven, and beside it what the named
// algorithms reach. Each grid adds a line to grids.csv when it is done; a study that finds lines of an earlier run goes
// on after them.

namespace sluice::command {

namespace {

constexpr std::int64_t kMostProcesses = 32, kMostBlock = 20;
constexpr std::int64_t kSampledGrids = 2000, kQuickSampledGrids = 50;
constexpr std::int64_t kFrontEffort = 1'000'000;  // a grid: half a minute at most
constexpr std::int64_t kChunk = 500;              // grids between two writes

constexpr std::array kNamed{"stepwise", "greedy", "coloring", "caterpillar"};

struct Grid {
  std::int64_t p = 1, r = 1, q = 1, s = 1;
};

/// Every grid once: P and Q to 32, r and s to 20 without a common divisor.
std::vector<Grid> all_grids() {
  std::vector<Grid> result;
  for (std::int64_t p = 1; p <= kMostProcesses; ++p)
    for (std::int64_t r = 1; r <= kMostBlock; ++r)
      for (std::int64_t q = 1; q <= kMostProcesses; ++q)
        for (std::int64_t s = 1; s <= kMostBlock; ++s)
          if (std::gcd(r, s) == 1) result.push_back({p, r, q, s});
  return result;
}

/// The first `samples` of the grids in random order; if there are no more than that, all of them in their own order.
std::vector<Grid> grids_of(std::int64_t samples, std::uint64_t seed) {
  std::vector<Grid> grids = all_grids();
  if (samples >= static_cast<std::int64_t>(grids.size())) return grids;
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < static_cast<std::size_t>(samples); ++i)
    std::swap(grids[i], grids[i + static_cast<std::size_t>(random() % (grids.size() - i))]);
  grids.resize(static_cast<std::size_t>(samples));
  return grids;
}

/// The result for one grid: a line of grids.csv.
struct GridRow {
  Grid grid;
  std::int64_t bound_steps = 0, bound_transmission = 0;                 ///< by the messages of each process
  std::int64_t steps = 0, transmission = 0, transmission_at_least = 0;  ///< at the fewest steps
  std::int64_t last_steps = 0, last_transmission = 0;                   ///< at the other end of the front
  std::int64_t points = 0;
  std::int64_t complete = 0;  ///< 1: the whole front is proven
  std::array<std::int64_t, kNamed.size()> named_steps = {}, named_transmission = {};
  double seconds = 0;
};

constexpr const char* kTitles =
    "P,r,Q,s,bound_NS,bound_TC,NS,TC,TC_at_least,last_NS,last_TC,points,complete,stepwise_NS,stepwise_TC,greedy_NS,"
    "greedy_TC,coloring_NS,coloring_TC,caterpillar_NS,caterpillar_TC,seconds";

std::vector<std::int64_t*> numbers_of(GridRow& row) {
  std::vector<std::int64_t*> result{&row.grid.p,
                                    &row.grid.r,
                                    &row.grid.q,
                                    &row.grid.s,
                                    &row.bound_steps,
                                    &row.bound_transmission,
                                    &row.steps,
                                    &row.transmission,
                                    &row.transmission_at_least,
                                    &row.last_steps,
                                    &row.last_transmission,
                                    &row.points,
                                    &row.complete};
  for (std::size_t a = 0; a < kNamed.size(); ++a) {
    result.push_back(&row.named_steps[a]);
    result.push_back(&row.named_transmission[a]);
  }
  return result;
}

std::string line_of(GridRow row) {
  std::string line;
  for (const std::int64_t* number : numbers_of(row)) line += fmt::format("{},", *number);
  return line + fmt::format("{:.6f}\n", row.seconds);
}

/// False for a line that is not complete, such as one that was cut off.
bool read_line(const std::string& line, GridRow& row) {
  std::istringstream in(line);
  char comma = 0;
  for (std::int64_t* number : numbers_of(row))
    if (!(in >> *number >> comma) || comma != ',') return false;
  return static_cast<bool>(in >> row.seconds) && in.peek() == std::istringstream::traits_type::eof();
}

GridRow row_of(const Grid& grid) {
  GridRow row;
  row.grid = grid;
  const RedistributionProblem problem = one_slice({{grid.p}, {grid.r}}, {{grid.q}, {grid.s}});
  const Cost bound = redistribution_bound(problem);
  row.bound_steps = bound.steps;
  row.bound_transmission = bound.transmission;
  const auto start = std::chrono::steady_clock::now();
  const RedistributionFront front = redistribution_front(problem, 1, kFrontEffort);
  row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Cost first = front.points.front().plan.cost(), last = front.points.back().plan.cost();
  row.steps = first.steps;
  row.transmission = first.transmission;
  row.transmission_at_least = front.points.front().transmission_at_least;
  row.last_steps = last.steps;
  row.last_transmission = last.transmission;
  row.points = static_cast<std::int64_t>(front.points.size());
  row.complete = front.complete ? 1 : 0;
  for (std::size_t a = 0; a < kNamed.size(); ++a) {
    const Cost cost = plan_redistribution(problem, kNamed[a]).cost();
    row.named_steps[a] = cost.steps;
    row.named_transmission[a] = cost.transmission;
  }
  return row;
}

/// The rows of all grids, read or planned, in order.
std::vector<GridRow> measure(const std::string& file, const std::string& head, const std::vector<Grid>& grids) {
  std::vector<GridRow> rows;
  {
    std::ifstream before(file);
    std::string line;
    if (std::getline(before, line)) {
      if (line != head)
        throw InputError(file, "'" + line + "'", "'" + head + "', as this study begins it, or another folder");
      std::getline(before, line);
      GridRow row;
      while (rows.size() < grids.size() && std::getline(before, line) && read_line(line, row)) rows.push_back(row);
    }
  }
  std::string text = head + '\n' + kTitles + '\n';
  for (const GridRow& row : rows) text += line_of(row);
  write_file_atomically(file, text);
  const auto total = static_cast<std::int64_t>(grids.size());
  const Progress progress(total);
  while (rows.size() < grids.size()) {
    const std::size_t done = rows.size();
    const std::int64_t count = std::min<std::int64_t>(kChunk, total - static_cast<std::int64_t>(done));
    rows.resize(done + static_cast<std::size_t>(count));
    for_each_in_parallel(
        count, [&](std::int64_t i) { progress.show(static_cast<std::int64_t>(done) + i, "grids"); },
        [&](std::int64_t i) {
          rows[done + static_cast<std::size_t>(i)] = row_of(grids[done + static_cast<std::size_t>(i)]);
        });
    std::string lines;
    for (std::size_t i = done; i < rows.size(); ++i) lines += line_of(rows[i]);
    append_to_file(file, lines);
  }
  return rows;
}

/// The whole fronts of the paper's examples.
std::string examples_csv() {
  struct Example {
    const char* from;
    const char* to;
  };
  constexpr std::array kExamples{Example{"16:3", "16:5"}, Example{"16:7", "16:11"}, Example{"15:3", "15:5"},
                                 Example{"12:4", "8:3"}, Example{"15:2", "6:3"}};
  std::string text = "example,from,to,NS,TC,TC_at_least,algorithm\n";
  for (std::size_t e = 0; e < kExamples.size(); ++e) {
    const Layout from = parse_layout(kExamples[e].from, "from"), to = parse_layout(kExamples[e].to, "to");
    for (const FrontPoint& point : redistribution_front(one_slice(from, to), 1, kFrontEffort).points) {
      const Cost cost = point.plan.cost();
      text += fmt::format("{},{},{},{},{},{},{}\n", e + 1, kExamples[e].from, kExamples[e].to, cost.steps,
                          cost.transmission, point.transmission_at_least, point.plan.algorithm());
    }
  }
  return text;
}

/// TC over the least TC of any schedule, sorted, at 0, 0.5, .. 100 % of the grids: of the optimum at the fewest steps,
/// and of the named algorithms.
std::string ratios_csv(const std::vector<GridRow>& rows) {
  std::vector<std::vector<double>> ratios(kNamed.size() + 1);
  for (const GridRow& row : rows) {
    const auto least = static_cast<double>(row.last_transmission);
    ratios[0].push_back(static_cast<double>(row.transmission) / least);
    for (std::size_t a = 0; a < kNamed.size(); ++a)
      ratios[a + 1].push_back(static_cast<double>(row.named_transmission[a]) / least);
  }
  for (std::vector<double>& each : ratios) std::ranges::sort(each);
  std::string text = "percent,optimal_at_fewest_steps";
  for (const char* name : kNamed) text += fmt::format(",{}", name);
  text += '\n';
  return text + percent_rows(ratios);
}

std::string gnuplot_script(std::size_t grids) {
  std::string script = fmt::format(
      "set title \"TC over the least TC of any schedule, {} grids\"\nset xlabel \"grids, by their ratio (%)\"\n"
      "set ylabel \"TC / least TC\"\nset grid\nset logscale y\nset ytics (1, 2, 5, 10, 20, 50, 100, 200, 500, "
      "1000)\nplot ",
      grids);
  script += R"("ratios.csv" using 1:2 every ::1 with lines lw 2 title "optimal at the fewest steps")";
  for (std::size_t a = 0; a < kNamed.size(); ++a)
    script += fmt::format(", \\\n     \"ratios.csv\" using 1:{} every ::1 with lines title \"{}\"", a + 3, kNamed[a]);
  return script + '\n';
}

std::string summary_of(const std::vector<GridRow>& rows) {
  const auto count = [&](auto&& holds) { return static_cast<std::int64_t>(std::ranges::count_if(rows, holds)); };
  const auto line = [&](const char* what, std::int64_t number) {
    return fmt::format("{:<64} {:>7}  {:>7.3f} %\n", what, number,
                       100.0 * static_cast<double>(number) / static_cast<double>(rows.size()));
  };
  std::string text = line("grids", static_cast<std::int64_t>(rows.size()));
  text += line("whole front proven", count([](const GridRow& row) { return row.complete == 1; }));
  text += line("TC at the fewest steps proven",
               count([](const GridRow& row) { return row.transmission == row.transmission_at_least; }));
  text += line("one schedule optimal in NS and TC at once",
               count([](const GridRow& row) { return row.complete == 1 && row.points == 1; }));
  text += line("bound by the messages of each process reached",
               count([](const GridRow& row) { return row.transmission == row.bound_transmission; }));
  for (std::size_t a = 0; a < kNamed.size(); ++a) {
    text += line(fmt::format("{} on the front", kNamed[a]).c_str(), count([&](const GridRow& row) {
                   const bool first = row.named_steps[a] == row.steps && row.named_transmission[a] == row.transmission;
                   const bool last =
                       row.named_steps[a] == row.last_steps && row.named_transmission[a] == row.last_transmission;
                   return first || last;
                 }));
  }
  std::vector<double> seconds;
  std::int64_t most_points = 0;
  for (const GridRow& row : rows) {
    seconds.push_back(row.seconds);
    most_points = std::max(most_points, row.points);
  }
  std::ranges::sort(seconds);
  const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return text + fmt::format("longest front {}; planning a front: median {}, mean {}, longest {}\n",
                            count_text(most_points, "point"), seconds_text(seconds[seconds.size() / 2]),
                            seconds_text(all / static_cast<double>(seconds.size())), seconds_text(seconds.back()));
}

}  // namespace

int study_redistribute_optimality(const StudyTask& task) {
  const std::int64_t samples = task.samples > 0 ? task.samples : task.quick ? kQuickSampledGrids : kSampledGrids;
  const std::vector<Grid> grids = grids_of(samples, task.seed);
  make_folder(task.folder);
  const std::string file = task.folder + "/grids.csv";
  check_writable(file);
  const std::string head =
      fmt::format("# redistribute-optimality, {} grids, seed {}, effort {}", grids.size(), task.seed, kFrontEffort);
  const std::vector<GridRow> rows = measure(file, head, grids);
  write_file_atomically(task.folder + "/examples.csv", examples_csv());
  write_file_atomically(task.folder + "/ratios.csv", ratios_csv(rows));
  draw(task.folder, "ratios", gnuplot_script(rows.size()));
  const std::string text = fmt::format("P, Q <= {}, r, s <= {} without a common divisor, seed {}\n\n{}", kMostProcesses,
                                       kMostBlock, task.seed, summary_of(rows));
  write_file_atomically(task.folder + "/summary.txt", text);
  print(text +
        fmt::format("\ngrids.csv, examples.csv, ratios.csv, ratios.svg, summary.txt written to {}\n", task.folder));
  return kDone;
}

}  // namespace sluice::command
