#pragma once

namespace sluice::detail {

/// The most that combining may cost, in seconds per byte: more than any operation costs, and times of whole messages
/// stay finite.
inline constexpr double kMostCombining = 1e80;

/// Whether combining may cost `s_per_byte` seconds per byte; false for NaN.
[[nodiscard]] constexpr bool may_be_combining(double s_per_byte) {
  return s_per_byte >= 0 && s_per_byte <= kMostCombining;
}

}  // namespace sluice::detail
