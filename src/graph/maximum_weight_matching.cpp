#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "graph/matching_detail.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kNone = -1;

/// A live edge as its row sees it.
struct Entry {
  std::int64_t weight;
  std::int32_t column;
  std::int32_t id;
};

/// The edges of each vertex of one side, copied so that a scan of a row reads memory in order.
struct Rows {
  std::vector<std::int32_t> begin;
  std::vector<Entry> entries;

  [[nodiscard]] std::span<const Entry> of(std::int32_t row) const {
    return {entries.data() + begin[row], static_cast<std::size_t>(begin[row + 1] - begin[row])};
  }
};

struct Side {
  std::vector<char> critical;
  std::vector<std::int64_t> price;
  std::vector<std::int32_t> mate;  // vertex of the other side, kNone if free
  std::vector<std::int32_t> edge;  // its edge's id
};

/// Invariants between two calls of `serve`, with "placed" left vertices those that were served:
///  (1) price(u) + price(v) >= weight for the edges of every placed left vertex, equality on matched edges;
///  (2) vertices that are not critical have price >= 0, free ones (placed, if left) price 0;
///  (3) no price exceeds 2 (k + 1) W in absolute value, k = min(lefts, rights), W = max |weight|: a price changes only
///  in a tree
///      of tight edges that holds a vertex of price 0, along a path of at most 2 k + 1 edges.
/// Distances telescope into prices and weights of one path, hence stay below 8 (k + 1) W.
class Solver {
 public:
  Solver(const BipartiteGraph& graph, std::span<const std::int32_t> left_critical,
         std::span<const std::int32_t> right_critical)
      : graph_(graph) {
    prepare(left_, graph.lefts(), detail::marked(left_critical, graph.lefts(), "left_critical"));
    prepare(right_, graph.rights(), detail::marked(right_critical, graph.rights(), "right_critical"));
    check_weights();
    copy_rows(graph.lefts(), [&](std::int32_t u) { return graph.edges_of_left(u); });
    search_.resize(static_cast<std::size_t>(graph.rights()));
  }

  std::optional<WeightedMatching> solve() {
    for (const std::int32_t u : reduce_rows()) {
      if (!serve(left_, right_, u)) return std::nullopt;
    }
    if (!serve_critical_rights()) return std::nullopt;
    WeightedMatching result;
    result.matching = detail::matching_from_left_edges(graph_, std::move(left_.edge));
    result.weight = matching_weight(graph_, result.matching);
    result.left_price = std::move(left_.price);
    result.right_price = std::move(right_.price);
    return result;
  }

 private:
  struct Label {
    std::int64_t distance = kInfinite;
    std::int32_t row = kNone;   // reached from this row,
    std::int32_t edge = kNone;  // by this edge
  };

  static void prepare(Side& side, std::int32_t size, std::vector<char> critical) {
    side.critical = std::move(critical);
    side.price.assign(static_cast<std::size_t>(size), 0);
    side.mate.assign(static_cast<std::size_t>(size), kNone);
    side.edge.assign(static_cast<std::size_t>(size), kNone);
  }

  /// An edge that no optimal matching needs and no certificate misses: prices of its ends are >= 0 anyway.
  [[nodiscard]] bool useless(const Edge& e) const {
    return e.weight <= 0 && !left_.critical[e.left] && !right_.critical[e.right];
  }

  void check_weights() {
    const std::int64_t k = std::min(graph_.lefts(), graph_.rights());
    const std::int64_t limit = kInfinite / (8 * (k + 1));
    for (std::int32_t u = 0; u < graph_.lefts(); ++u) {
      for (const std::int32_t id : graph_.edges_of_left(u)) {
        const Edge& e = graph_.edge(id);
        if (useless(e)) continue;
        if (e.weight > limit || e.weight < -limit) {
          throw InputError(fmt::format("weight of edge {}", id), fmt::format("{}", e.weight),
                           fmt::format("at most {} in absolute value for a matching of up to {} edges", limit, k));
        }
        largest_ = std::max(largest_, e.weight < 0 ? -e.weight : e.weight);
      }
    }
    price_limit_ = 2 * k * largest_;
  }

  template <class RowOf>
  void copy_rows(std::int32_t lefts, RowOf row_of) {
    rows_.begin.reserve(static_cast<std::size_t>(lefts) + 1);
    rows_.begin.push_back(0);
    rows_.entries.reserve(static_cast<std::size_t>(graph_.edge_count()));
    for (std::int32_t u = 0; u < lefts; ++u) {
      for (const std::int32_t id : row_of(u)) {
        const Edge& e = graph_.edge(id);
        if (!useless(e)) rows_.entries.push_back({e.weight, e.right, id});
      }
      rows_.begin.push_back(static_cast<std::int32_t>(rows_.entries.size()));
    }
  }

