#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sluice::compare {

/// The value that a share of the sorted values is not above; between two values it is linear, as R's default (type 7).
/// @pre sorted, at least one value; 0 <= share <= 1
[[nodiscard]] inline double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// A quarter of the values is not above `low`, a quarter not below `high`.
struct Quartiles {
  double low = 0;
  double high = 0;
};

/// The quartiles of values in any order; 0 if there are none.
[[nodiscard]] inline Quartiles quartiles_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.25), quantile(values, 0.75)};
}

/// Whether the middle halves of the values of two methods overlap.
[[nodiscard]] inline bool middle_halves_overlap(const Quartiles& a, const Quartiles& b) {
  return a.low <= b.high && b.low <= a.high;
}

}  // namespace sluice::compare
