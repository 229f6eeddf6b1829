#include "plan/exchange/constructive/limited_matching.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sluice::detail {

namespace {
constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr std::int32_t kUnmatched = -1;
constexpr std::uint32_t kBetweenMatchingLooks = 31;  // vertices settled between two looks at the budget, as a mask
}  // namespace

LimitedMatching::LimitedMatching(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges,
                                 std::int32_t limit)
    : limit_(limit) {
  const auto left_count = static_cast<std::size_t>(lefts);
  const auto right_count = static_cast<std::size_t>(rights);
  begin_.assign(left_count + 1, 0);
  for (const Edge& edge : edges) ++begin_[static_cast<std::size_t>(edge.left) + 1];
  for (std::size_t u = 0; u < left_count; ++u) begin_[u + 1] += begin_[u];
  arcs_.resize(edges.size());
  std::vector<std::int32_t> place(begin_.begin(), begin_.end() - 1);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    std::int32_t& next = place[static_cast<std::size_t>(edges[e].left)];
    arcs_[static_cast<std::size_t>(next++)] = {edges[e].right, static_cast<std::int32_t>(e)};
  }
  left_price_.assign(left_count, 0);
  right_price_.assign(right_count, 0);
  left_edge_.assign(left_count, kUnmatched);
  left_right_.assign(left_count, kUnmatched);
  right_left_.assign(right_count, kUnmatched);
  distance_.assign(right_count, 0);
  left_distance_.assign(left_count, 0);
  from_edge_.assign(right_count, kUnmatched);
  from_left_.assign(right_count, kUnmatched);
  done_.assign(right_count, 0);
}

bool LimitedMatching::solve(std::span<const double> values, Budget& budget) {
  // Invariant: left price + right price >= value, with equality on the matching; free right vertices have price 0,
  // free left vertices `level`, the largest price of the left that is possible: no left price is below it.
  double level = 0;
  for (const Arc& arc : arcs_) level = std::max(level, values[static_cast<std::size_t>(arc.edge)]);
  std::fill(left_price_.begin(), left_price_.end(), level);
  std::fill(right_price_.begin(), right_price_.end(), 0.0);
  std::fill(left_edge_.begin(), left_edge_.end(), kUnmatched);
  std::fill(right_left_.begin(), right_left_.end(), kUnmatched);
  std::fill(left_right_.begin(), left_right_.end(), kUnmatched);

  for (std::int32_t size = 0; size < limit_ && level > 0; ++size) {
    if (budget.over()) return false;
    std::int64_t looks = 0;
    std::fill(distance_.begin(), distance_.end(), kFar);
    std::fill(left_distance_.begin(), left_distance_.end(), kFar);
    std::fill(done_.begin(), done_.end(), char{0});
    const auto scan = [&](std::size_t u, double so_far) {
      left_distance_[u] = so_far;
      looks += 2 * static_cast<std::int64_t>(begin_[u + 1] - begin_[u]);
      for (std::int32_t a = begin_[u]; a < begin_[u + 1]; ++a) {
        const Arc& arc = arcs_[static_cast<std::size_t>(a)];
        const double value = values[static_cast<std::size_t>(arc.edge)];
        if (value <= 0) continue;
        const auto v = static_cast<std::size_t>(arc.right);
        if (done_[v] != 0) continue;
        const double length = so_far + std::max(0.0, left_price_[u] + right_price_[v] - value);
        if (length >= distance_[v]) continue;
        distance_[v] = length;
        from_edge_[v] = arc.edge;
        from_left_[v] = static_cast<std::int32_t>(u);
      }
    };
    for (std::size_t u = 0; u < left_edge_.size(); ++u)
      if (left_edge_[u] == kUnmatched) scan(u, 0);

    double length = level;  // a longer path gains nothing
    std::size_t end = distance_.size();
    std::uint32_t settled = 0;
    while (true) {
      if ((++settled & kBetweenMatchingLooks) == 0) {
        budget.spend(std::exchange(looks, 0));
        if (budget.over()) return false;
      }
      looks += static_cast<std::int64_t>(distance_.size());
      std::size_t nearest = distance_.size();
      double least = length;
      for (std::size_t v = 0; v < distance_.size(); ++v) {
        if (done_[v] == 0 && distance_[v] < least) {
          least = distance_[v];
          nearest = v;
        }
      }
      if (nearest == distance_.size()) break;
      if (right_left_[nearest] == kUnmatched) {
        length = least;
        end = nearest;
        break;
      }
      done_[nearest] = 1;
      scan(static_cast<std::size_t>(right_left_[nearest]), least);
    }
    budget.spend(looks);
    for (std::size_t u = 0; u < left_price_.size(); ++u)
      if (left_distance_[u] < length) left_price_[u] -= length - left_distance_[u];
    for (std::size_t v = 0; v < distance_.size(); ++v)
      if (done_[v] != 0) right_price_[v] += length - distance_[v];
    level -= length;
    if (end == distance_.size()) break;
    for (auto v = static_cast<std::int32_t>(end); v != kUnmatched;) {
      const std::int32_t u = from_left_[static_cast<std::size_t>(v)];
      left_edge_[static_cast<std::size_t>(u)] = from_edge_[static_cast<std::size_t>(v)];
      right_left_[static_cast<std::size_t>(v)] = u;
      v = std::exchange(left_right_[static_cast<std::size_t>(u)], v);
    }
  }
  limit_price_ = std::max(0.0, level);
  found_.clear();
  for (const std::int32_t edge : left_edge_)
    if (edge != kUnmatched) found_.push_back(edge);
  return true;
}

double LimitedMatching::bound(std::span<const double> values) {
  double sum = static_cast<double>(limit_) * limit_price_;
  for (std::size_t u = 0; u < left_price_.size(); ++u) {
    double price = 0;
    for (std::int32_t a = begin_[u]; a < begin_[u + 1]; ++a) {
      const Arc& arc = arcs_[static_cast<std::size_t>(a)];
      price = std::max(price, values[static_cast<std::size_t>(arc.edge)] - limit_price_ -
                                  right_price_[static_cast<std::size_t>(arc.right)]);
    }
    left_price_[u] = price;
    sum += price;
  }
  std::fill(distance_.begin(), distance_.end(), 0.0);
  for (std::size_t u = 0; u < left_price_.size(); ++u) {
    for (std::int32_t a = begin_[u]; a < begin_[u + 1]; ++a) {
      const Arc& arc = arcs_[static_cast<std::size_t>(a)];
      double& price = distance_[static_cast<std::size_t>(arc.right)];
      price = std::max(price, values[static_cast<std::size_t>(arc.edge)] - limit_price_ - left_price_[u]);
    }
  }
  right_price_ = distance_;
  for (const double price : right_price_) sum += price;
  return sum;
}

}  // namespace sluice::detail
