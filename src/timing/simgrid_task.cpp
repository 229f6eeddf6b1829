#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "schedule/pieces.hpp"
#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/timing/program_replay.hpp"
#include "sluice/timing/simgrid.hpp"
#include "timing/simgrid_request.hpp"

namespace sluice {

struct SimgridTask::Contents {
  detail::SimulatedMessages messages;
  std::string who_needs;  ///< hosts
  Timeline timeline;      ///< without times
};

namespace {

/// The host of each receiver.
std::vector<std::int64_t> hosts_of_receivers(const StepSchedule& schedule, bool same_hosts) {
  constexpr std::int64_t kOfItsOwn = -1;
  std::vector<std::int64_t> hosts(static_cast<std::size_t>(schedule.receivers), kOfItsOwn);
  if (same_hosts) {
    for (std::size_t r = 0; r < hosts.size(); ++r) hosts[r] = static_cast<std::int64_t>(r);
  } else if (schedule.input) {
    const std::vector<std::int64_t>& roles = schedule.input->roles;
    for (std::size_t p = 0; p < roles.size(); ++p)
      if (roles[p] >= 0 && std::cmp_less(roles[p], hosts.size()))
        hosts[static_cast<std::size_t>(roles[p])] = static_cast<std::int64_t>(p);
  }
  std::int64_t next = schedule.first_passing();
  for (std::int64_t& each : hosts)
    if (each == kOfItsOwn) each = next++;
  return hosts;
}

double mean_size(const StepSchedule& schedule) {
  double count = 0, sum = 0;
  for (const Step& step : schedule.steps) {
    for (const Transfer& each : step.transfers) ++count, sum += static_cast<double>(each.size);
  }
  return count > 0 ? sum / count : 0;
}

/// The pieces of Exchange and of Redistribution, which packs.
detail::SimulatedPieces pieces_of(const StepSchedule& schedule, StepOrder order, const SimgridNodes& nodes) {
  const bool packed = schedule.problem == "redistribute";
  const detail::UsualPieces usual =
      order == StepOrder::kLocal ? detail::usual_pieces_of_local(packed) : detail::UsualPieces{};
  detail::SimulatedPieces pieces{usual.chunk_bytes, 1, usual.window, usual.ahead,
                                 packed ? detail::early_bytes_of_redistribution(mean_size(schedule) * nodes.unit_bytes)
                                        : detail::kUsualEarlyBytes};
  if (nodes.chunk_bytes > 0) {
    pieces.chunk_bytes = nodes.chunk_bytes;
    if (!packed) pieces.window = usual.window_of(nodes.chunk_bytes);
  }
  if (packed) pieces.granule = std::max<std::int64_t>(1, std::llround(nodes.unit_bytes));
  return pieces;
}

}  // namespace

SimgridTask::SimgridTask(const StepSchedule& schedule, StepOrder order, const SimgridNodes& nodes)
    : contents_(std::make_unique<Contents>()) {
  detail::refuse_unsimulated(schedule);
  detail::refuse_local_phases(schedule, "a schedule of steps alone, or the engine model");
  const bool control = nodes.control || nodes.pieces;
  if (order == StepOrder::kChain && !control && schedule.speeds.backbone.size() > 1)
    throw InputError("schedule", "a backbone that changes over time, which SimGrid's clock does not know",
                     "order barrier or local, control messages, whose order the plan decides, or the engine model");
  contents_->messages = detail::messages_of(schedule, order, control, nodes.pieces);
  if (nodes.pieces) contents_->messages.pieces = pieces_of(schedule, order, nodes);
  const std::vector<std::int64_t> receivers = hosts_of_receivers(schedule, nodes.same_hosts);
  const auto host_of = [&](std::int64_t node) {
    // A node that forwards is a receiver.
    const std::int64_t first_receiver = node < schedule.senders ? schedule.first_passing() : schedule.senders;
    return node < first_receiver ? node : receivers[static_cast<std::size_t>(node - first_receiver)];
  };
  std::vector<std::int64_t>& fence = contents_->messages.fence;
  for (std::int64_t& each : fence) each = host_of(each);
  std::ranges::sort(fence);
  fence.erase(std::unique(fence.begin(), fence.end()), fence.end());
  const double unit = move_decimal_point(nodes.unit_bytes, -schedule.decimals);
  for (detail::MessageGraph::Message& each : contents_->messages.graph.messages) {
    each.from = static_cast<std::int32_t>(host_of(each.from));
    each.to = static_cast<std::int32_t>(host_of(each.to));
    const double bytes = std::round(static_cast<double>(each.bytes) * unit);
    if (!(bytes <= static_cast<double>(std::int64_t{1} << 53)))
      throw InputError("schedule", fmt::format("a transfer of {} bytes", bytes), "at most 2^53");
    each.bytes = static_cast<std::int64_t>(bytes);
  }
  contents_->who_needs =
      fmt::format("a host for each of {} and {}{}", count_text(schedule.senders, "sender"),
                  count_text(schedule.receivers, "receiver"),
                  nodes.same_hosts ? ", one of the same number for both" : ", or the same hosts for both");
  contents_->timeline = detail::untimed(schedule, "s");
}

SimgridTask::SimgridTask(const Program& program, const Platform* platform) : contents_(std::make_unique<Contents>()) {
  detail::SimulatedMessages& messages = contents_->messages = detail::messages_of(program);
  if (platform != nullptr) {
    // Without a pace of its own all that a rank can send shares its port.
    const std::vector<SendPace> paces = send_paces(*platform, program);
    messages.graph.pace.resize(messages.graph.size());
    std::size_t send = 0;
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      if (program.operations[i].kind != ProgramOperation::Kind::kSend) continue;
      messages.graph.pace[messages.of_transfers[send++]] = {program.pace.empty() ? 0 : paces[i].port_s,
                                                            paces[i].connection_s};
    }
  }
  contents_->who_needs = fmt::format("one for each of the {}", count_text(program.ranks, "rank"));
  contents_->timeline = detail::untimed(program, "s");
}

SimgridTask::SimgridTask(const TreeSchedule& schedule, std::int64_t element_bytes)
    : contents_(std::make_unique<Contents>()) {
  if (schedule.problem != "reduce" || schedule.over_links)
    throw InputError("schedule", "a tree over links, which does not say what ranks do",
                     "the program that plan broadcast --program writes, or the engine model");
  const detail::SimulatedMessages& messages = contents_->messages = detail::messages_of(schedule, element_bytes);
  contents_->who_needs = fmt::format("one for each of the {}", count_text(schedule.machines, "machine"));
  contents_->timeline = detail::untimed(schedule, "s");
  for (std::size_t i = 0; i < messages.of_transfers.size(); ++i)
    contents_->timeline.transfers[i].size = messages.graph.messages[messages.of_transfers[i]].bytes;
}

SimgridTask::~SimgridTask() = default;
SimgridTask::SimgridTask(SimgridTask&&) noexcept = default;
SimgridTask& SimgridTask::operator=(SimgridTask&&) noexcept = default;

std::size_t SimgridTask::message_count() const { return contents_->messages.graph.size(); }

void SimgridTask::write_request(std::ostream& out, const SimgridMachine& machine) const {
  detail::write_simgrid_request(out, machine, contents_->who_needs, contents_->messages);
}

Timeline SimgridTask::read_times(std::istream& in) const {
  Timeline timeline = contents_->timeline;
  put_times(timeline, detail::read_simgrid_times(in, message_count()), contents_->messages.of_transfers);
  sort_by_start(timeline);
  return timeline;
}

}  // namespace sluice
