#include "sluice/graph/edge_coloring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014): small, and the same on every platform.
class Random {
 public:
  /// Below `bound` > 0, each value with equal probability up to a relative error of bound / 2^32.
  std::int32_t below(std::int32_t bound) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return static_cast<std::int32_t>(((z >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

 private:
  std::uint64_t state_ = 20240229;
};

/// An edge to colour, between merged vertices; a dummy has id -1.
struct Arc {
  std::int32_t left;
  std::int32_t right;
  std::int32_t id;
};

/// Numbers of edges of the vertices.
struct Degrees {
  std::vector<std::int32_t> left;
  std::vector<std::int32_t> right;

  [[nodiscard]] std::int32_t largest() const {
    std::int32_t result = 0;
    for (const std::int32_t degree : left) result = std::max(result, degree);
    for (const std::int32_t degree : right) result = std::max(result, degree);
    return result;
  }
};

/// A graph with the same number of vertices on both sides.
struct Multigraph {
  std::int32_t vertices = 0;
  std::vector<Arc> arcs;  ///< by left vertex before vertices are merged
};

/// For each vertex its merged vertex: vertices of degree <= limit / 2 share one as long as that one has degree <= limit
/// / 2 too. So at most one merged vertex has degree <= limit / 2, and none more than `limit`. Also their number.
std::pair<std::vector<std::int32_t>, std::int32_t> merge(const std::vector<std::int32_t>& degrees, std::int32_t limit) {
  std::vector<std::int32_t> merged(degrees.size(), -1);
  std::int32_t count = 0;
  std::int32_t open = -1;
  std::int32_t open_degree = 0;
  for (std::size_t v = 0; v < degrees.size(); ++v) {
    const std::int32_t degree = degrees[v];
    if (degree > limit / 2) {
      merged[v] = count++;
    } else if (degree > 0) {
      if (open < 0) {
        open = count++;
        open_degree = 0;
      }
      merged[v] = open;
      open_degree += degree;
      if (open_degree > limit / 2) open = -1;
    }
  }
  return {std::move(merged), count};
}

/// `plain` with vertices merged, padded with dummies until every vertex has degree `degree`.
Multigraph regular(Multigraph plain, const Degrees& degrees, std::int32_t degree) {
  const auto [left_merged, left_count] = merge(degrees.left, degree);
  const auto [right_merged, right_count] = merge(degrees.right, degree);
  Multigraph result = std::move(plain);
  result.vertices = std::max(left_count, right_count);
  const std::int64_t size = static_cast<std::int64_t>(result.vertices) * degree;
  if (size > std::numeric_limits<std::int32_t>::max()) {
    throw InputError("edges", fmt::format("{}", result.arcs.size()), "a padded graph of at most 2^31 - 1 edges");
  }
  std::vector<std::int32_t> left_lack(static_cast<std::size_t>(result.vertices), degree);
  std::vector<std::int32_t> right_lack(static_cast<std::size_t>(result.vertices), degree);
  for (Arc& arc : result.arcs) {
    arc.left = left_merged[arc.left];
    arc.right = right_merged[arc.right];
    --left_lack[arc.left];
    --right_lack[arc.right];
  }
  result.arcs.reserve(static_cast<std::size_t>(size));
  for (std::int32_t u = 0, v = 0; u < result.vertices; ++u) {
    for (; left_lack[u] > 0; --left_lack[u]) {
      while (right_lack[v] == 0) ++v;
      --right_lack[v];
      result.arcs.push_back({u, v, -1});
    }
  }
  return result;
}

class Colorer {
 public:
  /// Colours arcs between `vertices` vertices per side; results go to `color`, by id.
  Colorer(std::int32_t vertices, std::size_t arcs, std::vector<std::int32_t>& color)
      : vertices_(vertices),
        left_pending_(static_cast<std::size_t>(vertices), -1),
        right_pending_(static_cast<std::size_t>(vertices), -1),
        half_(arcs),
        words_(2 * arcs + kSpareWords),
        color_(color) {}

  /// Colours `arcs` with first .. first + colors - 1. Permutes them. @pre no vertex has more than `colors` arcs;
  /// `colors` is a power of 2
  void color_by_halving(std::span<Arc> arcs, std::int32_t colors, std::int32_t first) {
    if (arcs.empty()) return;
    if (colors == 1) {
      paint(arcs, first);
      return;
    }
    const std::size_t cut = halve(arcs);
    color_by_halving(arcs.first(cut), colors / 2, first);
    color_by_halving(arcs.subspan(cut), colors / 2, first + colors / 2);
  }

  /// Colours `arcs` with first .. first + degree - 1. Permutes them. @pre every vertex has `degree` arcs
  void color_regular(std::span<Arc> arcs, std::int32_t degree, std::int32_t first) {
    if (std::has_single_bit(static_cast<std::uint32_t>(degree))) {
      color_by_halving(arcs, degree, first);
      return;
    }
    if (degree % 2 == 1) {
      const std::size_t cut = split_off_perfect_matching(arcs, degree);
      --degree;
      paint(arcs.subspan(cut), first + degree);
      arcs = arcs.first(cut);
    }
    const std::size_t cut = halve(arcs);
    const std::int32_t half = degree / 2;
    color_regular(arcs.first(cut), half, first);
    // The second half borrows the last colours of the first half, enough to raise its degree to a power of 2. Dummies
    // are no longer needed: halving works on graphs that are not regular.
    const auto colors = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(half)));
    const std::int32_t first_lent = first + half - (colors - half);
    std::vector<Arc> rest;
    for (const Arc& arc : arcs.first(cut)) {
      if (arc.id >= 0 && color_[arc.id] >= first_lent) rest.push_back(arc);
    }
    for (const Arc& arc : arcs.subspan(cut)) {
      if (arc.id >= 0) rest.push_back(arc);
    }
    color_by_halving(rest, colors, first_lent);
  }

 private:
  void paint(std::span<const Arc> arcs, std::int32_t color) {
    for (const Arc& arc : arcs) {
      if (arc.id >= 0) color_[arc.id] = color;
    }
  }

  /// Permutes `arcs` into two parts (the first ends at the returned position) such that each vertex of degree d has
  /// floor(d / 2) or ceil(d / 2) in each. Pairs up the arcs of every vertex; the arcs of a pair go to different parts.
  /// Pairs link the arcs into paths and cycles. Left and right pairs alternate in a cycle, so it is even.
  std::size_t halve(std::span<Arc> arcs) {
    const auto size = static_cast<std::int32_t>(arcs.size());
    for (std::int32_t i = 0; i < size; ++i) {
      pair_up(i, left_pending_[arcs[i].left], kLeft);
      pair_up(i, right_pending_[arcs[i].right], kRight);
      half_[i] = kOpen;
    }
    for (const Arc& arc : arcs) {
      left_pending_[arc.left] = -1;
      right_pending_[arc.right] = -1;
    }
    char begin = 0;  // paths of odd length begin alternately in either part
    for (std::int32_t i = 0; i < size; ++i) {
      if (half_[i] != kOpen) continue;
      if (partner(i, kRight) < 0) {
        begin = follow(i, begin, kLeft);
      } else if (partner(i, kLeft) < 0) {
        begin = follow(i, begin, kRight);
      }
    }
    for (std::int32_t i = 0; i < size; ++i) {
      if (half_[i] == kOpen) follow(i, 0, kLeft);
    }
    // Partners are no longer needed. The second part, which has at most one arc more than the first, waits in their
    // place.
    std::size_t cut = 0;
    std::size_t kept = 0;
    for (std::int32_t i = 0; i < size; ++i) {
      const Arc arc = arcs[i];
      if (half_[i] == 0) {
        arcs[cut++] = arc;
      } else {
        words_[3 * kept] = arc.left;
        words_[3 * kept + 1] = arc.right;
        words_[3 * kept + 2] = arc.id;
        ++kept;
      }
    }
    for (std::size_t k = 0; k < kept; ++k) arcs[cut + k] = {words_[3 * k], words_[3 * k + 1], words_[3 * k + 2]};
    return cut;
  }

  /// The arc that is paired with arc `i` at its left or right end, -1: none.
  std::int32_t& partner(std::int32_t i, std::size_t end) { return words_[2 * static_cast<std::size_t>(i) + end]; }

  void pair_up(std::int32_t i, std::int32_t& pending, std::size_t end) {
    partner(i, end) = pending;
    if (pending < 0) {
      pending = i;
    } else {
      partner(pending, end) = i;
      pending = -1;
    }
  }

  /// Puts arc `i` into part `part`, its partner at `end` into the other one, and so on, alternating between the ends.
  /// Returns the part after the last one.
  char follow(std::int32_t i, char part, std::size_t end) {
    while (i >= 0 && half_[i] == kOpen) {
      half_[i] = part;
      part = static_cast<char>(1 - part);
      i = partner(i, end);
      end = kLeft + kRight - end;
    }
    return part;
  }

  /// Permutes `arcs`, regular of `degree` >= 3, so that a perfect matching stands last; returns where it begins. A
  /// random walk starts at each left vertex. It goes along a random arc that is not matched, and back along the matched
  /// one, until it meets a free right vertex. Each left vertex remembers the arc of the walk's last departure: these
  /// arcs make up the walk without its loops.
  std::size_t split_off_perfect_matching(std::span<Arc> arcs, std::int32_t degree) {
    // Rows by left vertex: vertex u has [u degree, (u + 1) degree).
    std::vector<std::int32_t> place(static_cast<std::size_t>(vertices_));
    for (std::int32_t u = 0; u < vertices_; ++u) place[u] = u * degree;
    for (const Arc& arc : arcs) {
      const auto at = static_cast<std::size_t>(place[arc.left]++);
      words_[2 * at] = arc.right;
      words_[2 * at + 1] = arc.id;
    }
    std::vector<std::int32_t>& chosen = place;  // offset in u's row of its matched arc, -1 if free
    std::fill(chosen.begin(), chosen.end(), -1);
    std::vector<std::int32_t> exit(static_cast<std::size_t>(vertices_));
    std::vector<std::int32_t> mate(static_cast<std::size_t>(vertices_), -1);  // left vertex of each right vertex
    const auto right_end = [&](std::int32_t u, std::int32_t offset) {
      return words_[2 * static_cast<std::size_t>(u * degree + offset)];
    };
    for (std::int32_t root = 0; root < vertices_; ++root) {
      for (std::int32_t u = root; u >= 0; u = mate[right_end(u, exit[u])]) {
        if (chosen[u] < 0) {
          exit[u] = random_.below(degree);
        } else {
          const std::int32_t offset = random_.below(degree - 1);
          exit[u] = offset < chosen[u] ? offset : offset + 1;
        }
      }
      for (std::int32_t u = root; u >= 0;) {
        chosen[u] = exit[u];
        u = std::exchange(mate[right_end(u, exit[u])], u);
      }
    }
    std::size_t kept = 0;
    std::size_t matched = arcs.size() - static_cast<std::size_t>(vertices_);
    const std::size_t cut = matched;
    for (std::int32_t u = 0; u < vertices_; ++u) {
      for (std::int32_t offset = 0; offset < degree; ++offset) {
        const std::size_t at = 2 * static_cast<std::size_t>(u * degree + offset);
        arcs[offset == chosen[u] ? matched++ : kept++] = {u, words_[at], words_[at + 1]};
      }
    }
    return cut;
  }

  static constexpr char kOpen = 2;
  static constexpr std::size_t kLeft = 0, kRight = 1;
  static constexpr std::size_t kSpareWords = 4;  ///< three words for each second arc, rounded up, are two for each

  std::int32_t vertices_;
  std::vector<std::int32_t> left_pending_,
      right_pending_;  // arc of a vertex that waits for a partner; -1 between calls
  std::vector<char> half_;
  std::vector<std::int32_t> words_;  ///< two for each arc: its partners or, otherwise, arcs that wait
  std::vector<std::int32_t>& color_;
  Random random_;
};

EdgeColoring colored(Multigraph plain, const Degrees& degrees, std::size_t ids) {
  EdgeColoring result;
  result.color.assign(ids, -1);
  result.colors = degrees.largest();
  if (result.colors == 0) return result;
  const bool halving_only = std::has_single_bit(static_cast<std::uint32_t>(result.colors));
  Multigraph work = halving_only ? std::move(plain) : regular(std::move(plain), degrees, result.colors);
  Colorer colorer(work.vertices, work.arcs.size(), result.color);
  if (halving_only) {
    colorer.color_by_halving(work.arcs, result.colors, 0);
  } else {
    colorer.color_regular(work.arcs, result.colors, 0);
  }
  return result;
}

}  // namespace

