#include "plan/exchange/adapters/merged_routes.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <tuple>
#include <utility>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {
namespace {

/// The messages from one group of senders to one of receivers.
struct MergedBlock {
  std::int64_t group = 0;                 ///< of senders
  std::int64_t peers = 0;                 ///< group of receivers
  std::int64_t size = 0;                  ///< of the small messages together
  std::vector<std::size_t> small, large;  ///< positions in plain
};

/// The blocks by falling size of their small messages, which have at most `most` units each.
std::vector<MergedBlock> merged_blocks(const std::vector<Route>& plain, const NodeGroups& senders,
                                       const NodeGroups& receivers, std::int64_t most) {
  const auto key = [&](std::size_t r) {
    return std::pair(senders.of_node[as_size(plain[r].from)], receivers.of_node[as_size(plain[r].to)]);
  };
  std::vector<std::size_t> order(plain.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<MergedBlock> result;
  for (const std::size_t r : order) {
    const auto [group, peers] = key(r);
    if (result.empty() || result.back().group != group || result.back().peers != peers)
      result.push_back({group, peers, 0, {}, {}});
    MergedBlock& block = result.back();
    if (plain[r].size <= most) {
      block.small.push_back(r);
      block.size += plain[r].size;
    } else {
      block.large.push_back(r);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const MergedBlock& a, const MergedBlock& b) { return a.size > b.size; });
  return result;
}

}  // namespace

NodeGroups make_groups(const std::vector<std::int64_t>& order, std::int64_t size) {
  NodeGroups groups;
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

std::vector<Route> merged_routes(const std::vector<Route>& plain, const NodeGroups& senders,
                                 const NodeGroups& receivers, std::int64_t most, const MergePrices& prices) {
  std::vector<Route> routes = plain;
  const std::vector<MergedBlock> all = merged_blocks(plain, senders, receivers, most);
  const double setup = prices.setup;
  std::vector<double> sender_price(senders.of_node.size(), 0);  // of what each carries so far
  std::vector<double> receiver_price(receivers.of_node.size(), 0);
  const auto carry = [&](std::int64_t carrier, std::int64_t landing, double price) {
    sender_price[as_size(carrier)] += price;
    receiver_price[as_size(landing)] += price;
  };
  for (const MergedBlock& block : all)
    for (const std::size_t r : block.large)
      carry(plain[r].from, plain[r].to, static_cast<double>(plain[r].size) + setup);

  std::vector<double> sender_share(senders.of_node.size(), 0);  // of each node in the block at hand
  std::vector<double> receiver_share(receivers.of_node.size(), 0);
  for (const MergedBlock& block : all) {
    if (block.small.empty()) continue;
    const auto size = static_cast<double>(block.size);
    for (const std::size_t r : block.small) {
      sender_share[as_size(plain[r].from)] += static_cast<double>(plain[r].size);
      receiver_share[as_size(plain[r].to)] += static_cast<double>(plain[r].size);
    }
    const auto carrier_price = [&](std::int64_t node) {
      return sender_price[as_size(node)] + prices.unit_cost * (size - sender_share[as_size(node)]);
    };
    const auto landing_price = [&](std::int64_t node) {
      return receiver_price[as_size(node)] + prices.unit_cost * (size - receiver_share[as_size(node)]);
    };
    const auto cheapest = [](const std::vector<std::int64_t>& members, const auto& price) {
      return *std::min_element(members.begin(), members.end(),
                               [&](std::int64_t a, std::int64_t b) { return price(a) < price(b); });
    };
    std::int64_t carrier = cheapest(senders.members[as_size(block.group)], carrier_price);
    std::int64_t landing = cheapest(receivers.members[as_size(block.peers)], landing_price);
    if (block.small.size() == 1) {
      carrier = plain[block.small.front()].from;
      landing = plain[block.small.front()].to;
    }
    double least = carrier_price(carrier) + landing_price(landing) + 2 * setup;
    double step = setup;
    for (const std::size_t r : block.large) {  // to join one that crosses anyway
      const double price = carrier_price(plain[r].from) + landing_price(plain[r].to);
      if (price >= least) continue;
      std::tie(least, step, carrier, landing) = std::tuple(price, 0.0, plain[r].from, plain[r].to);
    }
    carry(carrier, landing, size + step);
    for (const std::size_t r : block.small) {
      routes[r].carrier = carrier;
      routes[r].landing = landing;
      sender_share[as_size(plain[r].from)] = 0;
      receiver_share[as_size(plain[r].to)] = 0;
    }
  }
  return routes;
}

}  // namespace sluice::detail
