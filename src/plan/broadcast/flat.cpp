/// `flat`: the root sends to all other clusters, in the order of their numbers.
///
/// Guarantee: none. Complexity: O(C) time and memory. Source: Steffenel (2006), section 5.
#include "plan/broadcast/registry.hpp"

namespace sluice::detail {

ClusterTree flat_tree(const Costs& costs, Lookahead /*lookahead*/) {
  ClusterTree tree(costs.size());
  for (std::size_t j = 0; j < costs.size(); ++j)
    if (j != costs.root()) tree.append(static_cast<std::int32_t>(costs.root()), static_cast<std::int32_t>(j));
  return tree;
}

}  // namespace sluice::detail
