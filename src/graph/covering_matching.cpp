#include "graph/hopcroft_karp.hpp"
#include "graph/matching_detail.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {
namespace {

std::vector<std::int32_t> listed(const std::vector<char>& mark) {
  std::vector<std::int32_t> vertices;
  for (std::size_t v = 0; v < mark.size(); ++v) {
    if (mark[v]) vertices.push_back(static_cast<std::int32_t>(v));
  }
  return vertices;
}

}  // namespace

std::optional<Matching> covering_matching(const BipartiteGraph& graph, std::span<const std::int32_t> left_critical,
                                          std::span<const std::int32_t> right_critical) {
  const auto lefts = listed(detail::marked(left_critical, graph.lefts(), "left_critical"));
  const auto rights = listed(detail::marked(right_critical, graph.rights(), "right_critical"));
  const auto left_count = static_cast<std::int32_t>(lefts.size());
  const auto right_count = static_cast<std::int32_t>(rights.size());

  detail::HopcroftKarp from_left{detail::FromLeft(graph)};
  from_left.grow(lefts, left_count);
  if (from_left.size() < left_count) return std::nullopt;
  detail::HopcroftKarp from_right{detail::FromRight(graph)};
  from_right.grow(rights, right_count);
  if (from_right.size() < right_count) return std::nullopt;

  // Join. Call the two matchings L (covers the critical lefts) and R. Their union has components that are paths
  // starting at a right vertex which only R covers: there the joined matching is R, elsewhere L. On such a path R
  // covers all vertices except maybe the far end, if the path ends with an edge of L. That end is a right vertex that R
  // does not cover and that is therefore not critical.
  std::vector<std::int32_t> left_edge = from_left.edges();
  for (const std::int32_t first : rights) {
    if (from_left.source_of()[first] >= 0) continue;
    for (std::int32_t v = first; v >= 0 && from_right.edges()[v] >= 0;) {
      const std::int32_t u = from_right.target_of()[v];
      left_edge[u] = from_right.edges()[v];
      v = from_left.target_of()[u];  // -1: the path ends at a left vertex that only R covers
    }
  }
  return maximum_matching(graph, detail::matching_from_left_edges(graph, std::move(left_edge)));
}

}  // namespace sluice
