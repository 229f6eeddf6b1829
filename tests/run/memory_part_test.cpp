#include "run/mpi/collective/memory_part.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sluice/schedule/program.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr Collective kAll[] = {Collective::kBroadcast, Collective::kReduce,       Collective::kScatter,
                               Collective::kGather,    Collective::kAllgather,    Collective::kAlltoall,
                               Collective::kAllreduce, Collective::kReduceScatter};

Program shape_of(Collective problem, std::int64_t ranks, std::int64_t elements, std::int64_t root) {
  Program shape;
  shape.problem = problem;
  shape.ranks = ranks;
  shape.element_bytes = combines(problem) ? 8 : 1;
  shape.size_bytes = shape.element_bytes * elements;
  shape.root = has_root(problem) ? root : 0;
  return shape;
}

/// What all ranks do, as one program.
Program whole(const Program& shape, MemoryReduction reduction) {
  Program program = shape;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    const auto first = static_cast<std::int64_t>(program.operations.size());
    const ProgramPart part = memory_part(shape, rank, reduction);
    program.algorithm = part.shape.algorithm;
    for (const PartOperation& op : part.operations) {
      EXPECT_EQ(op.ranges.size(), 1U);
      ProgramOperation& own = program.operations.emplace_back();
      own.rank = rank;
      own.kind = op.kind;
      own.peer = op.peer;
      own.offset = op.ranges.front().begin * shape.element_bytes;
      own.bytes = op.ranges.front().count * shape.element_bytes;
      for (const std::int64_t before : op.after) own.after.push_back(first + before);
    }
  }
  return program;
}

void expect_sound(const Program& shape, MemoryReduction reduction) {
  const std::vector<Violation> violations = validate(whole(shape, reduction));
  EXPECT_TRUE(violations.empty()) << to_string(violations.front());
}

TEST(MemoryPart, AllTogetherAreASoundProgram) {
  for (const Collective problem : kAll) {
    for (const std::int64_t ranks : {1, 2, 3, 4, 7, 16, 64}) {
      for (const std::int64_t root : {std::int64_t{0}, ranks / 2, ranks - 1}) {
        for (const std::int64_t elements : {0, 1, 5, 64, 1000}) {
          SCOPED_TRACE(std::string(to_string(problem)) + ", " + std::to_string(ranks) + " ranks, root " +
                       std::to_string(root) + ", " + std::to_string(elements) + " elements");
          Program shape = shape_of(problem, ranks, elements, root);
          expect_sound(shape, MemoryReduction::kFlat);
          expect_sound(shape, MemoryReduction::kShares);
          if (problem != Collective::kAllreduce && problem != Collective::kReduceScatter) continue;
          shape.commutative = false;
          expect_sound(shape, MemoryReduction::kShares);
        }
      }
    }
  }
}

TEST(MemoryPart, BlocksMayDiffer) {
  constexpr std::int64_t kRanks = 5;
  for (const Collective problem : kAll) {
    if (!has_blocks(problem)) continue;
    SCOPED_TRACE(to_string(problem));
    Program shape = shape_of(problem, kRanks, 0, 2);
    std::vector<std::int64_t> sizes;
    const std::int64_t blocks = problem == Collective::kAlltoall ? kRanks * kRanks : kRanks;
    for (std::int64_t i = 0; i < blocks; ++i) sizes.push_back(i * i % 4 * shape.element_bytes);
    set_blocks(shape, sizes);
    expect_sound(shape, MemoryReduction::kShares);
  }
}

TEST(MemoryPart, SharesDifferByAnElementAtMost) {
  const Program shape = shape_of(Collective::kReduce, 7, 30, 3);
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    std::int64_t combined = 0, combines = 0;
    for (const PartOperation& op : memory_part(shape, rank).operations) {
      if (op.kind != PartOperation::Kind::kCombine) continue;
      ++combines;
      combined += op.ranges.front().count;
    }
    EXPECT_EQ(combines, shape.ranks - 1);
    EXPECT_GE(combined, combines * 4);
    EXPECT_LE(combined, combines * 5);
  }
}

TEST(MemoryPart, WhatComesOfLowerRanksIsSaidToBe) {
  Program shape = shape_of(Collective::kReduceScatter, 4, 8, 0);
  shape.commutative = false;
  std::vector<std::int64_t> from;
  for (const PartOperation& op : memory_part(shape, 2).operations) {
    if (op.kind != PartOperation::Kind::kCombine) continue;
    from.push_back(op.peer);
    EXPECT_EQ(op.ranges.front().lower, op.peer < 2);
  }
  EXPECT_EQ(from, (std::vector<std::int64_t>{3, 1, 0}));
}

}  // namespace
}  // namespace sluice::mpi::detail
