#pragma once

#include <limits>

namespace sluice::detail {

/// A time that never comes, or a cost above all others.
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace sluice::detail
