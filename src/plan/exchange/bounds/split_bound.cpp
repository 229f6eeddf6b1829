#include "plan/exchange/bounds/split_bound.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <tuple>
#include <vector>

#include "sluice/schedule/cost.hpp"

namespace sluice::detail {

namespace {

/// A message with an end in T.
struct Tight {
  std::int64_t size = 0;
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int64_t ends = 0;
};

/// The sum, over the nodes of one side, of the most ends of one of its messages.
std::int64_t most_ends(std::vector<Tight>& messages, std::int32_t Tight::*side) {
  std::sort(messages.begin(), messages.end(), [&](const Tight& a, const Tight& b) {
    return std::tuple(a.*side, -a.ends) < std::tuple(b.*side, -b.ends);
  });
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < messages.size(); ++i)
    if (i == 0 || messages[i].*side != messages[i - 1].*side) sum += messages[i].ends;
  return sum;
}

}  // namespace

std::int64_t fewest_steps_without_idling(const Demand& demand) {
  const Cost least = eta(demand);
  const auto node = [&](const Edge& edge, bool right) {
    return as_size(right ? demand.lefts + edge.right : edge.left);
  };
  std::vector<std::int64_t> load(as_size(demand.lefts + demand.rights), 0);
  for (const Edge& edge : demand.edges)
    for (const bool right : {false, true}) load[node(edge, right)] += edge.weight;
  const auto tight = [&](std::size_t v) { return load[v] == least.transmission; };
  std::int64_t tight_nodes = 0;
  for (std::size_t v = 0; v < load.size(); ++v) tight_nodes += tight(v) ? 1 : 0;
  if (tight_nodes == 0) return least.steps;

  std::vector<Tight> messages;
  std::int64_t all_ends = 0;
  for (const Edge& edge : demand.edges) {
    const std::int64_t ends = (tight(node(edge, false)) ? 1 : 0) + (tight(node(edge, true)) ? 1 : 0);
    if (ends > 0) messages.push_back({edge.weight, edge.left, edge.right, ends});
    all_ends += ends;
  }

  // How many ends of unsplit messages single steps may have, the largest number first.
  std::vector<std::int64_t> gains;
  std::sort(messages.begin(), messages.end(), [](const Tight& a, const Tight& b) { return a.size < b.size; });
  for (std::size_t begin = 0, end = 0; begin < messages.size(); begin = end) {
    std::int64_t left = 0;
    for (end = begin; end < messages.size() && messages[end].size == messages[begin].size; ++end)
      left += messages[end].ends;
    std::vector<Tight> alike(messages.begin() + static_cast<std::ptrdiff_t>(begin),
                             messages.begin() + static_cast<std::ptrdiff_t>(end));
    const std::int64_t at_once = std::min(most_ends(alike, &Tight::left), most_ends(alike, &Tight::right));
    for (; left > 0; left -= gains.back()) gains.push_back(std::min(left, at_once));
  }
  std::sort(gains.begin(), gains.end(), std::greater<>());

  std::int64_t steps = 0;
  std::int64_t whole = 0;
  for (; steps * tight_nodes + whole < 2 * all_ends; ++steps)
    whole += as_size(steps) < gains.size() ? gains[as_size(steps)] : 0;
  return std::max(steps, least.steps);
}

double split_bound(const Demand& demand) {
  const Cost least = eta(demand);
  const auto total = [&](std::int64_t transmission, std::int64_t steps) {
    return static_cast<double>(transmission) + demand.setup * static_cast<double>(steps);
  };
  if (demand.edges.empty()) return least.total;
  return std::max(least.total, std::min(total(least.transmission, fewest_steps_without_idling(demand)),
                                        total(least.transmission + 1, least.steps)));
}

}  // namespace sluice::detail
