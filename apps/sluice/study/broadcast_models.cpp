#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/grid5000_platform.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "apps/sluice/study/simulated_machines.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/simgrid.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Section 4.3 of the paper: models of Table 1 beside what the strategies take inside one cluster. Figures 3, 4 and 5
// are of the flat tree, the binomial tree and the segmented chain, figure 6 of 16 machines. The paper's axes are lost;
// machines and sizes are chosen here. The simulated cluster is like the first machines of studies/grid5000, with more
// machines or fewer.

namespace sluice::command {

namespace {

constexpr const char* kModelsName = "broadcast-models";
constexpr std::array<std::int64_t, 6> kMachines{2, 4, 8, 16, 24, 32};
constexpr std::int64_t kMachinesOfFigure6 = 16;
constexpr std::array<std::int64_t, 7> kStudiedSizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22};
constexpr std::array<std::int64_t, 2> kQuickMachines{4, 16};
constexpr std::array<std::int64_t, 2> kQuickStudiedSizes{1 << 10, 1 << 20};

struct Figure {
  int number;
  const char* strategy;
};
constexpr std::array kFigures{Figure{3, "flat"}, Figure{4, "binomial"}, Figure{5, "segmented-chain"}};

struct Point {
  std::string_view strategy;
  std::int64_t machines = 0;
  std::int64_t bytes = 0;
  std::int64_t segment_bytes = 0;  ///< 0: whole
  double model_s = 0;              ///< Table 1, or the source of the strategy
  double messages_s = 0;           ///< message by message, as planned
  double executed_s = 0;
};

Platform cluster_of(std::int64_t machines) {
  PlatformCluster cluster = grid5000_platform().clusters.front();
  cluster.ranks.resize(static_cast<std::size_t>(machines));
  std::iota(cluster.ranks.begin(), cluster.ranks.end(), 0);
  return {machines, {std::move(cluster)}, {}};
}

/// What is executed: the strategies of the figures for every number of machines, the others for the 16 of figure 6.
std::vector<Point> points_for(const std::vector<std::int64_t>& machines, const std::vector<std::int64_t>& sizes) {
  std::vector<Point> points;
  for (const std::int64_t count : machines) {
    const Platform platform = cluster_of(count);
    for (const std::int64_t bytes : sizes) {
      for (const StrategyPrediction& each : predict_broadcast(platform.clusters.front(), bytes)) {
        bool wanted = count == kMachinesOfFigure6;
        for (const Figure& figure : kFigures) wanted = wanted || each.strategy == figure.strategy;
        if (each.executable && wanted)
          points.push_back({each.strategy, count, bytes, each.segment_bytes, each.time_s, 0, 0});
      }
    }
  }
  return points;
}

std::string csv(const std::vector<Point>& points) {
  std::string text =
      "strategy,machines,bytes,segment_bytes,model_s,messages_s,executed_s,executed_over_model,"
      "executed_over_messages\n";
  for (const Point& p : points)
    text += fmt::format("{},{},{},{},{:.9f},{:.9f},{:.9f},{:.4f},{:.4f}\n", p.strategy, p.machines, p.bytes,
                        p.segment_bytes, p.model_s, p.messages_s, p.executed_s, p.executed_s / p.model_s,
                        p.executed_s / p.messages_s);
  return text;
}

void execute(std::vector<Point>& points, const SimulatedMachines& machines) {
  const auto point_of = [&](std::int64_t i) -> Point& { return points[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<std::int64_t>(points.size());
  const Progress progress(count);
  const auto shows = [&](std::int64_t i) {
    const Point& point = point_of(i);
    progress.show(
        i, fmt::format("{}, {}, {}", count_text(point.machines, "machine"), bytes_text(point.bytes), point.strategy));
  };
  for_each_in_parallel(count, shows, [&](std::int64_t i) {
    Point& point = point_of(i);
    const Platform platform = cluster_of(point.machines);
    const std::string file = machines.keep(fmt::format("platform-{}.json", i), to_json(platform));
    // There is one cluster, so nothing is sent between clusters.
    const nlohmann::json run =
        machines.run(to_simgrid(platform, kModelsName), "coll-selector:default",
                     {"run", "broadcast", "--platform", file, "--size", fmt::format("{}", point.bytes), "--method",
                      "flat", "--inside", std::string(point.strategy), "--repetitions", "1"});
    const nlohmann::json& result = result_of(run, "flat");
    point.executed_s = result.at("median_s").get<double>();
    point.messages_s = result.at("predicted_s").get<double>();
  });
}

/// What a figure shows of one strategy and one number of machines, by size.
struct Curve {
  std::string title;
  std::vector<Point> points;
};

/// Writes figureN.csv, two columns a curve, and draws it: points are executed, dashed lines of their colour the model.
void draw_figure(const std::string& folder, int number, const std::string& what, const std::vector<Curve>& curves) {
  const std::string name = fmt::format("figure{}", number);
  std::string text = "bytes";
  for (const Curve& curve : curves) text += fmt::format(",{0} model,{0} executed", curve.title);
  text += '\n';
  for (std::size_t row = 0; row < curves.front().points.size(); ++row) {
    text += fmt::format("{}", curves.front().points[row].bytes);
    for (const Curve& curve : curves)
      text += fmt::format(",{:.9f},{:.9f}", curve.points[row].model_s, curve.points[row].executed_s);
    text += '\n';
  }
  write_file_atomically(fmt::format("{}/{}.csv", folder, name), text);
  std::string script = axes_of_times(what + ": executed (points), model (dashed)");
  for (std::size_t c = 0; c < curves.size(); ++c) {
    script += fmt::format(
        "{0} \"{1}.csv\" using 1:{2} every ::1 with points pointtype {4} linecolor {4} title \"{5}\" noenhanced, "
        "\"{1}.csv\" using 1:{3} every ::1 with lines dashtype 2 linecolor {4} notitle",
        c == 0 ? "plot" : ", \\\n    ", name, 2 * c + 3, 2 * c + 2, c + 1, curves[c].title);
  }
  draw(folder, name, script + '\n', 400);
}

void draw_figures(const std::string& folder, const std::vector<Point>& points,
                  const std::vector<std::int64_t>& machines) {
  const auto curve_of = [&](std::string_view strategy, std::int64_t count, const std::string& title) {
    Curve curve{title, {}};
    for (const Point& point : points)
      if (point.strategy == strategy && point.machines == count) curve.points.push_back(point);
    return curve;
  };
  for (const Figure& figure : kFigures) {
    std::vector<Curve> curves;
    for (const std::int64_t count : machines)
      curves.push_back(curve_of(figure.strategy, count, count_text(count, "machine")));
    draw_figure(folder, figure.number, fmt::format("{} broadcast", figure.strategy), curves);
  }
  std::vector<Curve> curves;
  for (const Point& point : points)
    if (point.machines == kMachinesOfFigure6 && point.bytes == points.front().bytes)
      curves.push_back(curve_of(point.strategy, kMachinesOfFigure6, std::string(point.strategy)));
  draw_figure(folder, 6, fmt::format("Broadcast to {} machines", kMachinesOfFigure6), curves);
}

/// What each strategy takes, over its model.
std::string table_of(const std::vector<Point>& points, const std::vector<std::int64_t>& sizes) {
  std::vector<TextTable::Column> columns{{"strategy", TextTable::Align::kLeft}, {"machines"}};
  for (const std::int64_t size : sizes) columns.push_back({bytes_text(size)});
  TextTable table(columns);
  for (const Point& first : points) {
    if (first.bytes != sizes.front()) continue;
    std::vector<std::string> cells{std::string(first.strategy), fmt::format("{}", first.machines)};
    for (const Point& point : points)
      if (point.machines == first.machines && point.strategy == first.strategy)
        cells.push_back(fmt::format("{} {:.2f}", seconds_text(point.executed_s), point.executed_s / point.model_s));
    table.add_row(std::move(cells));
  }
  return table.text();
}

}  // namespace

int study_broadcast_models(const StudyTask& task) {
  const auto list = [](const auto& values) { return std::vector<std::int64_t>(values.begin(), values.end()); };
  const std::vector<std::int64_t> counts = task.quick ? list(kQuickMachines) : list(kMachines);
  const std::vector<std::int64_t> sizes = task.quick ? list(kQuickStudiedSizes) : list(kStudiedSizes);
  const SimulatedMachines machines(fmt::format("sluice study {}", kModelsName));
  make_folder(task.folder);
  const std::string file = fmt::format("{}/{}.csv", task.folder, kModelsName);
  check_writable(file);
  std::vector<Point> points = points_for(counts, sizes);
  execute(points, machines);
  write_file_atomically(file, csv(points));
  draw_figures(task.folder, points, counts);
  print(fmt::format("one simulated cluster: executed, over the model\n\n{}\nwritten to {}\n", table_of(points, sizes),
                    task.folder));
  return kDone;
}

}  // namespace sluice::command
