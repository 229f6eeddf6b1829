/// Programs that no planner has made: drawn at random, in any order, and broken.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "run/collective_testing.hpp"
#include "run/mpi/collective/program_engine.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/mpi/runtime/job.hpp"
#include "schedule/message_graph.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::mpi {
namespace {

using sluice::detail::MessageGraph;
using sluice::detail::MessageKind;
using testing::AffineOperation;
using testing::combined;
using testing::Draw;
using testing::kCombining;
using testing::kMoving;
using testing::moved;
using testing::platform_of;
using testing::rank;
using testing::shape_of;
using testing::size;

/// Pieces of the array that whoever has them gives to whoever lacks them, some of them to ranks that need none.
MessageGraph random_moves(Draw& draw, const Program& shape) {
  constexpr std::int64_t kPieces = 12;
  const std::vector<ByteRange> pieces = sluice::detail::cut({0, array_bytes(shape)}, kPieces * shape.ranks, 1);
  const auto n = static_cast<std::size_t>(shape.ranks);
  const auto overlap = [](const ByteRange& a, const std::vector<ByteRange>& set) {
    return std::any_of(set.begin(), set.end(),
                       [&](const ByteRange& b) { return a.offset < b.end() && b.offset < a.end(); });
  };
  // Cut at the borders of what ranks have and need.
  std::vector<std::int64_t> borders;
  for (const ByteRange& piece : pieces) borders.push_back(piece.offset);
  for (std::int64_t r = 0; r < shape.ranks; ++r)
    for (const auto& set : {ranges_at_start(shape, r), ranges_at_end(shape, r)})
      for (const ByteRange& range : set) borders.insert(borders.end(), {range.offset, range.end()});
  borders.push_back(array_bytes(shape));
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  std::vector<ByteRange> all;
  for (std::size_t i = 0; i + 1 < borders.size(); ++i) all.push_back({borders[i], borders[i + 1] - borders[i]});
  std::vector<std::vector<char>> has(n, std::vector<char>(all.size()));
  std::vector<std::vector<char>> needs(has);
  std::size_t missing = 0;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      has[r][i] = overlap(all[i], ranges_at_start(shape, static_cast<std::int64_t>(r))) ? 1 : 0;
      needs[r][i] = overlap(all[i], ranges_at_end(shape, static_cast<std::int64_t>(r))) ? 1 : 0;
      missing += needs[r][i] != 0 && has[r][i] == 0 ? 1 : 0;
    }
  }
  MessageGraph messages;
  while (missing > 0) {
    const std::size_t from = draw.below(n);
    const std::size_t to = draw.below(n);
    if (from == to) continue;
    const bool detour = draw.below(4) == 0;
    std::vector<ByteRange> ranges;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool wanted = has[from][i] != 0 && has[to][i] == 0 && (needs[to][i] != 0 || detour);
      if (!wanted || draw.below(3) == 0) continue;
      ranges.push_back(all[i]);
      has[to][i] = 1;
      missing -= needs[to][i] != 0 ? 1 : 0;
    }
    messages.add(static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), ranges);
  }
  return messages;
}

/// Piece by piece, neighbours are combined in any order, on any rank of theirs; then who has all gives it to others.
MessageGraph random_combining(Draw& draw, const Program& shape) {
  struct Run {
    std::int64_t holder;
  };
  MessageGraph messages;
  std::vector<ByteRange> pieces;
  for (std::int64_t r = 0; r < shape.ranks; ++r)
    for (const ByteRange& piece : sluice::detail::cut(block_of(shape, r), 2, shape.element_bytes))
      if (piece.bytes > 0) pieces.push_back(piece);
  draw.shuffle(pieces);
  for (const ByteRange& piece : pieces) {
    std::vector<Run> runs;
    for (std::int64_t r = 0; r < shape.ranks; ++r) runs.push_back({r});
    while (runs.size() > 1) {
      const std::size_t i = draw.below(runs.size() - 1);
      const bool to_left = draw.below(2) == 0;
      Run& left = runs[i];
      const Run right = runs[i + 1];
      messages.add(to_left ? right.holder : left.holder, to_left ? left.holder : right.holder, piece,
                   MessageKind::kCombine);
      if (!to_left) left = right;
      runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      // Now and then it goes on from another rank, which may have no part in it.
      if (draw.below(3) != 0) continue;
      const std::int64_t other = static_cast<std::int64_t>(draw.below(static_cast<std::size_t>(shape.ranks)));
      const bool free = std::none_of(runs.begin(), runs.end(), [&](const Run& run) { return run.holder == other; });
      if (!free) continue;
      messages.add(runs[i].holder, other, piece);
      runs[i].holder = other;
    }
    std::vector<std::int64_t> holders{runs.front().holder};
    std::vector<std::int64_t> others;
    for (std::int64_t r = 0; r < shape.ranks; ++r) {
      const std::vector<ByteRange> end = ranges_at_end(shape, r);
      const bool needs = !end.empty() && piece.offset < end.front().end() && end.front().offset < piece.end();
      if (r != holders.front() && needs) others.push_back(r);
    }
    draw.shuffle(others);
    for (const std::int64_t to : others) {
      messages.add(draw.one_of(holders), to, piece);
      holders.push_back(to);
    }
  }
  return messages;
}

