#include "sluice/run/mpi/collectives.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "run/collective_testing.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::AffineOperation;
using testing::combined;
using testing::Comm;
using testing::kCombining;
using testing::kMoving;
using testing::moved;
using testing::platform_of;
using testing::PretendedHosts;
using testing::rank;
using testing::shape_of;
using testing::size;
using testing::size_of;

/// Whether an algorithm can do it at all, by the planner.
bool applies(const Platform& platform, const ProgramProblem& problem, const std::string& algorithm) {
  try {
    (void)plan_program(platform, problem, {.algorithm = algorithm});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

CollectiveOptions planned_by(const std::string& algorithm, int clusters) {
  CollectiveOptions options;
  options.platform = platform_of(size(), clusters, 2);
  options.algorithm = algorithm;
  return options;
}

template <class... Arguments>
void expect_refused(Collective problem, const Arguments&... arguments) {
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, problem, arguments...), InputError);
}

TEST(Collectives, EveryAlgorithmMovesEveryByte) {
  for (const Collective problem : kMoving) {
    for (const Algorithm& algorithm : algorithms(to_string(problem))) {
      for (const int clusters : {1, 3}) {
        const int root = (clusters + 1) % size();
        for (const std::int64_t bytes : {0, 1, 777, 70'001}) {
          SCOPED_TRACE(std::string(to_string(problem)) + " by " + std::string(algorithm.name) + ", " +
                       std::to_string(clusters) + " clusters, " + std::to_string(bytes) + " bytes");
          const CollectiveOptions options = planned_by(std::string(algorithm.name), clusters);
          if (!applies(*options.platform, {problem, bytes, root}, options.algorithm)) {
            if (bytes == 1) expect_refused(problem, bytes, root, options);
            continue;
          }
          CollectiveJob job(MPI_COMM_WORLD, problem, bytes, root, options);
          const Program shape = shape_of(MPI_COMM_WORLD, problem, bytes, root);
          EXPECT_EQ(moved(job, shape, rank(), 1), "");
          EXPECT_EQ(moved(job, shape, rank(), 2), "");
          EXPECT_FALSE(job.native());
          EXPECT_EQ(job.chosen().method.rfind(algorithm.name, 0), 0U) << job.chosen().method;
        }
      }
    }
  }
}

TEST(Collectives, EveryAlgorithmCombinesInTheOrderOfTheRanks) {
  const AffineOperation dense;
  const AffineOperation gaps(true);
  for (const Collective problem : kCombining) {
    for (const Algorithm& algorithm : algorithms(to_string(problem))) {
      for (const std::int64_t count : {0, 1, 5, 4001}) {
        SCOPED_TRACE(std::string(to_string(problem)) + " by " + std::string(algorithm.name) + ", " +
                     std::to_string(count) + " elements");
        const CollectiveOptions options = planned_by(std::string(algorithm.name), 2);
        for (const AffineOperation* operation : {&dense, &gaps}) {
          if (!applies(*options.platform, {problem, 16 * count, 0, 16, false}, options.algorithm)) {
            if (count == 1) expect_refused(problem, operation->on(count), options);
            continue;
          }
          CollectiveJob job(MPI_COMM_WORLD, problem, operation->on(count), options);
          EXPECT_EQ(combined(job, problem, *operation, MPI_COMM_WORLD, count, 1), "");
          EXPECT_EQ(combined(job, problem, *operation, MPI_COMM_WORLD, count, 2), "");
        }
      }
    }
  }
}

std::uint64_t number_of(int owner, std::int64_t i, std::uint64_t salt) {
  return (static_cast<std::uint64_t>(owner) + 1) * 1'000'003 + static_cast<std::uint64_t>(i) * 31 + salt;
}

/// One execution with sums of integers; "" if right.
std::string summed(CollectiveJob& job, Collective problem, std::int64_t count, std::uint64_t salt,
                   bool in_place = false) {
  std::vector<std::uint64_t> own;
  for (std::int64_t i = 0; i < count; ++i) own.push_back(number_of(rank(), i, salt));
  Program shape = shape_of(MPI_COMM_WORLD, problem, 8 * count, 0);
  shape.element_bytes = 8;
  const ByteRange share = problem == Collective::kAllreduce ? ByteRange{0, 8 * count} : block_of(shape, rank());
  std::vector<std::uint64_t> result(static_cast<std::size_t>(share.bytes / 8), 0);
  if (in_place) result = own;
  job.execute(in_place ? MPI_IN_PLACE : static_cast<const void*>(own.data()), result.data());
  for (std::int64_t i = 0; i < share.bytes / 8; ++i) {
    std::uint64_t sum = 0;
    for (int r = 0; r < size(); ++r) sum += number_of(r, share.offset / 8 + i, salt);
    if (result[static_cast<std::size_t>(i)] != sum) return "element " + std::to_string(i);
  }
  for (std::int64_t i = 0; i < count; ++i)
    if (own[static_cast<std::size_t>(i)] != number_of(rank(), i, salt)) return "own element " + std::to_string(i);
  return "";
}

TEST(Collectives, EveryAlgorithmSumsEveryElement) {
  for (const Collective problem : kCombining) {
    for (const Algorithm& algorithm : algorithms(to_string(problem))) {
      for (const int clusters : {1, 3}) {
        for (const std::int64_t count : {0, 1, 1000, 40'001}) {
          SCOPED_TRACE(std::string(to_string(problem)) + " by " + std::string(algorithm.name) + ", " +
                       std::to_string(clusters) + " clusters, " + std::to_string(count) + " elements");
          const CollectiveOptions options = planned_by(std::string(algorithm.name), clusters);
          const ElementOperation sum{count, MPI_UINT64_T, MPI_SUM};
          if (!applies(*options.platform, {problem, 8 * count, 0, 8}, options.algorithm)) {
            if (count == 1) expect_refused(problem, sum, options);
            continue;
          }
          CollectiveJob job(MPI_COMM_WORLD, problem, sum, options);
          EXPECT_EQ(summed(job, problem, count, 1), "");
          EXPECT_EQ(summed(job, problem, count, 2), "");
          if (problem == Collective::kAllreduce) {
            EXPECT_EQ(summed(job, problem, count, 3, true), "");
          }
        }
      }
    }
  }
}

TEST(Collectives, EveryRoot) {
  for (const Collective problem : {Collective::kScatter, Collective::kGather}) {
    for (int root = 0; root < size(); ++root) {
      for (const int clusters : {1, 2}) {
        CollectiveOptions options;
        options.platform = platform_of(size(), clusters);
        CollectiveJob job(MPI_COMM_WORLD, problem, 3001, root, options);
        const Program shape = shape_of(MPI_COMM_WORLD, problem, 3001, root);
        for (std::uint64_t round = 0; round < 11; ++round) EXPECT_EQ(moved(job, shape, rank(), round), "");
      }
    }
  }
}

TEST(Collectives, OwnDataInTheResult) {
  for (const char* algorithm : {"ring", "bruck", "pairwise"}) {
    CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, 999, 0, planned_by(algorithm, 1));
    const Program shape = shape_of(MPI_COMM_WORLD, Collective::kAllgather, 999, 0);
    EXPECT_EQ(moved(job, shape, rank(), 1, true), "");
    EXPECT_EQ(moved(job, shape, rank(), 2), "");
    EXPECT_EQ(moved(job, shape, rank(), 3, true), "");
  }
  for (const char* algorithm : {"flat", "binomial"}) {
    for (int root = 0; root < size(); ++root) {
      CollectiveJob job(MPI_COMM_WORLD, Collective::kGather, 999, root, planned_by(algorithm, 1));
      const Program shape = shape_of(MPI_COMM_WORLD, Collective::kGather, 999, root);
      EXPECT_EQ(moved(job, shape, rank(), 1, rank() == root), "");
    }
  }
  const AffineOperation operation;
  for (const char* algorithm : {"recursive-doubling", "binomial", "chain"}) {
    CollectiveJob job(MPI_COMM_WORLD, Collective::kAllreduce, operation.on(500), planned_by(algorithm, 1));
    EXPECT_EQ(combined(job, Collective::kAllreduce, operation, MPI_COMM_WORLD, 500, 1, true), "");
    EXPECT_EQ(combined(job, Collective::kAllreduce, operation, MPI_COMM_WORLD, 500, 2), "");
  }
  // The plan alternates with MPI's own collective.
  CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, 999, 0);
  const Program shape = shape_of(MPI_COMM_WORLD, Collective::kAllgather, 999, 0);
  for (std::uint64_t round = 0; round < 11; ++round) EXPECT_EQ(moved(job, shape, rank(), round, true), "");
}

