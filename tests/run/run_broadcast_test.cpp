#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "run/mpi/compare/known_contents.hpp"
#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::Draw;
using testing::platform_of;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;

void expect_broadcast(Broadcast& job, int root, std::int64_t bytes, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  detail::fill_known(buffer, root, root, rank_in(comm) != root);
  job.execute(buffer.data(), bytes);
  EXPECT_EQ(detail::first_wrong(buffer, root, root), -1) << bytes << " bytes from " << root;
}

TEST(Broadcast, EveryAlgorithmGivesEveryRankEveryByte) {
  for (const Algorithm& algorithm : algorithms("broadcast")) {
    if (algorithm.name == "native") continue;  // needs measured times
    for (const int clusters : {1, 2, 3}) {
      BroadcastJobOptions options;
      options.plan.algorithm = algorithm.name;
      const int root = (clusters + 2) % size();
      Broadcast job(MPI_COMM_WORLD, platform_of(size(), clusters, 4), root, options);
      for (const std::int64_t bytes : {0, 1, 5, 1000, 70'001, 600'000}) expect_broadcast(job, root, bytes);
    }
  }
}

TEST(Broadcast, ClustersWhoseBroadcastWasMeasuredUseTheMpis) {
  for (const int clusters : {1, 2, 3}) {
    for (int root = 0; root < size(); ++root) {
      Platform platform = platform_of(size(), clusters);
      for (PlatformCluster& cluster : platform.clusters)
        if (cluster.name != "b") cluster.broadcast = GapTable({{1, 1e-5}, {1 << 20, 1e-3}});
      BroadcastJobOptions options;
      options.plan.algorithm = "ecef";
      Broadcast job(MPI_COMM_WORLD, platform, root, options);
      for (const std::int64_t bytes : {0, 1, 70'001, 600'000, 70'001}) expect_broadcast(job, root, bytes);
    }
  }
}

TEST(Broadcast, RanksOfAClusterInAnyOrder) {
  for (const char* algorithm : {"ecef", "pipelined", "parallel-entry"}) {
    for (int root = 0; root < size(); ++root) {
      Platform platform = platform_of(size(), 2, 2);
      for (PlatformCluster& cluster : platform.clusters) std::reverse(cluster.ranks.begin(), cluster.ranks.end());
      platform.clusters.front().broadcast = GapTable({{1, 1e-5}, {1 << 20, 1e-3}});
      BroadcastJobOptions options;
      options.plan.algorithm = algorithm;
      Broadcast job(MPI_COMM_WORLD, platform, root, options);
      for (const std::int64_t bytes : {1, 70'001}) expect_broadcast(job, root, bytes);
    }
  }
}

TEST(Broadcast, EveryRootByTheBestOfAll) {
  for (int root = 0; root < size(); ++root) {
    Broadcast job(MPI_COMM_WORLD, platform_of(size(), 2, 2), root);
    for (const std::int64_t bytes : {3, 20'000, 20'000, 300'000}) expect_broadcast(job, root, bytes);
    const ChosenBroadcast chosen = job.chosen(300'000);
    EXPECT_FALSE(chosen.method.empty());
    if (size() > 1) {
      EXPECT_GT(chosen.predicted_s, 0);
      EXPECT_GT(chosen.native_s, 0);
      EXPECT_EQ(chosen.method == "native", chosen.native_s < chosen.planned_s);
    }
  }
}

TEST(Broadcast, SizesOfAClassAreCutAtTheSameFractions) {
  Draw draw(5);
  BroadcastJobOptions options;
  options.plan.algorithm = "pipelined";
  Broadcast job(MPI_COMM_WORLD, platform_of(size(), 2), 0, options);
  for (int i = 0; i < 40; ++i) expect_broadcast(job, 0, draw.between(60'000, 70'000));
}

TEST(Broadcast, SmallSizes) {
  BroadcastJobOptions options;
  options.plan.algorithm = "parallel-entry";
  Broadcast job(MPI_COMM_WORLD, platform_of(size(), 2, 8), 0, options);
  for (std::int64_t bytes = 0; bytes < 40; ++bytes) expect_broadcast(job, 0, bytes);
}

TEST(Broadcast, WithinAPartOfTheRanks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
  {
    Broadcast job(half, platform_of(size_of(half), 2), 0);
    expect_broadcast(job, 0, 50'000, half);
  }
  MPI_Comm_free(&half);
}

TEST(Broadcast, BadArgumentsOnAnyRankAreOnesOnAll) {
  const Platform good = platform_of(size(), 2);
  const int last = size() - 1;
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, platform_of(size() + 1, 2), 0), InputError);
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, good, size()), InputError);
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, good, rank() == last ? -1 : 0), InputError);
  if (size() > 1) {
    EXPECT_THROW(Broadcast(MPI_COMM_WORLD, good, rank() == last ? 1 : 0), InputError);
    EXPECT_THROW(Broadcast(MPI_COMM_WORLD, rank() == last ? platform_of(size(), 1) : good, 0), InputError);
  }
  BroadcastJobOptions options;
  options.plan.algorithm = "nonsense";
  Broadcast job(MPI_COMM_WORLD, good, 0, options);
  std::vector<std::byte> buffer(100);
  EXPECT_THROW(job.execute(buffer.data(), 100), InputError);  // when it is planned
  Broadcast other(MPI_COMM_WORLD, good, 0);
  EXPECT_THROW(other.execute(nullptr, rank() == last ? -1 : 100), InputError);
  EXPECT_THROW(other.execute(rank() == last ? nullptr : buffer.data(), 100), InputError);
  if (size() > 1) {
    EXPECT_THROW(other.execute(buffer.data(), rank() == last ? 50 : 100), InputError);
  }
  expect_broadcast(other, 0, 1000);
}

TEST(Broadcast, ARankThatThrowsBeforeItsTurnLeavesNobodyWaiting) {
  if (size() == 1) return;
  const auto play = [&] {
    BroadcastJobOptions options;
    options.plan.algorithm = "ecef";
    Broadcast job(MPI_COMM_WORLD, platform_of(size(), 2), 0, options);
    expect_broadcast(job, 0, 400'000);
    if (rank() == 0) throw std::runtime_error("no data");
    std::vector<std::byte> buffer(400'000);
    job.execute(buffer.data(), 400'000);
  };
  if (rank() == 0) {
    EXPECT_THROW(play(), std::runtime_error);
  } else {
    EXPECT_THROW(play(), MpiError);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sluice::mpi
