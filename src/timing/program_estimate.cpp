/// An estimate of how long a program takes, in one walk over its operations.
///
/// Problem: auto compares dozens of programs. The replay of one of 10^5 messages takes seconds: whenever a message
/// begins or ends, all messages that share something with it get new rates.
/// Method: operations begin in the order of the list, which is a possible order. A message takes its turn at the
/// sender's port, the connection, the link, the uplinks that it passes and the receiver's port. Each serves messages
/// one after the other. The message is there a latency after the last of them has served it. A rank combines one
/// message after the other. So a shared thing carries as much in the same time as in the replay, only not side by side.
///
/// Guarantee: none; the list need not be the order in time.
/// Complexity: O(operations and what they wait for), with a logarithm for the gap tables.
/// Source: ours; the costs are the replay's (timing/replay.cpp).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "timing/clock.hpp"

namespace sluice::detail {
namespace {

/// What messages share, each thing free from some time on.
class Turns {
 public:
  Turns(const RankNetwork& network, std::int64_t ranks)
      : network_(network),
        clusters_(network.platform().clusters.size()),
        sender_(static_cast<std::size_t>(ranks), 0),
        receiver_(sender_),
        uplink_(network.uplinks(), 0) {}

  /// When all that a message passes has served it, which is ready at `ready`; `latency_s` later it is there.
  double take(const MessageGraph::Message& message, double ready, double& latency_s) {
    const std::size_t from = network_.cluster(message.from), to = network_.cluster(message.to);
    const MessageCosts costs = network_.costs(from, to, message.bytes, false);
    latency_s = costs.latency_s;
    double done = std::max(served(sender_[static_cast<std::size_t>(message.from)], ready, costs.port_s),
                           served(receiver_[static_cast<std::size_t>(message.to)], ready, costs.receive_s));
    done = std::max(done, ready + costs.connection_s);
    if (from == to) return done;
    done = std::max(done, served(link_[from * clusters_ + to], ready, costs.link_s));
    network_.for_uplinks(from, to, [&](std::size_t number) {
      const double kept = network_.kept_s(number, costs.link_s, network_.uplink_s(number, message.bytes));
      done = std::max(done, served(uplink_[number], ready, kept));
    });
    return done;
  }

 private:
  static double served(double& free, double start, double kept) { return free = std::max(free, start) + kept; }

  const RankNetwork& network_;
  std::size_t clusters_;
  std::vector<double> sender_, receiver_, uplink_;
  std::unordered_map<std::size_t, double> link_;
};

}  // namespace

double Clock::estimate(const MessageGraph& graph) const {
  const std::int64_t ranks = network_.platform().ranks;
  Turns turns(network_, ranks);
  std::vector<double> ends(2 * graph.size(), 0), arrival(graph.size(), 0);
  std::vector<double> combined(static_cast<std::size_t>(ranks), 0);  // by rank: until when it combines
  const bool takes_time = !combine_s_per_byte_.are_free();
  double length = 0;
  for_ends(graph, [&](MessageEnd end) {
    const MessageGraph::Message& message = graph.at(end);
    double ready = 0;
    for (const MessageEnd before : graph.after[end]) ready = std::max(ready, ends[before]);
    if (is_start(end)) {
      double latency_s = 0;
      ends[end] = turns.take(message, ready, latency_s);
      arrival[message_of(end)] = ends[end] + latency_s;
      return;
    }
    ends[end] = std::max(ready, arrival[message_of(end)]);
    if (message.kind == MessageKind::kCombine && takes_time) {
      double& until = combined[static_cast<std::size_t>(message.to)];
      ends[end] = until = std::max(ends[end], until) + combining_s(message, combine_s_per_byte_);
    }
    length = std::max(length, ends[end]);
  });
  return length;
}

double Clock::load(const MessageGraph& graph) const {
  Turns turns(network_, network_.platform().ranks);
  double load = 0, latency_s = 0;
  for (const MessageGraph::Message& message : graph.messages) load = std::max(load, turns.take(message, 0, latency_s));
  return load;
}

}  // namespace sluice::detail
