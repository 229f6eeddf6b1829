/// `pipelined` and `parallel-entry`: broadcasts whose segments flow from rank to rank, each on a route of its own.
///
/// Problem: on long links one connection carries little, and a coordinator that waits for the whole message before it
/// sends on makes the times of all levels add up.
/// Method: a level of the platform (input/platform_levels.hpp) has groups: hosts, LANs or sites. The message is cut
/// into segments; for each there is a tree of all ranks, made of
///  - a tree of groups; segments go from group to group over one connection, between two fixed ranks (`pipelined`), or
///    over as many side by side as the links carry, K, each between two ranks of its own (`parallel-entry`): segment p
///    goes to the (p mod K)-th entry of a group, and entries are spread evenly over its ranks;
///  - inside a group a chain, a heap-ordered binary tree or a binomial tree, which starts at the segment's entry and
///    goes round the ring of ranks: so all segments together load all ranks alike. Ranks stand in the order of the
///    group's parts and theirs, so the ring leaves every LAN and every host once;
///  - in the root's group either such a tree from the root itself, or (`spread`) the root sends each segment to one
///    rank, in turn, from which the tree of the others starts.
/// In the root's group segments leave for others from as many ranks behind the root as there are connections. No
/// rank waits for more than the segment that it passes on. A rank sends to other groups first, then segment by segment.
/// Every level is tried by itself. All trees of its groups are if there are at most four; else those of the heuristics
/// fef, fef-gap, ecef and flat, for one segment and for the whole message. First every combination of tree and shapes
/// with segments of moderate size, then the best ones with smaller and larger segments, then shapes again. All that by
/// the simulation in rank_network.hpp; of the few of each level that are best there, the planner takes the one that
/// replay.cpp finds shortest.
/// Guarantee: none. Complexity: O(m log m) time for each combination, for m = segments * ranks messages; the number of
/// messages simulated is limited. Deterministic. Source: segments that flow through a tree: Kielmann et al. (2001), van
/// de Geijn and others; ring inside: the allgather of Thakur, Rabenseifner, Gropp (2005), each part as soon as it is
/// there. Several connections into a cluster at once: ours.
///
/// Example: 2 groups of 2 ranks, K = 2, two segments, spread: the root 0 gives segment 0 to 1, which sends it to 2,
/// which gives it to 3; segment 1 goes to 1 as well (the only other rank), from there to 3, which gives it to 2.
#include "plan/broadcast/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "plan/broadcast/cluster_tree.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

using Shape = Routes::Shape;

std::size_t parent_in(Shape shape, std::size_t i) {
  switch (shape) {
    case Shape::kChain:
      return i - 1;
    case Shape::kBinary:
      return (i - 1) / 2;
    case Shape::kBinomial:
      return i & (i - 1);
  }
  return 0;
}

std::int64_t connections_between(const RankNetwork& network, const RankGroup& from, const RankGroup& to) {
  std::int64_t most = 1;
  for (const std::size_t a : from.clusters)
    for (const std::size_t b : to.clusters) most = std::max(most, network.link(a, b).connections);
  return most;
}

class Builder {
 public:
  Builder(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes, const Routes& routes)
      : groups_(groups), bytes_(bytes), routes_(routes), entries_(groups.size(), 1), children_(groups.size()) {
    for (std::size_t s = 1; s < groups.size(); ++s) {
      const auto up = static_cast<std::size_t>(routes.parent[s]);
      children_[up].push_back(s);
      if (!routes.parallel) continue;
      const std::size_t senders =
          up == 0 && groups[0].ranks.size() > 1 ? groups[0].ranks.size() - 1 : groups[up].ranks.size();
      entries_[s] = std::min({static_cast<std::size_t>(connections_between(network, groups[up], groups[s])), senders,
                              groups[s].ranks.size()});
    }
    // The most distant first: what it takes to get there cannot be made up for.
    const auto latency = [&](std::size_t a, std::size_t b) {
      return network.link(groups[a].clusters.front(), groups[b].clusters.front()).latency_s;
    };
    for (std::size_t s = 0; s < groups.size(); ++s)
      std::stable_sort(children_[s].begin(), children_[s].end(),
                       [&](std::size_t a, std::size_t b) { return latency(s, a) > latency(s, b); });
  }

