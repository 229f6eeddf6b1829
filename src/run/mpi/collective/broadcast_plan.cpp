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

}  // namespace

Arguments BroadcastTask::arguments() const {
  const sluice::BroadcastOptions& plan = options_.plan;
  Arguments arguments("broadcast");
  arguments.add_all(root_, options_.platform.has_value(), plan.algorithm, plan.lookahead, plan.inside,
                    plan.early_internal, plan.segments, plan.effort, plan.most_messages, options_.try_native,
                    options_.program.has_value());
  if (root_ < 0 || root_ >= channel_.size())
    throw InputError("root", fmt::format("{}", root_), index_text(channel_.size(), "rank"));
  if (options_.program) {
    check_given(*options_.program, shape_of(options_.program->size_bytes),
                {options_.platform.has_value(), asks_for_a_plan()});
    arguments.add(to_json(*options_.program));
  }
  if (!options_.platform) return arguments;
  check_platform(*options_.platform, "platform");
  if (options_.platform->ranks != channel_.size())
    throw InputError("platform", count_text(options_.platform->ranks, "rank"),
                     fmt::format("the {} there are", channel_.size()));
  add_platform(arguments, *options_.platform);
  return arguments;
}

void BroadcastTask::check_size(std::int64_t bytes) const {
  if (bytes < 0) throw InputError("bytes", fmt::format("{}", bytes), "at least 0");
  const std::optional<Program>& program = options_.program;
  if (program && bytes != program->size_bytes)
    throw InputError("bytes", fmt::format("{}", bytes), fmt::format("the {} of the program", program->size_bytes));
}

std::int64_t BroadcastTask::check_message(const void* buffer, std::int64_t bytes) const {
  check_size(bytes);
  if (bytes > 0 && buffer == nullptr) throw InputError("buffer", "a null pointer", "room for the message");
  return bytes;
}

Program BroadcastTask::shape_of(std::int64_t bytes) const {
  Program shape;
  shape.problem = Collective::kBroadcast;
  shape.ranks = channel_.size();
  shape.size_bytes = bytes;
  shape.root = root_;
  return shape;
}

std::int64_t BroadcastTask::largest_of(std::int64_t bytes) const {
  if (options_.program) return bytes;
  const auto size = static_cast<std::uint64_t>(bytes);
  const auto bits = static_cast<int>(std::bit_width(size));
  constexpr int kKept = 4;
  if (bits <= kKept) return bytes;
  const int cut = bits - kKept;
  return static_cast<std::int64_t>(((size - 1) >> cut) + 1) << cut;
}

bool BroadcastTask::asks_for_a_plan() const {
  const sluice::BroadcastOptions& plan = options_.plan;
  return plan.algorithm != "auto" || plan.segments != 0 || plan.early_internal || !plan.inside.empty();
}

const Rule& BroadcastTask::rule(Question question, std::int64_t bytes) const {
  const Where where = where_of(channel_.context()) | when(!options_.try_native, Where::kNoTrial);
  return choose({JobKind::kBroadcast, question, where, bytes, channel_.size()});
}

bool BroadcastTask::needs_no_plan(std::int64_t bytes) const {
  if (!told_nothing()) return false;
  const By by = way(bytes);
  return by != By::kSegments && by != By::kPlan;
}

bool BroadcastTask::by_tree(std::int64_t bytes) const {
  if (!told_nothing()) return false;
  const By by = way(bytes);
  return by == By::kTree || by == By::kMemory;
}

bool BroadcastTask::too_short_to_plan(std::int64_t largest) const {
  const bool may_do_without = options_.platform && options_.try_native && !asks_for_a_plan() && !kSimulated;
  if (!may_do_without || largest == 0 || channel_.size() == 1) return false;
  const double messages = channel_.size() - 1;
  return messages * slowest_message_s(*options_.platform, largest) <= kPlanningPerRank_s * channel_.size();
}

std::vector<PlannedBroadcast> BroadcastTask::parts_as_told(std::int64_t bytes) const {
  if (!options_.program)
    return parts_of(plan_broadcast(*options_.platform, root_, bytes, options_.plan), *options_.platform);
  check_sound(*options_.program);
  BroadcastPlan plan;
  plan.program = *options_.program;
  return parts_of(plan, {});
}

PlannedBroadcast BroadcastTask::part_in_segments(std::int64_t bytes) const {
  const std::int64_t segments =
      std::min(kMostSegmentsBetweenHosts, (bytes + kSegmentBetweenHosts - 1) / kSegmentBetweenHosts);
  const int ranks = channel_.size(), rank = channel_.rank();
  PlannedBroadcast own;
  own.part = sluice::detail::cut_for(circulant_broadcast_part(ranks, root_, bytes, segments, rank), rank);
  own.method = fmt::format("circulant, {} segments", segments);
  own.rule = number_of(rule(Question::kWay, bytes));
  return own;
}

PlannedBroadcast BroadcastTask::part_by_network(std::int64_t bytes) const {
  const JobPlatform known = platform_of_job(channel_);
  const auto plan = [&] {
    if (const Rule& soon = planned_soon(JobKind::kBroadcast, known.platform); soon.by != By::kPlan) {
      PlannedBroadcast part;
      part.native = true;
      part.rule = number_of(soon);
      part.method = kNativeBroadcast;
      return std::vector<PlannedBroadcast>(static_cast<std::size_t>(channel_.size()), part);
    }
    std::vector<PlannedBroadcast> parts =
        parts_of(plan_broadcast(known.platform, root_, bytes, options_.plan), known.platform);
    for (PlannedBroadcast& part : parts) {
      part.rule = number_of(rule(Question::kWay, bytes));
      if (!known.speeds_are_known) part.predicted_s = 0;
    }
    return parts;
  };
  return planned_part<PlannedBroadcast>(channel_, plan, kBroadcastFields);
}

KeptPlan BroadcastTask::kept_or_planned(std::int64_t largest, const std::string& key) const {
  Arguments place("broadcast of ");
  place.add_all(largest, key);
  const auto fingerprint = static_cast<std::uint64_t>(largest);
  if (!told_nothing()) {
    const auto plan = [&] { return parts_as_told(largest); };
    return kept_or_planned_part<PlannedBroadcast>(channel_, place.bytes(), fingerprint, plan, kBroadcastFields);
  }
  KeptPlan kept = find_kept(channel_, place.bytes(), fingerprint, nullptr);
  (void)kept.plan_or<PlannedBroadcast>(
      channel_, [&] { return way(largest) == By::kSegments ? part_in_segments(largest) : part_by_network(largest); });
  return kept;
}

}  // namespace sluice::mpi::detail
