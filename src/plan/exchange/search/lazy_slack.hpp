#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// The sizes of all messages as a table; searches for plans use this form.
struct DemandTable {
  explicit DemandTable(const Demand& demand);

  [[nodiscard]] std::int64_t operator()(std::int32_t left, std::int32_t right) const {
    return size[static_cast<std::size_t>(left) * static_cast<std::size_t>(rights) + static_cast<std::size_t>(right)];
  }

  std::int32_t lefts = 0;
  std::int32_t rights = 0;
  std::int32_t max_transfers = 0;  ///< 1 .. min(lefts, rights)
  double setup = 0;                ///< in the unit of the sizes
  std::vector<std::int64_t> size;  ///< of the message from `left` to `right` at left * rights + right; 0 for none
};

/// Sum of the durations that every plan of `table` has at least: the largest load of a vertex, and all of the traffic
/// at k transfers at a time.
[[nodiscard]] std::int64_t shortest_transmission(const DemandTable& table);

/// Number of steps that every plan of `table` has at least.
[[nodiscard]] std::int64_t fewest_steps(const DemandTable& table);

/// A transfer in a step: `size` from `left` to `right`.
struct CellPiece {
  std::int32_t left = 0;
  std::int32_t right = 0;
  std::int64_t size = 0;

  friend bool operator==(const CellPiece&, const CellPiece&) = default;
};

/// Like PieceSteps, by the cells of a table. No piece is empty.
using CellSteps = std::vector<std::vector<CellPiece>>;

[[nodiscard]] double cost(const CellSteps& steps, double setup);

/// The price of a remaining message; partial plans are compared by the sum of prices.
enum class MessagePrice {
  kLinear,  ///< its size + the mean size: for set-ups that matter
  kRoot,    ///< root of its size: for the fewest steps where idling is expensive
};

/// How thoroughly plan_lazily searches.
struct LazySlackEffort {
  MessagePrice price = MessagePrice::kLinear;
  std::int32_t width = 1;      ///< partial plans kept after each step, at least 1
  std::int32_t durations = 8;  ///< durations tried for the next step of each, at least 1
  double noise = 0;            ///< gains are multiplied by factors drawn from [1, 1 + noise]
  std::uint64_t seed = 0;      ///< of the noise
};

/// A plan of `table` that transmits for at most `horizon` in few steps, and costs less than `limit`; nullopt if none
/// was found or the budget was spent. See lazy_slack.cpp.
/// @pre something is to be sent
[[nodiscard]] std::optional<CellSteps> plan_lazily(const DemandTable& table, std::int64_t horizon,
                                                   const LazySlackEffort& effort, double limit, Budget& budget);

}  // namespace sluice::detail
