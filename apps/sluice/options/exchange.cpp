#include "apps/sluice/options/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/node_link.hpp"
#include "apps/sluice/options/values.hpp"
#include "apps/sluice/output/cost_text.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/input/backbone.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/input/quantity.hpp"
#include "sluice/plan/exchange_speeds.hpp"
#include "sluice/read_file.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

/// How many pairs exchange anything; the messages of a pair count as one.
std::size_t count_pairs(const Traffic& traffic) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  pairs.reserve(traffic.messages.size());
  for (const Message& message : traffic.messages)
    if (message.size > 0) pairs.emplace_back(message.from, message.to);
  std::sort(pairs.begin(), pairs.end());
  return static_cast<std::size_t>(std::unique(pairs.begin(), pairs.end()) - pairs.begin());
}

std::int64_t total_of(const Traffic& traffic) {
  std::int64_t total = 0;
  for (const Message& message : traffic.messages) total = checked::add(total, message.size, "total of the traffic");
  return total;
}

/// "4", or "2 to 4 over time".
std::string k_text(const ExchangeProblem& problem) {
  const std::int64_t least = problem.speeds.backbone.empty() ? problem.max_transfers : problem.speeds.least_transfers();
  return least == problem.max_transfers ? fmt::format("{}", least)
                                        : fmt::format("{} to {} over time", least, problem.max_transfers);
}

/// The hardware that the options name, if they name any. Throws InputError for what is missing beside the rest.
std::optional<Backbone> read_backbone(const ExchangeInput& options) {
  struct Speed {
    const char* option;
    const std::string& text;
    double Backbone::*value;
  };
  const std::array speeds{Speed{"--backbone", options.backbone, &Backbone::backbone_bytes_per_s},
                          Speed{"--sender-link", options.sender_link, &Backbone::sender_link_bytes_per_s},
                          Speed{"--receiver-link", options.receiver_link, &Backbone::receiver_link_bytes_per_s}};
  const char* given = options.latency.empty() ? nullptr : "--latency";
  for (const Speed& speed : speeds)
    if (!speed.text.empty()) given = speed.option;
  if (given == nullptr) return std::nullopt;
  const auto missing = [&](const char* option, const char* example) {
    return InputError(option, fmt::format("missing, needed with {}", given), example);
  };
  Backbone backbone;
  for (const Speed& speed : speeds) {
    if (speed.text.empty()) throw missing(speed.option, "a speed such as 1Gbit");
    backbone.*speed.value = parse_speed(speed.text, speed.option);
  }
  if (!options.latency.empty())
    backbone.latency_s = parse_time(options.latency, "--latency");
  else if (options.setup.empty())
    throw missing("--latency", "a time such as 1ms, or --setup");
  return backbone;
}

/// The hardware of --node-link: each rank counts on its share of the link of its host, and the hosts do not limit each
/// other.
Backbone backbone_of_hosts(const ExchangeInput& options, const Traffic& traffic) {
  constexpr std::int64_t kMostRanks = 1 << 20;
  for (const auto& [option, text] : {std::pair{"--backbone", &options.backbone},
                                     {"--sender-link", &options.sender_link},
                                     {"--receiver-link", &options.receiver_link}})
    if (!text->empty())
      throw InputError("--node-link", fmt::format("cannot be used with {}", option),
                       "one of the two: both tell the speeds");
  if (options.ranks_per_node.empty())
    throw InputError("--ranks-per-node", "missing, needed with --node-link",
                     "the number of ranks of a host, such as 8");
  const double speed = parse_speed(options.node_link, "--node-link");
  const std::int64_t per_node = parse_count(options.ranks_per_node, "--ranks-per-node", 1, kMostRanks);
  const std::int64_t most = std::max({traffic.senders, traffic.receivers, std::int64_t{1}});
  const std::int64_t hosts = (most + per_node - 1) / per_node;
  Backbone backbone;
  backbone.sender_link_bytes_per_s = backbone.receiver_link_bytes_per_s = speed / static_cast<double>(per_node);
  backbone.backbone_bytes_per_s = speed * static_cast<double>(hosts);
  backbone.latency_s = parse_time(options.latency.empty() ? "2us" : options.latency, "--latency");
  return backbone;
}

/// Once all else is read. Throws InputError for speeds that do not fit the traffic or the other options.
void take_speeds(const ExchangeInput& options, ExchangeTask& task) {
  ExchangeProblem& problem = task.problem;
  if (problem.switches != 1) throw InputError("--speeds", "cannot be used with --switches", "a plan for one switch");
  task.speeds_file = options.speeds;
  set_speeds(problem, read_speeds(options.speeds), options.speeds);
  if (!problem.speeds.backbone.empty() && !options.max_transfers.empty())
    throw InputError("--speeds", "cannot be used with --max-transfers where " + options.speeds + " has a backbone",
                     "one of the two: both tell k");
}

}  // namespace

