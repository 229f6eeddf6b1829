#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace sluice::compare {

/// The order of the methods in a round, equal on all ranks. Drawn at random, by the
/// number of the round: what ran before leaves its traces, as full queues of a network and what the cache holds, so no
/// method may follow the same one in all rounds.
[[nodiscard]] inline std::vector<std::size_t> order_of_round(std::size_t methods, std::size_t round) {
  std::vector<std::size_t> order(methods);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<std::mt19937::result_type>(round)));
  return order;
}

}  // namespace sluice::compare
