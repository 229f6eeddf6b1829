#include "plan/exchange/constructive/filtration.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "graph/hopcroft_karp.hpp"
#include "plan/exchange/constructive/filtered_step.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfFilteredEdge = 7;     // of all that are left, in a step
constexpr std::int64_t kWorkOfFilteredVertex = 24;  // at a threshold
constexpr std::int64_t kWorkOfFilteredPiece = 80;

/// The messages that are left, a row per sender, the largest first. The front part of each row is usable.
class FilteredRows {
 public:
  struct Entry {
    std::int64_t rest = 0;
    std::int32_t edge = 0;
    std::int32_t right = 0;
  };

  FilteredRows(const Demand& demand, std::span<const std::int64_t> rest)
      : rows_(as_size(demand.lefts)), usable_(as_size(demand.lefts), 0), rights_(demand.rights) {
    for (std::size_t e = 0; e < demand.edges.size(); ++e) {
      const Edge& edge = demand.edges[e];
      if (rest[e] > 0) rows_[as_size(edge.left)].push_back({rest[e], static_cast<std::int32_t>(e), edge.right});
    }
    for (std::size_t u = 0; u < rows_.size(); ++u) sort(u);
  }

  [[nodiscard]] std::int64_t largest() const {
    std::int64_t result = 0;
    for (const auto& row : rows_)
      if (!row.empty()) result = std::max(result, row.front().rest);
    return result;
  }
  void forbid_all() { std::fill(usable_.begin(), usable_.end(), 0); }
  /// Makes what is left of at least `threshold` usable; how much more that is than before.
  std::int64_t allow(std::int64_t threshold) {
    std::int64_t more = 0;
    for (std::size_t u = 0; u < rows_.size(); ++u) {
      const auto& row = rows_[u];
      std::int32_t& end = usable_[u];
      for (; as_size(end) < row.size() && row[as_size(end)].rest >= threshold; ++end) ++more;
    }
    return more;
  }
  [[nodiscard]] const Entry& at(std::size_t u, std::int32_t edge) const {
    return *std::find_if(rows_[u].begin(), rows_[u].end(), [&](const Entry& entry) { return entry.edge == edge; });
  }
  /// Takes `size` off an edge of left vertex `u`.
  void send(std::size_t u, std::int32_t edge, std::int64_t size) {
    auto& row = rows_[u];
    auto entry = std::find_if(row.begin(), row.end(), [&](const Entry& each) { return each.edge == edge; });
    entry->rest -= size;
    if (entry->rest == 0) {
      row.erase(entry);
    } else {
      for (; entry + 1 != row.end() && before(*(entry + 1), *entry); ++entry) std::iter_swap(entry, entry + 1);
    }
  }

  // A view for HopcroftKarp.
  [[nodiscard]] std::int32_t sources() const { return static_cast<std::int32_t>(rows_.size()); }
  [[nodiscard]] std::int32_t targets() const { return rights_; }
  [[nodiscard]] std::int32_t degree(std::int32_t s) const { return usable_[as_size(s)]; }
  [[nodiscard]] std::int32_t id(std::int32_t s, std::int32_t k) const { return rows_[as_size(s)][as_size(k)].edge; }
  [[nodiscard]] std::int32_t target(std::int32_t s, std::int32_t k) const {
    return rows_[as_size(s)][as_size(k)].right;
  }

 private:
  // The order is total.
  static bool before(const Entry& a, const Entry& b) { return a.rest != b.rest ? a.rest > b.rest : a.edge < b.edge; }
  void sort(std::size_t u) { std::sort(rows_[u].begin(), rows_[u].end(), before); }

  std::vector<std::vector<Entry>> rows_;
  std::vector<std::int32_t> usable_;
  std::int32_t rights_;
};

struct Matched {
  std::int64_t rest = 0;
  std::int32_t left = 0;
  std::int32_t edge = 0;
};

