/// Exchange with local phases: messages merged at a neighbour, or spread over neighbours, before they cross the
/// backbone.
///
/// Problem: KPBS (include/sluice/plan/exchange.hpp) whose two clusters have fast networks of their own. Choose a
/// carrier and a landing for every piece of every message (include/sluice/schedule/local_phases.hpp) so that
///
///     r * cost(before) + cost(exchange) + r * cost(after)
///
/// is least; r = LocalLinks::unit_cost, and a local step costs LocalLinks::setup, the same as one over the backbone
/// where nothing is said. By the model the phases follow each other; an execution lets them overlap
/// (src/plan/exchange/overlap_order.hpp), which this does not count.
///
/// What can pay: the exchange costs at least max(W, P / k) + setup * max(Delta, m / k) for m messages, P units, the
/// largest load W and the largest degree Delta (Proposition 1). Merging lowers m and Delta; spreading lowers W, and
/// Delta where it moves whole messages. P never falls. Moving costs r a unit at the busiest node, and local steps.
///
/// Method: candidates, ranked by the sum of the Proposition 1 bounds of the three phases. As no plan of a candidate is
/// below that sum, candidates whose sum is not below a plan at hand are dropped, and the best kMostPlanned are planned.
///  - Merging: senders in groups of g nodes, receivers in groups of h. All small messages from one group to another go
///    as one, from one carrier to one landing; groups g, h = 1, 2, 4, ... and around the best pair, nodes grouped by
///    index or by the mean index of their peers, "small" by several thresholds. Carriers and landings are chosen by
///    what they carry already (size + setup for each message) and what would have to be moved; small messages join one
///    that crosses anyway where that is cheaper.
///  - Spreading: nodes above a level give bundles (all they carry for one peer) to the nodes with the most room below
///    it, largest first and whole where they fit, cut where not. Prices of bundles are size, or size + setup. Levels
///    run from the mean to the largest. For senders, receivers and both; on the plain routes and on the best merged
///    ones.
///
/// Guarantee: total is never above that of the plan without local phases, which is planned as well; it is returned with
/// schedule.local_phases empty unless something is cheaper. No guarantee of how near the best choice is; bound says how
/// far it can be: all P units cross, at most k' = min(k, n1, n2) at a time, and what a node of load W does not send
/// over the backbone itself leaves it by a local link: max(P / k', min(1, r) W) + setup.
///
/// Complexity: O(m log m) a candidate, of which there are O(log^2 n) (O(log n) where m is large), and a few plans by
/// the algorithm asked for. Memory O(m) for each of kMostPlanned candidates. Deterministic as plan_exchange: where the
/// algorithm ends by itself, no clock is looked at.
///
/// Source: the idea is the first perspective in section 9 of Cohen, Jeannot, Padoy, Wagner, "Messages Scheduling for
/// Parallel Data Redistribution between Clusters" ("aggregate small communications together, or on the opposite to
/// dispatch communications to all nodes in the cluster"); model and heuristics are our own.
///
/// Example (spreading): sender 0 has 40 for each of receivers 0 and 1, sender 1 has nothing; k = 2, setup 1, r = 0.1.
/// Plain: 80 + 2 = 82. Level 40: sender 0 gives a message to sender 1, before: 0.1 * 40 + 1, exchange: 40 + 1, in
/// all 46.
#include "sluice/plan/aggregation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "input/distinct_messages.hpp"
#include "plan/budget.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/overlap_order.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using detail::as_size;
using detail::Budget;
using Routes = std::vector<Route>;  // by compact indices of nodes, unless told otherwise

/// Of the effort: for the plan without local phases, trials of candidates, and the best of them once more; within a
/// plan for the phases before and after the backbone.
constexpr double kPlainShare = 0.4;
constexpr double kTrialsShare = 0.25;
constexpr double kLastShare = 0.35;
constexpr double kBeforeShare = 0.2;
constexpr double kAfterShare = 0.2;
/// Candidates that are planned.
constexpr std::size_t kMostPlanned = 4;
/// Merged candidates that are spread as well.
constexpr std::size_t kMostSpread = 3;
/// Messages * pairs of group sizes, above which only pairs of equal sizes and one-sided ones are tried.
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

