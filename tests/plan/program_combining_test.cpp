// Ranks that take different times to combine.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "plan/patterns/swapped_ranks.hpp"
#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/timing/program_replay.hpp"
#include "timing/rank_network.hpp"

namespace sluice {
namespace {

using testing::one_cluster;
using testing::sites_of_clusters;

/// For how long each rank combines.
std::vector<double> combining_s(const Program& program) {
  std::vector<double> seconds(static_cast<std::size_t>(program.ranks), 0);
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kCombine)
      seconds[static_cast<std::size_t>(op.rank)] +=
          program.combine_s_per_byte.of(op.rank) * static_cast<double>(op.message_bytes());
  return seconds;
}

ProgramProblem allreduce_of(std::int64_t bytes, std::vector<double> costs) {
  return {.problem = Collective::kAllreduce,
          .size_bytes = bytes,
          .element_bytes = 8,
          .combine_s_per_byte = CombiningCosts(std::move(costs))};
}

/// All ranks combine for the same time. This time is the bound, except for the last element of each message.
TEST(ProgramCombining, EqualWorkTakesAsLongOnEveryRank) {
  std::mt19937 random(41);
  for (int round = 0; round < 30; ++round) {
    const std::int64_t ranks = 2 + static_cast<std::int64_t>(random() % 9);
    std::vector<double> costs;
    for (std::int64_t rank = 0; rank < ranks; ++rank) costs.push_back(1e-7 * static_cast<double>(1 + random() % 50));
    for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce}) {
      for (const bool commutative : {true, false}) {
        ProgramProblem problem = allreduce_of(80'000, costs);
        problem.problem = collective;
        problem.commutative = commutative;
        const Program program = plan_program(one_cluster(ranks), problem, {.algorithm = "equal-work"}).program;
        EXPECT_TRUE(validate(program).empty());
        double rate = 0, most = 0;
        for (const double cost : costs) rate += 1 / cost, most = std::max(most, cost);
        const double least_s = 80'000 * static_cast<double>(ranks - 1) / rate;
        const double element_s = 8 * static_cast<double>(ranks - 1) * most;
        if (CombiningCosts(costs).differ()) {
          EXPECT_GE(program.bound_s, least_s * (1 - 1e-6));
          EXPECT_LE(std::ranges::max(combining_s(program)), least_s + element_s) << program.algorithm;
        }
      }
    }
  }
}

/// Ranks without time do all of it.
TEST(ProgramCombining, WhoCombinesForNothingHasAllShares) {
  for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce}) {
    ProgramProblem problem = allreduce_of(8000, {1e-3, 0, 1e-3, 0, 1});
    problem.problem = collective;
    const Program program = plan_program(one_cluster(5), problem).program;
    EXPECT_TRUE(validate(program).empty());
    EXPECT_EQ(std::ranges::max(combining_s(program)), 0) << program.algorithm;
    EXPECT_LT(program.length_s, 1e-3);
  }
}

/// If one rank of many is slow, auto makes it combine hardly anything.
TEST(ProgramCombining, ASlowRankDoesNotSlowDownTheOthers) {
  for (const Platform& platform : {one_cluster(12), sites_of_clusters(2, 2, 3)}) {
    for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce}) {
      for (const std::int64_t slow : {0, 4, 11}) {
        std::vector<double> costs(12, 1e-9);
        ProgramProblem problem = allreduce_of(1 << 20, costs);
        problem.problem = collective;
        const double alike_s = plan_program(platform, problem).program.length_s;
        costs[static_cast<std::size_t>(slow)] = 1e-6;
        problem.combine_s_per_byte = CombiningCosts(costs);
        const Program program = plan_program(platform, problem).program;
        EXPECT_LT(program.length_s, 2.1 * alike_s)
            << to_string(collective) << ", rank " << slow << " in " << program.algorithm;
      }
    }
  }
}

