#include "sluice/plan/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/collective/registry.hpp"
#include "plan/patterns/circulant.hpp"
#include "plan/patterns/patterns.hpp"
#include "plan/patterns/position_windows.hpp"
#include "plan/program_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "timing/clock.hpp"

namespace sluice {
namespace {

using testing::faults;
using testing::in_order;
using testing::kAllCollectives;
using testing::kWithBlocks;
using testing::line;
using testing::one_cluster;
using testing::sites_of_clusters;
using testing::three_sites;

/// The number of pairs of ranks with a message from one to the other.
std::size_t connections(const Program& program) {
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kSend) pairs.emplace(op.rank, op.peer);
  return pairs.size();
}

/// Plans by all algorithms of a problem that apply; how many did.
std::int64_t expect_all_sound(const Platform& platform, ProgramProblem problem) {
  std::int64_t planned = 0;
  double least = -1;
  std::vector<Program> programs;
  for (const Algorithm& algorithm : detail::program_algorithms(problem.problem)) {
    SCOPED_TRACE(::testing::Message() << algorithm.problem << ' ' << algorithm.name << ", " << platform.ranks
                                      << " ranks, " << problem.size_bytes << " bytes, root " << problem.root);
    ProgramOptions options;
    options.algorithm = algorithm.name;
    ProgramPlan plan;
    try {
      plan = plan_program(platform, problem, options);
    } catch (const InputError& error) {
      EXPECT_TRUE(error.found().find("commute") != std::string::npos || error.where() == "ranks" ||
                  error.where() == "platform")
          << error.what();
      continue;
    }
    ++planned;
    EXPECT_EQ(faults(plan.program), "");
    EXPECT_LE(plan.program.bound_s, plan.program.length_s);
    EXPECT_EQ(plan.candidates.front().length_s, plan.program.length_s);
    EXPECT_EQ(replay(platform, plan.program).length_s, plan.program.length_s);
    least = least < 0 ? plan.program.length_s : std::min(least, plan.program.length_s);
    programs.push_back(plan.program);
  }
  const ProgramPlan best = plan_program(platform, problem);
  EXPECT_EQ(faults(best.program), "");
  EXPECT_EQ(best.program.length_s, least);
  EXPECT_EQ(best.candidates.front().algorithm, best.program.algorithm);
  ProgramOptions within;
  within.slack = 0.05;
  const ProgramPlan simplest = plan_program(platform, problem, within);
  EXPECT_EQ(faults(simplest.program), "");
  EXPECT_EQ(simplest.candidates.front().algorithm, simplest.program.algorithm);
  EXPECT_LE(simplest.program.length_s, 1.05 * least);
  for (const Program& program : programs)
    if (program.length_s <= 1.05 * least) {
      EXPECT_LE(std::pair(connections(simplest.program), simplest.program.operations.size()),
                std::pair(connections(program), program.operations.size()))
          << program.algorithm;
    }
  return planned;
}

TEST(PlanProgram, EveryAlgorithmIsSoundForAnyNumberOfRanks) {
  for (const Collective collective : kAllCollectives) {
    std::int64_t planned = 0;
    for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8, 13})
      for (const std::int64_t size : {0, 1, 24, 400})
        planned += expect_all_sound(one_cluster(ranks), {collective, size, has_root(collective) ? ranks / 2 : 0});
    EXPECT_GT(planned, 8 * 4);
  }
}

TEST(PlanProgram, EveryAlgorithmIsSoundOverAPlatform) {
  std::vector<std::int64_t> mixed = in_order();
  std::shuffle(mixed.begin(), mixed.end(), std::mt19937(7));
  for (const Collective collective : kAllCollectives)
    for (const std::vector<std::int64_t>& ranks : {in_order(), mixed})
      for (const std::int64_t size : {8, 8000})
        EXPECT_GE(expect_all_sound(three_sites(ranks, 4), {collective, size, has_root(collective) ? 11 : 0, 8}), 3);
}

/// From ranks that combine for nothing to some that take longer than their messages.
TEST(PlanProgram, EveryAlgorithmIsSoundWhereRanksCombineAtSpeedsOfTheirOwn) {
  std::mt19937 random(37);
  std::vector<std::int64_t> mixed = in_order();
  std::shuffle(mixed.begin(), mixed.end(), random);
  for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce}) {
    for (const Platform& platform :
         {three_sites(mixed, 4), one_cluster(7), one_cluster(1), sites_of_clusters(2, 2, 3)}) {
      for (const bool commutative : {true, false}) {
        for (const std::int64_t size : {8, 24, 8000}) {
          ProgramProblem problem{collective, size, has_root(collective) ? platform.ranks - 1 : 0, 8, commutative};
          std::vector<double> costs;
          for (std::int64_t rank = 0; rank < platform.ranks; ++rank)
            costs.push_back(random() % 4 == 0 ? 0 : 1e-9 * static_cast<double>(1 + random() % 1000));
          problem.combine_s_per_byte = CombiningCosts(costs);
          EXPECT_GE(expect_all_sound(platform, problem), 2);
        }
      }
    }
  }
}

TEST(PlanProgram, WhatDoesNotCommuteIsCombinedInTheOrderOfTheRanks) {
  for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce})
    for (const std::int64_t ranks : {1, 2, 3, 5, 6, 8})
      for (const std::int64_t root : {std::int64_t{0}, ranks - 1})
        EXPECT_GE(expect_all_sound(one_cluster(ranks), {collective, 64, has_root(collective) ? root : 0, 4, false}), 2);
}

/// Counterparts in all groups have shares next to each other. A message inside a group carries them as one range, or as
/// two if it carries the last and the first shares.
TEST(PlanProgram, SharesOfCounterpartsAreNextToEachOther) {
  const Platform platform = three_sites(in_order(), 4);
  std::size_t longest = 0;
  for (const Collective collective : {Collective::kAllreduce, Collective::kReduceScatter}) {
    const ProgramPlan plan = plan_program(platform, {collective, 1 << 16, 0, 8}, {.algorithm = "hierarchical"});
    std::size_t most = 0;
    for (const ProgramOperation& op : plan.program.operations) most = std::max(most, 1 + op.more.size());
    if (collective == Collective::kAllreduce)
      EXPECT_LE(most, 2);
    else
      longest = most;
  }
  EXPECT_GT(longest, 2);  // blocks of ranks stay where they are
}

