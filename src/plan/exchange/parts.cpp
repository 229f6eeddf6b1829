#include "plan/exchange/parts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>

namespace sluice::detail {

std::vector<std::int32_t> by_falling_size(const Demand& demand) {
  // Radix sort by digits, the last one first. For hundreds of thousands of parts it is several times faster than
  // sorting by comparisons.
  constexpr int kBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  struct Entry {
    std::int64_t below;  ///< the largest size
    std::int32_t edge;
  };
  const std::int64_t largest = largest_size(demand);
  std::vector<Entry> entries;
  entries.reserve(demand.edges.size());
  for (std::size_t e = 0; e < demand.edges.size(); ++e)
    entries.push_back({largest - demand.edges[e].weight, static_cast<std::int32_t>(e)});
  std::vector<Entry> sorted(entries.size());
  for (int shift = 0; shift < std::numeric_limits<std::int64_t>::digits && largest >> shift > 0; shift += kBits) {
    std::array<std::size_t, kDigits + 1> begin{};
    const auto digit = [shift](const Entry& each) { return as_size(each.below >> shift) % kDigits; };
    for (const Entry& each : entries) ++begin[digit(each) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Entry& each : entries) sorted[begin[digit(each)]++] = each;
    entries.swap(sorted);
  }
  std::vector<std::int32_t> order;
  order.reserve(entries.size());
  for (const Entry& each : entries) order.push_back(each.edge);
  return order;
}

std::vector<std::vector<std::int64_t>> sizes_by_node(const Demand& demand, const std::vector<std::int32_t>& order) {
  std::vector<std::vector<std::int64_t>> sizes(as_size(demand.lefts) + as_size(demand.rights));
  std::vector<std::size_t> counts(sizes.size(), 0);
  for (const Edge& edge : demand.edges) {
    ++counts[as_size(edge.left)];
    ++counts[as_size(demand.lefts + edge.right)];
  }
  for (std::size_t node = 0; node < sizes.size(); ++node) sizes[node].reserve(counts[node]);
  for (const std::int32_t e : order) {
    const Edge& edge = demand.edges[as_size(e)];
    sizes[as_size(edge.left)].push_back(edge.weight);
    sizes[as_size(demand.lefts + edge.right)].push_back(edge.weight);
  }
  return sizes;
}

void cut_to_parts(const std::vector<std::int64_t>& sizes, std::int64_t cap, std::size_t most,
                  std::vector<std::int64_t>& parts) {
  // Rests first, then all full parts before them at once: one message after the other would move all parts each time.
  parts.clear();
  std::size_t whole = 0, full = 0;
  while (whole < sizes.size() && sizes[whole] > cap && full + parts.size() <= most) {
    full += static_cast<std::size_t>(std::min<std::int64_t>(sizes[whole] / cap, static_cast<std::int64_t>(most) + 1));
    if (sizes[whole] % cap > 0) parts.push_back(sizes[whole] % cap);
    ++whole;
  }
  const bool too_many = full + parts.size() > most;
  if (!too_many) std::sort(parts.begin(), parts.end(), std::greater<>());
  parts.insert(parts.begin(), full, cap);
  if (too_many) return;
  const auto middle = static_cast<std::ptrdiff_t>(parts.size());
  parts.insert(parts.end(), sizes.begin() + static_cast<std::ptrdiff_t>(whole), sizes.end());
  std::inplace_merge(parts.begin() + static_cast<std::ptrdiff_t>(full), parts.begin() + middle, parts.end(),
                     std::greater<>());
}

}  // namespace sluice::detail
