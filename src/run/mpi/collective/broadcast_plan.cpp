#include "run/mpi/collective/broadcast_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include "run/mpi/collective/given_program.hpp"
#include "run/mpi/network/learn.hpp"
#include "run/mpi/network/platform_arguments.hpp"
#include "run/mpi/runtime/planned_part.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::mpi::detail {
namespace {

/// Segments of an unknown network have this size. A message has at most kMostSegmentsBetweenHosts, longer ones if need
/// be.
constexpr std::int64_t kSegmentBetweenHosts = 2 << 10;
constexpr std::int64_t kMostSegmentsBetweenHosts = 8;

/// A plan over a platform takes rank 0 at least this time for each rank.
constexpr double kPlanningPerRank_s = 6e-6;

/// How long a message takes over the slowest link of `platform`.
double slowest_message_s(const Platform& platform, std::int64_t bytes) {
  double slowest = 0;
  const auto meet = [&](double latency_s, const GapTable& gap) {
    if (!gap.points().empty()) slowest = std::max(slowest, latency_s + gap.at(bytes));
  };
  for (const PlatformCluster& cluster : platform.clusters) meet(cluster.latency_s, cluster.gap);
  for (const PlatformLink& link : platform.links) meet(link.latency_s, link.gap);
  for (const PlatformLink& link : platform.part_links) meet(link.latency_s, link.gap);
  for (const PlatformPart& part : platform.parts) meet(0, part.uplink);
  return slowest;
}

/// The parts of all ranks of a plan over `platform`.
std::vector<PlannedBroadcast> parts_of(const BroadcastPlan& plan, const Platform& platform) {
  std::vector<PlannedBroadcast> parts;
  const bool native_inside =
      !plan.native.empty() && plan.native.front().ranks.size() < static_cast<std::size_t>(plan.program.ranks);
  for (sluice::detail::OwnPart& program : sluice::detail::cut(plan.program)) {
    PlannedBroadcast& part = parts.emplace_back();
    part.native_inside = native_inside;
    part.predicted_s = plan.program.length_s;
    part.method = plan.program.algorithm;
    part.part = std::move(program);
  }
  for (const NativeBroadcast& native : plan.native) {
    for (const std::int64_t rank : native.ranks) {
      PlannedBroadcast& part = parts.at(static_cast<std::size_t>(rank));
      part.native = native.ranks.size() == parts.size();
      part.ends_native = true;
    }
  }
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    std::int64_t place = 0;
    for (const std::int64_t rank : platform.clusters[c].ranks) {
      PlannedBroadcast& part = parts.at(static_cast<std::size_t>(rank));
      part.cluster = static_cast<std::int64_t>(c);
      part.place = place++;
    }
  }
  return parts;
}

/// See planned_part.
constexpr auto kBroadcastFields = [](auto& numbers, PlannedBroadcast& part) {
  numbers(part.native, part.native_inside, part.ends_native, part.cluster, part.place, part.rule, part.predicted_s,
          part.method);
  fields(numbers, part.part);
};

/// The parts of all ranks, by the given program or over the given platform.
std::vector<PlannedBroadcast> parts_as_told(const BroadcastTask& task, std::int64_t bytes) {
  if (!task.options.program)
    return parts_of(plan_broadcast(*task.options.platform, task.root, bytes, task.options.plan),
                    *task.options.platform);
  check_sound(*task.options.program);
  BroadcastPlan plan;
  plan.program = *task.options.program;
  return parts_of(plan, {});
}

/// In segments that do not require a known network.
PlannedBroadcast part_in_segments(const BroadcastTask& task, std::int64_t bytes) {
  const std::int64_t segments =
      std::min(kMostSegmentsBetweenHosts, (bytes + kSegmentBetweenHosts - 1) / kSegmentBetweenHosts);
  const int ranks = task.channel.size(), rank = task.channel.rank();
  PlannedBroadcast own;
  own.part = sluice::detail::cut_for(circulant_broadcast_part(ranks, task.root, bytes, segments, rank), rank);
  own.method = fmt::format("circulant, {} segments", segments);
  own.rule = number_of(task.rule(Question::kWay, bytes));
  return own;
}

