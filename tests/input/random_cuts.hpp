#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sluice/input/block_cyclic.hpp"

/// Random blocks of any sizes, and whose they are by looking at one after the other.
namespace sluice::testing {

/// `between(low, high)` draws a number of low .. high.
template <class Between>
Cuts random_cuts(Between&& between, std::int64_t extent, std::int64_t processes) {
  Cuts cuts{{0}, {}};
  // Small blocks, large ones, or both.
  const std::int64_t longest = std::max<std::int64_t>(1, extent / between(1, 8));
  while (cuts.at.back() < extent)
    cuts.at.push_back(std::min(extent, cuts.at.back() + between(1, between(1, 2) == 1 ? 3 : longest)));
  if (between(1, 3) > 1)
    for (std::size_t i = 1; i < cuts.at.size(); ++i) cuts.owners.push_back(between(0, processes - 1));
  return cuts;
}

/// Gives two of three dimensions of `layout` cuts. The others stay block-cyclic and keep their blocks.
template <class Between>
void cut_at_random(Between&& between, Layout& layout, const std::vector<std::int64_t>& shape) {
  layout.cuts.resize(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (between(1, 3) == 1) continue;
    layout.cuts[d] = random_cuts(between, shape[d], layout.grid[d]);
    layout.block[d] = 1;
  }
}

/// The process that has global index `g` in dimension `d`.
inline std::int64_t owner_by_walking(const Layout& layout, std::size_t d, std::int64_t g, std::int64_t first = 0) {
  if (layout.cuts.empty() || layout.cuts[d].at.empty()) return (g / layout.block[d] + first) % layout.grid[d];
  const Cuts& cuts = layout.cuts[d];
  std::size_t block = 0;
  while (cuts.at[block + 1] <= g) ++block;
  return cuts.owners.empty() ? static_cast<std::int64_t>(block) % layout.grid[d] : cuts.owners[block];
}

}  // namespace sluice::testing
