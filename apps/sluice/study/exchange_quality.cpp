#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
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
#include "sluice/error.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/text_table.hpp"

// Section 8 of the paper draws 100 000 graphs: number of edges, edges and weights uniform, 20 nodes on each side, the
// set-up 1. It does not say whether the graphs are the same for every k: here they are, so that points of one curve
// differ by k alone. A curve shows the evaluation ratio, cost over eta of Proposition 1.

namespace sluice::command {

namespace {

constexpr std::int64_t kNodes = 20;
constexpr std::int64_t kFirstK = 2, kLastK = 20;
constexpr std::size_t kPoints = kLastK - kFirstK + 1;
constexpr std::int64_t kQualitySamples = 1000, kQuickQualitySamples = 20;

struct Weights {
  const char* name;
  std::int64_t most;  ///< uniform in 1 .. most
};
constexpr std::array kWeights{Weights{"small", 20}, Weights{"large", 100'000}};

constexpr std::array kQualityAlgorithms{"ggp", "oggp", "weights", "degrees"};

/// The evaluation ratios of one graph, by k and algorithm.
using QualityRatios = std::array<std::array<double, kQualityAlgorithms.size()>, kPoints>;

/// Mean and worst over the graphs, by k and algorithm.
struct QualityStatistics {
  QualityRatios mean = {};
  QualityRatios worst = {};
  std::array<std::array<compare::Quartiles, kQualityAlgorithms.size()>, kPoints> quartiles = {};
};

/// A number from `least` to `most`, each as likely, and the same with every library, which std's distributions are not:
/// the upper half of a product of 128 bits, drawn again where its lower half would favour some (Lemire, "Fast Random
/// Integer Generation in an Interval", 2019). It gives what the figures that are kept were made with.
std::int64_t uniform(std::int64_t least, std::int64_t most, std::mt19937_64& random) {
  __extension__ using Product = unsigned __int128;
  const auto range = static_cast<std::uint64_t>(most - least) + 1;
  const auto drawn = [&] { return static_cast<Product>(random()) * range; };
  Product product = drawn();
  const std::uint64_t favoured = (0 - range) % range;
  while (static_cast<std::uint64_t>(product) < favoured) product = drawn();
  return least + static_cast<std::int64_t>(product >> 64U);
}

/// Sample `number`, the same on every machine and by any thread.
Traffic random_traffic(std::uint64_t seed, std::size_t weights, std::int64_t number) {
  const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32U); };
  const auto index = static_cast<std::uint64_t>(number);
  std::seed_seq words{low(seed), high(seed), low(weights), low(index), high(index)};
  std::mt19937_64 random(words);
  std::vector<std::int64_t> pairs(kNodes * kNodes);
  std::iota(pairs.begin(), pairs.end(), 0);
  const std::int64_t edges = uniform(1, kNodes * kNodes, random);
  Traffic traffic{kNodes, kNodes, {}};
  for (std::int64_t e = 0; e < edges; ++e) {
    std::swap(pairs[static_cast<std::size_t>(e)],
              pairs[static_cast<std::size_t>(uniform(e, kNodes * kNodes - 1, random))]);
    const std::int64_t pair = pairs[static_cast<std::size_t>(e)];
    traffic.messages.push_back({pair / kNodes, pair % kNodes, uniform(1, kWeights[weights].most, random)});
  }
  return traffic;
}

QualityRatios ratios_of(Traffic traffic) {
  QualityRatios ratios = {};
  ExchangeProblem problem{std::move(traffic), 0, 1};
  for (std::size_t point = 0; point < kPoints; ++point) {
    problem.max_transfers = kFirstK + static_cast<std::int64_t>(point);
    const double eta = lower_bound(problem.traffic, problem.max_transfers, problem.setup).total;
    for (std::size_t a = 0; a < kQualityAlgorithms.size(); ++a) {
      ExchangeOptions options;
      options.algorithm = kQualityAlgorithms[a];
      options.order_steps = false;
      ratios[point][a] = cost(plan_exchange(problem, options).schedule).total / eta;
    }
  }
  return ratios;
}

/// The ratios of every sample, in order.
std::vector<QualityRatios> measure_ratios(std::size_t weights, std::int64_t samples, std::uint64_t seed,
                                          const Progress& progress, std::int64_t done_before) {
  std::vector<QualityRatios> result(static_cast<std::size_t>(samples));
  const auto shows = [&](std::int64_t i) {
    progress.show(done_before + i, fmt::format("{} weights", kWeights[weights].name));
  };
  for_each_in_parallel(samples, shows, [&](std::int64_t i) {
    result[static_cast<std::size_t>(i)] = ratios_of(random_traffic(seed, weights, i));
  });
  return result;
}

QualityStatistics statistics_of(const std::vector<QualityRatios>& samples) {
  QualityStatistics result;
  for (const QualityRatios& ratios : samples) {
    for (std::size_t point = 0; point < kPoints; ++point) {
      for (std::size_t a = 0; a < kQualityAlgorithms.size(); ++a) {
        result.mean[point][a] += ratios[point][a] / static_cast<double>(samples.size());
        result.worst[point][a] = std::max(result.worst[point][a], ratios[point][a]);
      }
    }
  }
  for (std::size_t point = 0; point < kPoints; ++point) {
    for (std::size_t a = 0; a < kQualityAlgorithms.size(); ++a) {
      std::vector<double> values;
      for (const QualityRatios& ratios : samples) values.push_back(ratios[point][a]);
      result.quartiles[point][a] = compare::quartiles_of(std::move(values));
    }
  }
  return result;
}

/// One curve pair, mean and worst.
struct QualityCurve {
  std::size_t weights;
  std::size_t algorithm;
};

struct QualityFigure {
  int number;
  const char* title;
  std::vector<QualityCurve> curves;
};

const std::vector<QualityFigure>& quality_figures() {
  static const std::vector<QualityFigure> kFigures{{11, "Heuristic on weights, small weights", {{0, 2}}},
                                                   {12, "Heuristic on weights, large weights", {{1, 2}}},
                                                   {13, "Heuristic on degrees, small weights", {{0, 3}}},
                                                   {14, "Heuristic on degrees, large weights", {{1, 3}}},
                                                   {15, "GGP and OGGP", {{0, 0}, {0, 1}, {1, 0}, {1, 1}}}};
  return kFigures;
}

std::string name_of(const QualityCurve& curve) {
  return fmt::format("{}_{}", kQualityAlgorithms[curve.algorithm], kWeights[curve.weights].name);
}

std::string csv(const QualityFigure& figure, const std::array<QualityStatistics, kWeights.size()>& statistics) {
  std::string text = "k";
  for (const QualityCurve& curve : figure.curves)
    text += fmt::format(",{0}_mean,{0}_worst,{0}_lower_quartile,{0}_upper_quartile", name_of(curve));
  text += '\n';
  for (std::size_t point = 0; point < kPoints; ++point) {
    text += fmt::format("{}", kFirstK + static_cast<std::int64_t>(point));
    for (const QualityCurve& curve : figure.curves) {
      const QualityStatistics& all = statistics[curve.weights];
      const compare::Quartiles& quartiles = all.quartiles[point][curve.algorithm];
      text += fmt::format(",{:.6f},{:.6f},{:.6f},{:.6f}", all.mean[point][curve.algorithm],
                          all.worst[point][curve.algorithm], quartiles.low, quartiles.high);
    }
    text += '\n';
  }
  return text;
}

/// A panel for each kind of weights, as their ratios are far apart.
std::string gnuplot_script(const QualityFigure& figure, std::int64_t samples) {
  std::string script = "set xlabel \"k\"\nset ylabel \"cost / eta\"\nset grid\n";
  std::string panels;
  int count = 0;
  for (std::size_t weights = 0; weights < kWeights.size(); ++weights) {
    std::string plots;
    for (std::size_t c = 0; c < figure.curves.size(); ++c) {
      const QualityCurve& curve = figure.curves[c];
      if (curve.weights != weights) continue;
      const std::size_t column = 4 * c + 2;
      plots += fmt::format(
          R"({0}"figure{1}.csv" using 1:{2}:{4}:{5} every ::1 with yerrorlines title "{6}, mean and quartiles", )"
          R"("figure{1}.csv" using 1:{3} every ::1 with linespoints title "{6}, worst")",
          plots.empty() ? "plot " : ", \\\n     ", figure.number, column, column + 1, column + 2, column + 3,
          kQualityAlgorithms[curve.algorithm]);
    }
    if (plots.empty()) continue;
    ++count;
    panels += fmt::format("set title \"{}: weights 1..{}, {} graphs per point\"\n{}\n", figure.title,
                          kWeights[weights].most, samples, plots);
  }
  if (count > 1) script += fmt::format("set multiplot layout {},1\n", count);
  return script + panels + (count > 1 ? "unset multiplot\n" : "");
}

std::string table_of(const QualityStatistics& statistics, const Weights& weights, std::int64_t samples) {
  std::vector<TextTable::Column> columns{{"k"}};
  for (const char* algorithm : kQualityAlgorithms) columns.push_back({algorithm});
  TextTable table(columns);
  for (std::size_t point = 0; point < kPoints; ++point) {
    std::vector<std::string> cells{fmt::format("{}", kFirstK + static_cast<std::int64_t>(point))};
    for (std::size_t a = 0; a < kQualityAlgorithms.size(); ++a)
      cells.push_back(fmt::format("{:.4f} / {:.3f}", statistics.mean[point][a], statistics.worst[point][a]));
    table.add_row(std::move(cells));
  }
  return fmt::format("weights 1..{}, {} graphs: cost / eta, mean / worst\n\n{}\n", weights.most, samples, table.text());
}

}  // namespace

int study_exchange_quality(const StudyTask& task) {
  const std::int64_t samples = task.samples > 0 ? task.samples : task.quick ? kQuickQualitySamples : kQualitySamples;
  make_folder(task.folder);
  for (const QualityFigure& figure : quality_figures())
    check_writable(fmt::format("{}/figure{}.csv", task.folder, figure.number));
  std::array<QualityStatistics, kWeights.size()> statistics;
  {
    const Progress progress(samples * static_cast<std::int64_t>(kWeights.size()));
    for (std::size_t w = 0; w < kWeights.size(); ++w)
      statistics[w] =
          statistics_of(measure_ratios(w, samples, task.seed, progress, static_cast<std::int64_t>(w) * samples));
  }
  for (const QualityFigure& figure : quality_figures()) {
    const std::string name = fmt::format("figure{}", figure.number);
    constexpr int kPanel = 340;
    write_file_atomically(fmt::format("{}/{}.csv", task.folder, name), csv(figure, statistics));
    draw(task.folder, name, gnuplot_script(figure, samples), figure.curves.size() > 1 ? 2 * kPanel : kPanel);
  }
  std::string text =
      fmt::format("{0} + {0} nodes, 1 to {1} edges, set-up 1, seed {2}\n\n", kNodes, kNodes * kNodes, task.seed);
  for (std::size_t w = 0; w < kWeights.size(); ++w) text += table_of(statistics[w], kWeights[w], samples);
  print(text + fmt::format("figures 11 to 15 written to {}\n", task.folder));
  return kDone;
}

}  // namespace sluice::command
