#include "sluice/run/mpi/probe.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi {
namespace {

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::string error_of(const ProbeOptions& options) {
  return sluice::testing::error_of([&] { return probe(MPI_COMM_WORLD, options); });
}

ProbeOptions quick() {
  ProbeOptions options;
  options.time_budget_s = 0.3;
  return options;
}

/// The same on all ranks, byte by byte.
void expect_same_everywhere(const Platform& platform) {
  const std::string own = to_json(platform);
  std::string first = own;
  auto size = static_cast<int>(first.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  first.resize(static_cast<std::size_t>(size));
  MPI_Bcast(first.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT_EQ(own, first);
}

void expect_measured(const GapTable& gap) {
  ASSERT_GE(gap.points().size(), 2U);
  EXPECT_EQ(gap.points().front().bytes, 1);
  EXPECT_GE(gap.points().back().bytes, 1024);
  EXPECT_GT(gap.points().front().seconds, 0);
  EXPECT_LT(gap.points().front().seconds, 1);
}

/// Both ways of a broadcast, at the same sizes; that times do not fall is what makes them a table.
void expect_broadcasts(const PlatformCluster& cluster) {
  expect_measured(cluster.broadcast);
  expect_measured(cluster.planned_broadcast);
  ASSERT_EQ(cluster.broadcast.points().size(), cluster.planned_broadcast.points().size());
  for (std::size_t i = 0; i < cluster.broadcast.points().size(); ++i)
    EXPECT_EQ(cluster.broadcast.points()[i].bytes, cluster.planned_broadcast.points()[i].bytes);
}

TEST(Probe, OneHostIsOneCluster) {
  if (world_size() == 1) {
    EXPECT_EQ(error_of(quick()), "probe: one rank, expected at least two: start it with mpirun -np N");
    return;
  }
  std::vector<std::string> told;
  std::int64_t parts = 0;
  ProbeOptions options = quick();
  options.progress = [&](std::int64_t done, std::int64_t total, const std::string& what) {
    EXPECT_LE(done, total);
    parts = total;
    told.push_back(what);
  };
  const Platform platform = probe(MPI_COMM_WORLD, options);
  EXPECT_NO_THROW(check_platform(platform, "probe"));
  EXPECT_EQ(platform.ranks, world_size());
  ASSERT_EQ(platform.clusters.size(), 1U);
  EXPECT_FALSE(platform.clusters[0].name.empty());
  EXPECT_GE(platform.clusters[0].latency_s, 0);
  expect_measured(platform.clusters[0].gap);
  expect_broadcasts(platform.clusters[0]);
  expect_same_everywhere(platform);
  EXPECT_EQ(told.empty(), world_rank() != 0);
  if (world_rank() == 0) {
    const std::string& name = platform.clusters[0].name;
    EXPECT_EQ(parts, 3);
    EXPECT_EQ(told, (std::vector<std::string>{"latency between 1 host", "inside " + name, "broadcasts inside " + name,
                                              "done"}));
  }
}

TEST(Probe, MeasuresBetweenGivenClusters) {
  if (world_size() == 1) return;
  ProbeOptions options = quick();
  options.clusters.resize(world_size() > 2 ? 3 : 2);
  for (int rank = 0; rank < world_size(); ++rank)
    options.clusters[static_cast<std::size_t>(rank) % options.clusters.size()].push_back(rank);
  const Platform platform = probe(MPI_COMM_WORLD, options);
  EXPECT_NO_THROW(check_platform(platform, "probe"));
  ASSERT_EQ(platform.clusters.size(), options.clusters.size());
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) {
    EXPECT_EQ(platform.clusters[c].ranks, options.clusters[c]);
    const bool alone = options.clusters[c].size() == 1;
    EXPECT_EQ(platform.clusters[c].gap.points().empty(), alone);
    EXPECT_EQ(platform.clusters[c].broadcast.points().empty(), alone);
    if (!alone) expect_broadcasts(platform.clusters[c]);
    for (std::size_t other = 0; other < c; ++other) EXPECT_NE(platform.clusters[other].name, platform.clusters[c].name);
  }
  EXPECT_EQ(platform.links.size(), options.clusters.size() * (options.clusters.size() - 1) / 2);
  for (const PlatformLink& link : platform.links) {
    expect_measured(link.gap);
    EXPECT_EQ(link.connections, 1);  // one host has one connection to another one
  }
  expect_same_everywhere(platform);
}

TEST(Probe, LeavesBroadcastsOutIfToldSo) {
  if (world_size() == 1) return;
  std::int64_t parts = 0;
  ProbeOptions options = quick();
  options.broadcasts = false;
  options.progress = [&](std::int64_t, std::int64_t total, const std::string&) { parts = total; };
  const Platform platform = probe(MPI_COMM_WORLD, options);
  EXPECT_EQ(parts, world_rank() == 0 ? 2 : 0);
  ASSERT_EQ(platform.clusters.size(), 1U);
  expect_measured(platform.clusters[0].gap);
  EXPECT_TRUE(platform.clusters[0].broadcast.points().empty());
  EXPECT_TRUE(platform.clusters[0].planned_broadcast.points().empty());
}

/// With next to no time only what is always measured is.
TEST(Probe, MeasuresFewerSizesInLessTime) {
  if (world_size() == 1) return;
  ProbeOptions options;
  options.time_budget_s = 1e-6;
  const Platform platform = probe(MPI_COMM_WORLD, options);
  ASSERT_EQ(platform.clusters.size(), 1U);
  EXPECT_EQ(platform.clusters[0].gap.points().size(), 2U);
  EXPECT_EQ(platform.clusters[0].broadcast.points().size(), 2U);
  expect_broadcasts(platform.clusters[0]);
}

TEST(Probe, RefusesBadOptionsOnEveryRank) {
  if (world_size() == 1) return;
  ProbeOptions options = quick();
  options.tolerance = -1;
  EXPECT_NE(error_of(options).find("-1, expected a finite number of at least 0"), std::string::npos);
  options = quick();
  options.noise_s = std::numeric_limits<double>::infinity();
  EXPECT_NE(error_of(options).find("noise: inf s, expected a finite number of at least 0"), std::string::npos);
  options = quick();
  options.time_budget_s = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(options).find("expected seconds above 0"), std::string::npos);
  options = quick();
  options.clusters = {{0}};
  EXPECT_NE(error_of(options).find("rank 1 in no cluster"), std::string::npos);
  options = quick();
  options.broadcasts = world_rank() > 0;
  EXPECT_NE(error_of(options).find("different ones on different ranks"), std::string::npos);
  options = quick();
  options.tolerance = world_rank();
  EXPECT_NE(error_of(options).find("different ones on different ranks"), std::string::npos);
  EXPECT_NE(error_of(quick()).find("no error"), std::string::npos);
}

}  // namespace
}  // namespace sluice::mpi
