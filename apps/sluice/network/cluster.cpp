#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/offered_values.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "sluice/error.hpp"
#include "sluice/input/clustering.hpp"
#include "sluice/input/latency_matrix.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/latency_picture.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

constexpr std::size_t kShownClusters = 40;
constexpr std::size_t kShownMatrix = 12;  // clusters; the latencies between 12 fit a screen

struct ClusterOptions {
  std::string file;
  std::string tolerances = "0.3";
  std::string algorithm = "lowekamp";
  std::string svg;
  std::string json;
  bool all = false;
};

/// A level of clusters with the tolerance that made it.
struct Level {
  double tolerance = 0;
  Clusters clusters;
  ClusterLatencies latencies;
};

/// "0-30 60 62-65", cut at about 60 characters.
std::string members_text(const std::vector<std::int64_t>& nodes) {
  constexpr std::size_t kWidth = 60;
  std::string text;
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t last = i;
    while (last + 1 < nodes.size() && nodes[last + 1] == nodes[last] + 1) ++last;
    if (text.size() > kWidth) return text + " ...";
    text += fmt::format("{}{}", text.empty() ? "" : " ", nodes[i]);
    if (last > i) text += fmt::format("-{}", nodes[last]);
    i = last + 1;
  }
  return text;
}

std::string latency_text(double seconds) { return seconds > 0 ? seconds_text(seconds) : "-"; }

std::string clusters_table(const Level& level, bool all) {
  using Align = TextTable::Align;
  TextTable table({{"cluster"}, {"nodes"}, {"latency inside"}, {"members", Align::kLeft}});
  const std::size_t count = level.clusters.size();
  const std::size_t shown = all || count <= kShownClusters ? count : kShownClusters;
  for (std::size_t c = 0; c < shown; ++c)
    table.add_row({fmt::format("{}", c), fmt::format("{}", level.clusters[c].size()),
                   latency_text(level.latencies.inside_s[c]), members_text(level.clusters[c])});
  std::string text = table.text();
  if (shown < count) text += fmt::format("... {} more; --all shows them\n", count - shown);
  return text;
}

std::string matrix_table(const Level& level) {
  const std::size_t count = level.clusters.size();
  std::vector<TextTable::Column> columns{{"latency"}};
  std::vector<std::vector<std::string>> rows(count, std::vector<std::string>(count + 1, "-"));
  for (std::size_t c = 0; c < count; ++c) {
    columns.push_back({fmt::format("{}", c)});
    rows[c][0] = fmt::format("{}", c);
    rows[c][c + 1] = latency_text(level.latencies.inside_s[c]);
  }
  for (const LatencyPair& pair : level.latencies.between.pairs()) {
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    rows[a][b + 1] = rows[b][a + 1] = latency_text(pair.latency_s);
  }
  TextTable table(std::move(columns));
  for (std::vector<std::string>& row : rows) table.add_row(std::move(row));
  return table.text();
}

std::string text_of(const ClusterOptions& options, const LatencyMatrix& matrix, const std::vector<Level>& levels) {
  const std::int64_t nodes = matrix.nodes();
  std::string text =
      fmt::format("{}: {}, {} of {} pairs known; {}\n", shown_path(options.file), count_text(nodes, "node"),
                  matrix.pairs().size(), nodes * (nodes - 1) / 2, options.algorithm);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const std::string name = levels.size() > 1 ? fmt::format("level {}, ", i + 1) : "";
    text += fmt::format("\n{}tolerance {}: {} cluster{}\n", name, number_text(level.tolerance), level.clusters.size(),
                        level.clusters.size() == 1 ? "" : "s");
    text += clusters_table(level, options.all);
    if (level.clusters.size() > 1 && level.clusters.size() <= kShownMatrix) text += '\n' + matrix_table(level);
  }
  return text;
}

