#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "plan/broadcast/cluster_tree.hpp"

namespace sluice::detail {

/// Lookahead: F_j of every cluster j of the set B that still waits (ecef.cpp defines the kinds of F_j). It is kept up
/// to date as clusters leave B. O(1) for each F_j. A move takes O(C) with averages, otherwise O(1) spread over all
/// rounds.
class WaitingClusters {
 public:
  enum class Kind { kNone, kLeast, kAverage, kAverageSets, kLeastInside, kMostInside };

  WaitingClusters(const Costs& costs, Kind kind, const std::vector<char>& waits)
      : c_(costs), kind_(kind), waits_(waits) {
    const std::size_t n = c_.size();
    if (kind == Kind::kLeast || kind == Kind::kLeastInside || kind == Kind::kMostInside) {
      order_.resize(n);
      next_.assign(n, 0);
      for (std::size_t j = 0; j < n; ++j) {
        order_[j].resize(n);
        std::iota(order_[j].begin(), order_[j].end(), 0U);
        std::vector<double> key(n);
        for (std::size_t k = 0; k < n; ++k) key[k] = weight(j, k);
        const double sign = kind == Kind::kMostInside ? -1 : 1;
        std::stable_sort(order_[j].begin(), order_[j].end(),
                         [&](std::uint32_t a, std::uint32_t b) { return sign * key[a] < sign * key[b]; });
      }
    }
    if (kind == Kind::kAverage || kind == Kind::kAverageSets) {
      to_waiting_.assign(n, 0);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k)
          if (k != j && waits_[k] != 0) to_waiting_[j] += c_.transfer(j, k);
    }
    if (kind == Kind::kAverageSets) {
      from_holders_.assign(n, 0);
      for (std::size_t k = 0; k < n; ++k)
        if (k != c_.root()) from_holders_[k] = c_.transfer(c_.root(), k);
      between_sets_ = to_waiting_[c_.root()];
    }
    waiting_ = static_cast<std::size_t>(std::count(waits.begin(), waits.end(), char{1}));
  }

  /// Once `waits` no longer has it.
  void moved(std::size_t cluster) {
    --waiting_;
    if (kind_ != Kind::kAverage && kind_ != Kind::kAverageSets) return;
    for (std::size_t j = 0; j < c_.size(); ++j)
      if (j != cluster) to_waiting_[j] -= c_.transfer(j, cluster);
    if (kind_ != Kind::kAverageSets) return;
    between_sets_ += to_waiting_[cluster] - from_holders_[cluster];
    for (std::size_t k = 0; k < c_.size(); ++k)
      if (k != cluster) from_holders_[k] += c_.transfer(cluster, k);
  }

  [[nodiscard]] double of(std::size_t j) {
    if (kind_ == Kind::kNone || waiting_ < 2) return 0;
    const auto others = static_cast<double>(waiting_ - 1);
    if (kind_ == Kind::kAverage) return to_waiting_[j] / others;
    if (kind_ == Kind::kAverageSets) {
      const auto holders = static_cast<double>(c_.size() - waiting_ + 1);
      return (between_sets_ - from_holders_[j] + to_waiting_[j]) / (holders * others);
    }
    std::size_t& next = next_[j];
    while (order_[j][next] == j || waits_[order_[j][next]] == 0) ++next;
    return weight(j, order_[j][next]);
  }

 private:
  [[nodiscard]] double weight(std::size_t j, std::size_t k) const {
    return c_.transfer(j, k) + (kind_ == Kind::kLeast ? 0 : c_.inside(k));
  }

  const Costs& c_;
  Kind kind_;
  const std::vector<char>& waits_;
  std::size_t waiting_ = 0;
  std::vector<std::vector<std::uint32_t>> order_;  // of each cluster, the others by weight
  std::vector<std::size_t> next_;                  // by cluster: the first in order_ that may still wait
  std::vector<double> to_waiting_;                 // sum of c_jk over all k in B except j
  std::vector<double> from_holders_;               // sum of c_ak over a in A
  double between_sets_ = 0;                        // sum of c_ak over a in A and k in B
};

}  // namespace sluice::detail
