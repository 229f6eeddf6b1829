/// Prices of nodes that prove more if sizes are small.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp: find a lower bound of all plans. node_prices.cpp says what
/// prices of nodes prove, as least prices of whole steps for each message (whole_cover.hpp).
///
/// Method: start from the better of two sets of prices: known prices of nodes, or prices that prove what column
/// generation does. What prices prove is concave in them, and linear around most of them: every message adds 1 to the
/// prices of the steps that it takes, by duration, at its two nodes (and at the limit k). So prices go up where
/// messages take steps, in the direction of a mean of the last directions. The length of the move would reach `enough`,
/// or kAscentReach above the best, if the slope stayed (Polyak), times a factor. Then, for each duration, prices are
/// projected to prices with the sum t + beta. If kPatience of the rounds that the budget has did not help, the factor
/// becomes smaller and the search goes on from the best prices.
///
/// Why: the linear program of lp_bound.cpp takes messages in pieces by fractions, also by fractions that are no mixture
/// of whole ways to cut the message. On dense 12 x 12, sizes 1 to 100 and set-ups of 1, 10, 30, its optimum is 728,
/// 863, 1147. Prices here can prove 729, 871, 1155 (by column generation with CLP, some 30 s). The ascent reaches all
/// but 0.2 to 0.4 % of that in a second or two.
///
/// Guarantee: what the result proves is not below what the given prices prove. Deterministic unless time ends it.
/// Complexity: a round takes work_of_whole_covers. Memory O(n g), n nodes, durations g = 1 .. the largest size.
///
/// Source: Polyak, "Minimization of unsmooth functionals", USSR Computational Mathematics and Mathematical Physics 9
/// (1969), for the length of a step; Camerini, Fratta and Maffioli, "On improving relaxation methods by modified
/// gradient techniques", Mathematical Programming Study 3 (1975), for the mean of directions.
///
/// Example: two senders, each with a message of 2 to one receiver, beta = 1: it pays t + 1 for a step of t, and each
/// message takes a step of 2, for 3. All prices are where they have to be, 6 is proven.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/step_program.hpp"
#include "plan/exchange/bounds/whole_cover.hpp"
#include "plan/exchange/constructive/limited_matching.hpp"

