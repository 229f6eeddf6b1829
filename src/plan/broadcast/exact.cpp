/// `exact`: the shortest tree between clusters, by branch and bound.
///
/// Problem: see BetweenClusters, one segment.
/// Method: a schedule without waiting clusters is given by who sends to whom and by the order of sends, and no other
/// schedule can be shorter. Among the clusters that still send, the one that is free first decides: it sends to a
/// waiting cluster, or it stops and broadcasts inside; with `early_internal` it may broadcast inside and go on. Every
/// schedule comes up once. A branch ends when its bound is not below the best length. The bound is the largest of:
///  - the ends of the internal broadcasts that have been decided, and the ends of internal broadcasts that start at
///    once if a cluster sends no more;
///  - for each waiting cluster, the cheapest way to it from any that still sends, over waiting clusters, and its
///    internal broadcast;
///  - for the k-th longest internal broadcast among waiting clusters: its cluster cannot have the message before k of
///    them can, if every transfer took the least gap and latency of all.
/// The branch with the least bound comes first.
/// Guarantee: optimal, unless the limit of nodes is reached; then the least bound of what was not searched is still a
/// bound of all.
/// Complexity: exponential; with the times of Table 3 of the paper, some hundred nodes for 7 clusters and some ten
/// thousand for 10. O(C^3) time a node. Deterministic.
/// Source: ours.
///
/// Example: see ecef.cpp: the cheapest way to 2 takes 6, so ecef's schedule of length 6 is proven at the root.
#include <algorithm>
#include <array>
#include <utility>

#include "base/infinity.hpp"
#include "plan/broadcast/cluster_tree.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr auto kMostExactClusters = static_cast<std::size_t>(kMostClustersForExact);

class ClusterTreeSearch {
 public:
  ClusterTreeSearch(const BetweenClusters& problem, const ClusterTree& start, bool early_internal,
                    std::int64_t most_nodes, const StopRequest& stop)
      : c_(problem),
        n_(c_.size()),
        early_(early_internal),
        most_nodes_(most_nodes),
        stop_(stop),
        best_(start),
        tree_(n_) {
    best_length_ = makespan(problem, start);
    for (std::size_t i = 0; i < n_; ++i) {
      by_inside_[i] = i;
      for (std::size_t j = 0; j < n_; ++j) {
        if (i == j) continue;
        transfer_[i][j] = c_.transfer(i, j);
        least_gap_ = std::min(least_gap_, c_.gap(i, j));
        least_transfer_ = std::min(least_transfer_, c_.transfer(i, j));
      }
    }
    std::stable_sort(by_inside_.begin(), by_inside_.begin() + static_cast<std::ptrdiff_t>(n_),
                     [&](std::size_t a, std::size_t b) { return c_.inside(a) > c_.inside(b); });
    tree_.sends_before_inside.assign(n_, 0);
  }

  FoundTree run() {
    State root;
    for (std::size_t i = 0; i < n_; ++i) root.role[i] = Role::kWaits;
    root.role[c_.root()] = Role::kSends;
    root.free[c_.root()] = 0;
    root.waiting = n_ - 1;
    root.bound = bound(root);
    at_least_ = best_length_;
    branch(root);
    return {best_, std::min(at_least_, best_length_), !stopped_ && nodes_ < most_nodes_, nodes_};
  }

 private:
  enum class Role : unsigned char { kWaits, kSends, kDone };

  struct State {
    std::array<double, kMostExactClusters> free{};
    std::array<Role, kMostExactClusters> role{};
    std::array<bool, kMostExactClusters> inside_done{};
    std::size_t waiting = 0;
    double done = 0;  ///< the last end of an internal broadcast that has been decided
    double bound = 0;
  };

  /// What the sender does next.
  struct Choice {
    std::int32_t to;  ///< or one of the two below
    State state;
  };
  static constexpr std::int32_t kStops = -1, kInside = -2;