TEST(PlanProgram, OrderIsKeptOverPlatformsOfAnyShape) {
  std::mt19937 random(31);
  std::vector<std::int64_t> mixed = in_order();
  std::shuffle(mixed.begin(), mixed.end(), random);
  for (const Collective collective : {Collective::kReduce, Collective::kReduceScatter, Collective::kAllreduce})
    for (const std::vector<std::int64_t>& ranks : {in_order(), mixed})
      for (const std::int64_t size : {8, 24, 8000})
        EXPECT_GE(expect_all_sound(three_sites(ranks, 4), {collective, size, has_root(collective) ? 11 : 0, 8, false}),
                  2);
  for (int round = 0; round < 20; ++round) {
    const Platform platform = testing::random_clusters(random, 1);
    for (const Collective collective : {Collective::kReduce, Collective::kAllreduce}) {
      ProgramProblem problem{collective, 8 * static_cast<std::int64_t>(random() % 400), 0, 8, false};
      if (has_root(collective)) problem.root = static_cast<std::int64_t>(random()) % platform.ranks;
      for (const std::int64_t segments : {0, 3}) {
        ProgramOptions options;
        options.algorithm = "ordered-tree";
        options.segments = segments;
        const Program program = plan_program(platform, problem, options).program;
        EXPECT_FALSE(program.commutative);
        for (const Violation& violation : validate(program))
          ADD_FAILURE() << "round " << round << ", " << program.algorithm << ": " << violation.reason;
      }
    }
  }
}

/// The example of ordered_tree.cpp: clusters {0, 1, 2} and {3, 4}, to rank 1.
TEST(PlanProgram, AnOrderedTreeCombinesRunsOfRanks) {
  Platform platform;
  platform.ranks = 5;
  platform.clusters = {{"a", {0, 1, 2}, 50e-6, line(2e-6, 125e6), {}}, {"b", {3, 4}, 50e-6, line(2e-6, 125e6), {}}};
  platform.links = {{0, 1, 10e-3, line(2e-6, 125e6)}};
  ProgramOptions options;
  options.algorithm = "ordered-tree";
  const ProgramPlan plan = plan_program(platform, {Collective::kReduce, 8, 1, 8, false}, options);
  std::vector<std::pair<std::int64_t, std::int64_t>> messages;
  for (const ProgramOperation& op : plan.program.operations)
    if (op.kind == ProgramOperation::Kind::kSend) messages.emplace_back(op.rank, op.peer);
  std::ranges::sort(messages);
  EXPECT_EQ(messages, (std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 1}, {2, 1}, {3, 1}, {4, 3}}))
      << plan.program.algorithm;
  // One latency between the clusters, after one inside the other one, and no more.
  EXPECT_LT(plan.program.length_s, 10.2e-3);
  EXPECT_GE(plan.program.length_s, plan.program.bound_s);
}

/// The example of ordered_runs.cpp: clusters {0, 1} and {2, 3}, a block of 8 bytes each.
TEST(PlanProgram, OrderedRunsCombineInRunsFirst) {
  Platform platform;
  platform.ranks = 4;
  platform.clusters = {{"a", {0, 1}, 50e-6, line(2e-6, 125e6), {}}, {"b", {2, 3}, 50e-6, line(2e-6, 125e6), {}}};
  platform.links = {{0, 1, 10e-3, line(2e-6, 125e6)}};
  const ProgramProblem problem{Collective::kReduceScatter, 32, 0, 8, false};
  const Program program = plan_program(platform, problem, {.algorithm = "ordered-runs"}).program;
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> messages;  // from, to, bytes
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kSend) messages.emplace_back(op.rank, op.peer, op.message_bytes());
  std::ranges::sort(messages);
  EXPECT_EQ(messages, (std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>{
                          {0, 1, 16}, {0, 2, 8}, {1, 0, 16}, {1, 3, 8}, {2, 0, 8}, {2, 3, 16}, {3, 1, 8}, {3, 2, 16}}));
}

/// Blocks of any sizes, over clusters of any sizes.
TEST(PlanProgram, OrderedRunsKeepTheOrder) {
  std::mt19937 random(37);
  int planned = 0;
  for (int round = 0; round < 60; ++round) {
    const Platform platform = testing::random_clusters(random, 2);
    ProgramProblem problem{Collective::kReduceScatter, 0, 0, 8, false};
    for (std::int64_t rank = 0; rank < platform.ranks; ++rank)
      problem.block_bytes.push_back(8 * static_cast<std::int64_t>(random() % 40 * (random() % 3)));
    if (round % 2 == 0) problem = {Collective::kAllreduce, 8 * static_cast<std::int64_t>(random() % 400), 0, 8, false};
    try {
      const Program program = plan_program(platform, problem, {.algorithm = "ordered-runs"}).program;
      for (const Violation& violation : validate(program))
        ADD_FAILURE() << "round " << round << ", " << program.algorithm << ": " << violation.reason;
      ++planned;
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "platform");  // clusters of one rank each
    }
  }
  EXPECT_GT(planned, 40);
}

/// What crosses between sites is combined before.
TEST(PlanProgram, InOrderABlockCrossesBetweenSitesOnce) {
  const Platform platform = testing::sites_of_clusters(3, 2, 3);
  const ProgramProblem problem{Collective::kReduceScatter, 18 << 19, 0, 8, false};
  const double pairwise_s = plan_program(platform, problem, {.algorithm = "pairwise"}).program.length_s;
  EXPECT_LT(plan_program(platform, problem).program.length_s, 0.6 * pairwise_s);
}

/// Each of 2^q ranks sends half of the array to its neighbour, a quarter in its group of four, and so on; wherever the
/// root is.
TEST(PlanProgram, NeighboursFirstSendsLongMessagesToNeighbours) {
  constexpr std::int64_t kRanks = 16, kShare = 64, kBytes = kRanks * kShare;
  const Program program =
      plan_program(one_cluster(kRanks), {Collective::kReduce, kBytes, 5, 8}, {.algorithm = "neighbours-first"}).program;
  EXPECT_EQ(faults(program), "");
  std::map<std::int64_t, std::vector<std::int64_t>> sent;  // bytes of messages that are combined, by sender
  for (const ProgramOperation& op : program.operations) {
    if (op.kind != ProgramOperation::Kind::kCombine) continue;
    sent[op.peer].push_back(op.message_bytes());
    const std::int64_t group = kBytes / op.message_bytes();  // of 2, 4, 8 and 16 ranks
    EXPECT_EQ(op.peer / group, op.rank / group) << op.peer << " to " << op.rank;
  }
  ASSERT_EQ(sent.size(), static_cast<std::size_t>(kRanks));
  for (auto& [rank, bytes] : sent) {
    std::ranges::sort(bytes);
    EXPECT_EQ(bytes, (std::vector<std::int64_t>{kShare, 2 * kShare, 4 * kShare, 8 * kShare})) << rank;
  }
}

/// A long block goes out from its own rank.
TEST(PlanProgram, AllgatherOfOneLongBlockTakesAsLongFromAnyRank) {
  const Platform platform = testing::sites_of_clusters(2, 2, 4);
  std::vector<double> lengths;
  for (const std::size_t owner : {0, 5, 12}) {
    ProgramProblem problem{Collective::kAllgather};
    problem.block_bytes.assign(16, 0);
    problem.block_bytes[owner] = 4 << 20;
    lengths.push_back(plan_program(platform, problem).program.length_s);
  }
  EXPECT_LT(std::ranges::max(lengths), 1.05 * std::ranges::min(lengths));
}

