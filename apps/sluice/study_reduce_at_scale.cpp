#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "gnuplot.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "simulated_machines.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"
#include "study.hpp"

// The executor of reductions and SMPI's MPI_Reduce on simulated clusters, by the same operation: d is what a message of
// 128 KiB takes there, c is charged to the rank that combines. SMPI has the algorithms of several MPIs and what each of
// these chooses: the best of all is what a reduction is compared with. Beside it stands the plan's own length, its
// model of one port.

namespace sluice::command {

namespace {

constexpr std::int64_t kWords = 16384;  ///< of 8 bytes
constexpr std::array kSelectors{"default", "ompi", "mpich", "mvapich2", "impi"};

struct Point {
  std::int64_t machines = 0;
  double d_over_c = 1;
  double d_s = 0;
  double c_s = 0;
  double plan_s = 0;    ///< length of the plan
  double sluice_s = 0;  ///< its execution
  std::int64_t parts = 1;
  double parts_plan_s = 0;  ///< likewise, in the number of parts that the plan finds best
  double parts_s = 0;
  std::array<double, kSelectors.size()> reduce_s{};

  [[nodiscard]] std::size_t best() const {
    return static_cast<std::size_t>(std::min_element(reduce_s.begin(), reduce_s.end()) - reduce_s.begin());
  }
  [[nodiscard]] double best_s() const { return reduce_s[best()]; }
};

/// Fills in the times of `point`, whose machines and d / c are given.
void measure(Point& point, const SimulatedMachines& machines) {
  SimulatedCluster cluster;
  cluster.hosts = point.machines;
  point.d_s = cluster.transfer_s(8 * kWords);
  point.c_s = point.d_s / point.d_over_c;
  const SimgridPlatform hosts = cluster.simgrid();
  const auto run = [&](const std::string& selector, const std::string& method, std::int64_t parts) {
    const nlohmann::json result =
        machines.run(hosts, "coll-selector:" + selector,
                     {"run", "reduce", "--count", fmt::format("{}", kWords), "--operation",
                      fmt::format("sleep:{}", 1000 * point.c_s), "--transfer", fmt::format("{}", point.d_s),
                      "--compute", fmt::format("{}", point.c_s), "--segments", fmt::format("{}", parts), "--method",
                      method, "--repetitions", "1"});
    return result_of(result, method).at("median_s").get<double>();
  };
  ReduceProblem problem;
  problem.machines = point.machines;
  problem.transfer = point.d_s;
  problem.compute = point.c_s;
  const ReduceOptions summary{"auto", 4, false};
  point.plan_s = plan_reduce(problem, summary).schedule.length;
  point.sluice_s = run("default", "sluice", 1);
  problem.segments = 0;
  problem.transfer_overhead = cluster.overhead_s();
  const ReducePlan parts = plan_reduce(problem, summary);
  point.parts = parts.schedule.segments;
  point.parts_plan_s = parts.schedule.length;
  point.parts_s = point.parts == 1 ? point.sluice_s : run("default", "sluice", point.parts);
  for (std::size_t s = 0; s < kSelectors.size(); ++s) point.reduce_s[s] = run(kSelectors[s], "mpi-reduce", 1);
}

std::string csv(const std::vector<Point>& points) {
  std::string text =
      "machines,d_over_c,d_s,c_s,plan_s,sluice_s,sluice_over_plan,parts,parts_plan_s,parts_s,parts_over_plan";
  for (const char* selector : kSelectors) text += fmt::format(",mpi_reduce_{}_s", selector);
  text += ",best_selector,best_s,sluice_over_best,plan_over_best,parts_over_best\n";
  for (const Point& p : points) {
    text += fmt::format("{},{},{:.9f},{:.9f},{:.9f},{:.9f},{:.4f},{},{:.9f},{:.9f},{:.4f}", p.machines, p.d_over_c,
                        p.d_s, p.c_s, p.plan_s, p.sluice_s, p.sluice_s / p.plan_s, p.parts, p.parts_plan_s, p.parts_s,
                        p.parts_s / p.parts_plan_s);
    for (const double seconds : p.reduce_s) text += fmt::format(",{:.9f}", seconds);
    text += fmt::format(",{},{:.9f},{:.4f},{:.4f},{:.4f}\n", kSelectors[p.best()], p.best_s(), p.sluice_s / p.best_s(),
                        p.plan_s / p.best_s(), p.parts_s / p.best_s());
  }
  return text;
}

std::string gnuplot_script(const std::vector<std::int64_t>& sizes) {
  // Columns: 19 sluice, 20 plan, 21 parts, each over the best MPI_Reduce.
  std::string script = R"(set title "Simulated cluster: time over that of SMPI's best MPI_Reduce"
set xlabel "d / c"
set ylabel "ratio"
set logscale x
set yrange [0:*]
set grid
set key outside right
plot 1 with lines linecolor "black" notitle)";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto curve = [&](int column, const char* style, const char* title) {
      script += fmt::format(
          ", \\\n     \"reduce-at-scale.csv\" using ($1 == {0} ? $2 : 1/0):{1} every ::1 with {2} linecolor {3} title "
          "\"{0} hosts{4}\"",
          sizes[i], column, style, i + 1, title);
    };
    curve(19, "linespoints pointtype 7", "");
    curve(20, "lines dashtype 2", ", its plan");
    curve(21, "linespoints pointtype 6 dashtype 3", ", in parts");
  }
  return script + '\n';
}

}  // namespace

