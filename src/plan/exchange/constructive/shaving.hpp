#pragma once

#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Cuts parts of messages further if that makes the plan that sends them whole cheaper. Such X, and a set-up for each
/// part of the node with most parts. `parts` may be in any order; a part of an edge may become several.
///
/// Method: durations d_1 >= d_2 >= ..: d_i is the largest i-th longest part among the nodes now. Some further steps
/// follow, which nothing needs yet. Again and again every duration is lowered a little, the last one first. If a node's
/// i-th longest part then exceeds d_i, one of its i longest parts is cut in two: in halves if they fit the durations at
/// both its ends, otherwise less evenly. If no cut fits, d_i stays as it was. Few nodes exceed the others that far, so
/// few cuts and one more short step make many steps shorter. Three things are found by trials: the number of further
/// steps, their length, and how far durations are lowered at a time. The trials add one step after the other, then draw
/// near the best.
///
/// Guarantee: the least cost of a plan of these parts does not rise, if k is no limit.
/// Complexity: O(parts log parts) to sort. Each of some hundred trials makes O(steps) attempts to lower a duration, for
/// kHotNodes nodes each and for the nodes that come to be as long. Memory O(parts + steps n bytes). Deterministic; the
/// best trial so far if the budget is spent.
///
/// Source: ours.
///
/// Example: set-up 1, messages 0->0 of 10, 1->1 of 5, 1->2 of 5. Sent whole: 10 + 5 and two set-ups, 17. With the
/// message of 10 in halves: 12.
void shave(const Demand& demand, std::vector<Piece>& parts, Budget& budget);

}  // namespace sluice::detail
