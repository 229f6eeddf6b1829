#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan/collective/registry.hpp"
#include "run/any_rank_failed.hpp"
#include "run/mpi/collective/tree_broadcast.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/platform_testing.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::byte_of;
using testing::Comm;
using testing::difference;
using testing::Draw;
using testing::platform_of;
using testing::PretendedHosts;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;

void expect_broadcast(Broadcast& job, int root, std::int64_t bytes, MPI_Comm comm = MPI_COMM_WORLD) {
  std::vector<std::byte> buffer(static_cast<std::size_t>(bytes));
  std::vector<std::byte> expected(buffer.size());
  for (std::int64_t b = 0; b < bytes; ++b)
    expected[static_cast<std::size_t>(b)] = byte_of(b / 8, b, static_cast<std::uint64_t>(root));
  for (std::size_t b = 0; b < buffer.size(); ++b) buffer[b] = rank_in(comm) == root ? expected[b] : ~expected[b];
  job.execute(buffer.data(), bytes);
  EXPECT_EQ(difference(buffer, expected), "") << bytes << " bytes from " << root;
}

TEST(Broadcast, EveryAlgorithmGivesEveryRankEveryByte) {
  for (const Algorithm& algorithm : algorithms("broadcast")) {
    if (algorithm.name == "native") continue;  // needs measured times
    for (const int clusters : {1, 2, 3}) {
      BroadcastOptions options;
      options.plan.algorithm = algorithm.name;
      const int root = (clusters + 2) % size();
      options.platform = platform_of(size(), clusters, 4);
      Broadcast job(MPI_COMM_WORLD, root, options);
      for (const std::int64_t bytes : {0, 1, 5, 1000, 70'001, 600'000}) expect_broadcast(job, root, bytes);
    }
  }
}

/// Every planner of programs, whatever the platform is that it planned for.
TEST(Broadcast, CarriesOutAProgramThatIsGiven) {
  const int root = size() - 1;
  for (const std::int64_t bytes : {1, 5, 70'001}) {
    for (const Algorithm& algorithm : sluice::detail::program_algorithms(Collective::kBroadcast)) {
      SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(bytes) + " bytes");
      ProgramOptions how;
      how.algorithm = algorithm.name;
      BroadcastOptions options;
      options.program = plan_program(platform_of(size(), 2, 2), {Collective::kBroadcast, bytes, root}, how).program;
      Broadcast job(MPI_COMM_WORLD, root, options);
      for (int round = 0; round < 2; ++round) expect_broadcast(job, root, bytes);
      EXPECT_EQ(job.chosen(bytes).method, options.program->algorithm);
      EXPECT_THROW((void)Broadcast(MPI_COMM_WORLD, root, options).chosen(bytes + 1), InputError);
      EXPECT_TRUE(job.settled(bytes));
    }
  }
}

TEST(Broadcast, AProgramThatDoesNotFitIsRefused) {
  const Program good = plan_program(platform_of(size(), 2, 2), {Collective::kBroadcast, 4096, 0}).program;
  const auto expect_refused = [&](auto change, const std::string& about) {
    BroadcastOptions options;
    options.program = good;
    change(options);
    try {
      Broadcast job(MPI_COMM_WORLD, 0, options);
      std::vector<std::byte> buffer(4096);
      job.execute(buffer.data(), 4096);
      ADD_FAILURE() << about << " is not refused";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(about), std::string::npos) << error.what();
    }
  };
  expect_refused([](BroadcastOptions& o) { o.program->ranks += 1; }, "ranks");
  expect_refused([](BroadcastOptions& o) { o.program->problem = Collective::kAllgather; }, "broadcast");
  expect_refused([](BroadcastOptions& o) { o.plan.segments = 2; }, "an algorithm or segments");
  expect_refused([](BroadcastOptions& o) { o.platform = platform_of(size(), 2, 2); },
                 "program: cannot be used with a platform to plan over, expected one of the two");
  expect_refused([](BroadcastOptions& o) { o.program->size_bytes = 8192; }, "8192");
  if (size() == 1) return;
  expect_refused([](BroadcastOptions& o) { o.program->root = 1; }, "root 1");
  expect_refused([](BroadcastOptions& o) { o.program->operations.pop_back(); }, "a sound one");
}