/// It is of no use where any order will do, and says so.
TEST(PlanProgram, AnOrderedTreeIsForOperationsThatDoNotCommute) {
  ProgramOptions options;
  options.algorithm = "ordered-tree";
  EXPECT_THROW((void)plan_program(one_cluster(4), {Collective::kReduce, 8, 0, 8, true}, options), InputError);
  EXPECT_TRUE(keeps_order(Collective::kReduce, "ordered-tree"));
  EXPECT_TRUE(keeps_order(Collective::kAllreduce, "chain"));
  EXPECT_FALSE(keeps_order(Collective::kReduce, "circulant"));
  EXPECT_FALSE(keeps_order(Collective::kReduce, "ecef"));
}

// ---- blocks of different sizes

/// Some empty, some alike, one perhaps much longer than the others.
std::vector<std::int64_t> some_blocks(std::int64_t count, std::int64_t element_bytes, std::mt19937& random) {
  std::vector<std::int64_t> blocks;
  for (std::int64_t i = 0; i < count; ++i)
    blocks.push_back(element_bytes * static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % 50));
  if (random() % 2 == 0) blocks[random() % blocks.size()] = element_bytes * 5000;
  return blocks;
}

TEST(PlanProgram, EveryAlgorithmIsSoundForBlocksOfAnySize) {
  std::mt19937 random(5);
  for (const Collective collective : kWithBlocks) {
    for (const std::int64_t ranks : {1, 2, 3, 5, 8, 18}) {
      const std::int64_t count = collective == Collective::kAlltoall ? ranks * ranks : ranks;
      for (int round = 0; round < 6; ++round) {
        const std::int64_t element = combines(collective) ? 8 : 1;
        ProgramProblem problem{collective, 0, has_root(collective) ? ranks / 2 : 0, element};
        problem.block_bytes = some_blocks(count, element, random);
        EXPECT_GE(expect_all_sound(one_cluster(ranks), problem), 2);
        if (ranks == 18) {
          EXPECT_GE(expect_all_sound(three_sites(in_order(), 4), problem), 3);
        }
        if (collective != Collective::kReduceScatter) continue;
        problem.commutative = false;
        EXPECT_GE(expect_all_sound(one_cluster(ranks), problem), 2);
      }
    }
  }
}

// ---- short messages over a network that is not known

/// Messages of the rank that sends most.
std::int64_t most_sends(const Program& program) {
  std::vector<std::int64_t> sends(static_cast<std::size_t>(program.ranks));
  for (const ProgramOperation& op : program.operations)
    if (op.kind == ProgramOperation::Kind::kSend) ++sends[static_cast<std::size_t>(op.rank)];
  return std::ranges::max(sends);
}

TEST(PlanShortProgram, IsSoundForAnyProblem) {
  for (const Collective collective : kAllCollectives)
    for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16})
      for (const std::int64_t size : {0, 4, 24, 400, 8000})
        for (const bool commutative : {true, false}) {
          const ProgramProblem problem{collective, size, has_root(collective) ? ranks - 1 : 0, 4, commutative};
          const Program program = plan_short_program(ranks, problem);
          SCOPED_TRACE(::testing::Message() << to_string(collective) << ' ' << program.algorithm << ", " << ranks
                                            << " ranks, " << size << " bytes, commutative " << commutative);
          EXPECT_EQ(faults(program), "");
          EXPECT_EQ(program.length_s, 0);
        }
}

TEST(PlanShortProgram, IsSoundForBlocksOfAnySize) {
  std::mt19937 random(6);
  for (const Collective collective : kWithBlocks)
    for (const std::int64_t ranks : {1, 2, 3, 5, 8}) {
      const std::int64_t element = combines(collective) ? 8 : 1;
      ProgramProblem problem{collective, 0, has_root(collective) ? ranks / 2 : 0, element};
      problem.block_bytes = some_blocks(collective == Collective::kAlltoall ? ranks * ranks : ranks, element, random);
      EXPECT_EQ(faults(plan_short_program(ranks, problem)), "");
    }
}

TEST(PlanShortProgram, NoRankSendsMoreMessagesThanThereAreRounds) {
  for (const std::int64_t ranks : {2, 3, 4, 7, 8, 16, 21}) {
    std::int64_t rounds = 0;
    while ((std::int64_t{1} << rounds) < ranks) ++rounds;
    const auto most = [&](Collective collective, std::int64_t size) {
      return most_sends(plan_short_program(ranks, {collective, size, 0, 4}));
    };
    for (const Collective collective : kAllCollectives) {
      if (collective == Collective::kAllreduce) continue;
      EXPECT_LE(most(collective, 64), rounds) << to_string(collective) << ' ' << ranks;
    }
    // Ranks beyond a power of two are combined with others first, and get the result last.
    EXPECT_LE(most(Collective::kAllreduce, 64), rounds + ((ranks & (ranks - 1)) == 0 ? 0 : 1)) << ranks;
    EXPECT_LE(most(Collective::kAllreduce, 16000), 2 * rounds) << ranks;
  }
}

TEST(CirculantBroadcastPart, PartsOfAllRanksAreASoundProgramInTheFewestRounds) {
  for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8, 13, 16, 23, 33})
    for (const std::int64_t bytes : {0, 1, 5, 1000, 4099})
      for (const std::int64_t segments : {1, 2, 3, 8, 17})
        for (const std::int64_t root : {std::int64_t{0}, ranks / 2, ranks - 1}) {
          SCOPED_TRACE(::testing::Message()
                       << ranks << " ranks, " << bytes << " bytes in " << segments << " segments from " << root);
          Program all = circulant_broadcast_part(ranks, root, bytes, segments, 0);
          for (std::int64_t rank = 1; rank < ranks; ++rank) {
            const Program part = circulant_broadcast_part(ranks, root, bytes, segments, rank);
            const auto before = static_cast<std::int64_t>(all.operations.size());
            for (ProgramOperation op : part.operations) {
              EXPECT_EQ(op.rank, rank);
              for (std::int64_t& each : op.after) each += before;
              all.operations.push_back(op);
            }
          }
          EXPECT_EQ(faults(all), "");
          std::int64_t rounds = 0;
          while ((std::int64_t{1} << rounds) < ranks) ++rounds;
          const std::int64_t parts = std::min(segments, bytes);
          if (ranks > 1 && parts > 0) {
            EXPECT_LE(most_sends(all), parts - 1 + rounds);
          }
          EXPECT_EQ(std::ssize(all.operations), 2 * (ranks - 1) * parts);
        }
}

