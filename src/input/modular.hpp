#pragma once

#include <cstdint>

/// Arithmetic modulo positive numbers, with results in 0 .. modulus - 1 and products that do not overflow.
namespace sluice::detail {

__extension__ using Int128 = __int128;

constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t modulus) {
  const std::int64_t rest = a % modulus;
  return rest < 0 ? rest + modulus : rest;
}

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t modulus) {
  return (a - floor_modulo(a, modulus)) / modulus;
}

constexpr std::int64_t multiply_modulo(std::int64_t a, std::int64_t b, std::int64_t modulus) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 31;  // most products fit, and are divided in a tenth of the time
  if (a > -kHalf && a < kHalf && b > -kHalf && b < kHalf) return a * b % modulus;
  return static_cast<std::int64_t>(static_cast<Int128>(a) * b % modulus);
}

/// The inverse of `a` modulo `modulus`, which must be coprime (extended Euclid); 0 for modulus 1.
constexpr std::int64_t inverse_modulo(std::int64_t a, std::int64_t modulus) {
  std::int64_t r0 = modulus, r1 = floor_modulo(a, modulus), t0 = 0, t1 = 1;
  while (r1 != 0) {
    const std::int64_t quotient = r0 / r1;
    const std::int64_t r2 = r0 - quotient * r1, t2 = t0 - quotient * t1;
    r0 = r1, r1 = r2, t0 = t1, t1 = t2;
  }
  return floor_modulo(t0, modulus);
}

}  // namespace sluice::detail