/// One of the two clusters, as the fields of a route that name its nodes.
struct Side {
  std::int64_t Route::*own;   ///< where the data is, or has to be
  std::int64_t Route::*via;   ///< where it crosses
  std::int64_t Route::*peer;  ///< where it crosses on the other side
};
constexpr Side kSenders{&Route::from, &Route::carrier, &Route::landing};
constexpr Side kReceivers{&Route::to, &Route::landing, &Route::carrier};

/// Which group each node is in.
struct Grouping {
  std::int64_t size = 1;  ///< nodes in a group, fewer in the last
  std::vector<std::int64_t> of_node;
  std::vector<std::vector<std::int64_t>> members;
};

Grouping make_groups(const std::vector<std::int64_t>& order, std::int64_t size) {
  Grouping groups;
  groups.size = size;
  groups.of_node.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t group = i / as_size(size);
    if (group == groups.members.size()) groups.members.emplace_back();
    groups.of_node[as_size(order[i])] = static_cast<std::int64_t>(group);
    groups.members[group].push_back(order[i]);
  }
  return groups;
}

/// The choices of routes for one problem.
class Candidates {
 public:
  struct Candidate {
    double bound = 0;  ///< no plan of it costs less
    Routes routes;
  };

  Candidates(const ExchangeProblem& problem, double unit_cost, double local_setup)
      : problem_(problem), unit_cost_(unit_cost), local_setup_(local_setup) {
    const std::vector<Message> messages = detail::distinct_messages(problem.traffic);
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

  /// The best of those whose bound is below `limit`, the lowest bound first; by indices of the problem.
  std::vector<Candidate> run(double limit, Budget& budget) {
    limit_ = limit;
    budget_ = &budget;
    merge();
    std::vector<Routes> spread{plain_};
    for (const Candidate& each : best_) {
      if (spread.size() > kMostSpread) break;
      spread.push_back(each.routes);
    }
    for (const Routes& routes : spread) spread_over_levels(routes);
    for (Candidate& each : best_) {
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
  [[nodiscard]] const std::vector<std::int64_t>& nodes(const Side& side) const {
    return side.own == &Route::from ? senders_ : receivers_;
  }

  // ---- ranking

  [[nodiscard]] double bound_of(const Routes& routes) const {
    const auto senders = static_cast<std::int64_t>(senders_.size());
    const auto receivers = static_cast<std::int64_t>(receivers_.size());
    const RoutedTraffic traffic = routed_traffic(routes, senders, receivers, problem_.traffic.decimals);
    const double per_local_step = local_setup_ / unit_cost_;
    return lower_bound(traffic.exchange, max_transfers_, problem_.setup).total +
           unit_cost_ * (lower_bound(traffic.before, senders, per_local_step).total +
                         lower_bound(traffic.after, receivers, per_local_step).total);
  }

  /// Keeps `routes` if they are among the best so far; returns their bound.
  double consider(Routes routes) {
    const double bound = bound_of(routes);
    const bool known = std::any_of(best_.begin(), best_.end(),
                                   [&](const Candidate& each) { return each.bound == bound && each.routes == routes; });
    if (bound >= limit_ || known) return bound;
    const auto place = std::upper_bound(best_.begin(), best_.end(), bound,
                                        [](double value, const Candidate& each) { return value < each.bound; });
    if (place == best_.end() && best_.size() >= kMostPlanned) return bound;
    best_.insert(place, {bound, std::move(routes)});
    if (best_.size() > kMostPlanned) best_.pop_back();
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
  [[nodiscard]] std::vector<std::int64_t> by_mean_peer(const Side& side) const {
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

  [[nodiscard]] std::vector<std::int64_t> by_index(const Side& side) const {
    std::vector<std::int64_t> order(nodes(side).size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    return order;
  }

  void merge() {
    constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
    const std::vector<std::int64_t> sender_sizes = group_sizes(senders_.size());
    const std::vector<std::int64_t> receiver_sizes = group_sizes(receivers_.size());
    const bool all_pairs = plain_.size() * sender_sizes.size() * receiver_sizes.size() <= kMostGridWork;
    const std::vector<std::int64_t> senders = by_index(kSenders);
    const std::vector<std::int64_t> receivers = by_index(kReceivers);
    std::set<std::tuple<std::int64_t, std::int64_t>> tried{{1, 1}};
    Grid best{1, 1, std::numeric_limits<double>::infinity()};
    const auto attempt = [&](std::int64_t g, std::int64_t h) {
      g = std::clamp<std::int64_t>(g, 1, static_cast<std::int64_t>(senders_.size()));
      h = std::clamp<std::int64_t>(h, 1, static_cast<std::int64_t>(receivers_.size()));
      if (budget_->over() || !tried.insert({g, h}).second) return;
      const double bound = consider(merged(make_groups(senders, g), make_groups(receivers, h), kAll));
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

    const std::vector<std::int64_t> similar_senders = by_mean_peer(kSenders);
    const std::vector<std::int64_t> similar_receivers = by_mean_peer(kReceivers);
    for (const Grid grid : {best, Grid{2, 1, 0}, Grid{1, 2, 0}, Grid{2, 2, 0}, Grid{4, 4, 0}}) {
      if (budget_->over()) return;
      const auto g = std::min<std::int64_t>(grid.g, static_cast<std::int64_t>(senders_.size()));
      const auto h = std::min<std::int64_t>(grid.h, static_cast<std::int64_t>(receivers_.size()));
      consider(merged(make_groups(similar_senders, g), make_groups(similar_receivers, h), kAll));
      for (const double factor : {0.25, 1.0, 4.0, 16.0}) {
        const double most = factor * problem_.setup;
        if (!(most >= 1) || most >= 0x1p62 || budget_->over()) continue;
        consider(merged(make_groups(senders, g), make_groups(receivers, h), static_cast<std::int64_t>(most)));
      }
    }
  }

  struct Block {
    std::int64_t group = 0;                 ///< of senders
    std::int64_t peers = 0;                 ///< group of receivers
    std::int64_t size = 0;                  ///< of the small messages together
    std::vector<std::size_t> small, large;  ///< positions in plain_
  };

  [[nodiscard]] std::vector<Block> blocks(const Grouping& senders, const Grouping& receivers, std::int64_t most) const {
    const auto key = [&](std::size_t r) {
      return std::pair(senders.of_node[as_size(plain_[r].from)], receivers.of_node[as_size(plain_[r].to)]);
    };
    std::vector<std::size_t> order(plain_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<Block> result;
    for (const std::size_t r : order) {
      const auto [group, peers] = key(r);
      if (result.empty() || result.back().group != group || result.back().peers != peers)
        result.push_back({group, peers, 0, {}, {}});
      Block& block = result.back();
      if (plain_[r].size <= most) {
        block.small.push_back(r);
        block.size += plain_[r].size;
      } else {
        block.large.push_back(r);
      }
    }
    std::stable_sort(result.begin(), result.end(), [](const Block& a, const Block& b) { return a.size > b.size; });
    return result;
  }

  /// The messages of at most `most` units between two groups as one.
  [[nodiscard]] Routes merged(const Grouping& senders, const Grouping& receivers, std::int64_t most) const {
    Routes routes = plain_;
    const std::vector<Block> all = blocks(senders, receivers, most);
    const double setup = problem_.setup;
    std::vector<double> sender_price(senders_.size(), 0);  // of what each carries so far
    std::vector<double> receiver_price(receivers_.size(), 0);
    const auto carry = [&](std::int64_t carrier, std::int64_t landing, double price) {
      sender_price[as_size(carrier)] += price;
      receiver_price[as_size(landing)] += price;
    };
    for (const Block& block : all)
      for (const std::size_t r : block.large)
        carry(plain_[r].from, plain_[r].to, static_cast<double>(plain_[r].size) + setup);

    std::vector<double> sender_share(senders_.size(), 0);  // of each node in the block at hand
    std::vector<double> receiver_share(receivers_.size(), 0);
    for (const Block& block : all) {
      if (block.small.empty()) continue;
      const auto size = static_cast<double>(block.size);
      for (const std::size_t r : block.small) {
        sender_share[as_size(plain_[r].from)] += static_cast<double>(plain_[r].size);
        receiver_share[as_size(plain_[r].to)] += static_cast<double>(plain_[r].size);
      }
      const auto carrier_price = [&](std::int64_t node) {
        return sender_price[as_size(node)] + unit_cost_ * (size - sender_share[as_size(node)]);
      };
      const auto landing_price = [&](std::int64_t node) {
        return receiver_price[as_size(node)] + unit_cost_ * (size - receiver_share[as_size(node)]);
      };
      const auto cheapest = [](const std::vector<std::int64_t>& members, const auto& price) {
        return *std::min_element(members.begin(), members.end(),
                                 [&](std::int64_t a, std::int64_t b) { return price(a) < price(b); });
      };
      std::int64_t carrier = cheapest(senders.members[as_size(block.group)], carrier_price);
      std::int64_t landing = cheapest(receivers.members[as_size(block.peers)], landing_price);
      if (block.small.size() == 1) {
        carrier = plain_[block.small.front()].from;
        landing = plain_[block.small.front()].to;
      }
      double least = carrier_price(carrier) + landing_price(landing) + 2 * setup;
      double step = setup;
      for (const std::size_t r : block.large) {  // to join one that crosses anyway
        const double price = carrier_price(plain_[r].from) + landing_price(plain_[r].to);
        if (price >= least) continue;
        std::tie(least, step, carrier, landing) = std::tuple(price, 0.0, plain_[r].from, plain_[r].to);
      }
      carry(carrier, landing, size + step);
      for (const std::size_t r : block.small) {
        routes[r].carrier = carrier;
        routes[r].landing = landing;
        sender_share[as_size(plain_[r].from)] = 0;
        receiver_share[as_size(plain_[r].to)] = 0;
      }
    }
    return routes;
  }

  // ---- spreading

  void spread_over_levels(const Routes& routes) {
    for (const double step_price : {0.0, problem_.setup}) {
      for (const double level : {0.0, 0.0625, 0.125, 0.25, 0.5}) {
        if (budget_->over()) return;
        const Routes senders = leveled(routes, kSenders, step_price, level);
        consider(leveled(senders, kReceivers, step_price, level));
        consider(senders);
        consider(leveled(routes, kReceivers, step_price, level));
      }
      if (problem_.setup == 0) break;
    }
  }

  /// All that one node carries for one peer.
  struct Bundle {
    std::int64_t size = 0;
    std::vector<std::size_t> routes;
  };

  /// Takes `size` units, fewer than all, out of `bundle` and sends them by way of `node`; a route that is cut becomes
  /// two.
  static void take(Routes& routes, Bundle& bundle, const Side& side, std::int64_t node, std::int64_t size) {
    bundle.size -= size;
    while (size > 0) {
      const std::size_t last = bundle.routes.back();
      if (routes[last].size <= size) {
        size -= routes[last].size;
        routes[last].*side.via = node;
        bundle.routes.pop_back();
        continue;
      }
      Route tail = routes[last];
      tail.size = size;
      tail.offset += routes[last].size - size;
      tail.*side.via = node;
      routes[last].size -= size;
      routes.push_back(tail);
      size = 0;
    }
  }

  /// Routes with no node of `side` far above a level: `level` is where it lies between the least possible (0) and the
  /// largest (1). A bundle weighs its size + `step_price`.
  [[nodiscard]] Routes leveled(Routes routes, const Side& side, double step_price, double level) const {
    const std::size_t count = nodes(side).size();
    std::vector<std::size_t> order(routes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Those that move anyway last, where they are taken first.
    const auto key = [&](std::size_t r) {
      const Route& route = routes[r];
      return std::tuple(route.*side.via, route.*side.peer, route.*side.own != route.*side.via, r);
    };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    std::vector<std::vector<Bundle>> bundles(count);
    std::vector<double> price(count, 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Route& route = routes[order[i]];
      const std::size_t node = as_size(route.*side.via);
      const bool begins = i == 0 || routes[order[i - 1]].*side.via != route.*side.via ||
                          routes[order[i - 1]].*side.peer != route.*side.peer;
      if (begins) {
        bundles[node].emplace_back();
        price[node] += step_price;
      }
      bundles[node].back().size += route.size;
      bundles[node].back().routes.push_back(order[i]);
      price[node] += static_cast<double>(route.size);
    }

    const double largest = *std::max_element(price.begin(), price.end());
    const double total = std::accumulate(price.begin(), price.end(), 0.0);
    const double mean =
        total / static_cast<double>(std::min<std::int64_t>(max_transfers_, static_cast<std::int64_t>(count)));
    // Whole units, so that a piece fits exactly where the mean is a fraction.
    const double top = std::ceil(mean + level * std::max(0.0, largest - mean));

    struct Room {
      double size;
      std::size_t node;
      bool operator<(const Room& other) const { return std::tuple(size, other.node) < std::tuple(other.size, node); }
    };
    std::priority_queue<Room> rooms;
    std::vector<std::size_t> crowded;
    for (std::size_t node = 0; node < count; ++node) {
      if (price[node] > top)
        crowded.push_back(node);
      else if (price[node] < top)
        rooms.push({top - price[node], node});
    }
    std::stable_sort(crowded.begin(), crowded.end(), [&](std::size_t a, std::size_t b) { return price[a] > price[b]; });
    for (const std::size_t node : crowded) {
      double excess = price[node] - top;
      std::vector<Bundle>& own = bundles[node];
      std::stable_sort(own.begin(), own.end(), [](const Bundle& a, const Bundle& b) { return a.size > b.size; });
      const auto give = [&](double size) {
        Room room = rooms.top();
        rooms.pop();
        room.size -= size + step_price;
        if (room.size > 0) rooms.push(room);
        return static_cast<std::int64_t>(room.node);
      };
      for (Bundle& bundle : own) {  // whole ones
        if (excess <= 0 || rooms.empty()) break;
        const double whole = static_cast<double>(bundle.size) + step_price;
        if (whole > excess || whole > rooms.top().size) continue;
        const std::int64_t to = give(static_cast<double>(bundle.size));
        for (const std::size_t r : bundle.routes) routes[r].*side.via = to;
        bundle = {};
        excess -= whole;
      }
      for (Bundle& bundle : own) {  // parts
        while (excess >= 1 && !rooms.empty()) {
          const double part = std::floor(std::min(excess, rooms.top().size - step_price));
          if (part < 1 || part <= step_price || part >= static_cast<double>(bundle.size)) break;
          const std::int64_t to = give(part);
          take(routes, bundle, side, to, static_cast<std::int64_t>(part));
          excess -= part;
        }
      }
    }
    return routes;
  }

  const ExchangeProblem& problem_;
  double unit_cost_;
  double local_setup_;
  std::int64_t max_transfers_ = 0;
  std::vector<std::int64_t> senders_, receivers_;  // nodes by compact index
  Routes plain_;                                   // every message on its own way
  double limit_ = 0;
  Budget* budget_ = nullptr;
  std::vector<Candidate> best_;  // by bound
};

/// See AggregatedPlan::bound.
double bound_with_local_links(const ExchangeProblem& problem, double unit_cost) {
  const std::vector<Message> messages = detail::distinct_messages(problem.traffic);
  if (messages.empty()) return 0;
  const std::int64_t most = std::min({problem.max_transfers, problem.traffic.senders, problem.traffic.receivers});
  std::int64_t total = 0;
  for (const Message& message : messages) total += message.size;
  const std::int64_t share = total / most + (total % most != 0 ? 1 : 0);
  // With a transfer for every node, what is left of the transmission is the largest load.
  const std::int64_t load = lower_bound(problem.traffic, std::numeric_limits<std::int64_t>::max(), 0).transmission;
  return std::max(static_cast<double>(share), std::min(1.0, unit_cost) * static_cast<double>(load)) + problem.setup;
}

/// Plans the phases of one choice of routes with an algorithm.
AggregatedPlan plan_phases(const ExchangeProblem& problem, Routes routes, double unit_cost, double local_setup,
                           ExchangeOptions options) {
  std::sort(routes.begin(), routes.end(), [](const Route& a, const Route& b) {
    return std::tie(a.from, a.to, a.offset) < std::tie(b.from, b.to, b.offset);
  });
  const RoutedTraffic traffic =
      routed_traffic(routes, problem.traffic.senders, problem.traffic.receivers, problem.traffic.decimals);
  const Budget clock(HUGE_VAL, options.time_limit_s, {});
  const double effort = options.effort;
  options.progress = nullptr;  // costs of single phases would only confuse
  const auto plan_local = [&](const Traffic& local, double share) {
    ExchangeOptions part = options;
    part.effort = effort * share;
    part.time_limit_s = clock.seconds_left();
    StepSchedule schedule = plan_exchange({local, local.senders, local_setup / unit_cost}, part).schedule;
    const Cost price = cost(schedule);
    return LocalPhase{schedule.setup, std::move(schedule.steps), price, schedule.bound};
  };
  AggregatedPlan plan;
  LocalPhases phases;
  phases.unit_cost = unit_cost;
  phases.before = plan_local(traffic.before, kBeforeShare);
  phases.after = plan_local(traffic.after, kAfterShare);
  options.effort = effort * (1 - kBeforeShare - kAfterShare);
  options.time_limit_s = clock.seconds_left();
  plan.exchange = plan_exchange({traffic.exchange, problem.max_transfers, problem.setup}, options);
  phases.routes = std::move(routes);
  plan.exchange.schedule.local_phases = std::move(phases);
  detail::order_for_overlap(plan.exchange.schedule);
  plan.total = total_cost(plan.exchange.schedule);
  plan.exchange.schedule.local_phases->total = plan.total;
  return plan;
}

void check_links(const LocalLinks& links, double local_setup) {
  if (!std::isfinite(links.unit_cost) || links.unit_cost <= 0)
    throw InputError("unit_cost", fmt::format("{}", links.unit_cost), "a finite number above 0");
  if (!std::isfinite(local_setup) || local_setup < 0)
    throw InputError("local setup", fmt::format("{}", local_setup), "a finite number of at least 0");
  if (!std::isfinite(local_setup / links.unit_cost))
    throw InputError("unit_cost", fmt::format("{}", links.unit_cost), "one that is not so near 0");
}

}  // namespace

AggregatedPlan plan_with_local_links(const ExchangeProblem& problem, const LocalLinks& links,
                                     const ExchangeOptions& options) {
  const double local_setup = links.setup.value_or(problem.setup);
  check_links(links, local_setup);
  if (!problem.speeds.empty()) throw InputError("speeds", "a plan with local links", "none beside them");
  const bool searches = options.algorithm == "auto" || options.algorithm == "exact";
  Budget clock(HUGE_VAL, searches ? options.time_limit_s : HUGE_VAL, options.stop);
  const auto within = [&](double share) {
    ExchangeOptions part = options;
    part.effort = options.effort * share;
    part.time_limit_s = clock.seconds_left();
    return part;
  };

  AggregatedPlan best;
  best.exchange = plan_exchange(problem, within(kPlainShare));
  best.total = cost(best.exchange.schedule).total;
  const double plain_total = best.total;
  const double bound = bound_with_local_links(problem, links.unit_cost);
  const auto check_bound = [&](double total) {
    constexpr double kRounding = 1e-9;  // of sums of doubles
    SLUICE_ASSERT(bound <= total * (1 + kRounding), fmt::format("bound {} above a plan of {}", bound, total));
  };
  check_bound(plain_total);
  const auto keep_if_cheaper = [&](AggregatedPlan plan) {
    check_bound(plan.total);
    if (plan.total < best.total) best = std::move(plan);
  };

  std::vector<Candidates::Candidate> candidates;
  if (plain_total > bound) {
    candidates = Candidates(problem, links.unit_cost, local_setup).run(plain_total, clock);
  }
  Routes chosen;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (candidates[c].bound >= best.total || clock.over()) break;
    ExchangeOptions part = within(kTrialsShare / static_cast<double>(candidates.size()));
    if (searches) part.algorithm = "auto";
    AggregatedPlan plan;
    try {
      plan = plan_phases(problem, candidates[c].routes, links.unit_cost, local_setup, part);
    } catch (const InputError&) {
      continue;  // an algorithm that refuses these sizes, though not those of the problem
    }
    if (plan.total < least) {
      least = plan.total;
      chosen = std::move(candidates[c].routes);
    }
    keep_if_cheaper(std::move(plan));
  }
  if (searches && !chosen.empty() && !clock.over())
    keep_if_cheaper(plan_phases(problem, std::move(chosen), links.unit_cost, local_setup, within(kLastShare)));
  best.exchange.schedule.algorithm = options.algorithm;
  best.exchange.stopped = clock.over();
  best.plain_total = plain_total;
  best.bound = bound;
  return best;
}

AggregatedPlan plan_by_routes(const ExchangeProblem& problem, std::vector<Route> routes, const LocalLinks& links,
                              const ExchangeOptions& options) {
  const double local_setup = links.setup.value_or(problem.setup);
  check_links(links, local_setup);
  if (!problem.speeds.empty()) throw InputError("speeds", "a plan with local links", "none beside them");
  return plan_phases(problem, std::move(routes), links.unit_cost, local_setup, options);
}

}  // namespace sluice
