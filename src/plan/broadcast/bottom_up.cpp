/// `bottom-up`: of the clusters B that wait, the one whose best way to have the message broadcast inside is the longest
/// comes next: j of the largest, i of the least c_ij + T_j, where c_ij = g_ij + L_ij and T_j is the internal broadcast.
///
/// As the formula of the paper has it, the choice does not look at when i is free; times are reckoned with it. Of
/// equals, the receiver, then the sender of the least number.
/// Guarantee: none. Complexity: every receiver keeps its best sender, O(C) a round; O(C) memory.
/// Source: Steffenel (2006), section 5.
#include "plan/broadcast/registry.hpp"
#include "plan/broadcast/tree_by_weight.hpp"

namespace sluice::detail {

ClusterTree bottom_up_tree(const Costs& costs, Lookahead /*lookahead*/) {
  return tree_by_weight(
      costs, [&](std::size_t i, std::size_t j) { return costs.transfer(i, j); },
      [&](double weight, std::size_t j) { return weight + costs.inside(j); }, true);
}

}  // namespace sluice::detail