TEST(Collectives, AgainAndAgainByPlansAndByMpi) {
  for (const bool given : {false, true}) {
    CollectiveOptions options;
    if (given) options.platform = platform_of(size(), 2, 2);
    for (const Collective problem : kMoving) {
      for (const std::int64_t bytes : {0, 3, 20'000}) {
        SCOPED_TRACE(std::string(to_string(problem)) + ", " + std::to_string(bytes) + " bytes");
        const int root = size() - 1;
        CollectiveJob job(MPI_COMM_WORLD, problem, bytes, root, options);
        const Program shape = shape_of(MPI_COMM_WORLD, problem, bytes, root);
        for (std::uint64_t round = 0; round < 11; ++round) EXPECT_EQ(moved(job, shape, rank(), round), "");
        EXPECT_FALSE(job.explanation().empty());
        const ChosenCollective chosen = job.chosen();
        EXPECT_EQ(job.native(), chosen.method.rfind("MPI_", 0) == 0) << chosen.method;
        if (size() > 1 && bytes > 0) {
          EXPECT_GT(chosen.planned_s, 0);
          EXPECT_GT(chosen.native_s, 0);
        }
      }
    }
    for (const Collective problem : kCombining) {
      CollectiveJob job(MPI_COMM_WORLD, problem, ElementOperation{3001, MPI_UINT64_T, MPI_SUM}, options);
      for (std::uint64_t round = 0; round < 11; ++round) EXPECT_EQ(summed(job, problem, 3001, round), "");
      EXPECT_EQ(job.chosen().native_s > 0, size() > 1);
    }
  }
}

/// Where ranks share memory, the rings that the messages go through have less room than a message here.
TEST(Collectives, LongMessagesGoThroughShortRings) {
  constexpr std::int64_t kBytes = (5 << 18) + 1;
  for (const Collective problem : kMoving) {
    CollectiveOptions options;
    options.try_native = false;
    CollectiveJob job(MPI_COMM_WORLD, problem, kBytes, size() - 1, options);
    const Program shape = shape_of(MPI_COMM_WORLD, problem, kBytes, size() - 1);
    for (std::uint64_t round = 0; round < 3; ++round) EXPECT_EQ(moved(job, shape, rank(), round), "");
    EXPECT_FALSE(job.native());
  }
  const AffineOperation operation;
  constexpr std::int64_t kCount = 300'000;
  for (const Collective problem : kCombining) {
    CollectiveJob job(MPI_COMM_WORLD, problem, operation.on(kCount));
    for (std::uint64_t round = 0; round < 2; ++round)
      EXPECT_EQ(combined(job, problem, operation, MPI_COMM_WORLD, kCount, round), "");
  }
}

TEST(Collectives, WhatMustBeReproducibleIsNotTried) {
  const AffineOperation operation;
  for (const Collective problem : kCombining) {
    CollectiveJob job(MPI_COMM_WORLD, problem, operation.on(700));
    for (std::uint64_t round = 0; round < 11; ++round)
      EXPECT_EQ(combined(job, problem, operation, MPI_COMM_WORLD, 700, round), "");
    EXPECT_FALSE(job.native());
    EXPECT_EQ(job.chosen().native_s, 0);
    if (size() == 1) continue;
    EXPECT_FALSE(CollectiveJob(MPI_COMM_WORLD, problem, ElementOperation{10, MPI_DOUBLE, MPI_SUM}).native());
    CollectiveOptions options;
    options.reproducible = false;
    CollectiveJob tried(MPI_COMM_WORLD, problem, operation.on(700), options);
    for (std::uint64_t round = 0; round < 11; ++round)
      EXPECT_EQ(combined(tried, problem, operation, MPI_COMM_WORLD, 700, round), "");
    EXPECT_GT(tried.chosen().native_s, 0);
  }
}

TEST(Collectives, ShortMessagesBetweenHostsGoInFewRounds) {
  if (size() < 2) return;
  const Comm comm;
  const PretendedHosts hosts(1);
  const bool power_of_two = (size() & (size() - 1)) == 0;
  const Allreduce sum(comm.get(), ElementOperation{100, MPI_DOUBLE, MPI_SUM});
  EXPECT_EQ(sum.chosen().method, "recursive-doubling");
  const Allreduce long_sum(comm.get(), ElementOperation{1000, MPI_DOUBLE, MPI_SUM});
  EXPECT_EQ(long_sum.chosen().method, power_of_two ? "recursive-halving" : "circulant");
  const ReduceScatter shares(comm.get(), ElementOperation{100, MPI_DOUBLE, MPI_SUM});
  EXPECT_EQ(shares.chosen().method, power_of_two ? "recursive-halving" : "bruck");
  const Program shape = shape_of(comm.get(), Collective::kAllgather, 100, 0);
  Allgather all(comm.get(), 100);
  EXPECT_EQ(all.chosen().method, power_of_two ? "recursive-doubling" : "bruck");
  for (std::uint64_t round = 0; round < 11; ++round) EXPECT_EQ(moved(all, shape, rank(), round), "");
  EXPECT_GT(all.chosen().native_s, 0) << "the two ways were not tried in turns";
}

TEST(Collectives, LongMessages) {
  const Program shape = shape_of(MPI_COMM_WORLD, Collective::kAlltoall, 1'500'000, 0);
  CollectiveJob job(MPI_COMM_WORLD, Collective::kAlltoall, 1'500'000, 0, planned_by("bruck", 1));
  EXPECT_EQ(moved(job, shape, rank(), 5), "");
  for (const char* algorithm : {"ring", "chain"}) {
    CollectiveJob sum(MPI_COMM_WORLD, Collective::kAllreduce, ElementOperation{1'000'003, MPI_UINT64_T, MPI_SUM},
                      planned_by(algorithm, 1));
    EXPECT_EQ(summed(sum, Collective::kAllreduce, 1'000'003, 7), "");
  }
}

TEST(Collectives, WithinAPartOfTheRanks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
  {
    CollectiveOptions options;
    options.platform = platform_of(size_of(half), 2);
    CollectiveJob job(half, Collective::kAllgather, 5000, 0, options);
    EXPECT_EQ(moved(job, shape_of(half, Collective::kAllgather, 5000, 0), testing::rank_in(half), 1), "");
  }
  MPI_Comm_free(&half);
}

TEST(Collectives, SeveralInFlight) {
  const std::int64_t bytes = 40'000;
  const Program gathered = shape_of(MPI_COMM_WORLD, Collective::kAllgather, bytes, 0);
  const Program exchanged = shape_of(MPI_COMM_WORLD, Collective::kAlltoall, bytes, 0);
  Allgather first(MPI_COMM_WORLD, bytes, planned_by("ring", 1));
  Alltoall second(MPI_COMM_WORLD, bytes, planned_by("bruck", 1));
  for (std::uint64_t round = 0; round < 3; ++round) {
    const auto own = [&](const Program& shape) { return testing::bytes_in(ranges_at_start(shape, rank()), round); };
    const auto expected = [&](const Program& shape) { return testing::bytes_in(ranges_at_end(shape, rank()), round); };
    const std::vector<std::byte> a = own(gathered);
    const std::vector<std::byte> b = own(exchanged);
    std::vector<std::byte> all(expected(gathered).size());
    std::vector<std::byte> column(expected(exchanged).size());
    first.start(a.data(), all.data());
    second.start(b.data(), column.data());
    while (!first.test()) {
    }
    second.wait();
    EXPECT_EQ(testing::difference(all, expected(gathered)), "");
    EXPECT_EQ(testing::difference(column, expected(exchanged)), "");
  }
}

TEST(Collectives, PlansAreKept) {
  const CollectiveOptions options = planned_by("ring", 1);
  for (int i = 0; i < 3; ++i) {
    CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, 777, 0, options);
    EXPECT_EQ(moved(job, shape_of(MPI_COMM_WORLD, Collective::kAllgather, 777, 0), rank(), 1), "");
  }
}

