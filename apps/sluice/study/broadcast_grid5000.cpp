#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/study/gnuplot.hpp"
#include "apps/sluice/study/grid5000_platform.hpp"
#include "apps/sluice/study/parallel.hpp"
#include "apps/sluice/study/simulated_machines.hpp"
#include "apps/sluice/study/study.hpp"
#include "sluice/error.hpp"
#include "sluice/input/platform.hpp"
#include "sluice/input/simgrid.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

// Section 7 of the paper: 88 machines in six clusters; predicted and executed times of heuristics, beside the times of
// an MPI that knows nothing of clusters. There the machines were real; here they are simulated, with the latencies of
// the paper and the assumptions of studies/grid5000/README.md. SMPI has the algorithms of several MPIs, and their
// choices; the paper's LAM-MPI took a binomial tree.

namespace sluice::command {

namespace {

constexpr const char* kGrid5000Name = "broadcast-grid5000";
constexpr const char* kPlatform = "grid5000-88.json";
constexpr std::array<std::int64_t, 7> kGrid5000Sizes{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22};
constexpr std::array<std::int64_t, 2> kQuickGrid5000Sizes{1 << 10, 1 << 16};

/// What SMPI takes for MPI_Bcast: choices of MPIs, then its algorithms. arrival_pattern_aware, arrival_scatter,
/// ompi_split_bintree and SMP_linear are left out, as they crash for 88 ranks. With one rank on each host, some equal
/// others and are left out: NTSL_Isend, SMP_binary (NTSB), SMP_binomial, mvapich2_inter_node and mvapich2_intra_node.
/// flattree_pipeline is as slow as flattree, and takes minutes to simulate.
struct Stock {
  const char* name;
  const char* option;
};
constexpr std::array kStock{
    Stock{"MPI_Bcast default", "coll-selector:default"},
    Stock{"MPI_Bcast ompi", "coll-selector:ompi"},
    Stock{"MPI_Bcast mpich", "coll-selector:mpich"},
    Stock{"MPI_Bcast mvapich2", "coll-selector:mvapich2"},
    Stock{"MPI_Bcast impi", "coll-selector:impi"},
    Stock{"arrival_pattern_aware_wait", "bcast:arrival_pattern_aware_wait"},
    Stock{"binomial_tree", "bcast:binomial_tree"},
    Stock{"flattree", "bcast:flattree"},
    Stock{"mvapich2_knomial_intra_node", "bcast:mvapich2_knomial_intra_node"},
    Stock{"NTSB", "bcast:NTSB"},
    Stock{"NTSL", "bcast:NTSL"},
    Stock{"ompi_pipeline", "bcast:ompi_pipeline"},
    Stock{"scatter_LR_allgather", "bcast:scatter_LR_allgather"},
    Stock{"scatter_rdb_allgather", "bcast:scatter_rdb_allgather"},
};

struct Times {
  double schedule_s = 0;   ///< of the schedule between clusters, if trees send the message whole; otherwise 0
  double predicted_s = 0;  ///< of all messages; 0 where nothing predicts
  double executed_s = 0;
};

/// A way to broadcast, and what it takes for each size.
struct StrategyRow {
  std::string name;
  std::string option;                       ///< of SMPI; empty for ours
  std::vector<std::optional<Times>> times;  ///< of SMPI: only the simulations that ended
  std::string failure;                      ///< why the first of the others did not

  [[nodiscard]] bool ours() const { return option.empty(); }
  [[nodiscard]] bool selects() const { return option.rfind("coll-selector:", 0) == 0; }
};

/// Ours: every algorithm that applies, auto last; then SMPI's.
std::vector<StrategyRow> rows_for(std::size_t sizes) {
  std::vector<StrategyRow> rows;
  for (const std::string& name : algorithm_names("broadcast"))
    if (name != "native") rows.push_back({name, "", {}, ""});
  for (const Stock& stock : kStock) rows.push_back({stock.name, stock.option, {}, ""});
  for (StrategyRow& row : rows) row.times.resize(sizes);
  return rows;
}

/// The platform; if `round_robin`, ranks go to the clusters one by one.
Platform platform_of(bool round_robin) {
  Platform platform = grid5000_platform();
  if (!round_robin) return platform;
  std::vector<std::size_t> open;
  for (PlatformCluster& cluster : platform.clusters) {
    open.push_back(cluster.ranks.size());
    cluster.ranks.clear();
  }
  for (std::int64_t rank = 0; rank < platform.ranks;) {
    for (std::size_t c = 0; c < open.size(); ++c) {
      if (open[c] == 0) continue;
      --open[c];
      platform.clusters[c].ranks.push_back(rank++);
    }
  }
  return platform;
}

/// The length by a heuristic that does not cut the message; 0 for algorithms that cut it if that is better.
double schedule_s(const Platform& platform, const std::string& algorithm, std::int64_t bytes) {
  for (const char* other : {"exact", "auto", "pipelined", "parallel-entry"})
    if (algorithm == other) return 0;
  BetweenOptions options;
  options.algorithm = algorithm;
  return plan_between_clusters(between_clusters(platform, bytes, 0), options).schedule.length;
}

/// What `row` takes for a message of `bytes`; `file`: the platform for the command. Throws InputError.
Times measured(const SimulatedMachines& machines, const SimgridPlatform& hosts, const std::string& file,
               const StrategyRow& row, std::int64_t bytes) {
  const std::string method = row.ours() ? row.name : "mpi-bcast";
  const nlohmann::json run = machines.run(hosts, row.ours() ? "coll-selector:default" : row.option,
                                          {"run", "broadcast", "--platform", file, "--size", fmt::format("{}", bytes),
                                           "--method", method, "--repetitions", "1"});
  const nlohmann::json& result = result_of(run, method);
  Times times;
  times.executed_s = result.at("median_s").get<double>();
  if (row.ours()) times.predicted_s = result.at("predicted_s").get<double>();
  return times;
}

/// What was measured, as files and as a table.
class Results {
 public:
  Results(std::vector<std::int64_t> sizes, std::vector<StrategyRow> rows)
      : sizes_(std::move(sizes)), rows_(std::move(rows)) {}

