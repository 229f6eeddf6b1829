#include "schedule/foreign/placed_cells.hpp"

#include <algorithm>

namespace sluice::detail {

namespace {

bool cuts_input(Collective problem) {  // its input has a block for each rank, or the array
  return problem != Collective::kAllgather && problem != Collective::kGather;
}

/// Chunks of the array. Moves do not name chunks that stay where they are, perhaps the last ones.
std::int64_t array_of(const PlacedSchedule& schedule, std::optional<Collective> problem) {
  const std::int64_t stated = schedule.chunks * schedule.parts_of_chunk;
  if (!schedule.named || !problem || !has_blocks(*problem)) return stated;
  const std::int64_t blocks = problem == Collective::kAlltoall ? schedule.ranks * schedule.ranks : schedule.ranks;
  return (stated + blocks - 1) / blocks * blocks;
}

bool cuts_output(Collective problem) {
  return problem != Collective::kReduceScatter && problem != Collective::kScatter;
}

}  // namespace

PlacedCells::PlacedCells(const PlacedSchedule& schedule, std::optional<Collective> problem, bool in_place,
                         std::int64_t root)
    : schedule_(schedule),
      problem_(problem),
      root_(root),
      array_(array_of(schedule, problem)),
      block_(array_ / std::max<std::int64_t>(1, schedule.ranks)) {
  const std::int64_t ranks = schedule.ranks, parts = schedule.parts_of_chunk;
  names_ = problem == Collective::kAlltoall && !schedule.named ? ranks * array_ : array_;
  bases_.resize(static_cast<std::size_t>(ranks));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const PlacedMemory& memory = schedule.memory[static_cast<std::size_t>(rank)];
    Bases& bases = bases_[static_cast<std::size_t>(rank)];
    std::int64_t input = memory.input_chunks * parts, output = memory.output_chunks * parts;
    if (schedule.named) input = output = array_;
    // The collective's own sizes count if a file states less: it may name one of the two buffers only.
    if (problem && !schedule.named) {
      input = std::max(input, cuts_input(*problem) ? array_ : block_);
      output = std::max(output, cuts_output(*problem) ? array_ : block_);
    }
    bases.input = bases.output = count_;
    // In one place, a file may state one of the two sizes only.
    const std::int64_t larger = std::max(input, output);
    std::int64_t end = count_ + larger;
    const bool own_block = problem == Collective::kAllgather || (problem == Collective::kGather && rank == root_);
    const bool own_share = problem == Collective::kReduceScatter || (problem == Collective::kScatter && rank == root_);
    const bool apart = (problem == Collective::kGather || problem == Collective::kScatter) && rank != root_;
    if (schedule.named) {
      // One buffer.
    } else if (!in_place || apart) {
      bases.output = count_ + larger;
      end = bases.output + larger;
    } else if (own_block || own_share) {
      (own_block ? bases.input : bases.output) += rank * block_;
      end += rank * block_;
    }
    bases.scratch = end;
    count_ = end + memory.scratch_chunks * parts;
  }
}

std::int64_t PlacedCells::total(const PlacedSchedule& schedule) {
  constexpr std::int64_t kTooMany = std::int64_t{1} << 62;
  std::int64_t array = 0, sum = 0;
  if (__builtin_mul_overflow(schedule.chunks, schedule.parts_of_chunk, &array)) return kTooMany;
  for (const PlacedMemory& memory : schedule.memory) {
    for (const std::int64_t chunks : {memory.input_chunks, memory.output_chunks, memory.scratch_chunks}) {
      std::int64_t parts = 0;
      if (__builtin_mul_overflow(chunks, schedule.parts_of_chunk, &parts) || __builtin_add_overflow(sum, parts, &sum))
        return kTooMany;
    }
    if (__builtin_add_overflow(sum, array, &sum) || (!schedule.named && __builtin_add_overflow(sum, array, &sum)))
      return kTooMany;
  }
  return std::min(sum, kTooMany);
}

std::vector<PlacedCells::Part> PlacedCells::at_start(std::int64_t rank) const {
  const Bases& bases = bases_[static_cast<std::size_t>(rank)];
  const std::int64_t named = schedule_.named ? 1 : 0;
  switch (*problem_) {
    case Collective::kBroadcast:
    case Collective::kScatter:
      if (rank != root_) return {};
      return {{bases.input, array_, 0}};
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kReduceScatter:
      return {{bases.input, array_, 0}};
    case Collective::kGather:
    case Collective::kAllgather:
      return {{bases.input + named * rank * block_, block_, rank * block_}};
    case Collective::kAlltoall:
      break;
  }
  if (schedule_.named) return {{bases.input + rank * block_, block_, rank * block_}};
  return {{bases.input, array_, rank * array_}};
}

std::vector<PlacedCells::Part> PlacedCells::at_end(std::int64_t rank) const {
  const Bases& bases = bases_[static_cast<std::size_t>(rank)];
  const std::int64_t ranks = schedule_.ranks;
  const std::int64_t named = schedule_.named ? 1 : 0;
  switch (*problem_) {
    case Collective::kBroadcast:
    case Collective::kAllreduce:
    case Collective::kAllgather:
      return {{bases.output, array_, 0}};
    case Collective::kReduce:
    case Collective::kGather:
      if (rank != root_) return {};
      return {{bases.output, array_, 0}};
    case Collective::kScatter:
    case Collective::kReduceScatter:
      return {{bases.output + named * rank * block_, block_, rank * block_}};
    case Collective::kAlltoall:
      break;
  }
  std::vector<Part> parts;
  // With names, the array has a row of blocks for each sender.
  const std::int64_t row = schedule_.named ? array_ / ranks : array_;
  const std::int64_t block = row / ranks;
  for (std::int64_t from = 0; from < ranks; ++from) {
    const std::int64_t name = from * row + rank * block;
    parts.push_back({schedule_.named ? bases.output + name : bases.output + from * block, block, name});
  }
  return parts;
}

std::int64_t PlacedCells::owner(std::int64_t name) const {
  switch (*problem_) {
    case Collective::kBroadcast:
    case Collective::kScatter:
      return root_;
    case Collective::kGather:
    case Collective::kAllgather:
      return name / block_;
    default:
      break;
  }
  return name / (schedule_.named ? block_ : array_);  // alltoall: a row is what a rank has at the start
}

}  // namespace sluice::detail