TEST(CirculantBroadcastPart, RefusesWhatIsNoBroadcast) {
  EXPECT_THROW((void)circulant_broadcast_part(0, 0, 8, 1, 0), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(std::int64_t{1} << 31, 0, 8, 1, 0), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(4, 4, 8, 1, 0), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(4, 0, -1, 1, 0), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(4, 0, 8, 0, 0), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(4, 0, 8, 1, 4), InputError);
  EXPECT_THROW((void)circulant_broadcast_part(4, 0, 8, 1, -1), InputError);
}

TEST(PlanShortProgram, RefusesWhatItCannotPlan) {
  EXPECT_THROW((void)plan_short_program(0, {Collective::kAllgather, 8}), InputError);
  EXPECT_THROW((void)plan_short_program(4, {Collective::kGather, 8, 4}), InputError);
  EXPECT_THROW((void)plan_short_program(4, {Collective::kAllreduce, 10, 0, 4}), InputError);
  EXPECT_THROW((void)plan_short_program(4, {Collective::kAlltoall, -1}), InputError);
}

TEST(PlanProgram, BlocksThatAreAlikeAreAsGoodAsTheirSize) {
  const Platform platform = three_sites(in_order(), 4);
  for (const Collective collective : kWithBlocks) {
    const std::size_t count = collective == Collective::kAlltoall ? 18 * 18 : 18;
    const std::int64_t all = collective == Collective::kReduceScatter ? 18 * 800 : 800;
    ProgramProblem listed{collective};
    listed.block_bytes.assign(count, 800);
    for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
      if (algorithm.name == "recursive-doubling" || algorithm.name == "recursive-halving" || algorithm.name == "ring")
        continue;  // 18 is no power of two; a ring has one more variant for blocks that are listed
      if (algorithm.name == "relayed") continue;  // refuses blocks that are alike
      const ProgramOptions options{.algorithm = std::string(algorithm.name)};
      ProgramProblem of_one_size{collective, all};
      of_one_size.commutative = listed.commutative = !algorithm.name.starts_with("ordered-");
      const Program alike = plan_program(platform, of_one_size, options).program;
      const Program as_listed = plan_program(platform, listed, options).program;
      EXPECT_EQ(as_listed.operations, alike.operations) << algorithm.problem << ' ' << algorithm.name;
      EXPECT_EQ(as_listed.length_s, alike.length_s);
      EXPECT_EQ(as_listed.bound_s, alike.bound_s);
      EXPECT_EQ(as_listed.bound, alike.bound);
    }
  }
}

/// One rank has nearly all: a ring would have it with one rank after the other.
TEST(PlanProgram, ALongBlockGoesAroundInPieces) {
  ProgramProblem problem{Collective::kAllgather};
  problem.block_bytes.assign(12, 1000);
  problem.block_bytes[3] = 12'000'000;
  const ProgramPlan plan = plan_program(one_cluster(12), problem, {.algorithm = "ring"});
  EXPECT_EQ(plan.program.algorithm, "ring, pieces of 250229 bytes");
  ASSERT_EQ(plan.candidates.size(), 3U);
  EXPECT_EQ(plan.candidates[1].algorithm, "ring, pieces of 1000916 bytes");
  EXPECT_LT(plan.candidates[1].length_s, 0.25 * plan.candidates[2].length_s);
}

TEST(PlanProgram, RefusesBlocksThatDoNotFit) {
  const auto refused = [](Collective collective, const std::vector<std::int64_t>& blocks, std::int64_t element = 1) {
    ProgramProblem problem{collective, 0, 0, element};
    problem.block_bytes = blocks;
    try {
      (void)plan_program(one_cluster(3), problem);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused(Collective::kAllreduce, {1, 2, 3}),
            "counts: allreduce, expected a collective with a block for each rank");
  EXPECT_EQ(refused(Collective::kGather, {1, 2}), "counts: 2, expected 3, one for each rank");
  EXPECT_EQ(refused(Collective::kAlltoall, {1, 2, 3}), "counts: 3, expected 9, one for each pair of ranks");
  EXPECT_EQ(refused(Collective::kScatter, {1, -2, 3}), "counts: -2 bytes, expected at least 0");
  EXPECT_EQ(refused(Collective::kReduceScatter, {8, 4, 0}, 8),
            "counts: 4 bytes, expected at least 0, whole elements of 8 bytes");
  EXPECT_EQ(refused(Collective::kScatter, {std::int64_t{1} << 62, std::int64_t{1} << 62, 0}),
            "bytes of all blocks: a product or sum beyond 2^63 - 1, expected one that fits a 64-bit integer");
}

TEST(PlanProgram, RefusesWhatItCannotPlan) {
  const Platform platform = one_cluster(6);
  const auto refused = [&](ProgramProblem problem, const ProgramOptions& options) -> std::string {
    try {
      (void)plan_program(platform, problem, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused({Collective::kAllgather, 8}, {.algorithm = "flat"}),
            "algorithm: 'flat', expected one of gather-broadcast, grouped-exchange, grouped-pipeline, equal-work, "
            "ring, bruck, "
            "circulant, recursive-doubling, pairwise, hierarchical, auto");
  EXPECT_EQ(refused({Collective::kAllgather, 8}, {.algorithm = "recursive-doubling"}),
            "ranks: 6, expected a power of two");
  EXPECT_EQ(refused({Collective::kAllgather, 8}, {.algorithm = "hierarchical"}),
            "platform: one group of ranks, expected several");
  EXPECT_EQ(refused({Collective::kAllgather, -1}, {}), "size: -1 bytes, expected at least 0");
  EXPECT_EQ(refused({Collective::kGather, 8, 6}, {}), "root: 6, expected 0 to 5");
  EXPECT_EQ(refused({Collective::kAllreduce, 10, 0, 4}, {}), "element bytes: 4, expected a divisor of 10 bytes");
  EXPECT_EQ(refused({Collective::kAlltoall, std::int64_t{1} << 60}, {}),
            "bytes of all blocks: a product or sum beyond 2^63 - 1, expected one that fits a 64-bit integer");
  EXPECT_EQ(
      refused({Collective::kReduceScatter, 64, 0, 4, false}, {.algorithm = "ring"}),
      "algorithm: 'ring' with an operation that does not commute, expected one that keeps the order of the ranks");
  EXPECT_EQ(refused({Collective::kAllgather, 8}, {.slack = -0.5}), "slack: -0.5, expected at least 0");
  EXPECT_EQ(refused({Collective::kAllgather, 8}, {.effort = 0}), "effort: 0, expected more than 0");
}

/// Clusters of 125 MB/s, ten times as much as the links between them carry.
Platform clusters_far_apart(std::int64_t clusters, std::int64_t ranks_of_each) {
  Platform platform;
  for (std::int64_t c = 0; c < clusters; ++c) {
    PlatformCluster cluster{std::string(1, static_cast<char>('a' + c)), {}, 50e-6, line(2e-6, 125e6), {}};
    for (std::int64_t i = 0; i < ranks_of_each; ++i) cluster.ranks.push_back(platform.ranks++);
    platform.clusters.push_back(std::move(cluster));
    for (std::int64_t other = 0; other < c; ++other) platform.links.push_back({other, c, 5e-3, line(20e-6, 12.5e6), 1});
  }
  return platform;
}

/// Two messages in a row, and 6912 of them: a replay of much work, of what is nearly the lower bound.
TEST(PlanProgram, WhatIsFastestIsTakenAlsoWhereItsReplayIsMuchWork) {
  const Platform platform = clusters_far_apart(6, 32);
  const ProgramPlan plan = plan_program(platform, {Collective::kAlltoall, 8192});
  EXPECT_EQ(faults(plan.program), "");
  EXPECT_LE(plan.program.length_s, 1.1 * plan.program.bound_s) << plan.program.algorithm;
}

TEST(PlanProgram, ManyRanksAreRefusedWithTheNumber) {
  try {
    (void)plan_program(one_cluster(5000), {Collective::kAlltoall, 1}, {.algorithm = "pairwise"});
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "plan: more than 4194304 messages or 33554432 ranges of bytes in them, expected fewer ranks or another "
              "algorithm");
  }
}

TEST(PlanProgram, OneGroupAllConnectedAlikeTakesWhatIsKnown) {
  // 8 ranks, 50 us, 2 us a message and 125 MB/s: two latencies by one rank for few bytes, where recursive doubling has
  // three, fewest bytes for many.
  const Platform platform = one_cluster(8);
  const ProgramPlan few = plan_program(platform, {Collective::kAllreduce, 8, 0, 8});
  EXPECT_LT(few.program.length_s, 3 * 50e-6);
  const ProgramPlan many = plan_program(platform, {Collective::kAllreduce, 8 << 20, 0, 8});
  EXPECT_LT(many.program.length_s, 1.2 * 2 * 7.0 / 8 * (8 << 20) / 125e6);
}

// ---- circulant graphs

std::int64_t rounds_for(std::int64_t ranks) {
  std::int64_t q = 0;
  while ((std::int64_t{1} << q) < ranks) ++q;
  return q;
}

TEST(Circulant, SegmentsArriveInTheFewestRounds) {
  for (std::int64_t p = 2; p <= 130; ++p) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 11, 20}) {
      detail::Ranks ranks;
      detail::Ranges segments;
      for (std::int64_t i = 0; i < p; ++i) ranks.push_back(i);
      for (std::int64_t i = 0; i < n; ++i) segments.push_back({i, 1});
      const detail::MessageGraph messages = detail::circulant_broadcast(ranks, segments);
      EXPECT_EQ(static_cast<std::int64_t>(messages.size()), (p - 1) * n) << p << " ranks, " << n << " segments";
      // As soon as may be, one message per rank and round in either direction.
      std::vector<std::int64_t> sends(ranks.size(), 0), receives(ranks.size(), 0);
      std::vector<std::vector<std::int64_t>> there(ranks.size(), std::vector<std::int64_t>(segments.size(), -1));
      std::fill(there[0].begin(), there[0].end(), 0);
      std::int64_t last = 0;
      for (std::size_t m = 0; m < messages.size(); ++m) {
        const auto from = static_cast<std::size_t>(messages.messages[m].from),
                   to = static_cast<std::size_t>(messages.messages[m].to);
        const auto segment = static_cast<std::size_t>(messages.ranges[m].front().offset);
        ASSERT_GE(there[from][segment], 0);
        ASSERT_EQ(there[to][segment], -1);
        const std::int64_t round = std::max({sends[from], receives[to], there[from][segment]});
        sends[from] = receives[to] = there[to][segment] = round + 1;
        last = std::max(last, round + 1);
      }
      EXPECT_LE(last, n - 1 + rounds_for(p)) << p << " ranks, " << n << " segments";
    }
  }
}

