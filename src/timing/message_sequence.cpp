#include "timing/message_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

#include "schedule/message_graph.hpp"
#include "schedule/slot_chains.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

void refuse_unsimulated(const StepSchedule& schedule) {
  if (schedule.switches != 1)
    throw InputError("schedule", fmt::format("steps on {}", count_text(schedule.switches, "switch", "switches")),
                     "a schedule for one switch");
  constexpr std::int64_t kMostSimulated = std::int64_t{1} << 24;
  if (std::max(schedule.senders, schedule.receivers) > kMostSimulated)
    throw InputError("schedule", count_text(std::max(schedule.senders, schedule.receivers), "node"),
                     fmt::format("at most {} to be simulated", kMostSimulated));
}

void refuse_local_phases(const StepSchedule& schedule, const std::string& expected) {
  if (schedule.local_phases) throw InputError("schedule", "local phases before and after its steps", expected);
}

std::vector<SimulatedPhase> phases_of(const StepSchedule& schedule) {
  if (!schedule.local_phases) return {{schedule.steps, schedule.setup}};
  const LocalPhases& local = *schedule.local_phases;
  const std::int64_t receivers = schedule.senders;
  return {{local.before.steps, local.before.setup, local.unit_cost, 0, 0},
          {schedule.steps, schedule.setup, 1, 0, receivers},
          {local.after.steps, local.after.setup, local.unit_cost, receivers, receivers}};
}

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// k, or the ports that there are if they are fewer.
std::int64_t most_at_once(const StepSchedule& schedule) {
  std::vector<bool> sends(static_cast<std::size_t>(schedule.senders), false);
  std::vector<bool> receives(static_cast<std::size_t>(schedule.receivers), false);
  for (const Step& step : schedule.steps) {
    for (const Transfer& each : step.transfers) {
      sends[static_cast<std::size_t>(each.from)] = true;
      receives[static_cast<std::size_t>(each.to)] = true;
    }
  }
  return std::min({schedule.max_transfers, std::ranges::count(sends, true), std::ranges::count(receives, true)});
}

class StepMessages {
 public:
  StepMessages(const StepSchedule& schedule, StepOrder order, bool control, bool in_pieces)
      : schedule_(schedule),
        order_(order),
        words_(control && order == StepOrder::kChain),
        in_pieces_(in_pieces),
        last_(static_cast<std::size_t>(schedule.senders + schedule.receivers), kNone) {
    if (words_) {
      before_ = transfers_before(schedule, most_at_once(schedule));
    } else if (order == StepOrder::kChain) {
      result_.most = schedule.max_transfers;
    } else if (order == StepOrder::kBarrier && control) {
      result_.fence.resize(last_.size());
      std::iota(result_.fence.begin(), result_.fence.end(), 0);
    }
  }

