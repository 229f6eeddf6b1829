#include "sluice/schedule/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"
#include "sluice/schedule/program_problem.hpp"

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

/// Whether every rank has a block, of size_bytes unless it is said.
bool has_block_each(Collective problem) {
  return problem == Collective::kScatter || problem == Collective::kGather || problem == Collective::kAllgather;
}

ByteRange between(const Program& program, std::int64_t first, std::int64_t last) {
  const std::int64_t begin = program.block_offsets[static_cast<std::size_t>(first)];
  return {begin, program.block_offsets[static_cast<std::size_t>(last)] - begin};
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

bool has_blocks(Collective collective) {
  return has_block_each(collective) || collective == Collective::kReduceScatter || collective == Collective::kAlltoall;
}

std::int64_t total_bytes(std::span<const ByteRange> ranges) {
  std::int64_t sum = 0;
  for (const ByteRange& range : ranges) sum += range.bytes;
  return sum;
}

void set_blocks(Program& program, std::span<const std::int64_t> bytes) {
  constexpr const char* kWhat = "counts";
  if (!has_blocks(program.problem))
    throw InputError(kWhat, std::string(to_string(program.problem)), "a collective with a block for each rank");
  const bool pairs = program.problem == Collective::kAlltoall;
  const std::int64_t blocks = pairs ? checked::multiply(program.ranks, program.ranks, "pairs of ranks") : program.ranks;
  if (static_cast<std::int64_t>(bytes.size()) != blocks)
    throw InputError(kWhat, fmt::format("{}", bytes.size()),
                     fmt::format("{}, one for each {}", blocks, pairs ? "pair of ranks" : "rank"));
  std::vector<std::int64_t> offsets{0};
  offsets.reserve(bytes.size() + 1);
  for (const std::int64_t each : bytes) {
    if (each < 0 || each % program.element_bytes != 0)
      throw InputError(kWhat, count_text(each, "byte"),
                       program.element_bytes == 1 ? "at least 0"
                                                  : fmt::format("at least 0, whole elements of {}",
                                                                count_text(program.element_bytes, "byte")));
    offsets.push_back(checked::add(offsets.back(), each, "bytes of all blocks"));
  }
  program.block_offsets = std::move(offsets);
  program.size_bytes = program.block_offsets.back();
}

std::vector<std::int64_t> block_bytes(const Program& program) {
  std::vector<std::int64_t> bytes;
  for (std::size_t i = 1; i < program.block_offsets.size(); ++i)
    bytes.push_back(program.block_offsets[i] - program.block_offsets[i - 1]);
  return bytes;
}

std::int64_t array_bytes(const Program& program) {
  constexpr const char* kWhat = "bytes of all blocks";
  if (!program.block_offsets.empty()) return program.size_bytes;
  if (has_block_each(program.problem)) return checked::multiply(program.ranks, program.size_bytes, kWhat);
  if (program.problem == Collective::kAlltoall)
    return checked::multiply(checked::multiply(program.ranks, program.ranks, kWhat), program.size_bytes, kWhat);
  return program.size_bytes;
}

ByteRange block_of(const Program& program, std::int64_t rank) {
  if (!program.block_offsets.empty()) return between(program, rank, rank + 1);
  if (has_block_each(program.problem)) return {rank * program.size_bytes, program.size_bytes};
  const std::int64_t elements = program.size_bytes / program.element_bytes;
  const std::int64_t each = elements / program.ranks;
  const std::int64_t longer = elements % program.ranks;
  const std::int64_t begin = each * rank + std::min(rank, longer);
  return {begin * program.element_bytes, (each + (rank < longer ? 1 : 0)) * program.element_bytes};
}

ByteRange block_of(const Program& program, std::int64_t from, std::int64_t to) {
  const std::int64_t at = from * program.ranks + to;
  if (!program.block_offsets.empty()) return between(program, at, at + 1);
  return {at * program.size_bytes, program.size_bytes};
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
      const std::int64_t begin = block_of(program, rank, 0).offset;
      return unless_empty({begin, block_of(program, rank, program.ranks - 1).end() - begin});
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
        if (const ByteRange block = block_of(program, from, rank); block.bytes > 0) column.push_back(block);
      return column;
    }
    default:
      return unless_empty(all);
  }
}

std::int64_t largest_part(const Program& program) {
  if (program.problem == Collective::kAlltoall && program.block_offsets.empty())
    return program.ranks * program.size_bytes;
  std::int64_t most = 0;
  for (std::int64_t rank = 0; rank < program.ranks; ++rank)
    most = std::max({most, total_bytes(ranges_at_start(program, rank)), total_bytes(ranges_at_end(program, rank))});
  return most;
}

ProgramProblem problem_of(const Program& program) {
  return {program.problem,      program.size_bytes,        program.root, program.element_bytes, program.commutative,
          block_bytes(program), program.combine_s_per_byte};
}

}  // namespace sluice
