/// The search for the best routes of `pipelined` and `parallel-entry` (routes.cpp says what routes are).
///
/// Method: every level of the platform is tried by itself. If it has at most four groups, all their trees are tried.
/// Otherwise the heuristics fef, fef-gap, ecef and flat make trees for one segment and for the whole message. Chains
/// and binary trees of groups (TreesOfStreams) are tried too. First comes every combination of tree and shapes with
/// segments of moderate size. Then the best ones with smaller and larger segments, then shapes again, and two
/// alternating trees. All use the score of route_score.cpp. The planner compares replays of the best few (plan.cpp).
/// Guarantee: none. Complexity: O(k n) time for each combination, for n ranks and k entries to a group. Deterministic.
/// Source: ours.
#include "plan/broadcast/route_search.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/infinity.hpp"
#include "plan/broadcast/cluster_tree.hpp"
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/route_builder.hpp"
#include "plan/broadcast/route_score.hpp"

namespace sluice::detail {

namespace {

using Shape = Routes::Shape;
using Entries = Routes::Entries;

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

/// Trees that enter no group of a higher level twice and make few groups forward a segment twice. The groups at the
/// outermost level form a chain, each the nearest remaining one to the group before, or the binary tree (a heap) of
/// that order. So do the groups inside each of them, and so on down to the groups of the tree.
class TreesOfStreams {
 public:
  TreesOfStreams(const RankNetwork& network, const std::vector<RankGroup>& groups, std::size_t level,
                 const Costs& costs)
      : network_(network), groups_(groups), level_(level), costs_(costs) {}

  std::vector<GroupTree> run() {
    std::vector<GroupTree> result;
    std::vector<std::size_t> all(groups_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    for (const bool heap_outside : {false, true}) {
      for (const bool heap_inside : {false, true}) {
        heap_outside_ = heap_outside;
        heap_inside_ = heap_inside;
        tree_.assign(groups_.size(), -1);
        join(all, network_.levels().levels(), true);
        result.push_back(tree_);
      }
    }
    return result;
  }

 private:
  /// Below the first of `members`, which are in one group of `level`.
  void join(const std::vector<std::size_t>& members, std::size_t level, bool outside) {
    std::vector<std::vector<std::size_t>> parts;
    while (parts.size() < 2 && level > level_) {
      --level;
      parts.clear();
      for (const std::size_t member : members) {
        const auto same = [&](const std::vector<std::size_t>& part) {
          return part_of(part.front(), level) == part_of(member, level);
        };
        const auto known = std::ranges::find_if(parts, same);
        (known == parts.end() ? parts.emplace_back() : *known).push_back(member);
      }
    }
    if (parts.size() < 2) return;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const auto far = [&](const auto& part) { return costs_.transfer(parts[i - 1].front(), part.front()); };
      const auto rest = parts.begin() + static_cast<std::ptrdiff_t>(i);
      std::iter_swap(
          rest, std::min_element(rest, parts.end(), [&](const auto& a, const auto& b) { return far(a) < far(b); }));
      const std::size_t up = (outside ? heap_outside_ : heap_inside_) ? (i - 1) / 2 : i - 1;
      tree_[parts[i].front()] = static_cast<std::int32_t>(parts[up].front());
    }
    for (const std::vector<std::size_t>& part : parts) join(part, level, false);
  }
  [[nodiscard]] std::size_t part_of(std::size_t group, std::size_t level) const {
    return network_.levels().group(level, groups_[group].clusters.front());
  }

  const RankNetwork& network_;
  const std::vector<RankGroup>& groups_;
  std::size_t level_;
  const Costs& costs_;
  bool heap_outside_ = false, heap_inside_ = false;
  GroupTree tree_;
};

std::vector<GroupTree> group_trees(const RankNetwork& network, const std::vector<RankGroup>& groups, std::int64_t bytes,
                                   bool parallel, std::size_t level) {
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
    for (const auto tree : {flat_tree, fef_tree, fef_gap_tree, ecef_tree})
      trees.insert(tree(Costs(problem), Lookahead::kLeast).parent);
    for (GroupTree& tree : TreesOfStreams(network, groups, level, Costs(problem)).run()) trees.insert(std::move(tree));
  }
  return {trees.begin(), trees.end()};
}

/// Routes whose score exceeds the best by this factor are not worth a simulation.
constexpr double kHopeless = 2;

class RouteSearch {
 public:
  RouteSearch(const RankNetwork& network, std::size_t level, std::int64_t root, std::int64_t bytes, bool parallel,
              const SegmentLimits& limits, double least_before, const StopRequest& stop)
      : network_(network),
        level_(level),
        groups_(network.groups_from(root, level)),
        root_(root),
        bytes_(bytes),
        parallel_(parallel),
        limits_(limits),
        least_before_(least_before),
        stop_(stop),
        score_(network, root, bytes, groups_) {}

