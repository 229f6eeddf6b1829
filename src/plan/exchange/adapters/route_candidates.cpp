#include "plan/exchange/adapters/route_candidates.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "input/distinct_messages.hpp"
#include "plan/exchange/adapters/cluster_side.hpp"
#include "plan/exchange/adapters/merged_routes.hpp"
#include "plan/exchange/adapters/spread_routes.hpp"
#include "plan/exchange/demand.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice::detail {
namespace {

/// Candidates that are kept.
constexpr std::size_t kMostCandidates = 4;
/// How many merged candidates are also spread.
constexpr std::size_t kMostSpread = 3;
/// If messages times pairs of group sizes exceed this, only pairs of equal sizes and one-sided ones are tried.
constexpr std::size_t kMostGridWork = std::size_t{1} << 22;
/// Nodes without messages of their own that may help to carry, in each cluster.
constexpr std::int64_t kMostHelpers = 4096;

/// The nodes of a cluster that take part: all with messages, and some without.
std::vector<std::int64_t> participants(const std::vector<Message>& messages, std::int64_t Message::*end,
                                       std::int64_t nodes, std::int64_t max_transfers) {
  std::vector<std::int64_t> active;
  for (const Message& message : messages) active.push_back(message.*end);
  std::sort(active.begin(), active.end());
  active.erase(std::unique(active.begin(), active.end()), active.end());
  // More nodes than transfers at once carry nothing more.
  const auto count = static_cast<std::int64_t>(active.size());
  const std::int64_t helpers =
      std::min({std::max<std::int64_t>(max_transfers - count, 0), nodes - count, kMostHelpers});
  std::vector<std::int64_t> result;
  std::size_t next = 0;
  std::int64_t helping = 0;
  for (std::int64_t node = 0; helping < helpers; ++node) {
    if (next < active.size() && active[next] == node) {
      ++next;
      continue;
    }
    result.push_back(node);
    ++helping;
  }
  result.insert(result.end(), active.begin(), active.end());
  std::sort(result.begin(), result.end());
  return result;
}

std::int64_t position(const std::vector<std::int64_t>& sorted, std::int64_t value) {
  return std::lower_bound(sorted.begin(), sorted.end(), value) - sorted.begin();
}

/// The choices of routes for one problem.
class RouteChoices {
 public:
  RouteChoices(const ExchangeProblem& problem, const LocalPrices& prices) : problem_(problem), prices_(prices) {
    const std::vector<Message> messages = distinct_messages(problem.traffic);
    const std::int64_t k = std::min({problem.max_transfers, problem.traffic.senders, problem.traffic.receivers});
    senders_ = participants(messages, &Message::from, problem.traffic.senders, k);
    receivers_ = participants(messages, &Message::to, problem.traffic.receivers, k);
    max_transfers_ = k;
    for (const Message& message : messages) {
      const std::int64_t from = position(senders_, message.from);
      const std::int64_t to = position(receivers_, message.to);
      plain_.push_back({from, to, 0, message.size, from, to});
    }
  }

  /// The best candidates whose bound is below `limit`, the lowest bound first; by indices of the problem. The
  /// candidates tried do not depend on the limit: some above it lead to better ones when they are spread. So a planner
  /// with a lower limit never misses what another planner gets.
  std::vector<RouteCandidate> run(double limit, Budget& budget) {
    budget_ = &budget;
    merge();
    std::vector<std::vector<Route>> to_spread{plain_};
    for (const RouteCandidate& each : best_) {
      if (to_spread.size() > kMostSpread) break;
      to_spread.push_back(each.routes);
    }
    for (const std::vector<Route>& routes : to_spread) spread_over_levels(routes);
    std::erase_if(best_, [&](const RouteCandidate& each) { return each.bound >= limit; });
    for (RouteCandidate& each : best_) {
      for (Route& route : each.routes) {
        for (std::int64_t Route::*sender : {&Route::from, &Route::carrier})
          route.*sender = senders_[as_size(route.*sender)];
        for (std::int64_t Route::*receiver : {&Route::to, &Route::landing})
          route.*receiver = receivers_[as_size(route.*receiver)];
      }
    }
    return std::move(best_);
  }

