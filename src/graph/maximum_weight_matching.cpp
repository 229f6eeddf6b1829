#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "graph/matching_detail.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/matching.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kInfinite = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kNone = -1;

/// Searches prove long when they have read all edges kPatience times, or when, having read them kGlance times, they
/// would at that pace read them kForecast times. Measured: on random graphs of up to 2000 + 2000 vertices the forecast
/// is at most 7 and the sum 26. If the auction pays, the forecast is above 8 and the sum would be hundreds.
constexpr double kGlance = 2;
constexpr double kForecast = 8;
constexpr double kPatience = 32;
/// How often one round of the auction may read all edges, and by how much the minimum raise falls from round to round.
constexpr std::int64_t kRoundBudget = 8;
constexpr std::int64_t kRaiseFactor = 5;

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

/// One side bids, the other is bid for: the rows of `serve` are the bidders first and the items in the end.
///
/// Invariants between two calls of `serve`, with "placed" bidders those that were served:
///  (1) price(u) + price(v) >= weight for the edges of every placed bidder, equality on matched edges;
///  (2) vertices that are not critical have price >= 0, placed bidders that are free have price 0; free items have
///      price 0 too, or the price that an auction left them, until the items are served;
///  (3) no price exceeds (4 k + 2) W in absolute value, k = min(lefts, rights), W = max |weight|: row reduction and
///      auction stop at 2 k W. Later, a price changes only in a tree of tight edges. A vertex of this tree has a price
///      that is 0 or unchanged since then, and the path to it has at most 2 k + 1 edges.
/// Distances telescope into three prices and the weights of one path, hence stay below 16 (k + 1) W.
class Solver {
 public:
  Solver(const BipartiteGraph& graph, std::span<const std::int32_t> left_critical,
         std::span<const std::int32_t> right_critical)
      : graph_(graph) {
    auto left = detail::marked(left_critical, graph.lefts(), "left_critical");
    auto right = detail::marked(right_critical, graph.rights(), "right_critical");
    copy_rows(left, right);
    // The smaller side bids, because every bidder may need a search. If both sides are equal, the side with more
    // critical vertices bids, because only bidders can fall back on an auction.
    const auto criticals = [](const std::vector<char>& mark) { return std::count(mark.begin(), mark.end(), 1); };
    rights_bid_ = left.size() != right.size() ? right.size() < left.size() : criticals(right) > criticals(left);
    if (rights_bid_) {
      std::swap(left, right);
      rows_ = mirrored(rows_, left.size());
    }
    prepare(bidders_, std::move(left));
    prepare(items_, std::move(right));
    search_.resize(items_.mate.size());
  }

  std::optional<WeightedMatching> solve() {
    std::optional<bool> served = serve_bidders(false);
    if (!served.has_value()) {
      auction();
      served = serve_bidders(true);
    }
    if (!served.value() || !serve_items()) return std::nullopt;
    Side& left = rights_bid_ ? items_ : bidders_;
    Side& right = rights_bid_ ? bidders_ : items_;
    WeightedMatching result;
    result.matching = detail::matching_from_left_edges(graph_, std::move(left.edge));
    result.weight = matching_weight(graph_, result.matching);
    result.left_price = std::move(left.price);
    result.right_price = std::move(right.price);
    return result;
  }

 private:
  struct Label {
    std::int64_t distance = kInfinite;
    std::int32_t row = kNone;   // reached from this row,
    std::int32_t edge = kNone;  // by this edge
  };

  static void prepare(Side& side, std::vector<char> critical) {
    side.price.assign(critical.size(), 0);
    side.mate.assign(critical.size(), kNone);
    side.edge.assign(critical.size(), kNone);
    side.critical = std::move(critical);
  }

  /// The rows of the left vertices. Leaves out edges of weight <= 0 between vertices that need not be covered: no
  /// optimal matching needs them, and no price has to rise for them.
  void copy_rows(const std::vector<char>& left_critical, const std::vector<char>& right_critical) {
    const std::int64_t k = std::min(graph_.lefts(), graph_.rights());
    const std::int64_t limit = kInfinite / (16 * (k + 1));
    rows_.begin.reserve(left_critical.size() + 1);
    rows_.begin.push_back(0);
    rows_.entries.reserve(static_cast<std::size_t>(graph_.edge_count()));
    for (std::int32_t u = 0; u < graph_.lefts(); ++u) {
      for (const std::int32_t id : graph_.edges_of_left(u)) {
        const Edge& e = graph_.edge(id);
        if (e.weight <= 0 && !left_critical[u] && !right_critical[e.right]) continue;
        if (e.weight > limit || e.weight < -limit) {
          throw InputError(
              fmt::format("weight of edge {}", id), fmt::format("{}", e.weight),
              fmt::format("at most {} in absolute value for a matching of up to {}", limit, count_text(k, "edge")));
        }
        largest_ = std::max(largest_, e.weight < 0 ? -e.weight : e.weight);
        rows_.entries.push_back({e.weight, e.right, id});
      }
      rows_.begin.push_back(static_cast<std::int32_t>(rows_.entries.size()));
    }
    price_limit_ = 2 * k * largest_;
  }

