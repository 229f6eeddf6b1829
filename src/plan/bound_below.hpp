#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::detail {

/// A lower bound of the lengths of plans, of which one has `length`. Where it is above that by the rounding of sums, it
/// becomes `length`; a bound that is further above is wrong, and fails an assertion.
inline double bound_below(double bound, double length) {
  constexpr double kRounding = 1e-9;
  SLUICE_ASSERT(bound <= length * (1 + kRounding), fmt::format("a bound of {} for a length of {}", bound, length));
  return std::min(bound, length);
}

}  // namespace sluice::detail
