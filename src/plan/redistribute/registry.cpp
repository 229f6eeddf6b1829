#include "plan/redistribute/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "plan/redistribute/dimension_graph.hpp"
#include "plan/sources.hpp"

namespace sluice::detail {

namespace {

constexpr std::array kRedistributePlanners{
    RedistributePlanner{.about = {"redistribute", "classes", "NS and TC optimal; needs gcd(r, Q) = gcd(s, P) = 1",
                                  "O(classes)", kDesprez},
                        .plan = plan_classes,
                        .optimal_on_slices = true},
    RedistributePlanner{
        .about = {"redistribute", "stepwise", "NS optimal; TC optimal for r = 1 on grids that are not full",
                  "NS weighted matchings on the quotient", kDesprez},
        .plan = plan_stepwise,
        .plan_folded = plan_stepwise_folded,
        .plan_graph = stepwise_steps,
        .peels = true,
        .fewest_steps = true,
        .fewest_with_copies = true},
    RedistributePlanner{.about = {"redistribute", "greedy", "none; often a lower TC with more steps",
                                  "NS weighted matchings on the quotient", kDesprez},
                        .plan = plan_greedy,
                        .plan_graph = greedy_steps,
                        .peels = true},
    RedistributePlanner{
        .about = {"redistribute", "coloring", "NS optimal; TC as it comes", "O(m log m) on the quotient", kDesprez},
        .plan = plan_coloring,
        .plan_graph = colored_steps,
        .fewest_with_copies = true},
    RedistributePlanner{
        .about = {"redistribute", "caterpillar", "max(P, Q) steps per dimension: the baseline of ScaLAPACK", "O(1)",
                  "Prylli, Tourancheau 1996"},
        .plan = plan_caterpillar,
        .for_short_arrays = true},
    RedistributePlanner{
        .about = {"redistribute", "exact", "NS and TC optimal at once, or the best total; says what is proven",
                  "--effort; mostly milliseconds", "ours: integer program over classes", true},
        .search = plan_exact_redistribution},
};

constexpr auto kRedistributeAlgorithms = [] {
  std::array<Algorithm, kRedistributePlanners.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = kRedistributePlanners[i].about;
  return result;
}();

}  // namespace

std::span<const RedistributePlanner> redistribute_planners() { return kRedistributePlanners; }

const RedistributePlanner* redistribute_planner(std::string_view name) {
  const auto* const found = std::find_if(kRedistributePlanners.begin(), kRedistributePlanners.end(),
                                         [&](const RedistributePlanner& each) { return each.about.name == name; });
  return found == kRedistributePlanners.end() ? nullptr : found;
}

std::span<const Algorithm> redistribute_algorithms() { return kRedistributeAlgorithms; }

}  // namespace sluice::detail
