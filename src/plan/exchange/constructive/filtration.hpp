#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// How filter chooses steps.
struct FiltrationRule {
  /// Each threshold in percent of the previous one, 1 .. 99.
  std::int64_t percent = 50;
  /// The worth of a message that ends in a step, in set-ups, besides what the step sends of it.
  double worth_of_end = 0;
};

/// A plan by filtration; nullopt if the budget was spent before it was complete. Throws InputError naming `algorithm`
/// if it has too many pieces (check_pieces).
///
/// Method: a step's matching grows from the largest messages to the smallest. Messages that have at least a threshold
/// left are matched as far as possible. Then the threshold falls, and the messages that become usable augment the
/// matching; a node once matched stays matched. If k is below the number of nodes, the matching stops at k edges, and
/// keeps the k largest if it has more. The step lasts as long as the rest of one of its messages: the one with the
/// highest value per time, set-up included; of equal ones the shortest. The value is what the step sends, and
/// worth_of_end set-ups for each message it ends.
/// Guarantee: none on the cost. At most m steps, because each ends a message.
/// Complexity: for each step O(m) to sort what is left and Hopcroft-Karp's search for each threshold that makes
/// messages usable. Memory O(m + n + pieces). Deterministic.
///
/// Example: messages 0->0 of 9, 0->1 of 1, 1->1 of 6, k = 2, set-up 1, nothing for ends: threshold 9 matches 0->0,
/// threshold 4 adds 1->1. 6 units of time send 12 in 7, 9 send 15 in 10: a step of 6, then 3 of 0->0, then 0->1: cost
/// 13. With 4 set-ups for each end 6 are worth 16 in 7, 9 are worth 23 in 10: steps of 9 and 1, cost 12 = eta.
std::optional<PieceSteps> filter(const Demand& demand, const FiltrationRule& rule, const char* algorithm,
                                 Budget& budget);

/// Like filter, for `rest`, what is left of each message by its position in demand.edges. nullopt also if the plan
/// would cost `limit` or more.
std::optional<PieceSteps> filter_rest(const Demand& demand, std::span<const std::int64_t> rest,
                                      const FiltrationRule& rule, double limit, const char* algorithm, Budget& budget);

}  // namespace sluice::detail
