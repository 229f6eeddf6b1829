/// Programs made of broadcasts that are planned over the platform.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "plan/collective/reversed.hpp"
#include "plan/collective/variant_parts.hpp"
#include "plan/collective/variants.hpp"

namespace sluice::detail {

namespace {

/// Planned at once, because only the plan has a name.
ProgramVariant planned(std::string name, MessageGraph messages, double length_s) {
  return {std::move(name), [shared = std::make_shared<const MessageGraph>(std::move(messages))] { return *shared; },
          length_s};
}

/// If a broadcast is a part of a program, the whole program is replayed, so the broadcast has no more messages than
/// that allows.
BroadcastOptions of_a_part(const ProgramTask& task) {
  BroadcastOptions how = task.of_broadcasts;
  if (task.shape.problem != Collective::kReduce) how.most_messages = 0;
  return how;
}

/// A broadcast of the whole array from the root, reversed.
ReversedMessages broadcast_back(const ProgramTask& task, const CombiningPace& pace, const std::string& algorithm = {}) {
  Program whole = task.shape;
  whole.size_bytes = array_bytes(whole);
  BroadcastOptions how = of_a_part(task);
  if (!algorithm.empty()) how.algorithm = algorithm;
  return reversed_messages(task.network->platform(), whole, pace, how);
}

PlannedMessages broadcast_forth(const ProgramTask& task, std::int64_t root) {
  BroadcastOptions how = of_a_part(task);
  how.messages = true;
  return plan_messages(without_broadcast_times(task.network->platform()), root, array_bytes(task.shape), how);
}

/// The messages of `broadcast`; if it follows a reduction (`from_end`), from the end of the array on, because the
/// reduction ends there first. An element goes with its last byte; with its first byte if the array goes from its end
/// on.
MessageGraph messages_of(const ProgramTask& task, const PlannedMessages& broadcast, bool from_end) {
  MessageGraph messages;
  const std::int64_t element = task.shape.element_bytes, all = array_bytes(task.shape);
  const MessageGraph& graph = broadcast.messages.value().graph;
  for (std::size_t m = 0; m < graph.size(); ++m) {
    const ByteRange& range = graph.ranges[m].front();
    const std::int64_t begin = (from_end ? all - range.end() : range.offset) / element * element;
    const std::int64_t end = (from_end ? all - range.offset : range.end()) / element * element;
    messages.add(graph.messages[m].from, graph.messages[m].to, {begin, end - begin}, MessageKind::kKeep, graph.pace[m]);
  }
  return messages;
}

}  // namespace

/// Variants: as if combining were free, and with links that are no faster than combining, or than combining and two
/// messages; at once, and in time. For few ranks also some reversed broadcasts that are not the shortest: links are
/// shared in another order then, so they may be the shorter reductions.
Variants reversed_broadcast_variants(const ProgramTask& task) {
  constexpr std::int64_t kFewRanks = 32;
  const CombiningCosts& cost = task.shape.combine_s_per_byte;
  Variants variants;
  const auto offer = [&](const char* speed, const CombiningPace& pace, const char* algorithm = "") {
    ReversedMessages found = broadcast_back(task, pace, algorithm);
    const std::string name = fmt::format("reversed-broadcast, {}", speed);
    variants.push_back(planned(name + found.forth.method, std::move(found.back), found.forth.length_s));
    if (!found.forth.estimated && *algorithm == '\0')
      variants.push_back(planned(name + "in time, " + found.forth.method,
                                 mirrored(found.forth, task.shape, MirrorPace::kInTime), found.forth.length_s));
  };
  offer("", {});
  if (!cost.are_free()) {
    offer("as fast as combining, ", {cost, 0});
    offer("slower than combining, ", {cost, 2});
  }
  const BroadcastOptions& how = task.of_broadcasts;
  if (how.algorithm == "auto" && how.segments == 0 && how.inside.empty() && task.shape.ranks <= kFewRanks)
    for (const char* algorithm : {"flat", "ecef", "pipelined"}) offer("", {}, algorithm);
  return variants;
}

/// The part of a broadcast of all blocks that brings each block to its rank.
Variants broadcast_of_all_variants(const ProgramTask& task) {
  const PlannedMessages found = broadcast_forth(task, task.shape.root);
  return {
      planned("broadcast, " + found.method, messages_of(task, found, false).needed_for(task.shape), found.length_s)};
}

Variants reversed_broadcast_of_all_variants(const ProgramTask& task) {
  ReversedMessages found = broadcast_back(task, {});
  Program scattered = task.shape;
  scattered.problem = Collective::kScatter;
  return {planned("reversed-broadcast, " + found.forth.method,
                  messages_of(task, found.forth, false).needed_for(scattered).reversed(MessageKind::kKeep),
                  found.forth.length_s)};
}

/// A reduction to the root, and a broadcast of its result: parts go back while others come. The reduction is planned at
/// the speed of combining, and with time for two messages besides; at once, and in time.
Variants reduce_broadcast_variants(const ProgramTask& task) {
  const CombiningCosts& cost = task.shape.combine_s_per_byte;
  const PlannedMessages back = broadcast_forth(task, task.shape.root);
  Variants variants;
  const Platform forth_over = without_broadcast_times(task.network->platform());
  const auto add = [&](const std::string& how, const PlannedMessages& forth, MessageGraph messages) {
    messages.append(messages_of(task, back, true));
    const std::string& method = forth.method;
    variants.push_back(planned(
        fmt::format("reduce-broadcast, {}{}", how, method == back.method ? method : method + ", and " + back.method),
        std::move(messages), forth.length_s + back.length_s));
  };
  const auto add_both = [&](const std::string& speed, const PlannedMessages& forth, MessageGraph messages) {
    add(speed, forth, std::move(messages));
    if (!forth.estimated) add(speed + "in time, ", forth, mirrored(forth, task.shape, MirrorPace::kInTime));
  };
  const auto offer = [&](const std::string& speed, const CombiningPace& pace) {
    // Mostly links are as fast in both directions, so one broadcast serves both.
    if (mirror_platform(task.network->platform(), pace) == forth_over) {
      add_both(speed, back, mirrored(back, task.shape, mirror_pace(back)));
      return;
    }
    ReversedMessages there = broadcast_back(task, pace);
    add_both(speed, there.forth, std::move(there.back));
  };
  offer("", {cost, 0});
  if (!cost.are_free()) offer("slower than combining, ", {cost, 2});
  return variants;
}

/// A gather to one rank and a broadcast from there: to the root, and to the rank of the largest block, which then need
/// not be sent twice.
Variants gather_broadcast_variants(const ProgramTask& task) {
  Variants variants;
  const auto offer = [&](std::int64_t root) {
    const PlannedMessages back = broadcast_forth(task, root);
    MessageGraph messages = flat_gather(task, root);
    messages.append(messages_of(task, back, false));
    // All blocks pass the port of that rank both ways.
    const std::string at = root == task.shape.root ? "" : fmt::format("at rank {}, ", root);
    variants.push_back(planned("gather-broadcast, " + at + back.method, std::move(messages), 2 * back.length_s));
  };
  offer(task.shape.root);
  const Ranks& ranks = task.order;
  const std::int64_t largest = *std::ranges::max_element(ranks, {}, [&](auto rank) { return task.block(rank).bytes; });
  if (task.block(largest).bytes > task.block(task.shape.root).bytes) offer(largest);
  return variants;
}

}  // namespace sluice::detail
