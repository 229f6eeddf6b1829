#include "lemon_reference.hpp"

#include <lemon/capacity_scaling.h>
#include <lemon/cost_scaling.h>
#include <lemon/matching.h>
#include <lemon/network_simplex.h>
#include <lemon/preflow.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace lemon_reference {

using lemon::SmartDigraph;
using lemon::SmartGraph;
using Weight = std::int64_t;

struct Bipartite::Graphs {
  int lefts = 0;
  int rights = 0;
  std::vector<Arc> arcs;

  SmartGraph graph;  // nodes: lefts, then rights
  std::unique_ptr<SmartGraph::EdgeMap<Weight>> weight;

  // source -> lefts -> rights -> sink -> source; arc i < arcs.size() is arcs[i]
  SmartDigraph network;
  SmartDigraph::Node source, sink;
  std::vector<SmartDigraph::Arc> left_arc, right_arc;
  SmartDigraph::Arc back;
  std::unique_ptr<SmartDigraph::ArcMap<Weight>> cost;

  SmartGraph::Node left(int u) const { return SmartGraph::nodeFromId(u); }
  SmartGraph::Node right(int v) const { return SmartGraph::nodeFromId(lefts + v); }
};

const char* name(Way way) {
  switch (way) {
    case Way::kMatching:
      return "MaxMatching";
    case Way::kWeightedMatching:
      return "MaxWeightedMatching";
    case Way::kPerfectMatching:
      return "MaxWeightedPerfectMatching";
    case Way::kPreflow:
      return "Preflow";
    case Way::kNetworkSimplex:
      return "NetworkSimplex";
    case Way::kCostScaling:
      return "CostScaling";
    case Way::kCapacityScaling:
      return "CapacityScaling";
  }
  return "?";
}

Bipartite::Bipartite(int lefts, int rights, const std::vector<Arc>& arcs) : graphs_(std::make_unique<Graphs>()) {
  Graphs& g = *graphs_;
  g.lefts = lefts;
  g.rights = rights;
  g.arcs = arcs;
  for (int i = 0; i < lefts + rights; ++i) g.graph.addNode();
  g.weight = std::make_unique<SmartGraph::EdgeMap<Weight>>(g.graph);
  for (const Arc& a : arcs) (*g.weight)[g.graph.addEdge(g.left(a.left), g.right(a.right))] = a.weight;

  for (int i = 0; i < lefts + rights; ++i) g.network.addNode();
  g.source = g.network.addNode();
  g.sink = g.network.addNode();
  g.cost = std::make_unique<SmartDigraph::ArcMap<Weight>>(g.network, 0);
  const auto node = [](int i) { return SmartDigraph::nodeFromId(i); };
  for (const Arc& a : arcs) (*g.cost)[g.network.addArc(node(a.left), node(lefts + a.right))] = -a.weight;
  for (int u = 0; u < lefts; ++u) g.left_arc.push_back(g.network.addArc(g.source, node(u)));
  for (int v = 0; v < rights; ++v) g.right_arc.push_back(g.network.addArc(node(lefts + v), g.sink));
  g.back = g.network.addArc(g.sink, g.source);
}

Bipartite::~Bipartite() = default;

int Bipartite::maximum_matching(Way way) const {
  const Graphs& g = *graphs_;
  if (way == Way::kMatching) {
    lemon::MaxMatching<SmartGraph> matching(g.graph);
    matching.run();
    return matching.matchingSize();
  }
  if (way == Way::kPreflow) {
    SmartDigraph::ArcMap<int> capacity(g.network, 1);
    capacity[g.back] = 0;
    lemon::Preflow<SmartDigraph, SmartDigraph::ArcMap<int>> flow(g.network, capacity, g.source, g.sink);
    flow.runMinCut();
    return flow.flowValue();
  }
  throw std::invalid_argument("no way to a maximum matching");
}

std::int64_t Bipartite::maximum_weight(Way way) const {
  const Graphs& g = *graphs_;
  if (way == Way::kWeightedMatching) {
    lemon::MaxWeightedMatching<SmartGraph, SmartGraph::EdgeMap<Weight>> matching(g.graph, *g.weight);
    matching.run();
    return matching.matchingWeight();
  }
  return *maximum_weight_covering(way, {}, {});
}

namespace {

template <class Flow>
std::optional<Weight> cheapest(Flow& flow, const SmartDigraph::ArcMap<int>& lower,
                               const SmartDigraph::ArcMap<int>& upper, const SmartDigraph::ArcMap<Weight>& cost) {
  flow.lowerMap(lower).upperMap(upper).costMap(cost);
  if (flow.run() != Flow::OPTIMAL) return std::nullopt;
  return -flow.template totalCost<Weight>();
}

}  // namespace