  /// Augmenting row reduction: each left vertex takes its best right vertex and raises its price to where the second
  /// best (or staying free, if it may) is as good; who sat there before tries again. Only left vertices are ever
  /// displaced, so a right vertex with a price stays matched. Returns the left vertices that are not placed.
  std::vector<std::int32_t> reduce_rows() {
    std::vector<std::int32_t> waiting(left_.mate.size());
    for (std::size_t u = 0; u < waiting.size(); ++u) waiting[u] = static_cast<std::int32_t>(u);
    std::int64_t budget = 4 * static_cast<std::int64_t>(rows_.entries.size()) + 1;
    for (int pass = 0; pass < 3 && !waiting.empty(); ++pass) {
      std::vector<std::int32_t> later;
      for (std::int32_t u : waiting) {
        while (u != kNone) {
          budget -= static_cast<std::int64_t>(rows_.of(u).size());
          if (budget < 0) {
            later.push_back(u);
            break;
          }
          const auto [displaced, again] = bid(u);
          if (!again && displaced != kNone) later.push_back(displaced);
          u = again ? displaced : kNone;
        }
      }
      waiting = std::move(later);
    }
    return waiting;
  }

  /// One bid of left vertex `u`; who is without a place afterwards (perhaps `u`, perhaps nobody) and whether to let it
  /// bid at once.
  std::pair<std::int32_t, bool> bid(std::int32_t u) {
    const bool may_stay_free = !left_.critical[u];
    // Best and second best offer; an offer is weight - price. Among equal ones a free right vertex is preferred.
    std::int64_t best = may_stay_free ? 0 : -kInfinite;
    std::int64_t second = -kInfinite;
    const Entry* chosen = nullptr;
    bool chosen_free = false;
    for (const Entry& e : rows_.of(u)) {
      const std::int64_t offer = e.weight - right_.price[e.column];
      if (offer < second) continue;
      if (offer > best) {
        second = best;
        best = offer;
        chosen = &e;
        chosen_free = right_.mate[e.column] == kNone;
      } else {
        second = offer;
        if (offer == best && chosen != nullptr && !chosen_free && right_.mate[e.column] == kNone) {
          chosen = &e;
          chosen_free = true;
        }
      }
    }
    if (chosen == nullptr) {  // stays free at price 0, or is critical without edges, which `serve` finds out
      left_.price[u] = 0;
      return {may_stay_free ? kNone : u, false};
    }
    if (second == -kInfinite) second = best;  // critical with one edge: any price would do, so leave it
    const std::int64_t raised = right_.price[chosen->column] + (best - second);
    const std::int32_t displaced = right_.mate[chosen->column];
    if (displaced != kNone && (best == second || raised > price_limit_)) return {u, false};
    if (raised > price_limit_) second = best;
    left_.price[u] = second;
    right_.price[chosen->column] += best - second;
    join(left_, u, right_, chosen->column, chosen->id);
    if (displaced != kNone) {
      left_.mate[displaced] = kNone;
      left_.edge[displaced] = kNone;
    }
    return {displaced, true};
  }

  static void join(Side& rows, std::int32_t r, Side& columns, std::int32_t c, std::int32_t id) {
    rows.mate[r] = c;
    rows.edge[r] = id;
    columns.mate[c] = r;
    columns.edge[c] = id;
  }

  bool serve_critical_rights() {
    bool mirrored = false;
    for (std::int32_t v = 0; v < graph_.rights(); ++v) {
      if (!right_.critical[v] || right_.mate[v] != kNone) continue;
      if (!mirrored) {
        mirror();
        mirrored = true;
      }
      if (!serve(right_, left_, v)) return false;
    }
    return true;
  }

  /// From now on right vertices are the rows.
  void mirror() {
    Rows mirrored;
    mirrored.begin.assign(right_.mate.size() + 1, 0);
    mirrored.entries.resize(rows_.entries.size());
    for (const Entry& e : rows_.entries) ++mirrored.begin[e.column + 1];
    for (std::size_t v = 0; v < right_.mate.size(); ++v) mirrored.begin[v + 1] += mirrored.begin[v];
    std::vector<std::int32_t> place(mirrored.begin.begin(), mirrored.begin.end() - 1);
    for (std::size_t u = 0; u < left_.mate.size(); ++u) {
      for (const Entry& e : rows_.of(static_cast<std::int32_t>(u))) {
        mirrored.entries[place[e.column]++] = {e.weight, static_cast<std::int32_t>(u), e.id};
      }
    }
    rows_ = std::move(mirrored);
    search_.assign(left_.mate.size(), Label{});
  }

