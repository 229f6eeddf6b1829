#include "plan/broadcast/registry.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::string_view kSteffenel = "Steffenel 2006";
constexpr std::string_view kBhat = "Bhat et al. 2003";

std::vector<FoundRoutes> pipelined_routes(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                          const SegmentLimits& limits, const StopRequest& stop) {
  return best_routes(network, root, bytes, /*parallel=*/false, limits, stop);
}
std::vector<FoundRoutes> parallel_routes(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                         const SegmentLimits& limits, const StopRequest& stop) {
  return best_routes(network, root, bytes, /*parallel=*/true, limits, stop);
}

constexpr std::array kBroadcastPlanners{
    BroadcastPlannerEntry{{"broadcast", "flat", "none", "O(C)", kSteffenel}, flat_tree},
    BroadcastPlannerEntry{{"broadcast", "fef", "none", "O(C^2)", kBhat}, fef_tree},
    BroadcastPlannerEntry{{"broadcast", "fef-gap", "none", "O(C^2)", kBhat}, fef_gap_tree},
    BroadcastPlannerEntry{{"broadcast", "ecef", "none", "O(C^2) a round at most", kBhat}, ecef_tree},
    BroadcastPlannerEntry{{"broadcast", "ecef-la", "none", "O(C^2) a round at most", kBhat}, ecef_la_tree},
    BroadcastPlannerEntry{{"broadcast", "ecef-la-tmin", "none", "O(C^2) a round at most", kSteffenel},
                          ecef_la_tmin_tree},
    BroadcastPlannerEntry{{"broadcast", "ecef-la-tmax", "none", "O(C^2) a round at most", kSteffenel},
                          ecef_la_tmax_tree},
    BroadcastPlannerEntry{{"broadcast", "bottom-up", "none", "O(C^2)", kSteffenel}, bottom_up_tree},
    BroadcastPlannerEntry{{"broadcast", "bottom-up-la", "none", "O(C^2 log C)", kSteffenel}, bottom_up_la_tree},
    BroadcastPlannerEntry{.about = {"broadcast", "exact", "shortest tree between clusters; at most 16 of them",
                                    "exponential", "ours: branch and bound", true},
                          .search = exact_tree},
    BroadcastPlannerEntry{.about = {"broadcast", "pipelined", "none; segments flow through one tree of all ranks",
                                    "O(messages)", "after Kielmann et al. 2001"},
                          .routes = pipelined_routes},
    BroadcastPlannerEntry{.about = {"broadcast", "parallel-entry",
                                    "none; parts enter each site over several connections", "O(messages)", "ours"},
                          .routes = parallel_routes,
                          .several_clusters = true},
};

constexpr auto kBroadcastAlgorithms = [] {
  std::array<Algorithm, kBroadcastPlanners.size()> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = kBroadcastPlanners[i].about;
  return result;
}();

}  // namespace

Lookahead lookahead_of(std::string_view name) {
  if (name == "min") return Lookahead::kLeast;
  if (name == "average") return Lookahead::kAverage;
  if (name == "average-sets") return Lookahead::kAverageSets;
  throw InputError("lookahead", "'" + std::string(name) + "'", "one of min, average, average-sets");
}

std::span<const BroadcastPlannerEntry> broadcast_planners() { return kBroadcastPlanners; }

const BroadcastPlannerEntry* broadcast_planner(std::string_view name) {
  const auto* const found = std::find_if(kBroadcastPlanners.begin(), kBroadcastPlanners.end(),
                                         [&](const BroadcastPlannerEntry& each) { return each.about.name == name; });
  return found == kBroadcastPlanners.end() ? nullptr : found;
}

std::span<const Algorithm> broadcast_algorithms() { return kBroadcastAlgorithms; }

}  // namespace sluice::detail
