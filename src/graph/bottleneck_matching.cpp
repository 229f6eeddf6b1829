#include <algorithm>
#include <functional>
#include <utility>

#include "graph/hopcroft_karp.hpp"
#include "graph/matching_detail.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {
namespace {

struct Candidate {
  std::int64_t weight;
  std::int32_t id;

  // Heavier first; ids make the order total, hence independent of the sorting library.
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.id < b.id;
  }
};

/// The edges of at least a threshold's weight. Rows list heavier edges first, up to the order within `unsorted`.
class HeavyEdges {
 public:
  /// `candidates`: all edges ever to be used; from position `unsorted` on in order.
  HeavyEdges(const BipartiteGraph& graph, std::span<const Candidate> candidates)
      : rights_(graph.rights()),
        begin_(static_cast<std::size_t>(graph.lefts()) + 1, 0),
        end_(static_cast<std::size_t>(graph.lefts()), 0),
        entries_(candidates.size()) {
    for (const Candidate& c : candidates) ++begin_[graph.edge(c.id).left + 1];
    for (std::size_t u = 0; u < end_.size(); ++u) begin_[u + 1] += begin_[u];
    std::copy(begin_.begin(), begin_.end() - 1, end_.begin());
    for (const Candidate& c : candidates) {
      const Edge& e = graph.edge(c.id);
      entries_[end_[e.left]++] = {c.weight, e.right, c.id};
    }
  }

  /// Shows edges of at least `threshold` only, which must be no more than the weight of any unsorted candidate.
  void set_threshold(std::int64_t threshold) {
    for (std::size_t u = 0; u < end_.size(); ++u) {
      // Upwards from the end: the hidden edges of a row are its lightest.
      const auto first = entries_.begin() + begin_[u];
      const auto last = entries_.begin() + begin_[u + 1];
      end_[u] = begin_[u] +
                static_cast<std::int32_t>(
                    std::partition_point(first, last, [=](const Entry& e) { return e.weight >= threshold; }) - first);
    }
  }

  [[nodiscard]] std::int32_t sources() const { return static_cast<std::int32_t>(end_.size()); }
  [[nodiscard]] std::int32_t targets() const { return rights_; }
  [[nodiscard]] std::int32_t degree(std::int32_t s) const { return end_[s] - begin_[s]; }
  [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return entries_[begin_[s] + k].id; }
  [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const { return entries_[begin_[s] + k].right; }

 private:
  struct Entry {
    std::int64_t weight;
    std::int32_t right;
    std::int32_t id;
  };

  std::int32_t rights_;
  std::vector<std::int32_t> begin_, end_;
  std::vector<Entry> entries_;
};

/// A maximum matching of the edges shown by `heavy`, grown from `start`; edge ids of the left vertices.
std::pair<std::vector<std::int32_t>, std::int32_t> grow(const BipartiteGraph& graph, const HeavyEdges& heavy,
                                                        const std::vector<std::int32_t>& start, std::int32_t enough) {
  detail::HopcroftKarp<const HeavyEdges&> engine(heavy);
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    if (start[u] >= 0) engine.match(u, graph.edge(start[u]).right, start[u]);
  }
  engine.grow(detail::all_vertices(graph.lefts()), enough);
  return {engine.edges(), engine.size()};
}

}  // namespace

Matching bottleneck_matching(const BipartiteGraph& graph) {
  const std::int32_t wanted = maximum_matching(graph).size;
  if (wanted == 0) return empty_matching(graph);

  std::vector<Candidate> edges;
  edges.reserve(static_cast<std::size_t>(graph.edge_count()));
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    for (const std::int32_t id : graph.edges_of_left(u)) edges.push_back({graph.edge(id).weight, id});
  }

  // Gallop: the heaviest edges [0, count) stand in front; `below` of them are known not to suffice, with matching
  // `start`.
  std::size_t below = 0;
  std::size_t count = std::min(edges.size(), 4 * static_cast<std::size_t>(wanted));
  std::vector<std::int32_t> start(static_cast<std::size_t>(graph.lefts()), -1);
  for (;;) {
    const auto at = [&edges](std::size_t i) { return edges.begin() + static_cast<std::ptrdiff_t>(i); };
    if (count < edges.size()) std::nth_element(at(below), at(count), edges.end());
    auto [found, size] = grow(graph, HeavyEdges(graph, std::span(edges).first(count)), start, wanted);
    if (size == wanted) {
      std::sort(at(below), at(count));
      edges.resize(count);
      break;
    }
    SLUICE_ASSERT(count < edges.size(), "all edges together hold a maximum matching");
    start = std::move(found);
    below = count;
    count = std::min(edges.size(), 4 * count);
  }

  // Bisect: edges [0, low) do not suffice (matching `start`), edges [0, high) do.
  HeavyEdges heavy(graph, edges);
  std::vector<std::int32_t> best;
  std::size_t low = below;
  std::size_t high = edges.size();
  while (low < high) {
    // The threshold of the middle edge; all edges of that very weight come with it.
    const std::size_t middle = low + (high - low) / 2;
    const std::int64_t threshold = edges[middle].weight;
    heavy.set_threshold(threshold);
    auto [found, size] = grow(graph, heavy, start, wanted);
    const auto first = edges.begin() + static_cast<std::ptrdiff_t>(below);
    if (size == wanted) {
      best = std::move(found);
      high = static_cast<std::size_t>(
          std::partition_point(first, edges.end(), [=](const Candidate& c) { return c.weight > threshold; }) -
          edges.begin());
      high = std::max(high, low);
    } else {
      start = std::move(found);
      low = static_cast<std::size_t>(
          std::partition_point(first, edges.end(), [=](const Candidate& c) { return c.weight >= threshold; }) -
          edges.begin());
    }
  }
  SLUICE_ASSERT(!best.empty(), "the galloping ended with enough edges");
  return detail::matching_from_left_edges(graph, std::move(best));
}

}  // namespace sluice