namespace sluice::detail {

namespace {

constexpr double kAscentReach = 0.03;  // above the best: what is aimed at, at most
constexpr double kFirstFactor = 0.1;
constexpr double kLastFactor = 1e-5;
constexpr double kSmallerFactor = 0.6;
constexpr double kMemory = 0.9;           // the share of the mean direction that is kept
constexpr double kAscentPatience = 0.02;  // of the rounds of the budget
constexpr double kLeastAscentPatience = 50, kMostAscentPatience = 400;
constexpr double kWorthWhile = 1e-6;
constexpr std::int64_t kWorkOfAscent = 2;     // a round; times the work of its covers
constexpr std::int64_t kFewestAscents = 100;  // rounds: for fewer it does not begin

/// Prices of nodes that prove what `prices` of messages prove (lp_bound.cpp). For each duration they cover what a step
/// of it is worth to every message. Nothing if the budget is spent first.
NodePrices of_messages(const Demand& demand, const std::vector<double>& prices, Budget& budget) {
  const StepProgram program(demand);
  LimitedMatching matching(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  const std::size_t count = as_size(program.durations().back());
  const std::size_t nodes = as_size(demand.lefts) + as_size(demand.rights) + 1;
  NodePrices result;
  result.nodes.resize(nodes);
  std::iota(result.nodes.begin(), result.nodes.end(), 0);
  result.prices.resize(nodes * count);
  std::vector<double> values(program.edge_count());
  for (std::size_t t = 1; t <= count; ++t) {
    result.durations.push_back(static_cast<double>(t));
    program.values(static_cast<std::int64_t>(t), prices, values);
    if (!matching.solve(values, budget)) return {};
    (void)matching.bound(values);
    const std::vector<double> of_node = matching.prices();
    for (std::size_t v = 0; v < nodes; ++v) result.prices[v * count + t - 1] = of_node[v];
  }
  return result;
}

/// Ascent over the prices of all nodes for all whole durations.
class PriceAscent {
 public:
  PriceAscent(const Demand& demand, const NodePrices& start)
      : demand_(demand),
        nodes_(as_size(demand.lefts) + as_size(demand.rights)),
        durations_(as_size(largest_size(demand))) {
    often_.assign(nodes_, 1);
    often_.push_back(demand.max_transfers);
    price_.assign(durations_ * often_.size(), 0);
    taken_ = price_;
    direction_ = price_;
    for (std::size_t i = 0; i < start.nodes.size(); ++i) {
      const auto given = std::span(start.prices).subspan(i * start.durations.size(), start.durations.size());
      for (std::size_t t = 1; t <= durations_; ++t)
        at(price_, t)[as_size(start.nodes[i])] = price_at(start.durations, given, static_cast<double>(t));
    }
    // What is still free of a step's cost, all share.
    for (std::size_t t = 1; t <= durations_; ++t) {
      double* prices = at(price_, t);
      double sum = 0;
      for (std::size_t v = 0; v < often_.size(); ++v) sum += often_[v] * prices[v];
      for (std::size_t v = 0; v < often_.size(); ++v)
        prices[v] = sum > 0 ? prices[v] * cost(t) / sum : cost(t) / share();
    }
  }

  /// What the prices prove, up to roundings; takes note of the steps that messages take.
  double prove() {
    std::fill(taken_.begin(), taken_.end(), 0.0);
    paid_.resize(durations_);
    double result = 0;
    for (const Edge& edge : demand_.edges) {
      const auto left = as_size(edge.left);
      const auto right = as_size(demand_.lefts + edge.right);
      for (std::size_t t = 1; t <= durations_; ++t) {
        const double* prices = at(price_, t);
        paid_[t - 1] = prices[left] + prices[right] + prices[nodes_];
      }
      result += cover_(paid_, edge.weight);
      for (const std::size_t place : cover_.chosen()) {
        double* taken = at(taken_, place + 1);
        taken[left] += 1;
        taken[right] += 1;
        taken[nodes_] += 1;
      }
    }
    return result;
  }

  /// Goes up, by the step that would add `most` if the slope stayed.
  void step(double most) {
    double square = 0;
    for (std::size_t i = 0; i < direction_.size(); ++i) {
      direction_[i] = kMemory * direction_[i] + (1 - kMemory) * taken_[i];
    }
    for (std::size_t t = 1; t <= durations_; ++t) {
      // Along all prices at once there is no way up.
      double* direction = at(direction_, t);
      double along = 0, norm = 0;
      for (std::size_t v = 0; v < often_.size(); ++v) {
        along += often_[v] * direction[v];
        norm += often_[v] * often_[v];
      }
      for (std::size_t v = 0; v < often_.size(); ++v) {
        direction[v] -= along / norm * often_[v];
        square += direction[v] * direction[v];
      }
    }
    if (!(square > 0)) return;
    // Further than prices can be from each other roundings are all that counts.
    const double length = std::min(most / square, cost(durations_) / std::sqrt(square));
    for (std::size_t t = 1; t <= durations_; ++t) {
      double* prices = at(price_, t);
      const double* direction = at(direction_, t);
      for (std::size_t v = 0; v < often_.size(); ++v) prices[v] += length * direction[v];
      project(prices, cost(t));
    }
  }

  void forget_direction() { std::fill(direction_.begin(), direction_.end(), 0.0); }
  [[nodiscard]] const std::vector<double>& state() const { return price_; }
  void set_state(const std::vector<double>& state) { price_ = state; }

  [[nodiscard]] NodePrices prices() const {
    constexpr double kDigits = 1e5;
    NodePrices result;
    result.durations.resize(durations_);
    std::iota(result.durations.begin(), result.durations.end(), 1.0);
    for (std::size_t v = 0; v < often_.size(); ++v) {
      result.nodes.push_back(static_cast<std::int32_t>(v));
      for (std::size_t t = 1; t <= durations_; ++t)
        result.prices.push_back(std::round(price_[(t - 1) * often_.size() + v] * kDigits) / kDigits);
    }
    return result;
  }

 private:
  [[nodiscard]] double* at(std::vector<double>& table, std::size_t t) { return &table[(t - 1) * often_.size()]; }
  [[nodiscard]] double cost(std::size_t t) const { return static_cast<double>(t) + demand_.setup; }
  [[nodiscard]] double share() const { return std::accumulate(often_.begin(), often_.end(), 0.0); }

  /// Moves the prices to the nearest prices >= 0 that add up to `sum`: all fall by the same amount for each time that
  /// they are paid, but not below 0.
  void project(double* prices, double sum) {
    order_.resize(often_.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      const double first = prices[a] * often_[b];
      const double second = prices[b] * often_[a];
      return first != second ? first > second : a < b;
    });
    double above = -sum, norm = 0, fall = 0;
    for (const std::size_t v : order_) {
      if (norm > 0 && prices[v] <= fall * often_[v]) break;
      above += often_[v] * prices[v];
      norm += often_[v] * often_[v];
      fall = above / norm;
    }
    for (std::size_t v = 0; v < often_.size(); ++v) prices[v] = std::max(0.0, prices[v] - fall * often_[v]);
  }

  const Demand& demand_;
  std::size_t nodes_;
  std::size_t durations_;
  std::vector<double> often_;  // how many times a step pays the price: of each node, and of the limit
  std::vector<double> price_, taken_, direction_;  // rows of durations
  std::vector<double> paid_;
  std::vector<std::size_t> order_;
  WholeCover cover_;
};

}  // namespace

void raise_node_prices(const Demand& demand, const std::vector<double>& of_program, double enough, Budget& budget,
                       NodePriceBound& bound) {
  if (demand.edges.empty() || !has_whole_covers(demand) || bound.total >= enough) return;
  const std::int64_t work = kWorkOfAscent * work_of_whole_covers(demand);
  if (budget.over() || budget.left() / work < kFewestAscents) return;
  NodePrices start = bound.prices;
  if (!of_program.empty()) {
    NodePrices other = of_messages(demand, of_program, budget);
    if (bound_by_node_prices(demand, other) > bound_by_node_prices(demand, start)) start = std::move(other);
  }
  PriceAscent ascent(demand, start);
  const double patience = std::clamp(kAscentPatience * static_cast<double>(budget.left()) / static_cast<double>(work),
                                     kLeastAscentPatience, kMostAscentPatience);
  double best = 0, noted = 0;
  std::vector<double> best_state = ascent.state();
  double factor = kFirstFactor;
  double since = 0;
  while (factor > kLastFactor && !budget.over()) {
    budget.spend(work);
    const double proven = ascent.prove();
    if (proven > best) {
      best = proven;
      best_state = ascent.state();
    }
    if (best > noted * (1 + kWorthWhile)) {
      noted = best;
      since = 0;
    }
    if (least_possible_cost(best, demand.setup) >= enough) break;
    if (++since > patience) {
      factor *= kSmallerFactor;
      since = 0;
      ascent.set_state(best_state);
      ascent.forget_direction();
      continue;
    }
    ascent.step(factor * (std::min(enough, best * (1 + kAscentReach)) - proven));
  }
  ascent.set_state(best_state);
  NodePrices prices = ascent.prices();
  const double proven = bound_by_node_prices(demand, prices);
  if (proven <= bound.unrounded) return;
  bound.unrounded = proven;
  bound.prices = std::move(prices);
  bound.total = std::max(bound.total, least_possible_cost(proven, demand.setup));
}

}  // namespace sluice::detail