/// Another order of the list: operations of each rank together, the last rank first.
Program by_ranks(const Program& program) {
  std::vector<std::size_t> order(program.operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return program.operations[a].rank > program.operations[b].rank;
  });
  std::vector<std::int64_t> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
  Program result = program;
  result.operations.clear();
  for (const std::size_t i : order) {
    result.operations.push_back(program.operations[i]);
    for (std::int64_t& before : result.operations.back().after) before = place[static_cast<std::size_t>(before)];
  }
  return result;
}

CollectiveOptions given(const Program& program) {
  CollectiveOptions options;
  options.program = program;
  return options;
}

Program of_moves(Collective problem, std::int64_t bytes, int root, unsigned seed) {
  Draw draw(seed);
  Program program = shape_of(MPI_COMM_WORLD, problem, bytes, root);
  program.algorithm = "drawn";
  program.operations = operations_of(random_moves(draw, program));
  return program;
}

Program of_combining(Collective problem, std::int64_t count, unsigned seed) {
  Draw draw(seed);
  Program program = shape_of(MPI_COMM_WORLD, problem, 16 * count, 0);
  program.element_bytes = 16;
  program.commutative = false;
  program.algorithm = "drawn";
  program.operations = operations_of(random_combining(draw, program));
  return program;
}

TEST(CollectivePrograms, DrawnAtRandomMoveEveryByte) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (const Collective problem : kMoving) {
      for (const std::int64_t bytes : {1, 5'001}) {
        const int root = static_cast<int>(seed) % size();
        const Program program = of_moves(problem, bytes, root, seed);
        SCOPED_TRACE(std::string(to_string(problem)) + ", seed " + std::to_string(seed));
        for (const Program& each : {program, by_ranks(program)}) {
          ASSERT_TRUE(validate(each).empty()) << to_string(validate(each).front());
          CollectiveJob job(MPI_COMM_WORLD, problem, bytes, root, given(each));
          EXPECT_EQ(moved(job, program, rank(), seed), "");
          EXPECT_EQ(moved(job, program, rank(), seed + 100), "");
          EXPECT_EQ(job.chosen().method, "drawn");
        }
      }
    }
  }
}

TEST(CollectivePrograms, DrawnAtRandomCombineInTheOrderOfTheRanks) {
  const AffineOperation operation;
  const AffineOperation gaps(true);
  for (unsigned seed = 0; seed < 4; ++seed) {
    for (const Collective problem : kCombining) {
      for (const std::int64_t count : {1, 311}) {
        const Program program = of_combining(problem, count, seed);
        SCOPED_TRACE(std::string(to_string(problem)) + ", seed " + std::to_string(seed));
        for (const Program& each : {program, by_ranks(program)}) {
          ASSERT_TRUE(validate(each).empty()) << to_string(validate(each).front());
          for (const AffineOperation* elements : {&operation, &gaps}) {
            CollectiveJob job(MPI_COMM_WORLD, problem, elements->on(count), given(each));
            EXPECT_EQ(combined(job, problem, *elements, MPI_COMM_WORLD, count, seed), "");
            EXPECT_EQ(
                combined(job, problem, *elements, MPI_COMM_WORLD, count, seed + 100, problem == Collective::kAllreduce),
                "");
          }
        }
      }
    }
  }
}

