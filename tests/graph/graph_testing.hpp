#pragma once

// Instances, brute force and certificate checks for the tests of graph.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "graph/lemon_reference.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::testing {

using Ids = std::vector<std::int32_t>;

inline BipartiteGraph graph_of(std::int32_t lefts, std::int32_t rights, const std::vector<Edge>& edges) {
  return BipartiteGraph(lefts, rights, edges);
}

/// The live edges as LEMON sees them.
inline lemon_reference::Bipartite lemon(const BipartiteGraph& graph) {
  std::vector<lemon_reference::Arc> arcs;
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    const Edge& e = graph.edge(id);
    if (graph.is_live(id)) arcs.push_back({e.left, e.right, e.weight});
  }
  return {graph.lefts(), graph.rights(), arcs};
}

/// The vertices whose bit is set; `count` of them from bit `first`.
inline Ids chosen(std::uint32_t bits, std::int32_t first, std::int32_t count) {
  Ids ids;
  for (std::int32_t i = 0; i < count; ++i) {
    if ((bits >> (first + i)) & 1u) ids.push_back(i);
  }
  return ids;
}

inline std::string to_text(const BipartiteGraph& graph) {
  std::string text = std::to_string(graph.lefts()) + " x " + std::to_string(graph.rights()) + ":";
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    const Edge& e = graph.edge(id);
    text += (graph.is_live(id) ? " " : " removed ") + std::to_string(id) + "=(" + std::to_string(e.left) + "," +
            std::to_string(e.right) + ":" + std::to_string(e.weight) + ")";
  }
  return text;
}

/// The graph number `code` of all lefts x rights graphs whose cells are absent or one of `weights`.
inline BipartiteGraph numbered_graph(std::int32_t lefts, std::int32_t rights, std::int64_t code,
                                     const std::vector<std::int64_t>& weights) {
  const auto base = static_cast<std::int64_t>(weights.size()) + 1;
  std::vector<Edge> edges;
  for (std::int32_t u = 0; u < lefts; ++u) {
    for (std::int32_t v = 0; v < rights; ++v) {
      if (code % base != 0) edges.push_back({u, v, weights[static_cast<std::size_t>(code % base - 1)]});
      code /= base;
    }
  }
  return BipartiteGraph(lefts, rights, edges);
}

inline std::int64_t power(std::int64_t base, std::int32_t exponent) {
  std::int64_t result = 1;
  while (exponent-- > 0) result *= base;
  return result;
}

/// Random multigraph with `edges` edges and weights in [low, high]. Then every `remove_every`-th edge is removed (0:
/// none).
inline BipartiteGraph random_graph(std::mt19937_64& random, std::int32_t lefts, std::int32_t rights, std::int32_t edges,
                                   std::int64_t low, std::int64_t high, std::int32_t remove_every) {
  std::vector<Edge> list;
  if (lefts > 0 && rights > 0) {
    std::uniform_int_distribution<std::int32_t> left(0, lefts - 1), right(0, rights - 1);
    std::uniform_int_distribution<std::int64_t> weight(low, high);
    for (std::int32_t i = 0; i < edges; ++i) list.push_back({left(random), right(random), weight(random)});
  }
  BipartiteGraph graph(lefts, rights, list);
  if (remove_every > 0) {
    for (std::int32_t id = 0; id < graph.id_count(); id += remove_every) graph.remove(id);
  }
  return graph;
}

/// Calls `visit(left_edge)` for every matching of the graph. Exponential.
inline void for_each_matching(const BipartiteGraph& graph,
                              const std::function<void(const std::vector<std::int32_t>&)>& visit) {
  std::vector<std::int32_t> left_edge(static_cast<std::size_t>(graph.lefts()), -1);
  std::vector<char> used(static_cast<std::size_t>(graph.rights()), 0);
  const std::function<void(std::int32_t)> extend = [&](std::int32_t u) {
    if (u == graph.lefts()) {
      visit(left_edge);
      return;
    }
    extend(u + 1);
    for (const std::int32_t id : graph.edges_of_left(u)) {
      const std::int32_t v = graph.edge(id).right;
      if (used[v]) continue;
      used[v] = 1;
      left_edge[u] = id;
      extend(u + 1);
      left_edge[u] = -1;
      used[v] = 0;
    }
  };
  extend(0);
}

/// Size, weight, smallest weight and covered vertices (a bit each: lefts, then rights) of every matching.
struct MatchingFacts {
  std::int32_t size = 0;
  std::int64_t weight = 0;
  std::int64_t smallest = 0;
  std::uint32_t covered = 0;
};

