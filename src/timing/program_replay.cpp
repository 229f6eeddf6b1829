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

#include <cstddef>
#include <optional>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/replay.hpp"

namespace sluice {
namespace detail {

MessageCosts pace_of(const RankNetwork& network, const ProgramOperation& send) {
  return network.costs(network.cluster(send.rank), network.cluster(send.peer), send.message_bytes(), false);
}

std::optional<double> replayed_length(const RankNetwork& network, const MessageGraph& graph,
                                      const CombiningCosts& combine_s_per_byte, ReplayLimits& limits) {
  const std::optional<ReplayResult> times = replay_messages(network, graph, combine_s_per_byte, limits);
  return times ? std::optional(times->length) : std::nullopt;
}

std::optional<ReplayedProgram> replay(const RankNetwork& network, const Program& program, SendOrder order,
                                      ReplayLimits& limits) {
  MessageGraph graph = lower(program);
  if (order == SendOrder::kInTurn && graph.pace.empty()) {
    for (const MessageGraph::Message& each : graph.messages) {
      const MessageCosts costs = network.costs(network.cluster(each.from), network.cluster(each.to), each.bytes, false);
      graph.pace.push_back({costs.port_s, costs.connection_s});
    }
  }
  const std::optional<ReplayResult> times = replay_messages(network, graph, program.combine_s_per_byte, limits);
  if (!times) return std::nullopt;
  ReplayedProgram result;
  result.length_s = times->length;
  for (const MessageEnd end : graph.order) {
    const ReplayResult::Times& of = times->messages[message_of(end)];
    result.start_s.push_back(is_start(end) ? of.start : of.arrival);
    result.end_s.push_back(is_start(end) ? of.left : of.arrival);
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
