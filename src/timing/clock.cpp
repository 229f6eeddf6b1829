#include "timing/clock.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice::detail {

double Clock::floor(const MessageGraph& graph) const { return replay_floor(network_, graph, combine_s_per_byte_); }

std::optional<TimedMessages> Clock::replay(const TimedMessages& messages, ReplayLimits& limits) const {
  const std::optional<ReplayResult> times = replay(lower(messages, network_.platform().ranks), limits);
  if (!times) return std::nullopt;
  TimedMessages result;
  result.bytes = messages.bytes;
  result.length_s = times->length_s;
  result.list.reserve(messages.list.size());
  for (const std::size_t m : times->started) {
    TimedMessage& message = result.list.emplace_back(messages.list[m]);
    message.start_s = times->messages[m].start;
    message.arrival_s = times->messages[m].arrival;
    message.connection_s =
        std::max(message.port_s, std::min(message.connection_s, message.arrival_s - message.start_s));
  }
  return result;
}

std::vector<SendPace> Clock::pace_in_turn(const MessageGraph& graph) const {
  std::vector<SendPace> pace;
  pace.reserve(graph.size());
  for (const MessageGraph::Message& each : graph.messages) {
    const MessageCosts costs =
        network_.costs(network_.cluster(each.from), network_.cluster(each.to), each.bytes, false);
    pace.push_back({costs.port_s, costs.connection_s});
  }
  return pace;
}

}  // namespace sluice::detail
