#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "graph/peeling.hpp"
#include "plan/step_rule.hpp"
#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/input/axis_pattern.hpp"
#include "sluice/plan/algorithm.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/stop.hpp"

namespace sluice::detail {

/// An algorithm of redistribute, and when `auto` tries it.
struct RedistributePlanner {
  Algorithm about;
  /// Plans one dimension. Throws InputError if the algorithm does not apply. Null if the algorithm is a search.
  std::shared_ptr<const StepRule> (*plan)(const AxisPattern&) = nullptr;
  /// A further candidate if the dimension is one of several; null, or a null result, if there is none.
  std::shared_ptr<const StepRule> (*plan_folded)(const AxisPattern&) = nullptr;
  /// The messages of an array with copies, or with blocks of any sizes, as a graph; null if the algorithm knows only
  /// the closed form.
  EdgeSteps (*plan_graph)(const BipartiteGraph&) = nullptr;
  /// Begins with the best plan of the other algorithms and goes on as long as the effort lasts, or until it has proven
  /// its plan optimal. Throws InputError if the array is too large.
  RedistributionPlan (*search)(const RedistributionProblem&, double setup, std::int64_t effort,
                               const StopRequest&) = nullptr;
  bool peels = false;               ///< takes matchings one by one: left out if that is much work
  bool optimal_on_slices = false;   ///< if it applies, nothing is better in a dimension of whole slices
  bool for_short_arrays = false;    ///< left out if its messages are too many to price and there is another algorithm
  bool fewest_steps = false;        ///< takes the candidate with the fewest steps
  bool fewest_with_copies = false;  ///< takes the candidate with the fewest steps, for arrays planned as a graph
};

/// `exact`: see exact.cpp for what it searches.
[[nodiscard]] RedistributionPlan plan_exact_redistribution(const RedistributionProblem& problem, double setup,
                                                           std::int64_t effort, const StopRequest& stop);

/// All planners except `auto`, in display order.
[[nodiscard]] std::span<const RedistributePlanner> redistribute_planners();

/// The planner called `name`; null if there is none.
[[nodiscard]] const RedistributePlanner* redistribute_planner(std::string_view name);

/// Descriptions of all algorithms.
[[nodiscard]] std::span<const Algorithm> redistribute_algorithms();

}  // namespace sluice::detail
