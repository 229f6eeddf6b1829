#pragma once

/// When a difference of measured times may be chance.
namespace sluice::command {

/// The middle half of the samples lies between these two.
struct Quartiles {
  double lower = 0;
  double upper = 0;
};

/// Whether the middle halves of two methods' samples overlap; if so, the difference of their medians may be chance.
[[nodiscard]] inline bool within_noise(const Quartiles& a, const Quartiles& b) {
  return a.lower <= b.upper && b.lower <= a.upper;
}

}  // namespace sluice::command
