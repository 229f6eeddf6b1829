#include "run/mpi/collective/memory_part.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/own_part.hpp"
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

ProgramOperation::Kind kind_of(const OwnPart::Own& end) {
  using Kind = ProgramOperation::Kind;
  if (end.sends) return Kind::kSend;
  return end.combines() ? Kind::kCombine : Kind::kReceive;
}

/// What all ranks do, as one program.
Program whole(const Program& shape, MemoryReduction reduction) {
  Program program = shape;
  program.algorithm = memory_method(shape.problem, reduction);
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    const auto first = static_cast<std::int64_t>(program.operations.size());
    const OwnPart part = memory_part(shape, rank, reduction);
    for (std::size_t i = 0; i < part.ends.size(); ++i) {
      EXPECT_EQ(part.ranges[i].size(), 1U);
      const OwnPart::Range& range = part.ranges[i].front();
      EXPECT_EQ(part.ends[i].count, range.count);
      ProgramOperation& own = program.operations.emplace_back();
      own.rank = rank;
      own.kind = kind_of(part.ends[i]);
      own.peer = part.ends[i].peer;
      own.offset = range.begin * shape.element_bytes;
      own.bytes = range.count * shape.element_bytes;
      for (const std::uint32_t before : part.after_of(i)) own.after.push_back(first + before);
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
    for (const OwnPart::Own& end : memory_part(shape, rank).ends) {
      if (!end.combines()) continue;
      ++combines;
      combined += end.count;
    }
    EXPECT_EQ(combines, shape.ranks - 1);
    EXPECT_GE(combined, combines * 4);
    EXPECT_LE(combined, combines * 5);
  }
}

/// What the ranks' elements number `element` become, as text: "xy" combines x with y. The rank that combines it is the
/// one whose part has such an operation.
std::string combined(const Program& shape, std::int64_t element, MemoryReduction reduction) {
  const auto text = [](std::int64_t rank) { return std::string(1, static_cast<char>('a' + rank)); };
  const auto of = [](const std::string& left, const std::string& right) { return "(" + left + right + ")"; };
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    std::string here;
    const OwnPart part = memory_part(shape, rank, reduction);
    for (std::size_t end = 0; end < part.ends.size(); ++end) {
      const OwnPart::Range& range = part.ranges[end].front();
      const bool has = range.begin <= element && element < range.begin + range.count;
      if (!part.ends[end].combines() || !has) continue;
      const std::string other = text(part.ends[end].peer), own = text(rank);
      if (!here.empty()) {
        here = range.lower ? of(other, here) : of(here, other);
      } else if (range.own_turn == OwnPart::OwnTurn::kLater) {
        here = other;
      } else {
        here = range.lower ? of(other, own) : of(own, other);
      }
      if (range.own_turn == OwnPart::OwnTurn::kAfterAsLower) here = of(own, here);
      if (range.own_turn == OwnPart::OwnTurn::kAfterAsUpper) here = shape.commutative ? of(own, here) : of(here, own);
    }
    if (!here.empty()) return here;
  }
  return "";
}

TEST(MemoryPart, SharesAreCombinedInTheOrderOfTheRoot) {
  for (const bool commutative : {true, false}) {
    for (const std::int64_t ranks : {2, 3, 4, 7}) {
      for (std::int64_t root = 0; root < ranks; ++root) {
        Program shape = shape_of(Collective::kReduce, ranks, ranks, root);
        shape.commutative = commutative;
        const std::string flat = combined(shape, 0, MemoryReduction::kFlat);
        EXPECT_EQ(flat.size(), static_cast<std::size_t>(ranks + 2 * (ranks - 1)));
        if (!commutative) {
          std::string order = flat, all = "abcdefg";
          std::erase_if(order, [](char each) { return each == '(' || each == ')'; });
          EXPECT_EQ(order, all.substr(0, static_cast<std::size_t>(ranks)));
        }
        for (std::int64_t element = 0; element < ranks; ++element) {
          EXPECT_EQ(combined(shape, element, MemoryReduction::kFlat), flat);
          EXPECT_EQ(combined(shape, element, MemoryReduction::kShares), flat)
              << ranks << " ranks, root " << root << ", element " << element;
        }
      }
    }
  }
}

TEST(MemoryPart, WhatComesOfLowerRanksIsSaidToBe) {
  Program shape = shape_of(Collective::kReduceScatter, 4, 8, 0);
  shape.commutative = false;
  std::vector<std::int64_t> from;
  const OwnPart part = memory_part(shape, 2);
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    if (!part.ends[i].combines()) continue;
    from.push_back(part.ends[i].peer);
    EXPECT_EQ(part.ranges[i].front().lower, part.ends[i].peer < 2);
  }
  EXPECT_EQ(from, (std::vector<std::int64_t>{3, 1, 0}));
}

}  // namespace
}  // namespace sluice::mpi::detail
