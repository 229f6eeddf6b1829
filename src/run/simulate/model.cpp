#include "sluice/run/simulate/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/simulate/message_sequence.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/plan/program.hpp"

namespace sluice {

namespace {

/// Starts each message of `graph` as early as it may and ends it after duration(message); tells of each when it runs:
/// place(message, start, end).
template <class Duration, class Place>
void run(const detail::OrderedMessages& graph, Duration duration, Place place) {
  detail::MessageSequence sequence(graph);
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  const auto start_all = [&](double now) {
    while (const std::optional<std::size_t> next = sequence.next()) {
      const double end = now + duration(*next);
      place(*next, now, end);
      running.emplace(end, *next);
    }
  };
  start_all(0);
  while (!running.empty()) {
    const double now = running.top().first;
    for (; !running.empty() && running.top().first <= now; running.pop()) sequence.end(running.top().second);
    start_all(now);
  }
}

void place(TimelineTransfer& transfer, double start, double end) {
  transfer.start = transfer.receive_start = start;
  transfer.end = transfer.sender_free = end;
}

void keep_barriers(Timeline& timeline, const StepSchedule& schedule) {
  double start = 0;
  std::size_t next = 0;
  const auto in_unit = [&](double value) { return move_decimal_point(value, -schedule.decimals); };
  for (const Step& step : schedule.steps) {
    std::int64_t longest = 0;
    for (const Transfer& each : step.transfers) {
      place(timeline.transfers[next++], start, start + in_unit(schedule.setup + static_cast<double>(each.size)));
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
  detail::refuse_more_than_steps(schedule);
  Timeline timeline{schedule.problem, schedule.algorithm, schedule.senders, schedule.receivers, false, "", {}, 0};
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (const Transfer& each : schedule.steps[s].transfers)
      timeline.transfers.push_back({each.from, each.to, each.size, static_cast<std::int64_t>(s)});
  if (order == StepOrder::kBarrier) {
    keep_barriers(timeline, schedule);
  } else {
    run(
        detail::messages_of(schedule, order),
        [&](std::size_t i) {
          const auto size = static_cast<double>(timeline.transfers[i].size);
          return move_decimal_point(schedule.setup + size, -schedule.decimals);
        },
        [&](std::size_t i, double start, double end) { place(timeline.transfers[i], start, end); });
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

Timeline simulate(const Program& program) {
  Timeline timeline{.problem = std::string(to_string(program.problem)),
                    .algorithm = program.algorithm,
                    .senders = program.ranks,
                    .receivers = program.ranks,
                    .same_nodes = true,
                    .unit = "",
                    .transfers = {}};
  const detail::MessagesOfProgram messages = detail::messages_of(program);
  const auto send_of = [&](std::size_t message) -> const ProgramOperation* {
    const std::size_t send = messages.send[message];
    return send == detail::kNoSend ? nullptr : &program.operations[send];
  };
  run(
      messages.graph, [&](std::size_t message) { return send_of(message) != nullptr ? 1.0 : 0.0; },
      [&](std::size_t message, double start, double end) {
        const ProgramOperation* const send = send_of(message);
        if (send == nullptr) return;
        place(timeline.transfers.emplace_back(TimelineTransfer{send->rank, send->peer, send->message_bytes()}), start,
              end);
      });
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
  const std::vector<std::size_t> partner = detail::partners(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& op = program.operations[i];
    if (op.kind != ProgramOperation::Kind::kSend) continue;
    TimelineTransfer transfer{op.rank, op.peer, op.message_bytes(), -1, times.start_s[i], times.end_s[i]};
    transfer.end = times.end_s[partner[i]];
    transfer.receive_start = std::max(transfer.start, transfer.end - (transfer.sender_free - transfer.start));
    timeline.transfers.push_back(transfer);
  }
  sort_by_start(timeline);
  return timeline;
}

}  // namespace sluice
