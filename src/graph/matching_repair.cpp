#include "graph/matching_repair.hpp"

#include <fmt/format.h>

#include <limits>
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
  forward_.assign(lefts, 0);
  backward_.assign(lefts, 0);
  entered_by_.assign(lefts, -1);
  left_by_.assign(lefts, -1);
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
  if (search_ == std::numeric_limits<std::int32_t>::max()) {
    forward_.assign(forward_.size(), 0);
    backward_.assign(backward_.size(), 0);
    search_ = 0;
  }
  ++search_;
  const bool left_open = graph_->left_degree(u) > 0;
  const bool right_open = graph_->right_degree(v) > 0;
  // Whether a search may find anything besides what the other one has.
  const bool other_rights = open_rights_ > (right_open ? 1 : 0);
  const bool other_lefts = open_lefts_ > (left_open ? 1 : 0);
  forward_queue_.clear();
  backward_queue_.clear();
  if (left_open) forward_queue_.push_back(u);
  if (right_open) backward_queue_.push_back(v);
  std::size_t forward_head = 0;
  std::size_t backward_head = 0;
  std::int64_t forward_looks = 0;
  std::int64_t backward_looks = 0;
  for (;;) {
    const bool forward_done = forward_head == forward_queue_.size();
    const bool backward_done = backward_head == backward_queue_.size();
    // A search that has seen all it can reach has not met the other one, and they will not meet.
    if ((forward_done && !other_lefts) || (backward_done && !other_rights) || (forward_done && backward_done))
      return false;
    if (!forward_done && (backward_done || forward_looks <= backward_looks)) {
      const std::int32_t left = forward_queue_[forward_head++];
      forward_looks += graph_->left_degree(left);
      if (look_forward(left)) return true;
    } else {
      const std::int32_t right = backward_queue_[backward_head++];
      backward_looks += graph_->right_degree(right);
      if (look_backward(right)) return true;
    }
  }
}

bool MatchingRepair::look_forward(std::int32_t left) {
  for (const std::int32_t id : graph_->edges_of_left(left)) {
    const std::int32_t mate = left_of_[graph_->edge(id).right];
    if (mate < 0 || backward_[mate] == search_) {
      join(id);
      return true;
    }
    if (forward_[mate] == search_) continue;
    forward_[mate] = search_;
    entered_by_[mate] = id;
    forward_queue_.push_back(mate);
  }
  return false;
}

bool MatchingRepair::look_backward(std::int32_t right) {
  for (const std::int32_t id : graph_->edges_of_right(right)) {
    const std::int32_t left = graph_->edge(id).left;
    const std::int32_t mate = right_of_[left];
    if (mate < 0 || forward_[left] == search_) {
      join(id);
      return true;
    }
    if (backward_[left] == search_) continue;
    backward_[left] = search_;
    left_by_[left] = id;
    backward_queue_.push_back(mate);
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
    const std::int32_t entering = entered_by_[left];
    left = graph_->edge(entering).left;
    left_end = right_of_[left];
    match(entering);
  }
  if (graph_->left_degree(left) > 0) --open_lefts_;
  while (next >= 0) {
    const std::int32_t leaving = left_by_[next];
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
