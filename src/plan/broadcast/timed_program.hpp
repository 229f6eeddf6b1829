#pragma once

#include <cstdint>
#include <vector>

#include "plan/broadcast/rank_network.hpp"
#include "sluice/schedule/broadcast_program.hpp"

/// Messages between ranks, and when each is sent and arrives.
namespace sluice::detail {

struct RankMessage {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t begin = 0;  ///< bytes [begin, end) of the message
  std::int64_t end = 0;
  double priority = 0;  ///< of what it could send, a rank sends the least first; of one connection all different
  bool alone = false;   ///< its sender sends nothing else before it arrives
};

/// Sends `messages` over `network`: whenever a rank's port is free, the message of least priority whose range it has
/// and whose connection is free. The program has the messages in the order of their starts; `length_only`: no messages,
/// just the length. O(m log m) time for m messages.
[[nodiscard]] BroadcastProgram timed_program(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                             const std::vector<RankMessage>& messages, bool one_port, bool length_only);

}  // namespace sluice::detail
