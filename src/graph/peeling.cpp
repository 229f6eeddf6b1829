#include "graph/peeling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "graph/regular_extension.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// Weights that break ties by load, see peel.
class LoadedWeights {
 public:
  explicit LoadedWeights(const BipartiteGraph& graph)
      : weight_(static_cast<std::size_t>(graph.edge_count())),
        left_load_(static_cast<std::size_t>(graph.lefts()), 0),
        right_load_(static_cast<std::size_t>(graph.rights()), 0),
        right_level_(right_load_.size(), 0) {
    std::int64_t heaviest = 0;
    for (std::int32_t e = 0; e < graph.edge_count(); ++e) {
      const Edge edge = graph.edge(e);
      weight_[static_cast<std::size_t>(e)] = edge.weight;
      heaviest = std::max(heaviest, edge.weight);
      left_load_[static_cast<std::size_t>(edge.left)] += edge.weight;
      right_load_[static_cast<std::size_t>(edge.right)] += edge.weight;
    }
    std::int64_t largest_load = 1;
    for (const std::int64_t load : left_load_) largest_load = std::max(largest_load, load);
    for (const std::int64_t load : right_load_) largest_load = std::max(largest_load, load);
    // A matching has at most n edges of at most 2 * levels each on top; weights times n must stay below 2^57.
    const std::int64_t n = std::max<std::int64_t>(1, std::min(graph.lefts(), graph.rights()));
    constexpr std::int64_t kRoom = std::int64_t{1} << 57;
    const std::int64_t factor_limit = kRoom / n / (n + 1) / std::max<std::int64_t>(1, heaviest);
    levels_ = std::clamp<std::int64_t>(factor_limit / (4 * n), 0, 4096);
    unit_ = levels_ == 0 ? 0 : (largest_load + levels_ - 1) / levels_;
    factor_ = 2 * levels_ * n + 1;
  }

  void set_weights(BipartiteGraph& graph) {
    if (levels_ == 0) return;
    for (std::size_t v = 0; v < right_load_.size(); ++v) right_level_[v] = right_load_[v] / unit_;
    for (std::int32_t u = 0; u < graph.lefts(); ++u) {
      const std::int64_t left_level = left_load_[static_cast<std::size_t>(u)] / unit_;
      for (const std::int32_t e : graph.edges_of_left(u)) {
        const std::int64_t loads = left_level + right_level_[static_cast<std::size_t>(graph.edge(e).right)];
        graph.set_weight(e, weight_[static_cast<std::size_t>(e)] * factor_ + loads);
      }
    }
  }

  void remove(const Edge& edge) {
    left_load_[static_cast<std::size_t>(edge.left)] -= edge.weight;
    right_load_[static_cast<std::size_t>(edge.right)] -= edge.weight;
  }

 private:
  std::vector<std::int64_t> weight_;
  std::vector<std::int64_t> left_load_;
  std::vector<std::int64_t> right_load_;
  std::vector<std::int64_t> right_level_;  ///< loads in units, of one call of set_weights
  std::int64_t levels_ = 0;
  std::int64_t unit_ = 0;
  std::int64_t factor_ = 1;
};

/// Live edges in the order of their ids.
std::vector<std::int32_t> live_edges(const BipartiteGraph& graph) {
  std::vector<std::int32_t> result;
  result.reserve(static_cast<std::size_t>(graph.edge_count()));
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    for (const std::int32_t e : graph.edges_of_left(u)) result.push_back(e);
  }
  std::ranges::sort(result);
  return result;
}

/// The part of `matching`, one of a larger graph whose first edges are `edges` of `graph`, that consists of these.
Matching part_of(const BipartiteGraph& graph, const std::vector<std::int32_t>& edges, const Matching& matching) {
  Matching result = empty_matching(graph);
  for (const std::int32_t e : matching.left_edge) {
    if (e < 0 || e >= static_cast<std::int32_t>(edges.size())) continue;
    const std::int32_t id = edges[static_cast<std::size_t>(e)];
    result.left_edge[static_cast<std::size_t>(graph.edge(id).left)] = id;
    result.right_edge[static_cast<std::size_t>(graph.edge(id).right)] = id;
    ++result.size;
  }
  return result;
}

bool is_unlimited(const BipartiteGraph& graph, std::int32_t max_transfers) {
  return max_transfers >= std::min(graph.lefts(), graph.rights());
}

Matching critical_matching(const BipartiteGraph& graph) {
  const std::int32_t degree = graph.max_degree();
  std::vector<std::int32_t> lefts, rights;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    if (graph.left_degree(u) == degree) lefts.push_back(u);
  }
  for (std::int32_t v = 0; v < graph.rights(); ++v) {
    if (graph.right_degree(v) == degree) rights.push_back(v);
  }
  std::optional<WeightedMatching> result = maximum_weight_covering_matching(graph, lefts, rights);
  SLUICE_ASSERT(result.has_value(), "a bipartite graph has a matching of all vertices of maximum degree");
  return std::move(result->matching);
}

}  // namespace

