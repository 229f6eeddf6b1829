#include "graph/bottleneck_peeling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

// A bucket for each value below 2^kDigits, then 2^kDigits for each power of 2: weights of one differ by less than 1 %.
constexpr int kDigits = 7;

}  // namespace

std::size_t BottleneckPeeling::bucket_of(std::int64_t weight) {
  const auto value = static_cast<std::uint64_t>(weight);
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kDigits - 1);
  return (static_cast<std::size_t>(shift) << kDigits) + static_cast<std::size_t>(value >> shift);
}

BottleneckPeeling::BottleneckPeeling(std::int32_t lefts, std::span<const Edge> edges)
    : n_(lefts), threshold_(std::numeric_limits<std::int64_t>::max()) {
  const auto n = static_cast<std::size_t>(n_);
  const std::size_t m = edges.size();
  left_.resize(m);
  right_.resize(m);
  weight_.resize(m);
  position_.assign(m, -1);
  row_begin_.assign(n + 1, 0);
  std::vector<std::int64_t> left_sum(n, 0), right_sum(n, 0);
  for (std::size_t e = 0; e < m; ++e) {
    left_[e] = edges[e].left;
    right_[e] = edges[e].right;
    weight_[e] = edges[e].weight;
    SLUICE_ASSERT(weight_[e] > 0, fmt::format("edge {} weighs {}", e, weight_[e]));
    left_sum[left_[e]] += weight_[e];
    right_sum[right_[e]] += weight_[e];
    ++row_begin_[left_[e] + 1];
  }
  rest_ = n == 0 ? 0 : left_sum[0];
  for (std::size_t v = 0; v < n; ++v) {
    SLUICE_ASSERT(left_sum[v] == rest_ && right_sum[v] == rest_,
                  fmt::format("vertices {} sum up to {} and {}, not {}", v, left_sum[v], right_sum[v], rest_));
    row_begin_[v + 1] += row_begin_[v];
  }
  row_end_.assign(row_begin_.begin(), row_begin_.end() - 1);
  slots_.resize(m);
  edge_of_left_.assign(n, -1);
  left_of_right_.assign(n, -1);
  level_.resize(n);
  cursor_.resize(n);
  queue_.resize(n);
  left_stamp_.assign(n, 0);
  right_stamp_.assign(n, 0);
  reached_by_.assign(n, -1);

  std::int64_t heaviest = 0;
  for (const std::int64_t weight : weight_) heaviest = std::max(heaviest, weight);
  buckets_.resize(bucket_of(heaviest) + 1);
  bucket_ = buckets_.size();
  for (std::size_t e = 0; e < m; ++e) file(static_cast<std::int32_t>(e));
}

void BottleneckPeeling::file(std::int32_t id) {
  const std::size_t bucket = bucket_of(weight_[id]);
  if (bucket >= bucket_) {
    late_.push({weight_[id], id});
  } else {
    buckets_[bucket].push_back(id);
  }
}

std::int32_t BottleneckPeeling::activate_heaviest() {
  while (sorted_.empty() && late_.empty()) {
    SLUICE_ASSERT(bucket_ > 0, "all edges together hold a perfect matching");
    std::vector<std::int32_t>& bucket = buckets_[--bucket_];
    for (const std::int32_t id : bucket) sorted_.push_back({weight_[id], id});
    std::vector<std::int32_t>().swap(bucket);
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
  }
  Entry entry{};
  if (sorted_.empty() || (!late_.empty() && late_.top() < sorted_.back())) {
    entry = late_.top();
    late_.pop();
  } else {
    entry = sorted_.back();
    sorted_.pop_back();
  }
  threshold_ = std::min(threshold_, entry.weight);
  const std::int32_t u = left_[entry.id];
  position_[entry.id] = row_end_[u];
  slots_[row_end_[u]++] = {right_[entry.id], entry.id};
  return entry.id;
}

void BottleneckPeeling::deactivate(std::int32_t id) {
  const std::int32_t last = --row_end_[left_[id]];
  const std::int32_t hole = position_[id];
  slots_[hole] = slots_[last];
  position_[slots_[hole].id] = hole;
  position_[id] = -1;
}

std::pair<std::span<const std::int32_t>, std::int64_t> BottleneckPeeling::next(std::int64_t most_looks) {
  SLUICE_ASSERT(!done(), "nothing left to peel");
  match_active();
  looks_ += n_;
  while (matched_ < n_) {
    if (looks_ > most_looks) return {{}, 0};
    grow_forest();
    // Edges between vertices out of the forest wait in the rows until the forest reaches them.
    for (const std::int32_t before = matched_; matched_ == before;) {
      ++looks_;
      const std::int32_t id = activate_heaviest();
      if (left_stamp_[left_[id]] == stamp_) reach(right_[id], id);
    }
  }

  std::int64_t duration = weight_[edge_of_left_[0]];
  for (const std::int32_t id : edge_of_left_) duration = std::min(duration, weight_[id]);
  rest_ -= duration;
  result_.assign(edge_of_left_.begin(), edge_of_left_.end());
  for (const std::int32_t id : result_) {
    weight_[id] -= duration;
    if (weight_[id] >= threshold_) continue;
    deactivate(id);
    edge_of_left_[left_[id]] = -1;
    left_of_right_[right_[id]] = -1;
    --matched_;
    if (weight_[id] > 0) file(id);
  }
  return {result_, duration};
}