/// What filtration spends at least before its last step: one ends at most k messages.
std::int64_t least_work_of_filtration(const Demand& demand) {
  std::int64_t work = 0;
  for (auto left = std::ssize(demand.edges); left > demand.max_transfers; left -= demand.max_transfers)
    work +=
        kWorkOfFilteredEdge * left + kWorkOfFilteredVertex * demand.lefts + kWorkOfFilteredPiece * demand.max_transfers;
  return work;
}

}  // namespace

std::optional<PieceSteps> filter(const Demand& demand, const FiltrationRule& rule, const char* algorithm,
                                 Budget& budget) {
  if (budget.left() < least_work_of_filtration(demand)) return std::nullopt;
  std::vector<std::int64_t> rest;
  rest.reserve(demand.edges.size());
  for (const Edge& edge : demand.edges) rest.push_back(edge.weight);
  return filter_rest(demand, rest, rule, std::numeric_limits<double>::infinity(), algorithm, budget);
}

std::optional<PieceSteps> filter_rest(const Demand& demand, std::span<const std::int64_t> rest,
                                      const FiltrationRule& rule, double limit, const char* algorithm, Budget& budget) {
  FilteredRows rows(demand, rest);
  const std::vector<std::int32_t> all = all_vertices(demand.lefts);
  std::vector<std::int64_t> thresholds;
  for (std::int64_t t = rows.largest(); t > 0; t = percent_of(t, rule.percent)) thresholds.push_back(t);
  if (thresholds.empty() || thresholds.back() > 1) thresholds.push_back(1);
  std::size_t first = 0;  // of the rests that become usable
  auto left = static_cast<std::int64_t>(rest.size()) - std::count(rest.begin(), rest.end(), 0);
  double spent = 0;
  std::int64_t pieces = 0;
  PieceSteps steps;
  std::vector<Matched> matching;
  while (left > 0) {
    budget.spend(kWorkOfFilteredEdge * left);
    if (budget.over()) return std::nullopt;
    const std::int64_t largest = rows.largest();
    while (thresholds[first] > largest) ++first;
    rows.forbid_all();
    HopcroftKarp<const FilteredRows&> engine(rows);
    std::int64_t usable = 0;
    for (std::size_t t = first; t < thresholds.size() && usable < left && engine.size() < demand.max_transfers; ++t) {
      budget.spend(kWorkOfFilteredVertex * demand.lefts);
      const std::int64_t more = rows.allow(thresholds[t]);
      if (more > 0) engine.grow(all, demand.max_transfers);
      usable += more;
    }
    matching.clear();
    for (std::int32_t u = 0; u < demand.lefts; ++u) {
      const std::int32_t edge = engine.edges()[as_size(u)];
      if (edge >= 0) matching.push_back({rows.at(as_size(u), edge).rest, u, edge});
    }
    std::sort(matching.begin(), matching.end(),
              [](const Matched& a, const Matched& b) { return a.rest != b.rest ? a.rest > b.rest : a.edge < b.edge; });
    if (matching.size() > as_size(demand.max_transfers)) matching.resize(as_size(demand.max_transfers));
    const std::int64_t duration = best_duration(
        matching.size(), [&](std::size_t i) { return matching[i].rest; }, demand.setup,
        rule.worth_of_end * demand.setup);
    spent += static_cast<double>(duration) + demand.setup;
    if (spent >= limit) return std::nullopt;
    std::vector<Piece>& step = steps.emplace_back();
    for (const Matched& each : matching) {
      const std::int64_t size = std::min(duration, each.rest);
      step.push_back({each.edge, size});
      rows.send(as_size(each.left), each.edge, size);
      if (size == each.rest) --left;
    }
    pieces += static_cast<std::int64_t>(step.size());
    check_pieces(pieces, algorithm);
    budget.spend(kWorkOfFilteredPiece * static_cast<std::int64_t>(step.size()));
  }
  return steps;
}

}  // namespace sluice::detail
