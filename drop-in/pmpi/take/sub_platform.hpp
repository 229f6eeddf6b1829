#pragma once

#include <vector>

#include "sluice/input/platform.hpp"

namespace sluice::pmpi {

/// The part of a platform that some of its ranks see: rank i of it is ranks[i]. Clusters without any of them are left
/// out, and so are parts without any; a part of which one part is left is that one. A broadcast measured inside a
/// cluster counts only if the cluster is there as a whole.
[[nodiscard]] Platform sub_platform(const Platform& platform, const std::vector<int>& ranks);

/// Ranks that are all connected alike, by 1 Gbit/s: what is good for a plan where nothing is known.
[[nodiscard]] Platform even_platform(int ranks);

}  // namespace sluice::pmpi
