#include "plan/exchange/bound_certificate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <string>

#include "plan/exchange/limited_matching.hpp"
#include "plan/exchange/step_program.hpp"

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