TEST(Broadcast, ClustersWhoseBroadcastWasMeasuredUseTheMpis) {
  for (const int clusters : {1, 2, 3}) {
    for (int root = 0; root < size(); ++root) {
      Platform platform = platform_of(size(), clusters);
      for (PlatformCluster& cluster : platform.clusters)
        if (cluster.name != "b") cluster.broadcast = GapTable({{1, 1e-5}, {1 << 20, 1e-3}});
      BroadcastOptions options;
      options.plan.algorithm = "ecef";
      options.platform = platform;
      Broadcast job(MPI_COMM_WORLD, root, options);
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
      BroadcastOptions options;
      options.plan.algorithm = algorithm;
      options.platform = platform;
      Broadcast job(MPI_COMM_WORLD, root, options);
      for (const std::int64_t bytes : {1, 70'001}) expect_broadcast(job, root, bytes);
    }
  }
}

TEST(Broadcast, EveryRootByTheBestOfAll) {
  for (int root = 0; root < size(); ++root) {
    Broadcast job(MPI_COMM_WORLD, root, {.platform = platform_of(size(), 2, 2)});
    for (const std::int64_t bytes : {3, 20'000, 20'000}) expect_broadcast(job, root, bytes);
    EXPECT_FALSE(job.settled(300'000));
    for (int execution = 0; execution < 9; ++execution) expect_broadcast(job, root, 300'000);
    const ChosenBroadcast chosen = job.chosen(300'000);
    EXPECT_FALSE(chosen.method.empty());
    if (size() > 1) {
      EXPECT_TRUE(job.settled(300'000));
      EXPECT_FALSE(job.settled(20'000));
      EXPECT_GT(chosen.predicted_s, 0);
      EXPECT_GT(chosen.native_s, 0);
      // Between a fiftieth and a twentieth it depends on each of the times.
      const bool native = chosen.method == "native";
      EXPECT_TRUE(native || 1.05 * chosen.native_s >= chosen.planned_s);
      EXPECT_TRUE(!native || 1.02 * chosen.native_s < chosen.planned_s);
    }
  }
}

/// Beyond 64 size classes the job forgets those used longest ago, but not the one that is under way.
TEST(Broadcast, ManySizesMayBeAskedForWhileOneIsUnderWay) {
  BroadcastOptions options;
  options.plan.algorithm = "ecef";
  options.platform = platform_of(size(), 2);
  Broadcast job(MPI_COMM_WORLD, 0, options);
  constexpr std::size_t kBytes = 300'000;
  std::vector<unsigned char> buffer(kBytes, rank() == 0 ? 7 : 0);
  job.start(buffer.data(), static_cast<std::int64_t>(kBytes));
  for (std::int64_t bytes = 1, sizes = 0; sizes < 70; ++sizes, bytes += bytes / 4 + 1)
    EXPECT_GE(job.chosen(bytes).predicted_s, 0);
  job.wait();
  EXPECT_EQ(buffer, std::vector<unsigned char>(kBytes, 7));
}

TEST(Broadcast, SizesOfAClassAreCutAtTheSameFractions) {
  Draw draw(5);
  BroadcastOptions options;
  options.plan.algorithm = "pipelined";
  options.platform = platform_of(size(), 2);
  Broadcast job(MPI_COMM_WORLD, 0, options);
  for (int i = 0; i < 40; ++i) expect_broadcast(job, 0, draw.between(60'000, 70'000));
}

TEST(Broadcast, SmallSizes) {
  BroadcastOptions options;
  options.plan.algorithm = "parallel-entry";
  options.platform = platform_of(size(), 2, 8);
  Broadcast job(MPI_COMM_WORLD, 0, options);
  for (std::int64_t bytes = 0; bytes < 40; ++bytes) expect_broadcast(job, 0, bytes);
}

TEST(Broadcast, WithinAPartOfTheRanks) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &half);
  {
    Broadcast job(half, 0, {.platform = platform_of(size_of(half), 2)});
    expect_broadcast(job, 0, 50'000, half);
  }
  MPI_Comm_free(&half);
}

TEST(Broadcast, BadArgumentsOnAnyRankAreOnesOnAll) {
  const Platform good = platform_of(size(), 2);
  const int last = size() - 1;
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, 0, {.platform = platform_of(size() + 1, 2)}), InputError);
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, size(), {.platform = good}), InputError);
  EXPECT_THROW(Broadcast(MPI_COMM_WORLD, rank() == last ? -1 : 0, {.platform = good}), InputError);
  if (size() > 1) {
    EXPECT_THROW(Broadcast(MPI_COMM_WORLD, rank() == last ? 1 : 0, {.platform = good}), InputError);
    EXPECT_THROW(Broadcast(MPI_COMM_WORLD, 0, {.platform = rank() == last ? platform_of(size(), 1) : good}),
                 InputError);
  }
  BroadcastOptions options;
  options.platform = good;
  options.plan.algorithm = "nonsense";
  std::vector<std::byte> buffer(100);
  Broadcast job(MPI_COMM_WORLD, 0, options);
  EXPECT_THROW(job.execute(buffer.data(), 100), InputError);  // when it is planned
  const auto expect_refused = [&](void* at, std::int64_t bytes) {
    Broadcast other(MPI_COMM_WORLD, 0, {.platform = good});
    expect_broadcast(other, 0, 50'000);
    // In this execution, or in a later one where a rank was done with it before it heard: nobody waits in a broadcast
    // for the ranks of other branches.
    const auto until_heard = [&] {
      other.execute(at, bytes);
      EXPECT_TRUE(at != nullptr && bytes == 50'000);
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
      while (std::chrono::steady_clock::now() < end) other.execute(buffer.data(), bytes);
    };
    EXPECT_THROW(until_heard(), InputError);
    EXPECT_THROW(other.execute(buffer.data(), bytes), InputError);  // it has failed
  };
  for (const std::int64_t bytes : {100, 50'000}) {
    buffer.resize(static_cast<std::size_t>(bytes));
    expect_refused(nullptr, rank() == last ? -1 : bytes);
    expect_refused(rank() == last ? nullptr : buffer.data(), bytes);
  }
  if (size() > 1) expect_refused(buffer.data(), rank() == last ? 50 : 100);
}

TEST(Broadcast, WithoutAPlatformATreeOrMpiServes) {
  for (int root = 0; root < size(); ++root) {
    Broadcast job(MPI_COMM_WORLD, root);
    for (const std::int64_t bytes : {0, 1, 1000, 999, 4096, 4097, 65'536, 262'144, 262'145, 1, 300'000})
      expect_broadcast(job, root, bytes);
    EXPECT_EQ(job.chosen(0).method, "native");
    EXPECT_EQ(job.chosen(10).method == "native", size() == 1);
    EXPECT_TRUE(job.settled(10));
  }
  Broadcast by_mpi(MPI_COMM_WORLD, 0, {.try_native = false});
  expect_broadcast(by_mpi, 0, 1000);
  EXPECT_EQ(by_mpi.chosen(1000).method, "native");
}

/// Followed by hand, where no rank has to be there: whoever sends has the message, and all get it once.
TEST(Broadcast, TreesThatNeedNoPlanReachEverybody) {
  if (rank() != 0) return;
  for (const bool flat : {true, false}) {
    for (std::int64_t ranks = 1; ranks <= 33; ++ranks) {
      for (std::int64_t root = 0; root < ranks; ++root) {
        Program shape;
        shape.problem = Collective::kBroadcast;
        shape.ranks = ranks;
        shape.size_bytes = 5;
        shape.root = root;
        std::vector<detail::OwnPart> parts;
        for (std::int64_t r = 0; r < ranks; ++r) parts.push_back(detail::tree_broadcast_part(shape, r, flat));
        std::vector<std::int64_t> has_it{root};
        std::vector<bool> reached(static_cast<std::size_t>(ranks), false);
        reached[static_cast<std::size_t>(root)] = true;
        std::size_t rounds = 0;
        for (std::size_t next = 0; next < has_it.size(); ++next) {
          const std::int64_t own = has_it[next];
          const detail::OwnPart& part = parts[static_cast<std::size_t>(own)];
          for (std::size_t i = 0; i < part.ends.size(); ++i) {
            ASSERT_EQ(part.ranges[i].size(), 1U);
            EXPECT_EQ(part.ranges[i].front().begin, 0);
            EXPECT_EQ(part.ranges[i].front().count, 5);
            if (!part.ends[i].sends) continue;
            EXPECT_EQ(part.after_of(i).size(), own == root ? 0U : 1U);
            const auto to = static_cast<std::size_t>(part.ends[i].peer);
            ASSERT_FALSE(reached[to]) << ranks << ", " << root;
            reached[to] = true;
            has_it.push_back(part.ends[i].peer);
            ASSERT_FALSE(parts[to].ends.front().sends);
            EXPECT_EQ(parts[to].ends.front().peer, own);
          }
          rounds = std::max(rounds, part.ends.size());
        }
        EXPECT_EQ(has_it.size(), static_cast<std::size_t>(ranks));
        const auto levels = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(ranks - 1)));
        EXPECT_LE(rounds, flat ? static_cast<std::size_t>(ranks - 1) : levels + 1);
      }
    }
  }
}

TEST(Broadcast, OfDifferentSizesIsRefusedOnAllRanks) {
  if (size() == 1) GTEST_SKIP() << "one rank";
  std::vector<std::byte> buffer(10'000'000);
  for (const bool over_a_platform : {true, false}) {
    if (!over_a_platform && !detail::MemoryCarrier::possible(*detail::Context::of(MPI_COMM_WORLD))) continue;
    BroadcastOptions options;
    if (over_a_platform) options.platform = platform_of(size(), 1);
    for (const std::int64_t at_first : {0, 100, 8192, 100'000, 10'000'000}) {
      for (const std::int64_t at_others : {0, 100, 8192, 100'000, 10'000'000}) {
        if (at_first == at_others) continue;
        Broadcast job(MPI_COMM_WORLD, 0, options);
        EXPECT_THROW(job.execute(buffer.data(), rank() == 0 ? at_first : at_others), InputError)
            << at_first << " and " << at_others << (over_a_platform ? ", over a platform" : "");
        if (testing::any_rank_failed()) return;
      }
    }
  }
}

/// Between hosts nothing compares the sizes of short ones.
TEST(Broadcast, AShortMessageThatDoesNotFitIsMpisErrorByName) {
  if (size() == 1) return;
#ifndef OPEN_MPI
  GTEST_SKIP() << "other MPIs ask the error handler of MPI_COMM_WORLD, which ends the program";
#endif
  const Comm comm;
  const PretendedHosts hosts(1);
  Broadcast job(comm.get(), 0);
  std::vector<std::byte> buffer(200);
  const bool expects_less = rank() == size() - 1;
  std::string call;
  int error_class = MPI_SUCCESS;
  try {
    job.execute(buffer.data(), expects_less ? 100 : 200);
  } catch (const MpiError& error) {
    call = error.call();
    MPI_Error_class(error.code(), &error_class);
  } catch (const JobError&) {
    EXPECT_FALSE(expects_less);
  }
  EXPECT_EQ(call, expects_less ? "MPI_Irecv" : "");
  EXPECT_EQ(error_class, expects_less ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
}

/// Between nodes, long messages go both ways in turns, and then by one of them: lab/check.sh.
TEST(Broadcast, WithoutAPlatformAgainAndAgain) {
  for (const int root : {0, size() - 1}) {
    Broadcast job(MPI_COMM_WORLD, root);
    for (int round = 0; round < 11; ++round) {
      for (const std::int64_t bytes : {100, 40'000, 300'000, 299'999}) expect_broadcast(job, root, bytes);
    }
    for (const std::int64_t bytes : {100, 300'000}) EXPECT_FALSE(job.chosen(bytes).method.empty());
  }
}

/// Of many sizes, each of a class of its own, from every root, while the two ways are tried in turns and after that: up
/// to 4 KiB a tree is the other one, of which as many sizes as are kept are in use, then MPI's own call.
TEST(Broadcast, MessagesBetweenHostsGoInSegmentsUntilTheNetworkIsWorthALook) {
  if (size() == 1) return;
  const Comm comm;
  const PretendedHosts hosts(1);
  for (int root = 0; root < size(); ++root) {
    Broadcast job(comm.get(), root);
    for (int round = 0; round < 11; ++round)
      for (const std::int64_t bytes :
           {2048, 2049, 2500, 2800, 3000, 3200, 3500, 3800, 4096, 4097, 5000, 16'384, 30'001, 32'768})
        expect_broadcast(job, root, bytes, comm.get());
    EXPECT_EQ(job.chosen(2048).method, "binomial tree");
    for (const std::int64_t bytes : {2049, 4096}) {
      const std::string method = job.chosen(bytes).method;
      EXPECT_TRUE(method == "binomial tree" || method == "circulant, 2 segments") << method;
      EXPECT_EQ(job.explanation(bytes).find("MPI_"), std::string::npos) << job.explanation(bytes);
    }
    for (const std::int64_t bytes : {2049, 4096, 4097, 32'768}) {
      EXPECT_TRUE(job.settled(bytes)) << bytes;
      EXPECT_GT(job.chosen(bytes).native_s, 0) << "the two ways were not tried in turns";
    }
  }
  EXPECT_EQ(Broadcast(comm.get(), 0).chosen(10'000).method, "circulant, 5 segments");
}

/// On one host they go through memory in segments, between shorter ones of more sizes than are kept.
TEST(Broadcast, LongMessagesWithoutAPlatform) {
  constexpr std::int64_t kSegment = 4 << 20;
  for (const int root : {0, size() - 1}) {
    Broadcast job(MPI_COMM_WORLD, root);
    for (int round = 0; round < 2; ++round) {
      for (const std::int64_t bytes : {kSegment, 2 * kSegment + 4321}) expect_broadcast(job, root, bytes);
      for (std::int64_t bytes = 1; bytes <= 9; ++bytes) expect_broadcast(job, root, bytes);
    }
  }
  Broadcast first(MPI_COMM_WORLD, 0);
  Broadcast second(MPI_COMM_WORLD, size() - 1);
  std::vector<std::byte> of_first(3 * kSegment, std::byte{0}), of_second(2 * kSegment + 5, std::byte{0});
  if (rank() == 0) std::ranges::fill(of_first, std::byte{17});
  if (rank() == size() - 1) std::ranges::fill(of_second, std::byte{23});
  first.start(of_first.data(), static_cast<std::int64_t>(of_first.size()));
  second.start(of_second.data(), static_cast<std::int64_t>(of_second.size()));
  second.wait();
  first.wait();
  EXPECT_EQ(std::ranges::count(of_first, std::byte{17}), std::ssize(of_first));
  EXPECT_EQ(std::ranges::count(of_second, std::byte{23}), std::ssize(of_second));
}

TEST(Broadcast, ARankThatThrowsBeforeItsTurnLeavesNobodyWaiting) {
  if (size() == 1) return;
  const auto play = [&] {
    BroadcastOptions options;
    options.plan.algorithm = "ecef";
    options.platform = platform_of(size(), 2);
    Broadcast job(MPI_COMM_WORLD, 0, options);
    expect_broadcast(job, 0, 400'000);
    if (rank() == 0) throw std::runtime_error("no data");
    std::vector<std::byte> buffer(400'000);
    job.execute(buffer.data(), 400'000);
  };
  if (rank() == 0) {
    EXPECT_THROW(play(), std::runtime_error);
  } else {
    EXPECT_THROW(play(), JobError);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// By default options, on one host: the root waits for a receiver between two segments, and for all of them.
TEST(Broadcast, LongMessagesOfWhichARankTakesNone) {
  if (size() == 1) return;
  constexpr std::int64_t kBytes = 9 << 20;
  const int last = size() - 1;
  const auto play = [&] {
    Broadcast job(MPI_COMM_WORLD, 0);
    expect_broadcast(job, 0, kBytes);
    if (rank() == last) throw std::runtime_error("no room");
    std::vector<std::byte> buffer(kBytes);
    job.execute(buffer.data(), kBytes);
  };
  if (rank() == last) {
    EXPECT_THROW(play(), std::runtime_error);
  } else {
    EXPECT_THROW(play(), JobError);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  Broadcast after(MPI_COMM_WORLD, 0);
  expect_broadcast(after, 0, kBytes);
}

}  // namespace
}  // namespace sluice::mpi