TEST(Collectives, BadArgumentsOnAnyRankAreOnesOnAll) {
  const int last = size() - 1;
  const auto refused = [&](Collective problem, std::int64_t bytes, int root, const CollectiveOptions& options = {}) {
    EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, problem, bytes, root, options), InputError);
  };
  refused(Collective::kAllgather, rank() == last ? -1 : 10, 0);
  refused(Collective::kScatter, 10, rank() == last ? size() : 0);
  refused(Collective::kGather, 10, -1);
  refused(Collective::kAlltoall, std::int64_t{1} << 62, 0, planned_by("nonsense", 1));
  refused(Collective::kAlltoall, 10, 0, planned_by("nonsense", 1));
  CollectiveOptions options;
  options.platform = platform_of(size() + 1, 1);
  refused(Collective::kAllgather, 10, 0, options);
  options = {};
  options.segments = rank() == last ? -1 : 0;
  refused(Collective::kAllgather, 10, 0, options);
  if (size() > 1) {
    refused(Collective::kAllgather, rank() == last ? 11 : 10, 0);
    refused(Collective::kScatter, 10, rank() == last ? 1 : 0);
    refused(Collective::kAllgather, 10, 0, rank() == last ? planned_by("ring", 1) : CollectiveOptions{});
  }
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllreduce,
                                   ElementOperation{1, MPI_DOUBLE, rank() == last ? MPI_OP_NULL : MPI_SUM}),
               InputError);
  EXPECT_THROW((void)CollectiveJob(MPI_COMM_WORLD, Collective::kAllreduce, ElementOperation{1, MPI_DOUBLE, MPI_BAND}),
               InputError);
  // Bad arguments of an execution.
  std::vector<std::byte> own(10 * static_cast<std::size_t>(size()));
  std::vector<std::byte> result(own.size());
  const auto expect_misuse = [&](Collective problem, const void* from, void* to) {
    CollectiveJob job(MPI_COMM_WORLD, problem, 10, 0);
    // In this execution, or in the next one where a rank was done with it before it heard.
    const auto twice = [&] {
      job.execute(from, to);
      job.execute(own.data(), result.data());
    };
    EXPECT_THROW(twice(), InputError);
    EXPECT_THROW(job.execute(own.data(), result.data()), InputError);  // it has failed
  };
  for (const Collective problem : {Collective::kAllgather, Collective::kAlltoall}) {
    expect_misuse(problem, rank() == last ? nullptr : own.data(), result.data());
    expect_misuse(problem, own.data(), rank() == last ? nullptr : result.data());
  }
  expect_misuse(Collective::kAlltoall, MPI_IN_PLACE, result.data());
  expect_misuse(Collective::kScatter, rank() == 0 ? MPI_IN_PLACE : nullptr, result.data());
  // And there is a new one to be had.
  CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, 10, 0);
  EXPECT_EQ(moved(job, shape_of(MPI_COMM_WORLD, Collective::kAllgather, 10, 0), rank(), 1), "");
}

TEST(Collectives, NothingMayBeNull) {
  for (const Collective problem : kMoving) {
    CollectiveJob job(MPI_COMM_WORLD, problem, 0, 0);
    job.execute(nullptr, nullptr);
  }
  CollectiveJob sum(MPI_COMM_WORLD, Collective::kAllreduce, ElementOperation{0, MPI_DOUBLE, MPI_SUM});
  sum.execute(nullptr, nullptr);
}

TEST(Collectives, ARankThatThrowsBeforeItsTurnLeavesNobodyWaiting) {
  if (size() == 1) return;
  const auto play = [&] {
    CollectiveJob job(MPI_COMM_WORLD, Collective::kAllgather, 100'000, 0, planned_by("ring", 1));
    const Program shape = shape_of(MPI_COMM_WORLD, Collective::kAllgather, 100'000, 0);
    EXPECT_EQ(moved(job, shape, rank(), 1), "");
    if (rank() == 0) throw std::runtime_error("no data");
    (void)moved(job, shape, rank(), 2);
    (void)moved(job, shape, rank(), 3);
  };
  if (rank() == 0) {
    EXPECT_THROW(play(), std::runtime_error);
  } else {
    EXPECT_THROW(play(), JobError);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sluice::mpi