  std::vector<FoundRoutes> run() {
    if (limits_.segments == 0) least_bytes_ = least_segment();
    trees_ = group_trees(network_, groups_, bytes_, parallel_, level_);
    if (limits_.segments > 0) {
      try_combinations((bytes_ + limits_.segments - 1) / limits_.segments);
      return std::move(few_);
    }
    // The segments that are best for plain routes, and the whole message.
    std::int64_t plain = bytes_;
    double least = score_.score(plain_routes(bytes_)).length_s;
    for (std::int64_t segment = least_bytes_; segment < bytes_; segment *= 2) {
      const Routes routes = plain_routes(segment);
      if (routes.segments(bytes_) > most_segments()) continue;
      const double length = score_.score(routes, least).length_s;
      if (length < least) least = length, plain = segment;
    }
    try_combinations(plain);
    if (plain < bytes_) try_combinations(bytes_);
    tune_segments();
    try_shapes();
    try_turns();
    try_all_entries();
    tune_segments();
    return std::move(few_);
  }

 private:
  static constexpr std::size_t kFew = 16;  // routes kept
  static constexpr std::array kShapes{Shape::kChain, Shape::kBinary, Shape::kBinomial};
  static constexpr Shape kPlainShape = Shape::kBinary;

  /// Shapes of other groups make a difference only if there are groups besides the root's.
  [[nodiscard]] std::span<const Shape> shapes_of_others() const {
    if (groups_.size() == 1) return {&kPlainShape, 1};
    return kShapes;
  }

  /// The least size of a segment. With smaller segments, the fixed cost of a message would be too large: more than a
  /// thirtieth of the least time that a segment occupies a rank inside, or occupies the uplink of the root's innermost
  /// group. The model knows only roughly what ranks do besides sending.
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

  /// The most segments. kMessages, kMostMessages: messages that are simulated in a second or so. kFewSegments: fewer
  /// are hardly a pipeline. A long pipeline may have `limits_.most_messages` messages, or twice as many if that is no
  /// more than a hundred segments.
  [[nodiscard]] std::int64_t most_segments() const {
    constexpr std::int64_t kMostSegments = 4096, kFewSegments = 64, kHundred = 100, kManySegments = 512,
                           kMessages = 50'000, kMostMessages = 250'000;
    const std::int64_t ranks = network_.platform().ranks;
    const std::int64_t many = limits_.most_messages / ranks;
    const std::int64_t least = std::max(std::min(kFewSegments, kMostMessages / ranks),
                                        std::min(kManySegments, std::max(many, std::min(kHundred, 2 * many))));
    return std::max<std::int64_t>(1, std::clamp(kMessages / ranks, least, kMostSegments));
  }

  bool attempt(const Routes& routes) {
    const std::int64_t least = routes.entries == Entries::kAll ? least_bytes_ - least_bytes_ / 4 : least_bytes_;
    if (routes.segment_bytes < std::min(bytes_, least) || routes.segment_bytes > bytes_) return false;
    const bool too_many = limits_.segments == 0 && routes.segments(bytes_) > most_segments();
    if (best_ && (too_many || (stop_ && stop_()))) return false;
    if (!tried_
             .insert({routes.trees, routes.spread, routes.entries, routes.leave_from_tail, routes.root_shape,
                      routes.shape, routes.segment_bytes})
             .second)
      return false;
    const double limit = worth_keeping(routes);
    const RouteScore::Score score = score_.score(routes, limit);
    const FoundRoutes found{routes, score.length_s, score.filled_s, score.period_s};
    if (found.length_s >= limit) return false;
    keep(found);
    if (best_ && found.length_s >= best_->length_s) return false;
    best_ = found;
    return true;
  }

  /// The kept routes with the same trees between groups and the same shape inside: the search keeps only the best of
  /// these.
  [[nodiscard]] std::vector<FoundRoutes>::iterator known_like(const Routes& routes) {
    return std::find_if(few_.begin(), few_.end(), [&](const FoundRoutes& each) {
      return std::tie(each.routes.trees, each.routes.leave_from_tail, each.routes.entries, each.routes.shape) ==
             std::tie(routes.trees, routes.leave_from_tail, routes.entries, routes.shape);
    });
  }

  /// Routes with this score or more are neither the best nor kept in the end.
  [[nodiscard]] double worth_keeping(const Routes& routes) {
    if (!best_) return kInfinity;
    double limit = std::min(least_before_, few_.front().length_s) * kHopeless;
    if (few_.size() == kFew) limit = std::min(limit, few_.back().length_s);
    const auto known = known_like(routes);
    if (known != few_.end()) limit = std::min(limit, known->length_s);
    return std::max(limit, best_->length_s);
  }

  void keep(const FoundRoutes& found) {
    const auto known = known_like(found.routes);
    if (known != few_.end()) {
      if (known->length_s <= found.length_s) return;
      few_.erase(known);
    }
    few_.insert(std::ranges::upper_bound(few_, found.length_s, {}, &FoundRoutes::length_s), found);
    if (few_.size() > kFew) few_.pop_back();
  }

