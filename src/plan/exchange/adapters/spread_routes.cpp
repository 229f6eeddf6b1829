#include "plan/exchange/adapters/spread_routes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <queue>
#include <tuple>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {
namespace {

/// All that one node carries for one peer.
struct RouteBundle {
  std::int64_t size = 0;
  std::vector<std::size_t> routes;
};

/// Takes `size` units, fewer than all, out of `bundle` and sends them by way of `node`; a route that is cut becomes
/// two.
void take_from_bundle(std::vector<Route>& routes, RouteBundle& bundle, const ClusterSide& side, std::int64_t node,
                      std::int64_t size) {
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

}  // namespace

std::vector<Route> spread_routes(std::vector<Route> routes, const ClusterSide& side, std::size_t nodes,
                                 std::int64_t most_at_once, const SpreadLevel& to) {
  std::vector<std::size_t> order(routes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Routes that move anyway come last, because the last ones are taken first.
  const auto key = [&](std::size_t r) {
    const Route& route = routes[r];
    return std::tuple(route.*side.via, route.*side.peer, route.*side.own != route.*side.via, r);
  };
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<std::vector<RouteBundle>> bundles(nodes);
  std::vector<double> price(nodes, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Route& route = routes[order[i]];
    const std::size_t node = as_size(route.*side.via);
    const bool begins = i == 0 || routes[order[i - 1]].*side.via != route.*side.via ||
                        routes[order[i - 1]].*side.peer != route.*side.peer;
    if (begins) {
      bundles[node].emplace_back();
      price[node] += to.step_price;
    }
    bundles[node].back().size += route.size;
    bundles[node].back().routes.push_back(order[i]);
    price[node] += static_cast<double>(route.size);
  }

  const double largest = *std::max_element(price.begin(), price.end());
  const double total = std::accumulate(price.begin(), price.end(), 0.0);
  const double mean =
      total / static_cast<double>(std::min<std::int64_t>(most_at_once, static_cast<std::int64_t>(nodes)));
  // Whole units, so that a piece fits exactly where the mean is a fraction.
  const double top = std::ceil(mean + to.level * std::max(0.0, largest - mean));

  struct Room {
    double size;
    std::size_t node;
    bool operator<(const Room& other) const { return std::tuple(size, other.node) < std::tuple(other.size, node); }
  };
  std::priority_queue<Room> rooms;
  std::vector<std::size_t> crowded;
  for (std::size_t node = 0; node < nodes; ++node) {
    if (price[node] > top)
      crowded.push_back(node);
    else if (price[node] < top)
      rooms.push({top - price[node], node});
  }
  std::stable_sort(crowded.begin(), crowded.end(), [&](std::size_t a, std::size_t b) { return price[a] > price[b]; });
  for (const std::size_t node : crowded) {
    double excess = price[node] - top;
    std::vector<RouteBundle>& own = bundles[node];
    std::stable_sort(own.begin(), own.end(),
                     [](const RouteBundle& a, const RouteBundle& b) { return a.size > b.size; });
    const auto give = [&](double size) {
      Room room = rooms.top();
      rooms.pop();
      room.size -= size + to.step_price;
      if (room.size > 0) rooms.push(room);
      return static_cast<std::int64_t>(room.node);
    };
    for (RouteBundle& bundle : own) {  // whole ones
      if (excess <= 0 || rooms.empty()) break;
      const double whole = static_cast<double>(bundle.size) + to.step_price;
      if (whole > excess || whole > rooms.top().size) continue;
      const std::int64_t taker = give(static_cast<double>(bundle.size));
      for (const std::size_t r : bundle.routes) routes[r].*side.via = taker;
      bundle = {};
      excess -= whole;
    }
    for (RouteBundle& bundle : own) {  // parts
      while (excess >= 1 && !rooms.empty()) {
        const double part = std::floor(std::min(excess, rooms.top().size - to.step_price));
        if (part < 1 || part <= to.step_price || part >= static_cast<double>(bundle.size)) break;
        const std::int64_t taker = give(part);
        take_from_bundle(routes, bundle, side, taker, static_cast<std::int64_t>(part));
        excess -= part;
      }
    }
  }
  return routes;
}

}  // namespace sluice::detail
