#include "plan/exchange/dense_assignment.hpp"

#include <algorithm>
#include <utility>

namespace sluice::detail {

namespace {

/// Beyond every sum of gains, and twice of it still an int32.
constexpr std::int32_t kForbidden = (1 << 30) - 1;
/// A distance at least so large leads over a forbidden cell.
constexpr std::int32_t kTooFar = 1 << 29;

static_assert(std::int64_t{DenseAssignment::kLargestGain} * DenseAssignment::kLargestSide <= kTooFar);

}  // namespace

void DenseAssignment::reset(std::int32_t side) {
  side_ = side;
  const auto n = static_cast<std::size_t>(side);
  cost_.assign(n * n, kForbidden);
  column_.resize(n);
  row_.resize(n);
  price_.resize(n);
  distance_.resize(n);
  from_.resize(n);
  open_.resize(n);
}

void DenseAssignment::forbid_all() { std::fill(cost_.begin(), cost_.end(), kForbidden); }

bool DenseAssignment::solve() {
  std::fill(row_.begin(), row_.end(), -1);
  std::fill(column_.begin(), column_.end(), -1);
  std::fill(price_.begin(), price_.end(), 0);
  for (std::int32_t row = 0; row < side_; ++row) {
    const auto begin = cost_.begin() + static_cast<std::ptrdiff_t>(at(row, 0));
    const auto column = static_cast<std::int32_t>(std::min_element(begin, begin + side_) - begin);
    if (cost_[at(row, column)] == kForbidden) return false;
    if (row_[static_cast<std::size_t>(column)] >= 0) continue;
    row_[static_cast<std::size_t>(column)] = row;
    column_[static_cast<std::size_t>(row)] = column;
  }
  for (std::int32_t row = 0; row < side_; ++row)
    if (column_[static_cast<std::size_t>(row)] < 0 && !place(row)) return false;
  return true;
}

bool DenseAssignment::place(std::int32_t row) {
  const auto n = static_cast<std::size_t>(side_);
  const std::int32_t* cost = &cost_[at(row, 0)];
  for (std::size_t j = 0; j < n; ++j) {
    distance_[j] = cost[j] - price_[j];
    from_[j] = row;
    open_[j] = static_cast<std::int32_t>(j);
  }
  std::size_t open = n;
  std::int32_t nearest = 0;
  std::int32_t last = -1;
  while (true) {
    std::size_t best = 0;
    nearest = kTooFar;
    for (std::size_t i = 0; i < open; ++i) {
      const std::int32_t d = distance_[static_cast<std::size_t>(open_[i])];
      if (d >= nearest) continue;
      nearest = d;
      best = i;
    }
    if (nearest == kTooFar) return false;
    last = open_[best];
    std::swap(open_[best], open_[--open]);
    const std::int32_t via = row_[static_cast<std::size_t>(last)];
    if (via < 0) break;
    cost = &cost_[at(via, 0)];
    const std::int32_t offset = cost[last] - price_[static_cast<std::size_t>(last)] - nearest;
    for (std::size_t i = 0; i < open; ++i) {
      const auto j = static_cast<std::size_t>(open_[i]);
      const std::int32_t d = cost[j] - price_[j] - offset;
      if (d >= distance_[j]) continue;
      distance_[j] = d;
      from_[j] = via;
    }
  }
  for (std::size_t i = open; i < n; ++i) {
    const auto j = static_cast<std::size_t>(open_[i]);
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
