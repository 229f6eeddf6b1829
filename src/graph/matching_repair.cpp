#include "graph/matching_repair.hpp"

#include <fmt/format.h>

#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {

MatchingRepair::MatchingRepair(BipartiteGraph& graph, Matching maximum)
    : graph_(&graph), matching_(std::move(maximum)) {
  SLUICE_ASSERT(is_matching(graph, matching_), fmt::format("size {}", matching_.size));
  const auto lefts = static_cast<std::size_t>(graph.lefts());
  const auto rights = static_cast<std::size_t>(graph.rights());
  right_of_.assign(lefts, -1);
  left_of_.assign(rights, -1);
  for (Search* search : {&forward_, &backward_}) {
    search->seen.assign(lefts, 0);
    search->by.assign(lefts, -1);
  }
  in_closed_lefts_.assign(lefts, 0);
  in_closed_rights_.assign(rights, 0);
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    const std::int32_t id = matching_.left_edge[u];
    if (id >= 0) {
      right_of_[u] = graph.edge(id).right;
      left_of_[graph.edge(id).right] = u;
    } else if (graph.left_degree(u) > 0) {
      ++open_lefts_;
    }
  }
  for (std::int32_t v = 0; v < graph.rights(); ++v) {
    if (left_of_[v] < 0 && graph.right_degree(v) > 0) ++open_rights_;
  }
}

std::span<const std::int32_t> MatchingRepair::remove(std::int32_t id) {
  changed_.clear();
  const std::int32_t u = graph_->edge(id).left;
  const std::int32_t v = graph_->edge(id).right;
  const bool matched = matching_.left_edge[u] == id;
  graph_->remove(id);
  if (!matched) {
    if (right_of_[u] < 0 && graph_->left_degree(u) == 0) --open_lefts_;
    if (left_of_[v] < 0 && graph_->right_degree(v) == 0) --open_rights_;
    return {};
  }
  matching_.left_edge[u] = matching_.right_edge[v] = -1;
  right_of_[u] = left_of_[v] = -1;
  --matching_.size;
  if (graph_->left_degree(u) > 0) ++open_lefts_;
  if (graph_->right_degree(v) > 0) ++open_rights_;
  if (!repair(u, v)) {
    changed_.assign(1, u);
  } else if (right_of_[u] < 0) {
    changed_.push_back(u);
  }
  return changed_;
}

bool MatchingRepair::repair(std::int32_t u, std::int32_t v) {
  ++search_;  // once a removal at most: no more than there are ids
  const bool other_lefts = open_lefts_ > (graph_->left_degree(u) > 0 ? 1 : 0);
  const bool other_rights = open_rights_ > (graph_->right_degree(v) > 0 ? 1 : 0);
  forward_.start(u);
  backward_.start(v);
  inside_lefts_ = in_closed_lefts_[u] != 0;
  inside_rights_ = in_closed_rights_[v] != 0;
  bool found = false;
  if (inside_lefts_) {
    found = search(false, true);
    if (!found) {
      for (const std::int32_t right : backward_.queue) {
        if (left_of_[right] >= 0) in_closed_lefts_[left_of_[right]] = 0;
      }
      inside_lefts_ = false;
      forward_.done = true;
      backward_.again();
      found = search(false, other_lefts);
    }
  } else if (inside_rights_) {
    found = search(true, false);
    if (!found) {
      for (const std::int32_t left : forward_.queue) {
        if (right_of_[left] >= 0) in_closed_rights_[right_of_[left]] = 0;
      }
      inside_rights_ = false;
      backward_.done = true;
      forward_.again();
      found = search(other_rights, false);
    }
  } else {
    found = search(other_rights, other_lefts);
  }
  // Vertices that a search from within a closed set saw are in that set already, whether the search was done or not.
  if (forward_.done) {
    for (const std::int32_t left : forward_.queue) in_closed_lefts_[left] = 1;
  }
  if (backward_.done) {
    for (const std::int32_t right : backward_.queue) in_closed_rights_[right] = 1;
  }
  return found;
}

bool MatchingRepair::search(bool forward_alone, bool backward_alone) {
  // A search that has seen all it can reach has not met the other one, and they will not meet.
  while (!(forward_.done && !backward_alone) && !(backward_.done && !forward_alone) &&
         !(forward_.done && backward_.done)) {
    if (!forward_.done && (backward_.done || forward_.looks <= backward_.looks)) {
      const std::int32_t left = forward_.queue[forward_.head++];
      forward_.looks += graph_->left_degree(left);
      if (look_forward(left)) return true;
      forward_.done = forward_.head == forward_.queue.size();
    } else {
      const std::int32_t right = backward_.queue[backward_.head++];
      backward_.looks += graph_->right_degree(right);
      if (look_backward(right)) return true;
      backward_.done = backward_.head == backward_.queue.size();
    }
  }
  return false;
}

bool MatchingRepair::look_forward(std::int32_t left) {
  for (const std::int32_t id : graph_->edges_of_left(left)) {
    const std::int32_t right = graph_->edge(id).right;
    if (inside_rights_ && in_closed_rights_[right] == 0) continue;
    const std::int32_t mate = left_of_[right];
    if (mate < 0 || backward_.seen[mate] == search_) {
      join(id);
      return true;
    }
    if (forward_.seen[mate] == search_ || (!inside_lefts_ && in_closed_lefts_[mate] != 0)) continue;
    forward_.seen[mate] = search_;
    forward_.by[mate] = id;
    forward_.queue.push_back(mate);
  }
  return false;
}

bool MatchingRepair::look_backward(std::int32_t right) {
  for (const std::int32_t id : graph_->edges_of_right(right)) {
    const std::int32_t left = graph_->edge(id).left;
    if (inside_lefts_ && in_closed_lefts_[left] == 0) continue;
    const std::int32_t mate = right_of_[left];
    if (mate < 0 || forward_.seen[left] == search_) {
      join(id);
      return true;
    }
    if (backward_.seen[left] == search_ || (!inside_rights_ && in_closed_rights_[mate] != 0)) continue;
    backward_.seen[left] = search_;
    backward_.by[left] = id;
    backward_.queue.push_back(mate);
  }
  return false;
}

void MatchingRepair::join(std::int32_t id) {
  std::int32_t left = graph_->edge(id).left;
  std::int32_t right = graph_->edge(id).right;
  std::int32_t left_end = right_of_[left];  // -1 or the vertex that the path reaches `left` from
  std::int32_t next = left_of_[right];      // -1 or the vertex that the path goes on from
  match(id);
  while (left_end >= 0) {
    const std::int32_t entering = forward_.by[left];
    left = graph_->edge(entering).left;
    left_end = right_of_[left];
    match(entering);
  }
  if (graph_->left_degree(left) > 0) --open_lefts_;
  while (next >= 0) {
    const std::int32_t leaving = backward_.by[next];
    right = graph_->edge(leaving).right;
    next = left_of_[right];
    match(leaving);
  }
  if (graph_->right_degree(right) > 0) --open_rights_;
  ++matching_.size;
}

void MatchingRepair::match(std::int32_t id) {
  const Edge& edge = graph_->edge(id);
  matching_.left_edge[edge.left] = matching_.right_edge[edge.right] = id;
  right_of_[edge.left] = edge.right;
  left_of_[edge.right] = edge.left;
  changed_.push_back(edge.left);
}

}  // namespace sluice::detail
