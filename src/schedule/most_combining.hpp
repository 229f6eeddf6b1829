#pragma once

namespace sluice::detail {

/// What combining costs at most, in seconds per byte: more than any does, and times of whole messages stay finite.
inline constexpr double kMostCombining = 1e80;

}  // namespace sluice::detail