/// By the network of the job. On all ranks.
PlannedBroadcast part_by_network(const BroadcastTask& task, std::int64_t bytes) {
  const JobPlatform known = platform_of_job(task.channel);
  const auto plan = [&] {
    if (const Rule& soon = planned_soon(JobKind::kBroadcast, known.platform); soon.by != By::kPlan) {
      PlannedBroadcast part;
      part.native = true;
      part.rule = number_of(soon);
      part.method = kNativeBroadcast;
      return std::vector<PlannedBroadcast>(static_cast<std::size_t>(task.channel.size()), part);
    }
    std::vector<PlannedBroadcast> parts =
        parts_of(plan_broadcast(known.platform, task.root, bytes, task.options.plan), known.platform);
    for (PlannedBroadcast& part : parts) {
      part.rule = number_of(task.rule(Question::kWay, bytes));
      if (!known.speeds_are_known) part.predicted_s = 0;
    }
    return parts;
  };
  return planned_part<PlannedBroadcast>(task.channel, plan, kBroadcastFields);
}

}  // namespace

Arguments BroadcastTask::arguments() const {
  const sluice::BroadcastOptions& plan = options.plan;
  Arguments arguments("broadcast");
  arguments.add_all(root, options.platform.has_value(), plan.algorithm, plan.lookahead, plan.inside,
                    plan.early_internal, plan.segments, plan.effort, plan.most_messages, options.try_native,
                    options.program.has_value());
  if (root < 0 || root >= channel.size())
    throw InputError("root", fmt::format("{}", root), index_text(channel.size(), "rank"));
  if (options.program) {
    check_given(*options.program, shape_of(options.program->size_bytes),
                {options.platform.has_value(), asks_for_a_plan()});
    arguments.add(to_json(*options.program));
  }
  if (!options.platform) return arguments;
  check_platform(*options.platform, "platform");
  if (options.platform->ranks != channel.size())
    throw InputError("platform", count_text(options.platform->ranks, "rank"),
                     fmt::format("the {} there are", channel.size()));
  add_platform(arguments, *options.platform);
  return arguments;
}

void BroadcastTask::check_size(std::int64_t bytes) const {
  if (bytes < 0) throw InputError("bytes", fmt::format("{}", bytes), "at least 0");
  const std::optional<Program>& program = options.program;
  if (program && bytes != program->size_bytes)
    throw InputError("bytes", fmt::format("{}", bytes), fmt::format("the {} of the program", program->size_bytes));
}

Program BroadcastTask::shape_of(std::int64_t bytes) const {
  Program shape;
  shape.problem = Collective::kBroadcast;
  shape.ranks = channel.size();
  shape.size_bytes = bytes;
  shape.root = root;
  return shape;
}

std::int64_t BroadcastTask::largest_of(std::int64_t bytes) const {
  if (options.program) return bytes;
  const auto size = static_cast<std::uint64_t>(bytes);
  const auto bits = static_cast<int>(std::bit_width(size));
  constexpr int kKept = 4;
  if (bits <= kKept) return bytes;
  const int cut = bits - kKept;
  return static_cast<std::int64_t>(((size - 1) >> cut) + 1) << cut;
}

bool BroadcastTask::asks_for_a_plan() const {
  const sluice::BroadcastOptions& plan = options.plan;
  return plan.algorithm != "auto" || plan.segments != 0 || plan.early_internal || !plan.inside.empty();
}

const Rule& BroadcastTask::rule(Question question, std::int64_t bytes) const {
  const Where where = where_of(channel.context()) | when(!options.try_native, Where::kNoTrial);
  return choose({JobKind::kBroadcast, question, where, bytes, channel.size()});
}

bool BroadcastTask::too_short_to_plan(std::int64_t largest) const {
  const bool may_do_without = options.platform && options.try_native && !asks_for_a_plan() && !kSimulated;
  if (!may_do_without || largest == 0 || channel.size() == 1) return false;
  const double messages = channel.size() - 1;
  return messages * slowest_message_s(*options.platform, largest) <= kPlanningPerRank_s * channel.size();
}

KeptPlan BroadcastTask::kept_or_planned(std::int64_t largest, const std::string& key) const {
  Arguments place("broadcast of ");
  place.add_all(largest, key);
  const auto fingerprint = static_cast<std::uint64_t>(largest);
  if (!told_nothing()) {
    const auto plan = [&] { return parts_as_told(*this, largest); };
    return kept_or_planned_part<PlannedBroadcast>(channel, place.bytes(), fingerprint, plan, kBroadcastFields);
  }
  KeptPlan kept = find_kept(channel, place.bytes(), fingerprint, nullptr);
  (void)kept.plan_or<PlannedBroadcast>(channel, [&] {
    return way(largest) == By::kSegments ? part_in_segments(*this, largest) : part_by_network(*this, largest);
  });
  return kept;
}

}  // namespace sluice::mpi::detail
