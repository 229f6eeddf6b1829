#include "apps/sluice/study/instance_random.hpp"

#include <numeric>
#include <utility>

namespace sluice::command {

// SplitMix64 (Steele, Lea, Flood 2014): the standard's distributions differ between libraries.
InstanceRandom::InstanceRandom(std::uint64_t seed, std::int64_t nodes, std::int64_t number) : state_(seed) {
  state_ = next() ^ static_cast<std::uint64_t>(nodes);
  state_ = next() ^ static_cast<std::uint64_t>(number);
}

std::uint64_t InstanceRandom::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

double InstanceRandom::uniform() { return static_cast<double>(next() >> 11U) * 0x1p-53; }

double InstanceRandom::normal() {
  constexpr int kTerms = 12;
  double sum = 0;
  for (int i = 0; i < kTerms; ++i) sum += uniform();
  return sum - kTerms / 2.0;
}

std::vector<std::int64_t> InstanceRandom::permutation(std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto other = static_cast<std::size_t>(uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[other]);
  }
  return order;
}

}  // namespace sluice::command
