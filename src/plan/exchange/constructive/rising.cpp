/// `rising`: cut the largest messages, then send the parts whole, shortest steps first.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: cut messages into parts of at most c, and send these whole. The i-th longest step then lasts at least as
/// long as the i-th longest part of any node. Together with the set-ups for as many steps as a node has parts, this is
/// the least cost of a cap c; peel_rising (rising_peel.hpp) hardly ever needs more. So caps are compared by that,
/// without any plan: the largest message, 3/4 of it, and so on, and then caps between the best one and its neighbours.
/// The parts of the best cap are cut further where that makes many steps shorter (shaving.hpp), and the plan for these
/// is made.
///
/// Guarantee: none. On log-normal traffic 0.3 to 7 % above eta; if nodes are alike, 2 to 5 %.
/// Complexity: O(m log m), O(parts) for each of some 20 caps, and shave and peel_rising. Memory O(parts + steps n
/// bytes). Deterministic. Source: ours. Known before: a plan of whole messages lasts at least the sum over i of the
/// largest i-th longest message of any node (the certificate of `redistribute`).
///
/// Example: messages 0->0 of 8, 0->1 of 1, 1->1 of 3, k = 2, set-up 1. Whole: steps of 8 and 1 at least. The shortest
/// step comes first; 0 is critical, its least part is of 1. Then 0->0 and 1->1 are left: cost 11 = eta.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/constructive/rising_peel.hpp"
#include "plan/exchange/constructive/shaving.hpp"
#include "plan/exchange/parts.hpp"

namespace sluice::detail {

namespace {

constexpr double kNextCap = 0.75;
constexpr int kMostCaps = 24;
constexpr int kHalvings = 3;  // of the way to the caps beside the best one
constexpr double kFarAbove = 1.25;
// Shaving goes on for at most this work, so that the named planner makes no better plan than `auto` with an effort
// of 1.
constexpr std::int64_t kMostShavingWork = 250'000'000;
// Shaving gains most if parts of one length at most cost much more than eta. Otherwise, if nodes are few, `auto` has
// better ways to go on. If also less than kEnoughForBoth is left, shaving gets one part in kShavingShareNearEta of its
// work.
constexpr std::int64_t kFewNodes = 160;  // lefts + rights - k
constexpr double kFarAboveEta = 1.05;
constexpr std::int64_t kEnoughForBoth = 400'000'000;
constexpr std::int64_t kShavingShareNearEta = 10;  // one part in this number
constexpr std::int64_t kWorkOfCapPart = 3;
constexpr std::size_t kMostAsked = 64;

/// The nodes whose sizes decide the parts for any cap. A node is left out if another node has, for each of its messages
/// in order of size, a message at least as large. A message of larger size has at least as many parts above any length.
/// The nodes asked are the nodes that have the i-th largest message for some i.
std::vector<std::vector<std::int64_t>> without_dominated(std::vector<std::vector<std::int64_t>> sizes) {
  std::vector<std::size_t> first;  // of each place, the node of the largest
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    const std::size_t count = std::min(sizes[v].size(), kMostAsked);
    first.resize(std::max(first.size(), count), v);
    for (std::size_t i = 0; i < count; ++i)
      if (sizes[v][i] > sizes[first[i]][i]) first[i] = v;
  }
  std::sort(first.begin(), first.end());
  first.erase(std::unique(first.begin(), first.end()), first.end());
  const auto covers = [](const std::vector<std::int64_t>& larger, const std::vector<std::int64_t>& node) {
    return larger.size() >= node.size() && std::equal(node.begin(), node.end(), larger.begin(), std::less_equal<>());
  };
  std::vector<char> dominated(sizes.size(), 0);
  for (std::size_t v = 0; v < sizes.size(); ++v) {
    if (std::binary_search(first.begin(), first.end(), v)) continue;
    dominated[v] = std::any_of(first.begin(), first.end(), [&](std::size_t u) { return covers(sizes[u], sizes[v]); });
  }
  std::vector<std::vector<std::int64_t>> result;
  for (std::size_t v = 0; v < sizes.size(); ++v)
    if (dominated[v] == 0) result.push_back(std::move(sizes[v]));
  return result;
}

/// Compares caps.
class Caps {
 public:
  Caps(const Demand& demand, Budget& budget)
      : demand_(demand),
        budget_(budget),
        order_(by_falling_size(demand)),
        sizes_(without_dominated(sizes_by_node(demand, order_))),
        largest_(demand.edges[as_size(order_.front())].weight),
        shortest_(static_cast<double>(eta(demand).transmission)) {}