  SimulatedMessages make() {
    const MessageGraph& graph = result_.graph;
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
      const std::size_t first_of_step = result_.of_transfers.size();
      for (const Transfer& each : schedule_.steps[s].transfers) {
        add({static_cast<std::int32_t>(each.from), static_cast<std::int32_t>(schedule_.senders + each.to), each.size});
        if (order_ == StepOrder::kBarrier) result_.graph.step.push_back(static_cast<std::int32_t>(s));
      }
      for (std::size_t i = first_of_step; i < result_.of_transfers.size(); ++i) {
        const std::size_t message = result_.of_transfers[i];
        const auto [from, to] = std::pair(graph.messages[message].from, graph.messages[message].to);
        last_[static_cast<std::size_t>(from)] = last_[static_cast<std::size_t>(to)] = message;
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t last_of(std::int64_t node) const { return last_[static_cast<std::size_t>(node)]; }
  void wait_for(std::size_t message) {
    if (message != kNone) waits_for_.push_back(done_of(message));
  }
  /// A word from one to the other once `cause` has ended, or at the beginning: the next message waits for it.
  void wait_for_word(std::int32_t from, std::int32_t to, std::size_t cause) {
    std::vector<MessageEnd> ended;
    if (cause != kNone) ended.push_back(done_of(cause));
    wait_for(result_.graph.add_after({from, to, 0, MessageKind::kWord}, ended));
  }
  void add_words(const MessageGraph::Message& transfer) {
    wait_for_word(transfer.to, transfer.from, last_of(transfer.to));
    const std::size_t before = before_[result_.of_transfers.size()];
    if (before == kFirstOfSlot) return;
    const std::size_t left = result_.of_transfers[before];
    const std::int32_t receiver = result_.graph.messages[left].to;
    if (receiver != transfer.to) wait_for_word(receiver, transfer.from, left);
  }
  void add(const MessageGraph::Message& transfer) {
    waits_for_.clear();
    if (words_) {
      add_words(transfer);
    } else if (order_ != StepOrder::kBarrier && !in_pieces_) {
      wait_for(last_of(transfer.to));
    }
    if (order_ != StepOrder::kBarrier) {
      if (!in_pieces_) wait_for(last_of(transfer.from));
      // A node got in earlier steps what it forwards.
      const std::int64_t first_passing = schedule_.first_passing();
      if (transfer.from >= first_passing) wait_for(last_of(schedule_.senders + transfer.from - first_passing));
    }
    result_.of_transfers.push_back(result_.graph.add_after(transfer, waits_for_));
  }

  const StepSchedule& schedule_;
  StepOrder order_;
  bool words_;  ///< whether ranks tell each other when a transfer may begin
  bool in_pieces_;
  std::vector<std::size_t> before_;  ///< see transfers_before
  std::vector<std::size_t> last_;    ///< of each node the message of its last transfer
  std::vector<MessageEnd> waits_for_;
  SimulatedMessages result_;
};

}  // namespace

SimulatedMessages messages_of(const StepSchedule& schedule, StepOrder order, bool control, bool in_pieces) {
  return StepMessages(schedule, order, control, in_pieces).make();
}

SimulatedMessages messages_of(const Program& program) {
  const MessageGraph lowered = lower(program);
  const bool takes_time = !program.combine_s_per_byte.are_free();
  const auto joins = [&](MessageEnd end) {
    return !is_start(end) && lowered.at(end).kind == MessageKind::kCombine &&
           (takes_time || !lowered.after[end].empty());
  };
  // By end: the end that stands for it.
  std::vector<MessageEnd> stands_for(2 * lowered.size());
  std::size_t count = 0;
  for (const MessageEnd end : lowered.order)
    if (is_start(end) || joins(end)) stands_for[end] = done_of(count++);
  for (const MessageEnd end : lowered.order)
    if (!is_start(end) && !joins(end)) stands_for[end] = stands_for[start_of(message_of(end))];

  SimulatedMessages result;
  result.in_order = true;
  result.works_alone = takes_time;
  std::vector<MessageEnd> waits_for;
  const auto wait_for_all_before = [&](MessageEnd end) {
    for (const MessageEnd before : lowered.after[end]) waits_for.push_back(stands_for[before]);
  };
  for (const MessageEnd end : lowered.order) {
    const MessageGraph::Message& message = lowered.at(end);
    waits_for.clear();
    if (is_start(end)) {
      wait_for_all_before(end);
      if (message.kind == MessageKind::kKeep) wait_for_all_before(done_of(message_of(end)));
      result.of_transfers.push_back(result.graph.add_after({message.from, message.to, message.bytes}, waits_for));
      result.graph.work_s.push_back(0);
    } else if (joins(end)) {
      wait_for_all_before(end);
      waits_for.push_back(stands_for[start_of(message_of(end))]);
      result.graph.add_after({message.to, message.to}, waits_for);
      result.graph.work_s.push_back(combining_s(message, program.combine_s_per_byte));
    }
  }
  return result;
}

SimulatedMessages messages_of(const TreeSchedule& schedule, std::int64_t element_bytes) {
  const auto machines = static_cast<std::size_t>(schedule.machines);
  SimulatedMessages result;
  if (schedule.max_transfers) result.most = *schedule.max_transfers;
  std::vector<MessageEnd> waits_for;
  const auto wait_for = [&](std::size_t message) {
    if (message != kNone) waits_for.push_back(done_of(message));
  };
  const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t bytes, double work_s) {
    const std::size_t number =
        result.graph.add_after({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), bytes}, waits_for);
    result.graph.work_s.push_back(work_s);
    waits_for.clear();
    return number;
  };
  const auto work = [&](std::int64_t machine, double seconds) { return add(machine, machine, 0, seconds); };
  // By machine: what keeps it from sending, receiving and combining next.
  std::vector<std::size_t> sent(machines, kNone), received(machines, kNone), combined(machines, kNone);
  for (std::size_t m = 0; m < schedule.arrivals.size(); ++m)
    if (schedule.arrivals[m] > 0)
      sent[m] = received[m] = combined[m] = work(static_cast<std::int64_t>(m), schedule.arrivals[m]);
  std::unordered_map<std::int64_t, std::size_t> ready;  // the last combination with a part of a machine
  const std::vector<ByteRange> parts = cut({0, element_bytes}, schedule.segments, 1);
  const auto bytes_of = [&](std::int64_t part) {
    return std::cmp_less(part, parts.size()) ? parts[static_cast<std::size_t>(part)].bytes : 0;
  };
  for (const TimedTransfer& each : schedule.transfers) {
    const auto from = static_cast<std::size_t>(each.from), to = static_cast<std::size_t>(each.to);
    wait_for(sent[from]);
    wait_for(received[to]);
    if (const auto own = ready.find(each.from * schedule.segments + each.segment); own != ready.end())
      wait_for(own->second);
    const std::size_t transfer = add(each.from, each.to, bytes_of(each.segment), 0);
    result.of_transfers.push_back(transfer);
    sent[from] = received[to] = transfer;
    if (schedule.compute > 0) {
      wait_for(transfer);
      wait_for(combined[to]);
      combined[to] = work(each.to, schedule.compute);
    } else {
      combined[to] = transfer;
    }
    ready[each.to * schedule.segments + each.segment] = combined[to];
  }
  return result;
}