  /// Places row `source`, which is free: lowers its price to where an edge gets tight, then follows a shortest
  /// alternating path (in reduced costs price + price - weight) to a free column, or to a row that may be free and
  /// whose price falls to 0, perhaps `source` itself. Columns on the way get dearer, rows cheaper. False if no such
  /// path exists: then the rows reached are critical and more than their columns.
  bool serve(Side& rows, Side& columns, std::int32_t source) {
    std::int64_t& source_price = rows.price[source];
    source_price = rows.critical[source] ? -kInfinite : 0;
    for (const Entry& e : rows_.of(source)) source_price = std::max(source_price, e.weight - columns.price[e.column]);
    if (source_price == -kInfinite) {
      source_price = 0;
      return false;
    }
    if (!rows.critical[source] && source_price == 0) return true;

    std::int64_t bound = rows.critical[source] ? kInfinite : source_price;  // length of the best path so far,
    std::int32_t last = kNone;  // and its last column (kNone: no edge at all)
    std::int32_t row = source;
    std::int64_t distance = 0;
    reached_.clear();
    scanned_.clear();
    heap_.clear();
    near_.clear();
    for (;;) {
      const std::int64_t base = distance + rows.price[row];
      for (const Entry& e : rows_.of(row)) {
        const std::int64_t d = base + (columns.price[e.column] - e.weight);
        if (d >= bound) continue;
        Label& label = search_[e.column];
        if (d >= label.distance) continue;
        if (label.distance == kInfinite) reached_.push_back(e.column);
        label = {d, row, e.id};
        const std::int32_t mate = columns.mate[e.column];
        if (mate == kNone) {
          bound = d;
          last = e.column;
          if (d == distance) break;
          continue;
        }
        if (!rows.critical[mate] && d + rows.price[mate] < bound) {
          bound = d + rows.price[mate];
          last = e.column;
        }
        if (d == distance) {
          near_.push_back(e.column);
        } else if (d < bound) {
          heap_.emplace_back(d, e.column);
          std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
        }
      }
      if (bound == distance) break;
      // The next column in order of distance. Entries of the heap whose column was reached on a shorter way since are
      // void.
      std::int32_t column = kNone;
      if (!near_.empty()) {
        column = near_.back();
        near_.pop_back();
      } else {
        while (!heap_.empty() && column == kNone) {
          const auto [d, c] = heap_.front();
          if (d >= bound) {
            heap_.clear();
            break;
          }
          std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
          heap_.pop_back();
          if (d == search_[c].distance) {
            column = c;
            distance = d;
          }
        }
        if (column == kNone) break;
      }
      scanned_.push_back(column);
      row = columns.mate[column];
    }
    const bool found = bound != kInfinite;
    if (found) {
      source_price -= bound;
      for (const std::int32_t c : scanned_) {
        const std::int64_t change = bound - search_[c].distance;
        columns.price[c] += change;
        rows.price[columns.mate[c]] -= change;
      }
      flip(rows, columns, last);
    }
    for (const std::int32_t c : reached_) search_[c].distance = kInfinite;
    return found;
  }

  /// Gives each column on the path that ends in `last` to the row it was reached from; the row that had `last` gets
  /// free.
  void flip(Side& rows, Side& columns, std::int32_t last) const {
    if (last == kNone) return;
    const std::int32_t released = columns.mate[last];
    if (released != kNone) {
      rows.mate[released] = kNone;
      rows.edge[released] = kNone;
    }
    for (std::int32_t c = last; c != kNone;) {
      const std::int32_t r = search_[c].row;
      const std::int32_t previous = rows.mate[r];
      join(rows, r, columns, c, search_[c].edge);
      c = previous;
    }
  }

  const BipartiteGraph& graph_;
  Side left_, right_;
  Rows rows_;
  std::int64_t largest_ = 0;
  std::int64_t price_limit_ = 0;
  std::vector<Label> search_;                                // of each column
  std::vector<std::int32_t> reached_, scanned_, near_;       // columns
  std::vector<std::pair<std::int64_t, std::int32_t>> heap_;  // (distance, column)
};

}  // namespace

std::optional<WeightedMatching> maximum_weight_covering_matching(const BipartiteGraph& graph,
                                                                 std::span<const std::int32_t> left_critical,
                                                                 std::span<const std::int32_t> right_critical) {
  return Solver(graph, left_critical, right_critical).solve();
}

WeightedMatching maximum_weight_matching(const BipartiteGraph& graph) {
  auto result = maximum_weight_covering_matching(graph, {}, {});
  SLUICE_ASSERT(result.has_value(), "the empty matching covers no vertex, as asked");
  return *std::move(result);
}

}  // namespace sluice
