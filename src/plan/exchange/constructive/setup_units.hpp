#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sluice::detail {

/// The paper's normalisation: a step costs 1, and weights are in units of the set-up, rounded up.
///
/// The unit is the set-up, rounded up to a whole number so that pieces are whole. It is 1 if the set-up is less,
/// because whole sizes gain nothing from smaller units. What is executed is never rounded: see size_of.
class SetupUnits {
 public:
  /// `setup` >= 0; beyond 2^62 every message is one unit.
  explicit SetupUnits(double setup)
      : unit_(setup >= 0x1p62 ? std::int64_t{1} << 62 : std::max<std::int64_t>(1, std::llround(std::ceil(setup)))) {}

  /// Units that hold `size` > 0: the rounded weight of a message.
  [[nodiscard]] std::int64_t units_of(std::int64_t size) const { return size / unit_ + (size % unit_ != 0 ? 1 : 0); }

  /// How much of a message of `size` has been sent once `units` of its units are over: all of it after the last.
  [[nodiscard]] std::int64_t size_of(std::int64_t units, std::int64_t size) const {
    return units >= units_of(size) ? size : units * unit_;
  }

 private:
  std::int64_t unit_;
};

}  // namespace sluice::detail
