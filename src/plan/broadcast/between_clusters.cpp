#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/bound_below.hpp"
#include "input/platform_parts.hpp"
#include "plan/broadcast/check.hpp"
#include "plan/broadcast/cluster_tree.hpp"
#include "plan/broadcast/inside.hpp"
#include "plan/broadcast/registry.hpp"
#include "plan/candidates.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice {

namespace {

using detail::BroadcastPlannerEntry;
using detail::ClusterTree;
using detail::FoundTree;
using detail::Lookahead;

void check_problem(const BetweenClusters& problem) {
  const std::int64_t clusters = problem.clusters();
  if (clusters < 1) throw InputError("clusters", "none", "at least one");
  if (problem.root < 0 || problem.root >= clusters)
    throw InputError("root", fmt::format("{}", problem.root), index_text(clusters, "cluster"));
  if (problem.segments < 1) throw InputError("segments", fmt::format("{}", problem.segments), "at least 1");
  const std::size_t cells = problem.inside.size() * problem.inside.size();
  const auto check_matrix = [&](const char* name, const std::vector<double>& matrix) {
    if (matrix.size() != cells)
      throw InputError(name, count_text(matrix.size(), "value"), fmt::format("{} x {}", clusters, clusters));
  };
  check_matrix("gap", problem.gap);
  check_matrix("latency", problem.latency);
  const auto check_times = [&](const char* name, const std::vector<double>& times, bool matrix) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (matrix && i % (problem.inside.size() + 1) == 0) continue;
      if (!std::isfinite(times[i]) || times[i] < 0)
        throw InputError(name, fmt::format("{}", times[i]), "finite and at least 0");
    }
  };
  check_times("gap", problem.gap, true);
  check_times("latency", problem.latency, true);
  check_times("internal broadcast", problem.inside, false);
}

/// The planner called `name`; null for auto.
const BroadcastPlannerEntry* tree_planner(const std::string& name) {
  if (name == "auto") return nullptr;
  const BroadcastPlannerEntry* const planner = detail::broadcast_planner(name);
  if (planner != nullptr && planner->between_clusters()) return planner;
  std::string names;
  for (const BroadcastPlannerEntry& each : detail::broadcast_planners())
    if (each.between_clusters()) names += std::string(each.about.name) + ", ";
  throw InputError("algorithm", "'" + name + "'", "one of " + names + "auto");
}

/// How many steps a planner may take: its usual pace, times the limit.
std::int64_t steps_in(double seconds, double pace) {
  constexpr double kMost = 1e15;
  return static_cast<std::int64_t>(std::min(kMost, seconds * pace));
}

/// Nodes a second of exact; moves a second of the local search, for one cluster.
constexpr double kNodesPerSecond = 2e5, kMovesPerSecond = 5e7;

FoundTree plan_by_search(decltype(BroadcastPlannerEntry::search) search, const BetweenClusters& problem,
                         const ClusterTree& start, const BetweenOptions& options) {
  return search(problem, start, options.early_internal,
                std::max<std::int64_t>(1, steps_in(options.effort, kNodesPerSecond)), options.stop);
}

/// The shortest of the heuristics' trees; of equals the first.
ClusterTree best_heuristic(const BetweenClusters& problem) {
  detail::Candidates<ClusterTree> candidates;
  const detail::Costs costs(problem);
  const auto offer = [&](ClusterTree tree) {
    const double length = detail::makespan(problem, tree);
    candidates.offer(length, std::move(tree));
  };
  for (const BroadcastPlannerEntry& each : detail::broadcast_planners())
    if (each.tree != nullptr) offer(each.tree(costs, Lookahead::kLeast));
  for (const Lookahead lookahead : {Lookahead::kAverage, Lookahead::kAverageSets})
    offer(detail::ecef_la_tree(costs, lookahead));
  return *candidates.take();
}

