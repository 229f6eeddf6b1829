#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "graph/matching_repair.hpp"
#include "plan/exchange/demand.hpp"

/// What `weights` and `degrees` share: they peel any matchings off, cut to the k edges of the highest rank.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
/// Method: while messages are left, take a maximum matching and keep its k edges of the highest rank. Send of each as
/// much as the lightest of them has left. `weights` ranks by what is left, `degrees` by the degrees of the ends.
/// Guarantee: none; every step finishes a message, so there are at most m steps; k = 1 is optimal.
/// Complexity: a step takes O(k) for its pieces and O(log n) for each edge that comes to or leaves the k. Each message
/// that ended takes the search of matching_repair.hpp: O(m) at worst, about sqrt(n) on random traffic. So O(m (m + k
/// log n)) at worst. Sparse traffic of n = 10 000 nodes a side with 26 messages each is planned in about 1 s for k = 10
/// and 2 s for k = 100. Memory O(m + pieces). Most steps end only one message, so a plan of m messages may have m k
/// pieces; more than 2^26 are refused. Deterministic.
/// Source: Cohen, Jeannot, Padoy, Wagner, Figure 10 and the text below it. Their "maximal matching" is a matching of
/// maximum cardinality (they count its complexity). The paper does not say which of several to take; here it grows from
/// the matching of the previous step. The paper does not define "highest degrees" for an edge; here it is the sum over
/// its ends. Edges of equal weight are ranked by higher degree: plans cost 5 to 8 % less if weights are small and often
/// equal. Edges equal in that too are taken in the order of (sender, receiver).
///
/// All kept edges send the same amount, so their order stays. The k edges of a step are a merge of two sorted lists:
/// the edges of the previous step, and the best of the rest of the matching, from a tree of winners.
///
/// Example: messages 0->0 of 3, 1->1 of 2, k = 2: a step of 2 with both, then one of 1.
namespace sluice::detail {

/// The rank of an edge: two numbers, compared one after the other; a larger number is better.
struct EdgeRank {
  std::int64_t first = -1;  // -1 for no edge: below the rank of every edge
  std::uint64_t second = 0;

  friend bool operator>(const EdgeRank& a, const EdgeRank& b) {
    return a.first != b.first ? a.first > b.first : a.second > b.second;
  }
};

inline std::int64_t degree_of_ends(const BipartiteGraph& graph, std::int32_t id) {
  return static_cast<std::int64_t>(graph.left_degree(graph.edge(id).left)) + graph.right_degree(graph.edge(id).right);
}

/// The edge with the lower id ranks higher among equal edges.
inline std::uint64_t rank_of_id(std::int32_t id) { return 0x7FFFFFFFU - static_cast<std::uint32_t>(id); }

/// Ranks in a row of places, and the place of the largest: a tree of winners. O(log n) a change.
class Tournament {
 public:
  explicit Tournament(std::int32_t places)
      : leaves_(std::bit_ceil(static_cast<std::size_t>(std::max(places, 2)))), rank_(leaves_), winner_(leaves_) {
    for (std::size_t node = leaves_ - 1; node > 0; --node) winner_[node] = challenger(2 * node);
  }

  [[nodiscard]] std::int32_t best() const { return winner_[1]; }
  [[nodiscard]] const EdgeRank& rank(std::int32_t place) const { return rank_[static_cast<std::size_t>(place)]; }

  void set(std::int32_t place, const EdgeRank& rank) {
    rank_[static_cast<std::size_t>(place)] = rank;
    for (std::size_t node = (leaves_ + static_cast<std::size_t>(place)) / 2; node > 0; node /= 2) {
      const std::int32_t a = challenger(2 * node);
      const std::int32_t b = challenger(2 * node + 1);
      const std::int32_t winner = this->rank(b) > this->rank(a) ? b : a;
      if (winner == winner_[node] && winner != place) return;  // nothing above has changed
      winner_[node] = winner;
    }
  }

 private:
  [[nodiscard]] std::int32_t challenger(std::size_t node) const {
    return node >= leaves_ ? static_cast<std::int32_t>(node - leaves_) : winner_[node];
  }

  std::size_t leaves_;
  std::vector<EdgeRank> rank_;        // of each place
  std::vector<std::int32_t> winner_;  // of each inner node, the place; 1 is the root
};

/// A maximum matching of the messages left, and its k edges to send next. `rank_of(graph, id)` ranks an edge. If two
/// edges are sent for equally long, neither to its end, their order must stay.
template <class RankOf>
class LargestEdges {
 public:
  LargestEdges(BipartiteGraph& graph, std::int32_t k, RankOf rank_of)
      : graph_(&graph),
        repair_(graph),
        k_(static_cast<std::size_t>(k)),
        rank_of_(rank_of),
        others_(graph.lefts()),
        kept_at_(static_cast<std::size_t>(graph.lefts()), -1) {
    for (std::int32_t u = 0; u < graph.lefts(); ++u) rank_among_others(u);
  }

