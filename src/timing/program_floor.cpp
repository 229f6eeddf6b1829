/// Lower bounds of the replay of some messages, apart from replay_floor.cpp: one for planners, one for judges.
///
/// Method: in the replay (timing/replay.cpp) everything that a message passes carries at most one second's worth of
/// messages in a second. No message is faster than its connection. So two things are bounds: the sum over what passes
/// each thing, and the longest path through what waits for each other, with nothing shared.
/// Complexity: O(messages) with a logarithm for the gap tables, and what they wait for; O(ranks + clusters^2) memory
/// besides. Source: ours.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/infinity.hpp"
#include "timing/clock.hpp"
#include "timing/flow_way.hpp"

namespace sluice::detail {
namespace {

/// For how long messages keep what they pass, each thing and each rank for itself.
struct Loads {
  explicit Loads(const RankNetwork& of)
      : network(of), kept(passed_things(of) + 1, 0), busy(static_cast<std::size_t>(of.platform().ranks), 0) {}

  FlowWay add(const MessageGraph::Message& message, double work_s) {
    const auto from = static_cast<std::size_t>(message.from), to = static_cast<std::size_t>(message.to);
    const FlowWay way = pass_all(network, from, to, message.bytes, kept.size() - 1,
                                 [&](std::size_t thing, double seconds, double) { kept[thing] += seconds; });
    busy[from] += way.overhead_s;
    busy[to] += way.overhead_s + work_s;
    latency_s = std::min(latency_s, way.latency_s);
    return way;
  }

  const RankNetwork& network;
  std::vector<double> kept;      // by thing; the last one stands for connections: each has its own, and few messages
  std::vector<double> busy;      // by rank
  double latency_s = kInfinity;  // the least
};

}  // namespace

double Clock::quick_floor(const MessageGraph& graph) const {
  Loads loads(network_);
  for (const MessageGraph::Message& message : graph.messages)
    loads.add(message, combining_s(message, combine_s_per_byte_));
  loads.kept.pop_back();
  const double kept_s = std::ranges::max(loads.kept);
  return kept_s > 0 ? std::max(loads.latency_s + kept_s, std::ranges::max(loads.busy)) : 0;
}

ProgramBound Clock::least_time(const MessageGraph& graph) const {
  Loads loads(network_);
  std::vector<double> ends(2 * graph.size(), 0), arrival(graph.size(), 0), combining(loads.busy.size(), 0);
  ProgramBound least{0, "a row of messages"};
  for_ends(graph, [&](MessageEnd end) {
    const MessageGraph::Message& message = graph.at(end);
    double ready = 0;
    for (const MessageEnd before : graph.after[end]) ready = std::max(ready, ends[before]);
    const double work_s = combining_s(message, combine_s_per_byte_);
    if (is_start(end)) {
      const FlowWay way = loads.add(message, work_s);
      ends[end] = ready + way.least_s;
      arrival[message_of(end)] = ends[end] + way.latency_s;
      return;
    }
    ends[end] = std::max(ready, arrival[message_of(end)]) + work_s;
    combining[static_cast<std::size_t>(message.to)] += work_s;
    least.seconds = std::max(least.seconds, ends[end]);
  });
  const auto offer = [&](double seconds, auto name) {
    if (seconds > least.seconds) least = {seconds, name()};
  };
  const Platform& platform = network_.platform();
  const std::size_t ranks = loads.busy.size(), clusters = platform.clusters.size();
  for (std::size_t r = 0; r < ranks; ++r) {
    offer(loads.kept[r], [&] { return fmt::format("what rank {} sends", r); });
    offer(loads.kept[ranks + r], [&] { return fmt::format("what rank {} receives", r); });
    offer(combining[r], [&] { return fmt::format("what rank {} combines", r); });
  }
  const std::size_t links = 2 * ranks, uplinks = links + clusters * clusters;
  for (std::size_t link = 0; link < clusters * clusters; ++link)
    offer(loads.kept[links + link], [&] {
      return fmt::format("the link from {} to {}", platform.clusters[link / clusters].name,
                         platform.clusters[link % clusters].name);
    });
  for (std::size_t u = 0; u < network_.uplinks(); ++u)
    offer(loads.kept[uplinks + u], [&] {
      const std::size_t first = network_.levels().groups()[u / 2].clusters.front();
      return fmt::format("what {} the group of {}", u % 2 == 0 ? "leaves" : "enters", platform.clusters[first].name);
    });
  return least;
}

}  // namespace sluice::detail