  /// The edges of `rows` by column; there are `columns` columns.
  static Rows mirrored(const Rows& rows, std::size_t columns) {
    Rows result;
    result.begin.assign(columns + 1, 0);
    result.entries.resize(rows.entries.size());
    for (const Entry& e : rows.entries) ++result.begin[e.column + 1];
    for (std::size_t c = 0; c < columns; ++c) result.begin[c + 1] += result.begin[c];
    std::vector<std::int32_t> place(result.begin.begin(), result.begin.end() - 1);
    for (std::size_t r = 0; r + 1 < rows.begin.size(); ++r) {
      for (const Entry& e : rows.of(static_cast<std::int32_t>(r))) {
        result.entries[place[e.column]++] = {e.weight, static_cast<std::int32_t>(r), e.id};
      }
    }
    return result;
  }

  /// Places all bidders; whether that is possible. If not `patient`, nothing once the searches prove long.
  std::optional<bool> serve_bidders(bool patient) {
    read_ = 0;
    const std::vector<std::int32_t> waiting = reduce_rows();
    const auto edges = static_cast<double>(rows_.entries.size());
    bool glanced = false;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const auto read = static_cast<double>(read_);
      bool too_long = read > kPatience * edges;
      if (!glanced && read > kGlance * edges) {
        glanced = true;
        too_long = read * static_cast<double>(waiting.size()) > kForecast * edges * static_cast<double>(i);
      }
      if (too_long && !patient) {
        waiting_ = waiting.size() - i;
        return std::nullopt;
      }
      if (!serve(bidders_, items_, waiting[i])) return false;
    }
    return true;
  }

  /// Then the items that break a rule: critical and free, or free with a price that an auction left.
  bool serve_items() {
    bool turned = false;
    for (std::size_t i = 0; i < items_.mate.size(); ++i) {
      if (items_.mate[i] != kNone || (!items_.critical[i] && items_.price[i] == 0)) continue;
      if (!turned) {
        rows_ = mirrored(rows_, items_.mate.size());
        search_.assign(bidders_.mate.size(), Label{});
        turned = true;
      }
      if (!serve(items_, bidders_, static_cast<std::int32_t>(i))) return false;
    }
    return true;
  }

  /// Augmenting row reduction: each bidder takes its best item and raises its price to the point where the second best
  /// item (or staying free, if it may) is as good. The previous holder of the item tries again. Only bidders are ever
  /// displaced: an item that got its price here stays matched. Returns the bidders that are not placed.
  std::vector<std::int32_t> reduce_rows() {
    std::vector<std::int32_t> waiting(bidders_.mate.size());
    std::iota(waiting.begin(), waiting.end(), 0);
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

  /// The best and the second best offer to a bidder; an offer is weight - price.
  struct Offers {
    std::int64_t best = -kInfinite;
    std::int64_t second = -kInfinite;
    const Entry* chosen = nullptr;  // the entry of the best offer; none if staying free is best
  };

  /// Among equal offers a free item is preferred. A critical bidder with one edge gets two equal offers: any price
  /// would do.
  [[nodiscard]] Offers offers(std::int32_t u, bool may_stay_free) const {
    Offers result;
    bool chosen_free = false;
    if (may_stay_free) result.best = 0;
    for (const Entry& e : rows_.of(u)) {
      const std::int64_t offer = e.weight - items_.price[e.column];
      if (offer < result.second) continue;
      if (offer > result.best) {
        result.second = result.best;
        result.best = offer;
        result.chosen = &e;
        chosen_free = items_.mate[e.column] == kNone;
      } else {
        result.second = offer;
        if (offer == result.best && result.chosen != nullptr && !chosen_free && items_.mate[e.column] == kNone) {
          result.chosen = &e;
          chosen_free = true;
        }
      }
    }
    if (result.second == -kInfinite) result.second = result.best;
    return result;
  }

  /// One bid of bidder `u`. Returns the bidder without a place afterwards (perhaps `u`, perhaps none) and whether to
  /// let it bid at once.
  std::pair<std::int32_t, bool> bid(std::int32_t u) {
    auto [best, second, chosen] = offers(u, !bidders_.critical[u]);
    if (chosen == nullptr) {  // stays free at price 0, or is critical without edges, which `serve` finds out
      bidders_.price[u] = 0;
      return {bidders_.critical[u] ? u : kNone, false};
    }
    const std::int32_t displaced = items_.mate[chosen->column];
    const bool too_dear = items_.price[chosen->column] + (best - second) > price_limit_;
    if (displaced != kNone && (best == second || too_dear)) return {u, false};
    if (too_dear) second = best;
    bidders_.price[u] = second;
    items_.price[chosen->column] += best - second;
    join(bidders_, u, items_, chosen->column, chosen->id);
    if (displaced != kNone) {
      bidders_.mate[displaced] = kNone;
      bidders_.edge[displaced] = kNone;
    }
    return {displaced, true};
  }

  /// Starts afresh with item prices near the optimal ones, for instances with long searches (many nearly equal ways to
  /// match). It is an auction in rounds with less and less `raise`, each from the prices of the previous round. Only
  /// prices are kept, and the result is exact for any prices; so a round ends when its budget is spent. If all bidders
  /// served so far have an item, staying free is hardly the answer for any bidder. So no bidder may stay free in the
  /// auction: early prices, which are too high, would drive out bidders for good.
  void auction() {
    std::int64_t without_item = 0;
    for (std::size_t u = 0; u < bidders_.mate.size(); ++u) {
      without_item += bidders_.mate[u] == kNone && !rows_.of(static_cast<std::int32_t>(u)).empty() ? 1 : 0;
    }
    const bool some_stay_free = without_item > static_cast<std::int64_t>(waiting_);
    std::fill(items_.price.begin(), items_.price.end(), 0);
    std::vector<std::int32_t> waiting;
    std::int64_t raise = largest_;
    while (raise > 1) {
      raise = std::max<std::int64_t>(raise / kRaiseFactor, 1);
      std::fill(items_.mate.begin(), items_.mate.end(), kNone);
      waiting.resize(bidders_.mate.size());
      std::iota(waiting.rbegin(), waiting.rend(), 0);
      std::int64_t budget = kRoundBudget * static_cast<std::int64_t>(rows_.entries.size());
      while (!waiting.empty() && budget > 0) {
        const std::int32_t u = waiting.back();
        waiting.pop_back();
        budget -= static_cast<std::int64_t>(rows_.of(u).size()) + 1;
        const auto [best, second, chosen] = offers(u, some_stay_free && !bidders_.critical[u]);
        if (chosen == nullptr) continue;
        const std::int64_t price = items_.price[chosen->column] + (best - second) + raise;
        if (price > price_limit_) continue;
        items_.price[chosen->column] = price;
        const std::int32_t displaced = std::exchange(items_.mate[chosen->column], u);
        if (displaced != kNone) waiting.push_back(displaced);
      }
      bool free_items = some_stay_free;
      for (std::size_t i = 0; i < items_.mate.size() && !free_items; ++i) {
        free_items = items_.mate[i] == kNone && !items_.critical[i];
      }
      // While no bidder may stay free, the common fall changes nothing until the end.
      if (free_items || raise == 1) lower_prices(some_stay_free);
    }
    for (Side* side : {&bidders_, &items_}) {
      std::fill(side->mate.begin(), side->mate.end(), kNone);
      std::fill(side->edge.begin(), side->edge.end(), kNone);
    }
  }

  /// Prices that overshot leave expensive items free, and bidders that would pay less. First each free item asks no
  /// more than some bidder would pay, given what each gets elsewhere; then all prices fall together until as many
  /// bidders come back as there are expensive free items.
  void lower_prices(bool some_stay_free) {
    std::vector<std::int64_t> wanted(items_.mate.size(), 0);
    std::vector<std::int64_t>
        missing;  // by how much the best item costs too much, for each bidder that would rather stay free
    for (std::size_t u = 0; u < bidders_.mate.size(); ++u) {
      const auto row = rows_.of(static_cast<std::int32_t>(u));
      std::int64_t gain = -kInfinite;
      for (const Entry& e : row) gain = std::max(gain, e.weight - items_.price[e.column]);
      if (gain < 0 && !bidders_.critical[u]) {
        if (!row.empty()) missing.push_back(-gain);
        gain = 0;
      }
      for (const Entry& e : row) wanted[e.column] = std::max(wanted[e.column], e.weight - gain);
    }
    std::size_t costly = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (items_.mate[i] != kNone || items_.critical[i]) continue;
      items_.price[i] = std::min(items_.price[i], wanted[i]);
      costly += items_.price[i] > 0 ? 1 : 0;
    }
    if (!some_stay_free) costly = missing.size();  // all these bidders would give their items back
    if (costly == 0 || missing.empty()) return;
    const auto nth = missing.begin() + static_cast<std::ptrdiff_t>(std::min(costly, missing.size()) - 1);
    std::nth_element(missing.begin(), nth, missing.end());
    for (std::int64_t& price : items_.price) price = std::max<std::int64_t>(price - *nth, 0);
  }

  static void join(Side& rows, std::int32_t r, Side& columns, std::int32_t c, std::int32_t id) {
    rows.mate[r] = c;
    rows.edge[r] = id;
    columns.mate[c] = r;
    columns.edge[c] = id;
  }

  /// Places row `source`, which is free: lowers its price to the point when an edge gets tight. Then follows a shortest
  /// alternating path, in reduced costs price + price - weight. The path ends at a free column, or at a row that may be
  /// free and whose price falls to 0, perhaps `source` itself. Prices of columns on the way rise, prices of rows fall.
  /// False if no such path exists: then the rows reached are critical and more than their columns.
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
      read_ += static_cast<std::int64_t>(rows_.of(row).size());
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
  bool rights_bid_ = false;
  Side bidders_, items_;
  Rows rows_;
  std::int64_t largest_ = 0;  // W
  std::int64_t price_limit_ = 0;
  std::int64_t read_ = 0;                                    // edges that searches read
  std::size_t waiting_ = 0;                                  // bidders not served when patience ended
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
