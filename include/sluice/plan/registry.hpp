#pragma once

#include <span>
#include <string_view>

namespace sluice {

/// Describes an algorithm. `--help`, `compare` and the documentation all take it from here.
struct Algorithm {
  std::string_view problem;    ///< "redistribute", ...
  std::string_view name;       ///< name as users type it
  std::string_view guarantee;  ///< guarantee on the number of steps NS and the total cost TC
  std::string_view cost;       ///< time of planning
  std::string_view source;     ///< the paper, and "ours" for what is new here
  /// Works until its effort is spent or its plan is proven optimal; other algorithms end by themselves.
  bool searches = false;
  bool for_switches = false;  ///< for exchange: made for optical circuit switches
};

/// Names the problem of algorithms that are programs for a reduction over a platform (plan_program,
/// plan_costly_reduction). The problem "reduce" has trees of the model of Canon and Antoniu.
inline constexpr std::string_view kReductionPrograms = "reduction programs";

/// Returns the algorithms of one problem, in the order of `compare`, without "auto".
[[nodiscard]] std::span<const Algorithm> algorithms(std::string_view problem);
/// Returns true if the problem has an algorithm of that name; false for "auto".
[[nodiscard]] bool has_algorithm(std::string_view problem, std::string_view name);

}  // namespace sluice