  [[nodiscard]] Routes plain_routes(std::int64_t segment_bytes) const {
    return {level_, {trees_.front()}, parallel_,   false,         Entries::kSpread,
            false,  Shape::kChain,    kPlainShape, segment_bytes, 0};
  }

  /// From the plainest routes, with these segments.
  void try_combinations(std::int64_t segment_bytes) {
    const Routes routes = plain_routes(segment_bytes);
    std::optional<FoundRoutes> best;
    std::swap(best, best_);
    if (attempt(routes)) try_shapes();
    if (best && (!best_ || best->length_s < best_->length_s)) best_ = best;
  }

  void try_shapes() {
    const Routes found = best_->routes;
    for (const GroupTree& tree : trees_) {
      for (const bool spread : {false, true}) {
        for (const Shape shape : shapes_of_others()) {
          Routes routes = found;
          routes.trees = {tree};
          routes.spread = spread;
          routes.shape = shape;
          attempt(routes);
        }
      }
    }
    const Routes with_tree = best_->routes;
    for (const Shape root_shape : kShapes) {
      for (const Shape shape : shapes_of_others()) {
        Routes routes = with_tree;
        routes.root_shape = root_shape;
        routes.shape = shape;
        attempt(routes);
      }
    }
  }

  /// Two alternating trees share the uplinks of the groups that forward. Leaving at the other end of a group gives more
  /// room to the ranks that take segments in or forward them. Both pay only if ports are the limit, so they are tried
  /// for chains.
  void try_turns() {
    if (!parallel_ || groups_.size() < 3) return;
    const Routes found = best_->routes;
    for (const GroupTree& first : trees_) {
      for (const GroupTree& second : trees_) {
        const bool some = trees_.size() <= 3 ? first <= second : first == found.trees.front();
        if (!some) continue;
        Routes routes = found;
        routes.trees = {first};
        if (first != second) routes.trees.push_back(second);
        routes.shape = routes.root_shape = Shape::kChain;
        routes.entries = Entries::kFirst;
        // If several ranks share a card, the ends of a chain are on different cards.
        routes.leave_from_tail = true;
        for (const bool spread : {false, true}) {
          routes.spread = spread;
          attempt(routes);
        }
        if (level_ > 0) continue;
        routes.leave_from_tail = false;
        attempt(routes);
      }
    }
  }

  /// A message on a long link gets little of a port that also forwards inside. If all ranks of a group take segments
  /// in, each port need give it only a little.
  void try_all_entries() {
    constexpr std::size_t kMostEntries = 64;  // the score considers a segment for each
    const auto many = [&](const RankGroup& group) { return group.ranks.size() > kMostEntries; };
    if (!parallel_ || level_ > 0 || groups_.size() < 2 || std::any_of(groups_.begin() + 1, groups_.end(), many)) return;
    // Messages that meet delay each other by as much as they take: segments are as short as they may be.
    constexpr std::int64_t kRounded = 64;
    const std::int64_t shortest = std::max(least_bytes_ - least_bytes_ / 4, bytes_ / most_segments() + 1);
    const Routes found = best_->routes;
    for (const GroupTree& tree : trees_) {
      Routes routes = found;
      routes.segment_bytes = std::min(bytes_, (shortest + kRounded - 1) / kRounded * kRounded);
      routes.trees = {tree};
      routes.spread = groups_.front().ranks.size() > 1;
      routes.entries = Entries::kAll;
      routes.leave_from_tail = false;
      routes.shape = routes.root_shape = Shape::kChain;
      attempt(routes);
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
  SegmentLimits limits_;
  double least_before_;  // the least score at other levels
  const StopRequest& stop_;
  RouteScore score_;
  std::int64_t least_bytes_ = 1;
  std::vector<GroupTree> trees_;
  std::set<std::tuple<std::vector<GroupTree>, bool, Entries, bool, Shape, Shape, std::int64_t>> tried_;
  std::optional<FoundRoutes> best_;
  std::vector<FoundRoutes> few_;  // the best of all, by their lengths
};

}  // namespace

std::vector<FoundRoutes> best_routes(const RankNetwork& network, std::int64_t root, std::int64_t bytes, bool parallel,
                                     const SegmentLimits& limits, const StopRequest& stop) {
  std::vector<FoundRoutes> all;
  double least = kInfinity;
  for (std::size_t level = network.levels().levels(); level-- > 0;) {
    const std::vector<FoundRoutes> found =
        RouteSearch(network, level, root, bytes, parallel, limits, least, stop).run();
    least = std::min(least, found.front().length_s);
    all.insert(all.end(), found.begin(), found.end());
  }
  std::ranges::stable_sort(all, {}, &FoundRoutes::length_s);
  while (all.back().length_s > kHopeless * all.front().length_s) all.pop_back();
  return all;
}

}  // namespace sluice::detail