FoundTree plan_auto(const BetweenClusters& problem, const BetweenOptions& options) {
  constexpr std::int64_t kClustersForExact = 10;
  ClusterTree best = problem.clusters() == 1 ? ClusterTree(1) : best_heuristic(problem);
  const double bound = detail::shortest_paths_bound(problem);
  if (detail::makespan(problem, best) <= bound * (1 + 1e-12)) return {std::move(best), bound, true, 0};
  const bool exact = problem.segments == 1 && problem.clusters() <= kClustersForExact;
  if (exact) {
    FoundTree planned = plan_by_search(detail::exact_tree, problem, best, options);
    if (planned.optimal) return planned;
    best = std::move(planned.tree);
  }
  const double one_move = static_cast<double>(problem.clusters() * problem.segments) + 10;
  const std::int64_t moves = steps_in(options.effort, kMovesPerSecond / one_move);
  best = detail::improved_tree(problem, best, options.early_internal, moves, options.stop);
  return {std::move(best), bound, false, 0};
}

FoundTree plan_by_name(const BroadcastPlannerEntry& planner, const BetweenClusters& problem,
                       const BetweenOptions& options) {
  if (planner.tree != nullptr)
    return {planner.tree(detail::Costs(problem), detail::lookahead_of(options.lookahead)), 0, false, 0};
  const std::string where = "algorithm " + options.algorithm;
  if (problem.segments != 1) throw InputError(where, count_text(problem.segments, "segment"), "one");
  if (problem.clusters() > detail::kMostClustersForExact)
    throw InputError(where, count_text(problem.clusters(), "cluster"),
                     fmt::format("at most {}", detail::kMostClustersForExact));
  return plan_by_search(planner.search, problem, best_heuristic(problem), options);
}

}  // namespace

BetweenPlan plan_between_clusters(const BetweenClusters& problem, const BetweenOptions& options) {
  check_problem(problem);
  const BroadcastPlannerEntry* const planner = tree_planner(options.algorithm);
  if (options.early_internal && problem.segments != 1)
    throw InputError("early internal broadcasts", count_text(problem.segments, "segment"), "one");
  if (!(options.effort >= 0)) throw InputError("effort", fmt::format("{}", options.effort), "at least 0");
  FoundTree planned = planner == nullptr ? plan_auto(problem, options) : plan_by_name(*planner, problem, options);
  if (problem.segments != 1) planned.tree.sends_before_inside.clear();
  BetweenPlan plan;
  plan.schedule = detail::scheduled(problem, planned.tree);
  plan.schedule.algorithm = options.algorithm;
  plan.schedule.bound.lower =
      detail::bound_below(std::max(plan.schedule.bound.lower, planned.at_least), plan.schedule.length);
  plan.optimal = planned.optimal || plan.schedule.length <= plan.schedule.bound.lower * (1 + 1e-12);
  plan.nodes = planned.nodes;
  for (std::size_t i = 0; i < problem.inside.size(); ++i)
    plan.sends_before_inside.push_back(planned.tree.sends_before_inside.empty()
                                           ? static_cast<std::int64_t>(planned.tree.children[i].size())
                                           : planned.tree.sends_before_inside[i]);
  return plan;
}

void detail::cut_message(BetweenClusters& problem, const Platform& platform, std::int64_t bytes,
                         std::int64_t segments) {
  const std::size_t n = platform.clusters.size();
  problem.segments = segments;
  problem.gap.assign(n * n, 0);
  problem.latency.assign(n * n, 0);
  if (bytes == 0) return;
  const std::int64_t part = (bytes + segments - 1) / segments;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      const PlatformLink& link = platform.link(static_cast<std::int64_t>(i), static_cast<std::int64_t>(j));
      problem.gap[i * n + j] = link.gap.at(part);
      problem.latency[i * n + j] = link.latency_s;
    }
  }
}

BetweenClusters detail::between_clusters(const Platform& platform, std::int64_t bytes, std::int64_t root,
                                         std::string_view inside,
                                         std::vector<std::vector<StrategyPrediction>>& models) {
  check_platform(platform, "platform");
  detail::check_broadcast_size(bytes);
  if (root < 0 || root >= platform.ranks)
    throw InputError("root", fmt::format("{}", root), index_text(platform.ranks, "rank"));
  detail::check_pairs(platform);
  BetweenClusters problem;
  problem.root = platform.cluster_of(root);
  detail::cut_message(problem, platform, bytes, 1);
  for (const PlatformCluster& cluster : platform.clusters) {
    std::vector<StrategyPrediction>& of_cluster = models.emplace_back();
    if (const auto measured = inside.empty() ? cluster.measured_broadcast(bytes) : std::nullopt) {
      problem.inside.push_back(measured->seconds);
    } else {
      of_cluster = predict_broadcast(cluster, bytes);
      problem.inside.push_back(detail::best_inside(of_cluster, cluster, bytes, inside).time_s);
    }
  }
  return problem;
}

