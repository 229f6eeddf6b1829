#include "sluice/run/simulate/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/plan/program.hpp"

namespace sluice {

namespace {

/// Positions in the list of transfers, node by node, in the order of the steps.
class Queues {
 public:
  Queues(const std::vector<TimelineTransfer>& transfers, std::int64_t nodes, std::int64_t TimelineTransfer::*node)
      : first_(static_cast<std::size_t>(nodes) + 1, 0) {
    for (const TimelineTransfer& each : transfers) ++first_[static_cast<std::size_t>(each.*node) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    next_.assign(first_.begin(), first_.end() - 1);
    order_.resize(transfers.size());
    for (std::size_t i = 0; i < transfers.size(); ++i)
      order_[next_[static_cast<std::size_t>(transfers[i].*node)]++] = i;
    next_.assign(first_.begin(), first_.end() - 1);
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  /// The first of `node` that has not ended.
  [[nodiscard]] std::size_t head(std::int64_t node) const {
    const auto at = static_cast<std::size_t>(node);
    return next_[at] == first_[at + 1] ? kNone : order_[next_[at]];
  }
  void pop(std::int64_t node) { ++next_[static_cast<std::size_t>(node)]; }

 private:
  std::vector<std::size_t> first_;  // of each node, in order_
  std::vector<std::size_t> next_;
  std::vector<std::size_t> order_;
};

/// Runs transfers whose nodes keep their order, at most `most` at once.
class LocalOrder {
 public:
  LocalOrder(Timeline& timeline, std::int64_t most, double setup, std::int32_t decimals)
      : transfers_(timeline.transfers),
        most_(most),
        setup_(setup),
        decimals_(decimals),
        sends_(transfers_, timeline.senders, &TimelineTransfer::from),
        receives_(transfers_, timeline.receivers, &TimelineTransfer::to) {}

  void run() {
    for (std::size_t i = 0; i < transfers_.size(); ++i) make_ready(i);
    double now = 0;
    start_all(now);
    while (!running_.empty()) {
      now = running_.top().first;
      while (!running_.empty() && running_.top().first <= now) {
        const TimelineTransfer& ended = transfers_[running_.top().second];
        running_.pop();
        sends_.pop(ended.from);
        receives_.pop(ended.to);
        const std::size_t of_sender = sends_.head(ended.from);
        const std::size_t of_receiver = receives_.head(ended.to);
        if (of_sender != Queues::kNone) make_ready(of_sender);
        if (of_receiver != Queues::kNone && of_receiver != of_sender) make_ready(of_receiver);
      }
      start_all(now);
    }
  }

 private:
  /// Notes a transfer that is the first one left of both its nodes; each becomes that once.
  void make_ready(std::size_t i) {
    if (sends_.head(transfers_[i].from) == i && receives_.head(transfers_[i].to) == i) ready_.push(i);
  }

  void start_all(double now) {
    while (!ready_.empty() && std::cmp_less(running_.size(), most_)) {
      TimelineTransfer& next = transfers_[ready_.top()];
      next.start = next.receive_start = now;
      next.end = next.sender_free = now + move_decimal_point(setup_ + static_cast<double>(next.size), -decimals_);
      running_.emplace(next.end, ready_.top());
      ready_.pop();
    }
  }

  using End = std::pair<double, std::size_t>;

  std::vector<TimelineTransfer>& transfers_;
  std::int64_t most_;
  double setup_;
  std::int32_t decimals_;
  Queues sends_;
  Queues receives_;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready_;  // earlier steps first
  std::priority_queue<End, std::vector<End>, std::greater<>> running_;
};

void keep_barriers(Timeline& timeline, const StepSchedule& schedule) {
  double start = 0;
  std::size_t next = 0;
  const auto in_unit = [&](double value) { return move_decimal_point(value, -schedule.decimals); };
  for (const Step& step : schedule.steps) {
    std::int64_t longest = 0;
    for (const Transfer& each : step.transfers) {
      TimelineTransfer& transfer = timeline.transfers[next++];
      transfer.start = transfer.receive_start = start;
      transfer.end = transfer.sender_free = start + in_unit(schedule.setup + static_cast<double>(each.size));
      longest = std::max(longest, each.size);
    }
    start += in_unit(schedule.setup + static_cast<double>(longest));
  }
  timeline.length = start;
}

/// Reductions whose transfers all take the same.
void replay(Timeline& timeline, const TreeSchedule& schedule) {
  const auto machines = static_cast<std::size_t>(schedule.machines);
  const auto date = [&](std::size_t machine) { return schedule.arrivals.empty() ? 0 : schedule.arrivals[machine]; };
  std::vector<double> send_free(machines), receive_free(machines), combined(machines);
  for (std::size_t m = 0; m < machines; ++m) send_free[m] = receive_free[m] = combined[m] = date(m);
  // Of parts that others have been combined with; parts that a machine only has itself are ready at its date.
  std::unordered_map<std::int64_t, double> ready;
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // of as many as may run at once
  for (TimelineTransfer& each : timeline.transfers) {
    const auto from = static_cast<std::size_t>(each.from), to = static_cast<std::size_t>(each.to);
    const std::int64_t segment = each.step;
    const auto own = ready.find(each.from * schedule.segments + segment);
    each.start = std::max({send_free[from], receive_free[to], own == ready.end() ? date(from) : own->second});
    if (schedule.max_transfers && std::cmp_equal(ends.size(), *schedule.max_transfers)) {
      each.start = std::max(each.start, ends.top());
      ends.pop();
    }
    each.end = each.sender_free = each.start + schedule.transfer;
    each.receive_start = each.start;
    ends.push(each.end);
    send_free[from] = receive_free[to] = each.end;
    combined[to] = std::max(combined[to], each.end) + schedule.compute;
    double& known = ready.try_emplace(each.to * schedule.segments + segment, 0).first->second;
    known = std::max(known, combined[to]);
    each.step = -1;
  }
  timeline.length = combined[static_cast<std::size_t>(schedule.root)];
}

}  // namespace

StepOrder parse_step_order(std::string_view name, const std::string& where) {
  if (name == "barrier") return StepOrder::kBarrier;
  if (name == "local") return StepOrder::kLocal;
  if (name == "chain") return StepOrder::kChain;
  throw InputError(where, fmt::format("'{}'", name), "one of barrier, local, chain");
}

Timeline simulate(const StepSchedule& schedule, StepOrder order) {
  if (schedule.local_phases)
    throw InputError("schedule", "local phases before and after its steps", "a schedule of steps alone");
  if (schedule.switches != 1)
    throw InputError("schedule", fmt::format("steps on {} switches", schedule.switches), "a schedule for one switch");
  constexpr std::int64_t kMostNodes = std::int64_t{1} << 24;
  if (std::max(schedule.senders, schedule.receivers) > kMostNodes)
    throw InputError("schedule", fmt::format("{} nodes", std::max(schedule.senders, schedule.receivers)),
                     fmt::format("at most {} to be simulated", kMostNodes));
  Timeline timeline{schedule.problem, schedule.algorithm, schedule.senders, schedule.receivers, false, "", {}, 0};
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (const Transfer& each : schedule.steps[s].transfers)
      timeline.transfers.push_back({each.from, each.to, each.size, static_cast<std::int64_t>(s)});
  if (order == StepOrder::kBarrier) {
    keep_barriers(timeline, schedule);
  } else {
    const std::int64_t most =
        order == StepOrder::kChain ? schedule.max_transfers : std::numeric_limits<std::int64_t>::max();
    LocalOrder(timeline, most, schedule.setup, schedule.decimals).run();
  }
  sort_by_start(timeline);
  return timeline;
}

Timeline simulate(const TreeSchedule& schedule) {
  const bool of_platform = schedule.problem == "broadcast" || schedule.over_links;
  Timeline timeline{.problem = schedule.problem,
                    .algorithm = schedule.algorithm,
                    .senders = schedule.machines,
                    .receivers = schedule.machines,
                    .same_nodes = true,
                    .unit = of_platform ? "s" : "",
                    .transfers = {},
                    .length = schedule.length};
  for (const TimedTransfer& each : schedule.transfers) {
    TimelineTransfer transfer{each.from, each.to, 0, of_platform ? -1 : each.segment};
    transfer.start = each.start;
    transfer.end = each.end;
    // pLogP: the sender is free after the gap, and the message comes in for as long.
    const double port = each.port > 0 ? std::min(each.port, each.end - each.start) : each.end - each.start;
    transfer.sender_free = each.start + port;
    transfer.receive_start = each.end - port;
    timeline.transfers.push_back(transfer);
  }
  if (!of_platform) replay(timeline, schedule);
  sort_by_start(timeline);
  return timeline;
}

Timeline simulate(const Platform& platform, const Program& program, double combine_s_per_byte) {
  const ReplayedProgram times = replay(platform, program, combine_s_per_byte);
  Timeline timeline{.problem = std::string(to_string(program.problem)),
                    .algorithm = program.algorithm,
                    .senders = program.ranks,
                    .receivers = program.ranks,
                    .same_nodes = true,
                    .unit = "s",
                    .transfers = {},
                    .length = times.length_s};
  // The k-th send of a pair of ranks and its k-th receive are one message.
  using Kind = ProgramOperation::Kind;
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<std::size_t>> receives;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& op = program.operations[i];
    if (op.kind != Kind::kSend) receives[{op.peer, op.rank}].push_back(i);
  }
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& op = program.operations[i];
    if (op.kind != Kind::kSend) continue;
    std::deque<std::size_t>& waiting = receives[{op.rank, op.peer}];
    TimelineTransfer transfer{op.rank, op.peer, op.message_bytes(), -1, times.start_s[i], times.end_s[i]};
    transfer.end = times.end_s[waiting.front()];
    transfer.receive_start = std::max(transfer.start, transfer.end - (transfer.sender_free - transfer.start));
    waiting.pop_front();
    timeline.transfers.push_back(transfer);
  }
  sort_by_start(timeline);
  return timeline;
}

}  // namespace sluice
