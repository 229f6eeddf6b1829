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

#include "schedule/message_partners.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice {
namespace {

/// Sums of times come in another order than in a replay, and files have decimals.
constexpr double kTimeRounding = 1e-6;

}  // namespace

ProgramBound least_time_of(const Platform& platform, const Program& program) {
  const detail::RankNetwork network(platform);
  const std::vector<ProgramOperation>& operations = program.operations;
  const std::vector<std::size_t> partner = detail::message_partners(program);
  const std::size_t clusters = platform.clusters.size();
  std::vector<double> sends(static_cast<std::size_t>(program.ranks), 0), receives(sends), combining(sends);
  std::vector<double> uplinks(network.uplinks(), 0);
  std::unordered_map<std::size_t, double> links;
  std::vector<double> end(operations.size(), 0), arrival(operations.size(), 0);
  double last = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ProgramOperation& op = operations[i];
    double ready = 0;
    for (const std::int64_t before : op.after) ready = std::max(ready, end[static_cast<std::size_t>(before)]);
    if (op.kind != ProgramOperation::Kind::kSend) {
      end[i] = std::max(ready, arrival[i]);
      if (op.kind == ProgramOperation::Kind::kCombine) {
        const double work_s = program.combine_s_per_byte.of(op.rank) * static_cast<double>(op.message_bytes());
        end[i] += work_s;
        combining[static_cast<std::size_t>(op.rank)] += work_s;
      }
      last = std::max(last, end[i]);
      continue;
    }
    const std::int64_t bytes = op.message_bytes();
    const detail::MessageCosts costs = detail::pace_of(network, op);
    const std::size_t from = network.cluster(op.rank), to = network.cluster(op.peer);
    end[i] = ready + costs.connection_s;
    arrival[partner[i]] = end[i] + costs.latency_s;
    const auto port = [&](std::size_t cluster) {
      return from == to ? costs.connection_s : network.port_s(cluster, costs.connection_s, bytes);
    };
    sends[static_cast<std::size_t>(op.rank)] += port(from);
    receives[static_cast<std::size_t>(op.peer)] += port(to);
    if (from == to) continue;
    links[from * clusters + to] += costs.link_s;
    network.for_uplinks(from, to, [&](std::size_t number) {
      uplinks[number] += network.kept_s(number, costs.link_s, network.uplink_s(number, bytes));
    });
  }
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