TEST(Circulant, APartAloneIsThatOfTheWhole) {
  for (std::int64_t p = 2; p <= 130; ++p) {
    const std::vector<std::int64_t> skips = detail::circulant_skips(p);
    for (std::int64_t r = 0; r < p; ++r) {
      const std::vector<std::int64_t> sends = detail::circulant_sends(r, skips);
      for (std::size_t k = 0; k + 1 < skips.size(); ++k)
        EXPECT_EQ(sends[k], detail::circulant_receives((r + skips[k]) % p, skips)[k]);
      if (r == 0) continue;
      // One that begins in the phase, and all others but it of the phase before.
      std::vector<std::int64_t> numbers = detail::circulant_receives(r, skips);
      ASSERT_EQ(numbers.size(), skips.size() - 1);
      const auto q = static_cast<std::int64_t>(numbers.size());
      EXPECT_EQ(std::count_if(numbers.begin(), numbers.end(), [](std::int64_t n) { return n >= 0; }), 1);
      for (std::int64_t& number : numbers) number = (number + q) % q;
      std::sort(numbers.begin(), numbers.end());
      for (std::int64_t k = 0; k < q; ++k) EXPECT_EQ(numbers[static_cast<std::size_t>(k)], k) << p << ' ' << r;
    }
  }
}

// ---- replay

TEST(ReplayProgram, TakesWhatMessagesTake) {
  const Platform platform = one_cluster(3);
  Program program;
  program.problem = Collective::kBroadcast;
  program.ranks = 3;
  program.size_bytes = 1'250'000;
  using Kind = ProgramOperation::Kind;
  program.operations = {{0, Kind::kSend, 1, 0, 1'250'000, {}, {}},
                        {1, Kind::kReceive, 0, 0, 1'250'000, {}, {}},
                        {1, Kind::kSend, 2, 0, 1'250'000, {}, {1}},
                        {2, Kind::kReceive, 1, 0, 1'250'000, {}, {}}};
  const ReplayedProgram replayed = replay(platform, program);
  const double hop = 50e-6 + platform.clusters[0].gap.at(1'250'000) + platform.clusters[0].gap.at(1);
  EXPECT_NEAR(replayed.end_s[1], hop, 1e-9);
  EXPECT_NEAR(replayed.start_s[2], hop, 1e-9);
  EXPECT_NEAR(replayed.length_s, 2 * hop, 1e-9);
  program.operations[2].after.clear();
  EXPECT_THROW((void)replay(platform, program), InputError);
}

