#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "broadcast_options.hpp"
#include "command.hpp"
#include "output.hpp"
#include "sluice/error.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"
#include "terminal.hpp"

namespace sluice::command {

namespace {

struct PredictOptions {
  std::string platform;
  std::string size;
};

int predict(const PredictOptions& options) {
  if (options.size.empty()) throw InputError("--size", "nothing", "the bytes of the message, such as 4Mi");
  const std::int64_t bytes = parse_bytes(options.size, "--size");
  const Platform platform = read_platform_option(options.platform);
  using Align = TextTable::Align;
  std::string text;
  for (const PlatformCluster& cluster : platform.clusters) {
    text += fmt::format("{}cluster {}: {}, {}\n", text.empty() ? "" : "\n", cluster.name,
                        count_text(cluster.ranks.size(), "rank"), bytes_text(bytes));
    if (cluster.ranks.size() < 2) {
      text += "nothing to do inside\n";
      continue;
    }
    TextTable table({{"strategy", Align::kLeft}, {"time"}, {"segment"}, {"", Align::kLeft}, {"model", Align::kLeft}});
    for (const StrategyPrediction& each : predict_broadcast(cluster, bytes))
      table.add_row({std::string(each.strategy), seconds_text(each.time_s),
                     each.segment_bytes > 0 ? bytes_text(each.segment_bytes) : "", each.best ? "best" : "",
                     std::string(each.source)});
    text += '\n' + table.text();
  }
  tell(text);
  return kDone;
}

}  // namespace

void add_predict(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("predict", "what models say of every strategy inside a cluster");
  CLI::App* problem = verb->add_subcommand("broadcast", "the models of every strategy, the best one marked");
  const auto options = std::make_shared<PredictOptions>();
  problem->add_option("--platform", options->platform, "the network, as sluice.platform/1 (needed)")
      ->option_text("FILE");
  problem->add_option("--size", options->size, "bytes of the message, such as 4Mi (needed)")->option_text("BYTES");
  const std::string example =
      "Example:\n  sluice predict broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi";
  verb->footer(example);
  problem->footer(example);
  problem->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
}

}  // namespace sluice::command