  /// The fastest of SMPI's for size `s`; at least one has a time.
  [[nodiscard]] const StrategyRow& best_stock(std::size_t s) const {
    const StrategyRow* best = nullptr;
    for (const StrategyRow& row : rows_) {
      if (row.ours() || !row.times[s]) continue;
      if (best == nullptr || row.times[s]->executed_s < best->times[s]->executed_s) best = &row;
    }
    if (best == nullptr) throw InputError(kGrid5000Name, "no MPI_Bcast of SMPI that runs", "one at least");
    return *best;
  }

  [[nodiscard]] std::string csv() const {
    std::string text =
        "bytes,method,kind,schedule_s,predicted_s,executed_s,executed_over_schedule,executed_over_predicted,best_stock,"
        "best_stock_s,over_best_stock\n";
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      const StrategyRow& best = best_stock(s);
      const double best_s = best.times[s]->executed_s;
      for (const StrategyRow& row : rows_) {
        if (!row.times[s]) continue;
        const Times& times = *row.times[s];
        const auto known = [](double seconds) { return seconds > 0 ? fmt::format("{:.9f}", seconds) : ""; };
        const auto over = [&](double seconds) {
          return seconds > 0 ? fmt::format("{:.4f}", times.executed_s / seconds) : "";
        };
        const char* kind = row.ours() ? "sluice" : row.selects() ? "selector" : "algorithm";
        text += fmt::format("{},{},{},{},{},{:.9f},{},{},{},{:.9f},{:.4f}\n", sizes_[s], row.name, kind,
                            known(times.schedule_s), known(times.predicted_s), times.executed_s, over(times.schedule_s),
                            over(times.predicted_s), best.name, best_s, times.executed_s / best_s);
      }
    }
    return text;
  }