/// The far one flows when the near one has the port no more: both began at once.
TEST(ReplayProgram, SendsOfARankGoSideBySideUnlessTheyAreToGoInTurn) {
  Platform platform = one_cluster(2);
  platform.ranks = 3;
  const GapTable gap = platform.clusters[0].gap;
  platform.clusters.push_back({"far", {2}, 0, gap, {}});
  platform.links.push_back({0, 1, 2e-2, gap, 2});
  constexpr std::int64_t kBytes = 1'250'000;
  Program program;
  program.problem = Collective::kScatter;
  program.ranks = 3;
  program.size_bytes = kBytes;
  using Kind = ProgramOperation::Kind;
  program.operations = {{0, Kind::kSend, 1, kBytes, kBytes, {}, {}},
                        {1, Kind::kReceive, 0, kBytes, kBytes, {}, {}},
                        {0, Kind::kSend, 2, 2 * kBytes, kBytes, {}, {}},
                        {2, Kind::kReceive, 0, 2 * kBytes, kBytes, {}, {}}};
  const double start = gap.at(1), passing = gap.at(kBytes);
  const ReplayedProgram at_once = replay(platform, program);
  EXPECT_NEAR(at_once.end_s[1], 50e-6 + passing + start, 1e-9);
  EXPECT_NEAR(at_once.start_s[2], start, 1e-9);
  EXPECT_NEAR(at_once.length_s, start + 2e-2 + passing + start, 1e-9);
  Program in_turn = program;
  in_turn.pace = send_paces(platform, program);
  const ReplayedProgram one_by_one = replay(platform, in_turn);
  EXPECT_NEAR(one_by_one.start_s[2], passing, 1e-9);
  EXPECT_NEAR(one_by_one.length_s, passing + 2e-2 + passing + start, 1e-9);
  // Near each other they share the port: the second begins a start later, and both end as one after the other would.
  const Platform near = one_cluster(3);
  EXPECT_NEAR(replay(near, program).length_s, 50e-6 + 2 * passing + start, 1e-9);
  EXPECT_GT(replay(near, program).end_s[1], 1.9 * passing);
}

detail::Ranks first_ranks(std::size_t count) {
  detail::Ranks ranks(count);
  std::iota(ranks.begin(), ranks.end(), std::int64_t{0});
  return ranks;
}

/// Most of many ranks have no share of a short array. A pattern of all pairs has few messages then, and would look at
/// every pair to find them.
TEST(PlanProgram, ManyRanksAreRefusedBeforeAllPairsAreLookedAt) {
  constexpr std::int64_t kRanks = 200'000;
  const Platform platform = one_cluster(kRanks);
  for (const char* name : {"ring", "pairwise"})
    EXPECT_THROW((void)plan_program(platform, {Collective::kReduceScatter, 1024, 0, 8}, {.algorithm = name}),
                 InputError)
        << name;
  EXPECT_EQ(detail::chain_broadcast(first_ranks(kRanks), {{0, 512}, {512, 512}}).size(), 2U * (kRanks - 1));
}

/// Blocks in the order of the ranks are one range, whatever their number: no message takes a look at each block.
TEST(PlanProgram, WhatNeighboursHaveIsOneRange) {
  constexpr std::int64_t kRanks = 1 << 15;
  detail::RangeSets sets;
  for (std::int64_t r = 0; r < kRanks; ++r) sets.push_back({{8 * r, 8}});
  EXPECT_EQ(detail::PositionWindows(sets).most_looked_at(), 1U);
  const detail::MessageGraph messages = detail::bruck_allgather(first_ranks(kRanks), sets);
  ASSERT_EQ(messages.size(), 15U * kRanks);
  const std::span<const ByteRange> last = messages.ranges[messages.size() - 1];
  EXPECT_EQ(detail::Ranges(last.begin(), last.end()),
            (detail::Ranges{{0, 8 * (kRanks / 2 - 1)}, {8 * (kRanks - 1), 8}}));
}

detail::Ranges joined(const detail::Ranges& ranges) {
  detail::MessageGraph messages;
  messages.add(0, 1, ranges);
  if (messages.size() == 0) return {};
  return {messages.ranges[0].begin(), messages.ranges[0].end()};
}

TEST(PositionWindows, AreWhatTheirPositionsHave) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    // Blocks of several groups one behind the other in the array, dealt out to the positions in turn; some are empty.
    const std::size_t positions = 1 + random() % 12, groups = 1 + random() % 4;
    detail::RangeSets sets(positions);
    std::int64_t at = 0;
    for (std::size_t g = 0; g < groups; ++g)
      for (std::size_t i = 0; i < positions; ++i) {
        const std::int64_t bytes = random() % 5 == 0 ? 0 : 1 + static_cast<std::int64_t>(random() % 3);
        sets[random() % 7 == 0 ? random() % positions : i].push_back({at, bytes});
        at += bytes + (random() % 6 == 0 ? 1 : 0);
      }
    const detail::PositionWindows windows(sets);
    for (std::size_t first = 0; first < positions; ++first)
      for (std::size_t count = 0; count <= positions; ++count) {
        detail::Ranges each;
        for (std::size_t i = first; i < first + count; ++i)
          each.insert(each.end(), sets[i % positions].begin(), sets[i % positions].end());
        EXPECT_EQ(joined(windows.of(first, count)), joined(each)) << round << ' ' << first << ' ' << count;
      }
  }
}

/// With almost no effort, programs are estimated, except programs that share nothing. Estimated programs are as sound.
TEST(PlanProgram, WhatWouldBeTooMuchWorkIsEstimated) {
  const Platform platform = three_sites(in_order(), 4);
  std::size_t estimated = 0;
  for (const Collective collective : kAllCollectives)
    for (const std::string algorithm : {"auto", "binomial"}) {
      const auto known = detail::program_algorithms(collective);
      if (algorithm != "auto" && std::ranges::find(known, algorithm, &Algorithm::name) == known.end()) continue;
      const ProgramProblem problem{collective, 8000, 0, 8};
      const ProgramPlan plan = plan_program(platform, problem, {.algorithm = algorithm, .effort = 1e-9});
      EXPECT_EQ(plan.estimated, plan.program.algorithm.ends_with(", estimated")) << plan.program.algorithm;
      estimated += plan.estimated ? 1 : 0;
      EXPECT_EQ(plan.candidates.front().algorithm, plan.program.algorithm);
      EXPECT_EQ(faults(plan.program), "");
      const double replayed = replay(platform, plan.program).length_s;
      EXPECT_GT(plan.program.length_s, 0.75 * replayed) << plan.program.algorithm;
      EXPECT_LT(plan.program.length_s, 3 * replayed) << plan.program.algorithm;
      EXPECT_FALSE(plan_program(platform, problem, {.algorithm = algorithm}).estimated);
    }
  EXPECT_GE(estimated, 8U);
}

/// The messages of an allgather of such blocks, by several patterns.
std::vector<detail::MessageGraph> allgathers(std::int64_t count, std::int64_t block) {
  const detail::Ranks ranks = first_ranks(count);
  detail::RangeSets sets;
  for (const std::int64_t rank : ranks) sets.push_back({{rank * block, block}});
  return {detail::ring_allgather(ranks, sets), detail::bruck_allgather(ranks, sets),
          detail::circulant_allgather(ranks, sets), detail::pairwise_allgather(ranks, sets)};
}

