#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::detail {

/// Corrects a lower bound of the lengths of plans; one plan has `length`. A bound that exceeds `length` only because
/// sums are rounded becomes `length`. A bound that exceeds it by more is wrong and fails an assertion.
inline double bound_below(double bound, double length) {
  constexpr double kRounding = 1e-9;
  SLUICE_ASSERT(bound <= length * (1 + kRounding), fmt::format("a bound of {} for a length of {}", bound, length));
  return std::min(bound, length);
}

}  // namespace sluice::detail
