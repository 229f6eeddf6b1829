#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"
#include "timing/rank_network.hpp"

/// Messages between ranks, and when each is sent and arrives.
namespace sluice::detail {

struct RankMessage {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int64_t begin = 0;  ///< bytes [begin, end) of the message
  std::int64_t end = 0;
  double priority = 0;  ///< a rank sends first what has the least; different for all messages of one connection
  bool alone = false;   ///< its sender sends nothing else before it arrives
  float pace = 1;       ///< times how long this one keeps the port: its sender's wait until it sends another
};

/// A message with its times, in seconds from the moment when the root has everything.
///
/// It may start when three conditions hold. Every byte of its range has arrived (at once on the root). `port_s` have
/// passed since the start of its sender's previous message. `connection_s` have passed since the start of its sender's
/// previous message to the same rank. Both may be longer than the message takes: then its sender waits.
struct TimedMessage {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  double port_s = 0;
  double connection_s = 0;  ///< at least port_s
  double start_s = 0;       ///< when its sender begins
  double arrival_s = 0;     ///< when its receiver has it

  [[nodiscard]] std::int64_t end() const { return offset + bytes; }
  friend bool operator==(const TimedMessage&, const TimedMessage&) = default;
};

/// Messages that carry out a broadcast of `bytes`, in the order of their starts. In this order they can pass one after
/// the other.
struct TimedMessages {
  std::int64_t bytes = 0;
  std::vector<TimedMessage> list;
  double length_s = 0;  ///< when the last one arrives

  friend bool operator==(const TimedMessages&, const TimedMessages&) = default;
};

/// Multiplies every time by `factor`.
inline void stretch(TimedMessages& messages, double factor) {
  messages.length_s *= factor;
  for (TimedMessage& each : messages.list) {
    each.start_s *= factor;
    each.arrival_s *= factor;
  }
}

/// Calls use(source, message), positions in the list, for each message and each source that brings bytes of it to its
/// sender.
template <class Use>
void for_sources(const TimedMessages& messages, std::int64_t ranks, Use use) {
  const std::vector<TimedMessage>& list = messages.list;
  std::vector<std::vector<std::pair<std::int64_t, std::size_t>>> comes(static_cast<std::size_t>(ranks));  // by its end
  for (std::size_t m = 0; m < list.size(); ++m)
    comes[static_cast<std::size_t>(list[m].to)].emplace_back(list[m].end(), m);
  for (auto& each : comes) std::sort(each.begin(), each.end());
  for (std::size_t m = 0; m < list.size(); ++m) {
    const auto& sources = comes[static_cast<std::size_t>(list[m].from)];
    auto at = std::upper_bound(sources.begin(), sources.end(), std::pair(list[m].offset, list.size()));
    for (; at != sources.end() && list[at->second].offset < list[m].end(); ++at) use(at->second, m);
  }
}

/// The messages without their ranges, in their order, and what brings the bytes of each; each with its pace.
[[nodiscard]] MessageGraph lower(const TimedMessages& messages, std::int64_t ranks);

/// Sends `messages` over `network`. Whenever a rank's port is free, it sends the message of least priority among those
/// that can go: it has the range, and the connection is free. `length_only`: no list, just the length. O(m log m) time
/// for m messages. Apart from Clock: it decides which message of a rank is next, and searches of routes call it
/// thousands of times.
[[nodiscard]] TimedMessages timed_messages(const RankNetwork& network, std::int64_t root, std::int64_t bytes,
                                           const std::vector<RankMessage>& messages, bool one_port, bool length_only);

}  // namespace sluice::detail