void BottleneckPeeling::match(std::int32_t left, std::int32_t right, std::int32_t id) {
  edge_of_left_[left] = id;
  left_of_right_[right] = left;
}

void BottleneckPeeling::match_active() {
  free_.clear();
  for (std::int32_t u = 0; u < n_; ++u) {
    if (edge_of_left_[u] >= 0) continue;
    bool found = false;
    for (std::int32_t p = row_begin_[u]; p < row_end_[u] && !found; ++p) {
      ++looks_;
      const Slot slot = slots_[p];
      if (left_of_right_[slot.right] >= 0) continue;
      match(u, slot.right, slot.id);
      ++matched_;
      found = true;
    }
    if (!found) free_.push_back(u);
  }
  std::size_t count = free_.size();
  while (count > 0 && layer(count)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (descend(free_[i])) {
        ++matched_;
      } else {
        free_[kept++] = free_[i];
      }
    }
    count = kept;
  }
}

bool BottleneckPeeling::layer(std::size_t free_count) {
  std::fill(level_.begin(), level_.end(), -1);
  std::size_t tail = 0;
  for (std::size_t i = 0; i < free_count; ++i) {
    level_[free_[i]] = 0;
    queue_[tail++] = free_[i];
  }
  for (std::size_t head = 0; head < tail; ++head) {
    const std::int32_t u = queue_[head];
    cursor_[u] = row_begin_[u];
    looks_ += row_end_[u] - row_begin_[u];
    for (std::int32_t p = row_begin_[u]; p < row_end_[u]; ++p) {
      const std::int32_t w = left_of_right_[slots_[p].right];
      if (w < 0) {
        last_level_ = level_[u];  // all of this level stand in the queue already
        for (std::size_t i = head + 1; i < tail; ++i) cursor_[queue_[i]] = row_begin_[queue_[i]];
        return true;
      }
      if (level_[w] < 0) {
        level_[w] = level_[u] + 1;
        queue_[tail++] = w;
      }
    }
  }
  return false;
}

bool BottleneckPeeling::descend(std::int32_t root) {
  stack_.assign(1, root);
  while (!stack_.empty()) {
    const std::int32_t u = stack_.back();
    const bool last = level_[u] == last_level_;
    bool descended = false;
    for (std::int32_t& p = cursor_[u]; p < row_end_[u]; ++p) {
      ++looks_;
      const std::int32_t w = left_of_right_[slots_[p].right];
      if (w < 0) {
        for (const std::int32_t s : stack_) {
          const Slot slot = slots_[cursor_[s]];
          match(s, slot.right, slot.id);
          level_[s] = -1;  // paths of one phase share no vertex
        }
        return true;
      }
      if (!last && level_[w] == level_[u] + 1) {
        stack_.push_back(w);
        descended = true;
        break;
      }
    }
    if (!descended) {
      level_[u] = -1;  // leads nowhere in this phase
      stack_.pop_back();
      if (!stack_.empty()) ++cursor_[stack_.back()];
    }
  }
  return false;
}

void BottleneckPeeling::grow_forest() {
  ++stamp_;
  looks_ += n_;
  // All roots are marked before the search: none of them is matched, so none is reached through an edge.
  stack_.clear();
  for (std::int32_t u = 0; u < n_; ++u) {
    if (edge_of_left_[u] >= 0) continue;
    left_stamp_[u] = stamp_;
    stack_.push_back(u);
  }
  while (!stack_.empty()) {
    const std::int32_t u = stack_.back();
    stack_.pop_back();
    looks_ += row_end_[u] - row_begin_[u];
    for (std::int32_t p = row_begin_[u]; p < row_end_[u]; ++p) {
      const Slot slot = slots_[p];
      if (right_stamp_[slot.right] == stamp_) continue;
      right_stamp_[slot.right] = stamp_;
      reached_by_[slot.right] = slot.id;
      const std::int32_t w = left_of_right_[slot.right];
      SLUICE_ASSERT(w >= 0, "Hopcroft-Karp left an augmenting path");
      left_stamp_[w] = stamp_;
      stack_.push_back(w);
    }
  }
}

bool BottleneckPeeling::reach(std::int32_t right, std::int32_t id) {
  stack_.clear();
  const auto visit = [&](std::int32_t v, std::int32_t by) {
    if (right_stamp_[v] == stamp_) return false;
    right_stamp_[v] = stamp_;
    reached_by_[v] = by;
    const std::int32_t w = left_of_right_[v];
    if (w < 0) {
      augment(v);
      return true;
    }
    left_stamp_[w] = stamp_;
    stack_.push_back(w);
    return false;
  };
  if (visit(right, id)) return true;
  while (!stack_.empty()) {
    const std::int32_t u = stack_.back();
    stack_.pop_back();
    looks_ += row_end_[u] - row_begin_[u];
    for (std::int32_t p = row_begin_[u]; p < row_end_[u]; ++p)
      if (visit(slots_[p].right, slots_[p].id)) return true;
  }
  return false;
}

void BottleneckPeeling::augment(std::int32_t right) {
  for (;;) {
    const std::int32_t id = reached_by_[right];
    const std::int32_t u = left_[id];
    const std::int32_t before = edge_of_left_[u];
    match(u, right, id);
    if (before < 0) break;
    right = right_[before];
  }
  ++matched_;
}

}  // namespace sluice::detail
