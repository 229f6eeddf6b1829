#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "broadcast_options.hpp"
#include "collective_options.hpp"
#include "command.hpp"
#include "elapsed.hpp"
#include "output.hpp"
#include "plan.hpp"
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

/// Every variant of every algorithm, by the replay.
int predict_collective(const CollectiveInput& options) {
  const CollectiveTask task = read(options);
  const ProgramPlan plan = [&] {
    const Elapsed elapsed(kPlanning);
    return task.planned_by("auto");
  }();
  using Align = TextTable::Align;
  TextTable table({{"algorithm", Align::kLeft}, {"time"}, {"", Align::kLeft}});
  for (const ProgramPlan::Candidate& each : plan.candidates)
    table.add_row({each.algorithm, seconds_text(each.length_s), &each == &plan.candidates.front() ? "best" : ""});
  table.add_row({"lower bound", seconds_text(plan.program.bound_s), plan.program.bound});
  tell(task.title() + "\n\n" + table.text());
  return kDone;
}

}  // namespace

void add_predict(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("predict", "what models say of every way to do a collective");
  CLI::App* problem =
      verb->add_subcommand("broadcast", "the models of every strategy inside a cluster, the best one marked");
  const auto options = std::make_shared<PredictOptions>();
  problem->add_option("--platform", options->platform, "the network, a platform file (needed)")->option_text("FILE");
  problem->add_option("--size", options->size, "bytes of the message, such as 4Mi (needed)")->option_text("BYTES");
  const std::string example =
      "Example:\n  sluice predict broadcast --platform studies/grid5000/grid5000-88.json --size 4Mi";
  verb->footer(example);
  problem->footer(example);
  problem->callback([options, &chosen] { chosen = [options] { return predict(*options); }; });
  for (const Collective collective : kCollectives) {
    const std::string name(to_string(collective));
    CLI::App* each = verb->add_subcommand(name, about(collective));
    const auto input = std::make_shared<CollectiveInput>();
    input->collective = collective;
    input->add_to(*each);
    each->footer(
        kCollectiveHelp +
        fmt::format("\nExample:\n  sluice predict {} --platform studies/grid5000/grid5000-88.json --size 16Ki", name));
    each->callback([input, &chosen] { chosen = [input] { return predict_collective(*input); }; });
  }
}

}  // namespace sluice::command
