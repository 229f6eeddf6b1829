#include <fmt/format.h>

#include <numeric>

#include "graph/hopcroft_karp.hpp"
#include "graph/matching_detail.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {

namespace detail {

std::vector<std::int32_t> all_vertices(std::int32_t n) {
  std::vector<std::int32_t> vertices(static_cast<std::size_t>(n));
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

}  // namespace detail

Matching maximum_matching(const BipartiteGraph& graph) { return maximum_matching(graph, empty_matching(graph)); }

Matching maximum_matching(const BipartiteGraph& graph, Matching start) {
  const auto wrong = [](const std::string& found) {
    throw InputError("start", found, "a matching of the graph, removed edges allowed");
  };
  if (start.left_edge.size() != static_cast<std::size_t>(graph.lefts()) ||
      start.right_edge.size() != static_cast<std::size_t>(graph.rights())) {
    wrong(fmt::format("{} x {} vertices", start.left_edge.size(), start.right_edge.size()));
  }
  detail::HopcroftKarp engine{detail::FromLeft(graph)};
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    const std::int32_t id = start.left_edge[u];
    if (id == -1) continue;
    if (id < 0 || id >= graph.id_count() || graph.edge(id).left != u) wrong(fmt::format("edge {} at left {}", id, u));
    if (!graph.is_live(id)) continue;
    const std::int32_t v = graph.edge(id).right;
    if (engine.source_of()[v] >= 0) wrong(fmt::format("two edges at right {}", v));
    engine.match(u, v, id);
  }
  engine.grow(detail::all_vertices(graph.lefts()), std::min(graph.lefts(), graph.rights()));
  return detail::matching_from_left_edges(graph, engine.edges());
}

VertexCover minimum_vertex_cover(const BipartiteGraph& graph, const Matching& maximum) {
  SLUICE_ASSERT(is_matching(graph, maximum), fmt::format("size {}", maximum.size));
  // Reached from a free left vertex by alternating paths: the cover is the left vertices not reached and the right ones
  // reached.
  std::vector<char> left_reached(static_cast<std::size_t>(graph.lefts()), 0);
  std::vector<char> right_reached(static_cast<std::size_t>(graph.rights()), 0);
  std::vector<std::int32_t> queue;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    if (maximum.left_edge[u] >= 0) continue;
    left_reached[u] = 1;
    queue.push_back(u);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    for (const std::int32_t id : graph.edges_of_left(queue[head])) {
      const std::int32_t v = graph.edge(id).right;
      if (right_reached[v]) continue;
      right_reached[v] = 1;
      const std::int32_t mate = maximum.right_edge[v];
      SLUICE_ASSERT(mate >= 0, fmt::format("the matching is not maximum: an augmenting path ends at right {}", v));
      left_reached[graph.edge(mate).left] = 1;
      queue.push_back(graph.edge(mate).left);
    }
  }
  VertexCover cover;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    if (!left_reached[u]) cover.lefts.push_back(u);
  }
  for (std::int32_t v = 0; v < graph.rights(); ++v) {
    if (right_reached[v]) cover.rights.push_back(v);
  }
  return cover;
}

}  // namespace sluice