std::string json_of(const ClusterOptions& options, const LatencyMatrix& matrix, const std::vector<Level>& levels) {
  using nlohmann::ordered_json;
  ordered_json file = {
      {"schema", "sluice.clusters/1"}, {"about", about()}, {"nodes", matrix.nodes()}, {"algorithm", options.algorithm}};
  file["levels"] = ordered_json::array();
  for (const Level& level : levels) {
    ordered_json clusters = ordered_json::array();
    for (std::size_t c = 0; c < level.clusters.size(); ++c) {
      ordered_json cluster = {{"nodes", level.clusters[c]}};
      if (level.latencies.inside_s[c] > 0) cluster["latency_s"] = level.latencies.inside_s[c];
      clusters.push_back(std::move(cluster));
    }
    file["levels"].push_back({{"tolerance", level.tolerance}, {"clusters", std::move(clusters)}});
  }
  return file.dump() + '\n';
}

/// No network takes this long: the file holds something else, or another unit.
void warn_of_other_units(const LatencyMatrix& matrix, const std::string& file) {
  constexpr double kLongestLatency_s = 10;
  double longest = 0;
  for (const LatencyPair& pair : matrix.pairs()) longest = std::max(longest, pair.latency_s);
  if (longest > kLongestLatency_s)
    note(fmt::format("{}: a latency of {}; the file has to hold seconds, not bytes or another unit", file,
                     seconds_text(longest)));
}

int cluster(const ClusterOptions& options) {
  if (options.file.empty()) throw InputError("sluice cluster", "no file", "LATENCY.mtx");
  std::vector<double> tolerances;
  for (const std::string& text : parse_list(options.tolerances))
    tolerances.push_back(parse_number(text, "--tolerance"));
  const ClusteringRule rule = parse_clustering_rule(options.algorithm, "--algorithm");
  check_json_target(options.json);
  check_picture_target("--svg", options.svg);
  const LatencyMatrix matrix = read_latency_matrix(options.file);
  warn_of_other_units(matrix, shown_path(options.file));
  std::vector<Clusters> found = cluster_levels(matrix, tolerances, rule);
  std::vector<Level> levels;
  for (std::size_t i = 0; i < found.size(); ++i) {
    ClusterLatencies latencies = cluster_latencies(matrix, found[i]);
    levels.push_back({tolerances[i], std::move(found[i]), std::move(latencies)});
  }
  if (!options.svg.empty()) write_file_atomically(options.svg, latency_svg(matrix, levels.front().clusters));
  if (options.json == "-") {
    print(json_of(options, matrix, levels));
    return kDone;
  }
  if (!options.json.empty()) write_file_atomically(options.json, json_of(options, matrix, levels));
  tell(text_of(options, matrix, levels));
  return kDone;
}

}  // namespace

void add_cluster(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("cluster", "find the clusters of a network by its latencies");
  const auto options = std::make_shared<ClusterOptions>();
  verb->add_option("file", options->file, "latencies in seconds between nodes, Matrix Market; pairs may be missing")
      ->option_text("LATENCY.mtx");
  verb->add_option("--tolerance", options->tolerances,
                   "by how much latencies of a cluster may differ; several: each further level makes clusters of those "
                   "before")
      ->option_text("T[,T..] [0.3]");
  offer(verb->add_option("--algorithm", options->algorithm, "lowekamp, closeness"), {"lowekamp", "closeness"})
      ->option_text("NAME [lowekamp]");
  verb->add_option("--svg", options->svg,
                   "draw the matrix, nodes in the order of the clusters (of the first level); -: instead of the table")
      ->option_text("FILE|-");
  verb->add_option("--json", options->json, "write the clusters as JSON (sluice.clusters/1); -: instead of the table")
      ->option_text("FILE|-");
  verb->add_flag("--all", options->all, fmt::format("every cluster, not just {}", kShownClusters));
  verb->footer(
      "Nodes count from 0. Between two clusters, lowekamp considers the nearest pair, and closeness considers all\n"
      "pairs: two nodes without a latency are in different clusters.\n\n"
      "Examples:\n"
      "  sluice cluster latency.mtx --tolerance 0.3 --svg clusters.svg\n"
      "  sluice cluster latency.mtx --tolerance 0.3,0.4,2");
  verb->callback([options, &chosen] { chosen = [options] { return cluster(*options); }; });
}

}  // namespace sluice::command
