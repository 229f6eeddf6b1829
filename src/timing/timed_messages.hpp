#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/message_graph.hpp"
#include "timing/rank_network.hpp"

/// The messages of a broadcast, and when each is sent and arrives.
namespace sluice::detail {

/// Messages that carry out a broadcast, with their times in seconds from the moment when the root has everything.
///
/// A message may start when three conditions hold. Every byte of its range has arrived (at once on the root). The
/// `port_s` of its sender's previous message have passed since that message started. So have the `connection_s` of its
/// sender's previous message to the same rank. Both may be longer than the message takes: then its sender waits.
struct TimedMessages {
  struct Times {
    double start_s = 0;    ///< when its sender begins
    double arrival_s = 0;  ///< when its receiver has it

    friend bool operator==(const Times&, const Times&) = default;
  };

  /// In the order of their starts, of one range and with a pace each. What they wait for may be known.
  MessageGraph graph;
  std::vector<Times> times;  ///< by message
  double length_s = 0;       ///< when the last one arrives

  [[nodiscard]] std::size_t size() const { return graph.size(); }
  [[nodiscard]] const ByteRange& range(std::size_t message) const { return graph.ranges[message].front(); }
};

/// Multiplies every time by `factor`; the pace stays.
inline void stretch(TimedMessages& messages, double factor) {
  messages.length_s *= factor;
  for (TimedMessages::Times& each : messages.times) {
    each.start_s *= factor;
    each.arrival_s *= factor;
  }
}

/// Sends the messages of a broadcast over `network`, each of one range and with `sending`. Whenever a rank's port is
/// free, it sends the message of least priority among those that can go: it has the range, and the connection is free.
/// `length_only`: no messages, just the length. O(m log m) time for m messages. Apart from Clock: it decides which
/// message of a rank is next, and searches of routes call it thousands of times.
[[nodiscard]] TimedMessages timed_messages(const RankNetwork& network, std::int64_t root, const MessageGraph& messages,
                                           bool one_port, bool length_only);

}  // namespace sluice::detail
