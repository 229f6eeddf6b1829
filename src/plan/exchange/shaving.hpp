#pragma once

#include <vector>

#include "plan/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Cuts parts of messages further where that makes a plan cheaper that sends them whole: one costs at least the sum
/// over i of the i-th longest part of any node, and a set-up for each part of the node with most. `parts` may be in any
/// order; a part of an edge may become several.
///
/// Method: durations d_1 >= d_2 >= .. are what the i-th longest parts are now, and some steps more, which nothing
/// needs yet. Again and again every duration is lowered a little, the last one first. A node whose i-th longest part is
/// longer than d_i now has one of its i longest cut in two, in halves if they fit the durations at both its ends, else
/// less evenly; if no cut fits, d_i stays as it was. Few nodes are that far above the others, so that few cuts and a
/// short step more make many steps shorter. How many steps more, how long they are and how far durations are lowered at
/// a time is tried out: one more after the other, then draws near the best.
///
/// Guarantee: what a plan costs at least does not rise, as far as k is no limit.
/// Complexity: O(parts log) to sort; for each of the some hundred trials O(steps) attempts to lower, of kHotNodes nodes
/// each and those that come to be as long. Memory O(parts + steps n bytes). Deterministic; the best trial so far if the
/// budget is spent.
///
/// Source: ours.
///
/// Example: set-up 1, messages 0->0 of 10, 1->1 of 5, 1->2 of 5: whole 10 + 5 and two set-ups, 17. With the 10 in
/// halves 12.
void shave(const Demand& demand, std::vector<Piece>& parts, Budget& budget);

}  // namespace sluice::detail
