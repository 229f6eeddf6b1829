#pragma once

#include <algorithm>
#include <cstdint>

#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

/// Elements begin to end - 1.
struct Range {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
  [[nodiscard]] bool meets(const Range& other) const { return begin < other.end && other.begin < end; }
};

/// The i-th of `parts` parts; the first are the larger ones.
[[nodiscard]] inline Range part_of(const Range& whole, std::int64_t i, std::int64_t parts) {
  const std::int64_t each = whole.size() / parts;
  const std::int64_t rest = whole.size() % parts;
  const auto first = [&](std::int64_t k) { return whole.begin + k * each + std::min(k, rest); };
  return {first(i), first(i + 1)};
}

/// Two halves of some machines. If the number is odd, the low half has one more.
struct Halves {
  explicit Halves(std::int64_t count) : low(count - count / 2), high(count / 2) {}
  std::int64_t low;
  std::int64_t high;
  [[nodiscard]] bool odd() const { return low > high; }
};

/// What reduce-scatter does at each level, by the sizes of ranges alone.
class Halving {
 public:
  static constexpr std::int64_t kMostParts = 8;

  Halving(const ReduceProblem& problem, std::int64_t elements) : problem_(problem), elements_(elements) {}

  [[nodiscard]] std::int64_t machines() const { return problem_.machines; }
  [[nodiscard]] std::int64_t elements() const { return elements_; }

  /// The time of a transfer of `elements`.
  [[nodiscard]] double transfer(std::int64_t elements) const {
    return time(problem_.transfer_overhead, problem_.transfer, elements);
  }
  [[nodiscard]] double compute(std::int64_t elements) const {
    return time(problem_.compute_overhead, problem_.compute, elements);
  }

  /// The number of parts of each message between two halves; the low half keeps `low` elements.
  [[nodiscard]] std::int64_t parts(std::int64_t low) const {
    return best_parts(std::min(kMostParts, low), [&](std::int64_t p) {
      const double d = transfer(low / p);
      const double c = compute(low / p);
      return d + c + static_cast<double>(p - 1) * std::max(d, c);
    });
  }
  /// How many machines of the high half, which has `high_machines`, get elements from the odd machine of the low half.
  [[nodiscard]] std::int64_t pieces(std::int64_t high_machines, std::int64_t high) const {
    return best_parts(std::min(kMostParts, high_machines), [&](std::int64_t q) {
      return static_cast<double>(q) * problem_.transfer_overhead + transfer(high / q) + compute(high / q);
    });
  }

 private:
  [[nodiscard]] double time(double overhead, double whole, std::int64_t elements) const {
    const double share = static_cast<double>(elements) / static_cast<double>(std::max<std::int64_t>(1, elements_));
    return overhead + (whole - overhead) * share;
  }

  /// For the least `cost(parts)`; the fewest of several.
  template <class Cost>
  static std::int64_t best_parts(std::int64_t most, Cost&& cost) {
    std::int64_t best = 1;
    for (std::int64_t parts = 2; parts <= most; ++parts)
      if (cost(parts) < cost(best)) best = parts;
    return best;
  }

  const ReduceProblem& problem_;
  std::int64_t elements_;
};

/// When the root has the result: see halving_length.cpp. Apart from Clock (timing/clock.hpp), as its machines have
/// costs instead of a platform, and it takes groups of any size that are alike at once.
[[nodiscard]] double length_of(const Halving& halving);

}  // namespace sluice::detail
