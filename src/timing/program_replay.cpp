/// The replay of a program: its messages as flows that share what they pass, see timing/replay.cpp.
///
/// A send starts when all operations in `after` have ended. If the rank has several sends, they go side by side and
/// share the port. Sends to one rank follow each other at the pace of their connection. (In jobs all sends of a
/// rank alternate at its port, run/mpi/collective/collective_plan.cpp; together they take as long.) If a program states
/// a pace, its sends keep it, the earlier ones of the list first. A send has ended when its last byte has left. A
/// receive has ended when the message is there and all in `after` have ended. A combine then takes the
/// combine_s_per_byte of its rank for each byte. Meanwhile the rank only goes on with sends that it has begun.
#include "sluice/timing/program_replay.hpp"

#include <fmt/format.h>

#include <vector>

#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "timing/clock.hpp"

namespace sluice {
std::vector<SendPace> send_paces(const Platform& platform, const Program& program) {
  if (!program.pace.empty()) return program.pace;
  const detail::RankNetwork network(platform);
  const detail::MessageGraph graph = detail::lower(program);
  const std::vector<SendPace> pace = detail::Clock(network).pace_in_turn(graph);
  std::vector<SendPace> paces;
  for (const detail::MessageEnd end : graph.order)
    paces.push_back(detail::is_start(end) ? pace[detail::message_of(end)] : SendPace());
  return paces;
}

ReplayedProgram replay(const Platform& platform, const Program& program) {
  check_platform(platform, "platform");
  if (program.ranks != platform.ranks)
    throw InputError("platform", count_text(platform.ranks, "rank"),
                     fmt::format("the {} of the program", program.ranks));
  if (const std::vector<Violation> faults = validate(program); !faults.empty())
    throw InputError("program", to_string(faults.front()), "a sound one");
  const detail::RankNetwork network(platform);
  const detail::MessageGraph graph = detail::lower(program);
  detail::ReplayLimits none;
  const detail::ReplayResult times = *detail::Clock(network, program.combine_s_per_byte).replay(graph, none);
  ReplayedProgram result;
  result.length_s = times.length_s;
  for (const detail::MessageEnd end : graph.order) {
    const detail::ReplayResult::Times& of = times.messages[detail::message_of(end)];
    result.start_s.push_back(detail::is_start(end) ? of.start : of.arrival);
    result.end_s.push_back(detail::is_start(end) ? of.left : of.arrival);
  }
  return result;
}

}  // namespace sluice
