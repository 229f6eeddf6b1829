#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plan/reduce/method.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

std::string detail::method_of(const std::string& algorithm, std::int64_t segments) {
  std::string method = fmt::format("{} tree", algorithm == "auto" ? "best" : algorithm);
  if (segments > 1) method += fmt::format(", {}", count_text(segments, "part"));
  return method;
}

ReductionPart part_of(const TreeSchedule& schedule, std::int64_t rank) {
  if (rank < 0 || rank >= schedule.machines)
    throw InputError("rank", fmt::format("{}", rank), index_text(schedule.machines, "machine"));
  ReductionPart part;
  part.method = detail::method_of(schedule.algorithm, schedule.segments);
  part.rank = rank;
  part.root = schedule.root;
  part.commutative = schedule.commutative;
  part.segments = schedule.segments;
  part.length = schedule.length;
  // By machine: what it has combined, in the order of the transfers of the first part.
  std::vector<std::pair<std::int64_t, std::int64_t>> runs(static_cast<std::size_t>(schedule.machines), {0, 0});
  if (!schedule.commutative) {
    for (std::int64_t i = 0; i < schedule.machines; ++i) runs[static_cast<std::size_t>(i)] = {i, i + 1};
    for (const TimedTransfer& transfer : schedule.transfers) {
      if (transfer.segment != 0) continue;
      const auto& from = runs[static_cast<std::size_t>(transfer.from)];
      auto& to = runs[static_cast<std::size_t>(transfer.to)];
      to = {std::min(to.first, from.first), std::max(to.second, from.second)};
    }
  }
  for (const TimedTransfer& transfer : schedule.transfers) {
    if (transfer.to == rank) {
      const auto& run = runs[static_cast<std::size_t>(transfer.from)];
      part.receives.push_back({transfer.from, transfer.segment, run.first, run.second});
    } else if (transfer.from == rank) {
      part.sends.push_back({transfer.to, transfer.segment});
    }
  }
  return part;
}

std::optional<std::vector<ReductionPart>> parts_of_tree(const Program& program) {
  if (program.problem != Collective::kReduce) return std::nullopt;
  std::vector<ReductionPart> parts(static_cast<std::size_t>(program.ranks));
  std::vector<std::pair<std::int64_t, std::int64_t>> runs;  // by rank: what it has combined
  for (std::int64_t rank = 0; rank < program.ranks; ++rank) {
    ReductionPart& part = parts[static_cast<std::size_t>(rank)];
    part.method = program.algorithm;
    part.rank = rank;
    part.root = program.root;
    part.commutative = program.commutative;
    part.length = program.length_s;
    runs.emplace_back(rank, rank + 1);
  }
  for (const ProgramOperation& op : program.operations) {
    ReductionPart& part = parts[static_cast<std::size_t>(op.rank)];
    if (op.kind == ProgramOperation::Kind::kReceive || op.message_bytes() != program.size_bytes) return std::nullopt;
    if (op.kind == ProgramOperation::Kind::kSend) {
      if (op.rank == program.root || !part.sends.empty()) return std::nullopt;
      part.sends.push_back({op.peer, 0});
      continue;
    }
    if (!part.sends.empty()) return std::nullopt;
    auto& run = runs[static_cast<std::size_t>(op.rank)];
    const auto& theirs = runs[static_cast<std::size_t>(op.peer)];
    part.receives.push_back(program.commutative ? PartReceive{op.peer, 0, 0, 0}
                                                : PartReceive{op.peer, 0, theirs.first, theirs.second});
    run = {std::min(run.first, theirs.first), std::max(run.second, theirs.second)};
  }
  return parts;
}

}  // namespace sluice
