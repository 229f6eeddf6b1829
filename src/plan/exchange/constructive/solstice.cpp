/// `solstice`: stuff the demand until all nodes are equally loaded, then slice perfect matchings off it. The lightest
/// entry of a matching is at least a threshold that falls by halves.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp; k = n is an optical circuit switch, the set-up its delay of
/// reconfiguration.
/// Method: QuickStuff raises messages, the largest first, as far as the loads of both their ends stay within D = max(W,
/// ceil(P / k)). Then it adds entries between nodes that still lack load. BigSlice looks for a perfect matching among
/// the entries of at least a threshold, which begins at the largest power of two within the largest entry. If there is
/// one, it is a step as long as its lightest entry; if not, the threshold is halved. It ends when all messages are
/// sent; stuffed entries are not sent.
/// Guarantee: transmits for D at most, the least possible. At most m + O(n) steps, because each ends an entry. None on
/// the cost, which can be several times eta if the set-up matters: entries end in many small pieces.
/// Complexity: O(m log m); for each step and each threshold a maximum matching, repaired from the matching of the
/// previous step, O(m) for each edge that was lost. Memory O(m + n + pieces); refuses loads k D beyond 2^63.
/// Deterministic.
/// Source: Liu, Mukerjee, Li, Feltman, Papen, Savage, Seshan, Voelker, Andersen, Kaminsky, Porter, Snoeren,
/// "Scheduling techniques for hybrid circuit/packet networks", CoNEXT 2015, algorithms QuickStuff and BigSlice.
/// Deviations: no packet switch takes what is left, so slices go on until everything is sent. The paper leaves open the
/// order of QuickStuff and the matching that BigSlice takes. Ours are messages by falling size, and the repaired
/// matching of the previous step. k below the nodes is ours: the weight-regular extension of GGP
/// (regular_extension.hpp) completes what QuickStuff leaves. A perfect matching of it holds at most k messages.
///
/// Example: messages 0->0 of 5, 0->1 of 1, 1->1 of 2, k = 2, set-up 1: D = 6; QuickStuff makes 1->1 a 5 and adds 1->0
/// of 1. The threshold 4 gives the diagonal, a step of 5 that carries 2 units of 1->1, then 0->1: cost 8 = eta.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "graph/regular_extension.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/profile.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfSolsticeEdge = 10;  // of the graph, in a matching that is found or repaired
constexpr std::int64_t kWorkOfSolsticeVertex = 20;
constexpr std::int64_t kWorkOfStuffing = 100;  // of a message

/// The messages, raised, and behind them what was added.
std::vector<Edge> quick_stuff(const Demand& demand, std::int64_t full) {
  std::vector<Edge> edges = demand.edges;
  std::vector<std::int64_t> left(as_size(demand.lefts), full), right(as_size(demand.rights), full);
  std::int64_t room = full * demand.max_transfers;
  for (const Edge& edge : edges) {
    left[as_size(edge.left)] -= edge.weight;
    right[as_size(edge.right)] -= edge.weight;
    room -= edge.weight;
  }
  const auto raise = [&](Edge& edge) {
    std::int64_t& left_room = left[as_size(edge.left)];
    std::int64_t& right_room = right[as_size(edge.right)];
    const std::int64_t more = std::min({left_room, right_room, room});
    edge.weight += more;
    left_room -= more;
    right_room -= more;
    room -= more;
  };
  for (const std::int32_t e : by_falling_size(demand)) raise(edges[as_size(e)]);
  // After that no message joins two nodes that both lack load.
  for (std::int32_t u = 0, v = 0; u < demand.lefts && v < demand.rights && room > 0;) {
    if (left[as_size(u)] == 0) {
      ++u;
    } else if (right[as_size(v)] == 0) {
      ++v;
    } else {
      raise(edges.emplace_back(Edge{u, v, 0}));
    }
  }
  return edges;
}

}  // namespace

std::optional<PieceSteps> plan_solstice(const Demand& demand, Budget& budget) {
  const std::int64_t full = eta(demand).transmission;
  if (full > std::numeric_limits<std::int64_t>::max() / demand.max_transfers)
    throw InputError("solstice", fmt::format("{} loaded with {} each", count_text(demand.max_transfers, "node"), full),
                     "at most 2^63 - 1 in their product");
  // A perfect matching for each step at least.
  const std::int64_t side = std::int64_t{demand.lefts} + demand.rights - demand.max_transfers;
  const std::int64_t stuffing = kWorkOfStuffing * std::ssize(demand.edges);
  if (budget.left() < stuffing + eta(demand).steps * (kWorkOfSolsticeEdge + kWorkOfSolsticeVertex) * side)
    return std::nullopt;
  budget.spend(stuffing);
  RegularExtension stuffed =
      regular_extension(demand.lefts, demand.rights, quick_stuff(demand, full), demand.max_transfers);
  std::vector<Edge>& entries = stuffed.edges;
  std::vector<std::int64_t> rest;  // of the messages
  std::int64_t largest = 0;
  for (const Edge& edge : demand.edges) rest.push_back(edge.weight);
  for (const Edge& entry : entries) largest = std::max(largest, entry.weight);
  auto threshold = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(largest)));
  std::size_t unsent = rest.size();
  std::int64_t pieces = 0;
  PieceSteps steps;
  std::vector<std::int32_t> ids;
  std::vector<Edge> large;
  for (; unsent > 0; threshold /= 2) {
    SLUICE_ASSERT(threshold > 0, fmt::format("{} messages left", unsent));
    ids.clear();
    large.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].weight < threshold) continue;
      ids.push_back(static_cast<std::int32_t>(i));
      large.push_back(entries[i]);
    }
    BipartiteGraph graph(stuffed.side, stuffed.side, large);
    Matching matching = empty_matching(graph);
    while (unsent > 0) {
      budget.spend(kWorkOfSolsticeEdge * graph.edge_count() + kWorkOfSolsticeVertex * stuffed.side);
      if (budget.over()) return std::nullopt;
      matching = maximum_matching(graph, std::move(matching));
      if (matching.size < stuffed.side) break;
      std::int64_t duration = largest;
      for (const std::int32_t id : matching.left_edge)
        duration = std::min(duration, entries[as_size(ids[as_size(id)])].weight);
      std::vector<Piece> step;
      for (const std::int32_t id : matching.left_edge) {
        const std::int32_t entry = ids[as_size(id)];
        std::int64_t& weight = entries[as_size(entry)].weight;
        weight -= duration;
        if (weight < threshold) graph.remove(id);
        if (as_size(entry) >= rest.size() || rest[as_size(entry)] == 0) continue;
        const std::int64_t size = std::min(duration, rest[as_size(entry)]);
        rest[as_size(entry)] -= size;
        if (rest[as_size(entry)] == 0) --unsent;
        step.push_back({entry, size});
      }
      pieces += static_cast<std::int64_t>(step.size());
      check_pieces(pieces, "solstice");
      if (!step.empty()) steps.push_back(std::move(step));
    }
  }
  return steps;
}

}  // namespace sluice::detail
