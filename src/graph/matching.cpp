#include "sluice/graph/matching.hpp"

#include <fmt/format.h>

#include "graph/matching_detail.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"

namespace sluice {

Matching empty_matching(const BipartiteGraph& graph) {
  return {std::vector<std::int32_t>(static_cast<std::size_t>(graph.lefts()), -1),
          std::vector<std::int32_t>(static_cast<std::size_t>(graph.rights()), -1), 0};
}

bool is_matching(const BipartiteGraph& graph, const Matching& matching) {
  if (matching.left_edge.size() != static_cast<std::size_t>(graph.lefts()) ||
      matching.right_edge.size() != static_cast<std::size_t>(graph.rights())) {
    return false;
  }
  std::int32_t size = 0;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    const std::int32_t id = matching.left_edge[u];
    if (id == -1) continue;
    if (id < 0 || id >= graph.id_count() || !graph.is_live(id)) return false;
    if (graph.edge(id).left != u || matching.right_edge[graph.edge(id).right] != id) return false;
    ++size;
  }
  // Every left edge is the edge of its right end; as many right edges as left ones means there are no others.
  for (const std::int32_t id : matching.right_edge) size -= id != -1 ? 1 : 0;
  if (size != 0) return false;
  for (const std::int32_t id : matching.left_edge) size += id != -1 ? 1 : 0;
  return size == matching.size;
}

std::int64_t matching_weight(const BipartiteGraph& graph, const Matching& matching) {
  std::int64_t sum = 0;
  for (const std::int32_t id : matching.left_edge) {
    if (id >= 0) sum = checked::add(sum, graph.edge(id).weight, "weight of a matching");
  }
  return sum;
}

namespace detail {

Matching matching_from_left_edges(const BipartiteGraph& graph, std::vector<std::int32_t> left_edge) {
  Matching matching;
  matching.left_edge = std::move(left_edge);
  matching.right_edge.assign(static_cast<std::size_t>(graph.rights()), -1);
  for (const std::int32_t id : matching.left_edge) {
    if (id < 0) continue;
    matching.right_edge[graph.edge(id).right] = id;
    ++matching.size;
  }
  SLUICE_ASSERT(is_matching(graph, matching), fmt::format("size {}", matching.size));
  return matching;
}

std::vector<char> marked(std::span<const std::int32_t> vertices, std::int32_t size, const char* name) {
  std::vector<char> mark(static_cast<std::size_t>(size), 0);
  for (const std::int32_t v : vertices) {
    if (v < 0 || v >= size) throw InputError(name, fmt::format("vertex {}", v), fmt::format("0 <= vertex < {}", size));
    mark[v] = 1;
  }
  return mark;
}

}  // namespace detail
}  // namespace sluice
