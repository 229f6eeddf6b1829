/// `weights` and `degrees`: peel any matchings off, cut to the k heaviest or the k busiest edges.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
/// Method: while messages are left, take a maximum matching, keep the k edges of it with the largest remaining weights
/// (`weights`) or with the largest degrees (`degrees`: sum of the degrees of both ends), and send as much of each as
/// the lightest of them has left.
/// Guarantee: none; every step finishes a message, so there are at most m steps; k = 1 is optimal.
/// Complexity: a matching is repaired from the step before: O(m) for each message that ended, O(m^2) at worst, besides
/// writing the pieces out. Memory O(m + pieces). It refuses more than 2^26 pieces: as most steps end one message
/// only, a plan of m messages may well have m k of them. Deterministic.
/// Source: Cohen, Jeannot, Padoy, Wagner, Figure 10 and the text below it. Their "maximal matching" is one of maximum
/// cardinality (they count the complexity of one); which one of several is free in the paper, and here grows from the
/// step before. "Highest degrees" is not defined for an edge there: it is the sum over its ends here. Of edges of equal
/// weight those of higher degree are kept, which is worth 5 to 8 % where weights are small and often equal; edges equal
/// in that too are taken in the order of (sender, receiver).
///
/// Example: messages 0->0 of 3, 1->1 of 2, k = 2: a step of 2 with both, then one of 1.
#include <algorithm>
#include <numeric>
#include <utility>

#include "plan/exchange/planners.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice::detail {

namespace {

/// `key(graph, id)`: the k edges with the largest keys stay.
template <class Key>
std::optional<PieceSteps> peel_largest(const Demand& demand, const Deadline& deadline, const char* algorithm, Key key) {
  BipartiteGraph graph(demand.lefts, demand.rights, demand.edges);
  PieceSteps steps;
  Matching matching = maximum_matching(graph);
  std::vector<std::int32_t> kept;
  std::int64_t pieces = 0;
  while (graph.edge_count() > 0) {
    if (deadline.passed()) return std::nullopt;
    kept.clear();
    for (const std::int32_t id : matching.left_edge)
      if (id >= 0) kept.push_back(id);
    const auto k = static_cast<std::size_t>(demand.max_transfers);
    if (kept.size() > k) {
      const auto larger = [&](std::int32_t a, std::int32_t b) {
        const auto key_a = key(graph, a);
        const auto key_b = key(graph, b);
        return key_a != key_b ? key_a > key_b : a < b;
      };
      std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k), kept.end(), larger);
      kept.resize(k);
      std::sort(kept.begin(), kept.end());
    }
    std::int64_t duration = graph.edge(kept.front()).weight;
    for (const std::int32_t id : kept) duration = std::min(duration, graph.edge(id).weight);
    pieces += static_cast<std::int64_t>(kept.size());
    check_pieces(pieces, algorithm);
    std::vector<Piece>& step = steps.emplace_back();
    step.reserve(kept.size());
    bool broken = false;
    for (const std::int32_t id : kept) {
      step.push_back({id, duration});
      const std::int64_t rest = graph.edge(id).weight - duration;
      graph.set_weight(id, rest);
      if (rest == 0) {
        graph.remove(id);
        broken = true;
      }
    }
    if (broken) matching = maximum_matching(graph, std::move(matching));
  }
  return steps;
}

std::int64_t degree(const BipartiteGraph& graph, std::int32_t id) {
  return static_cast<std::int64_t>(graph.left_degree(graph.edge(id).left)) + graph.right_degree(graph.edge(id).right);
}

}  // namespace

std::optional<PieceSteps> plan_weights(const Demand& demand, const Deadline& deadline) {
  return peel_largest(demand, deadline, "weights", [](const BipartiteGraph& graph, std::int32_t id) {
    return std::pair(graph.edge(id).weight, degree(graph, id));
  });
}

std::optional<PieceSteps> plan_degrees(const Demand& demand, const Deadline& deadline) {
  return peel_largest(demand, deadline, "degrees",
                      [](const BipartiteGraph& graph, std::int32_t id) { return degree(graph, id); });
}

}  // namespace sluice::detail
