#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/sluice/options/interrupt.hpp"
#include "apps/sluice/options/redistribute.hpp"
#include "sluice/input/batch_problem.hpp"
#include "sluice/plan/batch.hpp"
#include "sluice/schedule/step_schedule.hpp"

/// Several arrays that are redistributed at once, on the command line.
namespace sluice::command {

/// The options as read and checked; sizes and the set-up are in bytes.
struct BatchTask {
  std::vector<ArrayInput> arrays;  ///< as a file of the schedule names them
  BatchProblem problem;
  double setup = 1;
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::optional<TargetRoles> roles = {};  ///< if they were given out, with `problem` the one among these processes

  /// "redistribute 3 arrays at once (134 MB), 8 senders, 8 receivers", a line for each kind of array, and where roles
  /// were given out one on what stays.
  [[nodiscard]] std::string title() const;
  /// For the schedule.
  [[nodiscard]] RedistributionInput input() const;
};

/// What the arrays are, a line for each run of equal ones: "8 x 4:2 -> 4:3: 96, 8 bytes per element".
[[nodiscard]] std::vector<std::string> array_lines(const std::vector<ArrayInput>& arrays);

/// Whether the options ask for several arrays.
[[nodiscard]] inline bool asks_for_batch(const RedistributeOptions& options) {
  return !options.arrays.empty() || !options.batch.empty();
}

/// Throws InputError for what is missing, out of range, or does not fit together; for options of a single array.
/// @pre asks_for_batch(options)
[[nodiscard]] BatchTask read_batch(const RedistributeOptions& options);

/// How to plan it, until the limit.
[[nodiscard]] BatchOptions batch_options(const BatchTask& task, const std::string& algorithm, std::int64_t effort,
                                         const TimeLimit& limit);

}  // namespace sluice::command
