#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/estimated_name.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/timed_messages.hpp"

namespace sluice::detail {

/// A planned broadcast, before its messages become a program. The fields are as in BroadcastPlan.
struct PlannedMessages {
  TreeSchedule schedule;  ///< without what add_schedule adds
  /// If the plan cuts the message into segments, each with a tree of ranks, the bytes of a segment; otherwise 0.
  std::int64_t segment_bytes = 0;
  bool between_clusters = false;
  bool optimal = false;
  bool estimated = false;
  ProgramBound bound;  ///< of the program
  /// Absent for a method that was seen to be slower and not worked out. For a summary it may hold only the length.
  std::optional<TimedMessages> messages;
  std::int64_t count = 0;  ///< of messages
  std::vector<NativeBroadcast> native;
  double length_s = 0;  ///< until all ranks have the message
  std::string method;
  std::vector<BroadcastPlan::Candidate> candidates;
};

/// For people: the method, and whether the length is estimated.
[[nodiscard]] inline std::string method_text(const PlannedMessages& plan) {
  return plan.estimated ? estimated_name(plan.method) : plan.method;
}

/// Makes the schedule of ranks, if the plan has `segment_bytes`, for `bytes` from `root`. `transfers`: with transfers.
void add_schedule(PlannedMessages& plan, const Platform& platform, std::int64_t root, std::int64_t bytes,
                  bool transfers);

/// What plan_broadcast makes a program of; the messages are there.
[[nodiscard]] PlannedMessages plan_messages(const Platform& platform, std::int64_t root, std::int64_t bytes,
                                            const BroadcastOptions& options);

}  // namespace sluice::detail