  /// The least cost of a plan with the best cap, over the least cost of any plan.
  [[nodiscard]] double over_eta() const { return least_ / eta(demand_).total; }

  [[nodiscard]] std::int64_t best() {
    double cap = static_cast<double>(largest_);
    for (int i = 0; i < kMostCaps && !budget_.over(); ++i, cap *= kNextCap)
      if (attempt(cap) > kFarAbove * least_) break;
    double factor = kNextCap;
    for (int i = 0; i < kHalvings && !budget_.over(); ++i) {
      factor = std::sqrt(factor);
      const auto middle = static_cast<double>(best_);
      attempt(middle * factor);
      attempt(middle / factor);
    }
    return best_;
  }

 private:
  double attempt(double cap) {
    const auto whole = std::clamp<std::int64_t>(static_cast<std::int64_t>(cap), 1, largest_);
    const double total = least_cost(whole);
    if (total < least_) {
      least_ = total;
      best_ = whole;
    }
    return total;
  }

  /// The least cost of a plan that sends parts of at most `cap` whole.
  [[nodiscard]] double least_cost(std::int64_t cap) {
    const auto k = as_size(demand_.max_transfers);
    std::int64_t parts = std::ssize(order_);
    for (const std::int32_t e : order_) {
      const std::int64_t size = demand_.edges[as_size(e)].weight;
      if (size <= cap) break;
      parts += (size - 1) / cap;
      budget_.spend(kWorkOfCapPart);
      if (parts > kMostPieces) return std::numeric_limits<double>::infinity();
    }
    longest_.clear();
    for (const std::vector<std::int64_t>& node : sizes_) {
      cut_to_parts(node, cap, as_size(kMostPieces), parts_);
      budget_.spend(kWorkOfCapPart * std::ssize(parts_));
      if (longest_.size() < parts_.size()) longest_.resize(parts_.size(), 0);
      for (std::size_t i = 0; i < parts_.size(); ++i) longest_[i] = std::max(longest_[i], parts_[i]);
    }
    // No more than k parts fit into a step.
    longest_.resize(std::max(longest_.size(), (as_size(parts) + k - 1) / k), 0);
    for (std::size_t i = 0; i * k < order_.size() && i < longest_.size(); ++i)
      longest_[i] = std::max(longest_[i], std::min(cap, demand_.edges[as_size(order_[i * k])].weight));
    double transmission = 0;
    for (const std::int64_t duration : longest_) transmission += static_cast<double>(duration);
    return std::max(transmission, shortest_) + demand_.setup * static_cast<double>(longest_.size());
  }

  const Demand& demand_;
  Budget& budget_;
  std::vector<std::int32_t> order_;
  std::vector<std::vector<std::int64_t>> sizes_;
  std::int64_t largest_;
  double shortest_;  ///< transmission of any plan
  std::int64_t best_ = 0;
  double least_ = std::numeric_limits<double>::infinity();
  std::vector<std::int64_t> parts_, longest_;
};

}  // namespace

std::optional<PieceSteps> plan_rising(const Demand& demand, Budget& budget) {
  if (demand.edges.empty()) return PieceSteps();
  Caps caps(demand, budget);
  const std::int64_t cap = caps.best();
  if (budget.over()) return std::nullopt;
  std::vector<Piece> parts;
  for (std::size_t e = 0; e < demand.edges.size(); ++e)
    for (std::int64_t left = demand.edges[e].weight; left > 0; left -= cap)
      parts.push_back({static_cast<std::int32_t>(e), std::min(left, cap)});
  const std::int64_t work = work_of_rising(demand, parts);
  if (budget.left() < work) return std::nullopt;
  const bool few = std::int64_t{demand.lefts} + demand.rights - demand.max_transfers <= kFewNodes;
  std::int64_t most = budget.left() - work;
  if (few && caps.over_eta() <= kFarAboveEta && most < kEnoughForBoth)
    most = std::min(most, budget.left() / kShavingShareNearEta);
  Budget for_shaving = budget.part(std::min(most, kMostShavingWork));
  shave(demand, parts, for_shaving);
  return peel_rising(demand, parts, budget);
}

}  // namespace sluice::detail
