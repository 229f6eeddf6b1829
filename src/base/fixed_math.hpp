#pragma once

#include <cmath>
#include <numbers>

namespace sluice::detail {

// Functions whose last bits differ between C libraries, made of operations that IEEE 754 fixes to the last bit. So a
// plan that depends on them is the same on every machine. (The compiler must not fuse a product and a sum:
// cmake/SluiceTargets.cmake.)

/// Binary logarithm of x, within a few units in the last place, exact for powers of 2. @pre x > 0, finite
///
/// Method: x = m 2^e with m near 1, and log m = 2 artanh((m - 1) / (m + 1)) by its series.
inline double fixed_log2(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  constexpr int kLastTerm = 23;
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int i = kLastTerm; i > 0; i -= 2) sum = sum * square + 1.0 / i;
  return exponent + 2 * s * sum / std::numbers::ln2;
}

/// Natural logarithm of x, with the accuracy of fixed_log2.
inline double fixed_log(double x) { return fixed_log2(x) * std::numbers::ln2; }

/// e to the power of x, with a relative error of 1e-14 for |x| up to 100. 0 if the result is less than 1e-300, infinite
/// if it is too large. @pre x is a number
///
/// Method: x = n log 2 + r with r near 0, and e^r by its series.
inline double fixed_exp(double x) {
  constexpr double kLargest = 690;
  if (x < -kLargest) return 0;
  if (x > kLargest) return HUGE_VAL;
  constexpr int kLastTerm = 17;
  const double n = std::floor(x / std::numbers::ln2 + 0.5);
  const double r = x - n * std::numbers::ln2;
  double sum = 1;
  for (int i = kLastTerm; i > 0; --i) sum = 1 + sum * (r / i);
  return std::ldexp(sum, static_cast<int>(n));
}

}  // namespace sluice::detail
