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

#include "timing/flow_way.hpp"
#include "timing/program_replay.hpp"

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
  double take(std::int64_t sender, std::int64_t receiver, std::int64_t bytes, double ready, double& latency_s) {
    const std::size_t from = network_.cluster(sender), to = network_.cluster(receiver);
    const MessageCosts costs = network_.costs(from, to, bytes, false);
    latency_s = costs.latency_s;
    double done = std::max(served(sender_[static_cast<std::size_t>(sender)], ready, costs.port_s),
                           served(receiver_[static_cast<std::size_t>(receiver)], ready, costs.receive_s));
    done = std::max(done, ready + costs.connection_s);
    if (from == to) return done;
    done = std::max(done, served(link_[from * clusters_ + to], ready, costs.link_s));
    network_.for_uplinks(from, to, [&](std::size_t number) {
      const double kept = network_.kept_s(number, costs.link_s, network_.uplink_s(number, bytes));
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

double estimated_length(const RankNetwork& network, const TimedProgram& program) {
  const std::vector<ProgramMessage>& list = program.messages.list();
  const MessageWaits& waits = program.waits;
  const std::int64_t ranks = network.platform().ranks;
  Turns turns(network, ranks);
  std::vector<double> end(waits.operations.size(), 0), arrival(list.size(), 0);
  std::vector<double> combined(static_cast<std::size_t>(ranks), 0);  // by rank: until when it combines
  const bool takes_time = !program.combine_s_per_byte.are_free();
  double length = 0;
  for (std::size_t i = 0; i < waits.operations.size(); ++i) {
    const auto [m, sends] = waits.operations[i];
    const ProgramMessage& message = list[m];
    double ready = 0;
    for (const std::uint32_t before : waits.after(i)) ready = std::max(ready, end[before]);
    if (sends) {
      double latency_s = 0;
      end[i] = turns.take(message.from, message.to, total_bytes(message.ranges), ready, latency_s);
      arrival[m] = end[i] + latency_s;
    } else {
      end[i] = std::max(ready, arrival[m]);
      if (message.combine && takes_time) {
        double& until = combined[static_cast<std::size_t>(message.to)];
        end[i] = until = std::max(end[i], until) +
                         program.combine_s_per_byte.of(message.to) * static_cast<double>(total_bytes(message.ranges));
      }
      length = std::max(length, end[i]);
    }
  }
  return length;
}

double load_of(const RankNetwork& network, const ProgramMessages& messages) {
  Turns turns(network, network.platform().ranks);
  double load = 0, latency_s = 0;
  for (const ProgramMessage& message : messages.list())
    load = std::max(load, turns.take(message.from, message.to, total_bytes(message.ranges), 0, latency_s));
  return load;
}

double replay_at_least(const RankNetwork& network, const ProgramMessages& messages,
                       const CombiningCosts& combine_s_per_byte) {
  const auto ranks = static_cast<std::size_t>(network.platform().ranks);
  const std::size_t connection = passed_things(network);  // each has its own, and few messages
  std::vector<double> kept(connection + 1, 0), busy(ranks, 0);
  double latency_s = kInfinity;
  for (const ProgramMessage& message : messages.list()) {
    const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
    const std::int64_t bytes = total_bytes(message.ranges);
    const FlowWay way = pass_all(network, from, to, bytes, connection,
                                 [&](std::size_t thing, double seconds, double) { kept[thing] += seconds; });
    busy[from] += way.overhead_s;
    busy[to] += way.overhead_s + (message.combine ? combine_s_per_byte.of(message.to) * static_cast<double>(bytes) : 0);
    latency_s = std::min(latency_s, way.latency_s);
  }
  kept.pop_back();
  const double kept_s = std::ranges::max(kept);
  return kept_s > 0 ? std::max(latency_s + kept_s, std::ranges::max(busy)) : 0;
}

}  // namespace sluice::detail
