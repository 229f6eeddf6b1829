#pragma once

#include "schedule/message_graph.hpp"
#include "sluice/schedule/program.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// Whether ranks combine at different speeds, and it does not matter to anybody but the root which rank does what.
[[nodiscard]] bool may_swap_ranks(const Program& shape);

/// Exchanges ranks, so that ranks that combine fast combine most. @pre may_swap_ranks(shape)
[[nodiscard]] MessageGraph with_fast_ranks_combining(const RankNetwork& network, const Program& shape,
                                                     MessageGraph messages);

}  // namespace sluice::detail
