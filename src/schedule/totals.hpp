#pragma once

#include <algorithm>
#include <cmath>

namespace sluice::detail {

/// Whether total `a` is greater than total `b` by more than rounding.
///
/// Steps and transmission are integers and compared exactly; a total derived from them may come from another machine or
/// language, whose order of operations (or fused multiply-add) rounds the last bits differently. 1e-12 is thousands of
/// such roundings and can hide no integer. An `a` that is no finite number is no total and greater than everything.
[[nodiscard]] inline bool exceeds(double a, double b) {
  return !std::isfinite(a) || a - b > 1e-12 * std::max(std::abs(a), std::abs(b));
}

}  // namespace sluice::detail
