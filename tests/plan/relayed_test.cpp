#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/collective/registry.hpp"
#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/timing/program_check.hpp"
#include "sluice/timing/program_replay.hpp"

/// Programs that relay bytes over other ranks, because their own connection would be the slowest part.
namespace sluice {
namespace {

using testing::faults;
using testing::in_order;
using testing::line;
using testing::one_cluster;
using testing::three_sites;

/// Two clusters of two ranks, 100 MB/s, with connections of 25 MB/s between them. The link carries eight connections.
Platform two_pairs() {
  Platform platform;
  platform.ranks = 4;
  platform.clusters.push_back({"a", {0, 1}, 10e-6, line(1e-6, 100e6), {}});
  platform.clusters.push_back({"b", {2, 3}, 10e-6, line(1e-6, 100e6), {}});
  platform.links.push_back({0, 1, 1e-3, line(1e-6, 25e6), 8});
  return platform;
}

ProgramProblem alltoall(std::vector<std::int64_t> blocks) {
  ProgramProblem problem{Collective::kAlltoall};
  problem.block_bytes = std::move(blocks);
  return problem;
}

/// By sender and receiver.
std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent_bytes(const Program& program) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent;
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kSend) sent[{op.rank, op.peer}] += op.message_bytes();
  return sent;
}

/// How often the byte that is sent most often is sent.
int most_often_sent(const Program& program) {
  std::map<std::int64_t, int> changes;
  for (const ProgramOperation& op : program.operations) {
    if (op.kind != ProgramOperation::Kind::kSend) continue;
    op.for_ranges([&](const ByteRange& range) {
      ++changes[range.offset];
      --changes[range.offset + range.bytes];
    });
  }
  int now = 0, most = 0;
  for (const auto& [offset, change] : changes) most = std::max(most, now += change);
  return most;
}

/// The shortest plan of all other algorithms that apply.
double shortest_of_others(const Platform& platform, const ProgramProblem& problem) {
  double least_s = 1e30;
  for (const Algorithm& algorithm : detail::program_algorithms(problem.problem)) {
    if (algorithm.name == "relayed") continue;
    ProgramOptions options;
    options.algorithm = algorithm.name;
    try {
      least_s = std::min(least_s, plan_program(platform, problem, options).program.length_s);
    } catch (const InputError&) {
      continue;
    }
  }
  return least_s;
}

/// The example at the top of relayed.cpp.
TEST(Relayed, ThreeWaysCarryAThirdEach) {
  constexpr std::int64_t kBytes = 100'000'000;
  std::vector<std::int64_t> blocks(16, 0);
  blocks[0 * 4 + 2] = kBytes;
  const ProgramPlan plan = plan_program(two_pairs(), alltoall(blocks));
  EXPECT_EQ(plan.program.algorithm, "relayed");
  EXPECT_EQ(faults(plan.program), "");
  // The connection alone would take 4 s; the least there can be is 1.33 s.
  EXPECT_GT(plan.program.length_s, 4.0 / 3);
  EXPECT_LT(plan.program.length_s, 1.5);
  const auto sent = sent_bytes(plan.program);
  const std::array<std::pair<std::int64_t, std::int64_t>, 5> hops{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {3, 2}}};
  EXPECT_EQ(sent.size(), hops.size());
  for (const auto& hop : hops)
    EXPECT_NEAR(static_cast<double>(sent.at(hop)), kBytes / 3.0, 0.03 * kBytes) << hop.first << ' ' << hop.second;
  EXPECT_EQ(sent.at({0, 1}), sent.at({1, 2}));
  EXPECT_EQ(sent.at({0, 3}), sent.at({3, 2}));
}

/// Two senders have one receiver, and then its port limits them: no rank gets more than its port can carry.
TEST(Relayed, PortsAreNotFilledTwice) {
  std::vector<std::int64_t> blocks(16, 0);
  blocks[0 * 4 + 2] = blocks[1 * 4 + 2] = 50'000'000;
  const ProgramPlan plan = plan_program(two_pairs(), alltoall(blocks));
  EXPECT_EQ(plan.program.algorithm, "relayed");
  // Four connections between the clusters: 0 - 2 and 1 - 2, and those to 3, which passes it all on.
  const auto sent = sent_bytes(plan.program);
  EXPECT_EQ(sent.contains({0, 1}), false);
  EXPECT_EQ(sent.contains({1, 0}), false);
  EXPECT_EQ(sent.at({3, 2}), sent.at({0, 3}) + sent.at({1, 3}));
  EXPECT_LT(plan.program.length_s, 1.15);
  EXPECT_GT(shortest_of_others(two_pairs(), alltoall(blocks)), 1.9);
}

