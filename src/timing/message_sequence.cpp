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

void OrderedMessages::add(const OrderedMessage& message, const std::vector<std::size_t>& waits_for) {
  messages.push_back(message);
  after.insert(after.end(), waits_for.begin(), waits_for.end());
  first_after.push_back(after.size());
}

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
    OrderedMessages& graph = result_.graph;
    if (words_) {
      before_ = transfers_before(schedule, most_at_once(schedule));
    } else if (order == StepOrder::kChain) {
      graph.most = schedule.max_transfers;
    } else if (order == StepOrder::kBarrier && control) {
      graph.fence.resize(last_.size());
      std::iota(graph.fence.begin(), graph.fence.end(), 0);
    }
  }

  MessagesOfSchedule make() {
    for (std::size_t s = 0; s < schedule_.steps.size(); ++s) {
      const std::size_t first_of_step = result_.of_transfers.size();
      const auto step = order_ == StepOrder::kBarrier ? static_cast<std::int64_t>(s) : 0;
      for (const Transfer& each : schedule_.steps[s].transfers)
        add({each.from, schedule_.senders + each.to, each.size, step});
      for (std::size_t i = first_of_step; i < result_.of_transfers.size(); ++i) {
        const std::size_t message = result_.of_transfers[i];
        const OrderedMessage& each = result_.graph.messages[message];
        last_[static_cast<std::size_t>(each.from)] = last_[static_cast<std::size_t>(each.to)] = message;
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::size_t last_of(std::int64_t node) const { return last_[static_cast<std::size_t>(node)]; }
  void wait_for(std::size_t message) {
    if (message != kNone) waits_for_.push_back(message);
  }
  /// A word from one to the other once `cause` has ended, or at the beginning: the next message waits for it.
  void wait_for_word(std::int64_t from, std::int64_t to, std::size_t cause) {
    waits_for_.push_back(result_.graph.messages.size());
    OrderedMessage word{from, to};
    word.control = true;
    result_.graph.add(word, cause == kNone ? std::vector<std::size_t>{} : std::vector<std::size_t>{cause});
  }
  void add_words(const OrderedMessage& transfer) {
    wait_for_word(transfer.to, transfer.from, last_of(transfer.to));
    const std::size_t before = before_[result_.of_transfers.size()];
    if (before == kFirstOfSlot) return;
    const std::size_t left = result_.of_transfers[before];
    const std::int64_t receiver = result_.graph.messages[left].to;
    if (receiver != transfer.to) wait_for_word(receiver, transfer.from, left);
  }
  void add(const OrderedMessage& transfer) {
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
    result_.of_transfers.push_back(result_.graph.messages.size());
    result_.graph.add(transfer, waits_for_);
  }

  const StepSchedule& schedule_;
  StepOrder order_;
  bool words_;  ///< whether ranks tell each other when a transfer may begin
  bool in_pieces_;
  std::vector<std::size_t> before_;  ///< see transfers_before
  std::vector<std::size_t> last_;    ///< of each node the message of its last transfer
  std::vector<std::size_t> waits_for_;
  MessagesOfSchedule result_;
};

}  // namespace

MessagesOfSchedule messages_of(const StepSchedule& schedule, StepOrder order, bool control, bool in_pieces) {
  return StepMessages(schedule, order, control, in_pieces).make();
}

MessagesOfProgram messages_of(const Program& program) {
  const MessageGraph graph = lower(program);
  const bool takes_time = !program.combine_s_per_byte.are_free();
  const auto joins = [&](MessageEnd end) {
    return !is_start(end) && graph.at(end).kind == MessageKind::kCombine && (takes_time || !graph.after[end].empty());
  };
  // By end: the message whose end is its own.
  std::vector<std::size_t> ends(2 * graph.size());
  std::size_t count = 0;
  for (const MessageEnd end : graph.order)
    if (is_start(end) || joins(end)) ends[end] = count++;
  for (const MessageEnd end : graph.order)
    if (!is_start(end) && !joins(end)) ends[end] = ends[start_of(message_of(end))];

  MessagesOfProgram result;
  result.graph.in_order = true;
  result.graph.works_alone = takes_time;
  std::vector<std::size_t> waits_for;
  const auto wait_for_all_before = [&](MessageEnd end) {
    for (const MessageEnd before : graph.after[end]) waits_for.push_back(ends[before]);
  };
  for (const MessageEnd end : graph.order) {
    const MessageGraph::Message& message = graph.at(end);
    waits_for.clear();
    if (is_start(end)) {
      wait_for_all_before(end);
      if (message.kind == MessageKind::kKeep) wait_for_all_before(done_of(message_of(end)));
      result.of_sends.push_back(result.graph.messages.size());
      result.graph.add({message.from, message.to, message.bytes}, waits_for);
    } else if (joins(end)) {
      wait_for_all_before(end);
      waits_for.push_back(ends[start_of(message_of(end))]);
      OrderedMessage joined{message.to, message.to};
      joined.work_s = combining_s(message, program.combine_s_per_byte);
      result.graph.add(joined, waits_for);
    }
  }
  return result;
}

MessagesOfTree messages_of(const TreeSchedule& schedule, std::int64_t element_bytes) {
  const auto machines = static_cast<std::size_t>(schedule.machines);
  MessagesOfTree result;
  OrderedMessages& graph = result.graph;
  if (schedule.max_transfers) graph.most = *schedule.max_transfers;
  std::vector<std::size_t> waits_for;
  const auto wait_for = [&](std::size_t message) {
    if (message != kNone) waits_for.push_back(message);
  };
  const auto add = [&](const OrderedMessage& message) {
    graph.add(message, waits_for);
    waits_for.clear();
    return graph.messages.size() - 1;
  };
  const auto work = [](std::int64_t machine, double seconds) {
    OrderedMessage message{machine, machine};
    message.work_s = seconds;
    return message;
  };
  // By machine: what keeps it from sending, receiving and combining next.
  std::vector<std::size_t> sent(machines, kNone), received(machines, kNone), combined(machines, kNone);
  for (std::size_t m = 0; m < schedule.arrivals.size(); ++m)
    if (schedule.arrivals[m] > 0)
      sent[m] = received[m] = combined[m] = add(work(static_cast<std::int64_t>(m), schedule.arrivals[m]));
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
    const std::size_t transfer = add({each.from, each.to, bytes_of(each.segment)});
    result.of_transfers.push_back(transfer);
    sent[from] = received[to] = transfer;
    if (schedule.compute > 0) {
      wait_for(transfer);
      wait_for(combined[to]);
      combined[to] = add(work(each.to, schedule.compute));
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

MessageSequence::MessageSequence(const OrderedMessages& graph)
    : graph_(graph),
      first_freed_(graph.messages.size() + 1, 0),
      freed_(graph.after.size()),
      released_(graph.messages.size(), false),
      behind_(graph.messages.size(), kNone),
      most_(graph.most) {
  for (const std::size_t before : graph.after) ++first_freed_[before + 1];
  for (std::size_t i = 1; i < first_freed_.size(); ++i) first_freed_[i] += first_freed_[i - 1];
  std::vector<std::size_t> next(first_freed_.begin(), first_freed_.end() - 1);
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> last;  // by sender and receiver, if all keep order
  for (std::size_t i = 0; i < graph.messages.size(); ++i) {
    const bool same_step = i > 0 && graph.messages[i].step == graph.messages[i - 1].step;
    step_begins_.push_back(same_step ? step_begins_.back() : i);
    missing_.push_back(graph.first_after[i + 1] - graph.first_after[i]);
    if (const OrderedMessage& own = graph.messages[i]; graph.in_order && own.from != own.to) {
      const auto [before, first] = last.try_emplace({own.from, own.to}, i);
      if (!first) {
        behind_[before->second] = i;
        before->second = i;
        ++missing_.back();
      }
    }
    if (missing_.back() == 0) make_ready(i);
    for (std::size_t a = graph.first_after[i]; a < graph.first_after[i + 1]; ++a) freed_[next[graph.after[a]]++] = i;
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

void MessageSequence::free(std::size_t message, bool control) {
  for (std::size_t f = first_freed_[message]; f < first_freed_[message + 1]; ++f)
    if (graph_.messages[freed_[f]].control == control && --missing_[freed_[f]] == 0) make_ready(freed_[f]);
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
