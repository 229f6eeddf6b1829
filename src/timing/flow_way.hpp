#pragma once

#include <cstddef>
#include <cstdint>

#include "sluice/input/platform.hpp"
#include "timing/rank_network.hpp"

namespace sluice::detail {

/// What messages of one length from one rank to another have in common in the replay.
struct FlowWay {
  double latency_s = 0;
  double least_s = 0;     ///< how long one flows that has all it passes for itself
  double overhead_s = 0;  ///< for how long it keeps either end busy
};

/// The number of things that flows pass, without connections: ports of senders, of receivers, links, uplinks in both
/// directions.
[[nodiscard]] inline std::size_t passed_things(const RankNetwork& network) {
  const std::size_t clusters = network.platform().clusters.size();
  return 2 * static_cast<std::size_t>(network.platform().ranks) + clusters * clusters + network.uplinks();
}

/// Calls pass(thing, seconds, queued_s) for each thing that a message passes, `connection` first. If alone, the message
/// would keep the thing for `seconds`. TCP queues `queued_s` of it there.
template <class Pass>
FlowWay pass_all(const RankNetwork& network, std::size_t sender, std::size_t receiver, std::int64_t bytes,
                 std::size_t connection, Pass pass) {
  constexpr std::int64_t kQueuedBytes = 8775;  // of every flow in everything it passes
  const auto ranks = static_cast<std::size_t>(network.platform().ranks);
  const std::size_t clusters = network.platform().clusters.size();
  const std::size_t from = network.cluster(static_cast<std::int64_t>(sender));
  const std::size_t to = network.cluster(static_cast<std::int64_t>(receiver));
  if (from == to) {
    const PlatformCluster& cluster = network.platform().clusters[from];
    const double least_s = cluster.gap.at(bytes);
    pass(connection, least_s, 0);
    pass(sender, least_s, cluster.gap.at(kQueuedBytes));
    pass(ranks + receiver, least_s, cluster.gap.at(kQueuedBytes));
    return {cluster.latency_s, least_s, cluster.gap.at(1)};
  }
  const PlatformLink& link = network.link(from, to);
  const auto beside = static_cast<double>(link.connections);
  const double least_s = link.gap.at(bytes);
  pass(connection, least_s, link.gap.at(kQueuedBytes));
  const auto port = [&](std::size_t cluster, std::size_t thing) {
    const bool known = !network.platform().clusters[cluster].gap.points().empty();
    pass(thing, network.port_s(cluster, least_s, bytes),
         known ? network.port_s(cluster, link.gap.at(kQueuedBytes), kQueuedBytes) : 0);
  };
  port(from, sender);
  port(to, ranks + receiver);
  const std::size_t links = 2 * ranks;
  pass(links + from * clusters + to, least_s / beside, 0);
  const std::size_t uplinks = links + clusters * clusters;
  network.for_uplinks(from, to, [&](std::size_t number) {
    pass(uplinks + number, network.kept_s(number, least_s / beside, network.uplink_s(number, bytes)),
         network.uplink_s(number, kQueuedBytes));
  });
  return {link.latency_s, least_s, link.gap.at(1)};
}

}  // namespace sluice::detail