TEST(Relayed, ScatterAndGatherToOneFarRankAreAsFastAsTheAlltoallOfTheSameBytes) {
  const Platform platform = three_sites(in_order(), 8);
  constexpr std::int64_t kFrom = 1, kTo = 13, kBytes = 8 << 20;
  std::vector<std::int64_t> all(18 * 18, 0), to_one(18, 0), from_one(18, 0);
  all[kFrom * 18 + kTo] = to_one[kTo] = from_one[kFrom] = kBytes;
  const ProgramPlan exchange = plan_program(platform, alltoall(all));
  EXPECT_EQ(exchange.program.algorithm, "relayed");
  EXPECT_EQ(faults(exchange.program), "");
  EXPECT_LT(exchange.program.length_s, 1.3 * exchange.program.bound_s);
  EXPECT_GT(shortest_of_others(platform, alltoall(all)), 5 * exchange.program.length_s);
  ProgramProblem scatter{Collective::kScatter, 0, kFrom}, gather{Collective::kGather, 0, kTo};
  scatter.block_bytes = to_one;
  gather.block_bytes = from_one;
  for (ProgramProblem problem : {scatter, gather}) {
    const ProgramPlan named = plan_program(platform, problem, {.algorithm = "relayed"});
    EXPECT_EQ(faults(named.program), "");
    EXPECT_NEAR(named.program.length_s, exchange.program.length_s, 0.02 * exchange.program.length_s);
    EXPECT_LE(plan_program(platform, problem).program.length_s, named.program.length_s);
    problem.element_bytes = 4096;  // none is cut
    EXPECT_EQ(faults(plan_program(platform, problem, {.algorithm = "relayed"}).program), "");
  }
}

TEST(Relayed, RandomBlocksAreSoundAndAutoTakesTheShortest) {
  std::mt19937 random(11);
  int taken = 0, applied = 0;
  for (int round = 0; round < 30; ++round) {
    std::vector<std::int64_t> ranks = in_order();
    std::shuffle(ranks.begin(), ranks.end(), random);
    const Platform platform = three_sites(ranks, 1 + static_cast<std::int64_t>(random() % 10));
    std::vector<std::int64_t> blocks;
    for (int pair = 0; pair < 18 * 18; ++pair)
      blocks.push_back(random() % 40 == 0  ? static_cast<std::int64_t>(random() % 4'000'000)
                       : random() % 2 == 0 ? static_cast<std::int64_t>(random() % 2000)
                                           : 0);
    const ProgramProblem problem = alltoall(std::move(blocks));
    SCOPED_TRACE(round);
    const ProgramPlan best = plan_program(platform, problem);
    EXPECT_EQ(faults(best.program), "");
    EXPECT_EQ(best.program, plan_program(platform, problem).program);
    EXPECT_LE(best.program.length_s, shortest_of_others(platform, problem));
    if (best.program.algorithm == "relayed") ++taken;
    try {
      const ProgramPlan named = plan_program(platform, problem, {.algorithm = "relayed"});
      ++applied;
      EXPECT_EQ(faults(named.program), "");
      EXPECT_TRUE(validate(named.program, platform).empty());  // it states no time that is too short
      EXPECT_EQ(most_often_sent(named.program), 2);
      EXPECT_EQ(replay(platform, named.program).length_s, named.program.length_s);
      EXPECT_LE(best.program.length_s, named.program.length_s);
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "platform") << error.what();
    }
  }
  EXPECT_GE(applied, 10);
  EXPECT_GE(taken, 5);
}

TEST(Relayed, RefusesWhatNeedsNoRelays) {
  const auto refused = [](const Platform& platform, const ProgramProblem& problem) -> std::string {
    try {
      (void)plan_program(platform, problem, {.algorithm = "relayed"});
    } catch (const InputError& error) {
      return error.what();
    }
    return "planned";
  };
  const std::string none =
      "platform: no connection that is busy for much longer than all ports, expected one whose bytes can go by way of "
      "other ranks";
  EXPECT_EQ(refused(one_cluster(4), alltoall({0, 9999, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})), none);
  EXPECT_EQ(refused(three_sites(in_order(), 4), {Collective::kAlltoall, 100'000}), none);
  EXPECT_EQ(refused(three_sites(in_order(), 4), {Collective::kAlltoall, 0}), none);
  EXPECT_EQ(refused(one_cluster(1), {Collective::kAlltoall, 8}), none);
  // Two ranks with nobody else to ask.
  Platform pair = two_pairs();
  pair.ranks = 2;
  pair.clusters[0].ranks = {0};
  pair.clusters[1].ranks = {1};
  EXPECT_EQ(refused(pair, alltoall({0, 1 << 20, 0, 0})), none);
  EXPECT_EQ(refused(one_cluster(1025), {Collective::kAlltoall, 8}), "ranks: 1025, expected at most 1024");
}

}  // namespace
}  // namespace sluice
