#include <fmt/format.h>

#include <array>
#include <atomic>
#include <random>
#include <string>
#include <vector>

#include "apps/compare/quantile.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/show/text_table.hpp"

// Section 6 of the paper: L and g are drawn for every pair in each direction and T for every cluster, uniformly in the
// ranges of Table 3; the root is cluster 0. A curve shows the mean makespan and its quartiles.

namespace sluice::command {

namespace {

constexpr std::int64_t kSimulations = 10'000, kQuickSimulations = 100;
/// The local search of auto ends within that for 50 clusters: the study has 80 000 such instances.
constexpr double kEffort = 0.01;

constexpr std::array kAlgorithms{"flat", "fef", "bottom-up", "ecef", "ecef-la", "ecef-la-tmin", "ecef-la-tmax", "auto"};
constexpr std::size_t kAuto = kAlgorithms.size() - 1;
using Lengths = std::array<double, kAlgorithms.size()>;

struct SimulatedFigure {
  int number;
  std::vector<std::size_t> clusters;
};

const std::vector<SimulatedFigure>& simulated_figures() {
  static const std::vector<SimulatedFigure> kFigures{{7, {2, 3, 4, 5, 6, 7, 8, 9, 10}},
                                                     {8, {5, 10, 15, 20, 25, 30, 40, 50}}};
  return kFigures;
}

/// Sample `number`, the same on every machine and by any thread; milliseconds.
BetweenClusters random_problem(std::uint64_t seed, std::size_t clusters, std::int64_t number) {
  const auto index = static_cast<std::uint64_t>(number);
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); };
  std::seed_seq words{low(seed), high(seed), low(clusters), low(index), high(index)};
  std::mt19937_64 random(words);
  const auto uniform = [&](double least, double most) {
    return least + (most - least) * static_cast<double>(random() >> 11U) * 0x1p-53;
  };
  BetweenClusters problem;
  for (std::size_t i = 0; i < clusters * clusters; ++i) {
    problem.latency.push_back(uniform(1, 15));
    problem.gap.push_back(uniform(100, 600));
  }
  for (std::size_t i = 0; i < clusters; ++i) problem.inside.push_back(uniform(20, 3000));
  return problem;
}

/// Means and quartiles over samples, and how many of auto's were proven optimal.
struct Means {
  Lengths length = {};
  std::array<compare::Quartiles, kAlgorithms.size()> quartiles = {};
  std::int64_t proven = 0;
};

Means measure(std::size_t clusters, std::int64_t samples, std::uint64_t seed, const Progress& progress,
              std::int64_t done_before) {
  std::vector<Lengths> lengths(static_cast<std::size_t>(samples));
  std::atomic<std::int64_t> proven = 0;
  const auto shows = [&](std::int64_t i) { progress.show(done_before + i, count_text(clusters, "cluster")); };
  for_each_in_parallel(samples, shows, [&](std::int64_t i) {
    const BetweenClusters problem = random_problem(seed, clusters, i);
    for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
      BetweenOptions options;
      options.algorithm = kAlgorithms[a];
      if (clusters > 10) options.effort = kEffort;
      const BetweenPlan plan = plan_between_clusters(problem, options);
      lengths[static_cast<std::size_t>(i)][a] = plan.schedule.length;
      if (a == kAuto && plan.optimal) ++proven;
    }
  });
  Means means;
  for (const Lengths& each : lengths)
    for (std::size_t a = 0; a < kAlgorithms.size(); ++a) means.length[a] += each[a] / static_cast<double>(samples);
  for (std::size_t a = 0; a < kAlgorithms.size(); ++a) {
    std::vector<double> values;
    for (const Lengths& each : lengths) values.push_back(each[a]);
    means.quartiles[a] = compare::quartiles_of(std::move(values));
  }
  means.proven = proven;
  return means;
}

