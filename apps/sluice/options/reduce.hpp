#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "apps/sluice/options/node_link.hpp"
#include "sluice/plan/reduce.hpp"

/// The problem `reduce` on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct ReduceInput {
  std::string machines;
  std::string transfer;
  std::string compute;
  std::string transfer_costs;
  std::string compute_costs;
  std::string transfer_overhead;
  std::string compute_overhead;
  std::string max_transfers;
  std::string max_reducers;
  std::string root = "0";
  std::string arrivals;
  std::string platform_file;
  NodeLinkInput network;  ///< in place of it
  std::string size;
  std::string segments = "1";
  std::string max_segments;
  std::string arity;
  std::string effort = "1";
  std::string time_limit = "1";
  bool non_commutative = false;

  void add_to(CLI::App& verb);
  /// The options that tell a platform in place of machines and d. `also`: the further purpose of the size.
  void add_platform_to(CLI::App& verb, const std::string& also = {});
};

/// About the options, for the help of every verb.
inline constexpr const char* kReduceHelp =
    "\nTransfers overlap with combining; a machine receives from one other at a time. D and C are times in one "
    "unit.\n\n"
    "Files have a line for each machine; lines that begin with % or # are comments. A line of --arrivals is a date. A\n"
    "line of --transfer-costs is the d of a sender, or its d to each receiver, separated by commas. A line of\n"
    "--compute-costs is a c. If costs differ, or dates, limits, parts and an order come together, plans are heuristic\n"
    "and say how far from the optimum they can be.\n\n"
    "Over a platform, times are in seconds. d is the latency and the gap between two ranks, as if no other message\n"
    "were on the way; plan broadcast --reversed knows what messages share.\n"
    "With S parts, each part takes the overhead and 1 / S of the rest of D or C.\n";

/// The options as read and checked.
struct ReduceTask {
  ReduceProblem problem;
  std::optional<std::int64_t> arity = std::nullopt;  ///< as typed
  double effort = 1;
  std::string arrivals_file;
  std::string transfer_costs_file;
  std::string compute_costs_file;

  /// "reduce: 16 machines, d = 2, c = 1, at most 4 transfers at once, root 3".
  [[nodiscard]] std::string title() const;
  /// Throws InputError for options that have no effect with this algorithm alone.
  void check_for(const std::string& algorithm) const;
  /// Plans it by `algorithm`; without `transfers`, only what a summary tells. Throws InputError, where = the option.
  [[nodiscard]] ReducePlan planned_by(const std::string& algorithm, bool transfers) const;
  /// A lower bound on the length of every plan, and an interval that holds the shortest. Throws as `planned_by`.
  [[nodiscard]] ReduceBounds bounds() const;
};

/// Reads the files too. Throws InputError for what is missing, no number or out of range.
[[nodiscard]] ReduceTask read(const ReduceInput& options);

}  // namespace sluice::command
