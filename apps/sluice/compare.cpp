#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "output.hpp"
#include "redistribute_options.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/show/quantities.hpp"
#include "sluice/show/text_table.hpp"

namespace sluice::command {

namespace {

struct CompareOptions {
  RedistributeOptions problem;
  std::string json;
};

struct Row {
  std::string algorithm;
  Cost cost;
  double plan_s = 0;
  std::string note;
};

/// The shortest time of a few plannings: the first one pays for cold caches.
template <class Plan>
auto timed(double& seconds, Plan&& plan) {
  using Clock = std::chrono::steady_clock;
  constexpr int kRepetitions = 5;
  constexpr double kEnough = 0.1;
  double all = 0;
  for (int i = 0;; ++i) {
    const Clock::time_point start = Clock::now();
    auto result = plan();
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    all += taken;
    seconds = i == 0 ? taken : std::min(seconds, taken);
    if (i + 1 == kRepetitions || all > kEnough) return result;
  }
}

Row direct(const RedistributeTask& task, const std::string& algorithm) {
  Row row{algorithm, {}, 0, {}};
  const RedistributionPlan plan =
      timed(row.plan_s, [&] { return plan_redistribution(task.problem, algorithm, task.setup); });
  row.cost = plan.cost();
  if (algorithm == "auto") row.note = "takes " + plan.algorithm();
  return row;
}

Row two_stages(const RedistributeTask& task) {
  Row row{kWalkerOtto, {}, 0, {}};
  const WalkerOttoPlan plan = timed(row.plan_s, [&] { return plan_walker_otto(task.problem, task.setup); });
  const Cost first = plan.first.cost(), second = plan.second.cost();
  row.cost = {first.steps + second.steps, first.transmission + second.transmission, first.total + second.total};
  row.note = fmt::format("two stages, {} + {} steps", first.steps, second.steps);
  return row;
}

std::string to_json(const std::vector<Row>& rows, const std::vector<std::pair<std::string, std::string>>& others,
                    const Cost& bound) {
  using nlohmann::ordered_json;
  ordered_json table = ordered_json::array();
  for (const Row& row : rows) {
    ordered_json ratio;  // null where only the bound is 0
    if (bound.total > 0)
      ratio = row.cost.total / bound.total;
    else if (row.cost.total == 0)
      ratio = 1;
    table.push_back({{"algorithm", row.algorithm},
                     {"steps", row.cost.steps},
                     {"transmission", row.cost.transmission},
                     {"total", row.cost.total},
                     {"ratio", ratio},
                     {"plan_s", row.plan_s}});
  }
  ordered_json file{{"schema", "sluice.compare/1"},
                    {"problem", "redistribute"},
                    {"bound",
                     {{"steps", bound.steps},
                      {"transmission", bound.transmission},
                      {"total", bound.total},
                      {"kind", "whole-messages"}}},
                    {"rows", table}};
  for (const auto& [algorithm, reason] : others)
    file["refused"].push_back({{"algorithm", algorithm}, {"reason", reason}});
  return file.dump(1) + '\n';
}

int compare(const CompareOptions& options) {
  using Align = TextTable::Align;
  const RedistributeTask task = read(options.problem);
  std::vector<Row> rows;
  std::vector<std::pair<std::string, std::string>> refused;
  const auto add = [&](const std::string& name, auto&& make) {
    try {
      rows.push_back(make());
    } catch (const InputError& error) {
      refused.emplace_back(name, fmt::format("{}, expected {}", error.found(), error.expected()));
    }
  };
  for (const Algorithm& algorithm : algorithms("redistribute")) {
    const std::string name(algorithm.name);
    add(name, [&] { return direct(task, name); });
  }
  add(kWalkerOtto, [&] { return two_stages(task); });
  add("auto", [&] { return direct(task, "auto"); });
  const Cost bound = redistribution_bound(task.problem, task.setup);

  if (!options.json.empty()) {
    const std::string json = to_json(rows, refused, bound);
    if (options.json == "-") {
      print(json);
      return kDone;
    }
    write_file_atomically(options.json, json);
  }
  TextTable table({{"algorithm", Align::kLeft},
                   {"steps (NS)"},
                   {"transmission (TC)"},
                   {"total"},
                   {"ratio"},
                   {"planned in"},
                   {"", Align::kLeft}});
  for (const Row& row : rows) {
    table.add_row({row.algorithm, fmt::format("{}", row.cost.steps), fmt::format("{}", row.cost.transmission),
                   number_text(row.cost.total), ratio_text(row.cost.total, bound.total), seconds_text(row.plan_s),
                   row.note});
  }
  table.add_row({"lower bound", fmt::format("{}", bound.steps), fmt::format("{}", bound.transmission),
                 number_text(bound.total), "", "", "whole messages, one stage"});
  std::string text =
      fmt::format("{}\ntotal = TC + {} NS, in elements\n\n{}", task.title(), number_text(task.setup), table.text());
  if (!refused.empty()) text += '\n';
  for (const auto& [name, reason] : refused) text += fmt::format("{} does not apply: {}\n", name, reason);
  print(text);
  return kDone;
}

}  // namespace

void add_compare(CLI::App& command, Action& chosen) {
  CLI::App* verb = command.add_subcommand("compare", "every algorithm that fits, side by side, with the lower bound");
  verb->footer(
      "Example:\n  sluice compare redistribute --from 15:3 --to 15:5\n\n"
      "sluice compare redistribute --help lists the options.");
  CLI::App* problem = verb->add_subcommand("redistribute", "move a block-cyclic array to another layout");
  const auto options = std::make_shared<CompareOptions>();
  options->problem.add_to(*problem, kSliceUnlessShape);
  problem
      ->add_option("--json", options->json, "write the comparison as JSON (sluice.compare/1); -: instead of the table")
      ->option_text("FILE|-");
  problem->footer(redistribute_algorithms_help() +
                  "\nratio: total over the lower bound's. Planning time: the best of up to five runs.\n\n"
                  "Example:\n  sluice compare redistribute --from 15:3 --to 15:5");
  problem->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace sluice::command
