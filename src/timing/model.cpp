#include "sluice/timing/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "schedule/machine_costs.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/message_sequence.hpp"
#include "timing/port_clock.hpp"

namespace sluice {

namespace {

/// Starts each message as early as it may and ends it after its duration. `backbone`, unless empty: how many
/// may be under way when one begins, in the unit of the durations.
detail::MessageTimes run(const detail::SimulatedMessages& messages, const std::vector<double>& durations,
                         const std::vector<BackboneChange>& backbone = {}) {
  detail::MessageSequence sequence(messages);
  detail::MessageTimes times{std::vector<double>(durations.size()), std::vector<double>(durations.size())};
  using End = std::pair<double, std::size_t>;
  std::priority_queue<End, std::vector<End>, std::greater<>> running;
  const auto start_all = [&](double now) {
    while (const std::optional<std::size_t> next = sequence.next()) {
      times.start[*next] = now;
      times.end[*next] = now + durations[*next];
      running.emplace(times.end[*next], *next);
    }
  };
  std::size_t changed = 0;
  const auto change_until = [&](double now) {
    for (; changed < backbone.size() && backbone[changed].time <= now; ++changed)
      sequence.allow(backbone[changed].max_transfers);
  };
  change_until(0);
  start_all(0);
  while (!running.empty()) {
    const double change = changed < backbone.size() ? backbone[changed].time : std::numeric_limits<double>::infinity();
    const double now = std::min(running.top().first, change);
    change_until(now);
    for (; !running.empty() && running.top().first <= now; running.pop()) sequence.end(running.top().second);
    start_all(now);
  }
  return times;
}

/// What a transfer takes besides the set-up. @pre the schedule is sound
std::int64_t time_of(const StepSchedule& schedule, std::int64_t from, std::int64_t to, std::int64_t size) {
  if (schedule.speeds.empty()) return size;
  const std::optional<std::int64_t> time = transfer_time(size, schedule.speeds.between(from, to));
  SLUICE_ASSERT(time.has_value(), fmt::format("a transfer of {} in a sound schedule", size));
  return *time;
}

void keep_barriers(Timeline& timeline, const StepSchedule& schedule) {
  double start = 0;
  std::size_t next = 0;
  const auto in_unit = [&](double value) { return move_decimal_point(value, -schedule.decimals); };
  for (const detail::SimulatedPhase& phase : detail::phases_of(schedule)) {
    for (const Step& step : phase.steps) {
      const auto taken = [&](std::int64_t time) {
        return in_unit(phase.unit * (phase.setup + static_cast<double>(time)));
      };
      std::int64_t longest = 0;
      for (const Transfer& each : step.transfers) {
        const std::int64_t time = time_of(schedule, each.from, each.to, each.size);
        detail::put_times(timeline.transfers[next++], start, start + taken(time));
        longest = std::max(longest, time);
      }
      start += taken(longest);
    }
  }
  timeline.length = start;
}

/// Reductions whose transfers take what they cost.
void replay(Timeline& timeline, const TreeSchedule& schedule) {
  const auto machines = static_cast<std::size_t>(schedule.machines);
  const auto date = [&](std::size_t machine) { return schedule.arrivals.empty() ? 0 : schedule.arrivals[machine]; };
  const detail::MachineCosts costs(schedule.machines, schedule.transfer, schedule.transfer_costs, schedule.compute,
                                   schedule.compute_costs);
  detail::PortClock clock(machines, machines);
  constexpr std::size_t kNetwork = 0;  // the one link
  clock.add_link(schedule.max_transfers.value_or(0));
  std::vector<double> combined(machines);
  for (std::size_t m = 0; m < machines; ++m) {
    combined[m] = date(m);
    clock.keep_ports(m, m, date(m));
  }
  // The times of parts that others have been combined with; a part that only its machine has contributed to is ready at
  // the machine's date.
  std::unordered_map<std::int64_t, double> ready;
  for (std::size_t i = 0; i < timeline.transfers.size(); ++i) {
    TimelineTransfer& each = timeline.transfers[i];
    const auto from = static_cast<std::size_t>(each.from), to = static_cast<std::size_t>(each.to);
    const std::int64_t segment = schedule.transfers[i].segment;
    const auto own = ready.find(each.from * schedule.segments + segment);
    each.start = std::max(
        {clock.ports_free(from, to), clock.link_free(kNetwork), own == ready.end() ? date(from) : own->second});
    each.end = each.sender_free = each.start + costs.transfer(each.from, each.to);
    each.receive_start = each.start;
    clock.keep_ports(from, to, each.end);
    clock.keep_link(kNetwork, each.end);
    combined[to] = std::max(combined[to], each.end) + costs.compute(each.to);
    double& known = ready.try_emplace(each.to * schedule.segments + segment, 0).first->second;
    known = std::max(known, combined[to]);
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
  detail::refuse_unsimulated(schedule);
  if (order != StepOrder::kBarrier)
    detail::refuse_local_phases(
        schedule, "order barrier: in the others a transfer would have to wait for the data that it carries");
  Timeline timeline = detail::untimed(schedule, "");
  if (order == StepOrder::kBarrier) {
    keep_barriers(timeline, schedule);
  } else {
    std::vector<double> durations;
    for (const TimelineTransfer& each : timeline.transfers) {
      const std::int64_t time = time_of(schedule, each.from, each.to, each.size);
      durations.push_back(move_decimal_point(schedule.setup + static_cast<double>(time), -schedule.decimals));
    }
    std::vector<BackboneChange> backbone;
    if (order == StepOrder::kChain) backbone = schedule.speeds.backbone;
    for (BackboneChange& change : backbone) change.time = move_decimal_point(change.time, -schedule.decimals);
    const detail::SimulatedMessages messages = detail::messages_of(schedule, order, false);
    put_times(timeline, run(messages, durations, backbone), messages.of_transfers);
  }
  sort_by_start(timeline);
  return timeline;
}

Timeline simulate(const TreeSchedule& schedule) {
  const bool of_platform = schedule.problem == "broadcast" || schedule.over_links;
  Timeline timeline = detail::untimed(schedule, of_platform ? "s" : "");
  timeline.length = schedule.length;
  for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
    const TimedTransfer& each = schedule.transfers[i];
    TimelineTransfer& transfer = timeline.transfers[i];
    transfer.start = each.start;
    transfer.end = each.end;
    // pLogP: the sender is free after the gap, and the message comes in for as long.
    const double port = each.port > 0 ? std::min(each.port, each.end - each.start) : each.end - each.start;
    transfer.sender_free = each.start + port;
    transfer.receive_start = each.end - port;
  }
  if (!of_platform) replay(timeline, schedule);
  sort_by_start(timeline);
  return timeline;
}

Timeline simulate(const Program& program) {
  Timeline timeline = detail::untimed(program, "");
  const detail::SimulatedMessages messages = detail::messages_of(program);
  std::vector<double> durations(messages.graph.size(), 0);
  for (const std::size_t message : messages.of_transfers) durations[message] = 1;
  put_times(timeline, run(messages, durations), messages.of_transfers);
  sort_by_start(timeline);
  return timeline;
}

Timeline simulate(const Platform& platform, const Program& program) {
  const ReplayedProgram times = replay(platform, program);
  Timeline timeline = detail::untimed(program, "s");
  timeline.length = times.length_s;
  // A transfer is a message, and they are in the same order.
  const std::vector<detail::MessageEnd> ends = detail::lower(program).order;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    TimelineTransfer& transfer = timeline.transfers[detail::message_of(ends[i])];
    if (detail::is_start(ends[i])) {
      transfer.start = times.start_s[i];
      transfer.sender_free = times.end_s[i];
    } else {
      transfer.end = times.end_s[i];
    }
  }
  for (TimelineTransfer& transfer : timeline.transfers)
    transfer.receive_start = std::max(transfer.start, transfer.end - (transfer.sender_free - transfer.start));
  sort_by_start(timeline);
  return timeline;
}

}  // namespace sluice
