/// Reductions over clusters: reversed broadcasts.
///
/// Problem: every rank of a platform has an array, the root shall have the combination of all, by an operation that
/// works element by element and commutes.
/// Method: a broadcast from the root over the links in the opposite direction, played backwards from its end. Every
/// message goes back to where it came from and is combined there. A rank gets what it has sent, in the opposite order,
/// and sends what it has got, in the opposite order. A message waits for messages with its elements, which the rank
/// forwarded in the broadcast after the message had come. A broadcast's messages can pass one after the other in the
/// order of their starts, so these can pass in the opposite order.
/// Bytes become elements: an element goes where its last byte went.
/// All ranks have something to send at first. If they send it at once, the busiest part has more than it can forward,
/// and what waits there shares its rate. So the messages of one connection may also follow each other not much sooner
/// than in the mirror image: with few messages if the replay says that this is shorter, with many always.
/// Guarantee: as long as the broadcast if every message takes as long as the one that it mirrors, and combining takes
/// nothing. This holds in the model; if messages share links, they come to share them in another order.
/// Complexity: O(m log m) for m messages, besides planning the broadcast.
/// Combining that takes time: messages are received no faster than they are combined. So the broadcast is also planned
/// over links that are no faster than combining; if ranks of a cluster take different times, no faster than its median.
/// A rank that combines begins no message. So it is planned once more over links that leave time to receive one and to
/// begin one in between. The replay, which counts combining, decides.
/// Source: that the two problems mirror each other is well known, of binomial trees for instance from Rabenseifner
/// (2004); between clusters, Steffenel (2006) has the broadcast alone.
///
/// Example: 0 sends to 1 until 3, and to 2 until 5; 1 forwards to 3 until 6. Backwards from 6: 3 sends to 1 from 0 on,
/// 2 to 0 from 1 on. 1 combines what came from 3 and sends to 0 from 3 on.
#include "plan/collective/reversed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plan/collective/registry.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/timing/program_replay.hpp"

namespace sluice {

BetweenClusters transposed(const BetweenClusters& problem) {
  BetweenClusters result = problem;
  const std::size_t n = problem.inside.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      result.gap.at(i * n + j) = problem.gap.at(j * n + i);
      result.latency.at(i * n + j) = problem.latency.at(j * n + i);
    }
  }
  return result;
}

