#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "sluice/plan/reduce.hpp"

/// The problem `reduce` on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct ReduceInput {
  std::string machines;
  std::string transfer;
  std::string compute;
  std::string transfer_overhead;
  std::string compute_overhead;
  std::string max_transfers;
  std::string max_reducers;
  std::string root = "0";
  std::string arrivals;
  std::string segments = "1";
  std::string max_segments;
  std::string arity;
  std::string time_limit = "1";
  bool non_commutative = false;

  void add_to(CLI::App& verb);
};

/// About the options, for the help of every verb.
inline constexpr const char* kReduceHelp =
    "\nTransfers overlap with combining; a machine receives from one other at a time. D and C are times in any one\n"
    "unit. A file of arrivals has one date per line, one for each machine; lines that begin with % or # are comments.\n"
    "In S parts an element flows through the tree; a part takes the overhead and its share of the rest.\n";

/// The options as read and checked.
struct ReduceTask {
  ReduceProblem problem;
  std::optional<std::int64_t> arity = std::nullopt;  ///< as typed
  std::string arrivals_file;

  /// "reduce: 16 machines, d = 2, c = 1, at most 4 transfers at once, root 3".
  [[nodiscard]] std::string title() const;
  /// Throws InputError for options that have no effect with this algorithm alone.
  void check_for(const std::string& algorithm) const;
  /// Plans it by `algorithm`; without `transfers`, only what a summary tells. Throws InputError, where = the option.
  [[nodiscard]] ReducePlan planned_by(const std::string& algorithm, bool transfers) const;
  /// A lower bound on the length of every plan, and an interval that holds the shortest. Throws as `planned_by`.
  [[nodiscard]] ReduceBounds bounds() const;
};

/// Reads the dates too. Throws InputError for what is missing, no number or out of range.
[[nodiscard]] ReduceTask read(const ReduceInput& options);

}  // namespace sluice::command