  /// Chooses the edges of the next step: the edges of highest rank, in the order of their ranks.
  const std::vector<std::int32_t>& choose() {
    chosen_.clear();
    std::size_t next = 0;
    EdgeRank next_rank = rank_of_kept(next);
    while (chosen_.size() < k_) {
      const std::int32_t u = others_.best();
      if (others_.rank(u) > next_rank) {
        const std::int32_t id = repair_.matching().left_edge[static_cast<std::size_t>(u)];
        others_.set(u, EdgeRank());
        kept_at_[static_cast<std::size_t>(u)] = id;
        chosen_.push_back(id);
      } else if (next < kept_.size()) {
        chosen_.push_back(kept_[next]);
        next_rank = rank_of_kept(++next);
      } else {
        break;  // the whole matching
      }
    }
    for (; next < kept_.size(); ++next) {
      const std::int32_t u = graph_->edge(kept_[next]).left;
      kept_at_[static_cast<std::size_t>(u)] = -1;
      rank_among_others(u);
    }
    std::swap(kept_, chosen_);
    return kept_;
  }

  /// Takes messages that ended away and makes the matching a maximum one again.
  void remove(const std::vector<std::int32_t>& ended) {
    changed_.clear();
    for (const std::int32_t id : ended) {
      const auto changed = repair_.remove(id);
      changed_.insert(changed_.end(), changed.begin(), changed.end());
    }
    const std::vector<std::int32_t>& edge_at = repair_.matching().left_edge;
    for (const std::int32_t u : changed_) {
      if (edge_at[static_cast<std::size_t>(u)] == kept_at_[static_cast<std::size_t>(u)]) continue;
      kept_at_[static_cast<std::size_t>(u)] = -1;
      rank_among_others(u);
    }
    const auto gone = [&](std::int32_t id) { return kept_at_[static_cast<std::size_t>(graph_->edge(id).left)] != id; };
    kept_.erase(std::remove_if(kept_.begin(), kept_.end(), gone), kept_.end());
  }

 private:
  [[nodiscard]] EdgeRank rank_of_kept(std::size_t place) const {
    return place < kept_.size() ? rank_of_(*graph_, kept_[place]) : EdgeRank();
  }

  void rank_among_others(std::int32_t u) {
    const std::int32_t id = repair_.matching().left_edge[static_cast<std::size_t>(u)];
    others_.set(u, id >= 0 ? rank_of_(*graph_, id) : EdgeRank());
  }

  BipartiteGraph* graph_;
  MatchingRepair repair_;
  std::size_t k_;
  RankOf rank_of_;
  Tournament others_;                  // edges of the matching that are not in kept_, at their left vertices
  std::vector<std::int32_t> kept_;     // of the last step, if they are still in the matching
  std::vector<std::int32_t> kept_at_;  // for each left vertex its edge in kept_, -1 if none
  std::vector<std::int32_t> chosen_, changed_;
};

inline constexpr std::int64_t kWorkOfLargestPiece = 20;

/// The plan; nullopt if the budget was spent before.
template <class RankOf>
std::optional<PieceSteps> peel_largest(const Demand& demand, Budget& budget, const char* algorithm, RankOf rank_of) {
  BipartiteGraph graph(demand.lefts, demand.rights, demand.edges);
  LargestEdges<RankOf> edges(graph, demand.max_transfers, rank_of);
  PieceSteps steps;
  std::vector<std::int32_t> ended;
  std::int64_t pieces = 0;
  while (graph.edge_count() > 0) {
    if (budget.over()) return std::nullopt;
    const std::vector<std::int32_t>& kept = edges.choose();
    std::int64_t duration = graph.edge(kept.front()).weight;
    for (const std::int32_t id : kept) duration = std::min(duration, graph.edge(id).weight);
    pieces += static_cast<std::int64_t>(kept.size());
    check_pieces(pieces, algorithm);
    budget.spend(kWorkOfLargestPiece * static_cast<std::int64_t>(kept.size()));
    std::vector<Piece>& step = steps.emplace_back();
    step.reserve(kept.size());
    ended.clear();
    for (const std::int32_t id : kept) {
      step.push_back({id, duration});
      const std::int64_t rest = graph.edge(id).weight - duration;
      graph.set_weight(id, rest);
      if (rest == 0) ended.push_back(id);
    }
    edges.remove(ended);
  }
  return steps;
}

}  // namespace sluice::detail
