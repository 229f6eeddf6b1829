#include "plan/exchange/parts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace sluice::detail {

std::vector<std::int32_t> by_falling_size(const Demand& demand) {
  std::vector<std::int32_t> order(demand.edges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return demand.edges[as_size(a)].weight > demand.edges[as_size(b)].weight;
  });
  return order;
}

std::vector<std::vector<std::int64_t>> sizes_by_node(const Demand& demand, const std::vector<std::int32_t>& order) {
  std::vector<std::vector<std::int64_t>> sizes(as_size(demand.lefts) + as_size(demand.rights));
  for (const std::int32_t e : order) {
    const Edge& edge = demand.edges[as_size(e)];
    sizes[as_size(edge.left)].push_back(edge.weight);
    sizes[as_size(demand.lefts + edge.right)].push_back(edge.weight);
  }
  return sizes;
}

void cut_to_parts(const std::vector<std::int64_t>& sizes, std::int64_t cap, std::size_t most,
                  std::vector<std::int64_t>& parts) {
  parts.clear();
  std::size_t whole = 0;
  for (; whole < sizes.size() && sizes[whole] > cap; ++whole) {
    const auto full =
        static_cast<std::size_t>(std::min<std::int64_t>(sizes[whole] / cap, static_cast<std::int64_t>(most)));
    parts.insert(parts.begin(), full, cap);
    if (sizes[whole] % cap > 0) parts.push_back(sizes[whole] % cap);
    if (parts.size() > most) return;
  }
  const auto rests = std::find_if(parts.begin(), parts.end(), [cap](std::int64_t part) { return part < cap; });
  const auto from = rests - parts.begin();
  std::sort(rests, parts.end(), std::greater<>());
  const auto middle = static_cast<std::ptrdiff_t>(parts.size());
  parts.insert(parts.end(), sizes.begin() + static_cast<std::ptrdiff_t>(whole), sizes.end());
  std::inplace_merge(parts.begin() + from, parts.begin() + middle, parts.end(), std::greater<>());
}

}  // namespace sluice::detail
