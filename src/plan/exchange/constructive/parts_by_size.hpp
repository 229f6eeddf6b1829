#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// All parts that are left, the shortest first.
class PartsBySize {
 public:
  explicit PartsBySize(const std::vector<Piece>& parts) : next_(parts.size() + 1), before_(parts.size() + 1) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return parts[a].size < parts[b].size; });
    std::size_t last = parts.size();  // stands before the first and behind the last
    for (const std::size_t part : order) {
      next_[last] = part;
      before_[part] = last;
      last = part;
    }
    next_[last] = parts.size();
    before_[parts.size()] = last;
  }

  void take(std::size_t part) {
    next_[before_[part]] = next_[part];
    before_[next_[part]] = before_[part];
  }
  /// The part that has `before` others in front of it. @pre there are more than `before` parts
  [[nodiscard]] std::size_t at(std::size_t before) const {
    std::size_t part = next_.back();
    for (; before > 0; --before) part = next_[part];
    return part;
  }

 private:
  std::vector<std::size_t> next_, before_;
};

}  // namespace sluice::detail