std::string csv(const SimulatedFigure& figure, const std::vector<Means>& means, std::int64_t samples) {
  std::string text = "clusters";
  for (const char* algorithm : kAlgorithms) text += fmt::format(",{}_ms", algorithm);
  text += ",proven_optimal";
  for (const char* algorithm : kAlgorithms)
    text += fmt::format(",{0}_lower_quartile_ms,{0}_upper_quartile_ms", algorithm);
  text += '\n';
  for (std::size_t p = 0; p < figure.clusters.size(); ++p) {
    text += fmt::format("{}", figure.clusters[p]);
    for (const double length : means[p].length) text += fmt::format(",{:.3f}", length);
    text += fmt::format(",{:.4f}", static_cast<double>(means[p].proven) / static_cast<double>(samples));
    for (const compare::Quartiles& each : means[p].quartiles)
      text += fmt::format(",{:.3f},{:.3f}", each.low, each.high);
    text += '\n';
  }
  return text;
}

std::string gnuplot_script(const SimulatedFigure& figure, std::int64_t samples) {
  std::string script = fmt::format(
      "set xlabel \"clusters\"\nset ylabel \"makespan (ms)\"\nset grid\nset title \"Broadcast: mean and quartiles "
      "of {} per point\"\n",
      count_text(samples, "sample"));
  for (std::size_t a = 0; a < kAlgorithms.size(); ++a)
    // Side by side, as quartiles of all would cover each other.
    script += fmt::format(R"({}"figure{}.csv" using ($1+{:.2f}):{}:{}:{} every ::1 with yerrorlines title "{}")",
                          a == 0 ? "plot " : ", \\\n     ", figure.number,
                          0.06 * (static_cast<double>(a) - static_cast<double>(kAlgorithms.size() - 1) / 2), a + 2,
                          kAlgorithms.size() + 3 + 2 * a, kAlgorithms.size() + 4 + 2 * a, kAlgorithms[a]);
  return script + '\n';
}

std::string table_of(const SimulatedFigure& figure, const std::vector<Means>& means, std::int64_t samples) {
  std::vector<TextTable::Column> columns{{"clusters"}};
  for (const char* algorithm : kAlgorithms) columns.push_back({algorithm});
  columns.push_back({"proven"});
  TextTable table(columns);
  for (std::size_t p = 0; p < figure.clusters.size(); ++p) {
    std::vector<std::string> cells{fmt::format("{}", figure.clusters[p])};
    const Lengths& length = means[p].length;
    for (const double each : length) cells.push_back(fmt::format("{:.0f} / {:.3f}", each, each / length[kAuto]));
    cells.push_back(
        fmt::format("{:.0f} %", 100.0 * static_cast<double>(means[p].proven) / static_cast<double>(samples)));
    table.add_row(std::move(cells));
  }
  return fmt::format("figure {}: mean makespan in ms / over auto's\n\n{}\n", figure.number, table.text());
}

}  // namespace

int study_broadcast_simulation(const StudyTask& task) {
  const std::int64_t samples = task.samples > 0 ? task.samples : task.quick ? kQuickSimulations : kSimulations;
  make_folder(task.folder);
  std::size_t points = 0;
  for (const SimulatedFigure& figure : simulated_figures()) {
    check_writable(fmt::format("{}/figure{}.csv", task.folder, figure.number));
    points += figure.clusters.size();
  }
  std::vector<std::vector<Means>> means;
  {
    const Progress progress(samples * static_cast<std::int64_t>(points));
    std::int64_t done = 0;
    for (const SimulatedFigure& figure : simulated_figures()) {
      means.emplace_back();
      for (const std::size_t clusters : figure.clusters) {
        means.back().push_back(measure(clusters, samples, task.seed, progress, done));
        done += samples;
      }
    }
  }
  std::string text = fmt::format("{} per point, seed {}\n\n", count_text(samples, "sample"), task.seed);
  for (std::size_t f = 0; f < simulated_figures().size(); ++f) {
    const SimulatedFigure& figure = simulated_figures()[f];
    const std::string name = fmt::format("figure{}", figure.number);
    write_file_atomically(fmt::format("{}/{}.csv", task.folder, name), csv(figure, means[f], samples));
    draw(task.folder, name, gnuplot_script(figure, samples));
    text += table_of(figure, means[f], samples);
  }
  print(text + fmt::format("figures 7 and 8 written to {}\n", task.folder));
  return kDone;
}

}  // namespace sluice::command