/// What "auto" leaves out by its load cannot have been faster: over links of one connection and of several, with and
/// without combining.
TEST(PlanProgram, NoReplayIsShorterThanTheLoad) {
  constexpr double kRounding = 1e-6, kCombine_s = 2e-8;
  const Platform platform = three_sites(in_order(), 4);
  const detail::RankNetwork network(platform);
  for (const std::int64_t block : {1, 5000, 300'000}) {
    for (const detail::MessageGraph& messages : allgathers(platform.ranks, block)) {
      for (const bool combine : {false, true}) {
        detail::MessageGraph each = combine ? messages.reversed(detail::MessageKind::kCombine) : messages;
        const detail::Clock clock(network, combine ? kCombine_s : 0);
        const double at_least_s = clock.quick_floor(each);
        find_waits(each);
        detail::ReplayLimits none;
        const double replay_s = clock.replay(each, none).value().length_s;
        EXPECT_GT(at_least_s, 0);
        EXPECT_LE(at_least_s, replay_s * (1 + kRounding));
      }
    }
  }
}

/// A replay with a limit of its own length gives the same length. A replay with a lower limit is given up.
TEST(ReplayProgram, GivesUpOnlyWhatIsLonger) {
  constexpr double kSooner = 0.999, kCombine_s = 2e-8;
  const Platform platform = three_sites(in_order(), 4);
  const detail::RankNetwork network(platform);
  for (const std::int64_t block : {1, 5000, 300'000}) {
    for (const detail::MessageGraph& allgather : allgathers(platform.ranks, block)) {
      detail::MessageGraph messages = allgather.reversed(detail::MessageKind::kCombine);
      messages.append(allgather);
      find_waits(messages);
      for (const double combine_s : {0.0, kCombine_s}) {
        const detail::Clock clock(network, combine_s);
        detail::ReplayLimits none;
        const double length_s = clock.replay(messages, none).value().length_s;
        detail::ReplayLimits enough{.most_s = length_s};
        EXPECT_EQ(clock.replay(messages, enough).value().length_s, length_s);
        EXPECT_FALSE(enough.longer);
        detail::ReplayLimits too_little{.most_s = kSooner * length_s};
        EXPECT_FALSE(clock.replay(messages, too_little));
        EXPECT_TRUE(too_little.longer);
      }
    }
  }
}

/// All messages of an alltoall begin at once: their rates are not found anew for each that ends.
TEST(ReplayProgram, ThousandsOfMessagesAtOnceAreLittleWork) {
  constexpr double kWork = 8e6, kRounding = 1e-6;
  const Platform platform = clusters_far_apart(3, 20);
  const detail::RankNetwork network(platform);
  const detail::Ranks ranks = first_ranks(platform.ranks);
  std::int64_t at = 0;
  detail::MessageGraph messages = detail::pairwise_alltoall(ranks, [&](std::size_t from, std::size_t to) {
    const auto bytes = static_cast<std::int64_t>(20'000 + 997 * from + 131 * to);
    at += bytes;
    return detail::Ranges{{at - bytes, bytes}};
  });
  ASSERT_GT(messages.size(), 3000U);
  find_waits(messages);
  detail::ReplayLimits limits{.work_left = kWork};
  const detail::Clock clock(network);
  const std::optional<detail::ReplayResult> times = clock.replay(messages, limits);
  ASSERT_TRUE(times);
  const double at_least_s = clock.quick_floor(messages);
  EXPECT_GE(times->length_s, at_least_s * (1 - kRounding));
  EXPECT_LE(times->length_s, 1.05 * at_least_s);
}

/// What messages share makes no program faster than its load, and one of a single round by itself as long.
TEST(PlanProgram, AnEstimateIsNoShorterThanTheLoad) {
  const Platform platform = three_sites(in_order(), 4);
  const detail::RankNetwork network(platform);
  const auto compared = [&](detail::MessageGraph messages) {
    find_waits(messages);
    const detail::Clock clock(network);
    return std::pair(clock.load(messages), clock.estimate(messages));
  };
  for (const detail::MessageGraph& messages : allgathers(platform.ranks, 5000)) {
    for (const detail::MessageGraph& each : {messages, messages.reversed(detail::MessageKind::kCombine)}) {
      const auto [load_s, estimate_s] = compared(each);
      EXPECT_GT(load_s, 0);
      EXPECT_LT(load_s, estimate_s);
    }
  }
  detail::MessageGraph one;
  one.add(0, 1, {0, 1 << 20});
  const auto [load_s, estimate_s] = compared(one);
  EXPECT_DOUBLE_EQ(load_s + network.costs(network.cluster(0), network.cluster(1), 1 << 20, false).latency_s,
                   estimate_s);
}

/// The planner makes no program of millions of messages that cannot be faster. It leaves out chains of more segments,
/// because the first one takes minutes, and programs that fill the links for longer.
TEST(PlanProgram, WhatCannotBeFasterIsNotEstimatedWhereMessagesAreMillions) {
  Platform platform;
  for (std::int64_t c = 0; c < 20; ++c) {
    PlatformCluster cluster{"c" + std::to_string(c), {}, 20e-6, line(2e-6, 125e6), {}};
    for (std::int64_t i = 0; i < 4000; ++i) cluster.ranks.push_back(platform.ranks++);
    platform.clusters.push_back(std::move(cluster));
    for (std::int64_t other = 0; other < c; ++other) platform.links.push_back({other, c, 1e-3, line(4e-6, 110e6), 4});
  }
  const ProgramPlan plan = plan_program(platform, {Collective::kAllreduce, 1 << 20, 0, 8});
  const auto looked_at = [&](const std::string& name) {
    return std::ranges::any_of(plan.candidates,
                               [&](const ProgramPlan::Candidate& each) { return each.algorithm.starts_with(name); });
  };
  EXPECT_TRUE(looked_at("binomial"));
  EXPECT_TRUE(looked_at("chain"));
  EXPECT_FALSE(looked_at("chain, 16"));
  EXPECT_FALSE(looked_at("circulant"));
}

/// What takes long is worth a look at more messages: rings inside of sites have half a million here, and take half as
/// long as what has fewer.
TEST(PlanProgram, LongProgramsOfManyMessagesAreLookedAt) {
  const Platform platform = sites_of_clusters(4, 5, 50);
  const ProgramProblem problem{Collective::kAllreduce, 8 << 20, 0, 8};
  const ProgramPlan plan = plan_program(platform, problem, {});
  EXPECT_EQ(plan.program.algorithm, "hierarchical, 4 groups, ring inside");
  EXPECT_FALSE(plan.estimated);
}

/// Messages that keep a port for no time beside others that use it up, with shares of it that differ by 10^13.
TEST(ReplayProgram, SharesOfAnySizeLeaveSomethingForAll) {
  std::istringstream in(
      R"({"schema": "sluice.platform/2", "name": "m", "link": {"latency_s": 0.001, "gap": [[1, 0]], "connections": 3},
          "parts": [{"name": "c", "ranks": 9, "count": 2,
                     "link": {"latency_s": 0, "gap": [[1, 0.001], [678, 0.001015140712524805]]}}]})");
  const Platform platform = read_platform(in, "text");
  for (const Collective collective : {Collective::kReduceScatter, Collective::kAllreduce}) {
    for (const Algorithm& algorithm : detail::program_algorithms(collective)) {
      ProgramPlan plan;
      try {
        plan = plan_program(platform, {collective, std::int64_t{1} << 40, 0, 1},
                            {.algorithm = std::string(algorithm.name)});
      } catch (const InputError&) {
        continue;  // it does not apply
      }
      EXPECT_TRUE(std::isfinite(plan.program.length_s)) << algorithm.name;
      EXPECT_GE(plan.program.length_s, plan.program.bound_s) << algorithm.name;
    }
  }
}

/// In each round, segments follow each other along the chain.
TEST(PlanProgram, AChainIsListedByRounds) {
  const detail::MessageGraph messages = detail::chain_broadcast(first_ranks(4), {{0, 1}, {1, 1}});
  std::string text;
  for (std::size_t m = 0; m < messages.size(); ++m)
    text += fmt::format("{}:{} ", messages.messages[m].from, messages.ranges[m].front().offset);
  EXPECT_EQ(text, "0:0 0:1 1:0 1:1 2:0 2:1 ");
}

TEST(ReplayProgram, CombiningTakesItsTimeAndWaitsForSends) {
  const Platform platform = one_cluster(2);
  const Program program =
      plan_program(
          platform,
          {.problem = Collective::kAllreduce, .size_bytes = 1'000'000, .element_bytes = 8, .combine_s_per_byte = 1e-8},
          {.algorithm = "recursive-doubling"})
          .program;
  const double message = 50e-6 + platform.clusters[0].gap.at(1'000'000) + platform.clusters[0].gap.at(1);
  EXPECT_NEAR(program.length_s, message + 1e-2, 1e-5);
}

/// Parts that come faster than they are combined wait; what has been combined goes on before the next one is.
TEST(ReplayProgram, WhatIsCombinedGoesOnBeforeTheRest) {
  constexpr int kRanks = 4, kParts = 8;
  constexpr std::int64_t kPart = 1000;
  const Platform platform = one_cluster(kRanks);
  Program chain;
  chain.problem = Collective::kReduce;
  chain.ranks = kRanks;
  chain.size_bytes = kParts * kPart;
  detail::MessageGraph messages;
  for (std::int64_t part = 0; part < kParts; ++part)
    for (std::int64_t rank = kRanks - 1; rank > 0; --rank)
      messages.add(rank, rank - 1, {part * kPart, kPart}, detail::MessageKind::kCombine);
  chain.operations = operations_of(messages);
  ASSERT_TRUE(validate(chain).empty());
  const double part_s = 10e-3;  // a message takes far less
  chain.combine_s_per_byte = part_s / static_cast<double>(kPart);
  // The first part is combined three times, the others follow it.
  EXPECT_NEAR(replay(platform, chain).length_s, (kRanks - 1 + kParts - 1) * part_s, 0.1 * part_s);
}

// ---- what is needed of larger programs, and broadcasts in programs

/// 0 and 1 combine what both have, 2 and 3 too; the root, 0, needs neither what 1 gets of that nor what goes back.
TEST(MessageGraph, OnlyWhatIsNeededIsLeft) {
  detail::MessageGraph messages;
  messages.add_at_once({{0, 1}, {1, 0}}, {0, 8});
  messages.add_at_once({{3, 2}, {2, 3}}, {0, 8});
  messages.add(2, 0, {0, 8}, detail::MessageKind::kCombine);
  messages.add(0, 1, {0, 8});
  messages.add(0, 3, {0, 4});
  Program shape;
  shape.problem = Collective::kReduce;
  shape.ranks = 4;
  shape.size_bytes = 8;
  const auto text = [](const detail::MessageGraph& of) {
    std::string all;
    for (std::size_t m = 0; m < of.size(); ++m) {
      const detail::MessageGraph::Message& each = of.messages[m];
      EXPECT_FALSE(each.at_once);
      all += fmt::format("{}-{}:{}+{} ", each.from, each.to, of.ranges[m].front().offset, each.bytes);
    }
    return all;
  };
  EXPECT_EQ(text(messages.needed_for(shape)), "1-0:0+8 3-2:0+8 2-0:0+8 ");
  // Rank 3 needs only its own share, the last element.
  shape.problem = Collective::kReduceScatter;
  shape.root = 0;
  detail::MessageGraph broadcast;
  broadcast.add(1, 0, {0, 8}, detail::MessageKind::kCombine);
  broadcast.add(2, 0, {0, 8}, detail::MessageKind::kCombine);
  broadcast.add(3, 0, {0, 8}, detail::MessageKind::kCombine);
  for (std::int64_t rank = 1; rank < 4; ++rank) broadcast.add(0, rank, {0, 8});
  EXPECT_EQ(text(broadcast.needed_for(shape)), "1-0:0+8 2-0:0+8 3-0:0+8 0-1:2+2 0-2:4+2 0-3:6+2 ");
}

/// What gives less is not longer than what gives more.
TEST(PlanProgram, NoProblemTakesLongerThanOneThatIncludesIt) {
  std::mt19937 random(17);
  for (int round = 0; round < 12; ++round) {
    std::vector<std::int64_t> ranks = in_order();
    std::shuffle(ranks.begin(), ranks.end(), random);
    const Platform platform = three_sites(ranks, 1 + static_cast<std::int64_t>(random() % 8));
    const auto root = static_cast<std::int64_t>(random() % 18);
    const std::int64_t block = std::int64_t{8} << random() % 13, all = 18 * block;
    const double combine_s_per_byte = round % 3 == 0 ? 1e-7 : 1e-9;
    SCOPED_TRACE(::testing::Message() << block << " bytes, root " << root << ", " << combine_s_per_byte);
    const auto length = [&](Collective collective, std::int64_t bytes) {
      const ProgramProblem problem{.problem = collective,
                                   .size_bytes = bytes,
                                   .root = root,
                                   .element_bytes = 8,
                                   .combine_s_per_byte = combine_s_per_byte};
      return plan_program(platform, problem).program.length_s;
    };
    constexpr double kOrders = 1.02;  // sums of the same messages in another order
    const double allreduce_s = length(Collective::kAllreduce, all);
    EXPECT_LE(length(Collective::kReduce, all), kOrders * allreduce_s);
    EXPECT_LE(length(Collective::kReduceScatter, all), kOrders * allreduce_s);
    const double alltoall_s = length(Collective::kAlltoall, block);
    EXPECT_LE(length(Collective::kScatter, block), kOrders * alltoall_s);
    EXPECT_LE(length(Collective::kAllgather, block), kOrders * alltoall_s);
    EXPECT_LE(length(Collective::kScatter, block), kOrders * plan_broadcast(platform, root, all, {}).program.length_s);
  }
}

}  // namespace
}  // namespace sluice
