#include "graph/regular_extension.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

__extension__ using Product = __int128;

/// Fills up the vertices of one side from new vertices of the other: `add(vertex, new_vertex, weight)`.
template <class Add>
std::int32_t fill_up(const std::vector<std::int64_t>& missing, std::int64_t full, std::int32_t next, Add add) {
  std::int64_t room = 0;  // of the new vertex before `next`
  for (std::size_t v = 0; v < missing.size(); ++v) {
    std::int64_t lacks = missing[v];
    const std::int64_t first = std::min(lacks, room);
    if (first > 0) add(static_cast<std::int32_t>(v), next - 1, first);
    room -= first;
    lacks -= first;
    if (lacks == 0) continue;
    add(static_cast<std::int32_t>(v), next++, lacks);
    room = full - lacks;
  }
  SLUICE_ASSERT(room == 0, fmt::format("a new vertex lacks {}", room));
  return next;
}

}  // namespace

RegularExtension regular_extension(std::int32_t lefts, std::int32_t rights, std::span<const Edge> edges,
                                   std::int32_t max_transfers) {
  SLUICE_ASSERT(max_transfers >= 1 && max_transfers <= std::min(lefts, rights),
                fmt::format("k = {} with {} + {} vertices", max_transfers, lefts, rights));
  std::vector<std::int64_t> left_load(static_cast<std::size_t>(lefts), 0);
  std::vector<std::int64_t> right_load(static_cast<std::size_t>(rights), 0);
  std::int64_t total = 0;
  std::int64_t largest = 0;
  for (const Edge& edge : edges) {
    SLUICE_ASSERT(edge.weight > 0, fmt::format("an edge of weight {}", edge.weight));
    total = checked::add(total, edge.weight, "total of the traffic");
    std::int64_t& left = left_load[static_cast<std::size_t>(edge.left)];
    std::int64_t& right = right_load[static_cast<std::size_t>(edge.right)];
    left += edge.weight;
    right += edge.weight;
    largest = std::max({largest, left, right});
  }
  RegularExtension result;
  const std::int64_t k = max_transfers;
  result.weight = std::max(largest, total / k + (total % k != 0 ? 1 : 0));
  result.real = static_cast<std::int32_t>(edges.size());

  const Product lacking = static_cast<Product>(result.weight) * k - total;
  const auto extra =
      static_cast<std::int64_t>((lacking + result.weight - 1) / result.weight);  // edges of I that are not of H, <= k
  const std::int64_t side = static_cast<std::int64_t>(lefts) + rights + 2 * extra - k;
  const std::int64_t most_edges = result.real + extra + 2 * side;
  if (most_edges > std::numeric_limits<std::int32_t>::max())
    throw InputError("plan",
                     fmt::format("{} between {} and {} nodes", count_text(edges.size(), "message"), lefts, rights),
                     "a weight-regular extension of less than 2^31 edges");
  result.side = static_cast<std::int32_t>(side);
  result.edges.reserve(static_cast<std::size_t>(most_edges));
  result.edges.assign(edges.begin(), edges.end());
  Product rest = lacking;
  for (std::int64_t i = 0; i < extra; ++i) {
    const std::int64_t weight = rest < result.weight ? static_cast<std::int64_t>(rest) : result.weight;
    rest -= weight;
    result.edges.push_back({lefts + static_cast<std::int32_t>(i), rights + static_cast<std::int32_t>(i), weight});
    left_load.push_back(weight);
    right_load.push_back(weight);
  }
  result.independent = static_cast<std::int32_t>(result.edges.size());

  for (std::int64_t& load : left_load) load = result.weight - load;
  for (std::int64_t& load : right_load) load = result.weight - load;
  const std::int32_t rights_used = fill_up(left_load, result.weight, static_cast<std::int32_t>(right_load.size()),
                                           [&](std::int32_t u, std::int32_t v, std::int64_t weight) {
                                             result.edges.push_back({u, v, weight});
                                           });
  const std::int32_t lefts_used = fill_up(right_load, result.weight, static_cast<std::int32_t>(left_load.size()),
                                          [&](std::int32_t v, std::int32_t u, std::int64_t weight) {
                                            result.edges.push_back({u, v, weight});
                                          });
  SLUICE_ASSERT(lefts_used == result.side && rights_used == result.side,
                fmt::format("{} and {} vertices, not {}", lefts_used, rights_used, result.side));
  return result;
}

}  // namespace sluice::detail