  std::vector<RankMessage> run() {
    const std::int64_t segments = (bytes_ + routes_.segment_bytes - 1) / routes_.segment_bytes;
    messages_.reserve(static_cast<std::size_t>(segments) * 16);
    for (segment_ = 0; segment_ < segments; ++segment_) {
      begin_ = segment_ * routes_.segment_bytes;
      end_ = std::min(bytes_, begin_ + routes_.segment_bytes);
      for (std::size_t s = 0; s < groups_.size(); ++s) add_group(s);
    }
    return std::move(messages_);
  }

 private:
  void add(std::int64_t from, std::int64_t to, double priority) {
    messages_.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), begin_, end_, priority});
  }

  [[nodiscard]] std::int64_t entry(std::size_t group) const {
    const std::size_t ranks = groups_[group].ranks.size();
    return static_cast<std::int64_t>(static_cast<std::size_t>(segment_) % entries_[group] * ranks / entries_[group]);
  }

  void add_group(std::size_t s) {
    const std::vector<std::int64_t>& ranks = groups_[s].ranks;
    const std::size_t n = ranks.size();
    const auto segment = static_cast<std::size_t>(segment_);
    const bool spread = s == 0 && routes_.spread && n > 1;
    // The ranks that pass the segment on inside: a ring of `size` from `first`, entered at `start`.
    const std::size_t first = spread ? 1 : 0, size = n - first;
    const std::size_t start = s != 0 ? static_cast<std::size_t>(entry(s)) : spread ? segment % size : 0;
    const auto at = [&](std::size_t i) { return ranks[first + (start + i) % size]; };
    const double inside = 1e12 + static_cast<double>(segment_);
    if (spread) add(ranks[0], at(0), inside);
    const Shape shape = s == 0 ? routes_.root_shape : routes_.shape;
    for (std::size_t i = 1; i < size; ++i) {
      // A binomial tree serves the largest subtree first, others the nearest.
      const double order =
          static_cast<double>(shape == Shape::kBinomial ? size - i : i) / static_cast<double>(size + 1);
      add(at(parent_in(shape, i)), at(i), inside + order);
    }
    std::size_t used = 0;
    for (std::size_t c = 0; c < children_[s].size(); ++c) {
      const std::size_t child = children_[s][c];
      std::int64_t sender = at(c % size);
      if (!routes_.parallel)
        sender = s == 0 ? ranks[0] : at(0);
      else if (s == 0 && !spread && n > 1)
        sender = ranks[1 + (used + segment % entries_[child]) % (n - 1)];
      used += entries_[child];
      add(sender, groups_[child].ranks[static_cast<std::size_t>(entry(child))],
          static_cast<double>(segment_) + static_cast<double>(c) / static_cast<double>(groups_.size()));
    }
  }

  const std::vector<RankGroup>& groups_;
  std::int64_t bytes_;
  const Routes& routes_;
  std::vector<std::size_t> entries_;  // of each group
  std::vector<std::vector<std::size_t>> children_;
  std::vector<RankMessage> messages_;
  std::int64_t segment_ = 0, begin_ = 0, end_ = 0;
};

/// Parents of each group.
using GroupTree = std::vector<std::int32_t>;

std::vector<GroupTree> all_trees(std::size_t groups) {
  std::vector<GroupTree> result;
  GroupTree parent(groups, 0);
  parent[0] = -1;
  for (;;) {
    bool tree = true;
    for (std::size_t s = 1; s < groups && tree; ++s) {
      std::size_t up = s, steps = 0;
      while (up != 0 && steps <= groups) {
        up = static_cast<std::size_t>(parent[up]);
        ++steps;
      }
      tree = up == 0;
    }
    if (tree) result.push_back(parent);
    std::size_t s = 1;
    while (s < groups && ++parent[s] == static_cast<std::int32_t>(groups)) parent[s++] = 0;
    if (s == groups) return result;
  }
}

