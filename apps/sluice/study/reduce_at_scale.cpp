#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/simulated_machines.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// The executor of reductions and SMPI's MPI_Reduce on simulated clusters, by the same operation: d is what a message of
// 128 KiB takes there, c is charged to the rank that combines. Ours is executed twice: with whole elements, by the
// optimal tree; and with elements that are cut, by what the model finds best where each message also has a cost that
// does not depend on its size. SMPI has the algorithms of several MPIs and what each of these chooses: a reduction is
// compared with the fastest of all these. Beside each execution stands the plan's own length, by its model of one port.

namespace sluice::command {

namespace {

constexpr std::int64_t kWords = 16384;  ///< of 8 bytes

/// Whose choices of algorithms SMPI follows, or one of its algorithms, and for how many hosts a simulation of it ends
/// within minutes: ompi sends many segments through one chain, the next three prepare by n^2 messages.
struct Rival {
  const char* name;
  const char* collectives;
  std::int64_t most_hosts;
};
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::array<Rival, 6> kRivals{{{"default", "coll-selector:default", kAny},
                                        {"ompi", "coll-selector:ompi", 128},
                                        {"mpich", "coll-selector:mpich", 256},
                                        {"mvapich2", "coll-selector:mvapich2", 256},
                                        {"impi", "coll-selector:impi", 256},
                                        {"scatter_gather", "reduce:scatter_gather", kAny}}};

struct Execution {
  double plan_s = 0;  ///< length of the plan
  double executed_s = 0;
  std::string how;
};

struct ScalePoint {
  std::int64_t machines = 0;
  double d_over_c = 1;
  double d_s = 0;
  double c_s = 0;
  Execution whole;
  Execution cut;
  std::array<std::optional<double>, kRivals.size()> reduce_s;  ///< by rival, if simulated

  [[nodiscard]] std::size_t best() const {
    std::size_t best = 0;
    for (std::size_t s = 1; s < reduce_s.size(); ++s)
      if (reduce_s[s] && (!reduce_s[best] || *reduce_s[s] < *reduce_s[best])) best = s;
    return best;
  }
  [[nodiscard]] double best_s() const { return *reduce_s[best()]; }
};

/// Fills in the times of `point`, whose machines and d / c are given.
void measure(ScalePoint& point, const SimulatedMachines& machines) {
  SimulatedCluster cluster;
  cluster.hosts = point.machines;
  point.d_s = cluster.transfer_s(8 * kWords);
  point.c_s = point.d_s / point.d_over_c;
  const SimgridPlatform hosts = cluster.simgrid();
  const auto run = [&](const std::string& collectives, const std::string& method, const std::vector<std::string>& how) {
    std::vector<std::string> words{"run",           "reduce",
                                   "--count",       fmt::format("{}", kWords),
                                   "--operation",   fmt::format("sleep:{}", 1000 * point.c_s),
                                   "--transfer",    fmt::format("{}", point.d_s),
                                   "--compute",     fmt::format("{}", point.c_s),
                                   "--method",      method,
                                   "--repetitions", "1"};
    words.insert(words.end(), how.begin(), how.end());
    return result_of(machines.run(hosts, collectives, words), method);
  };
  const auto execution = [&](const std::vector<std::string>& how) {
    const nlohmann::json result = run(kRivals.front().collectives, "sluice", how);
    return Execution{result.at("predicted_s").get<double>(), result.at("median_s").get<double>(),
                     result.at("how").get<std::string>()};
  };
  point.whole = execution({"--segments", "1"});
  point.cut = execution({"--transfer-overhead", fmt::format("{}", cluster.overhead_s()), "--model-only"});
  for (std::size_t i = 0; i < kRivals.size(); ++i)
    if (point.machines <= kRivals[i].most_hosts)
      point.reduce_s[i] = run(kRivals[i].collectives, "mpi-reduce", {}).at("median_s").get<double>();
}

std::string csv(const std::vector<ScalePoint>& points) {
  std::string text =
      "machines,d_over_c,d_s,c_s,whole_plan_s,whole_s,whole_over_plan,cut_how,cut_plan_s,cut_s,cut_over_plan";
  for (const Rival& rival : kRivals) text += fmt::format(",mpi_reduce_{}_s", rival.name);
  text += ",best,best_s,whole_over_best,plan_over_best,cut_over_best\n";
  for (const ScalePoint& p : points) {
    text += fmt::format("{},{},{:.9f},{:.9f},{:.9f},{:.9f},{:.4f},\"{}\",{:.9f},{:.9f},{:.4f}", p.machines, p.d_over_c,
                        p.d_s, p.c_s, p.whole.plan_s, p.whole.executed_s, p.whole.executed_s / p.whole.plan_s,
                        p.cut.how, p.cut.plan_s, p.cut.executed_s, p.cut.executed_s / p.cut.plan_s);
    for (const std::optional<double>& seconds : p.reduce_s) text += seconds ? fmt::format(",{:.9f}", *seconds) : ",";
    text += fmt::format(",{},{:.9f},{:.4f},{:.4f},{:.4f}\n", kRivals[p.best()].name, p.best_s(),
                        p.whole.executed_s / p.best_s(), p.whole.plan_s / p.best_s(), p.cut.executed_s / p.best_s());
  }
  return text;
}

std::string gnuplot_script(const std::vector<std::int64_t>& sizes) {
  // Columns: 20 whole, 21 its plan, 22 cut, each over the best MPI_Reduce.
  std::string script = R"(set title "Simulated cluster: time over the time of SMPI's best MPI_Reduce"
set xlabel "d / c"
set ylabel "ratio"
set logscale x
set yrange [0:*]
set grid
plot 1 with lines linecolor "black" notitle)";
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto curve = [&](int column, const char* style, const char* title) {
      script += fmt::format(
          ", \\\n     \"reduce-at-scale.csv\" using ($1 == {0} ? $2 : 1/0):{1} every ::1 with {2} linecolor {3} title "
          "\"{0} hosts{4}\"",
          sizes[i], column, style, i + 1, title);
    };
    curve(20, "linespoints pointtype 7", ", whole elements");
    curve(21, "lines dashtype 2", ", their plan");
    curve(22, "linespoints pointtype 6 dashtype 3", ", cut");
  }
  return script + '\n';
}

}  // namespace

