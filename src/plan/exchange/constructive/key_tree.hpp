#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace sluice::detail {

/// A key for each place of a row, and the places of large keys in their order. Every node of a tree has the largest key
/// below it. refresh() takes O(log n) for each key that was set, at most O(n) in all. A visit takes O(log n) for each
/// place visited, at most O(n) in all. Memory: at most 16 bytes for each place, and the list of changed places.
class KeyTree {
 public:
  /// The key of a place that no threshold reaches.
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::min();

  explicit KeyTree(std::size_t places) : leaves_(std::bit_ceil(std::max<std::size_t>(places, 2))) {
    largest_.assign(2 * leaves_, kNone);
  }

  /// Counts from the next refresh() on.
  void set(std::size_t place, std::int64_t key) {
    largest_[leaves_ + place] = key;
    changed_.push_back(place);
  }

  void refresh() {
    const auto levels = static_cast<std::size_t>(std::bit_width(leaves_));
    if (changed_.size() * levels >= leaves_) {
      for (std::size_t node = leaves_ - 1; node > 0; --node) largest_[node] = of_children(node);
    } else {
      for (const std::size_t place : changed_) {
        for (std::size_t node = (leaves_ + place) / 2; node > 0; node /= 2) {
          const std::int64_t now = of_children(node);
          if (now == largest_[node]) break;
          largest_[node] = now;
        }
      }
    }
    changed_.clear();
  }

  [[nodiscard]] std::int64_t largest() const { return largest_[1]; }

  /// Calls visit(place), ascending, for the places of keys that are at least `least`, until it returns false.
  /// @pre least > kNone
  template <class Visit>
  void each_of_at_least(std::int64_t least, Visit visit) const {
    std::array<std::size_t, 2 * std::numeric_limits<std::size_t>::digits> open{};
    std::size_t count = 0;
    open[count++] = 1;
    while (count > 0) {
      const std::size_t node = open[--count];
      if (largest_[node] < least) continue;
      if (node >= leaves_) {
        if (!visit(node - leaves_)) return;
        continue;
      }
      open[count++] = 2 * node + 1;
      open[count++] = 2 * node;
    }
  }

 private:
  [[nodiscard]] std::int64_t of_children(std::size_t node) const {
    return std::max(largest_[2 * node], largest_[2 * node + 1]);
  }

  std::size_t leaves_;
  std::vector<std::int64_t> largest_;  ///< node 1 is the root; the children of node i are 2 i and 2 i + 1
  std::vector<std::size_t> changed_;
};

}  // namespace sluice::detail
