#pragma once

#include <array>
#include <cstddef>

#include "base/fixed_math.hpp"

namespace sluice::detail {

/// Draws how much dearer a state may become in simulated annealing: d or more with the probability
/// exp(-d / temperature). The probabilities are evenly spaced, so that a draw takes no logarithm.
class AcceptedRise {
 public:
  AcceptedRise() {
    for (std::size_t i = 0; i < kProbabilities; ++i)
      logarithms_[i] = -fixed_log((static_cast<double>(i) + 0.5) / static_cast<double>(kProbabilities));
  }
  template <class Random>
  [[nodiscard]] double draw(double temperature, Random& random) const {
    return temperature * logarithms_[static_cast<std::size_t>(random() % kProbabilities)];
  }

 private:
  static constexpr std::size_t kProbabilities = 4096;
  std::array<double, kProbabilities> logarithms_{};  ///< negated
};

}  // namespace sluice::detail