EdgeColoring edge_coloring(const BipartiteGraph& graph) {
  Multigraph plain{std::max(graph.lefts(), graph.rights()), {}};
  plain.arcs.reserve(static_cast<std::size_t>(graph.edge_count()));
  Degrees degrees;
  for (std::int32_t u = 0; u < graph.lefts(); ++u) {
    degrees.left.push_back(graph.left_degree(u));
    for (const std::int32_t id : graph.edges_of_left(u)) plain.arcs.push_back({u, graph.edge(id).right, id});
  }
  for (std::int32_t v = 0; v < graph.rights(); ++v) degrees.right.push_back(graph.right_degree(v));
  return colored(std::move(plain), degrees, static_cast<std::size_t>(graph.id_count()));
}

EdgeColoring edge_coloring(std::int32_t lefts, std::int32_t rights, std::vector<EdgeEnds> edges) {
  if (edges.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw InputError("edges", count_text(edges.size(), "edge"), "at most 2^31 - 1 edges");
  Degrees degrees{std::vector<std::int32_t>(static_cast<std::size_t>(lefts), 0),
                  std::vector<std::int32_t>(static_cast<std::size_t>(rights), 0)};
  for (const EdgeEnds& edge : edges) {
    SLUICE_ASSERT(edge.left >= 0 && edge.left < lefts && edge.right >= 0 && edge.right < rights,
                  fmt::format("an edge from {} to {}", edge.left, edge.right));
    ++degrees.left[static_cast<std::size_t>(edge.left)];
    ++degrees.right[static_cast<std::size_t>(edge.right)];
  }
  std::vector<std::int32_t> place;
  std::int32_t first = 0;
  for (const std::int32_t degree : degrees.left) {
    place.push_back(first);
    first += degree;
  }
  Multigraph plain{std::max(lefts, rights), std::vector<Arc>(edges.size())};
  for (std::size_t id = 0; id < edges.size(); ++id) {
    const auto [left, right] = edges[id];
    const std::int32_t at = place[static_cast<std::size_t>(left)]++;
    plain.arcs[static_cast<std::size_t>(at)] = {left, right, static_cast<std::int32_t>(id)};
  }
  const std::size_t ids = edges.size();
  std::vector<EdgeEnds>().swap(edges);  // the memory is needed
  return colored(std::move(plain), degrees, ids);
}

}  // namespace sluice
