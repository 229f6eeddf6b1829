#include "plan/exchange/bound_certificate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>

namespace sluice::detail {

namespace {

/// The node with the largest of `values` (lefts, then rights), or all where their share, rounded up, is more.
BoundCertificate::Witness witness(const Demand& demand, const std::vector<std::int64_t>& values) {
  const auto largest = std::max_element(values.begin(), values.end());
  // Every message has a sender.
  const std::int64_t all = std::accumulate(values.begin(), values.begin() + demand.lefts, std::int64_t{0});
  const std::int64_t k = demand.max_transfers;
  if (all / k + (all % k != 0 ? 1 : 0) > *largest) return {"all", 0};
  const auto at = static_cast<std::size_t>(largest - values.begin());
  const auto lefts = static_cast<std::size_t>(demand.lefts);
  if (at < lefts) return {"sender", demand.sender_of_left[at]};
  return {"receiver", demand.receiver_of_right[at - lefts]};
}

}  // namespace

BoundCertificate certificate_of(const Demand& demand, const std::string& kind, const std::vector<double>& prices) {
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
  if (kind == "eta" || prices.empty()) return result;
  // Only proportions count: shares of the whole are short where prices are round.
  const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
  const auto middle = static_cast<std::ptrdiff_t>(demand.edges.size());
  const auto share = [&](double price) { return price / sum; };
  std::transform(prices.begin(), prices.begin() + middle, std::back_inserter(result.size_prices), share);
  std::transform(prices.begin() + middle, prices.end(), std::back_inserter(result.piece_prices), share);
  return result;
}

}  // namespace sluice::detail
