#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/graph/bipartite_graph.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// A vertex, an edge or a step as a position. @pre i >= 0
[[nodiscard]] constexpr std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

/// The messages of an exchange as the planners see them: a weighted bipartite graph without idle vertices.
struct Demand {
  std::int32_t lefts = 0;   ///< senders that have messages
  std::int32_t rights = 0;  ///< receivers that get messages
  /// One edge for each pair that exchanges anything, with its size in the traffic's unit; sorted by left, then right
  /// vertex.
  std::vector<Edge> edges;
  std::vector<std::int64_t> sender_of_left;     ///< ascending
  std::vector<std::int64_t> receiver_of_right;  ///< ascending
  std::int32_t max_transfers = 0;  ///< k, cut to what a matching can hold: 1 .. min(lefts, rights); 0 without edges
  double setup = 0;                ///< beta, set-up cost of a step, in the unit of the sizes
};

/// Throws InputError if an index is out of range, a size is negative, or a sum exceeds int64. Also if `setup` is
/// negative or not finite, or there are more than 2^31 - 1 messages. Also if `max_transfers` is below 1, or below 0 if
/// there is nothing to send.
[[nodiscard]] Demand make_demand(const Traffic& traffic, std::int64_t max_transfers, double setup);

/// The size of the largest message; 0 if there is none.
[[nodiscard]] std::int64_t largest_size(const Demand& demand);

/// A lower bound of the cost of all plans: lower_bound of sluice/schedule/cost.hpp, without reading the traffic again.
[[nodiscard]] Cost eta(const Demand& demand);

/// Part of the message `edge` (its position in Demand::edges), sent in one step.
struct Piece {
  std::int32_t edge = 0;
  std::int64_t size = 0;

  friend bool operator==(const Piece&, const Piece&) = default;
};

/// What every planner of exchange makes: for each step the pieces that it carries. Pieces of size 0 and empty steps
/// are allowed and left out of the schedule.
using PieceSteps = std::vector<std::vector<Piece>>;

/// What a plan may hold at most: 1 GiB of pieces, and thrice that as a schedule.
inline constexpr std::int64_t kMostPieces = std::int64_t{1} << 26;

/// Throws InputError naming `algorithm` when its plan grows beyond kMostPieces.
void check_pieces(std::int64_t pieces, const char* algorithm);

/// Sum over the steps that carry anything of (largest piece + setup).
[[nodiscard]] double cost(const PieceSteps& steps, double setup);

/// How long a step lasts: the size of its longest piece; 0 if it has none.
[[nodiscard]] std::int64_t duration_of(const std::vector<Piece>& step);

/// Steps as a schedule, in the order of step_order.hpp, each message's pieces numbered by offset in that order; cost
/// fields come from the real sizes. The algorithm, max_transfers and the bound are left to the caller.
[[nodiscard]] StepSchedule make_schedule(const Demand& demand, const Traffic& traffic, PieceSteps steps);

/// Like make_schedule, with the steps in the order given.
[[nodiscard]] StepSchedule make_schedule_in_order(const Demand& demand, const Traffic& traffic, PieceSteps steps);

/// Steps and the switch of each.
struct SwitchedSteps {
  PieceSteps steps;
  std::vector<std::int64_t> on_switch;
};

/// Like make_schedule_in_order for several switches: switch after switch, the steps of each in the order given.
[[nodiscard]] StepSchedule make_schedule(const Demand& demand, const Traffic& traffic, SwitchedSteps plan,
                                         std::int64_t switches);

}  // namespace sluice::detail