  [[nodiscard]] double bound(const State& state) const {
    double result = state.done;
    std::array<double, kMostExactClusters> reach{};
    double first_free = kInfinity;
    std::array<double, kMostExactClusters> ready{};
    std::size_t senders = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      reach[i] = kInfinity;
      if (state.role[i] != Role::kSends) continue;
      if (!state.inside_done[i]) result = std::max(result, state.free[i] + c_.inside(i));
      first_free = std::min(first_free, state.free[i]);
      ready[senders++] = state.free[i];
    }
    if (state.waiting == 0) return result;
    if (senders == 0) return kInfinity;
    for (std::size_t j = 0; j < n_; ++j)
      if (state.role[j] == Role::kWaits)
        for (std::size_t i = 0; i < n_; ++i)
          if (state.role[i] == Role::kSends) reach[j] = std::min(reach[j], state.free[i] + transfer_[i][j]);
    std::array<bool, kMostExactClusters> settled{};
    for (std::size_t round = 0; round < state.waiting; ++round) {
      std::size_t nearest = n_;
      for (std::size_t j = 0; j < n_; ++j)
        if (state.role[j] == Role::kWaits && !settled[j] && (nearest == n_ || reach[j] < reach[nearest])) nearest = j;
      settled[nearest] = true;
      result = std::max(result, reach[nearest] + c_.inside(nearest));
      for (std::size_t j = 0; j < n_; ++j)
        if (state.role[j] == Role::kWaits && !settled[j])
          reach[j] = std::min(reach[j], reach[nearest] + transfer_[nearest][j]);
    }
    // The earliest times when the clusters could have it, in order; the longest internal broadcast gets the first one.
    for (std::size_t position = 0; position < n_; ++position) {
      const std::size_t j = by_inside_[position];
      if (state.role[j] != Role::kWaits) continue;
      const auto sender = static_cast<std::size_t>(
          std::min_element(ready.begin(), ready.begin() + static_cast<std::ptrdiff_t>(senders)) - ready.begin());
      const double arrival = ready[sender] + least_transfer_;
      ready[sender] += least_gap_;
      if (senders < kMostExactClusters) ready[senders++] = arrival;
      result = std::max(result, arrival + c_.inside(j));
    }
    return result;
  }

  void leave_out(double bound) { at_least_ = std::min(at_least_, bound); }

  void branch(const State& state) {
    stopped_ = stopped_ || (stop_ && stop_());
    if (stopped_ || nodes_ >= most_nodes_) return leave_out(state.bound);
    ++nodes_;
    if (state.waiting == 0) {
      if (state.bound < best_length_) {
        best_length_ = state.bound;
        best_ = tree_;
        for (std::size_t i = 0; i < n_; ++i)
          if (!state.inside_done[i]) best_.sends_before_inside[i] = static_cast<std::int32_t>(tree_.children[i].size());
      }
      return;
    }
    std::size_t from = n_;
    for (std::size_t i = 0; i < n_; ++i)
      if (state.role[i] == Role::kSends && (from == n_ || state.free[i] < state.free[from])) from = i;
    std::vector<Choice> choices;
    const auto offer = [&](std::int32_t to, State&& next) {
      next.bound = std::max(state.bound, bound(next));
      if (next.bound < best_length_) choices.push_back({to, next});
    };
    for (std::size_t j = 0; j < n_; ++j) {
      if (state.role[j] != Role::kWaits) continue;
      State next = state;
      next.role[j] = Role::kSends;
      next.free[j] = state.free[from] + transfer_[from][j];
      next.free[from] += c_.gap(from, j);
      --next.waiting;
      offer(static_cast<std::int32_t>(j), std::move(next));
    }
    const auto broadcast_inside = [&](State& next) {
      next.inside_done[from] = true;
      next.free[from] += c_.inside(from);
      next.done = std::max(next.done, next.free[from]);
    };
    State stopped = state;
    if (!stopped.inside_done[from]) broadcast_inside(stopped);
    stopped.inside_done[from] = state.inside_done[from];
    stopped.role[from] = Role::kDone;
    offer(kStops, std::move(stopped));
    if (early_ && !state.inside_done[from]) {
      State next = state;
      broadcast_inside(next);
      offer(kInside, std::move(next));
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [](const Choice& a, const Choice& b) { return a.state.bound < b.state.bound; });
    for (const Choice& choice : choices) {
      if (choice.state.bound >= best_length_) continue;
      if (choice.to >= 0) {
        tree_.append(static_cast<std::int32_t>(from), choice.to);
        branch(choice.state);
        tree_.children[from].pop_back();
      } else {
        if (choice.to == kInside)
          tree_.sends_before_inside[from] = static_cast<std::int32_t>(tree_.children[from].size());
        branch(choice.state);
      }
    }
  }

  Costs c_;
  std::size_t n_;
  bool early_;
  std::int64_t most_nodes_;
  const StopRequest& stop_;
  bool stopped_ = false;
  std::array<std::array<double, kMostExactClusters>, kMostExactClusters> transfer_{};
  std::array<std::size_t, kMostExactClusters> by_inside_{};
  double least_gap_ = kInfinity;
  double least_transfer_ = kInfinity;
  double best_length_ = 0;
  double at_least_ = kInfinity;
  ClusterTree best_;
  ClusterTree tree_;
  std::int64_t nodes_ = 0;
};

}  // namespace

FoundTree exact_tree(const BetweenClusters& problem, const ClusterTree& start, bool early_internal,
                     std::int64_t most_nodes, const StopRequest& stop) {
  SLUICE_ASSERT(problem.segments == 1 && problem.clusters() <= kMostClustersForExact, "");
  return ClusterTreeSearch(problem, start, early_internal, most_nodes, stop).run();
}

}  // namespace sluice::detail