std::vector<GroupTree> group_trees(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes,
                                   bool parallel) {
  constexpr std::size_t kFew = 4;
  if (groups.size() <= kFew) return all_trees(groups.size());
  std::set<GroupTree> trees;
  for (const std::int64_t part : {std::max<std::int64_t>(1, bytes / 64), bytes}) {
    BetweenClusters problem;
    problem.inside.assign(groups.size(), 0);
    for (const RankGroup& from : groups) {
      for (const RankGroup& to : groups) {
        problem.gap.push_back(0);
        problem.latency.push_back(0);
        if (&from == &to) continue;
        const PlatformLink& link = network.link(from.clusters.front(), to.clusters.front());
        const std::int64_t beside = parallel ? connections_between(network, from, to) : 1;
        problem.gap.back() = link.gap.at(part) / static_cast<double>(beside);
        problem.latency.back() = link.latency_s;
      }
    }
    for (const char* algorithm : {"flat", "fef", "fef-gap", "ecef"})
      trees.insert(heuristic_tree(problem, algorithm, "min").parent);
  }
  return {trees.begin(), trees.end()};
}

class RouteSearch {
 public:
  RouteSearch(const RankNetwork& network, std::size_t level, std::int64_t root, std::int64_t bytes, bool parallel,
              std::int64_t segments, std::int64_t most_messages, const StopRequest& stop)
      : network_(network),
        level_(level),
        groups_(network.groups_from(root, level)),
        root_(root),
        bytes_(bytes),
        parallel_(parallel),
        segments_(segments),
        left_(most_messages),
        stop_(stop) {}

  std::vector<FoundRoutes> run() {
    if (segments_ == 0) least_bytes_ = least_segment();
    trees_ = group_trees(network_, groups_, bytes_, parallel_);
    if (segments_ > 0) {
      try_combinations((bytes_ + segments_ - 1) / segments_);
      return std::move(few_);
    }
    constexpr std::int64_t kSegments = 32, kShort = 4096;
    const std::int64_t segments = std::min(kSegments, most_segments());
    try_combinations(std::max((bytes_ + segments - 1) / segments, std::min(bytes_, kShort)));
    if (bytes_ > kShort) try_combinations(bytes_);
    tune_segments();
    try_shapes();
    tune_segments();
    return std::move(few_);
  }

 private:
  static constexpr std::array kShapes{Shape::kChain, Shape::kBinary, Shape::kBinomial};

  /// Below it what every message costs, whatever its size, would be more than a thirtieth of what each segment keeps at
  /// least, a rank inside or the uplink of the root's innermost group: the model has only an idea of what ranks do
  /// besides sending.
  [[nodiscard]] std::int64_t least_segment() const {
    constexpr double kTimes = 30;
    const std::size_t cluster = network_.cluster(root_), group = network_.levels().group(0, cluster);
    const GapTable& inside = network_.platform().clusters[cluster].gap;
    const auto kept = [&](std::int64_t bytes) {
      return std::max(inside.points().empty() ? 0 : inside.at(bytes),
                      groups_.size() > 1 ? network_.uplink_s(2 * group, bytes) : 0);
    };
    std::int64_t bytes = 1;
    while (bytes < bytes_ && kept(bytes) < kTimes * kept(1)) bytes *= 2;
    return bytes;
  }

  /// The routes found are replayed, which takes a second for so many messages, and grows with their square.
  [[nodiscard]] std::int64_t most_segments() const {
    constexpr std::int64_t kMostSegments = 4096, kMostMessages = 50'000;
    return std::clamp<std::int64_t>(kMostMessages / network_.platform().ranks, 1, kMostSegments);
  }

  bool attempt(const Routes& routes) {
    if (routes.segment_bytes < std::min(bytes_, least_bytes_) || routes.segment_bytes > bytes_) return false;
    const std::int64_t segments = (bytes_ + routes.segment_bytes - 1) / routes.segment_bytes;
    const std::int64_t messages = segments * network_.platform().ranks;
    if (best_ && stop_ && stop_()) left_ = 0;
    if (best_ && (left_ < messages || (segments > most_segments() && segments_ == 0))) return false;
    if (!tried_.insert({routes.parent, routes.spread, routes.root_shape, routes.shape, routes.segment_bytes}).second)
      return false;
    left_ -= messages;
    const double length =
        timed_program(network_, root_, bytes_, Builder(network_, groups_, bytes_, routes).run(), false, true).length_s;
    keep({routes, length});
    if (best_ && length >= best_->length_s) return false;
    best_ = {routes, length};
    return true;
  }

