#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "apps/compare/compare.hpp"
#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Section 5 of the paper measures messages alone, packed before and unpacked after, on an Intel Paragon. Here a time is
// the time of a whole redistribution, packing included, on the machine that this runs on. The ratio of the two
// schedules can be compared, and how it changes with the size of the vector.

namespace sluice::command {

namespace {

struct Figure {
  int number;
  const char* from;
  const char* to;
  const char* algorithm;  ///< of the schedule beside the caterpillar, section 5.2
  const char* note;
};

constexpr std::array kFigures{
    Figure{2, "16:3", "16:5", "classes", "Example 1"},
    Figure{3, "16:7", "16:11", "classes", "Example 2"},
    Figure{4, "12:4", "8:3", "stepwise", "Example 4, as the text says; the caption says 15:4 -> 6:3"},
};

constexpr int kRanks = 16;
constexpr std::int64_t kFirstSize = 1200;  ///< elements, or a slice: the paper's smallest vector
constexpr std::int64_t kDoubleBytes = 8;

/// How much is measured.
struct Effort {
  int sizes = 13;  ///< each twice the one before
  int repetitions = 9;
};

struct Point {
  std::int64_t elements = 0;
  compare::MethodResult planned;
  compare::MethodResult caterpillar;

  [[nodiscard]] double ratio() const { return caterpillar.median_s > 0 ? planned.median_s / caterpillar.median_s : 0; }
};

std::string csv(const std::vector<Point>& points, const Figure& figure) {
  std::string text = fmt::format(
      "elements,bytes,{0}_s,{0}_min_s,{0}_max_s,caterpillar_s,caterpillar_min_s,"
      "caterpillar_max_s,ratio\n",
      figure.algorithm);
  for (const Point& point : points) {
    const compare::MethodResult &p = point.planned, &c = point.caterpillar;
    text += fmt::format("{},{},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.9f},{:.4f}\n", point.elements,
                        point.elements * kDoubleBytes, p.median_s, p.min_s, p.max_s, c.median_s, c.min_s, c.max_s,
                        point.ratio());
  }
  return text;
}

/// Draws the CSV file beside it.
std::string gnuplot_script(const Figure& figure, const Effort& effort) {
  return fmt::format(R"(set title "{1} to {2}, {3} ranks: median and range of {4} executions"
set xlabel "vector, elements of {5} bytes"
set ylabel "time, s"
set logscale xy
set format x "10^{{%T}}"
set format y "10^{{%T}}"
set grid
plot "figure{0}.csv" using 1:6:7:8 every ::1 with yerrorlines pointtype 6 title "caterpillar", \
     "figure{0}.csv" using 1:3:4:5 every ::1 with yerrorlines pointtype 7 title "{6}"
)",
                     figure.number, figure.from, figure.to, kRanks, effort.repetitions, kDoubleBytes, figure.algorithm);
}

void write_figure(const Figure& figure, const std::vector<Point>& points, const Effort& effort,
                  const std::string& folder) {
  const std::string name = fmt::format("figure{}", figure.number);
  write_file_atomically(fmt::format("{}/{}.csv", folder, name), csv(points, figure));
  draw(folder, name, gnuplot_script(figure, effort));
}

std::string text_of(const Figure& figure, const std::vector<Point>& points, const RedistributionPlan& plan,
                    const RedistributionPlan& caterpillar) {
  const Cost ours = plan.cost(), other = caterpillar.cost();
  // Steps that carry nothing cost nothing.
  const std::vector<std::int64_t> durations = caterpillar.axes().front().durations();
  const auto busy = durations.size() - static_cast<std::size_t>(std::count(durations.begin(), durations.end(), 0));
  std::string text = fmt::format("Figure {}: {} -> {} ({})\n", figure.number, figure.from, figure.to, figure.note);
  text += fmt::format(
      "  {}: {}, {} units a slice; caterpillar: {} steps that carry anything, {} units; ratios {} and {}\n\n",
      figure.algorithm, count_text(ours.steps, "step"), ours.transmission, busy, other.transmission,
      ratio_text(static_cast<double>(ours.steps), static_cast<double>(busy)),
      ratio_text(static_cast<double>(ours.transmission), static_cast<double>(other.transmission)));
  TextTable table({{"elements"}, {figure.algorithm}, {"caterpillar"}, {"ratio"}});
  for (const Point& point : points) {
    table.add_row({fmt::format("{}", point.elements), seconds_text(point.planned.median_s),
                   seconds_text(point.caterpillar.median_s), fmt::format("{:.3f}", point.ratio())});
  }
  return text + table.text() + '\n';
}

}  // namespace

int study_redistribute_paragon(const StudyTask& task) {
  const Effort effort = task.quick ? Effort{3, 3} : Effort{};
  const std::string& folder = task.folder;
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (ranks < kRanks) {
    throw InputError("sluice study redistribute-paragon", count_text(ranks, "rank"),
                     fmt::format("{}: mpirun -np {} sluice study ...", kRanks, kRanks));
  }
  Ranks::once([&] { make_folder(folder); });

  std::string text =
      fmt::format("{} on {} of each node, median of {} executions, packing included\n\n", count_text(ranks, "rank"),
                  count_text(std::thread::hardware_concurrency(), "core"), effort.repetitions);
  const Progress progress(effort.sizes * static_cast<std::int64_t>(kFigures.size()));
  std::int64_t done = 0;
  for (const Figure& figure : kFigures) {
    const Layout from = parse_layout(figure.from, "from"), to = parse_layout(figure.to, "to");
    const RedistributionProblem slice = one_slice(from, to);
    const std::int64_t first = std::max<std::int64_t>(1, kFirstSize / slice.size()) * slice.size();
    std::vector<Point> points;
    for (int i = 0; i < effort.sizes; ++i) {
      const std::int64_t elements = first << i;
      if (Ranks::speaks())
        progress.show(done, fmt::format("Figure {}: {}", figure.number, count_text(elements, "element")));
      ++done;
      const compare::Comparison comparison =
          compare::redistributions(MPI_COMM_WORLD, {elements}, from, to, kDoubleBytes, {},
                                   {fmt::format("sluice-{}", figure.algorithm), "caterpillar"}, effort.repetitions);
      if (!comparison.verified) {
        Ranks::once([&] {
          std::string wrong = fmt::format("Figure {}, {}: wrong\n", figure.number, count_text(elements, "element"));
          for (const std::string& failure : comparison.failures) wrong += failure + '\n';
          print(wrong);
        });
        return kCheckFailed;
      }
      points.push_back({elements, comparison.methods[0], comparison.methods[1]});
    }
    text += text_of(figure, points, plan_redistribution(slice, figure.algorithm),
                    plan_redistribution(slice, "caterpillar"));
    Ranks::once([&] { write_figure(figure, points, effort, folder); });
  }
  Ranks::once([&] { print(text + fmt::format("every byte verified; written to {}\n", folder)); });
  return kDone;
}

}  // namespace sluice::command
