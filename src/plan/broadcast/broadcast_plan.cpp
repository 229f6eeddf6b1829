#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "plan/broadcast/planned_messages.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

using detail::MessageGraph;
using detail::PlannedMessages;
using detail::TimedMessages;

namespace {

using OperationKind = ProgramOperation::Kind;

class PlanValidator {
 public:
  explicit PlanValidator(const BroadcastPlan& plan) : plan_(plan) {}

  std::vector<Violation> run() {
    check_native();
    if (!violations_.empty()) return std::move(violations_);
    return validate(with_native_as_messages());
  }

 private:
  void fail(std::int64_t rank, std::string reason) { violations_.push_back({-1, rank, std::move(reason)}); }

  static bool is_time(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

  void check_native() {
    const std::int64_t ranks = plan_.program.ranks;
    std::vector<char> served(static_cast<std::size_t>(std::max<std::int64_t>(0, ranks)), 0);
    for (std::size_t n = 0; n < plan_.native.size(); ++n) {
      const NativeBroadcast& native = plan_.native[n];
      if (native.ranks.size() < 2)
        fail(-1, fmt::format("broadcast {} by the MPI has {}", n, count_text(native.ranks.size(), "rank")));
      if (!is_time(native.start_s) || !std::isfinite(native.end_s) || native.end_s < native.start_s ||
          native.end_s > plan_.program.length_s)
        fail(-1, fmt::format("broadcast {} by the MPI takes from {} to {} s, the program {} s", n, native.start_s,
                             native.end_s, plan_.program.length_s));
      for (const std::int64_t rank : native.ranks) {
        if (rank < 0 || rank >= ranks) {
          fail(rank, fmt::format("no rank, but in broadcast {} by the MPI", n));
        } else if (std::exchange(served[static_cast<std::size_t>(rank)], 1) != 0) {
          fail(rank, "in a broadcast by the MPI twice");
        }
      }
    }
    if (!violations_.empty()) return;
    for (const NativeBroadcast& native : plan_.native) served[static_cast<std::size_t>(native.ranks.front())] = 0;
    for (const ProgramOperation& op : plan_.program.operations) {
      const bool in_range = op.rank >= 0 && op.rank < ranks;
      if (in_range && served[static_cast<std::size_t>(op.rank)] != 0)
        fail(op.rank, "has messages besides what a broadcast by the MPI brings");
    }
  }

  [[nodiscard]] Program with_native_as_messages() const {
    Program program = plan_.program;
    if (program.size_bytes <= 0) return program;
    for (const NativeBroadcast& native : plan_.native) {
      std::vector<std::int64_t> received;
      for (std::size_t i = 0; i < plan_.program.operations.size(); ++i) {
        const ProgramOperation& op = plan_.program.operations[i];
        if (op.rank == native.ranks.front() && op.kind != OperationKind::kSend)
          received.push_back(static_cast<std::int64_t>(i));
      }
      for (std::size_t i = 1; i < native.ranks.size(); ++i) {
        program.operations.push_back(
            {native.ranks.front(), OperationKind::kSend, native.ranks[i], 0, program.size_bytes, {}, received});
        program.operations.push_back(
            {native.ranks[i], OperationKind::kReceive, native.ranks.front(), 0, program.size_bytes, {}, {}});
      }
    }
    if (!program.pace.empty() && program.pace.size() == plan_.program.operations.size())
      program.pace.resize(program.operations.size());
    return program;
  }

  const BroadcastPlan& plan_;
  std::vector<Violation> violations_;
};

}  // namespace

void detail::add_schedule(PlannedMessages& plan, const Platform& platform, std::int64_t root, std::int64_t bytes,
                          bool transfers) {
  if (plan.segment_bytes == 0) return;
  TreeSchedule& schedule = plan.schedule;
  schedule.problem = "broadcast";
  schedule.machines = platform.ranks;
  schedule.root = root;
  schedule.segments = (bytes + plan.segment_bytes - 1) / plan.segment_bytes;
  schedule.length = plan.length_s;
  schedule.bound = {plan.bound.seconds, plan.length_s};
  if (!transfers) return;
  const TimedMessages& messages = plan.messages.value();
  schedule.transfers.reserve(messages.size());
  for (std::size_t m = 0; m < messages.size(); ++m) {
    const MessageGraph::Message& each = messages.graph.messages[m];
    const auto [start_s, arrival_s] = messages.times[m];
    schedule.transfers.push_back({each.from, each.to, start_s, arrival_s, messages.range(m).offset / plan.segment_bytes,
                                  std::min(messages.graph.pace[m].port_s, arrival_s - start_s)});
  }
}

BroadcastPlan plan_broadcast(const Platform& platform, std::int64_t root, std::int64_t bytes,
                             const BroadcastOptions& options) {
  PlannedMessages planned = detail::plan_messages(platform, root, bytes, options);
  add_schedule(planned, platform, root, bytes, options.messages);
  BroadcastPlan plan;
  plan.program.problem = Collective::kBroadcast;
  plan.program.algorithm = detail::method_text(planned);
  plan.program.ranks = platform.ranks;
  plan.program.size_bytes = bytes;
  plan.program.root = root;
  plan.program.length_s = planned.length_s;
  plan.program.bound_s = planned.bound.seconds;
  plan.program.bound = planned.bound.kind;
  plan.schedule = std::move(planned.schedule);
  plan.messages = planned.count;
  detail::check_message_count(plan.messages);
  if (options.messages) {
    MessageGraph& graph = planned.messages.value().graph;
    plan.program.pace = paces_of(graph);
    plan.program.operations = operations_of(std::move(graph));
  } else {
    plan.schedule.transfers.clear();
  }
  plan.native = std::move(planned.native);
  plan.between_clusters = planned.between_clusters;
  plan.optimal = planned.optimal;
  plan.estimated = planned.estimated;
  plan.candidates = std::move(planned.candidates);
  return plan;
}

std::vector<Violation> validate(const BroadcastPlan& plan) { return PlanValidator(plan).run(); }

}  // namespace sluice
