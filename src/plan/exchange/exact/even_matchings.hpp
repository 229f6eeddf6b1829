#pragma once

#include <cstdint>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// An edge that some step is to carry, of several that may be equal.
struct CarriedEdge {
  std::int32_t edge = 0;
  bool full = false;  ///< whether its piece lasts as long as the step

  friend bool operator==(const CarriedEdge&, const CarriedEdge&) = default;
};

/// Splits `carried` into `count` matchings of at most `limit` edges. With `all_full` each matching gets a full edge, if
/// exchanges between two matchings at a time can bring that about; as a rule they can.
///
/// Method: an edge colouring. Then two matchings at a time exchange a path of their symmetric difference: first
/// matchings with more than `limit` edges and with fewer, then matchings without a full edge and with several.
/// Complexity: O(carried log) for the colouring, O(n + count) for each exchange. Memory O(n + carried). Deterministic.
/// Source: Koenig (1916); de Werra, "On some combinatorial problems arising in scheduling", INFOR 8 (1970).
///
/// Example: edges 0->0, 1->1 and 2->2, two matchings, limit 2: {0->0, 1->1} and {2->2}.
/// @pre no vertex of `demand` has more than `count` of them, and there are at most limit * count
[[nodiscard]] std::vector<std::vector<CarriedEdge>> even_matchings(const Demand& demand,
                                                                   const std::vector<CarriedEdge>& carried,
                                                                   std::int64_t count, std::int64_t limit,
                                                                   bool all_full);

}  // namespace sluice::detail
