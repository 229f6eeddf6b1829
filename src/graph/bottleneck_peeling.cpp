#include "graph/bottleneck_peeling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

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

BottleneckPeeling::Active BottleneckPeeling::rows_for(std::int32_t lefts, std::span<const Edge> edges) {
  Active result;
  result.rows.resize(static_cast<std::size_t>(lefts));
  for (const Edge& edge : edges) ++result.rows[edge.left].end;
  std::int32_t begin = 0;
  for (Active::Row& row : result.rows) {
    row.begin = begin;
    begin += std::exchange(row.end, begin);
  }
  result.slots.resize(edges.size());
  return result;
}

BottleneckPeeling::BottleneckPeeling(std::int32_t lefts, std::span<const Edge> edges)
    : n_(lefts), matching_(rows_for(lefts, edges)), threshold_(std::numeric_limits<std::int64_t>::max()) {
  const auto n = static_cast<std::size_t>(n_);
  const std::size_t m = edges.size();
  left_.resize(m);
  right_.resize(m);
  weight_.resize(m);
  position_.assign(m, -1);
  std::vector<std::int64_t> left_sum(n, 0), right_sum(n, 0);
  for (std::size_t e = 0; e < m; ++e) {
    left_[e] = edges[e].left;
    right_[e] = edges[e].right;
    weight_[e] = edges[e].weight;
    SLUICE_ASSERT(weight_[e] > 0, fmt::format("edge {} weighs {}", e, weight_[e]));
    left_sum[left_[e]] += weight_[e];
    right_sum[right_[e]] += weight_[e];
  }
  rest_ = n == 0 ? 0 : left_sum[0];
  for (std::size_t v = 0; v < n; ++v) {
    SLUICE_ASSERT(left_sum[v] == rest_ && right_sum[v] == rest_,
                  fmt::format("vertices {} sum up to {} and {}, not {}", v, left_sum[v], right_sum[v], rest_));
  }
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
  position_[entry.id] = active().rows[u].end;
  active().slots[active().rows[u].end++] = {right_[entry.id], entry.id};
  return entry.id;
}

void BottleneckPeeling::deactivate(std::int32_t id) {
  const std::int32_t last = --active().rows[left_[id]].end;
  const std::int32_t hole = position_[id];
  active().slots[hole] = active().slots[last];
  position_[active().slots[hole].id] = hole;
  position_[id] = -1;
}

std::pair<std::span<const std::int32_t>, std::int64_t> BottleneckPeeling::next(std::int64_t most_looks) {
  SLUICE_ASSERT(!done(), "nothing left to peel");
  match_active();
  active().looked(n_);
  while (matching_.size() < n_) {
    if (active().looks > most_looks) return {{}, 0};
    grow_forest();
    // Edges between vertices out of the forest wait in the rows until the forest reaches them.
    for (const std::int32_t before = matching_.size(); matching_.size() == before;) {
      active().looked(1);
      const std::int32_t id = activate_heaviest();
      if (left_stamp_[left_[id]] == stamp_) reach(right_[id], id);
    }
  }

  result_ = matching_.edges();
  std::int64_t duration = weight_[result_[0]];
  for (const std::int32_t id : result_) duration = std::min(duration, weight_[id]);
  rest_ -= duration;
  for (const std::int32_t id : result_) {
    weight_[id] -= duration;
    if (weight_[id] >= threshold_) continue;
    deactivate(id);
    matching_.unmatch(left_[id]);
    if (weight_[id] > 0) file(id);
  }
  return {result_, duration};
}

void BottleneckPeeling::match_active() {
  std::vector<std::int32_t> free;
  for (std::int32_t u = 0; u < n_; ++u) {
    if (matching_.edges()[u] >= 0) continue;
    bool found = false;
    for (const Active::Slot slot : active().row(u)) {
      active().looked(1);
      if (matching_.source_of()[slot.right] >= 0) continue;
      matching_.match(u, slot.right, slot.id);
      found = true;
      break;
    }
    if (!found) free.push_back(u);
  }
  matching_.search(std::move(free), n_);
}

void BottleneckPeeling::grow_forest() {
  ++stamp_;
  std::int64_t looks = n_;
  // All roots are marked before the search: none of them is matched, so none is reached through an edge.
  stack_.clear();
  for (std::int32_t u = 0; u < n_; ++u) {
    if (matching_.edges()[u] >= 0) continue;
    left_stamp_[u] = stamp_;
    stack_.push_back(u);
  }
  while (!stack_.empty()) {
    const std::int32_t u = stack_.back();
    stack_.pop_back();
    looks += active().degree(u);
    for (const Active::Slot slot : active().row(u)) {
      if (right_stamp_[slot.right] == stamp_) continue;
      right_stamp_[slot.right] = stamp_;
      reached_by_[slot.right] = slot.id;
      const std::int32_t w = matching_.source_of()[slot.right];
      SLUICE_ASSERT(w >= 0, "Hopcroft-Karp left an augmenting path");
      left_stamp_[w] = stamp_;
      stack_.push_back(w);
    }
  }
  active().looked(looks);
}

bool BottleneckPeeling::reach(std::int32_t right, std::int32_t id) {
  stack_.clear();
  const auto visit = [&](std::int32_t v, std::int32_t by) {
    if (right_stamp_[v] == stamp_) return false;
    right_stamp_[v] = stamp_;
    reached_by_[v] = by;
    const std::int32_t w = matching_.source_of()[v];
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
    active().looked(active().degree(u));
    for (const Active::Slot slot : active().row(u))
      if (visit(slot.right, slot.id)) return true;
  }
  return false;
}

void BottleneckPeeling::augment(std::int32_t right) {
  for (bool ended = false; !ended;) {
    const std::int32_t id = reached_by_[right];
    const std::int32_t u = left_[id];
    const std::int32_t before = matching_.target_of()[u];
    ended = before < 0;
    if (!ended) matching_.unmatch(u);
    matching_.match(u, right, id);
    right = before;
  }
}

}  // namespace sluice::detail
