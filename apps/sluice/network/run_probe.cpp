#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/network/probe.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/written.hpp"
#include "apps/sluice/process/ranks.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/network.hpp"
#include "sluice/run/mpi/probe.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

/// Sizes of clusters of consecutive ranks. Throws InputError unless they are all ranks.
Clusters parse_clusters(const std::string& text, std::int64_t ranks) {
  Clusters clusters;
  if (text.empty()) return clusters;
  std::int64_t next = 0;
  for (const std::string& part : parse_list(text)) {
    const std::int64_t size = parse_count(part, "--clusters", 1, ranks);
    clusters.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) clusters.back().push_back(next++);
  }
  if (next != ranks)
    throw InputError("--clusters", fmt::format("sizes that add up to {}", next),
                     fmt::format("the {}", count_text(ranks, "rank")));
  return clusters;
}

constexpr double kThorough_s = 60;
constexpr std::int64_t kKilobyte = 1024;
constexpr std::int64_t kMegabyte = kKilobyte * kKilobyte;

std::vector<std::string> cells(const std::string& name, const std::string& ranks, double latency_s,
                               const GapTable& gap) {
  if (gap.points().empty()) return {name, ranks, "-", "-", "-", "-"};
  const double rate = static_cast<double>(kMegabyte) / gap.at(kMegabyte);
  return {name,
          ranks,
          seconds_text(latency_s),
          seconds_text(gap.at(1)),
          seconds_text(gap.at(64 * kKilobyte)),
          speed_text(rate)};
}

/// The time for 1 MiB; "-" if messages of that size were not measured.
std::string broadcast_cell(const GapTable& times) {
  if (times.points().empty() || times.points().back().bytes < kMegabyte) return "-";
  return seconds_text(times.at(kMegabyte));
}

std::string summary(const Platform& platform) {
  using Align = TextTable::Align;
  TextTable table({{"", Align::kLeft},
                   {"ranks"},
                   {"latency"},
                   {"g(1)"},
                   {"g(64Ki)"},
                   {"at 1 MiB"},
                   {"connections"},
                   {"MPI_Bcast, 1 MiB"},
                   {"planned"}});
  for (const PlatformCluster& cluster : platform.clusters) {
    std::vector<std::string> row =
        cells(cluster.name, fmt::format("{}", cluster.ranks.size()), cluster.latency_s, cluster.gap);
    row.insert(row.end(), {"", broadcast_cell(cluster.broadcast), broadcast_cell(cluster.planned_broadcast)});
    table.add_row(std::move(row));
  }
  const auto name = [&](std::int64_t cluster) { return platform.clusters[static_cast<std::size_t>(cluster)].name; };
  for (const PlatformLink& link : platform.links) {
    std::vector<std::string> row = cells(name(link.from) + " - " + name(link.to), "", link.latency_s, link.gap);
    row.insert(row.end(), {fmt::format("{}", link.connections), "", ""});
    table.add_row(std::move(row));
  }
  return table.text();
}

/// What there was no time for: "messages above 262 kB inside a; broadcasts above 65.5 kB inside a". Empty if nothing.
std::string left_out(const Platform& platform) {
  std::string text;
  const auto add = [&](const char* what, const GapTable& table, const std::string& where) {
    if (table.points().empty() || table.points().back().bytes >= mpi::kLongestProbedMessage) return;
    text +=
        fmt::format("{}{} above {} {}", text.empty() ? "" : "; ", what, bytes_text(table.points().back().bytes), where);
  };
  const auto name = [&](std::int64_t cluster) { return platform.clusters[static_cast<std::size_t>(cluster)].name; };
  for (const PlatformCluster& cluster : platform.clusters) {
    add("messages", cluster.gap, "inside " + cluster.name);
    add("broadcasts", cluster.broadcast, "inside " + cluster.name);
  }
  for (const PlatformLink& link : platform.links)
    add("messages", link.gap, fmt::format("between {} and {}", name(link.from), name(link.to)));
  return text;
}

