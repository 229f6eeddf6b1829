#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/budget.hpp"
#include "graph/regular_extension.hpp"
#include "plan/exchange/constructive/setup_units.hpp"
#include "plan/exchange/demand.hpp"

/// What `ggp`, `oggp` and `multigraph` share: they peel perfect matchings off a weight-regular extension.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: weights become multiples of the set-up, rounded up (graph H). A weight-regular graph J is built around H.
/// Every perfect matching of J holds at most k messages (regular_extension.hpp). While J has edges, take a perfect
/// matching and subtract its lightest weight from all its edges; the messages in it are a step. The three algorithms
/// differ in the choice of the matching and in how much of it they take.
///
/// Guarantee: let eta be the bound of Proposition 1 and beta the set-up. Then cost <= 2 eta if k is no limit (k = nodes
/// that send, or that receive) or beta <= 1, and cost < 2 eta + 2 beta + 1 otherwise. Proof. Let u be the unit, T =
/// max(W, P / k) and N = max(Delta, m / k), so that T + beta N <= eta. J has weight D = max(W(H), ceil(P(H) / k)). D
/// units are peeled. Every step takes at least one unit and lasts no longer than the units it takes, so cost <= (u +
/// beta) D.
///  - beta <= 1: u = 1, H = G, D = eta_d, cost <= (1 + beta) eta_d.
///  - beta > 1: u = ceil(beta), and a rounded weight is at most (w + u - 1) / u. Hence u W(H) <= W + (u - 1) Delta and
///    u P(H) / k <= P / k + (u - 1) m / k. Both are at most T + (u - 1) N. Rounding P(H) / k up adds at most (k - 1) /
///    k. So cost <= (1 + beta / u) (T + (u - 1) N + r), with r = u (k - 1) / k if P(H) / k > W(H), otherwise r = 0.
///    With beta = u - d, 0 <= d < 1: (1 + beta / u) (u - 1) = 2 u - 2 - d + d / u <= 2 u - 2 d = 2 beta. So cost <= 2
///    (T + beta N) + (u + beta) (k - 1) / k if r is not 0, and u < beta + 1. If k is the number of senders, P(H) <= k
///    W(H).
///
/// The paper states 2 without exception, because it compares with eta of the rounded weights H, which may exceed eta of
/// G. Example: k = 2, beta = 10. Disjoint messages of 11, 11, 11 and 1 are 2, 2, 2 and 1 units, D = 4, but eta_d / beta
/// + eta_s = 3.7.
///
/// Memory: O(m + n + pieces); more than 2^26 pieces are refused. All three are deterministic.
///
/// Source: Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for Parallel Data Redistribution between Clusters",
/// Figures 4, 8 and 9, Theorems 2 and 3.
///
/// Deviations: the paper normalises to a set-up of 1 and leaves the rounded weights in the schedule. Here a message
/// that is done sends nothing in units that come only from rounding, and a step lasts as long as what it really sends.
///
/// Example: messages 0->0 of 3 and 1->1 of 1, k = 1, set-up 1: D = 4. Perfect matchings hold one message each: steps of
/// 3 and 1, cost 6 = eta.
namespace sluice::detail {

/// Turns matchings of J into pieces of messages.
class RegularPieces {
 public:
  RegularPieces(const Demand& demand, const char* algorithm)
      : demand_(&demand), algorithm_(algorithm), units_(demand.setup), peeled_(demand.edges.size(), 0) {}

  [[nodiscard]] RegularExtension extension() const {
    std::vector<Edge> rounded = demand_->edges;
    for (Edge& edge : rounded) edge.weight = units_.units_of(edge.weight);
    return regular_extension(demand_->lefts, demand_->rights, rounded, demand_->max_transfers);
  }

  /// A step of `units`; edges of J that are no messages are left out.
  void add(std::span<const std::int32_t> edges, std::int64_t units) {
    std::vector<Piece> step;
    step.reserve(static_cast<std::size_t>(demand_->max_transfers));
    for (const std::int32_t id : edges) {
      const auto e = static_cast<std::size_t>(id);
      if (e >= demand_->edges.size()) continue;
      const std::int64_t size = demand_->edges[e].weight;
      const std::int64_t before = units_.size_of(peeled_[e], size);
      peeled_[e] += units;
      step.push_back({id, units_.size_of(peeled_[e], size) - before});
    }
    pieces_ += static_cast<std::int64_t>(step.size());
    check_pieces(pieces_, algorithm_);
    if (!step.empty()) steps_.push_back(std::move(step));
  }

  [[nodiscard]] PieceSteps take() { return std::move(steps_); }

 private:
  const Demand* demand_;
  const char* algorithm_;
  SetupUnits units_;
  std::vector<std::int64_t> peeled_;  // units of each message
  PieceSteps steps_;
  std::int64_t pieces_ = 0;
};

/// A plan of any perfect matchings, each for as long as its lightest edge lasts, but at most `most_units`. A matching
/// is repaired from the matching of the previous step: O(m) for each edge that ended. nullopt if the budget is spent
/// first.
std::optional<PieceSteps> peel_any(RegularPieces& writer, const RegularExtension& extension, std::int64_t most_units,
                                   Budget& budget);

/// Work for each vertex of J, in a step.
inline constexpr std::int64_t kWorkOfPeeledVertex = 20;

}  // namespace sluice::detail
