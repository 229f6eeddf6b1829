#include "plan/exchange/bounds/bound_certificate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>

#include "plan/exchange/bounds/step_program.hpp"
#include "plan/exchange/constructive/limited_matching.hpp"
#include "sluice/input/decimal.hpp"

namespace sluice::detail {

namespace {

/// The witness at `vertex`: a left vertex, then a right one; a larger number means all.
BoundCertificate::Witness witness_at(const Demand& demand, std::int32_t vertex) {
  if (vertex < demand.lefts) return {"sender", demand.sender_of_left[as_size(vertex)]};
  if (vertex < demand.lefts + demand.rights)
    return {"receiver", demand.receiver_of_right[as_size(vertex - demand.lefts)]};
  return {"all", 0};
}

/// The node with the largest of `values` (lefts, then rights), or all if their share, rounded up, is more.
BoundCertificate::Witness witness(const Demand& demand, const std::vector<std::int64_t>& values) {
  const auto largest = std::max_element(values.begin(), values.end());
  // Every message has a sender.
  const std::int64_t all = std::accumulate(values.begin(), values.begin() + demand.lefts, std::int64_t{0});
  const std::int64_t k = demand.max_transfers;
  if (all / k + (all % k != 0 ? 1 : 0) > *largest) return {"all", 0};
  return witness_at(demand, static_cast<std::int32_t>(largest - values.begin()));
}

/// Position of `node` in `nodes`, which rise, plus `offset`; -1 if it is not there.
std::int32_t position_of(const std::vector<std::int64_t>& nodes, std::int64_t node, std::int32_t offset) {
  const auto found = std::lower_bound(nodes.begin(), nodes.end(), node);
  if (found == nodes.end() || *found != node) return -1;
  return offset + static_cast<std::int32_t>(found - nodes.begin());
}

}  // namespace

BoundCertificate certificate_of(const Demand& demand, const std::string& kind, const std::vector<double>& prices,
                                const NodePrices& node_prices, std::int32_t decimals) {
  BoundCertificate result;
  result.total = kind;
  if (demand.edges.empty()) return result;
  std::vector<std::int64_t> load(as_size(demand.lefts) + as_size(demand.rights), 0);
  std::vector<std::int64_t> degree(load.size(), 0);
  for (const Edge& edge : demand.edges) {
    for (const std::int32_t v : {edge.left, demand.lefts + edge.right}) {
      load[as_size(v)] += edge.weight;
      ++degree[as_size(v)];
    }
  }
  result.transmission = witness(demand, load);
  result.steps = witness(demand, degree);
  if (kind == "eta" || kind == "splits") return result;
  for (const double duration : node_prices.durations)
    result.durations.push_back(move_decimal_point(duration, -decimals));
  const std::size_t count = node_prices.durations.size();
  for (std::size_t i = 0; i < node_prices.nodes.size(); ++i) {
    const auto from = node_prices.prices.begin() + static_cast<std::ptrdiff_t>(i * count);
    result.node_prices.push_back(
        {witness_at(demand, node_prices.nodes[i]), {from, from + static_cast<std::ptrdiff_t>(count)}});
  }
  if (prices.empty()) return result;
  // Only proportions count: shares of the whole are short where prices are round.
  const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
  const auto middle = static_cast<std::ptrdiff_t>(demand.edges.size());
  const auto share = [&](double price) { return price / sum; };
  std::transform(prices.begin(), prices.begin() + middle, std::back_inserter(result.size_prices), share);
  std::transform(prices.begin() + middle, prices.end(), std::back_inserter(result.piece_prices), share);
  return result;
}

NodePrices node_prices_of(const BoundCertificate& certificate, const Demand& demand, std::int32_t decimals,
                          std::string& fault) {
  NodePrices result;
  const auto refuse = [&](std::string reason) {
    fault = std::move(reason);
    return NodePrices{};
  };
  for (const double duration : certificate.durations) {
    const double scaled = move_decimal_point(duration, decimals);
    if (!(scaled > (result.durations.empty() ? 0 : result.durations.back())) || !std::isfinite(scaled))
      return refuse(fmt::format("the durations of the certificate do not rise from above 0: {}", duration));
    result.durations.push_back(scaled);
  }
  std::vector<char> seen(as_size(demand.lefts) + as_size(demand.rights) + 1, 0);
  for (const BoundCertificate::PricedNode& each : certificate.node_prices) {
    const std::string name = each.who.of == "all" ? "all" : fmt::format("{} {}", each.who.of, each.who.node);
    if (each.prices.size() != certificate.durations.size())
      return refuse(fmt::format("the certificate has {} prices of {} for {} durations", each.prices.size(), name,
                                certificate.durations.size()));
    for (const double price : each.prices)
      if (!(price >= 0) || !std::isfinite(price))
        return refuse(fmt::format("the certificate has a price of {} of {}", price, name));
    const std::int32_t vertex = each.who.of == "all" ? demand.lefts + demand.rights
                                : each.who.of == "sender"
                                    ? position_of(demand.sender_of_left, each.who.node, 0)
                                    : position_of(demand.receiver_of_right, each.who.node, demand.lefts);
    if (vertex < 0) continue;  // it has no messages to pay for
    if (std::exchange(seen[as_size(vertex)], char{1}) != 0)
      return refuse(fmt::format("the certificate has prices of {} twice", name));
    result.nodes.push_back(vertex);
    result.prices.insert(result.prices.end(), each.prices.begin(), each.prices.end());
  }
  return result;
}

double bound_by_prices(const Demand& demand, std::vector<double> prices, double enough) {
  const StepProgram program(demand);
  const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
  if (!(sum > 0) || !std::isfinite(sum)) return 0;
  // Sums of m doubles err by less.
  const double rounding = 1e-12 + static_cast<double>(demand.edges.size()) * 0x1p-50;
  double largest = sum / (enough / program.scale()) * (1 - rounding);  // worth over cost that is still good enough
  LimitedMatching matching(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  std::vector<double> values(program.edge_count());
  Budget unlimited;
  const std::vector<std::int64_t>& durations = program.durations();
  for (std::size_t i = durations.size(); i-- > 0;) {
    const double cost = program.cost(durations[i]);
    program.values(durations[i], prices, values);
    if (matching.bound(values) <= largest * cost) continue;
    (void)matching.solve(values, unlimited);
    largest = std::max(largest, matching.bound(values) / cost);
  }
  return sum / largest * (1 - rounding) * program.scale();
}

}  // namespace sluice::detail