std::optional<std::int64_t> Bipartite::maximum_weight_covering(Way way, const std::vector<int>& left_critical,
                                                               const std::vector<int>& right_critical) const {
  const Graphs& g = *graphs_;
  if (way == Way::kPerfectMatching) {
    if (g.lefts != g.rights || static_cast<int>(left_critical.size()) != g.lefts ||
        static_cast<int>(right_critical.size()) != g.rights) {
      throw std::invalid_argument("a perfect matching covers all vertices");
    }
    lemon::MaxWeightedPerfectMatching<SmartGraph, SmartGraph::EdgeMap<Weight>> matching(g.graph, *g.weight);
    if (!matching.run()) return std::nullopt;
    return matching.matchingWeight();
  }
  if (way == Way::kWeightedMatching) {
    Weight bonus = 1;
    for (const Arc& a : g.arcs) bonus += std::abs(a.weight);
    std::vector<char> left_marked(static_cast<std::size_t>(g.lefts), 0),
        right_marked(static_cast<std::size_t>(g.rights), 0);
    Weight wanted = 0;
    for (int u : left_critical) wanted += left_marked[u] ? 0 : 1, left_marked[u] = 1;
    for (int v : right_critical) wanted += right_marked[v] ? 0 : 1, right_marked[v] = 1;
    SmartGraph::EdgeMap<Weight> weight(g.graph);
    for (std::size_t i = 0; i < g.arcs.size(); ++i) {
      const Arc& a = g.arcs[i];
      weight[SmartGraph::edgeFromId(static_cast<int>(i))] =
          a.weight + bonus * (left_marked[a.left] + right_marked[a.right]);
    }
    lemon::MaxWeightedMatching<SmartGraph, SmartGraph::EdgeMap<Weight>> matching(g.graph, weight);
    matching.run();
    Weight covered = 0;
    Weight total = 0;
    for (std::size_t i = 0; i < g.arcs.size(); ++i) {
      if (!matching.matching(SmartGraph::edgeFromId(static_cast<int>(i)))) continue;
      total += g.arcs[i].weight;
      covered += left_marked[g.arcs[i].left] + right_marked[g.arcs[i].right];
    }
    if (covered < wanted) return std::nullopt;
    return total;
  }
  SmartDigraph::ArcMap<int> lower(g.network, 0), upper(g.network, 1);
  for (int u : left_critical) lower[g.left_arc[u]] = 1;
  for (int v : right_critical) lower[g.right_arc[v]] = 1;
  upper[g.back] = std::min(g.lefts, g.rights);
  if (way == Way::kNetworkSimplex) {
    lemon::NetworkSimplex<SmartDigraph, int, Weight> flow(g.network);
    return cheapest(flow, lower, upper, *g.cost);
  }
  if (way == Way::kCostScaling) {
    lemon::CostScaling<SmartDigraph, int, Weight> flow(g.network);
    return cheapest(flow, lower, upper, *g.cost);
  }
  if (way == Way::kCapacityScaling) {
    lemon::CapacityScaling<SmartDigraph, int, Weight> flow(g.network);
    return cheapest(flow, lower, upper, *g.cost);
  }
  throw std::invalid_argument("no way to a covering matching");
}

std::int64_t Bipartite::bottleneck() const {
  const Graphs& g = *graphs_;
  std::vector<int> order(g.arcs.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return g.arcs[a].weight > g.arcs[b].weight; });
  const auto size_of_heaviest = [&](std::size_t count) {
    SmartGraph heavy;
    heavy.reserveNode(g.lefts + g.rights);
    heavy.reserveEdge(static_cast<int>(count));
    for (int i = 0; i < g.lefts + g.rights; ++i) heavy.addNode();
    for (std::size_t i = 0; i < count; ++i) {
      const Arc& a = g.arcs[order[i]];
      heavy.addEdge(SmartGraph::nodeFromId(a.left), SmartGraph::nodeFromId(g.lefts + a.right));
    }
    lemon::MaxMatching<SmartGraph> matching(heavy);
    matching.run();
    return matching.matchingSize();
  };
  const int wanted = maximum_matching(Way::kMatching);
  if (wanted == 0) throw std::invalid_argument("the empty matching has no smallest weight");
  std::size_t low = static_cast<std::size_t>(wanted) - 1;  // too few edges
  std::size_t high = order.size();                         // enough
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (size_of_heaviest(middle) == wanted ? high : low) = middle;
  }
  return g.arcs[order[high - 1]].weight;
}

int Bipartite::repeated_matching_colors() const {
  const Graphs& g = *graphs_;
  std::vector<Arc> left = g.arcs;
  int colors = 0;
  while (!left.empty()) {
    std::vector<int> degree(static_cast<std::size_t>(g.lefts + g.rights), 0);
    for (const Arc& a : left) ++degree[a.left], ++degree[g.lefts + a.right];
    const int largest = *std::max_element(degree.begin(), degree.end());
    SmartGraph graph;
    for (int i = 0; i < g.lefts + g.rights; ++i) graph.addNode();
    SmartGraph::EdgeMap<int> weight(graph);
    for (const Arc& a : left) {
      const auto e = graph.addEdge(SmartGraph::nodeFromId(a.left), SmartGraph::nodeFromId(g.lefts + a.right));
      weight[e] = (degree[a.left] == largest ? 1 : 0) + (degree[g.lefts + a.right] == largest ? 1 : 0);
    }
    lemon::MaxWeightedMatching<SmartGraph, SmartGraph::EdgeMap<int>> matching(graph, weight);
    matching.run();
    std::vector<Arc> rest;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (!matching.matching(SmartGraph::edgeFromId(static_cast<int>(i)))) rest.push_back(left[i]);
    }
    left = std::move(rest);
    ++colors;
  }
  return colors;
}

}  // namespace lemon_reference
