#include "sluice/input/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/output/written.hpp"
#include "sluice/error.hpp"
#include "sluice/read_file.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

struct PlatformOptions {
  std::string file;
  std::string output;
  std::string format;  ///< empty: 2
  std::string json;
};

template <class Value>
struct Span {
  Value least = std::numeric_limits<Value>::max();
  Value most = std::numeric_limits<Value>::lowest();

  void add(Value value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  template <class Text>
  [[nodiscard]] std::string text(Text text_of) const {
    if (least > most) return "-";
    return least == most ? text_of(least) : fmt::format("{} to {}", text_of(least), text_of(most));
  }
  /// [least, most]; null if there is none.
  [[nodiscard]] nlohmann::ordered_json json() const {
    return least > most ? nlohmann::ordered_json() : nlohmann::ordered_json::array({least, most});
  }
};

/// What the parts of one level are like.
struct LevelSummary {
  std::size_t parts = 0;
  Span<std::int64_t> ranks;
  Span<double> latency_s;      ///< between the parts of each, or between the ranks of a cluster
  Span<double> bytes_per_s{};  ///< of a message of 1 MiB, likewise
};

/// The whole first, then its parts, then theirs.
std::vector<LevelSummary> summarize(const Platform& platform) {
  constexpr std::int64_t kMiB = 1 << 20;
  std::vector<std::int64_t> ranks_before{0};
  for (const PlatformCluster& cluster : platform.clusters)
    ranks_before.push_back(ranks_before.back() + static_cast<std::int64_t>(cluster.ranks.size()));
  std::vector<std::size_t> depth;
  std::vector<LevelSummary> levels;
  const auto add = [&](std::size_t part, double latency_s, const GapTable& gap) {
    levels[depth[part]].latency_s.add(latency_s);
    if (gap.at(kMiB) > 0) levels[depth[part]].bytes_per_s.add(static_cast<double>(kMiB) / gap.at(kMiB));
  };
  for (const PlatformPart& part : platform.parts) {
    depth.push_back(part.parent < 0 ? 0 : depth[static_cast<std::size_t>(part.parent)] + 1);
    levels.resize(std::max(levels.size(), depth.back() + 1));
    LevelSummary& level = levels[depth.back()];
    ++level.parts;
    const auto first = static_cast<std::size_t>(part.first_cluster);
    level.ranks.add(ranks_before[first + static_cast<std::size_t>(part.clusters)] - ranks_before[first]);
    const PlatformCluster& cluster = platform.clusters[first];
    if (part.clusters == 1 && cluster.ranks.size() > 1) add(depth.size() - 1, cluster.latency_s, cluster.gap);
  }
  for (const PlatformLink& link : platform.part_links) {
    const auto from = static_cast<std::size_t>(link.from);
    add(link.from == link.to ? from : static_cast<std::size_t>(platform.parts[from].parent), link.latency_s, link.gap);
  }
  return levels;
}

nlohmann::ordered_json figures_of(const Platform& platform, const std::vector<LevelSummary>& levels) {
  using nlohmann::ordered_json;
  ordered_json figures{
      {"ranks", platform.ranks}, {"clusters", platform.clusters.size()}, {"levels", ordered_json::array()}};
  for (const LevelSummary& level : levels)
    figures["levels"].push_back({{"parts", level.parts},
                                 {"ranks", level.ranks.json()},
                                 {"latency_s", level.latency_s.json()},
                                 {"bytes_per_s", level.bytes_per_s.json()}});
  return figures;
}

std::string levels_text(const Platform& platform, const std::vector<LevelSummary>& levels, const std::string& file) {
  TextTable table({{"level"}, {"parts"}, {"ranks in each"}, {"latency inside"}, {"1 MiB inside"}});
  const auto count = [](std::int64_t ranks) { return fmt::format("{}", ranks); };
  for (std::size_t i = 0; i < levels.size(); ++i)
    table.add_row({fmt::format("{}", i), fmt::format("{}", levels[i].parts), levels[i].ranks.text(count),
                   levels[i].latency_s.text(seconds_text), levels[i].bytes_per_s.text(speed_text)});
  return fmt::format("{}: {} in {}\n\n", file, count_text(platform.ranks, "rank"),
                     count_text(static_cast<std::int64_t>(platform.clusters.size()), "cluster")) +
         table.text();
}

int show_platform(const PlatformOptions& options) {
  if (options.file.empty()) throw InputError("sluice platform", "no file", "PLATFORM.json");
  if (!options.format.empty() && options.format != "1" && options.format != "2")
    throw InputError("--format", "'" + options.format + "'", "1 or 2");
  if (!options.format.empty() && options.output.empty())
    throw InputError("--format", "no file to write", "-o FILE as well");
  check_json_target(options.output);
  check_json_target(options.json);
  const Platform platform = read_platform(options.file);
  const Platform levelled = with_levels(platform);
  const std::vector<LevelSummary> levels = summarize(levelled);
  Written written;
  if (!options.output.empty())
    written.write(options.output, to_json(options.format == "1" ? without_levels(platform) : levelled));
  written.write_json(options.json, "platform", figures_of(levelled, levels));
  tell(levels_text(levelled, levels, shown_path(options.file)));
  return kDone;
}

}  // namespace

void add_platform(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("platform", "show the levels of a platform, or write it in another version");
  const auto options = std::make_shared<PlatformOptions>();
  verb->add_option("file", options->file, "a platform")->option_text("PLATFORM.json");
  verb->add_option("-o,--output", options->output, "write it as --format says, - to standard output")
      ->option_text("FILE|-");
  verb->add_option("--format", options->format,
                   "2: with levels, those that are found if the file has none; 1: a link for every pair of clusters")
      ->option_text("1|2 [2]");
  verb->add_option(
          "--json", options->json,
          "write the figures of the levels, and what was written, as JSON (sluice.written/1); -: instead of the table")
      ->option_text("FILE|-");
  verb->footer(
      "The whole is level 0, its parts are level 1. \"Inside\" means between the ranks of a cluster, or between the\n"
      "parts of a larger part.\n\n"
      "Examples:\n"
      "  sluice platform studies/four-levels/four-levels-72.json\n"
      "  sluice platform studies/four-levels/four-levels-72.json -o four-levels.json");
  verb->callback([options, &chosen] { chosen = [options] { return show_platform(*options); }; });
}

}  // namespace sluice::command
