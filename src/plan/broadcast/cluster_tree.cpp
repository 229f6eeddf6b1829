#include "plan/broadcast/cluster_tree.hpp"

#include <algorithm>
#include <limits>

#include "base/bound_below.hpp"

namespace sluice::detail {

namespace {

/// Calls send(from, to, segment, start) for every transfer, and done(cluster, time) for the end of every internal
/// broadcast. A sender's transfers come in the order of its sends, and no sender comes before its parent.
template <class Send, class Done>
void walk(const BetweenClusters& problem, const ClusterTree& tree, Send send, Done done) {
  const Costs costs(problem);
  const auto segments = static_cast<std::size_t>(problem.segments);
  std::vector<double> arrival(costs.size() * segments, 0);
  std::vector<std::size_t> stack{costs.root()};
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    stack.pop_back();
    const std::vector<std::int32_t>& children = tree.children[i];
    const std::size_t before =
        tree.sends_before_inside.empty() ? children.size() : static_cast<std::size_t>(tree.sends_before_inside[i]);
    const auto broadcast_inside = [&](double& free) {
      free += costs.inside(i);
      done(i, free);
    };
    double free = arrival[i * segments];
    for (std::size_t segment = 0; segment < segments; ++segment) {
      free = std::max(free, arrival[i * segments + segment]);
      for (std::size_t c = 0; c < children.size(); ++c) {
        const auto j = static_cast<std::size_t>(children[c]);
        if (segments == 1 && c == before) broadcast_inside(free);
        send(i, j, segment, free);
        arrival[j * segments + segment] = free + costs.transfer(i, j);
        free += costs.gap(i, j);
      }
    }
    if (segments != 1 || before >= children.size()) broadcast_inside(free);
    for (const std::int32_t child : children) stack.push_back(static_cast<std::size_t>(child));
  }
}

}  // namespace

double makespan(const BetweenClusters& problem, const ClusterTree& tree) {
  double last = 0;
  walk(
      problem, tree, [](auto...) {}, [&](std::size_t, double time) { last = std::max(last, time); });
  return last;
}

TreeSchedule scheduled(const BetweenClusters& problem, const ClusterTree& tree) {
  const Costs costs(problem);
  TreeSchedule schedule;
  schedule.problem = "broadcast";
  schedule.machines = problem.clusters();
  schedule.root = problem.root;
  schedule.segments = problem.segments;
  walk(
      problem, tree,
      [&](std::size_t from, std::size_t to, std::size_t segment, double start) {
        schedule.transfers.push_back({static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), start,
                                      start + costs.transfer(from, to), static_cast<std::int64_t>(segment),
                                      costs.gap(from, to)});
      },
      [&](std::size_t, double time) { schedule.length = std::max(schedule.length, time); });
  std::stable_sort(schedule.transfers.begin(), schedule.transfers.end(),
                   [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
  schedule.bound = {bound_below(shortest_paths_bound(problem), schedule.length), schedule.length};
  return schedule;
}

double shortest_paths_bound(const BetweenClusters& problem) {
  const Costs costs(problem);
  const std::size_t n = costs.size();
  std::vector<double> distance(n, std::numeric_limits<double>::infinity());
  std::vector<char> done(n, 0);
  distance[costs.root()] = 0;
  double bound = 0;
  const auto segments = static_cast<double>(problem.segments);
  for (std::size_t round = 0; round < n; ++round) {
    std::size_t nearest = n;
    for (std::size_t i = 0; i < n; ++i)
      if (done[i] == 0 && (nearest == n || distance[i] < distance[nearest])) nearest = i;
    done[nearest] = 1;
    double cheapest_gap = nearest == costs.root() ? 0 : std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < n; ++j) {
      if (j == nearest) continue;
      distance[j] = std::min(distance[j], distance[nearest] + costs.transfer(nearest, j));
      if (nearest != costs.root()) cheapest_gap = std::min(cheapest_gap, costs.gap(j, nearest));
    }
    // All segments come over one link, one after the other.
    bound = std::max(bound, distance[nearest] + (segments - 1) * cheapest_gap + costs.inside(nearest));
  }
  return bound;
}

}  // namespace sluice::detail
