/// `first-fit`: messages by falling size, each into the first step that is free at both ends.
///
/// Problem: KPBS without preemption, see include/sluice/plan/exchange.hpp.
/// Method: steps are opened one after another. Sizes fall, so the first message of a step is its longest, and no later
/// message makes it longer.
/// Guarantee: none on the cost. At most d(u) + d(v) - 1 steps for the largest sum of degrees of an edge's ends, if k is
/// no limit: other messages of its ends take at most d(u) + d(v) - 2 steps.
/// Complexity: O(m log m), and for each message one step for every 64 steps before the one it takes. Memory O(m + n +
/// bits of steps in use at each node). Deterministic: messages of one size go in the order of (sender, receiver).
/// Source: Johnson, "Near-optimal bin packing algorithms" (1973), first-fit decreasing, with steps as bins; for colours
/// of weighted edges it is the greedy of Kesselman and Kogan, "Nonpreemptive scheduling of optical switches", IEEE
/// Trans. Communications 55 (2007), there proven to be within twice the optimum of whole messages.
///
/// Example: messages 0->0 of 3, 0->1 of 1, 1->0 of 1, 1->1 of 3, k = 2: steps {0->0, 1->1} of 3 and {0->1, 1->0} of 1.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/parts.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfMessage = 100;

/// Steps 64 a word; beyond the last word none is in the set.
using StepSet = std::vector<std::uint64_t>;

std::uint64_t word_of(const StepSet& set, std::size_t w) { return w < set.size() ? set[w] : 0; }

void insert(StepSet& set, std::size_t step) {
  if (set.size() <= step / 64) set.resize(step / 64 + 1, 0);
  set[step / 64] |= std::uint64_t{1} << (step % 64);
}

}  // namespace

std::optional<PieceSteps> plan_first_fit(const Demand& demand, Budget& budget) {
  const auto k = as_size(demand.max_transfers);
  std::vector<StepSet> left(as_size(demand.lefts)), right(as_size(demand.rights));
  StepSet full;
  std::size_t first_word = 0;  // all steps before it are full
  PieceSteps steps;
  for (const std::int32_t e : by_falling_size(demand)) {
    const Edge& edge = demand.edges[as_size(e)];
    StepSet& at_left = left[as_size(edge.left)];
    StepSet& at_right = right[as_size(edge.right)];
    std::size_t w = first_word;
    std::uint64_t taken = 0;
    for (;; ++w) {
      taken = word_of(at_left, w) | word_of(at_right, w) | word_of(full, w);
      if (taken != ~std::uint64_t{0}) break;
    }
    budget.spend(kWorkOfMessage + static_cast<std::int64_t>(w - first_word));
    if (budget.over()) return std::nullopt;
    const std::size_t step = w * 64 + as_size(std::countr_one(taken));
    insert(at_left, step);
    insert(at_right, step);
    if (step >= steps.size()) steps.resize(step + 1);
    steps[step].push_back({e, edge.weight});
    if (steps[step].size() < k) continue;
    insert(full, step);
    while (word_of(full, first_word) == ~std::uint64_t{0}) ++first_word;
  }
  return steps;
}

}  // namespace sluice::detail
