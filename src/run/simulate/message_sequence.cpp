#include "run/simulate/message_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "schedule/message_partners.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

void OrderedMessages::add(const OrderedMessage& message, const std::vector<std::size_t>& waits_for) {
  messages.push_back(message);
  after.insert(after.end(), waits_for.begin(), waits_for.end());
  first_after.push_back(after.size());
}

void refuse_more_than_steps(const StepSchedule& schedule) {
  if (schedule.local_phases)
    throw InputError("schedule", "local phases before and after its steps", "a schedule of steps alone");
  if (schedule.switches != 1)
    throw InputError("schedule", fmt::format("steps on {} switches", schedule.switches), "a schedule for one switch");
  constexpr std::int64_t kMostSimulated = std::int64_t{1} << 24;
  if (std::max(schedule.senders, schedule.receivers) > kMostSimulated)
    throw InputError("schedule", fmt::format("{} nodes", std::max(schedule.senders, schedule.receivers)),
                     fmt::format("at most {} to be simulated", kMostSimulated));
}

OrderedMessages messages_of(const StepSchedule& schedule, StepOrder order) {
  OrderedMessages graph;
  if (order == StepOrder::kChain) graph.most = schedule.max_transfers;
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last(static_cast<std::size_t>(schedule.senders + schedule.receivers), kNone);
  std::vector<std::size_t> waits_for;
  const std::int64_t first_passing = schedule.first_passing();
  for (std::size_t s = 0; s < schedule.steps.size(); ++s) {
    const std::size_t first_of_step = graph.messages.size();
    for (const Transfer& each : schedule.steps[s].transfers) {
      const OrderedMessage message{each.from, schedule.senders + each.to, each.size,
                                   order == StepOrder::kBarrier ? static_cast<std::int64_t>(s) : 0};
      waits_for.clear();
      const auto wait_for_last_of = [&](std::int64_t node) {
        const std::size_t before = last[static_cast<std::size_t>(node)];
        if (before != kNone) waits_for.push_back(before);
      };
      if (order != StepOrder::kBarrier) {
        wait_for_last_of(message.from);
        wait_for_last_of(message.to);
        // What it passes on it got in the steps before.
        if (message.from >= first_passing) wait_for_last_of(schedule.senders + message.from - first_passing);
      }
      graph.add(message, waits_for);
    }
    for (std::size_t i = first_of_step; i < graph.messages.size(); ++i)
      for (const std::int64_t node : {graph.messages[i].from, graph.messages[i].to})
        last[static_cast<std::size_t>(node)] = i;
  }
  return graph;
}

MessagesOfProgram messages_of(const Program& program) {
  using Kind = ProgramOperation::Kind;
  const std::vector<ProgramOperation>& operations = program.operations;
  const std::vector<std::size_t> partner = message_partners(program);
  // By operation: the message whose end is its own.
  std::vector<std::size_t> ends(operations.size());
  const auto joins = [&](std::size_t i) {
    return operations[i].kind == Kind::kCombine && !operations[i].after.empty();
  };
  std::size_t count = 0;
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (operations[i].kind == Kind::kSend || joins(i)) ends[i] = count++;
  for (std::size_t i = 0; i < operations.size(); ++i)
    if (operations[i].kind != Kind::kSend && !joins(i)) ends[i] = ends[partner[i]];

  MessagesOfProgram result;
  std::vector<std::size_t> waits_for;
  const auto wait_for_all_before = [&](std::size_t i) {
    for (const std::int64_t before : operations[i].after) waits_for.push_back(ends[static_cast<std::size_t>(before)]);
  };
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ProgramOperation& op = operations[i];
    waits_for.clear();
    if (op.kind == Kind::kSend) {
      wait_for_all_before(i);
      if (operations[partner[i]].kind == Kind::kReceive) wait_for_all_before(partner[i]);
      result.of_sends.push_back(result.graph.messages.size());
      result.graph.add({op.rank, op.peer, op.message_bytes()}, waits_for);
    } else if (joins(i)) {
      wait_for_all_before(i);
      waits_for.push_back(ends[partner[i]]);
      result.graph.add({op.rank, op.rank}, waits_for);
    }
  }
  return result;
}

Timeline untimed(const StepSchedule& schedule, std::string_view unit) {
  Timeline timeline{
      schedule.problem, schedule.algorithm, schedule.senders, schedule.receivers, false, std::string(unit), {}, 0};
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (const Transfer& each : schedule.steps[s].transfers)
      timeline.transfers.push_back({.from = each.from,
                                    .to = each.to,
                                    .size = each.size,
                                    .step = static_cast<std::int64_t>(s),
                                    .offset = each.offset});
  return timeline;
}

Timeline untimed(const Program& program, std::string_view unit) {
  Timeline timeline{.problem = std::string(to_string(program.problem)),
                    .algorithm = program.algorithm,
                    .senders = program.ranks,
                    .receivers = program.ranks,
                    .same_nodes = true,
                    .unit = std::string(unit),
                    .transfers = {}};
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kSend)
      timeline.transfers.push_back({.from = op.rank, .to = op.peer, .size = op.message_bytes(), .offset = op.offset});
  return timeline;
}

void put_times(TimelineTransfer& transfer, double start, double end) {
  transfer.start = transfer.receive_start = start;
  transfer.end = transfer.sender_free = end;
}

void put_times(Timeline& timeline, const MessageTimes& times, const std::vector<std::size_t>& messages) {
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i)
    put_times(timeline.transfers[i], times.start[messages[i]], times.end[messages[i]]);
}

MessageSequence::MessageSequence(const OrderedMessages& graph)
    : graph_(graph), first_freed_(graph.messages.size() + 1, 0), freed_(graph.after.size()), most_(graph.most) {
  for (const std::size_t before : graph.after) ++first_freed_[before + 1];
  for (std::size_t i = 1; i < first_freed_.size(); ++i) first_freed_[i] += first_freed_[i - 1];
  std::vector<std::size_t> next(first_freed_.begin(), first_freed_.end() - 1);
  for (std::size_t i = 0; i < graph.messages.size(); ++i) {
    const bool same_step = i > 0 && graph.messages[i].step == graph.messages[i - 1].step;
    step_begins_.push_back(same_step ? step_begins_.back() : i);
    missing_.push_back(graph.first_after[i + 1] - graph.first_after[i]);
    if (missing_.back() == 0) ready_.push(i);
    for (std::size_t a = graph.first_after[i]; a < graph.first_after[i + 1]; ++a) freed_[next[graph.after[a]]++] = i;
  }
}

std::optional<std::size_t> MessageSequence::next() {
  if (ready_.empty() || under_way_ >= most_) return {};
  // All of lower steps have ended if as many have as stand before this step: none of this one has begun until then.
  const std::size_t first = ready_.top();
  if (ended_ < step_begins_[first]) return {};
  ready_.pop();
  ++under_way_;
  return first;
}

void MessageSequence::end(std::size_t message) {
  --under_way_;
  ++ended_;
  for (std::size_t f = first_freed_[message]; f < first_freed_[message + 1]; ++f)
    if (--missing_[freed_[f]] == 0) ready_.push(freed_[f]);
}

}  // namespace sluice::detail