inline std::vector<MatchingFacts> all_matchings(const BipartiteGraph& graph) {
  std::vector<MatchingFacts> all;
  for_each_matching(graph, [&](const std::vector<std::int32_t>& left_edge) {
    MatchingFacts facts;
    for (const std::int32_t id : left_edge) {
      if (id < 0) continue;
      const Edge& e = graph.edge(id);
      facts.smallest = facts.size == 0 ? e.weight : std::min(facts.smallest, e.weight);
      ++facts.size;
      facts.weight += e.weight;
      facts.covered |= 1u << e.left | 1u << (graph.lefts() + e.right);
    }
    all.push_back(facts);
  });
  return all;
}

inline ::testing::AssertionResult covers(const Matching& matching, const std::vector<std::int32_t>& lefts,
                                         const std::vector<std::int32_t>& rights) {
  for (const std::int32_t u : lefts) {
    if (matching.left_edge[u] < 0) return ::testing::AssertionFailure() << "left " << u << " is not covered";
  }
  for (const std::int32_t v : rights) {
    if (matching.right_edge[v] < 0) return ::testing::AssertionFailure() << "right " << v << " is not covered";
  }
  return ::testing::AssertionSuccess();
}

/// A valid matching with a vertex cover of its own size.
inline ::testing::AssertionResult proven_maximum(const BipartiteGraph& graph, const Matching& matching) {
  if (!is_matching(graph, matching)) return ::testing::AssertionFailure() << "not a matching of " << to_text(graph);
  const VertexCover cover = minimum_vertex_cover(graph, matching);
  const auto size = static_cast<std::int32_t>(cover.lefts.size() + cover.rights.size());
  if (size != matching.size) {
    return ::testing::AssertionFailure() << "cover of " << size << ", matching of " << matching.size << " in "
                                         << to_text(graph);
  }
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    if (!graph.is_live(id)) continue;
    if (!std::binary_search(cover.lefts.begin(), cover.lefts.end(), graph.edge(id).left) &&
        !std::binary_search(cover.rights.begin(), cover.rights.end(), graph.edge(id).right)) {
      return ::testing::AssertionFailure() << "edge " << id << " is not covered in " << to_text(graph);
    }
  }
  return ::testing::AssertionSuccess();
}

/// A valid matching whose prices prove that it is the heaviest one covering the critical vertices.
inline ::testing::AssertionResult proven_heaviest(const BipartiteGraph& graph, const WeightedMatching& result,
                                                  const std::vector<std::int32_t>& left_critical = {},
                                                  const std::vector<std::int32_t>& right_critical = {}) {
  const Matching& matching = result.matching;
  if (!is_matching(graph, matching)) return ::testing::AssertionFailure() << "not a matching of " << to_text(graph);
  if (result.weight != matching_weight(graph, matching)) return ::testing::AssertionFailure() << "wrong weight";
  if (const auto covered = covers(matching, left_critical, right_critical); !covered) return covered;
  if (result.left_price.size() != matching.left_edge.size() ||
      result.right_price.size() != matching.right_edge.size()) {
    return ::testing::AssertionFailure() << "wrong number of prices";
  }
  for (std::int32_t id = 0; id < graph.id_count(); ++id) {
    const Edge& e = graph.edge(id);
    if (graph.is_live(id) && result.left_price[e.left] + result.right_price[e.right] < e.weight) {
      return ::testing::AssertionFailure() << "prices below the weight of edge " << id << " in " << to_text(graph);
    }
  }
  std::int64_t sum = 0;
  const auto check = [&sum](const std::vector<std::int64_t>& price, const std::vector<std::int32_t>& edge,
                            const std::vector<std::int32_t>& critical) {
    for (std::size_t i = 0; i < price.size(); ++i) {
      sum += price[i];
      const bool may_be_negative =
          std::find(critical.begin(), critical.end(), static_cast<std::int32_t>(i)) != critical.end();
      if (price[i] < 0 && !may_be_negative) return false;
      if (price[i] != 0 && edge[i] < 0) return false;
    }
    return true;
  };
  if (!check(result.left_price, matching.left_edge, left_critical) ||
      !check(result.right_price, matching.right_edge, right_critical)) {
    return ::testing::AssertionFailure() << "price of wrong sign, or of a free vertex, in " << to_text(graph);
  }
  if (sum != result.weight) {
    return ::testing::AssertionFailure() << "prices sum to " << sum << ", weight " << result.weight << " in "
                                         << to_text(graph);
  }
  return ::testing::AssertionSuccess();
}

}  // namespace sluice::testing