int study_reduce_at_scale(const StudyTask& task) {
  const std::vector<std::int64_t> sizes =
      task.quick ? std::vector<std::int64_t>{16, 100} : std::vector<std::int64_t>{16, 64, 100, 256, 1000};
  const std::vector<double> ratios =
      task.quick ? std::vector<double>{0.1, 1, 10} : std::vector<double>{0.1, 0.3, 1, 3, 10};
  const SimulatedMachines machines("sluice study reduce-at-scale");
  make_folder(task.folder);
  const Progress progress(static_cast<std::int64_t>(sizes.size() * ratios.size()));
  std::vector<ScalePoint> points;
  for (const std::int64_t hosts : sizes) {
    for (const double ratio : ratios) {
      progress.show(static_cast<std::int64_t>(points.size()),
                    fmt::format("{}, d / c = {}", count_text(hosts, "host"), ratio));
      ScalePoint point;
      point.machines = hosts;
      point.d_over_c = ratio;
      measure(point, machines);
      points.push_back(point);
    }
  }
  write_file_atomically(task.folder + "/reduce-at-scale.csv", csv(points));
  draw(task.folder, "reduce-at-scale", gnuplot_script(sizes), 480);

  TextTable table({{"hosts"},
                   {"d / c"},
                   {"plan"},
                   {"whole"},
                   {"/ plan"},
                   {"plan"},
                   {"cut"},
                   {"/ plan"},
                   {"how", TextTable::Align::kLeft},
                   {"MPI_Reduce"},
                   {"by", TextTable::Align::kLeft},
                   {"whole /"},
                   {"cut /"}});
  for (const ScalePoint& p : points) {
    table.add_row({fmt::format("{}", p.machines), number_text(p.d_over_c), seconds_text(p.whole.plan_s),
                   seconds_text(p.whole.executed_s), ratio_text(p.whole.executed_s, p.whole.plan_s),
                   seconds_text(p.cut.plan_s), seconds_text(p.cut.executed_s),
                   ratio_text(p.cut.executed_s, p.cut.plan_s), p.cut.how, seconds_text(p.best_s()),
                   kRivals[p.best()].name, ratio_text(p.whole.executed_s, p.best_s()),
                   ratio_text(p.cut.executed_s, p.best_s())});
  }
  print(fmt::format("simulated clusters, 1 Gbit/s per host; elements of {}, d = {}\n\n{}\nwritten to {}\n",
                    count_text(8 * kWords, "byte"), seconds_text(points.front().d_s), table.text(), task.folder));
  return kDone;
}

}  // namespace sluice::command
