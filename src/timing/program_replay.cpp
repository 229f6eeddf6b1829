/// The replay of a program: its messages as flows that share what they pass, see timing/replay.cpp.
///
/// A send starts when all operations in `after` have ended. If the rank has several sends, they go side by side and
/// share the port. Sends to one rank follow each other at the pace of their connection. (In the executor all sends of a
/// rank alternate at its port, run/mpi/collective/collective_plan.cpp; together they take as long.) If a program states
/// a pace, its sends keep it, the earlier ones of the list first. A send has ended when its last byte has left. A
/// receive has ended when the message is there and all in `after` have ended. A combine then takes the
/// combine_s_per_byte of its rank for each byte. Meanwhile the rank only goes on with sends that it has begun.
#include "timing/program_replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/infinity.hpp"
#include "schedule/message_partners.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/replay.hpp"

namespace sluice {
namespace detail {

using OperationKind = ProgramOperation::Kind;

MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send) {
  return network.costs(network.cluster(send.rank), network.cluster(send.peer), send.message_bytes(), false);
}

namespace {

ReplayInput within(const ReplayLimits& limits) {
  ReplayInput input;
  input.most_work = limits.work_left;
  input.most_s = limits.most_s;
  input.least_work = limits.least_work;
  input.to_the_time = limits.to_the_time;
  input.stop = limits.stop;
  return input;
}

ReplayResult replay_within(const RankNetwork& network, const ReplayInput& input, ReplayLimits& limits) {
  ReplayResult times = replay_messages(network, input);
  limits.work_left -= times.work;
  limits.longer = times.longer;
  return times;
}

}  // namespace

std::optional<double> replayed_length(const RankNetwork& network, const TimedProgram& program, ReplayLimits& limits) {
  ReplayInput input = within(limits);
  const std::vector<ProgramMessage>& list = program.messages.list();
  const bool paced = states_pace(program.messages);
  input.messages.reserve(list.size());
  for (const ProgramMessage& message : list) {
    const std::int64_t bytes = total_bytes(message.ranges);
    SendPace pace = message.pace;
    if (!paced) {
      const std::size_t from = network.cluster(message.from), to = network.cluster(message.to);
      pace = {0, network.costs(from, to, bytes, false).connection_s};
    }
    const double work_s = message.combine ? program.combine_s_per_byte.of(message.to) * static_cast<double>(bytes) : 0;
    input.messages.push_back({message.from, message.to, bytes, pace.port_s, pace.connection_s, work_s});
  }
  const std::vector<MessageWaits::Operation>& operations = program.waits.operations;
  const auto end_of = [](const MessageWaits::Operation& op) {
    return op.sends ? ReplayEnd::kSender : ReplayEnd::kReceiver;
  };
  input.waits.reserve(program.waits.positions.size());
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (const std::uint32_t before : program.waits.after(i))
      input.waits.push_back(
          {operations[before].message, end_of(operations[before]), operations[i].message, end_of(operations[i])});
  const ReplayResult times = replay_within(network, input, limits);
  return times.complete ? std::optional(times.length) : std::nullopt;
}

std::optional<ReplayedProgram> replay(const RankNetwork& network, const Program& program, SendOrder order,
                                      ReplayLimits& limits) {
  ReplayInput input = within(limits);
  const std::vector<ProgramOperation>& operations = program.operations;
  const std::vector<std::size_t> partner = message_partners(program);
  std::vector<std::size_t> message_of(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ProgramOperation& op = operations[i];
    if (op.kind != OperationKind::kSend) continue;
    const MessageCosts costs = pace_of(network, op);
    const bool combined = operations[partner[i]].kind == OperationKind::kCombine;
    const double work_s =
        combined ? program.combine_s_per_byte.of(op.peer) * static_cast<double>(op.message_bytes()) : 0;
    message_of[i] = message_of[partner[i]] = input.messages.size();
    SendPace pace{order == SendOrder::kInTurn ? costs.port_s : 0, costs.connection_s};
    if (!program.pace.empty()) pace = program.pace[i];
    input.messages.push_back({op.rank, op.peer, op.message_bytes(), pace.port_s, pace.connection_s, work_s});
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const auto end_of = [&](std::size_t operation) {
      return operations[operation].kind == OperationKind::kSend ? ReplayEnd::kSender : ReplayEnd::kReceiver;
    };
    for (const std::int64_t before : operations[i].after) {
      const auto b = static_cast<std::size_t>(before);
      input.waits.push_back({message_of[b], end_of(b), message_of[i], end_of(i)});
    }
  }
  const ReplayResult times = replay_within(network, input, limits);
  if (!times.complete) return std::nullopt;
  ReplayedProgram result;
  result.length_s = times.length;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ReplayResult::Times& of = times.messages[message_of[i]];
    const bool sends = operations[i].kind == OperationKind::kSend;
    result.start_s.push_back(sends ? of.start : of.arrival);
    result.end_s.push_back(sends ? of.left : of.arrival);
  }
  return result;
}

}  // namespace detail

std::vector<SendPace> send_paces(const Platform& platform, const Program& program) {
  if (!program.pace.empty()) return program.pace;
  const detail::RankNetwork network(platform);
  std::vector<SendPace> paces;
  for (const ProgramOperation& op : program.operations) {
    SendPace& pace = paces.emplace_back();
    if (op.kind != ProgramOperation::Kind::kSend) continue;
    const detail::MessageCosts costs = detail::pace_of(network, op);
    pace = {costs.port_s, costs.connection_s};
  }
  return paces;
}

ReplayedProgram replay(const Platform& platform, const Program& program) {
  check_platform(platform, "platform");
  if (program.ranks != platform.ranks)
    throw InputError("platform", count_text(platform.ranks, "rank"),
                     fmt::format("the {} of the program", program.ranks));
  if (const std::vector<Violation> faults = validate(program); !faults.empty())
    throw InputError("program", to_string(faults.front()), "a sound one");
  detail::ReplayLimits none;
  return *detail::replay(detail::RankNetwork(platform), program, detail::SendOrder::kSideBySide, none);
}

}  // namespace sluice
