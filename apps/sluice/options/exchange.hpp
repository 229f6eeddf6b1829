#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "apps/sluice/options/traffic_format.hpp"
#include "sluice/input/backbone.hpp"
#include "sluice/plan/aggregation.hpp"
#include "sluice/plan/exchange.hpp"

/// The problem `exchange` on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct ExchangeInput {
  std::string traffic;
  TrafficFormatInput format;
  std::string max_transfers;
  std::string setup;
  std::string backbone;
  std::string sender_link;
  std::string receiver_link;
  std::string latency;
  std::string node_link;
  std::string ranks_per_node;
  std::string effort = "1";
  std::string time_limit;
  std::string seed = "1";
  std::string switches;
  std::string speeds;

  void add_to(CLI::App& verb);
  /// Adds --switches, for verbs that can use a plan for several switches.
  void add_switches_to(CLI::App& verb);
};

struct ExchangeTask;

/// The networks inside the two clusters, on the command line; empty where they were not typed.
struct LocalLinksInput {
  std::string links;
  std::string latency;

  void add_to(CLI::App& verb);
  [[nodiscard]] bool given() const { return !links.empty() || !latency.empty(); }
  /// Throws InputError for what is missing beside them.
  [[nodiscard]] LocalLinks read(const ExchangeTask& task) const;
};

/// About the options, for the help of every verb.
inline constexpr const char* kExchangeHelp =
    "\nA row is a sender, a column a receiver; in an edge list (columns such as src, dst, bytes) a line is a message.\n"
    "Numbers take the suffixes K, M, G (1000) and Ki, Mi, Gi (1024).\n\n"
    "If sizes are bytes, the network can give k and beta: --backbone, --sender-link and --receiver-link (1Gbit,\n"
    "12.5MB; per second) and --latency (1ms, 20us). A transfer is as fast as the slower of the two links. k transfers\n"
    "fill the backbone; beta is what one transfer moves during the latency. With --node-link and --ranks-per-node,\n"
    "each rank has its share of the link of its host. --max-transfers and --setup replace these values.\n"
    "--speeds FILE (sluice.speeds/1) gives each node a speed, and k over time. At speed 1 a unit of the traffic takes\n"
    "a unit of cost; if the options give the network, speed 1 is the speed of a transfer.\n";

/// The options as read and checked.
struct ExchangeTask {
  std::string file;
  std::string taken_for;    ///< what the file was taken for: "edges, ranks from 0"; empty if it has sizes alone
  ExchangeProblem problem;  ///< the set-up in the unit of the traffic in memory: see Traffic::decimals
  double effort = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::uint64_t seed = 1;
  double transfer_bytes_per_s = 0;   ///< of one transfer, if the options name the hardware; otherwise 0
  bool in_bytes = false;             ///< sizes are bytes, as `run` takes them
  bool usual_setup = false;          ///< no option tells beta
  std::optional<Backbone> backbone;  ///< the hardware, where the options name it
  std::string speeds_file;           ///< of problem.speeds, where the options name one

  /// "exchange traffic.mtx: 20 senders, 20 receivers, 196 messages, 2034 in total, k = 20, beta = 1".
  [[nodiscard]] std::string title() const;
  /// A cost in seconds. @pre the options name the hardware
  [[nodiscard]] double seconds_of(double cost) const;
  /// A line with the totals of a plan and of a bound in seconds; empty unless the options name the hardware.
  [[nodiscard]] std::string time_line(double total, double bound) const;
  /// What the hardware alone asks for, in seconds: all bytes over the backbone, or the bytes of a node over its link. 0
  /// unless the options name it, or where nodes differ in speed. `detours`: what is a node's may leave its cluster by
  /// the links of all.
  [[nodiscard]] double least_time_s(bool detours) const;
  /// The options to plan it by `algorithm`, or to find its bound.
  [[nodiscard]] ExchangeOptions planned_by(const std::string& algorithm) const;
};

/// Reads the traffic too. Throws InputError for what is missing, no number or out of range.
[[nodiscard]] ExchangeTask read(const ExchangeInput& options);

}  // namespace sluice::command
