#pragma once

// Traffic with random sizes, from fixed seeds.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <random>
#include <vector>

#include "sluice/input/traffic.hpp"

/// A number from 1 to `largest`.
inline std::int64_t draw(std::mt19937_64& random, std::int64_t largest) {
  return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(largest));
}

/// Sizes are log-normal (9, 1.5); each of `nodes` senders has `messages`, to receivers that are all different.
inline sluice::Traffic log_normal(std::int64_t nodes, std::int64_t messages) {
  std::mt19937_64 random(static_cast<std::uint64_t>(nodes));
  std::lognormal_distribution<double> size(9, 1.5);
  sluice::Traffic traffic{nodes, nodes, {}};
  std::vector<std::int64_t> receivers;
  for (std::int64_t u = 0; u < nodes; ++u) {
    receivers.clear();
    while (std::ssize(receivers) < messages) {
      const std::int64_t v = messages == nodes ? std::ssize(receivers) : draw(random, nodes) - 1;
      if (messages < nodes && std::find(receivers.begin(), receivers.end(), v) != receivers.end()) continue;
      receivers.push_back(v);
      traffic.messages.push_back({u, v, std::max<std::int64_t>(1, static_cast<std::int64_t>(size(random)))});
    }
  }
  return traffic;
}
