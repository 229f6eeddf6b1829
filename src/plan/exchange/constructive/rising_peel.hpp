#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// A plan that sends `parts` of messages whole; nullopt if the budget was spent before it was complete.
///
/// Method: the shortest steps are made first. Let r be the least number of steps that the rest can take (its largest
/// degree; or parts / k). A node with r parts left is critical: every step has to cover it. A step lasts as long as the
/// longest of the least parts of critical nodes. It lasts longer if parts up to that length cannot cover all critical
/// nodes. Hopcroft-Karp's algorithm grows a matching of the largest of these parts that cover the critical lefts. It is
/// augmented at the critical rights, along paths that end at a free left or at a node that is not critical (Mendelsohn
/// and Dulmage). Then it grows as far as it can. Nodes give away the largest parts that fit and keep small ones for
/// later steps. Later steps are longer, so what is left hardly ever gets in the way.
///
/// Guarantee: if k does not limit, the fewest steps that carry the parts whole. These last at least the sum over i of
/// the largest i-th longest part among the nodes, and as a rule not longer.
/// Complexity: each step takes O(log n) for each part that it sends and for each node that has to be, or can be, in it
/// (key_tree.hpp); Hopcroft-Karp's search among these; and a search of O(m) at worst for each critical node that was
/// left out. A node without a part that is short enough costs nothing. Memory O(m + n). Deterministic.
///
/// Example: messages 0->0 of 5, 0->1 of 2, 1->0 of 4, 1->1 of 1. All nodes are critical, and receiver 0 has no part
/// below 4: a step of 4 with 1->0 and 0->1. Then a step of 5 with the other two. Together 9, the least: receiver 0
/// needs 5 + 4.
///
/// @pre every part belongs to an edge of `demand`, and is not empty
std::optional<PieceSteps> peel_rising(const Demand& demand, const std::vector<Piece>& parts, Budget& budget);

/// The work that peel_rising spends as a rule, in the unit of Budget, and some more.
[[nodiscard]] std::int64_t work_of_rising(const Demand& demand, const std::vector<Piece>& parts);

}  // namespace sluice::detail
