#pragma once

#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::pmpi {

/// The part of a platform that some of its ranks see: its rank i is ranks[i]. Clusters and parts without any of these
/// ranks are left out. A part that contains a single remaining part becomes that part. A broadcast measured inside a
/// cluster counts only if the whole cluster remains.
[[nodiscard]] Platform sub_platform(const Platform& platform, const std::vector<int>& ranks);

/// Ranks that are all connected alike, by 1 Gbit/s: a useful platform for plans if nothing is known.
[[nodiscard]] Platform even_platform(int ranks);

}  // namespace sluice::pmpi