  /// Of routes that differ in their segments alone, the best.
  void keep(const FoundRoutes& found) {
    constexpr std::size_t kFew = 4;
    const auto alike = [&](const FoundRoutes& each) {
      return std::tie(each.routes.parent, each.routes.spread, each.routes.root_shape, each.routes.shape) ==
             std::tie(found.routes.parent, found.routes.spread, found.routes.root_shape, found.routes.shape);
    };
    const auto known = std::find_if(few_.begin(), few_.end(), alike);
    if (known != few_.end()) {
      if (known->length_s <= found.length_s) return;
      few_.erase(known);
    }
    const auto at = std::upper_bound(few_.begin(), few_.end(), found.length_s,
                                     [](double length, const FoundRoutes& each) { return length < each.length_s; });
    few_.insert(at, found);
    if (few_.size() > kFew) few_.pop_back();
  }

  /// From the routes given, or with these segments from the plainest ones.
  void try_combinations(std::int64_t segment_bytes) {
    Routes routes{level_, trees_.front(), parallel_, false, Shape::kChain, Shape::kBinary, segment_bytes};
    std::optional<FoundRoutes> best;
    std::swap(best, best_);
    if (attempt(routes)) try_shapes();
    if (best && (!best_ || best->length_s < best_->length_s)) best_ = best;
  }

  void try_shapes() {
    const Routes found = best_->routes;
    for (const GroupTree& tree : trees_) {
      for (const bool spread : {false, true}) {
        Routes routes = found;
        routes.parent = tree;
        routes.spread = spread;
        attempt(routes);
      }
    }
    const Routes with_tree = best_->routes;
    for (const Shape root_shape : kShapes) {
      for (const Shape shape : kShapes) {
        Routes routes = with_tree;
        routes.root_shape = root_shape;
        routes.shape = shape;
        attempt(routes);
      }
    }
  }

  void tune_segments() {
    for (const double factor : {0.5, 2.0, 0.75, 1.25}) {
      for (;;) {
        Routes routes = best_->routes;
        routes.segment_bytes = static_cast<std::int64_t>(static_cast<double>(routes.segment_bytes) * factor);
        if (!attempt(routes)) break;
      }
    }
  }

  const RankNetwork& network_;
  std::size_t level_;
  std::vector<RankGroup> groups_;
  std::int64_t root_;
  std::int64_t bytes_;
  bool parallel_;
  std::int64_t segments_;
  std::int64_t left_;
  const StopRequest& stop_;
  std::int64_t least_bytes_ = 1;
  std::vector<GroupTree> trees_;
  std::set<std::tuple<GroupTree, bool, Shape, Shape, std::int64_t>> tried_;
  std::optional<FoundRoutes> best_;
  std::vector<FoundRoutes> few_;  // the best of all, by their lengths
};

}  // namespace

std::string to_string(const Routes& routes) {
  const auto name = [](Shape shape) {
    return shape == Shape::kChain ? "chain" : shape == Shape::kBinary ? "binary tree" : "binomial tree";
  };
  if (routes.parent.size() == 1)
    return fmt::format("segments of {} bytes, {}{}", routes.segment_bytes, routes.spread ? "spread by the root, " : "",
                       name(routes.root_shape));
  return fmt::format("segments of {} bytes between {} groups, {}{} in the root's, {} in others", routes.segment_bytes,
                     routes.parent.size(), routes.spread ? "spread by the root, " : "", name(routes.root_shape),
                     name(routes.shape));
}

std::vector<RankMessage> route_messages(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                        const Routes& routes) {
  return Builder(network, network.groups_from(root, routes.level), bytes, routes).run();
}

std::vector<FoundRoutes> best_routes(const RankNetwork& network, std::int64_t root, std::int64_t bytes, bool parallel,
                                     std::int64_t segments, std::int64_t most_messages, const StopRequest& stop) {
  std::vector<FoundRoutes> all;
  for (std::size_t level = network.levels().levels(); level-- > 0;) {
    // The outer levels have the long links, and the most to gain.
    const std::int64_t most = level > 0 ? most_messages / 2 : most_messages;
    most_messages -= most;
    const std::vector<FoundRoutes> found =
        RouteSearch(network, level, root, bytes, parallel, segments, most, stop).run();
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace sluice::detail
