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
  std::map<std::int64_t, std::vector<const detail::TimedMessage*>> received;
  double last = 0;
  for (std::size_t m = 0; m < messages.list.size(); ++m) {
    const detail::TimedMessage& each = messages.list[m];
    const auto fault = [&](const char* what) {
      return fmt::format("message {} of {}, {} to {}: {}", m, messages.list.size(), each.from, each.to, what);
    };
    for (const double time : {each.start_s, each.arrival_s, each.port_s, each.connection_s})
      if (!std::isfinite(time) || time < 0) return fault("no time");
    if (each.connection_s < each.port_s) return fault("keeps its port for longer than its connection");
    // Its sender may wait for longer than the message takes, but the connection is no reason to wait.
    const double left_s = each.connection_s > each.port_s ? each.connection_s : 0;
    if (each.arrival_s < each.start_s + left_s - rounding) return fault("arrives before it has left");
    if (m > 0 && each.start_s < messages.list[m - 1].start_s - rounding) return fault("starts before the one before");
    const auto waits = [&](auto& of, double kept) {
      const bool early = each.start_s < of.start + of.kept - rounding;
      of = {each.start_s, kept};
      return early;
    };
    if (waits(port[each.from], each.port_s)) return fault("the port is not free");
    if (waits(connection[{each.from, each.to}], each.connection_s)) return fault("the connection is not free");
    std::int64_t there = each.from == root ? each.bytes : 0;
    for (const detail::TimedMessage* source : received[each.from]) {
      const std::int64_t common = std::min(source->end(), each.end()) - std::max(source->offset, each.offset);
      if (common <= 0) continue;
      there += common;
      if (each.start_s < source->arrival_s - rounding) return fault("its bytes are not there");
    }
    if (there != each.bytes) return fault("its sender does not have its bytes");
    received[each.to].push_back(&each);
    last = std::max(last, each.arrival_s);
  }
  if (std::abs(last - messages.length_s) > rounding)
    return fmt::format("the last arrives at {}, the length is {}", last, messages.length_s);
  return "";
}

}  // namespace sluice::testing
