#include "plan/reduce/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::string_view kCanon = "Canon, Antoniu 2012";
constexpr std::string_view kPjesivac = "Pjesivac-Grbovic et al. 2005";

constexpr std::array kReducePlanners{
    ReducePlanner{
        {"reduce", "greedy", "optimal, also with a limit on transfers or reducers, or with dates", "O(n)", kCanon}},
    ReducePlanner{
        .about = {"reduce", "binomial", "at most 1 + min(d, c) / max(d, c) times the optimum", "O(n log n)", kCanon},
        .greedy_for = ReduceCosts{0, 1}},
    ReducePlanner{
        .about = {"reduce", "fibonacci", "at most 2 times the optimum; optimal for d = c", "O(n log n)", kCanon},
        .greedy_for = ReduceCosts{1, 1}},
    ReducePlanner{.about = {"reduce", "flat", "none", "O(n log n)", kPjesivac}, .arity = ReducePlanner::kAll},
    ReducePlanner{.about = {"reduce", "chain", "none; good for many segments", "O(n log n)", kPjesivac}, .arity = 1},
    ReducePlanner{.about = {"reduce", "binary", "none", "O(n log n)", kPjesivac}, .arity = 2},
    ReducePlanner{.about = {"reduce", "k-ary", "none", "O(n log n)", kPjesivac}, .arity = ReducePlanner::kAsked},
    ReducePlanner{
        {"reduce", "exact", "optimal with any limits; at most 12 machines", "exponential", "exhaustive search"}},
};

constexpr auto kReduceAlgorithms = [] {
  std::array<Algorithm, kReducePlanners.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = kReducePlanners[i].about;
  return result;
}();

}  // namespace

std::span<const ReducePlanner> reduce_planners() { return kReducePlanners; }

const ReducePlanner& reduce_planner(std::string_view name) {
  const auto* const found = std::find_if(kReducePlanners.begin(), kReducePlanners.end(),
                                         [&](const ReducePlanner& each) { return each.about.name == name; });
  SLUICE_ASSERT(found != kReducePlanners.end(), std::string(name));
  return *found;
}

std::span<const Algorithm> reduce_algorithms() { return kReduceAlgorithms; }

}  // namespace sluice::detail
