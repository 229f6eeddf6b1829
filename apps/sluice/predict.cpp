#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/options/algorithm_names.hpp"
#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/options/collective.hpp"
#include "apps/sluice/options/exchange.hpp"
#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/output/elapsed.hpp"
#include "apps/sluice/output/files.hpp"
#include "apps/sluice/output/provenance.hpp"
#include "apps/sluice/output/terminal.hpp"
#include "apps/sluice/plan/plan.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

using nlohmann::ordered_json;

struct PredictOptions {
  std::string platform;
  NodeLinkInput network;  ///< in place of it
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

/// The plan of every algorithm in seconds, which takes the speeds of the network.
int predict_exchange(const ExchangeInput& options, const std::string& json) {
  check_json_target(json);
  const ExchangeTask task = read(options);
  if (!task.backbone || !task.problem.speeds.empty())
    throw InputError("sluice predict exchange", task.backbone ? "--speeds" : "no speeds of the network",
                     "--node-link with --ranks-per-node, or --backbone with --sender-link, --receiver-link and "
                     "--latency; sluice compare exchange needs none and tells costs in the unit of the traffic");
  const Interruptible interruptible;
  struct Predicted {
    std::string algorithm;
    double time_s;
    std::string note;
  };
  std::vector<Predicted> rows;
  double bound = 0;
  std::string kind;
  for (const std::string& name : algorithm_names("exchange")) {
    if (was_interrupted()) break;
    try {
      const ExchangePlan plan = plan_with_progress(task.problem, task.planned_by(name));
      rows.push_back({name, task.seconds_of(cost(plan.schedule).total), plan.optimal ? "proven optimal" : ""});
      if (kind.empty() || plan.bound.cost.total > bound) {
        bound = plan.bound.cost.total;
        kind = plan.bound.kind;
      }
    } catch (const InputError&) {
      continue;  // does not apply: compare says why
    }
  }
  std::ranges::stable_sort(rows, {}, &Predicted::time_s);
  std::int64_t bytes = 0;
  for (const Message& message : task.problem.traffic.messages) bytes += message.size;
  using Align = TextTable::Align;
  TextTable table({{"algorithm", Align::kLeft}, {"time"}, {"", Align::kLeft}, {"", Align::kLeft}});
  const Traffic& traffic = task.problem.traffic;
  ordered_json file = prediction("exchange", std::max({traffic.senders, traffic.receivers, std::int64_t{1}}), bytes);
  file["algorithms"] = ordered_json::array();
  for (const Predicted& each : rows) {
    const bool best = &each == &rows.front();
    file["algorithms"].push_back({{"algorithm", each.algorithm}, {"time_s", each.time_s}, {"best", best}});
    table.add_row({each.algorithm, seconds_text(each.time_s), best ? "best" : "", each.note});
  }
  file["bound_s"] = task.seconds_of(bound);
  file["bound"] = kind;
  if (!json.empty()) write_file_atomically(json, file.dump(1) + '\n');
  table.add_row({"lower bound", seconds_text(task.seconds_of(bound)), "", kind});
  tell(task.title() + "\n\n" + table.text());
  return status_unless_interrupted(kDone);
}

void add_predict_exchange(CLI::App& verb, Action& chosen) {
  CLI::App* problem =
      verb.add_subcommand("exchange", "tell the time of the plan of every algorithm, with the best one marked");
  const auto input = std::make_shared<ExchangeInput>();
  const auto json = std::make_shared<std::string>();
  input->add_to(*problem);
  add_json_to(*problem, *json);
  problem->footer(
      "The time is the cost of the plan at the speed of one transfer, so the speeds of the network are needed.\n\n"
      "Examples:\n"
      "  sluice predict exchange traffic.mtx --node-link 100Gbit --ranks-per-node 8 --latency 2us\n"
      "  sluice predict exchange traffic.mtx --backbone 1Gbit --sender-link 100Mbit --receiver-link 1Gbit --latency "
      "1ms");
  problem->callback([input, json, &chosen] { chosen = [input, json] { return predict_exchange(*input, *json); }; });
}

}  // namespace

void add_predict(CLI::App& command, Action& chosen) {
  CLI::App* verb =
      command.add_subcommand("predict", "tell what models say of every way to do a collective or an exchange");
  CLI::App* problem =
      verb->add_subcommand("broadcast", "tell the time of every strategy inside a cluster, with the best one marked");
  const auto options = std::make_shared<PredictOptions>();
  problem->add_option("--platform", options->platform, "the network, a platform file (needed, or --node-link)")
      ->option_text("FILE");
  options->network.add_to(*problem, options->platform);
  problem->add_option("--size", options->size, "bytes of the message, such as 4Mi (needed)")->option_text("BYTES");
  add_json_to(*problem, options->json);
  const std::string example =
      "Example:\n  sluice predict broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi";
  verb->footer(example);
  problem->footer(example);
  problem->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
  add_predict_exchange(*verb, chosen);
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