EdgeSteps peel(BipartiteGraph graph, const std::function<Matching(const BipartiteGraph&)>& next) {
  const BipartiteGraph whole = graph;
  EdgeSteps result;
  result.step_of_edge.assign(static_cast<std::size_t>(graph.edge_count()), -1);
  LoadedWeights weights(graph);
  for (; graph.edge_count() > 0; ++result.steps) {
    weights.set_weights(graph);
    const Matching matching = next(graph);
    if (matching.size == 0) return result;
    for (const std::int32_t e : matching.left_edge) {
      if (e < 0) continue;
      result.step_of_edge[static_cast<std::size_t>(e)] = static_cast<std::int32_t>(result.steps);
      weights.remove(whole.edge(e));
      graph.remove(e);
    }
  }
  return in_falling_order(whole, std::move(result));
}

EdgeSteps in_falling_order(const BipartiteGraph& graph, EdgeSteps steps) {
  const auto length_of = [&](std::size_t e) { return graph.edge(static_cast<std::int32_t>(e)).weight; };
  const std::vector<std::int64_t> durations = durations_of(steps, length_of);
  return in_falling_order(durations, std::move(steps));
}

EdgeSteps in_falling_order(const std::vector<std::int64_t>& duration, EdgeSteps steps) {
  std::vector<std::int32_t> order(duration.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::int32_t step) { return duration[static_cast<std::size_t>(step)]; });
  std::vector<std::int32_t> place(duration.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
  }
  for (std::int32_t& step : steps.step_of_edge) step = place[static_cast<std::size_t>(step)];
  return steps;
}

Matching stepwise_matching(const BipartiteGraph& graph, std::int32_t max_transfers) {
  if (is_unlimited(graph, max_transfers)) return critical_matching(graph);
  const std::vector<std::int32_t> ids = live_edges(graph);
  std::vector<Edge> edges;
  edges.reserve(ids.size());
  for (const std::int32_t id : ids) edges.push_back({graph.edge(id).left, graph.edge(id).right, 1});
  RegularExtension extension = regular_extension(graph.lefts(), graph.rights(), edges, max_transfers);
  for (std::size_t e = 0; e < extension.edges.size(); ++e)
    extension.edges[e].weight = e < ids.size() ? graph.edge(ids[e]).weight : 0;
  std::vector<std::int32_t> lefts(static_cast<std::size_t>(extension.side));
  std::iota(lefts.begin(), lefts.end(), 0);
  const std::optional<WeightedMatching> result =
      maximum_weight_covering_matching(BipartiteGraph(extension.side, extension.side, extension.edges), lefts, {});
  SLUICE_ASSERT(result.has_value(), "a regular graph has a perfect matching");
  return part_of(graph, ids, result->matching);
}

std::int64_t greedy_further_edges(std::int64_t lefts, std::int64_t rights, std::int64_t max_transfers) {
  if (max_transfers >= std::min(lefts, rights)) return 0;
  return (rights - max_transfers) * rights + (lefts - max_transfers) * lefts;
}

Matching greedy_matching(const BipartiteGraph& graph, std::int32_t max_transfers) {
  Matching unlimited = maximum_weight_matching(graph).matching;
  if (unlimited.size <= max_transfers) return unlimited;
  const std::vector<std::int32_t> ids = live_edges(graph);
  const std::int32_t more_lefts = graph.rights() - max_transfers;
  const std::int32_t more_rights = graph.lefts() - max_transfers;
  std::vector<Edge> edges;
  edges.reserve(ids.size() +
                static_cast<std::size_t>(greedy_further_edges(graph.lefts(), graph.rights(), max_transfers)));
  for (const std::int32_t id : ids) edges.push_back(graph.edge(id));
  std::vector<std::int32_t> lefts, rights;
  for (std::int32_t u = graph.lefts(); u < graph.lefts() + more_lefts; ++u) {
    lefts.push_back(u);
    for (std::int32_t v = 0; v < graph.rights(); ++v) edges.push_back({u, v, 0});
  }
  for (std::int32_t v = graph.rights(); v < graph.rights() + more_rights; ++v) {
    rights.push_back(v);
    for (std::int32_t u = 0; u < graph.lefts(); ++u) edges.push_back({u, v, 0});
  }
  const std::optional<WeightedMatching> result = maximum_weight_covering_matching(
      BipartiteGraph(graph.lefts() + more_lefts, graph.rights() + more_rights, edges), lefts, rights);
  SLUICE_ASSERT(result.has_value(), "k edges or fewer leave enough vertices for the further ones");
  return part_of(graph, ids, result->matching);
}

}  // namespace sluice::detail
