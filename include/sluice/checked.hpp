#pragma once

#include <cstdint>
#include <numeric>
#include <string>

#include "sluice/error.hpp"

/// Computes with int64 and refuses to overflow: throws an InputError that names `what` did not fit.
namespace sluice::checked {

/// Throws the InputError for a result that does not fit.
[[noreturn]] inline void overflow(const std::string& what) {
  throw InputError(what, "a product or sum beyond 2^63 - 1", "one that fits a 64-bit integer");
}

/// Returns a + b.
inline std::int64_t add(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) overflow(what);
  return result;
}

/// Returns a * b.
inline std::int64_t multiply(std::int64_t a, std::int64_t b, const char* what) {
  std::int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) overflow(what);
  return result;
}

/// Returns the least common multiple of positive `a` and `b`.
inline std::int64_t lcm(std::int64_t a, std::int64_t b, const char* what) {
  return multiply(a / std::gcd(a, b), b, what);
}

}  // namespace sluice::checked
