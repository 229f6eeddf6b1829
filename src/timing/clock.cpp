#include "timing/clock.hpp"

#include <algorithm>
#include <cstddef>

namespace sluice::detail {

double Clock::floor(const MessageGraph& graph) const { return replay_floor(network_, graph, combine_s_per_byte_); }

bool Clock::replay(TimedMessages& messages, ReplayLimits& limits) const {
  if (messages.graph.after.empty()) find_waits(messages.graph);
  const std::optional<ReplayResult> replayed = replay(messages.graph, limits);
  if (!replayed) return false;
  messages.graph = messages.graph.in_order(replayed->started);
  messages.length_s = replayed->length_s;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const ReplayResult::Times& times = replayed->messages[replayed->started[m]];
    messages.times[m] = {times.start, times.arrival};
    SendPace& pace = messages.graph.pace[m];
    pace.connection_s = std::max(pace.port_s, std::min(pace.connection_s, times.arrival - times.start));
  }
  return true;
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
