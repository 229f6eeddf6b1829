#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "apps/sluice/study/bound_bars.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/lab.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Redistributions of 2048 x 2048 doubles between 8 and 16 hosts, links of 100 Mbit/s. Ours: the job as users get it,
// its plan (sluice-chain) and the order of the plan alone (sluice-local). Beside them: MPI_Alltoallw, MPI_Alltoallv
// with buffers that are kept, messages in pairwise order and ScaLAPACK's pdgemr2d. In three rows the backbone carries
// less than the links do; in the last two of these each grid is on one side of the backbone. The bound is the largest
// time that a link or the backbone needs for its bytes; framing takes 1.046 of it.

namespace sluice::command {

namespace {

constexpr std::int64_t kEdge = 2048, kElementBytes = 8;
constexpr double kWideMbit = 1000;

struct LabRow {
  std::int64_t hosts = 8;
  double backbone_mbit = kWideMbit;
  std::string from;
  std::string to;
  bool apart = false;  ///< the target grid on the second half of the hosts
  LabNetwork network = {};
  double bound_s = 0;
  LabResult result = {};

  /// The grids, and what is not as in other rows: as long as there is room for beside bars.
  [[nodiscard]] std::string name() const {
    const auto grid = [](const std::string& layout) { return layout.substr(0, layout.find(':')); };
    return fmt::format("{}{}{}: {} -> {}", hosts, backbone_mbit < kWideMbit ? fmt::format(", {}", backbone_mbit) : "",
                       apart ? ", apart" : "", grid(from), grid(to));
  }
};

std::vector<LabRow> rows_of(const std::string& congestion, bool quick) {
  std::vector<LabRow> rows{{8, kWideMbit, "2x4:64x64", "4x2:100x100"},     {8, 200, "2x2:64x64", "4x1:100x100", true},
                           {8, kWideMbit, "8x1:64x2048", "8x1:100x2048"},  {8, kWideMbit, "1x8:64x64", "8x1:100x100"},
                           {8, kWideMbit, "4x2:32x32", "2x4:48x48"},       {8, kWideMbit, "8x1:1x2048", "1x8:2048x1"},
                           {16, kWideMbit, "16x1:3x2048", "16x1:5x2048"},  {16, kWideMbit, "4x4:64x64", "2x8:100x100"},
                           {16, kWideMbit, "16x1:64x2048", "4x4:100x100"}, {8, 200, "2x4:64x64", "4x2:100x100"},
                           {16, 300, "4x2:64x64", "2x4:100x100", true}};
  if (quick) rows.resize(2);
  for (LabRow& row : rows) {
    row.network.hosts = row.hosts / 2;
    row.network.backbone_mbit = row.backbone_mbit;
    row.network.congestion = congestion;
    const std::vector<std::int64_t> shape{kEdge, kEdge};
    const Distribution from(parse_layout(row.from, "from"), shape);
    Traffic traffic = RedistributionProblem(from, Distribution(parse_layout(row.to, "to"), shape)).traffic();
    for (Message& message : traffic.messages) message.size *= kElementBytes;
    row.bound_s = row.network.least_time_s(traffic, row.apart ? from.processes() : 0);
  }
  return rows;
}

std::vector<std::string> rivals() {
  std::vector<std::string> names{"alltoallw", "alltoallv", "pairwise"};
  if (!scalapack_library().empty()) names.emplace_back("pdgemr2d");
  return names;
}

std::vector<std::string> all_methods() {
  std::vector<std::string> names{"sluice", "sluice-chain", "sluice-local"};
  const std::vector<std::string> others = rivals();
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

double over_best_rival(const LabRow& row) {
  double best_s = row.result.methods.at(rivals().front()).median_s;
  for (const std::string& rival : rivals()) best_s = std::min(best_s, row.result.methods.at(rival).median_s);
  return row.result.methods.at("sluice").median_s / best_s;
}

/// Rows without times are left out.
std::vector<LabRow> timed(const std::vector<LabRow>& rows) {
  std::vector<LabRow> result;
  for (const LabRow& row : rows)
    if (row.result.failure.empty()) result.push_back(row);
  return result;
}

std::string csv_of(const std::vector<LabRow>& rows) {
  std::string text =
      "case,hosts,backbone_mbit,from,to,bound_s" + method_heads(all_methods()) + ",over_best_of_others,how\n";
  for (const LabRow& row : timed(rows)) {
    text += fmt::format("\"{}\",{},{},{},{},{:.6f}{},{:.4f},\"{}\"\n", row.name(), row.hosts, row.backbone_mbit,
                        row.from, row.to, row.bound_s, method_fields(all_methods(), row.result, row.bound_s),
                        over_best_rival(row), row.result.methods.at("sluice").how);
  }
  return text;
}

std::string table_of(const std::vector<LabRow>& rows) {
  std::vector<TextTable::Column> columns{{"hosts"}, {"backbone"}, {"layouts", TextTable::Align::kLeft}, {"bound"}};
  for (const std::string& method : all_methods()) columns.push_back({method});
  columns.push_back({"sluice / best of others"});
  TextTable table(columns);
  std::string failures;
  for (const LabRow& row : rows) {
    if (!row.result.failure.empty()) {
      failures += fmt::format("{}: not measured: {}\n", row.name(), row.result.failure);
      continue;
    }
    std::vector<std::string> cells{fmt::format("{}", row.hosts), fmt::format("{}", row.backbone_mbit),
                                   fmt::format("{} -> {}{}", row.from, row.to, row.apart ? ", apart" : ""),
                                   seconds_text(row.bound_s)};
    for (const std::string& method : all_methods())
      cells.push_back(fmt::format("{:.3f}", row.result.methods.at(method).median_s / row.bound_s));
    cells.push_back(fmt::format("{:.3f}", over_best_rival(row)));
    table.add_row(std::move(cells));
  }
  return table.text() + failures;
}

}  // namespace

int study_redistribute_lab(const StudyTask& task) {
  constexpr int kRepetitions = 7, kFewRepetitions = 3;
  const int repetitions = task.quick ? kFewRepetitions : kRepetitions;
  const Lab lab("sluice study redistribute-lab");
  std::vector<std::pair<std::string, std::vector<LabRow>>> parts;
  std::int64_t total = 0;
  for (const std::string congestion : {"reno", "cubic"}) {
    if (task.quick && !parts.empty()) continue;
    if (!allows_congestion(congestion)) {
      fmt::print(stderr, "{} is left out: this system does not allow it\n", congestion);
      continue;
    }
    parts.emplace_back(congestion, rows_of(congestion, task.quick));
    total += std::ssize(parts.back().second);
  }
  make_folder(task.folder);
  const auto name_of = [](const std::string& congestion) { return "redistribute-" + congestion; };
  for (const auto& [congestion, rows] : parts)
    check_writable(fmt::format("{}/{}.csv", task.folder, name_of(congestion)));
  bool complete = true;
  MeasuredRuns measured(task.folder + "/runs.jsonl");
  {
    const Progress progress(total);
    std::int64_t done = 0;
    for (auto& [congestion, rows] : parts) {
      for (LabRow& row : rows) {
        progress.show(done++, fmt::format("{}: {}", congestion, row.name()));
        std::vector<std::string> words{"redistribute",
                                       "--shape",
                                       fmt::format("{0}x{0}", kEdge),
                                       "--from",
                                       row.from,
                                       "--to",
                                       row.to,
                                       "--methods",
                                       fmt::format("{}", fmt::join(all_methods(), ",")),
                                       "--repetitions",
                                       fmt::format("{}", repetitions)};
        if (row.apart) words.emplace_back("--apart");
        row.result = lab.run(row.network, words, measured);
        complete = complete && row.result.failure.empty();
      }
    }
  }
  std::string text = fmt::format(
      "{0} x {0} doubles, links of 100 Mbit/s; times over the bound of links and backbone\n"
      "median of {1} executions of each method, methods alternating; every byte verified\n\n",
      kEdge, repetitions);
  for (const auto& [congestion, rows] : parts) {
    const std::string name = name_of(congestion);
    write_file_atomically(fmt::format("{}/{}.csv", task.folder, name), csv_of(rows));
    const std::size_t cases = timed(rows).size();
    if (cases > 0)
      draw(task.folder, name,
           bars_over_bound(name, "Redistributions, " + congestion, all_methods(), cases, repetitions),
           height_of_bars(all_methods(), cases));
    text += fmt::format("{}:\n\n{}\n", congestion, table_of(rows));
  }
  print(text + measured.text(total) + fmt::format("written to {}\n", task.folder));
  return complete ? kDone : kCheckFailed;
}

}  // namespace sluice::command