void ExchangeInput::add_to(CLI::App& verb) {
  verb.add_option(
          "traffic", traffic,
          "who sends how much to whom (needed): Matrix Market (.mtx); CSV (.csv, .tsv), a matrix or an edge list")
      ->option_text("TRAFFIC");
  format.add_to(verb);
  verb.add_option("--max-transfers", max_transfers,
                  "set k, the most transfers at once; unless given, min(senders, receivers)")
      ->option_text("K");
  verb.add_option("--setup", setup,
                  "set-up cost of a step, in the unit of the traffic: total = transmission + BETA * steps. Default: 1 "
                  "in plans, which do not know the unit; 8192 in run, where sizes are bytes. To plan bytes as "
                  "run does, give --setup 8192")
      ->option_text("BETA [1]");
  verb.add_option("--backbone", backbone,
                  "set the speed of the network between senders and receivers: k follows from it")
      ->option_text("SPEED");
  verb.add_option("--sender-link", sender_link, "set the speed of the link of each sender")->option_text("SPEED");
  verb.add_option("--receiver-link", receiver_link, "set the speed of the link of each receiver")->option_text("SPEED");
  verb.add_option("--latency", latency, "set the time to start a step: beta follows from it")->option_text("TIME");
  verb.add_option(
          "--node-link", node_link,
          "set the speed of the link of each host, such as 100Gbit, which its ranks share; replaces the three speeds")
      ->option_text("SPEED");
  verb.add_option("--ranks-per-node", ranks_per_node, kRanksPerNodeHelp)->option_text("N");
  verb.add_option("--speeds", speeds,
                  "nodes that differ in speed, and a backbone that carries more at some times than at others")
      ->option_text("FILE");
  verb.add_option("--effort", effort,
                  "how long auto and exact search: 1 is about a second. The work is counted, so every machine gets the "
                  "same plan")
      ->option_text("N [1]");
  verb.add_option("--time-limit", time_limit, "end the search of auto and exact at this time")->option_text("SECONDS");
  verb.add_option("--seed", seed, "set the seed of the random choices of auto and exact")
      ->option_text("N [1]")
      ->default_str(seed);  // results name it
}

void ExchangeInput::add_switches_to(CLI::App& verb) {
  verb.add_option(
          "--switches", switches,
          "parallel (optical) switches; each node has a port on each. Each switch has its own steps and set-ups; "
          "--max-transfers is for one switch, and a cost is the largest of all switches")
      ->option_text("S [1]");
}

void LocalLinksInput::add_to(CLI::App& verb) {
  verb.add_option("--local-links", links,
                  "set the speed of each node's link inside its cluster. If it pays, small messages merge at a "
                  "neighbour and loads spread over neighbours; needs --backbone, --sender-link and --receiver-link")
      ->option_text("SPEED");
  verb.add_option("--local-latency", latency,
                  "set the time to start a step there; unless given, the value of --latency")
      ->option_text("TIME");
}

LocalLinks LocalLinksInput::read(const ExchangeTask& task) const {
  if (links.empty())
    throw InputError("--local-links", "missing, needed with --local-latency", "a speed such as 10Gbit");
  if (!task.problem.speeds.empty()) throw InputError("--local-links", "cannot be used with --speeds", "one of the two");
  if (task.transfer_bytes_per_s <= 0)
    throw InputError("--local-links", "no speeds of links", "--backbone, --sender-link and --receiver-link as well");
  LocalLinks result;
  result.unit_cost = task.transfer_bytes_per_s / parse_speed(links, "--local-links");
  if (!latency.empty()) {
    result.setup = move_decimal_point(parse_time(latency, "--local-latency") * task.transfer_bytes_per_s,
                                      task.problem.traffic.decimals);
  }
  return result;
}

