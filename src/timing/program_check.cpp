/// Whether the times of a program are possible over a platform.
///
/// Method: in the replay (timing/replay.cpp) everything that a message passes carries at most one second's worth
/// of messages in a second. No message is faster than its connection. So two things are bounds: the sum over what
/// passes each thing, and the longest path through what waits for each other, with nothing shared. Complexity:
/// O(operations) with a logarithm for the gap tables; O(ranks + clusters^2) memory besides. Source: ours.
#include "sluice/timing/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/rank_network.hpp"

namespace sluice {
namespace {

/// Sums of times come in another order than in a replay, and files have decimals.
constexpr double kTimeRounding = 1e-6;

}  // namespace

ProgramBound least_time_of(const Platform& platform, const Program& program) {
  const detail::RankNetwork network(platform);
  const detail::MessageGraph graph = detail::lower(program);
  const std::size_t clusters = platform.clusters.size();
  std::vector<double> sends(static_cast<std::size_t>(program.ranks), 0), receives(sends), combining(sends);
  std::vector<double> uplinks(network.uplinks(), 0);
  std::unordered_map<std::size_t, double> links;
  std::vector<double> ends(2 * graph.size(), 0), arrival(graph.size(), 0);
  double last = 0;
  detail::for_ends(graph, [&](detail::MessageEnd end) {
    const detail::MessageGraph::Message& message = graph.at(end);
    double ready = 0;
    for (const detail::MessageEnd before : graph.after[end]) ready = std::max(ready, ends[before]);
    if (!detail::is_start(end)) {
      ends[end] = std::max(ready, arrival[detail::message_of(end)]);
      if (message.kind == detail::MessageKind::kCombine) {
        const double work_s = program.combine_s_per_byte.of(message.to) * static_cast<double>(message.bytes);
        ends[end] += work_s;
        combining[static_cast<std::size_t>(message.to)] += work_s;
      }
      last = std::max(last, ends[end]);
      return;
    }
    const std::size_t from = network.cluster(message.from), to = network.cluster(message.to);
    const detail::MessageCosts costs = network.costs(from, to, message.bytes, false);
    ends[end] = ready + costs.connection_s;
    arrival[detail::message_of(end)] = ends[end] + costs.latency_s;
    const auto port = [&](std::size_t cluster) {
      return from == to ? costs.connection_s : network.port_s(cluster, costs.connection_s, message.bytes);
    };
    sends[static_cast<std::size_t>(message.from)] += port(from);
    receives[static_cast<std::size_t>(message.to)] += port(to);
    if (from == to) return;
    links[from * clusters + to] += costs.link_s;
    network.for_uplinks(from, to, [&](std::size_t number) {
      uplinks[number] += network.kept_s(number, costs.link_s, network.uplink_s(number, message.bytes));
    });
  });
  ProgramBound least{last, "a row of messages"};
  const auto offer = [&](double seconds, auto name) {
    if (seconds > least.seconds) least = {seconds, name()};
  };
  for (std::size_t r = 0; r < sends.size(); ++r) {
    offer(sends[r], [&] { return fmt::format("what rank {} sends", r); });
    offer(receives[r], [&] { return fmt::format("what rank {} receives", r); });
    offer(combining[r], [&] { return fmt::format("what rank {} combines", r); });
  }
  std::vector<std::pair<std::size_t, double>> by_number(links.begin(), links.end());
  std::ranges::sort(by_number);
  for (const auto& link : by_number)
    offer(link.second, [&] {
      return fmt::format("the link from {} to {}", platform.clusters[link.first / clusters].name,
                         platform.clusters[link.first % clusters].name);
    });
  for (std::size_t u = 0; u < uplinks.size(); ++u)
    offer(uplinks[u], [&] {
      const std::size_t first = network.levels().groups()[u / 2].clusters.front();
      return fmt::format("what {} the group of {}", u % 2 == 0 ? "leaves" : "enters", platform.clusters[first].name);
    });
  return least;
}

std::vector<Violation> validate(const Program& program, const Platform& platform) {
  check_platform(platform, "platform");
  if (program.ranks != platform.ranks)
    throw InputError("platform", count_text(platform.ranks, "rank"),
                     fmt::format("the {} of the program", program.ranks));
  std::vector<Violation> violations = validate(program);
  if (!violations.empty()) return violations;
  const ProgramBound least = least_time_of(platform, program);
  if (program.length_s > 0 && program.length_s < least.seconds * (1 - kTimeRounding))
    violations.push_back({-1, -1,
                          fmt::format("length_s is {}, but {} takes {} s over the platform", program.length_s,
                                      least.kind, least.seconds)});
  if (program.bound.empty()) return violations;
  const ProgramBound bound = bound_of(platform, problem_of(program));
  if (program.bound_s > bound.seconds * (1 + kTimeRounding))
    violations.push_back({-1, -1,
                          fmt::format("bound_s is {}, but {} is all that the platform proves, by {}", program.bound_s,
                                      bound.seconds, bound.kind)});
  return violations;
}

}  // namespace sluice
