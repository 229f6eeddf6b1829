#include "plan/exchange/bounds/whole_cover.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace sluice::detail {

namespace {

constexpr std::int64_t kMostCoverWork = std::int64_t{1} << 22;

}  // namespace

double WholeCover::operator()(std::span<const double> prices, std::int64_t size) {
  const std::size_t whole = as_size(size);
  price_.resize(whole + 1);
  cheapest_.resize(whole + 1);
  std::size_t best = whole - 1;
  for (std::size_t i = whole; i < prices.size(); ++i)
    if (prices[i] < prices[best]) best = i;
  for (std::size_t t = whole; t > 0; --t) {
    if (prices[t - 1] < prices[best]) best = t - 1;
    price_[t] = prices[best];
    cheapest_[t] = best;
  }
  // Backwards, so that steps and what they leave are both read forwards.
  least_.resize(whole + 1);
  least_[whole] = 0;
  for (std::size_t x = 1; x <= whole; ++x) {
    const double* rest = &least_[whole - x];  // rest[t] = f(x - t)
    const double* step = price_.data();
    std::array<double, 4> least{price_[x], price_[x], price_[x], price_[x]};
    std::size_t t = 1;
    for (; t + 3 <= x / 2; t += 4)
      for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], step[t + i] + rest[t + i]);
    for (; t <= x / 2; ++t) least[0] = std::min(least[0], step[t] + rest[t]);
    least_[whole - x] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
  }
  return least_[0];
}

const std::vector<std::size_t>& WholeCover::chosen() {
  chosen_.clear();
  const std::size_t whole = least_.size() - 1;
  std::size_t x = whole;
  while (x > 0) {
    const double* rest = &least_[whole - x];
    std::size_t t = 1;
    while (t <= x / 2 && price_[t] + rest[t] != rest[0]) ++t;
    if (t > x / 2) t = x;
    chosen_.push_back(cheapest_[t]);
    x -= t;
  }
  return chosen_;
}

std::int64_t work_of_whole_covers(const Demand& demand) {
  const std::int64_t largest = largest_size(demand);
  const std::int64_t nodes = std::int64_t{demand.lefts} + demand.rights + 1;
  if (largest > kMostCoverWork / (nodes + std::ssize(demand.edges))) return kMostCoverWork + 1;
  std::int64_t work = largest * (nodes + std::ssize(demand.edges));
  for (const Edge& edge : demand.edges) work += edge.weight * edge.weight / 4;
  return work;
}

bool has_whole_covers(const Demand& demand) { return work_of_whole_covers(demand) <= kMostCoverWork; }

}  // namespace sluice::detail
