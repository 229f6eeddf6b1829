#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The linear program over steps that lp_bound.cpp describes. Row e is the size row of edge e, row m + e its pieces
/// row; a row's demand is scaled to 1, costs by a step of the largest duration.
class StepProgram {
 public:
  explicit StepProgram(const Demand& demand) : demand_(demand) {
    durations_.reserve(demand.edges.size() + 1);
    durations_.push_back(1);
    for (const Edge& edge : demand.edges) durations_.push_back(edge.weight);
    std::sort(durations_.begin(), durations_.end());
    durations_.erase(std::unique(durations_.begin(), durations_.end()), durations_.end());
    scale_ = static_cast<double>(durations_.back()) + demand.setup;
  }

  [[nodiscard]] const Demand& demand() const { return demand_; }
  [[nodiscard]] std::size_t edge_count() const { return demand_.edges.size(); }
  [[nodiscard]] std::size_t row_count() const { return 2 * demand_.edges.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& durations() const { return durations_; }
  [[nodiscard]] double scale() const { return scale_; }
  [[nodiscard]] double cost(std::int64_t duration) const {
    return (static_cast<double>(duration) + demand_.setup) / scale_;
  }

  /// What a step of `duration` covers of the two rows of edge e.
  [[nodiscard]] std::pair<double, double> cover(std::size_t e, std::int64_t duration) const {
    const std::int64_t size = demand_.edges[e].weight;
    if (duration >= size) return {1.0, 1.0};
    return {static_cast<double>(duration) / static_cast<double>(size), 0.5};
  }

  /// Worth of each edge in a step of `duration`.
  void values(std::int64_t duration, const std::vector<double>& prices, std::vector<double>& result) const {
    for (std::size_t e = 0; e < edge_count(); ++e) {
      const auto [size, pieces] = cover(e, duration);
      result[e] = prices[e] * size + prices[edge_count() + e] * pieces;
    }
  }

 private:
  const Demand& demand_;
  std::vector<std::int64_t> durations_;  // ascending
  double scale_ = 1;
};

/// The least possible cost that is not below `bound`. If the set-up is whole, all costs are whole; otherwise it is
/// `bound` itself.
[[nodiscard]] inline double least_possible_cost(double bound, double setup) {
  constexpr double kSlack = 1e-6;
  constexpr double kExact = 1e15;  // doubles below it have room for kSlack
  return setup == std::floor(setup) && bound < kExact ? std::ceil(bound - kSlack) : bound;
}

}  // namespace sluice::detail
