#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// Prices of some nodes, and shares of steps for their messages, that come nearer to the optimum with every iteration;
/// see node_price_bound.cpp.
class NodePriceSearch {
 public:
  /// Most durations that extend() adds in a useful way.
  static constexpr std::size_t kMostDurations = 256;

  /// Without prices: extend() comes first. Refers to `demand`.
  explicit NodePriceSearch(const Demand& demand);

  /// The work of extend(), iterate() and bounds(), in the unit of Budget.
  [[nodiscard]] std::int64_t work_of_extension() const;
  [[nodiscard]] std::int64_t work_of_iteration() const;
  [[nodiscard]] std::int64_t work_of_bounds() const;
  /// Whether there is nothing left to extend().
  [[nodiscard]] bool has_all() const { return has_all_; }

  /// Goes over to the first `nodes` of the ranking and `durations` more durations, with the prices and shares that are
  /// there. False if that is too much for memory; nothing has changed then.
  bool extend(std::size_t nodes, std::size_t durations);
  void iterate();
  /// The bound that the prices prove if classes were messages, and the cost of the shares once they cover everything.
  [[nodiscard]] std::pair<double, double> bounds();

  /// Begins anew from here, with a weight that fits the way so far.
  void restart();

  /// The present prices, in the unit of the cost, with few digits.
  [[nodiscard]] NodePrices prices() const;

 private:
  /// Messages that are planned alike.
  struct Class {
    std::int32_t left = 0, right = 0;  ///< rows
    double size = 0;                   ///< mean
    double count = 0;
    std::int32_t at = 0;     ///< the last duration that is not above the size,
    std::int32_t parts = 0;  ///< how many are below it,
    float between = 0;       ///< and how far it is on the way to the next one
  };

  void add_to_row(std::size_t row, float often, const float* change);

  /// Prices go up by what is taken, and down to the cost of steps.
  void raise_prices();

  /// Prices and shares for other nodes, durations and classes.
  void carry_over(const std::vector<double>& durations, std::size_t nodes, const std::vector<Class>& classes,
                  const std::vector<std::int32_t>& class_before);

  /// The prices of eta.
  void start();

  void remember();

  const Demand& demand_;
  std::vector<std::int32_t> ranked_;
  bool limited_ = false;
  double share_of_limit_ = 0;  // of its row that a message pays: 1 / k
  std::int32_t heaviest_ = 0, busiest_ = 0;
  double unit_ = 1;
  double weight_ = 1;
  bool started_ = false;
  bool has_all_ = false;

  std::vector<std::int32_t> nodes_;   // that are priced
  std::vector<std::int32_t> row_of_;  // of each vertex, -1: not priced
  std::size_t rows_ = 0;              // nodes, the limit, and one for nodes that are not priced
  std::vector<double> durations_;
  std::vector<Class> classes_;
  std::vector<std::int32_t> class_of_;  // of each edge, -1: pays no priced node
  std::vector<float> cost_, duration_;  // of each duration, in unit_ and in the unit of the sizes
  std::vector<double> until_;           // sum of the durations before
  std::vector<double> weight_of_row_;
  std::vector<float> price_, share_, whole_share_, size_price_, piece_price_;
  std::vector<float> price_then_, share_then_, whole_share_then_, size_price_then_, piece_price_then_;
  std::vector<float> taken_, level_, rate_, above_, slope_, paid_, change_, scaled_;
};

}  // namespace sluice::detail