ExchangeTask read(const ExchangeInput& options) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (options.traffic.empty()) throw InputError("exchange", "no traffic", "a file, TRAFFIC.mtx or TRAFFIC.csv");
  ExchangeTask task;
  task.file = options.traffic;
  // Checks what was typed first, as reading a file may take long.
  if (!options.max_transfers.empty())
    task.problem.max_transfers = parse_count(options.max_transfers, "--max-transfers", 1, kMost);
  if (!options.setup.empty()) task.problem.setup = parse_setup(options.setup);
  if (!options.switches.empty()) task.problem.switches = parse_count(options.switches, "--switches", 1, kMost);
  if (options.node_link.empty() && !options.ranks_per_node.empty())
    throw InputError("--ranks-per-node", "no --node-link", "--node-link SPEED as well");
  if (options.node_link.empty()) task.backbone = read_backbone(options);
  const TrafficFormat format = options.format.read();
  task.effort = parse_positive_number(options.effort, "--effort");
  if (!options.time_limit.empty()) task.time_limit_s = parse_seconds(options.time_limit, "--time-limit");
  task.seed = static_cast<std::uint64_t>(parse_count(options.seed, "--seed", 0, kMost));

  task.problem.traffic = take_traffic(options.traffic, format, task.taken_for);
  const Traffic& traffic = task.problem.traffic;
  if (!options.node_link.empty()) task.backbone = backbone_of_hosts(options, traffic);
  const std::int64_t nodes = std::max({traffic.senders, traffic.receivers, std::int64_t{1}});
  if (task.problem.switches > nodes)
    throw InputError("--switches", fmt::format("{}", task.problem.switches),
                     fmt::format("at most {}, the number of nodes", nodes));
  if (options.max_transfers.empty()) task.problem.max_transfers = std::min(traffic.senders, traffic.receivers);
  if (task.backbone) {
    const BackboneModel hardware = model(*task.backbone, traffic.senders, traffic.receivers);
    task.transfer_bytes_per_s = hardware.transfer_bytes_per_s;
    if (options.max_transfers.empty()) task.problem.max_transfers = hardware.max_transfers;
    if (options.setup.empty()) task.problem.setup = hardware.setup_bytes;
  }
  task.usual_setup = options.setup.empty() && !task.backbone;
  task.problem.setup = move_decimal_point(task.problem.setup, traffic.decimals);
  check_setup(task.problem.setup, options.setup.empty() ? "--latency" : "--setup", traffic.decimals);
  if (!options.speeds.empty()) take_speeds(options, task);
  return task;
}

std::string ExchangeTask::title() const {
  const Traffic& traffic = problem.traffic;
  const std::int64_t most = std::min(traffic.senders, traffic.receivers);
  const std::string units = decimal_text(total_of(traffic), traffic.decimals);
  // Sizes are bytes if the hardware is given or messages are sent; otherwise their unit is not known.
  const std::string total = (backbone || in_bytes) && traffic.decimals == 0
                                ? fmt::format("{} in total", bytes_text(total_of(traffic)))
                                : fmt::format("{} {} of the file in total", units, units == "1" ? "unit" : "units");
  return fmt::format(
             "exchange {}{}: {}, {}, {}, {}, k = {}{}, beta = {}{}", shown_path(file),
             taken_for.empty() ? "" : " (" + taken_for + ')', count_text(traffic.senders, "sender"),
             count_text(traffic.receivers, "receiver"), count_text(count_pairs(traffic), "message"), total,
             k_text(problem),
             problem.max_transfers > most ? fmt::format(" (no more than {} can be at once)", most) : "",
             setup_text(problem.setup, traffic.decimals) + (!usual_setup ? ""
                                                            : in_bytes   ? " (default; plan: 1 unit)"
                                                                         : " (default; run: 8192 bytes)"),
             problem.switches > 1 ? fmt::format(", {}", count_text(problem.switches, "switch", "switches")) : "") +
         (speeds_file.empty() ? "" : ", speeds of " + shown_path(speeds_file));
}

double ExchangeTask::seconds_of(double cost) const {
  return move_decimal_point(cost, -problem.traffic.decimals) / transfer_bytes_per_s;
}

std::string ExchangeTask::time_line(double total, double bound) const {
  if (transfer_bytes_per_s <= 0) return {};
  const auto seconds = [&](double each) { return seconds_text(seconds_of(each)); };
  return fmt::format("time: {} at {} per transfer, no plan takes less than {}\n", seconds(total),
                     speed_text(transfer_bytes_per_s), seconds(bound));
}

double ExchangeTask::least_time_s(bool detours) const {
  if (!backbone || !problem.speeds.empty()) return 0;
  const Traffic& traffic = problem.traffic;
  std::vector<double> sent(static_cast<std::size_t>(traffic.senders), 0);
  std::vector<double> received(static_cast<std::size_t>(traffic.receivers), 0);
  double total = 0;
  for (const Message& message : traffic.messages) {
    const double bytes = move_decimal_point(static_cast<double>(message.size), -traffic.decimals);
    sent[static_cast<std::size_t>(message.from)] += bytes;
    received[static_cast<std::size_t>(message.to)] += bytes;
    total += bytes;
  }
  double result = total / backbone->backbone_bytes_per_s;
  if (detours) {
    return std::max({result, total / static_cast<double>(sent.size()) / backbone->sender_link_bytes_per_s,
                     total / static_cast<double>(received.size()) / backbone->receiver_link_bytes_per_s});
  }
  for (const double bytes : sent) result = std::max(result, bytes / backbone->sender_link_bytes_per_s);
  for (const double bytes : received) result = std::max(result, bytes / backbone->receiver_link_bytes_per_s);
  return result;
}

ExchangeOptions ExchangeTask::planned_by(const std::string& algorithm) const {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = effort;
  options.time_limit_s = time_limit_s;
  options.stop = stop_at_interrupt();
  options.seed = seed;
  return options;
}

}  // namespace sluice::command
