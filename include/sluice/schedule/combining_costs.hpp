#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice {

/// Gives the time that ranks need to combine, in seconds for each byte of a message: one time for all ranks, or one for
/// each. A number is the time of all ranks; 0 if combining is free.
class CombiningCosts {
 public:
  /// Makes the cost of all ranks, at least 0.
  // NOLINTNEXTLINE(google-explicit-constructor): a number is one
  CombiningCosts(double s_per_byte = 0) : of_all_(s_per_byte) {}
  /// Makes the costs of each rank, at least one.
  explicit CombiningCosts(std::vector<double> s_per_byte) : by_rank_(std::move(s_per_byte)) {}

  /// Returns the cost of `rank`.
  [[nodiscard]] double of(std::int64_t rank) const {
    return by_rank_.empty() ? of_all_ : by_rank_[static_cast<std::size_t>(rank)];
  }
  /// Returns the cost of each rank; empty if all have one cost.
  [[nodiscard]] const std::vector<double>& by_rank() const { return by_rank_; }
  /// Returns the cost of the fastest rank.
  [[nodiscard]] double least() const { return by_rank_.empty() ? of_all_ : *std::ranges::min_element(by_rank_); }
  /// Returns the cost of the slowest rank.
  [[nodiscard]] double most() const { return by_rank_.empty() ? of_all_ : *std::ranges::max_element(by_rank_); }
  /// Returns true if no rank takes any time.
  [[nodiscard]] bool are_free() const { return most() == 0; }
  /// Returns true if any two ranks have different costs.
  [[nodiscard]] bool differ() const { return least() != most(); }

  friend bool operator==(const CombiningCosts&, const CombiningCosts&) = default;

 private:
  double of_all_ = 0;
  std::vector<double> by_rank_;
};

}  // namespace sluice
