#include "plan/exchange/exact/even_matchings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

using Class = std::vector<CarriedEdge>;

/// A part of the symmetric difference of two matchings: positions of its edges in each.
struct Component {
  std::array<std::vector<std::size_t>, 2> at;
};

class Exchanges {
 public:
  Exchanges(const Demand& demand, std::size_t limit, std::vector<Class>& classes)
      : demand_(demand),
        limit_(limit),
        classes_(classes),
        lefts_(as_size(demand.lefts)),
        at_(lefts_ + as_size(demand.rights)) {}

  /// Moves edges until no class has more than the limit; there are at most limit * classes.
  void level() {
    const auto smaller = [](const Class& a, const Class& b) { return a.size() < b.size(); };
    while (true) {
      Class& large = *std::max_element(classes_.begin(), classes_.end(), smaller);
      Class& small = *std::min_element(classes_.begin(), classes_.end(), smaller);
      if (large.size() <= limit_) return;
      SLUICE_ASSERT(small.size() < limit_, fmt::format("{} edges in the smallest matching", small.size()));
      const std::vector<Component> all = components(large, small);
      const auto path = std::find_if(all.begin(), all.end(),
                                     [](const Component& each) { return each.at[0].size() > each.at[1].size(); });
      SLUICE_ASSERT(path != all.end(), "the larger one has more edges in some part");
      swap(large, small, *path);
    }
  }

  /// Gives a full edge to classes that have none, as far as they find one.
  void spread_full() {
    for (Class& poor : classes_) {
      if (full_of(poor) > 0) continue;
      for (Class& rich : classes_)
        if (give_full(rich, poor)) break;
    }
  }

 private:
  static std::size_t full_of(const Class& edges) {
    return as_size(std::count_if(edges.begin(), edges.end(), [](const CarriedEdge& each) { return each.full; }));
  }

  bool give_full(Class& rich, Class& poor) {
    const std::size_t full = full_of(rich);
    if (full < 2) return false;
    for (const Component& each : components(rich, poor)) {
      const auto given = as_size(std::count_if(each.at[0].begin(), each.at[0].end(),
                                               [&](std::size_t position) { return rich[position].full; }));
      if (given == 0 || given == full) continue;
      if (rich.size() - each.at[0].size() + each.at[1].size() > limit_ ||
          poor.size() - each.at[1].size() + each.at[0].size() > limit_)
        continue;
      swap(rich, poor, each);
      return true;
    }
    return false;
  }

  [[nodiscard]] std::array<std::size_t, 2> ends(const CarriedEdge& carried) const {
    const Edge& edge = demand_.edges[as_size(carried.edge)];
    return {as_size(edge.left), lefts_ + as_size(edge.right)};
  }

  /// Paths and cycles of the edges of `a` and `b`, in the order of their first vertices.
  std::vector<Component> components(const Class& a, const Class& b) {
    for (std::array<std::ptrdiff_t, 2>& each : at_) each = {-1, -1};
    const std::array<const Class*, 2> both{&a, &b};
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t position = 0; position < both[side]->size(); ++position)
        for (const std::size_t node : ends((*both[side])[position]))
          at_[node][side] = static_cast<std::ptrdiff_t>(position);
    std::vector<Component> result;
    std::vector<std::size_t> open;
    for (std::size_t first = 0; first < at_.size(); ++first) {
      if (at_[first][0] < 0 && at_[first][1] < 0) continue;
      Component& found = result.emplace_back();
      open.assign(1, first);
      while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        for (std::size_t side = 0; side < 2; ++side) {
          const std::ptrdiff_t position = at_[node][side];
          if (position < 0) continue;
          found.at[side].push_back(as_size(position));
          for (const std::size_t end : ends((*both[side])[as_size(position)])) {
            at_[end][side] = -1;
            open.push_back(end);
          }
        }
      }
    }
    return result;
  }

  static void swap(Class& a, Class& b, const Component& part) {
    std::array<Class*, 2> both{&a, &b};
    std::array<Class, 2> moved;
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<std::size_t> positions = part.at[side];
      std::sort(positions.rbegin(), positions.rend());
      for (const std::size_t position : positions) {
        const auto at = both[side]->begin() + static_cast<std::ptrdiff_t>(position);
        moved[side].push_back(*at);
        both[side]->erase(at);
      }
    }
    for (std::size_t side = 0; side < 2; ++side)
      both[1 - side]->insert(both[1 - side]->end(), moved[side].begin(), moved[side].end());
  }

  const Demand& demand_;
  std::size_t limit_;
  std::vector<Class>& classes_;
  std::size_t lefts_;
  std::vector<std::array<std::ptrdiff_t, 2>> at_;  ///< of each vertex, its edge in each of two classes, -1: none
};

}  // namespace

std::vector<std::vector<CarriedEdge>> even_matchings(const Demand& demand, const std::vector<CarriedEdge>& carried,
                                                     std::int64_t count, std::int64_t limit, bool all_full) {
  std::vector<Edge> copies;
  for (const CarriedEdge& each : carried) {
    const Edge& edge = demand.edges[as_size(each.edge)];
    copies.push_back({edge.left, edge.right, 1});
  }
  const EdgeColoring coloring = edge_coloring(BipartiteGraph(demand.lefts, demand.rights, copies));
  SLUICE_ASSERT(coloring.colors <= count && static_cast<std::int64_t>(copies.size()) <= count * limit,
                fmt::format("{} colours, {} edges, {} steps", coloring.colors, copies.size(), count));
  std::vector<Class> classes(as_size(count));
  for (std::size_t i = 0; i < copies.size(); ++i) classes[as_size(coloring.color[i])].push_back(carried[i]);
  Exchanges exchanges(demand, as_size(limit), classes);
  exchanges.level();
  if (all_full) exchanges.spread_full();
  return classes;
}

}  // namespace sluice::detail