  /// A column a method: what it is predicted to take, or takes; the best stock algorithm last where that is measured.
  [[nodiscard]] std::string figure_csv(bool predicted) const {
    std::string text = "bytes";
    for (const StrategyRow* row : drawn(predicted)) text += ',' + row->name;
    text += predicted ? "\n" : ",best of SMPI\n";
    for (std::size_t s = 0; s < sizes_.size(); ++s) {
      text += fmt::format("{}", sizes_[s]);
      for (const StrategyRow* row : drawn(predicted)) {
        text += ',';
        if (row->times[s])
          text += fmt::format("{:.9f}", predicted ? row->times[s]->predicted_s : row->times[s]->executed_s);
      }
      if (!predicted) text += fmt::format(",{:.9f}", best_stock(s).times[s]->executed_s);
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] std::string figure_script(bool predicted) const {
    const std::size_t curves = drawn(predicted).size() + (predicted ? 0 : 1);
    const char* what = predicted ? "predicted" : "executed on simulated machines";
    return axes_of_times(fmt::format("Broadcast to 88 machines in six clusters, {}", what)) +
           fmt::format(
               "plot for [i=2:{}] \"figure{}.csv\" using 1:i with linespoints title columnheader(i) noenhanced\n",
               curves + 1, predicted ? 9 : 10);
  }

  /// What ours take, over their prediction; then what each takes, over SMPI's best.
  [[nodiscard]] std::string tables() const {
    std::string text = "executed, over predicted:\n\n" +
                       table([](const StrategyRow& row) { return row.ours(); },
                             [](const StrategyRow& row, std::size_t s) { return row.times[s]->predicted_s; });
    text += "\nexecuted, over SMPI's best:\n\n" +
            table([](const StrategyRow&) { return true; },
                  [&](const StrategyRow&, std::size_t s) { return best_stock(s).times[s]->executed_s; });
    for (const StrategyRow& row : rows_)
      if (!row.failure.empty()) text += fmt::format("-: {}\n", row.failure);
    return text;
  }

 private:
  /// A table of the rows that are `wanted`; `reference`: the seconds that a row's time is divided by.
  template <class Wanted, class Reference>
  [[nodiscard]] std::string table(Wanted wanted, Reference reference) const {
    std::vector<TextTable::Column> columns{{"method", TextTable::Align::kLeft}};
    for (const std::int64_t size : sizes_) columns.push_back({binary_text(size)});
    TextTable table(columns);
    for (const StrategyRow& row : rows_) {
      if (!wanted(row)) continue;
      std::vector<std::string> cells{row.name};
      for (std::size_t s = 0; s < sizes_.size(); ++s) {
        if (!row.times[s]) {
          cells.emplace_back("-");
          continue;
        }
        const double executed_s = row.times[s]->executed_s;
        cells.push_back(fmt::format("{} {:.2f}", seconds_text(executed_s), executed_s / reference(row, s)));
      }
      table.add_row(std::move(cells));
    }
    return table.text();
  }

  static std::string binary_text(std::int64_t bytes) {
    return bytes < (1 << 20) ? fmt::format("{} KiB", bytes >> 10) : fmt::format("{} MiB", bytes >> 20);
  }

  /// The curves of a figure: ours and, where times are measured, what MPIs choose.
  [[nodiscard]] std::vector<const StrategyRow*> drawn(bool predicted) const {
    std::vector<const StrategyRow*> result;
    for (const StrategyRow& row : rows_)
      if (row.ours() || (!predicted && row.selects())) result.push_back(&row);
    return result;
  }

  std::vector<std::int64_t> sizes_;
  std::vector<StrategyRow> rows_;
};

/// Fills in the times, or why there are none.
void measure_rows(std::vector<StrategyRow>& rows, const std::vector<std::int64_t>& sizes,
                  const SimulatedMachines& machines, const Platform& platform) {
  const SimgridPlatform hosts = to_simgrid(platform, kPlatform);
  const std::string file = machines.keep(kPlatform, to_json(platform));
  const auto count = static_cast<std::int64_t>(sizes.size() * rows.size());
  // The longest messages first, so that no thread is left alone with them.
  const auto size_of = [&](std::int64_t i) { return static_cast<std::size_t>(count - 1 - i) / rows.size(); };
  const auto row_of = [&](std::int64_t i) -> StrategyRow& {
    return rows[static_cast<std::size_t>(count - 1 - i) % rows.size()];
  };
  const Progress progress(count);
  const auto shows = [&](std::int64_t i) {
    progress.show(i, fmt::format("{}, {}", bytes_text(sizes[size_of(i)]), row_of(i).name));
  };
  std::mutex failures;
  for_each_in_parallel(count, shows, [&](std::int64_t i) {
    StrategyRow& row = row_of(i);
    try {
      Times times = measured(machines, hosts, file, row, sizes[size_of(i)]);
      if (row.ours()) times.schedule_s = schedule_s(platform, row.name, sizes[size_of(i)]);
      row.times[size_of(i)] = times;
    } catch (const InputError& error) {
      if (row.ours()) throw;
      const std::lock_guard lock(failures);
      if (row.failure.empty()) row.failure = error.what();
    }
  });
}

}  // namespace

int study_broadcast_grid5000(const StudyTask& task) {
  const std::vector<std::int64_t> sizes =
      task.quick ? std::vector<std::int64_t>(kQuickGrid5000Sizes.begin(), kQuickGrid5000Sizes.end())
                 : std::vector<std::int64_t>(kGrid5000Sizes.begin(), kGrid5000Sizes.end());
  const SimulatedMachines machines(fmt::format("sluice study {}", kGrid5000Name));
  make_folder(task.folder);
  const auto file_of = [&](const std::string& name) { return fmt::format("{}/{}.csv", task.folder, name); };
  for (const char* name : {kGrid5000Name, "figure9", "figure10"}) check_writable(file_of(name));
  std::vector<StrategyRow> rows = rows_for(sizes.size());
  measure_rows(rows, sizes, machines, platform_of(task.round_robin));
  const Results results(sizes, std::move(rows));
  write_file_atomically(file_of(kGrid5000Name), results.csv());
  for (const bool predicted : {true, false}) {
    const char* name = predicted ? "figure9" : "figure10";
    write_file_atomically(file_of(name), results.figure_csv(predicted));
    draw(task.folder, name, results.figure_script(predicted), 440);
  }
  print(
      fmt::format("88 simulated machines in 6 clusters, ranks {}\n\n{}\n"
                  "written to {}\n",
                  task.round_robin ? "dealt to the clusters one by one" : "in the order of the clusters",
                  results.tables(), task.folder));
  return kDone;
}

}  // namespace sluice::command
