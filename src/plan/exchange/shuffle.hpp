#pragma once

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace sluice::detail {

/// Puts `items` in a random order, the same everywhere: std::shuffle differs between libraries.
template <class Item>
void shuffle(std::vector<Item>& items, std::mt19937_64& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace sluice::detail
