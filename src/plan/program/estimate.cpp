/// About how long a program takes, in one walk over its operations.
///
/// Problem: auto compares dozens of programs; the replay of one of 10^5 messages takes seconds, as all that share
/// something have their rates found anew whenever one begins or ends.
/// Method: operations begin in the order of the list, which is one in which they could follow each other. A message
/// takes its turn at the sender's port, the connection, the link, the uplinks that it passes and the receiver's port;
/// each serves messages one after the other, and the message is there when the last of them has served it, and the
/// latency after that. So what is shared carries as much in the same time as in the replay, only not side by side.
/// Guarantee: none; the list need not be the order in time.
/// Complexity: O(operations and what they wait for), with a logarithm for the gap tables.
/// Source: ours; the costs are those of the replay (plan/broadcast/replay.cpp).
#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "plan/program/replay.hpp"
#include "schedule/message_partners.hpp"

namespace sluice::detail {

double estimated_length(const RankNetwork& network, const Program& program, double combine_s_per_byte) {
  const std::vector<ProgramOperation>& operations = program.operations;
  const std::vector<std::size_t> partner = message_partners(program);
  const std::size_t clusters = network.platform().clusters.size();
  std::vector<double> sender(static_cast<std::size_t>(program.ranks), 0), receiver(sender);
  std::vector<double> uplink(network.uplinks(), 0);
  std::unordered_map<std::size_t, double> link;
  /// When what is free from `free` on has served what comes at `start` and keeps it for `kept`.
  const auto served = [](double& free, double start, double kept) { return free = std::max(free, start) + kept; };
  std::vector<double> end(operations.size(), 0), arrival(operations.size(), 0);
  double length = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ProgramOperation& op = operations[i];
    double ready = 0;
    for (const std::int64_t before : op.after) ready = std::max(ready, end[static_cast<std::size_t>(before)]);
    const std::int64_t bytes = op.message_bytes();
    if (op.kind == ProgramOperation::Kind::kSend) {
      const MessageCosts costs = pace_of(network, op);
      const std::size_t from = network.cluster(op.rank), to = network.cluster(op.peer);
      double done = std::max(served(sender[static_cast<std::size_t>(op.rank)], ready, costs.port_s),
                             served(receiver[static_cast<std::size_t>(op.peer)], ready, costs.receive_s));
      done = std::max(done, ready + costs.connection_s);
      if (from != to) {
        done = std::max(done, served(link[from * clusters + to], ready, costs.link_s));
        network.for_uplinks(from, to, [&](std::size_t number) {
          const double kept = network.kept_s(number, costs.link_s, network.uplink_s(number, bytes));
          done = std::max(done, served(uplink[number], ready, kept));
        });
      }
      end[i] = done;
      arrival[partner[i]] = done + costs.latency_s;
    } else {
      const bool combines = op.kind == ProgramOperation::Kind::kCombine;
      end[i] = std::max(ready, arrival[i] + (combines ? combine_s_per_byte * static_cast<double>(bytes) : 0));
      length = std::max(length, end[i]);
    }
  }
  return length;
}

}  // namespace sluice::detail
