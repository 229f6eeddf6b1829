#include "sluice/graph/bipartite_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

/// Places ids 0 .. m-1 into rows by `end_of(id)`: begin and end of each row, the rows, and each id's place in them.
template <class EndOf>
void compress(std::int32_t vertices, std::int32_t m, EndOf end_of, std::vector<std::int32_t>& begin,
              std::vector<std::int32_t>& end, std::vector<std::int32_t>& ids, std::vector<std::int32_t>& position) {
  begin.assign(static_cast<std::size_t>(vertices), 0);
  for (std::int32_t id = 0; id < m; ++id) ++begin[end_of(id)];
  std::int32_t sum = 0;
  for (auto& b : begin) {
    const std::int32_t degree = b;
    b = sum;
    sum += degree;
  }
  end = begin;
  ids.resize(static_cast<std::size_t>(m));
  position.resize(static_cast<std::size_t>(m));
  for (std::int32_t id = 0; id < m; ++id) {
    const std::int32_t place = end[end_of(id)]++;
    ids[place] = id;
    position[id] = place;
  }
}

/// Swaps `id` to the end of the live part of its row and shortens that part by one.
void drop(std::int32_t id, std::int32_t& end, std::vector<std::int32_t>& ids, std::vector<std::int32_t>& position) {
  --end;
  const std::int32_t place = position[id];
  const std::int32_t other = ids[end];
  ids[place] = other;
  position[other] = place;
  ids[end] = id;
  position[id] = end;
}

}  // namespace

BipartiteGraph::BipartiteGraph(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges) {
  if (lefts < 0) throw InputError("lefts", fmt::format("{}", lefts), "0 or more vertices");
  if (rights < 0) throw InputError("rights", fmt::format("{}", rights), "0 or more vertices");
  if (edges.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw InputError("edges", count_text(edges.size(), "edge"), "at most 2^31 - 1 edges");
  }
  for (std::size_t id = 0; id < edges.size(); ++id) {
    const Edge& e = edges[id];
    if (e.left < 0 || e.left >= lefts) {
      throw InputError(fmt::format("edges[{}].left", id), fmt::format("{}", e.left),
                       fmt::format("0 <= left < {}", lefts));
    }
    if (e.right < 0 || e.right >= rights) {
      throw InputError(fmt::format("edges[{}].right", id), fmt::format("{}", e.right),
                       fmt::format("0 <= right < {}", rights));
    }
  }
  edges_.assign(edges.begin(), edges.end());
  live_ = static_cast<std::int32_t>(edges_.size());
  compress(
      lefts, live_, [this](std::int32_t id) { return edges_[id].left; }, left_begin_, left_end_, left_ids_,
      left_position_);
  compress(
      rights, live_, [this](std::int32_t id) { return edges_[id].right; }, right_begin_, right_end_, right_ids_,
      right_position_);
}

std::int32_t BipartiteGraph::max_degree() const noexcept {
  std::int32_t largest = 0;
  for (std::int32_t u = 0; u < lefts(); ++u) largest = std::max(largest, left_degree(u));
  for (std::int32_t v = 0; v < rights(); ++v) largest = std::max(largest, right_degree(v));
  return largest;
}

void BipartiteGraph::remove(std::int32_t id) {
  SLUICE_ASSERT(id >= 0 && id < id_count() && is_live(id), fmt::format("id {} of {}", id, id_count()));
  drop(id, left_end_[edge(id).left], left_ids_, left_position_);
  drop(id, right_end_[edge(id).right], right_ids_, right_position_);
  --live_;
}

void BipartiteGraph::set_weight(std::int32_t id, std::int64_t weight) {
  SLUICE_ASSERT(id >= 0 && id < id_count(), fmt::format("id {} of {}", id, id_count()));
  edges_[static_cast<std::size_t>(id)].weight = weight;
}

}  // namespace sluice