Timeline untimed(const TreeSchedule& schedule, std::string_view unit) {
  Timeline timeline{.problem = schedule.problem,
                    .algorithm = schedule.algorithm,
                    .senders = schedule.machines,
                    .receivers = schedule.machines,
                    .same_nodes = true,
                    .unit = std::string(unit),
                    .transfers = {}};
  for (const TimedTransfer& each : schedule.transfers) timeline.transfers.push_back({.from = each.from, .to = each.to});
  return timeline;
}

Timeline untimed(const StepSchedule& schedule, std::string_view unit) {
  Timeline timeline{
      schedule.problem, schedule.algorithm, schedule.senders, schedule.receivers, false, std::string(unit), {}, 0};
  if (schedule.local_phases) {
    timeline.same_nodes = true;
    timeline.senders = timeline.receivers = schedule.senders + schedule.receivers;
  }
  std::int64_t number = 0;
  for (const SimulatedPhase& phase : phases_of(schedule)) {
    for (const Step& step : phase.steps) {
      for (const Transfer& each : step.transfers)
        timeline.transfers.push_back({.from = phase.first_sender + each.from,
                                      .to = phase.first_receiver + each.to,
                                      .size = each.size,
                                      .step = number,
                                      .offset = each.offset});
      ++number;
    }
  }
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
  for (const double end : times.end) timeline.length = std::max(timeline.length, end);
}

MessageSequence::MessageSequence(const SimulatedMessages& messages)
    : messages_(messages),
      waiting_(waiting_of(messages.graph)),
      released_(messages.graph.size(), false),
      behind_(messages.graph.size(), kNone),
      most_(messages.most) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> last;  // by sender and receiver, if all keep order
  for (std::size_t i = 0; i < messages.graph.size(); ++i) {
    const bool same_step = i > 0 && messages.step(i) == messages.step(i - 1);
    step_begins_.push_back(same_step ? step_begins_.back() : i);
    missing_.push_back(messages.graph.after[start_of(i)].size());
    if (const MessageGraph::Message& own = messages.graph.messages[i]; messages.in_order && own.from != own.to) {
      const auto [before, first] = last.try_emplace({own.from, own.to}, i);
      if (!first) {
        behind_[before->second] = i;
        before->second = i;
        ++missing_.back();
      }
    }
    if (missing_.back() == 0) make_ready(i);
  }
}

std::optional<std::size_t> MessageSequence::take(Earliest& ready) const {
  if (ready.empty()) return {};
  // All messages of earlier steps have ended if as many have ended as stand before this step: until then no message of
  // this step has begun.
  const std::size_t first = ready.top();
  if (ended_ < step_begins_[first]) return {};
  ready.pop();
  return first;
}

std::optional<std::size_t> MessageSequence::next() {
  if (const std::optional<std::size_t> work = take(ready_work_)) return work;
  if (under_way_ >= most_) return {};
  const std::optional<std::size_t> message = take(ready_);
  if (!message) return {};
  ++under_way_;
  if (behind_[*message] != kNone && --missing_[behind_[*message]] == 0) make_ready(behind_[*message]);
  return message;
}

void MessageSequence::free(std::size_t message, bool words) {
  for (const MessageEnd end : waiting_[done_of(message)]) {
    const std::size_t waits = message_of(end);
    if (messages_.is_word(waits) == words && --missing_[waits] == 0) make_ready(waits);
  }
}

void MessageSequence::release(std::size_t message) {
  if (released_[message]) return;
  released_[message] = true;
  free(message, true);
}

void MessageSequence::end(std::size_t message) {
  if (!is_work(message)) --under_way_;
  ++ended_;
  release(message);
  free(message, false);
}

}  // namespace sluice::detail