/// A rank that is alone in its cluster combines nothing there. If it is slow, that does not change the shares of
/// others: slow ranks of larger clusters still have small shares.
TEST(ProgramCombining, ASlowRankAloneInItsClusterLeavesTheSharesOfOthersAsTheyAre) {
  Platform platform = testing::three_sites(testing::in_order(), 1);
  PlatformCluster alone = platform.clusters.front();
  alone.name = "alone";
  alone.ranks = {platform.ranks++};
  platform.clusters.push_back(std::move(alone));
  for (std::int64_t other = 0; other < 4; ++other) {
    PlatformLink link = platform.links.back();
    link.from = other;
    link.to = 4;
    platform.links.push_back(std::move(link));
  }
  std::vector<double> costs(19, 1e-8);
  const auto longest_s = [&] {
    ProgramProblem problem = allreduce_of(1 << 20, costs);
    ProgramPlan plan = plan_program(platform, problem, {.algorithm = "equal-work"});
    EXPECT_NE(plan.program.algorithm, "equal-work, pairwise");
    return std::ranges::max(combining_s(plan.program));
  };
  for (const std::size_t slow : {1, 5, 8, 13}) costs[slow] = 1e-6;
  const double before_s = longest_s();
  costs.back() = 1e-6;
  EXPECT_LE(longest_s(), 1.2 * before_s);
}

/// The longest time that a rank combines, at its least over all orders of `costs` beside `bytes`.
double least_of_longest(const std::vector<double>& bytes, std::vector<double> costs) {
  std::ranges::sort(costs);
  double least = 1e300;
  do {
    double longest = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) longest = std::max(longest, bytes[i] * costs[i]);
    least = std::min(least, longest);
  } while (std::ranges::next_permutation(costs).found);
  return least;
}

TEST(ProgramCombining, NoOtherPlacesInAClusterMakeTheLongestTimeShorter) {
  std::mt19937 random(43);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t ranks = 2 + static_cast<std::int64_t>(random() % 5);
    Program shape;
    shape.problem = round % 2 == 0 ? Collective::kReduce : Collective::kAllreduce;
    shape.ranks = ranks;
    shape.size_bytes = 64;
    shape.root = round % 2 == 0 ? static_cast<std::int64_t>(random()) % ranks : 0;
    std::vector<double> costs;
    for (std::int64_t rank = 0; rank < ranks; ++rank) costs.push_back(1e-9 * static_cast<double>(random() % 6));
    costs.front() = 7e-9;
    shape.combine_s_per_byte = CombiningCosts(costs);
    ASSERT_TRUE(detail::may_swap_ranks(shape));
    detail::MessageGraph messages;
    for (int m = 0; m < 8; ++m) {
      const auto from = static_cast<std::int64_t>(random()) % ranks;
      const auto to = (from + 1 + static_cast<std::int64_t>(random()) % (ranks - 1)) % ranks;
      const auto bytes = static_cast<std::int64_t>(1 + random() % 64);
      const bool combine = random() % 3 != 0;
      messages.add(from, to, {0, bytes}, combine ? detail::MessageKind::kCombine : detail::MessageKind::kKeep);
    }
    const auto loads = [&](const detail::MessageGraph& of) {
      std::vector<double> bytes(static_cast<std::size_t>(ranks), 0);
      for (const detail::MessageGraph::Message& message : of.messages)
        if (message.kind == detail::MessageKind::kCombine)
          bytes[static_cast<std::size_t>(message.to)] += static_cast<double>(message.bytes);
      return bytes;
    };
    std::vector<double> before = loads(messages);
    const Platform platform = one_cluster(ranks);
    const detail::MessageGraph swapped =
        detail::with_fast_ranks_combining(detail::RankNetwork(platform), shape, messages);
    std::vector<double> after = loads(swapped);
    ASSERT_EQ(swapped.size(), messages.size());
    if (has_root(shape.problem)) {  // it stays where it is
      const auto root = shape.root;
      EXPECT_EQ(before[static_cast<std::size_t>(root)], after[static_cast<std::size_t>(root)]);
      before.erase(before.begin() + root);
      after.erase(after.begin() + root);
      costs.erase(costs.begin() + root);
    }
    double longest = 0;
    for (std::size_t i = 0; i < after.size(); ++i) longest = std::max(longest, after[i] * costs[i]);
    EXPECT_EQ(longest, least_of_longest(before, costs)) << "round " << round;
    std::ranges::sort(before);
    std::ranges::sort(after);
    EXPECT_EQ(before, after);
  }
}

