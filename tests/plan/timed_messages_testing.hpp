#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "timing/timed_messages.hpp"

namespace sluice::testing {

/// What is wrong with the times of `messages`, found by nothing but their definition; empty if nothing.
inline std::string fault_in_times(const detail::TimedMessages& messages, std::int64_t root) {
  const double rounding = 1e-9 * messages.length_s;
  struct Last {
    double start = 0;
    double kept = 0;
  };
  std::map<std::int64_t, Last> port;
  std::map<std::pair<std::int64_t, std::int64_t>, Last> connection;
  std::map<std::int64_t, std::vector<std::size_t>> received;
  double last = 0;
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const detail::MessageGraph::Message& each = messages.graph.messages[m];
    const auto [port_s, connection_s] = messages.graph.pace[m];
    const auto [start_s, arrival_s] = messages.times[m];
    const ByteRange& range = messages.range(m);
    const auto fault = [&](const char* what) {
      return fmt::format("message {} of {}, {} to {}: {}", m, messages.size(), each.from, each.to, what);
    };
    for (const double time : {start_s, arrival_s, port_s, connection_s})
      if (!std::isfinite(time) || time < 0) return fault("no time");
    if (connection_s < port_s) return fault("keeps its port for longer than its connection");
    // Its sender may wait for longer than the message takes, but the connection is no reason to wait.
    const double left_s = connection_s > port_s ? connection_s : 0;
    if (arrival_s < start_s + left_s - rounding) return fault("arrives before it has left");
    if (m > 0 && start_s < messages.times[m - 1].start_s - rounding) return fault("starts before the one before");
    const auto waits = [&](auto& of, double kept) {
      const bool early = messages.times[m].start_s < of.start + of.kept - rounding;
      of = {messages.times[m].start_s, kept};
      return early;
    };
    if (waits(port[each.from], port_s)) return fault("the port is not free");
    if (waits(connection[{each.from, each.to}], connection_s)) return fault("the connection is not free");
    if (range.bytes != each.bytes) return fault("is not as long as its range");
    std::int64_t there = each.from == root ? each.bytes : 0;
    for (const std::size_t source : received[each.from]) {
      const ByteRange& brought = messages.range(source);
      const std::int64_t common = std::min(brought.end(), range.end()) - std::max(brought.offset, range.offset);
      if (common <= 0) continue;
      there += common;
      if (start_s < messages.times[source].arrival_s - rounding) return fault("its bytes are not there");
    }
    if (there != each.bytes) return fault("its sender does not have its bytes");
    received[each.to].push_back(m);
    last = std::max(last, arrival_s);
  }
  if (std::abs(last - messages.length_s) > rounding)
    return fmt::format("the last arrives at {}, the length is {}", last, messages.length_s);
  return "";
}

}  // namespace sluice::testing
