#pragma once

#include <cstdint>
#include <optional>

#include "base/budget.hpp"
#include "graph/peeling.hpp"
#include "plan/exchange/demand.hpp"

namespace sluice::detail {

/// What `stepwise` and `greedy` share: one matching of at most k whole messages after another, each chosen by `next`
/// among the messages left (graph/peeling.hpp). A step is begun only if the budget lasts for it; nullopt if it does
/// not. `further_edges`: edges besides messages that `next` chooses among.
std::optional<PieceSteps> peel_whole(const Demand& demand, Budget& budget,
                                     Matching (*next)(const BipartiteGraph&, std::int32_t),
                                     std::int64_t further_edges = 0);

}  // namespace sluice::detail
