#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/plan/broadcast.hpp"

/// Trees between clusters, and the functions that their planners share.
namespace sluice::detail {

/// Which clusters each cluster sends to, in the order of sending.
struct ClusterTree {
  std::vector<std::vector<std::int32_t>> children;  ///< of each cluster, in the order of sending
  std::vector<std::int32_t> parent;                 ///< -1 for the root
  /// For each cluster, how many of its sends come before its internal broadcast; empty: all of them.
  std::vector<std::int32_t> sends_before_inside;

  explicit ClusterTree(std::size_t clusters) : children(clusters), parent(clusters, -1) {}

  void append(std::int32_t from, std::int32_t to) {
    children[static_cast<std::size_t>(from)].push_back(to);
    parent[static_cast<std::size_t>(to)] = from;
  }
};

/// The matrices of a problem, for loops that read them often.
class Costs {
 public:
  explicit Costs(const BetweenClusters& problem) : problem_(problem), n_(problem.inside.size()) {}

  [[nodiscard]] std::size_t size() const { return n_; }
  [[nodiscard]] double gap(std::size_t i, std::size_t j) const { return problem_.gap[i * n_ + j]; }
  [[nodiscard]] double latency(std::size_t i, std::size_t j) const { return problem_.latency[i * n_ + j]; }
  [[nodiscard]] double transfer(std::size_t i, std::size_t j) const { return gap(i, j) + latency(i, j); }
  [[nodiscard]] double inside(std::size_t i) const { return problem_.inside[i]; }
  [[nodiscard]] std::size_t root() const { return static_cast<std::size_t>(problem_.root); }

 private:
  const BetweenClusters& problem_;
  std::size_t n_;
};

/// Sets the costs of `problem` for a message of `bytes`, cut into `segments` segments. @pre check_platform, both
/// numbers in range
void cut_message(BetweenClusters& problem, const Platform& platform, std::int64_t bytes, std::int64_t segments);

/// The time when the last cluster ends its internal broadcast. O(clusters * segments) time.
[[nodiscard]] double makespan(const BetweenClusters& problem, const ClusterTree& tree);

/// The tree with its times; `bound.lower` is shortest_paths_bound. O(t log t) time for t transfers.
[[nodiscard]] TreeSchedule scheduled(const BetweenClusters& problem, const ClusterTree& tree);

/// A lower bound on the length of any schedule: a cluster gets the message no earlier than along the cheapest path, and
/// then broadcasts inside. O(C^2) time.
[[nodiscard]] double shortest_paths_bound(const BetweenClusters& problem);

struct FoundTree {
  ClusterTree tree;
  double at_least = 0;     ///< no schedule is shorter
  bool optimal = false;    ///< proven
  std::int64_t nodes = 0;  ///< of the search
};

inline constexpr std::int64_t kMostClustersForExact = 16;

/// See exact.cpp. `start` is a schedule to beat; at most `most_nodes` nodes, fewer if `stop` says so.
[[nodiscard]] FoundTree exact_tree(const BetweenClusters& problem, const ClusterTree& start, bool early_internal,
                                   std::int64_t most_nodes, const StopRequest& stop);

/// See local_search.cpp. Never longer than `start`.
[[nodiscard]] ClusterTree improved_tree(const BetweenClusters& problem, const ClusterTree& start, bool early_internal,
                                        std::int64_t attempts, const StopRequest& stop);

}  // namespace sluice::detail
