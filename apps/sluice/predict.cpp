#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/collective.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using nlohmann::ordered_json;

struct PredictOptions {
  std::string platform;
  std::string size;
  std::string json;
};

void add_json_to(CLI::App& problem, std::string& json) {
  problem.add_option("--json", json, "write the predictions as JSON (sluice.prediction/1); -: instead of the table")
      ->option_text("FILE|-");
}

/// What every file of predictions begins with.
ordered_json prediction(std::string_view problem, std::int64_t ranks, std::int64_t size_bytes) {
  return {{"schema", "sluice.prediction/1"},
          {"about", about()},
          {"problem", problem},
          {"ranks", ranks},
          {"size_bytes", size_bytes}};
}

ordered_json strategy_json(const StrategyPrediction& each) {
  ordered_json result{{"strategy", each.strategy}, {"time_s", each.time_s}};
  if (each.segment_bytes > 0) result["segment_bytes"] = each.segment_bytes;
  if (each.children > 0) result["children"] = each.children;
  result["best"] = each.best;
  result["model"] = each.source;
  return result;
}

int predict(const PredictOptions& options) {
  if (options.size.empty()) throw InputError("--size", "nothing", "the bytes of the message, such as 4Mi");
  const std::int64_t bytes = parse_bytes(options.size, "--size");
  check_json_target(options.json);
  const Platform platform = read_platform_option(options.platform);
  using Align = TextTable::Align;
  std::string text;
  ordered_json file = prediction("broadcast", platform.ranks, bytes);
  for (const PlatformCluster& cluster : platform.clusters) {
    ordered_json& strategies = file["clusters"].emplace_back(
        ordered_json{{"name", cluster.name}, {"ranks", cluster.ranks.size()}, {"strategies", ordered_json::array()}});
    text += fmt::format("{}cluster {}: {}, {}\n", text.empty() ? "" : "\n", cluster.name,
                        count_text(cluster.ranks.size(), "rank"), bytes_text(bytes));
    if (cluster.ranks.size() < 2) {
      text += "nothing to do inside\n";
      continue;
    }
    TextTable table({{"strategy", Align::kLeft}, {"time"}, {"segment"}, {"", Align::kLeft}, {"model", Align::kLeft}});
    for (const StrategyPrediction& each : predict_broadcast(cluster, bytes)) {
      strategies["strategies"].push_back(strategy_json(each));
      const std::string children = each.children > 0 ? fmt::format(", d = {}", each.children) : "";
      table.add_row({std::string(each.strategy) + children, seconds_text(each.time_s),
                     each.segment_bytes > 0 ? bytes_text(each.segment_bytes) : "", each.best ? "best" : "",
                     std::string(each.source)});
    }
    text += '\n' + table.text();
  }
  if (!options.json.empty()) write_file_atomically(options.json, file.dump(1) + '\n');
  tell(text);
  return kDone;
}

/// Every variant of every algorithm, by the replay.
int predict_collective(const CollectiveInput& options, const std::string& json) {
  check_json_target(json);
  CollectiveTask task = read(options);
  const Interruptible interruptible;
  const TimeLimit limit(task.time_limit_s);
  task.options.stop = limit.stop();
  task.options.all_lengths = true;
  const ProgramPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by("auto");
  }();
  using Align = TextTable::Align;
  TextTable table({{"algorithm", Align::kLeft}, {"time"}, {"", Align::kLeft}});
  ordered_json file = prediction(to_string(options.collective), task.platform.ranks, task.problem.size_bytes);
  for (const ProgramPlan::Candidate& each : plan.candidates) {
    const bool best = &each == &plan.candidates.front();
    file["algorithms"].push_back({{"algorithm", each.algorithm}, {"time_s", each.length_s}, {"best", best}});
    table.add_row({each.algorithm, seconds_text(each.length_s), best ? "best" : ""});
  }
  file["bound_s"] = plan.program.bound_s;
  file["bound"] = plan.program.bound;
  if (!json.empty()) write_file_atomically(json, file.dump(1) + '\n');
  table.add_row({"lower bound", seconds_text(plan.program.bound_s), plan.program.bound});
  tell(task.title() + end_of_search_text(limit.reached()) + "\n\n" + table.text());
  return status_unless_interrupted(kDone);
}

}  // namespace

void add_predict(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("predict", "what models say of every way to do a collective");
  CLI::App* problem =
      verb->add_subcommand("broadcast", "the models of every strategy inside a cluster, the best one marked");
  const auto options = std::make_shared<PredictOptions>();
  problem->add_option("--platform", options->platform, "the network, a platform file (needed)")->option_text("FILE");
  problem->add_option("--size", options->size, "bytes of the message, such as 4Mi (needed)")->option_text("BYTES");
  add_json_to(*problem, options->json);
  const std::string example =
      "Example:\n  sluice predict broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi";
  verb->footer(example);
  problem->footer(example);
  problem->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* each = verb->add_subcommand(name, about(collective));
    const auto input = std::make_shared<CollectiveInput>();
    const auto json = std::make_shared<std::string>();
    input->collective = collective;
    input->add_to(*each);
    input->add_limits_to(*each);
    add_json_to(*each, *json);
    each->footer(
        kCollectiveHelp +
        fmt::format("\nExample:\n  sluice predict {} --platform studies/grid5000/grid5000-88.json --size 16Ki", name));
    each->callback([input, json, &chosen] { chosen = [input, json] { return predict_collective(*input, *json); }; });
  }
}

}  // namespace sluice::command
