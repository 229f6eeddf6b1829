#pragma once

#include <span>
#include <string_view>

#include "sluice/plan/algorithm.hpp"

namespace sluice {

/// Names the problem of algorithms that are programs for a reduction over a platform (plan_program,
/// plan_costly_reduction). The problem "reduce" has trees of the model of Canon and Antoniu.
inline constexpr std::string_view kReductionPrograms = "reduction programs";

/// Returns the algorithms of one problem, in the order of `compare`, without "auto".
[[nodiscard]] std::span<const Algorithm> algorithms(std::string_view problem);
/// Returns true if the problem has an algorithm of that name; false for "auto".
[[nodiscard]] bool has_algorithm(std::string_view problem, std::string_view name);

}  // namespace sluice