int study_reduce_at_scale(const StudyTask& task) {
  const std::vector<std::int64_t> sizes =
      task.quick ? std::vector<std::int64_t>{16, 64} : std::vector<std::int64_t>{16, 32, 64};
  const std::vector<double> ratios =
      task.quick ? std::vector<double>{0.1, 1, 10} : std::vector<double>{0.1, 0.3, 1, 3, 10};
  const SimulatedMachines machines("sluice study reduce-at-scale");
  make_folder(task.folder);
  const Progress progress(static_cast<std::int64_t>(sizes.size() * ratios.size()));
  std::vector<Point> points;
  for (const std::int64_t hosts : sizes) {
    for (const double ratio : ratios) {
      progress.show(static_cast<std::int64_t>(points.size()), fmt::format("{} hosts, d / c = {}", hosts, ratio));
      Point point;
      point.machines = hosts;
      point.d_over_c = ratio;
      measure(point, machines);
      points.push_back(point);
    }
  }
  write_file_atomically(task.folder + "/reduce-at-scale.csv", csv(points));
  draw(task.folder, "reduce-at-scale", gnuplot_script(sizes), 1000, 560);

  TextTable table({{"hosts"},
                   {"d / c"},
                   {"plan"},
                   {"sluice"},
                   {"/ plan"},
                   {"parts"},
                   {"in parts"},
                   {"/ plan"},
                   {"MPI_Reduce"},
                   {"selector", TextTable::Align::kLeft},
                   {"sluice /"},
                   {"in parts /"}});
  for (const Point& p : points) {
    table.add_row({fmt::format("{}", p.machines), number_text(p.d_over_c), seconds_text(p.plan_s),
                   seconds_text(p.sluice_s), ratio_text(p.sluice_s, p.plan_s), fmt::format("{}", p.parts),
                   seconds_text(p.parts_s), ratio_text(p.parts_s, p.parts_plan_s), seconds_text(p.best_s()),
                   kSelectors[p.best()], ratio_text(p.sluice_s, p.best_s()), ratio_text(p.parts_s, p.best_s())});
  }
  print(fmt::format("simulated clusters, 1 Gbit/s a host; elements of {} bytes, d = {}\n\n{}\nwritten to {}\n",
                    8 * kWords, seconds_text(points.front().d_s), table.text(), task.folder));
  return kDone;
}

}  // namespace sluice::command