/// Seconds that the slowest rank takes to add up two times 1 MiB of doubles: c of such elements. Collective.
double measure_combining() {
  constexpr int kDoubles = static_cast<int>(kMegabyte / static_cast<std::int64_t>(sizeof(double)));
  constexpr int kRepetitions = 9;
  const std::vector<double> in(kDoubles, 1);
  std::vector<double> sum(kDoubles, 0);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kRepetitions; ++i) {
    const double start = MPI_Wtime();
    SLUICE_MPI(MPI_Reduce_local(in.data(), sum.data(), kDoubles, MPI_DOUBLE, MPI_SUM));
    least = std::min(least, MPI_Wtime() - start);
  }
  double slowest = 0;
  SLUICE_MPI(MPI_Allreduce(&least, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
  return slowest;
}

int run_quick_probe(const ProbeTask& task) {
  const ProbeTask usual;
  for (const auto& [option, given] :
       {std::pair("--time-budget", !task.time_budget.empty()), std::pair("--thorough", task.thorough),
        std::pair("--tolerance", task.tolerance != usual.tolerance), std::pair("--noise", task.noise != usual.noise),
        std::pair("--algorithm", task.algorithm != usual.algorithm), std::pair("--clusters", !task.clusters.empty()),
        std::pair("--no-broadcasts", task.no_broadcasts)})
    if (given) throw InputError(option, "cannot be used with --quick", "one of the two");
  Ranks::once([&] {
    if (!task.output.empty()) check_writable(task.output);
    check_json_target(task.json);
  });
  const std::vector<std::string> hosts = Ranks::hosts();
  const mpi::HostNetwork network = mpi::network(MPI_COMM_WORLD);
  Ranks::once([&] {
    Written written;
    if (!task.output.empty()) written.write(task.output, to_json(with_levels(mpi::to_platform(network))));
    written.write_json(task.json, "probe",
                       {{"ranks", network.host_of_rank.size()},
                        {"hosts", network.hosts()},
                        {"groups", network.groups.size()},
                        {"message_s", network.message_s},
                        {"measured_s", network.measured_s}},
                       hosts);
    std::string text = to_text(network) + '\n';
    if (network.measured_s > 0) text += fmt::format("measured in {}\n", seconds_text(network.measured_s));
    if (!task.output.empty())
      text += fmt::format("\nwritten to {0}. What it is good for:\n  sluice plan broadcast --platform {0} --size 4Mi\n",
                          task.output);
    tell(text);
  });
  return kDone;
}

}  // namespace

int run_probe(const ProbeTask& task) {
  if (task.quick) return run_quick_probe(task);
  int ranks = 0;
  SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  if (task.output.empty()) throw InputError("sluice probe", "no -o", "-o FILE for the platform");
  mpi::ProbeOptions options;
  options.tolerance = parse_number(task.tolerance, "--tolerance");
  options.noise_s = parse_seconds(task.noise, "--noise");
  options.rule = parse_clustering_rule(task.algorithm, "--algorithm");
  if (!task.time_budget.empty()) options.time_budget_s = parse_seconds(task.time_budget, "--time-budget");
  if (task.thorough) {
    if (!task.time_budget.empty())
      throw InputError("--thorough", "cannot be used with --time-budget", "one of the two");
    options.time_budget_s = kThorough_s;
  }
  options.clusters = parse_clusters(task.clusters, ranks);
  options.broadcasts = !task.no_broadcasts;
  Ranks::once([&] {
    check_writable(task.output);
    check_json_target(task.json);
  });
  const std::vector<std::string> hosts = Ranks::hosts();
  std::optional<Progress> bar;
  std::int64_t parts = 0;
  const double start_s = MPI_Wtime();
  const double end_s = start_s + options.time_budget_s;
  options.progress = [&](std::int64_t done, std::int64_t total, const std::string& what) {
    if (!bar || total != parts) bar.emplace(parts = total);
    bar->show(done, fmt::format("{}, about {:.0f} s left", what, std::max(0.0, end_s - MPI_Wtime())));
  };
  const Platform platform = mpi::probe(MPI_COMM_WORLD, options);
  bar.reset();
  const double combining_s = measure_combining();
  Ranks::once([&] {
    Written written;
    written.write(task.output, to_json(with_levels(platform)));
    written.write_json(task.json, "probe",
                       {{"ranks", platform.ranks},
                        {"clusters", platform.clusters.size()},
                        {"combining_s", combining_s},
                        {"measured_s", MPI_Wtime() - start_s}},
                       hosts);
    std::string text = summary(platform);
    text += fmt::format("\ncombining 1 MiB (a sum of doubles): {} on the slowest rank\n", seconds_text(combining_s));
    if (const std::string missing = left_out(platform); !missing.empty())
      text += fmt::format("left out, as {} were too short: {}{}\n", seconds_text(options.time_budget_s), missing,
                          task.thorough ? "" : "; --thorough or --time-budget measures more");
    tell(text + fmt::format("\nwritten to {0}. What it is good for:\n"
                            "  sluice plan broadcast --platform {0} --size 4Mi\n"
                            "  mpirun -np {1} sluice run broadcast --platform {0} --size 4Mi\n",
                            task.output, platform.ranks));
    // In one cluster a reduction has one d and one c, if there was time for messages of 1 MiB.
    const GapTable& gap = platform.clusters[0].gap;
    if (platform.clusters.size() == 1 && gap.points().back().bytes >= kMegabyte)
      tell(fmt::format("  sluice plan reduce --machines {} --transfer {:.3g} --compute {:.3g}   (1 MiB each)\n",
                       platform.ranks, platform.clusters[0].latency_s + gap.at(kMegabyte), combining_s));
  });
  return kDone;
}

}  // namespace sluice::command
