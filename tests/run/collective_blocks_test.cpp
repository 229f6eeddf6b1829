/// Collectives whose blocks differ in size.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "run/collective_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::mpi {
namespace {

using testing::AffineOperation;
using testing::combined;
using testing::kMoving;
using testing::moved;
using testing::platform_of;
using testing::rank;
using testing::shape_of;
using testing::size;

using Counts = std::vector<std::int64_t>;

/// The same on all ranks: some empty, one perhaps much longer than the others.
Counts some_counts(Collective problem, std::mt19937& random) {
  Counts counts(static_cast<std::size_t>(problem == Collective::kAlltoall ? size() * size() : size()), 0);
  for (std::int64_t& count : counts) count = random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 300);
  if (random() % 2 == 0) counts[random() % counts.size()] = 30'000;
  return counts;
}

Program shape_of_blocks(Collective problem, const Counts& counts, int root) {
  Program shape = shape_of(MPI_COMM_WORLD, problem, 0, root);
  set_blocks(shape, counts);
  return shape;
}

TEST(CollectiveBlocks, EveryAlgorithmMovesEveryByte) {
  std::mt19937 random(11);
  for (const Collective problem : kMoving) {
    for (const Algorithm& algorithm : algorithms(to_string(problem))) {
      for (int round = 0; round < 4; ++round) {
        const Counts counts = some_counts(problem, random);
        const int root = has_root(problem) ? round % size() : 0;
        SCOPED_TRACE(std::string(to_string(problem)) + " by " + std::string(algorithm.name) + ", " +
                     std::to_string(round));
        CollectiveOptions options;
        options.platform = platform_of(size(), round % 2 == 0 ? 1 : 3, 2);
        options.algorithm = algorithm.name;
        ProgramProblem planned{problem, 0, root};
        planned.block_bytes = counts;
        try {
          (void)plan_program(*options.platform, planned, {.algorithm = options.algorithm});
        } catch (const InputError&) {
          continue;  // does not apply
        }
        CollectiveJob job(MPI_COMM_WORLD, problem, counts, root, options);
        const Program shape = shape_of_blocks(problem, counts, root);
        EXPECT_EQ(moved(job, shape, rank(), 1), "");
        EXPECT_EQ(moved(job, shape, rank(), 2), "");
        EXPECT_FALSE(job.native());
        if (problem == Collective::kAllgather) {
          EXPECT_EQ(moved(job, shape, rank(), 3, true), "");
        }
      }
    }
  }
}

/// By default a job takes turns with MPI's own call first.
TEST(CollectiveBlocks, PlansAndMpiTakeTurns) {
  std::mt19937 random(12);
  for (const Collective problem : kMoving) {
    for (int round = 0; round < 3; ++round) {
      const Counts counts = some_counts(problem, random);
      const int root = has_root(problem) ? round % size() : 0;
      SCOPED_TRACE(std::string(to_string(problem)) + ", " + std::to_string(round));
      CollectiveOptions options;
      options.platform = platform_of(size(), 2);
      CollectiveJob job(MPI_COMM_WORLD, problem, counts, root, options);
      const Program shape = shape_of_blocks(problem, counts, root);
      for (std::uint64_t salt = 0; salt < 12; ++salt) EXPECT_EQ(moved(job, shape, rank(), salt), "");
      CollectiveJob without(MPI_COMM_WORLD, problem, counts, root);
      for (std::uint64_t salt = 0; salt < 12; ++salt) EXPECT_EQ(moved(without, shape, rank(), salt), "");
    }
  }
}

TEST(CollectiveBlocks, SharesOfAnySize) {
  std::mt19937 random(13);
  const AffineOperation gaps(true);
  for (int round = 0; round < 6; ++round) {
    Counts counts = some_counts(Collective::kReduceScatter, random);
    std::int64_t all = 0;
    Counts bytes;
    for (const std::int64_t count : counts) {
      all += count;
      bytes.push_back(16 * count);
    }
    SCOPED_TRACE(round);
    for (const bool with_platform : {true, false}) {
      CollectiveOptions options;
      if (with_platform) options.platform = platform_of(size(), 2);
      ReduceScatter job(MPI_COMM_WORLD, gaps.on(all), counts, options);
      Program shape = testing::affine_shape(MPI_COMM_WORLD, Collective::kReduceScatter, all);
      set_blocks(shape, bytes);
      for (std::uint64_t salt = 0; salt < 3; ++salt) EXPECT_EQ(combined(job, shape, gaps, MPI_COMM_WORLD, salt), "");
      // Numbers, which commute: the job may take turns with MPI's own.
      const ElementOperation sum{all, MPI_UINT64_T, MPI_SUM};
      ReduceScatter sums(MPI_COMM_WORLD, sum, counts, options);
      const std::int64_t first = block_of(shape, rank()).offset / 16;
      for (std::uint64_t salt = 1; salt < 12; ++salt) {
        std::vector<std::uint64_t> own(static_cast<std::size_t>(all));
        for (std::size_t i = 0; i < own.size(); ++i) own[i] = salt * i + static_cast<std::uint64_t>(rank());
        std::vector<std::uint64_t> share(static_cast<std::size_t>(counts[static_cast<std::size_t>(rank())]), 0);
        sums.execute(own.data(), share.data());
        const auto ranks = static_cast<std::uint64_t>(size());
        for (std::size_t i = 0; i < share.size(); ++i)
          ASSERT_EQ(share[i], ranks * salt * (static_cast<std::uint64_t>(first) + i) + ranks * (ranks - 1) / 2);
      }
    }
  }
}

TEST(CollectiveBlocks, AProgramIsForItsBlocks) {
  Counts counts(static_cast<std::size_t>(size()), 40);
  counts.back() = 4000;
  ProgramProblem problem{Collective::kAllgather};
  problem.block_bytes = counts;
  CollectiveOptions options;
  options.program = plan_program(platform_of(size(), 1), problem).program;
  CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, counts, 0, options);
  EXPECT_EQ(moved(job, shape_of_blocks(Collective::kAllgather, counts, 0), rank(), 1), "");
  counts.front() += 8;
  counts.back() -= 8;
  if (size() == 1) return;
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllgather, counts, 0, options), InputError);
}

TEST(CollectiveBlocks, BadCountsAreRefusedOnAllRanks) {
  const auto refused = [](Collective problem, const Counts& counts) {
    EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, problem, counts, 0), InputError);
  };
  const auto n = static_cast<std::size_t>(size());
  refused(Collective::kGather, Counts(n + 1, 3));
  refused(Collective::kAllgather, {});
  refused(Collective::kAlltoall, Counts(n * n + 1, 3));
  refused(Collective::kScatter, Counts(n, -1));
  if (size() == 1) return;
  refused(Collective::kScatter, Counts(n, std::int64_t{1} << 62));
  // On one rank alone, or others than elsewhere.
  Counts counts(n, 8);
  if (rank() == size() - 1) counts.front() = -8;
  refused(Collective::kGather, counts);
  counts.front() = rank() == 0 ? 9 : 8;
  refused(Collective::kGather, counts);
  const ElementOperation sum{8, MPI_DOUBLE, MPI_SUM};
  EXPECT_THROW(ReduceScatter(MPI_COMM_WORLD, sum, Counts(n, 8)), InputError);
}

}  // namespace
}  // namespace sluice::mpi