 private:
  [[nodiscard]] const std::vector<std::int64_t>& nodes(const ClusterSide& side) const {
    return side.own == &Route::from ? senders_ : receivers_;
  }

  // ---- ranking

  [[nodiscard]] double bound_of(const std::vector<Route>& routes) const {
    const auto senders = static_cast<std::int64_t>(senders_.size());
    const auto receivers = static_cast<std::int64_t>(receivers_.size());
    const RoutedTraffic traffic = routed_traffic(routes, senders, receivers, problem_.traffic.decimals);
    const double per_local_step = prices_.setup / prices_.unit_cost;
    return lower_bound(traffic.exchange, max_transfers_, problem_.setup).total +
           prices_.unit_cost * (lower_bound(traffic.before, senders, per_local_step).total +
                                lower_bound(traffic.after, receivers, per_local_step).total);
  }

  /// Keeps `routes` if they are among the best so far; returns their bound.
  double consider(std::vector<Route> routes) {
    const double bound = bound_of(routes);
    const bool known = std::any_of(best_.begin(), best_.end(), [&](const RouteCandidate& each) {
      return each.bound == bound && each.routes == routes;
    });
    if (known) return bound;
    const auto place = std::upper_bound(best_.begin(), best_.end(), bound,
                                        [](double value, const RouteCandidate& each) { return value < each.bound; });
    if (place == best_.end() && best_.size() >= kMostCandidates) return bound;
    best_.insert(place, {bound, std::move(routes)});
    if (best_.size() > kMostCandidates) best_.pop_back();
    return bound;
  }

  // ---- merging

  struct Grid {
    std::int64_t g = 1;
    std::int64_t h = 1;
    double bound = 0;
  };

  /// 1, 2, 4, ... and all `nodes`.
  static std::vector<std::int64_t> group_sizes(std::size_t nodes) {
    std::vector<std::int64_t> result;
    for (std::size_t size = 1; size < nodes; size *= 2) result.push_back(static_cast<std::int64_t>(size));
    result.push_back(static_cast<std::int64_t>(nodes));
    return result;
  }

