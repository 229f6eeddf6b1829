#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "schedule/message_graph.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// What one rank has for another one.
struct PairBlock {
  std::int64_t from = 0;
  std::int64_t to = 0;
  ByteRange range = {};
};

/// What some ranks of a platform send through other ranks, so that no connection is busy for longer than everything
/// else.
struct RelayedExchange {
  std::function<MessageGraph()> make;
  double length_s = 0;  ///< about
};
/// Blocks consist of whole elements, which are not cut. They do not overlap and are not empty; there is at most one
/// from one rank to another. Blocks that are not divided are sent in their order. Keeps the network. Throws InputError
/// if no part of any block would go by way of another rank.
[[nodiscard]] RelayedExchange relayed_exchange(const RankNetwork& network, std::vector<PairBlock> blocks,
                                               std::int64_t element_bytes);

}  // namespace sluice::detail
