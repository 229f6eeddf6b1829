#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/message_graph.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// A broadcast by a pattern over all ranks.
struct RankPattern {
  std::string name;  ///< "circulant, 16 segments"
  std::int64_t segment_bytes = 1;
  MessageGraph messages;  ///< of one segment each, with `sending`
};

/// The patterns, in rising order of their messages, until they have `most_messages` messages in all. @pre several ranks
/// and a message of some bytes
[[nodiscard]] std::vector<RankPattern> rank_patterns(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                                     std::int64_t most_messages);

}  // namespace sluice::detail
