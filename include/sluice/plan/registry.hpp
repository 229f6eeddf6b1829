#pragma once

#include <span>
#include <string_view>

namespace sluice {

/// What is known about an algorithm. `--help`, `compare` and the documentation all take it from here.
struct Algorithm {
  std::string_view problem;    ///< "redistribute", ...
  std::string_view name;       ///< as users type it
  std::string_view guarantee;  ///< on the number of steps NS and the total cost TC
  std::string_view cost;       ///< time of planning
  std::string_view source;     ///< the paper, and "ours" for what is new here
  bool searches = false;       ///< works until its effort is spent or its plan proven optimal; others end by themselves
  bool for_switches = false;   ///< of exchange: made for optical circuit switches
};

/// The problem of those that are programs for a reduction over a platform (plan_program, plan_costly_reduction), where
/// "reduce" has trees of the model of Canon and Antoniu.
inline constexpr std::string_view kReductionPrograms = "reduction programs";

/// The algorithms of one problem, in the order in which `compare` shows them; without "auto".
[[nodiscard]] std::span<const Algorithm> algorithms(std::string_view problem);
/// Whether one of them has that name, which "auto" is not.
[[nodiscard]] bool has_algorithm(std::string_view problem, std::string_view name);

}  // namespace sluice