/// The hosts of a cluster differ only in their speed: ranks of a slow host take other places too.
TEST(ProgramCombining, HostsChangePlaces) {
  const Platform platform = sites_of_clusters(2, 4, 2);
  detail::MessageGraph messages;
  for (const std::int64_t from : {0, 1, 4, 5, 6, 7})
    messages.add(from, 2 + from % 2, {0, 64}, detail::MessageKind::kCombine);
  messages.add(3, 2, {0, 64}, detail::MessageKind::kCombine);
  Program shape;
  shape.problem = Collective::kReduce;
  shape.ranks = platform.ranks;
  shape.size_bytes = 64;
  const auto combining = [&](std::vector<double> costs, std::int64_t root) {
    shape.root = root;
    costs.resize(16, 5);  // of the other site
    shape.combine_s_per_byte = CombiningCosts(std::move(costs));
    std::string ranks;
    const detail::MessageGraph swapped =
        detail::with_fast_ranks_combining(detail::RankNetwork(platform), shape, messages);
    for (const detail::MessageGraph::Message& message : swapped.messages) ranks += std::to_string(message.to);
    std::ranges::sort(ranks);
    return ranks;
  };
  EXPECT_EQ(combining({5, 5, 9, 9, 5, 5, 1, 1}, 0), "6666777");  // 2 has four messages in its place, 3 has three
  EXPECT_EQ(combining({5, 5, 9, 9, 5, 5, 2, 1}, 0), "6667777");
  EXPECT_EQ(combining({5, 5, 9, 8, 5, 5, 1, 1}, 2), "2222333");  // the root's host stays
}

TEST(ProgramCombining, BadCostsAreRefused) {
  const auto refused = [](std::vector<double> costs) {
    try {
      (void)plan_program(one_cluster(3), allreduce_of(80, std::move(costs)));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(refused({1e-9, 1e-9, 2e-9}), "nothing");
  EXPECT_EQ(refused({1e-9, 2e-9}), "combining: 2 costs, expected 3, one for each rank");
  EXPECT_EQ(refused({1e-9, -1e-9, 0}), "combining: -1e-09 s per byte, expected 0 to 1e+80");
  EXPECT_EQ(refused({1e-9, 1e99, 0}), "combining: 1e+99 s per byte, expected 0 to 1e+80");
}

/// A reduction by its own planner, which is by "auto" also a broadcast the other way round.
TEST(ProgramCombining, ReductionsOverPlatformsTakeThem) {
  const Platform platform = sites_of_clusters(2, 2, 3);
  std::vector<double> costs(12, 1e-9);
  costs[3] = costs[7] = 1e-7;
  for (const char* algorithm : {"auto", "reversed-broadcast", "pipelined"}) {
    BroadcastOptions options;
    options.algorithm = algorithm;
    const ProgramPlan plan = plan_costly_reduction(platform, 5, 9000, 8, CombiningCosts(costs), options);
    EXPECT_TRUE(validate(plan.program).empty());
    EXPECT_EQ(plan.program.length_s, replay(platform, plan.program).length_s);
    EXPECT_LE(plan.program.bound_s, plan.program.length_s);
    EXPECT_EQ(plan.program.combine_s_per_byte.by_rank(), costs);
  }
}

}  // namespace
}  // namespace sluice