  /// The nodes by the mean index of their peers: messages of a hidden block come to stand side by side.
  [[nodiscard]] std::vector<std::int64_t> by_mean_peer(const ClusterSide& side) const {
    const std::size_t count = nodes(side).size();
    std::vector<double> sum(count, 0);
    std::vector<double> peers(count, 0);
    for (const Route& route : plain_) {
      sum[as_size(route.*side.own)] += static_cast<double>(route.*side.peer);
      peers[as_size(route.*side.own)] += 1;
    }
    const auto mean = [&](std::int64_t node) {
      const std::size_t i = as_size(node);
      return peers[i] > 0 ? sum[i] / peers[i] : std::numeric_limits<double>::max();
    };
    std::vector<std::int64_t> order = by_index(side);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return mean(a) < mean(b); });
    return order;
  }

  [[nodiscard]] std::vector<std::int64_t> by_index(const ClusterSide& side) const {
    std::vector<std::int64_t> order(nodes(side).size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    return order;
  }

  void merge() {
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> sender_sizes = group_sizes(senders_.size());
    const std::vector<std::int64_t> receiver_sizes = group_sizes(receivers_.size());
    const bool all_pairs = plain_.size() * sender_sizes.size() * receiver_sizes.size() <= kMostGridWork;
    const std::vector<std::int64_t> senders = by_index(kSenderSide);
    const std::vector<std::int64_t> receivers = by_index(kReceiverSide);
    std::set<std::tuple<std::int64_t, std::int64_t>> tried{{1, 1}};
    Grid best{1, 1, std::numeric_limits<double>::infinity()};
    const auto attempt = [&](std::int64_t g, std::int64_t h) {
      g = std::clamp<std::int64_t>(g, 1, static_cast<std::int64_t>(senders_.size()));
      h = std::clamp<std::int64_t>(h, 1, static_cast<std::int64_t>(receivers_.size()));
      if (budget_->over() || !tried.insert({g, h}).second) return;
      const double bound = consider(merge_groups(make_groups(senders, g), make_groups(receivers, h), kAll));
      if (bound < best.bound) best = {g, h, bound};
    };
    for (const std::int64_t g : sender_sizes)
      for (const std::int64_t h : receiver_sizes)
        if (all_pairs || g == h || g == 1 || h == 1) attempt(g, h);
    if (!std::isfinite(best.bound)) return;
    for (const std::int64_t fine : {4, 8}) {
      const Grid around = best;
      for (const std::int64_t dg : {-1, 0, 1})
        for (const std::int64_t dh : {-1, 0, 1})
          attempt(around.g + dg * std::max<std::int64_t>(around.g / fine, 1),
                  around.h + dh * std::max<std::int64_t>(around.h / fine, 1));
    }

    const std::vector<std::int64_t> similar_senders = by_mean_peer(kSenderSide);
    const std::vector<std::int64_t> similar_receivers = by_mean_peer(kReceiverSide);
    for (const Grid grid : {best, Grid{2, 1, 0}, Grid{1, 2, 0}, Grid{2, 2, 0}, Grid{4, 4, 0}}) {
      if (budget_->over()) return;
      const auto g = std::min<std::int64_t>(grid.g, static_cast<std::int64_t>(senders_.size()));
      const auto h = std::min<std::int64_t>(grid.h, static_cast<std::int64_t>(receivers_.size()));
      consider(merge_groups(make_groups(similar_senders, g), make_groups(similar_receivers, h), kAll));
      for (const double factor : {0.25, 1.0, 4.0, 16.0}) {
        const double most = factor * problem_.setup;
        if (!(most >= 1) || most >= 0x1p62 || budget_->over()) continue;
        consider(merge_groups(make_groups(senders, g), make_groups(receivers, h), static_cast<std::int64_t>(most)));
      }
    }
  }

  [[nodiscard]] std::vector<Route> merge_groups(const NodeGroups& senders, const NodeGroups& receivers,
                                                std::int64_t most) const {
    return merged_routes(plain_, senders, receivers, most, {prices_.unit_cost, problem_.setup});
  }

  // ---- spreading

  [[nodiscard]] std::vector<Route> spread(const std::vector<Route>& routes, const ClusterSide& side, double step_price,
                                          double level) const {
    return spread_routes(routes, side, nodes(side).size(), max_transfers_, {step_price, level});
  }

  void spread_over_levels(const std::vector<Route>& routes) {
    for (const double step_price : {0.0, problem_.setup}) {
      for (const double level : {0.0, 0.0625, 0.125, 0.25, 0.5}) {
        if (budget_->over()) return;
        const std::vector<Route> senders = spread(routes, kSenderSide, step_price, level);
        consider(spread(senders, kReceiverSide, step_price, level));
        consider(senders);
        consider(spread(routes, kReceiverSide, step_price, level));
      }
      if (problem_.setup == 0) break;
    }
  }

  const ExchangeProblem& problem_;
  LocalPrices prices_;
  std::int64_t max_transfers_ = 0;
  std::vector<std::int64_t> senders_, receivers_;  // nodes by compact index
  std::vector<Route> plain_;                       // every message on its own way
  Budget* budget_ = nullptr;
  std::vector<RouteCandidate> best_;  // by bound
};

}  // namespace

std::vector<RouteCandidate> route_candidates(const ExchangeProblem& problem, const LocalPrices& prices, double limit,
                                             Budget& budget) {
  return RouteChoices(problem, prices).run(limit, budget);
}

}  // namespace sluice::detail