TEST(CollectivePrograms, BrokenOnesAreRefusedByAllRanks) {
  if (size() == 1) return;
  int refused = 0;
  const auto judge = [&](Program broken) {
    if (validate(broken).empty()) return;
    ++refused;
    EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, broken.problem, broken.size_bytes, static_cast<int>(broken.root),
                                     given(broken)),
                 InputError);
  };
  for (const Collective problem : kMoving) {
    const Program good = of_moves(problem, 64, 0, 3);
    for (std::size_t i = 0; i < good.operations.size(); i += 1 + good.operations.size() / 2) {
      for (int kind = 0; kind < 5; ++kind) {
        Program broken = good;
        ProgramOperation& op = broken.operations[i];
        if (kind == 0) op.bytes += 1;
        if (kind == 1) op.peer = (op.peer + 1) % size();
        if (kind == 2) op.after.clear();
        if (kind == 3) op.offset = array_bytes(good);
        if (kind == 4) broken.operations.erase(broken.operations.begin() + static_cast<std::ptrdiff_t>(i));
        judge(broken);
      }
    }
    CollectiveJob job(MPI_COMM_WORLD, problem, 64, 0, given(good));
    EXPECT_EQ(moved(job, good, rank(), 1), "");
  }
  EXPECT_GT(refused, 10);
  // Sound, but not what is asked for.
  const Program program = of_moves(Collective::kAllgather, 64, 0, 1);
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllgather, 65, 0, given(program)), InputError);
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAlltoall, 64, 0, given(program)), InputError);
  CollectiveOptions both = given(program);
  both.algorithm = "ring";
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllgather, 64, 0, both), InputError);
  CollectiveOptions over = given(program);
  over.platform = platform_of(size(), 2);
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllgather, 64, 0, over), InputError);
  Program other = program;
  if (rank() == 1) other.algorithm = "another";
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllgather, 64, 0, given(other)), InputError);
  // An operation that does not commute, by a program that takes it for one that does.
  const AffineOperation operation;
  Program careless = of_combining(Collective::kAllreduce, 4, 1);
  careless.commutative = true;
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllreduce, operation.on(4), given(careless)),
               InputError);
}

/// Problems that have jobs of their own: a collective job carries out their programs too.
TEST(CollectivePrograms, BroadcastsAndReductions) {
  const AffineOperation operation;
  constexpr std::int64_t kCount = 333;
  for (const char* algorithm : {"binomial", "chain", "circulant", "scatter-allgather"}) {
    for (const Collective problem : {Collective::kBroadcast, Collective::kReduce}) {
      for (int root = 0; root < size(); ++root) {
        ProgramProblem asked{problem, 16 * kCount, root, 16, problem == Collective::kBroadcast};
        Program program;
        try {
          program = plan_program(platform_of(size(), 2), asked, {.algorithm = algorithm}).program;
        } catch (const InputError&) {
          continue;  // it does not keep the order of the ranks, or is no planner of this problem
        }
        const bool moves = problem == Collective::kBroadcast;
        const ElementOperation elements =
            moves ? ElementOperation{16 * kCount, MPI_BYTE, MPI_OP_NULL} : operation.on(kCount);
        detail::in_new_channel(MPI_COMM_WORLD, [&](const auto& context, std::int64_t number) {
          detail::Channel channel(context, number, "program");
          const detail::OwnPart part = sluice::detail::cut_for(program, rank());
          detail::ProgramEngine engine(channel, elements, program, part, nullptr);
          std::vector<testing::Affine> own(kCount);
          std::vector<testing::Affine> result(kCount);
          for (std::int64_t i = 0; i < kCount; ++i) own[static_cast<std::size_t>(i)] = testing::affine_of(rank(), i, 9);
          engine.begin(own.data(), result.data());
          detail::complete(channel, engine);
          for (std::int64_t i = 0; i < kCount; ++i) {
            testing::Affine expected;
            if (problem == Collective::kBroadcast) expected = testing::affine_of(root, i, 9);
            for (int r = 0; r < size() && problem == Collective::kReduce; ++r)
              expected = expected * testing::affine_of(r, i, 9);
            if (problem == Collective::kReduce && rank() != root) continue;
            EXPECT_EQ(result[static_cast<std::size_t>(i)], expected) << algorithm << ", element " << i;
          }
          detail::barrier(channel);
        });
      }
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
