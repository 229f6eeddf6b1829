#include "sluice/schedule/program.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/checked.hpp"

namespace sluice {
namespace {

constexpr std::array<std::pair<Collective, std::string_view>, 8> kNames{{
    {Collective::kBroadcast, "broadcast"},
    {Collective::kReduce, "reduce"},
    {Collective::kScatter, "scatter"},
    {Collective::kGather, "gather"},
    {Collective::kAllgather, "allgather"},
    {Collective::kReduceScatter, "reduce-scatter"},
    {Collective::kAllreduce, "allreduce"},
    {Collective::kAlltoall, "alltoall"},
}};

/// Whether every rank has a block of size_bytes.
bool has_blocks(Collective problem) {
  return problem == Collective::kScatter || problem == Collective::kGather || problem == Collective::kAllgather;
}

std::vector<ByteRange> unless_empty(const ByteRange& range) {
  return range.bytes > 0 ? std::vector<ByteRange>{range} : std::vector<ByteRange>{};
}

}  // namespace

std::string_view to_string(Collective collective) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.first == collective; })->second;
}

std::optional<Collective> parse_collective(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(), [&](const auto& each) { return each.second == name; });
  return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

bool combines(Collective collective) {
  return collective == Collective::kReduce || collective == Collective::kReduceScatter ||
         collective == Collective::kAllreduce;
}

bool has_root(Collective collective) {
  return collective == Collective::kBroadcast || collective == Collective::kReduce ||
         collective == Collective::kScatter || collective == Collective::kGather;
}

std::int64_t array_bytes(const Program& program) {
  constexpr const char* kWhat = "bytes of all blocks";
  if (has_blocks(program.problem)) return checked::multiply(program.ranks, program.size_bytes, kWhat);
  if (program.problem == Collective::kAlltoall)
    return checked::multiply(checked::multiply(program.ranks, program.ranks, kWhat), program.size_bytes, kWhat);
  return program.size_bytes;
}

ByteRange block_of(const Program& program, std::int64_t rank) {
  if (has_blocks(program.problem)) return {rank * program.size_bytes, program.size_bytes};
  const std::int64_t elements = program.size_bytes / program.element_bytes;
  const std::int64_t each = elements / program.ranks;
  const std::int64_t longer = elements % program.ranks;
  const std::int64_t begin = each * rank + std::min(rank, longer);
  return {begin * program.element_bytes, (each + (rank < longer ? 1 : 0)) * program.element_bytes};
}

std::vector<ByteRange> ranges_at_start(const Program& program, std::int64_t rank) {
  const ByteRange all{0, array_bytes(program)};
  switch (program.problem) {
    case Collective::kBroadcast:
    case Collective::kScatter:
      return rank == program.root ? unless_empty(all) : std::vector<ByteRange>{};
    case Collective::kGather:
    case Collective::kAllgather:
      return unless_empty(block_of(program, rank));
    case Collective::kAlltoall: {
      const std::int64_t row = program.ranks * program.size_bytes;
      return unless_empty({rank * row, row});
    }
    default:
      return unless_empty(all);
  }
}

std::vector<ByteRange> ranges_at_end(const Program& program, std::int64_t rank) {
  const ByteRange all{0, array_bytes(program)};
  switch (program.problem) {
    case Collective::kReduce:
    case Collective::kGather:
      return rank == program.root ? unless_empty(all) : std::vector<ByteRange>{};
    case Collective::kScatter:
    case Collective::kReduceScatter:
      return unless_empty(block_of(program, rank));
    case Collective::kAlltoall: {
      std::vector<ByteRange> column;
      for (std::int64_t from = 0; from < program.ranks && program.size_bytes > 0; ++from)
        column.push_back({(from * program.ranks + rank) * program.size_bytes, program.size_bytes});
      return column;
    }
    default:
      return unless_empty(all);
  }
}

}  // namespace sluice
