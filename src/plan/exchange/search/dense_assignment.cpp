#include "plan/exchange/search/dense_assignment.hpp"

#include <algorithm>
#include <utility>

namespace sluice::detail {

namespace {

/// Beyond every sum of gains, and twice of it still an int32.
constexpr std::int32_t kForbidden = (1 << 30) - 1;
/// A distance at least so large leads over a forbidden cell.
constexpr std::int32_t kTooFar = 1 << 29;

/// Prices start below none of this, which leaves room for the search.
constexpr std::int32_t kFarthestPrice = 1 << 27;

static_assert(std::int64_t{DenseAssignment::kLargestGain} * DenseAssignment::kLargestSide <= kTooFar);

}  // namespace

void DenseAssignment::reset(std::int32_t side) {
  side_ = side;
  const auto n = static_cast<std::size_t>(side);
  cost_.assign(n * n, kForbidden);
  column_.resize(n);
  row_.resize(n);
  price_.assign(n, 0);
  distance_.resize(n);
  from_.resize(n);
  order_.resize(n);
}

void DenseAssignment::forbid_all() { std::fill(cost_.begin(), cost_.end(), kForbidden); }

bool DenseAssignment::solve() {
  std::fill(row_.begin(), row_.end(), -1);
  std::fill(column_.begin(), column_.end(), -1);
  looks_ = std::int64_t{side_} * side_;
  // The prices of the last table serve as well as any others, unless they grew too far.
  for (const std::int32_t price : price_) {
    if (price >= -kFarthestPrice) continue;
    std::fill(price_.begin(), price_.end(), 0);
    break;
  }
  for (std::int32_t row = 0; row < side_; ++row) {
    const std::int32_t* cost = &cost_[at(row, 0)];
    std::int32_t least = kTooFar;
    std::size_t best = 0;
    for (std::size_t j = 0; j < price_.size(); ++j) {
      const std::int32_t d = cost[j] - price_[j];
      if (d >= least) continue;
      least = d;
      best = j;
    }
    if (least == kTooFar) return false;
    if (row_[best] >= 0) continue;
    row_[best] = row;
    column_[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(best);
  }
  for (std::int32_t row = 0; row < side_; ++row)
    if (column_[static_cast<std::size_t>(row)] < 0 && !place(row)) return false;
  return true;
}

bool DenseAssignment::place(std::int32_t row) {
  const auto n = static_cast<std::size_t>(side_);
  looks_ += side_;
  const std::int32_t* cost = &cost_[at(row, 0)];
  for (std::size_t j = 0; j < n; ++j) {
    distance_[j] = cost[j] - price_[j];
    from_[j] = row;
    order_[j] = static_cast<std::int32_t>(j);
  }
  // Positions in order_: first columns nearer than `nearest`, then columns at that distance, then columns farther away.
  // Up to `next` the rows of the columns have been considered.
  std::size_t nearer = 0;
  std::size_t next = 0;
  std::size_t farther = 0;
  std::int32_t nearest = 0;
  std::int32_t last = -1;
  while (last < 0) {
    if (next == farther) {
      nearer = next;
      nearest = kTooFar;
      for (std::size_t i = next; i < n; ++i) {
        const std::int32_t d = distance_[static_cast<std::size_t>(order_[i])];
        if (d > nearest) continue;
        if (d < nearest) farther = next;
        nearest = d;
        std::swap(order_[i], order_[farther++]);
      }
      if (nearest == kTooFar) return false;
      for (std::size_t i = next; i < farther && last < 0; ++i)
        if (row_[static_cast<std::size_t>(order_[i])] < 0) last = order_[i];
      if (last >= 0) break;
    }
    const auto column = static_cast<std::size_t>(order_[next++]);
    const std::int32_t via = row_[column];
    cost = &cost_[at(via, 0)];
    const std::int32_t offset = cost[column] - price_[column] - nearest;
    looks_ += static_cast<std::int64_t>(2 * (n - farther));
    for (std::size_t i = farther; i < n; ++i) {
      const auto j = static_cast<std::size_t>(order_[i]);
      const std::int32_t d = cost[j] - price_[j] - offset;
      if (d >= distance_[j]) continue;
      distance_[j] = d;
      from_[j] = via;
      if (d > nearest) continue;
      if (row_[j] < 0) {
        last = order_[i];
        break;
      }
      std::swap(order_[i], order_[farther++]);
    }
  }
  for (std::size_t i = 0; i < nearer; ++i) {
    const auto j = static_cast<std::size_t>(order_[i]);
    price_[j] += distance_[j] - nearest;
  }
  for (std::int32_t column = last; column >= 0;) {
    const std::int32_t via = from_[static_cast<std::size_t>(column)];
    row_[static_cast<std::size_t>(column)] = via;
    std::swap(column_[static_cast<std::size_t>(via)], column);
    if (via == row) break;
  }
  return true;
}

}  // namespace sluice::detail
