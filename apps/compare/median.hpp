#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

/// What samples say about a median, and about the difference of two medians. Nothing is assumed about how times vary,
/// except that the samples of a method do not depend on each other.
namespace sluice::compare {

/// An interval between two of the samples that holds the median with `confidence`.
struct MedianInterval {
  double low = 0;
  double high = 0;
  double confidence = 0;  ///< from kLeastConfidence to 1
};

inline constexpr double kLeastConfidence = 0.95;
/// The fewest samples whose least and largest one have the median between them with kLeastConfidence: 1 - 2 / 2^6.
inline constexpr std::size_t kFewestSamples = 6;

/// The narrowest interval from the j-th smallest to the j-th largest sample that holds the median with
/// kLeastConfidence; nothing below kFewestSamples. The median is outside if fewer than j samples lie on one side of it.
/// So the confidence is 1 - 2 P(X < j), where X is the number of heads among as many coins as there are samples. O(n
/// log n).
[[nodiscard]] inline std::optional<MedianInterval> median_interval(std::vector<double> samples) {
  if (samples.size() < kFewestSamples) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  const auto probability = [&](double heads) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(heads + 1) - std::lgamma(n - heads + 1) - n * std::log(2.0));
  };
  // What is ten standard deviations below the middle adds less than 10^-20.
  const double start = std::max(0.0, std::floor(n / 2 - 5 * std::sqrt(n)));
  double below = 0;  // P(X < j)
  double j = start;
  while (2 * (below + probability(j)) <= 1 - kLeastConfidence) below += probability(j++);
  const auto index = static_cast<std::size_t>(j) - 1;
  return MedianInterval{samples[index], samples[samples.size() - 1 - index], 1 - 2 * below};
}

/// What the samples of a method say about its median and the median of another method.
enum class Difference {
  kTooFewSamples,  ///< of either
  kNotTold,        ///< the intervals overlap: either median may be the smaller one, by what is known
  kFaster,         ///< the interval is below the other interval
  kSlower,
};

[[nodiscard]] inline Difference difference(const std::vector<double>& samples, const std::vector<double>& others) {
  const auto a = median_interval(samples), b = median_interval(others);
  if (!a || !b) return Difference::kTooFewSamples;
  if (a->high < b->low) return Difference::kFaster;
  return b->high < a->low ? Difference::kSlower : Difference::kNotTold;
}

}  // namespace sluice::compare