TreeSchedule reversed(const TreeSchedule& schedule, const BetweenClusters& problem) {
  if (schedule.problem != "broadcast") throw InputError("schedule", schedule.problem, "one of broadcast");
  if (schedule.machines != problem.clusters())
    throw InputError("schedule", count_text(schedule.machines, "machine"), count_text(problem.clusters(), "cluster"));
  TreeSchedule result = schedule;
  result.problem = "reduce";
  result.over_links = true;
  result.arrivals = problem.inside;
  result.transfers.clear();
  // From the last transfer on: if transfers take no time, a transfer that another waits for stays before it.
  for (auto t = schedule.transfers.rbegin(); t != schedule.transfers.rend(); ++t)
    result.transfers.push_back({t->to, t->from, std::max(0.0, schedule.length - t->end),
                                std::max(0.0, schedule.length - t->start), schedule.segments - 1 - t->segment});
  std::stable_sort(result.transfers.begin(), result.transfers.end(),
                   [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
  return result;
}

namespace {

constexpr const char* kReversedBroadcast = "reversed-broadcast";

/// A port is free a moment before the connection that it served last. So a message of another connection gets its turn,
/// although messages of one connection stand next to each other in the list.
constexpr double kFreeSooner = 1 - 1e-6;
/// Times in the mirror image are multiplied by this factor, so that ranks can catch up: of 0.7, 0.8, 0.9 and 1 the best
/// on the mean of 23 reductions.
constexpr double kInTime = 0.8;

double median_cost(const PlatformCluster& cluster, const CombiningCosts& costs) {
  std::vector<double> each;
  for (const std::int64_t rank : cluster.ranks) each.push_back(costs.of(rank));
  const auto middle = each.begin() + (std::ssize(each) - 1) / 2;
  std::ranges::nth_element(each, middle);
  return *middle;
}

/// The platform for a broadcast whose mirror image combines what it receives: no message is faster than its combining.
void slow_down_to_combining(Platform& platform, const detail::CombiningPace& pace) {
  if (pace.s_per_byte.are_free()) return;
  const auto slow_down = [&](GapTable& gap, double s_per_byte) {
    std::vector<GapTable::Point> points = gap.points();
    if (points.empty() || s_per_byte == 0) return;
    const double between_s = pace.messages_between * gap.at(1);
    for (GapTable::Point& point : points)
      point.seconds = std::max(point.seconds, between_s + s_per_byte * static_cast<double>(point.bytes));
    gap = GapTable(std::move(points));
  };
  std::vector<double> of_cluster;
  for (const PlatformCluster& cluster : platform.clusters) of_cluster.push_back(median_cost(cluster, pace.s_per_byte));
  const auto of_part = [&](std::int64_t part) {
    const PlatformPart& of = platform.parts[static_cast<std::size_t>(part)];
    return *std::min_element(of_cluster.begin() + of.first_cluster,
                             of_cluster.begin() + of.first_cluster + of.clusters);
  };
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) slow_down(platform.clusters[c].gap, of_cluster[c]);
  for (PlatformLink& link : platform.links)
    slow_down(link.gap,
              std::min(of_cluster[static_cast<std::size_t>(link.from)], of_cluster[static_cast<std::size_t>(link.to)]));
  for (PlatformLink& link : platform.part_links) slow_down(link.gap, std::min(of_part(link.from), of_part(link.to)));
}

}  // namespace

namespace detail {

Platform without_broadcast_times(Platform platform) {
  for (PlatformCluster& cluster : platform.clusters) cluster.broadcast = cluster.planned_broadcast = {};
  return platform;
}

Platform mirror_platform(const Platform& platform, const CombiningPace& pace) {
  Platform result = without_broadcast_times(with_links_turned(platform));
  slow_down_to_combining(result, pace);
  return result;
}

MessageGraph mirrored(const PlannedMessages& forth, const Program& shape, MirrorPace pace) {
  MessageGraph back;
  const TimedMessages& messages = forth.messages.value();
  // The time between a message and the previous one over its connection, as in the mirror image.
  std::vector<double> between_s(messages.size(), 0);
  if (pace == MirrorPace::kInTime) {
    std::unordered_map<std::int64_t, double> last;
    for (std::size_t m = 0; m < messages.size(); ++m) {
      const MessageGraph::Message& message = messages.graph.messages[m];
      const auto [before, first] = last.try_emplace(message.from * shape.ranks + message.to, 0);
      if (!first) between_s[m] = kInTime * (messages.times[m].arrival_s - before->second);
      before->second = messages.times[m].arrival_s;
    }
  }
  for (std::size_t m = messages.size(); m-- > 0;) {
    // An element goes with its last byte.
    const std::int64_t begin = messages.range(m).offset / shape.element_bytes * shape.element_bytes;
    const std::int64_t end = messages.range(m).end() / shape.element_bytes * shape.element_bytes;
    const SendPace& there = messages.graph.pace[m];
    back.add(messages.graph.messages[m].to, messages.graph.messages[m].from, {begin, end - begin},
             MessageKind::kCombine, {there.port_s * kFreeSooner, std::max(there.connection_s, between_s[m])});
  }
  return back;
}

ReversedMessages reversed_messages(const Platform& platform, const Program& shape, const CombiningPace& pace,
                                   const BroadcastOptions& options) {
  if (options.algorithm == "native") throw InputError("algorithm", "native", "one that plans messages");
  if (options.early_internal)
    throw InputError("early internal broadcasts", "a reduction", "clusters that combine before they receive");
  ReversedMessages result{.other_way = mirror_platform(platform, pace), .forth = {}, .back = {}};
  BroadcastOptions how = options;
  how.messages = true;
  result.forth = plan_messages(result.other_way, shape.root, shape.size_bytes, how);
  result.back = mirrored(result.forth, shape, mirror_pace(result.forth));
  return result;
}

}  // namespace detail

ReversedPlan plan_reversed_broadcast(const Platform& platform, std::int64_t root, std::int64_t elements,
                                     std::int64_t element_bytes, const BroadcastOptions& options) {
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  check_platform(platform, "platform");
  ReversedPlan plan;
  plan.program.problem = Collective::kReduce;
  plan.program.ranks = platform.ranks;
  plan.program.size_bytes = checked::multiply(elements, element_bytes, "bytes of the elements");
  plan.program.root = root;
  plan.program.element_bytes = element_bytes;
  auto [other_way, forth, back] = detail::reversed_messages(platform, plan.program, {}, options);
  add_schedule(forth, other_way, root, plan.program.size_bytes, true);
  BetweenClusters machines = between_clusters(other_way, plan.program.size_bytes, root, 1, options.inside);
  if (forth.schedule.machines != machines.clusters())
    machines.inside.assign(static_cast<std::size_t>(forth.schedule.machines), 0);
  plan.schedule = reversed(forth.schedule, machines);
  plan.between_clusters = forth.between_clusters;
  plan.optimal = forth.optimal;
  plan.program.algorithm = detail::method_text(forth) + ", the other way round";
  plan.program.length_s = forth.length_s;
  const auto fill = [](Program& program, detail::MessageGraph messages) {
    program.pace = paces_of(messages);
    program.operations = operations_of(std::move(messages));
  };
  fill(plan.program, std::move(back));
  if (!forth.estimated) {
    Program in_time = plan.program;
    fill(in_time, detail::mirrored(forth, plan.program, detail::MirrorPace::kInTime));
    if (replay(platform, in_time).length_s < replay(platform, plan.program).length_s) plan.program = std::move(in_time);
  }
  plan.candidates = std::move(forth.candidates);
  return plan;
}

ProgramPlan plan_costly_reduction(const Platform& platform, std::int64_t root, std::int64_t elements,
                                  std::int64_t element_bytes, const CombiningCosts& combine_s_per_byte,
                                  const BroadcastOptions& options, bool commutative) {
  if (elements < 0) throw InputError("elements", fmt::format("{}", elements), "at least 0");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  const ProgramProblem problem{.problem = Collective::kReduce,
                               .size_bytes = checked::multiply(elements, element_bytes, "bytes of the elements"),
                               .root = root,
                               .element_bytes = element_bytes,
                               .commutative = commutative,
                               .combine_s_per_byte = combine_s_per_byte};
  ProgramOptions how{
      .segments = options.segments, .slack = options.slack, .effort = options.effort, .stop = options.stop};
  const bool by_name = has_algorithm(detail::program_algorithms(Collective::kReduce), options.algorithm);
  const bool any = options.algorithm == "auto" && options.inside.empty() && (options.segments == 0 || !commutative);
  if (by_name && options.algorithm != kReversedBroadcast) {
    how.algorithm = options.algorithm;
  } else if (!any) {
    if (!commutative)
      throw InputError("algorithm", fmt::format("'{}' with an operation that does not commute", options.algorithm),
                       "auto, or a program that keeps the order of the ranks, such as ordered-tree, without a strategy "
                       "inside clusters");
    how.algorithm = kReversedBroadcast;
  }
  BroadcastOptions of_broadcasts = options;
  if (by_name) of_broadcasts.algorithm = "auto";
  return detail::plan_program(platform, problem, how, of_broadcasts, detail::ProgramSearch::kSoon);
}

}  // namespace sluice
