#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sluice {

/// How long ranks take to combine, in seconds for each byte of a message: all the same time, or each its own. A number
/// is the time of all ranks, 0 where combining is free.
class CombiningCosts {
 public:
  /// Of all ranks, at least 0.
  // NOLINTNEXTLINE(google-explicit-constructor): a number is one
  CombiningCosts(double s_per_byte = 0) : of_all_(s_per_byte) {}
  /// Of each rank, at least one.
  explicit CombiningCosts(std::vector<double> s_per_byte) : by_rank_(std::move(s_per_byte)) {}

  /// Returns what `rank` takes.
  [[nodiscard]] double of(std::int64_t rank) const {
    return by_rank_.empty() ? of_all_ : by_rank_[static_cast<std::size_t>(rank)];
  }
  /// Returns what each rank takes; empty where all take the same.
  [[nodiscard]] const std::vector<double>& by_rank() const { return by_rank_; }
  /// Returns what the fastest rank takes.
  [[nodiscard]] double least() const { return by_rank_.empty() ? of_all_ : *std::ranges::min_element(by_rank_); }
  /// Returns what the slowest rank takes.
  [[nodiscard]] double most() const { return by_rank_.empty() ? of_all_ : *std::ranges::max_element(by_rank_); }
  /// Returns true if no rank takes any time.
  [[nodiscard]] bool are_free() const { return most() == 0; }
  /// Returns true if any two ranks take different times.
  [[nodiscard]] bool differ() const { return least() != most(); }

  friend bool operator==(const CombiningCosts&, const CombiningCosts&) = default;

 private:
  double of_all_ = 0;
  std::vector<double> by_rank_;
};

}  // namespace sluice
