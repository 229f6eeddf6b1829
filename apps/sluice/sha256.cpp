#include "sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sluice::command {

namespace {

using Word = std::uint32_t;
constexpr std::size_t kBlock = 64;  // bytes
constexpr std::size_t kRounds = 64;

/// The first 64 primes.
constexpr std::array<int, kRounds> primes() {
  std::array<int, kRounds> result{};
  std::size_t count = 0;
  for (int candidate = 2; count < kRounds; ++candidate) {
    bool prime = true;
    for (int divisor = 2; divisor * divisor <= candidate && prime; ++divisor) prime = candidate % divisor != 0;
    if (prime) result[count++] = candidate;
  }
  return result;
}

/// The first 32 bits of the fraction of `root`, which is a root of a prime below 312: it has 9 bits before the point at
/// most, and a long double 64 in all.
Word fraction(long double root) { return static_cast<Word>(std::floor(std::ldexp(root - std::floor(root), 32))); }

class State {
 public:
  State() {
    constexpr std::array kPrimes = primes();
    for (std::size_t i = 0; i < hash_.size(); ++i) hash_[i] = fraction(std::sqrt(static_cast<long double>(kPrimes[i])));
    for (std::size_t i = 0; i < kRounds; ++i) constants_[i] = fraction(std::cbrt(static_cast<long double>(kPrimes[i])));
  }

  void add_block(const char* bytes) {
    std::array<Word, kRounds> w{};
    for (std::size_t t = 0; t < 16; ++t)
      for (std::size_t i = 0; i < 4; ++i) w[t] = (w[t] << 8) | static_cast<unsigned char>(bytes[4 * t + i]);
    for (std::size_t t = 16; t < kRounds; ++t) {
      const Word s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
      const Word s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = hash_;
    for (std::size_t t = 0; t < kRounds; ++t) {
      const Word t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + constants_[t] + w[t];
      const Word t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const std::array<Word, 8> now{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < hash_.size(); ++i) hash_[i] += now[i];
  }

  [[nodiscard]] std::string text() const {
    std::string result;
    for (const Word word : hash_) result += fmt::format("{:08x}", word);
    return result;
  }

 private:
  std::array<Word, 8> hash_{};
  std::array<Word, kRounds> constants_{};
};

}  // namespace

std::string sha256(std::string_view bytes) {
  State state;
  std::string_view rest = bytes;
  for (; rest.size() >= kBlock; rest.remove_prefix(kBlock)) state.add_block(rest.data());
  // A one, zeros, and the number of bits in the last eight bytes.
  std::string last(rest);
  last += '\x80';
  while (last.size() % kBlock != kBlock - 8) last += '\0';
  const std::uint64_t bits = static_cast<std::uint64_t>(bytes.size()) * 8;
  for (int shift = 56; shift >= 0; shift -= 8) last += static_cast<char>((bits >> shift) & 0xff);
  for (std::size_t at = 0; at < last.size(); at += kBlock) state.add_block(last.data() + at);
  return state.text();
}

}  // namespace sluice::command