BetweenClusters between_clusters(const Platform& platform, std::int64_t bytes, std::int64_t root, std::int64_t segments,
                                 std::string_view inside) {
  if (segments < 1) throw InputError("segments", fmt::format("{}", segments), "at least 1");
  std::vector<std::vector<StrategyPrediction>> models;
  BetweenClusters problem = detail::between_clusters(platform, bytes, root, inside, models);
  if (segments != 1) detail::cut_message(problem, platform, bytes, segments);
  return problem;
}

std::vector<Violation> validate(const TreeSchedule& schedule, const BetweenClusters& problem,
                                const std::vector<std::int64_t>& sends_before_inside) {
  check_problem(problem);
  std::vector<Violation> violations = validate(schedule);
  if (!violations.empty()) return violations;
  const auto report = [&](std::int64_t machine, std::string reason) {
    violations.push_back({-1, machine, std::move(reason)});
  };
  if (schedule.problem != "broadcast" || schedule.machines != problem.clusters() || schedule.root != problem.root ||
      schedule.segments != problem.segments) {
    report(-1,
           fmt::format("a {} of {} from {} in {}, the problem has {}, {} and {}", schedule.problem,
                       count_text(schedule.machines, "machine"), schedule.root,
                       count_text(schedule.segments, "segment"), problem.clusters(), problem.root, problem.segments));
    return violations;
  }
  const detail::Costs costs(problem);
  const double tolerance = 1e-9 * schedule.length;
  const auto differ = [&](double a, double b) { return std::abs(a - b) > tolerance; };
  std::vector<double> free(costs.size(), 0), arrived(costs.size(), 0), inside_end(costs.size(), -1);
  std::vector<std::int64_t> sends(costs.size(), 0);
  const auto broadcasts_now = [&](std::size_t i) {
    return !sends_before_inside.empty() && schedule.segments == 1 && sends[i] == sends_before_inside[i] &&
           inside_end[i] < 0;
  };
  const auto broadcast_inside = [&](std::size_t i) {
    free[i] = inside_end[i] = std::max(free[i], arrived[i]) + costs.inside(i);
  };
  for (std::size_t t = 0; t < schedule.transfers.size(); ++t) {
    const TimedTransfer& transfer = schedule.transfers[t];
    const auto from = static_cast<std::size_t>(transfer.from), to = static_cast<std::size_t>(transfer.to);
    if (differ(transfer.end - transfer.start, costs.transfer(from, to)))
      report(transfer.from, fmt::format("transfer {}: takes {}, g + L is {}", t, transfer.end - transfer.start,
                                        costs.transfer(from, to)));
    if (differ(transfer.port, costs.gap(from, to)))
      report(transfer.from,
             fmt::format("transfer {}: keeps its port for {}, g is {}", t, transfer.port, costs.gap(from, to)));
    if (broadcasts_now(from)) broadcast_inside(from);
    if (transfer.start < free[from] - tolerance)
      report(transfer.from, fmt::format("transfer {}: starts at {}, cluster {} sends or broadcasts inside until {}", t,
                                        transfer.start, transfer.from, free[from]));
    free[from] = std::max(free[from], transfer.start + costs.gap(from, to));
    arrived[to] = std::max(arrived[to], transfer.end);
    ++sends[from];
  }
  double last = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (inside_end[i] < 0) broadcast_inside(i);
    last = std::max(last, inside_end[i]);
  }
  if (violations.empty() && differ(last, schedule.length))
    report(-1, fmt::format("the length is {}, the last internal broadcast ends at {}", schedule.length, last));
  return violations;
}

}  // namespace sluice
