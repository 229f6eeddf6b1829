#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plan/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// A plan that sends `parts` of messages whole; nullopt if the budget was spent before it was complete.
///
/// Method: steps are made the shortest first. With r the least number of steps that what is left can take (its largest
/// degree; or parts / k), a node with r parts left is critical, every step has to cover it. The step lasts as long as
/// the longest of the least parts of critical nodes, or longer if parts up to that cannot cover all of them: a matching
/// of the largest of these parts that cover the critical lefts is grown by Hopcroft-Karp's algorithm, and augmented at
/// the critical rights, along paths that end at a free left or at a node that is not critical (Mendelsohn and Dulmage).
/// Then it grows as far as it can. Nodes give away the largest parts that fit, so that they keep small ones for the
/// steps to come; as these are longer and longer, what is left hardly ever gets in the way.
///
/// Guarantee: where k does not limit, the fewest steps that carry the parts whole. Sum over i of the i-th longest part
/// of any node is the least that these can last together, and as a rule they do not last longer.
/// Complexity: for each step O(log n) for each part that it sends and for each node that has to be, or can be, in it
/// (key_tree.hpp), Hopcroft-Karp's search among these, and a search of O(m) at worst for each critical node that was
/// left out; nodes without a part that is short enough cost nothing. Memory O(m + n). Deterministic.
///
/// Example: messages 0->0 of 5, 0->1 of 2, 1->0 of 4, 1->1 of 1. All nodes are critical, and receiver 0 has no part
/// below 4: a step of 4 with 1->0 and 0->1. Then one of 5 with the other two: 9, the least, as 5 + 4 is that of
/// receiver 0.
///
/// @pre every part belongs to an edge of `demand`, and is not empty
std::optional<PieceSteps> peel_rising(const Demand& demand, const std::vector<Piece>& parts, Budget& budget);

/// What that spends as a rule, in the unit of Budget, and some more.
[[nodiscard]] std::int64_t work_of_rising(const Demand& demand, const std::vector<Piece>& parts);

}  // namespace sluice::detail
