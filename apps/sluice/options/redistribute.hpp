#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sluice/input/block_cyclic.hpp"
#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/replicated_problem.hpp"
#include "sluice/plan/relabel.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// The problem `redistribute` on the command line, the same for every verb.
namespace sluice::command {

/// The options as they were typed; empty where they were not.
struct RedistributeOptions {
  std::string from;
  std::string to;
  std::string shape;
  std::string element_bytes = "8";
  std::string setup = "1";
  std::string time_limit;
  std::string part;
  bool unit_diagonal = false;
  bool transpose = false;
  bool same_processes = false;
  bool relabel = false;
  std::string from_replicas;
  std::string to_replicas;
  std::string arrays;  ///< how many, all alike
  std::string batch;   ///< a file of arrays

  void add_to(CLI::App& verb, const std::string& shape_help);
  /// Which processes are in both grids: options of verbs that plan alone.
  void add_roles_to(CLI::App& verb);
  /// How many copies of either array there are.
  void add_replicas_to(CLI::App& verb);
  /// Several arrays at once: see batch.hpp.
  void add_batch_to(CLI::App& verb);
};

/// The option --effort of verbs that plan alone, and its value.
void add_effort_option(CLI::App& verb, std::string& effort);
[[nodiscard]] std::int64_t parse_effort(const std::string& effort);
/// The value of --time-limit; none where it was not given.
[[nodiscard]] double parse_time_limit(const std::string& time_limit);

/// The options as read and checked.
struct RedistributeTask {
  Layout from;
  Layout to;
  std::vector<std::int64_t> shape;  ///< of one slice where `input.shape` is empty
  std::int64_t element_bytes = 8;
  double setup = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();
  RedistributionInput input;
  RedistributionProblem problem;
  std::optional<TargetRoles> roles = {};  ///< if some processes are in both grids
  /// If there are several copies of either array, with `problem` from one to one; `roles` is then empty.
  std::optional<ReplicatedProblem> replicated = {};

  /// "4x2:64x64 -> 2x4:100x100, 4096x4096 elements of 8 bytes (134 MB), 8 senders, 8 receivers".
  [[nodiscard]] std::string title() const;
  /// What stays where it is, in a line of its own; empty if all processes are apart.
  [[nodiscard]] std::string kept_text() const;
};

/// What of `size` stays where it is with these roles, in a line without its end.
[[nodiscard]] std::string kept_line(const TargetRoles& roles, std::int64_t size, const char* unit);

/// Throws InputError for what is missing, no number, out of range, or does not fit together.
[[nodiscard]] RedistributeTask read(const RedistributeOptions& options);

inline constexpr const char* kSliceUnlessShape =
    "set the extents of the array; unless given, the extents of the cuts, or one slice, after which the pattern "
    "repeats";
inline constexpr const char* kShapeNeeded = "extents of the array (needed unless layouts have cuts)";

}  // namespace sluice::command
