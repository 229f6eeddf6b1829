#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::testing {

/// Sizes of an exchange between N senders and N receivers, row by row.
template <std::size_t N>
using Sizes = std::array<std::int64_t, N * N>;

template <std::size_t N>
Traffic traffic_of(const Sizes<N>& sizes) {
  Traffic traffic;
  traffic.senders = N;
  traffic.receivers = N;
  for (std::size_t cell = 0; cell < N * N; ++cell) {
    if (sizes[cell] > 0)
      traffic.messages.push_back(
          {static_cast<std::int64_t>(cell / N), static_cast<std::int64_t>(cell % N), sizes[cell]});
  }
  return traffic;
}

/// Least costs of all exchanges with sizes from 0 to the entries of `most`, by dynamic programming. The cheapest plan
/// is its first step, as full as its duration allows, and the cheapest plan of what is left. Knows nothing of bounds,
/// programs or prices. Memory: the product of all `most` + 1.
template <std::size_t N>
class CheapestPlans {
 public:
  CheapestPlans(const Sizes<N>& most, std::int64_t max_transfers, double setup) {
    std::int64_t states = 1;
    for (std::size_t cell = 0; cell < N * N; ++cell) {
      place_[cell] = states;
      states *= most[cell] + 1;
    }
    collect({}, 0, std::min(max_transfers, static_cast<std::int64_t>(N)));
    costs_.assign(static_cast<std::size_t>(states), std::numeric_limits<double>::infinity());
    costs_[0] = 0;
    // Sizes only fall, so what is left has a smaller code.
    for (std::int64_t state = 1; state < states; ++state) {
      Sizes<N> sizes{};
      for (std::size_t cell = 0; cell < N * N; ++cell) sizes[cell] = state / place_[cell] % (most[cell] + 1);
      double& least = costs_[static_cast<std::size_t>(state)];
      for (const std::vector<std::size_t>& matching : matchings_) {
        std::int64_t longest = 0;
        for (const std::size_t cell : matching) longest = std::max(longest, sizes[cell]);
        for (std::int64_t duration = 1; duration <= longest; ++duration) {
          std::int64_t rest = state;
          for (const std::size_t cell : matching) rest -= std::min(sizes[cell], duration) * place_[cell];
          least = std::min(least, static_cast<double>(duration) + setup + costs_[static_cast<std::size_t>(rest)]);
        }
      }
    }
  }

  [[nodiscard]] double cost(const Sizes<N>& sizes) const {
    std::int64_t state = 0;
    for (std::size_t cell = 0; cell < N * N; ++cell) state += sizes[cell] * place_[cell];
    return costs_[static_cast<std::size_t>(state)];
  }

 private:
  /// All matchings of as many cells as may be sent at once: smaller ones are no better.
  void collect(std::vector<std::size_t> matching, std::size_t row, std::int64_t limit) {
    if (static_cast<std::int64_t>(matching.size()) == limit) {
      matchings_.push_back(matching);
      return;
    }
    if (row == N) return;
    collect(matching, row + 1, limit);
    for (std::size_t column = 0; column < N; ++column) {
      const auto taken = [&](std::size_t cell) { return cell % N == column; };
      if (std::any_of(matching.begin(), matching.end(), taken)) continue;
      matching.push_back(row * N + column);
      collect(matching, row + 1, limit);
      matching.pop_back();
    }
  }

  Sizes<N> place_{};
  std::vector<std::vector<std::size_t>> matchings_;
  std::vector<double> costs_;
};

/// Calls visit(problem, optimum) for random 3 x 3 problems with sizes of 0 to 3. There are 334 for each k = 1, 2, 3 and
/// set-up 1, 2, except problems that have nothing to send.
template <class Visit>
void for_each_small_problem(std::mt19937& random, Visit visit) {
  for (std::int64_t k = 1; k <= 3; ++k) {
    for (const double setup : {1.0, 2.0}) {
      const CheapestPlans<3> reference({3, 3, 3, 3, 3, 3, 3, 3, 3}, k, setup);
      for (int i = 0; i < 334; ++i) {
        Sizes<3> sizes{};
        for (std::int64_t& size : sizes) size = std::uniform_int_distribution<std::int64_t>(0, 3)(random);
        const ExchangeProblem problem{traffic_of<3>(sizes), k, setup};
        if (!problem.traffic.messages.empty()) visit(problem, reference.cost(sizes));
      }
    }
  }
}

}  // namespace sluice::testing
