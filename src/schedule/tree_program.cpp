#include "sluice/schedule/tree_program.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "schedule/message_graph.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice {

Program program_of(const TreeSchedule& schedule, std::int64_t size_bytes, std::int64_t element_bytes) {
  if (schedule.problem != "reduce" || schedule.over_links)
    throw InputError("schedule", schedule.over_links ? "a reduction between clusters" : schedule.problem,
                     "a reduction of ranks");
  if (const std::vector<Violation> faults = validate(schedule); !faults.empty())
    throw InputError("schedule", faults.front().reason, "a sound one");
  if (element_bytes < 1) throw InputError("element bytes", fmt::format("{}", element_bytes), "at least 1");
  if (size_bytes < 0 || size_bytes % element_bytes != 0)
    throw InputError("size in bytes", fmt::format("{}", size_bytes),
                     fmt::format("0 or a multiple of {}, the bytes of an element", element_bytes));
  detail::check_message_count(static_cast<std::int64_t>(schedule.transfers.size()));
  Program program;
  program.problem = Collective::kReduce;
  program.algorithm = schedule.algorithm;
  program.ranks = schedule.machines;
  program.size_bytes = size_bytes;
  program.root = schedule.root;
  program.element_bytes = element_bytes;
  program.commutative = schedule.commutative;
  program.length_s = schedule.length;
  const std::vector<ByteRange> parts = detail::cut({0, size_bytes}, schedule.segments, element_bytes);
  detail::MessageGraph messages;
  for (const TimedTransfer& each : schedule.transfers)
    if (std::cmp_less(each.segment, parts.size()))
      messages.add(each.from, each.to, parts[static_cast<std::size_t>(each.segment)], detail::MessageKind::kCombine);
  program.operations = operations_of(std::move(messages));
  return program;
}

}  // namespace sluice
