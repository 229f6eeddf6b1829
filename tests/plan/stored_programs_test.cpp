// Programs of collectives and simulated times written down from a run, as stored_plans_test.cpp has plans.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "exchange_testing.hpp"
#include "plan/collective/registry.hpp"
#include "program_testing.hpp"
#include "reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/timing/model.hpp"
#include "stored_testing.hpp"

namespace sluice {
namespace {

using testing::add;
using testing::expect_stored;
using testing::Hash;
using testing::in_order;
using testing::StoredHashes;

/// One cluster, of a power of two of ranks and not; three sites with connections of their own, and with a slow link
/// that bytes go around; two levels with uplinks.
std::vector<Platform> platforms() {
  Platform slow = testing::three_sites(in_order(), 8);
  slow.links[2].gap = testing::line(2e-6, 0.2e6);
  return {testing::one_cluster(8), testing::one_cluster(7), testing::three_sites(in_order(), 8), slow,
          testing::sites_of_clusters(2, 2, 3)};
}

/// The sizes of blocks or shares, some of them 0, one so large that it is worth several ways.
std::vector<std::int64_t> drawn_blocks(Collective problem, std::int64_t ranks) {
  std::mt19937_64 random(83);
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(problem == Collective::kAlltoall ? ranks * ranks : ranks));
  for (std::int64_t& each : bytes) each = 8 * static_cast<std::int64_t>(random() % 400 * (random() % 3));
  bytes[static_cast<std::size_t>(ranks - 1)] = 200'000;
  return bytes;
}

/// A long array, a short one with a root in the middle, blocks that differ, elements in order that cost time.
std::vector<ProgramProblem> problems_of(Collective problem, std::int64_t ranks) {
  std::vector<ProgramProblem> problems;
  problems.push_back({.problem = problem, .size_bytes = has_blocks(problem) ? 16'000 : 160'000, .element_bytes = 8});
  problems.push_back(
      {.problem = problem, .size_bytes = 8 * 47, .root = has_root(problem) ? ranks / 2 : 0, .element_bytes = 8});
  if (has_blocks(problem))
    problems.push_back({.problem = problem, .element_bytes = 8, .block_bytes = drawn_blocks(problem, ranks)});
  if (combines(problem))
    problems.push_back({.problem = problem,
                        .size_bytes = 24'000,
                        .element_bytes = 8,
                        .commutative = false,
                        .combine_s_per_byte = 3e-9});
  return problems;
}

StoredHashes hashes_of(Collective problem) {
  StoredHashes hashes;
  std::vector<std::string> names{"auto"};
  for (const Algorithm& each : detail::program_algorithms(problem)) names.emplace_back(each.name);
  for (const std::string& name : names) {
    Hash hash;
    std::int64_t planned = 0;
    for (const Platform& platform : platforms()) {
      for (const ProgramProblem& each : problems_of(problem, platform.ranks)) {
        ProgramOptions options;
        options.algorithm = name;
        options.effort = 0.03;
        try {
          const ProgramPlan plan = plan_program(platform, each, options);
          add(hash, plan.program);
          for (const ProgramPlan::Candidate& candidate : plan.candidates) {
            hash.add(candidate.algorithm);
            hash.add(candidate.length_s);
          }
          ++planned;
        } catch (const InputError&) {  // an algorithm that needs groups, a power of two or any order
          hash.add(std::int64_t{0});
        }
      }
    }
    EXPECT_GE(planned, 1) << name;
    hashes[name] = hash.value();
  }
  return hashes;
}

TEST(StoredPrograms, OfBroadcasts) {
  expect_stored(hashes_of(Collective::kBroadcast), {{"auto", 15701670978238557270U},
                                                    {"binomial", 10359825279872758100U},
                                                    {"chain", 1436450999071058702U},
                                                    {"circulant", 8601869708527442290U},
                                                    {"scatter-allgather", 10941822955665914504U}});
}
TEST(StoredPrograms, OfReductions) {
  expect_stored(hashes_of(Collective::kReduce), {{"auto", 17947917481982593514U},
                                                 {"binomial", 16616792476166431006U},
                                                 {"chain", 1182353284862089927U},
                                                 {"circulant", 8386491505821970150U},
                                                 {"equal-work", 10660885759183839726U},
                                                 {"grouped-exchange", 15418278462704096797U},
                                                 {"grouped-pipeline", 11605618134376290499U},
                                                 {"neighbours-first", 6067612317644289301U},
                                                 {"ordered-tree", 6402712889057986414U},
                                                 {"reduce-scatter-gather", 2683056397844749079U},
                                                 {"reversed-broadcast", 5522254676895492041U},
                                                 {"scatter-allgather", 107059403151398617U}});
}
TEST(StoredPrograms, OfScatters) {
  expect_stored(hashes_of(Collective::kScatter), {{"auto", 13651828957145194268U},
                                                  {"binomial", 12958975165823096529U},
                                                  {"broadcast", 9839999153197201498U},
                                                  {"flat", 4381571637479901464U},
                                                  {"hierarchical", 10850691428212485525U},
                                                  {"relayed", 12575958502628798661U}});
}
TEST(StoredPrograms, OfGathers) {
  expect_stored(hashes_of(Collective::kGather), {{"auto", 14637171308411296922U},
                                                 {"binomial", 7233093914437721181U},
                                                 {"flat", 16474959738944899274U},
                                                 {"hierarchical", 8519635032156711676U},
                                                 {"relayed", 13543407268627017007U},
                                                 {"reversed-broadcast", 5725619437351984432U}});
}
TEST(StoredPrograms, OfAllgathers) {
  expect_stored(hashes_of(Collective::kAllgather), {{"auto", 15950790951496420889U},
                                                    {"bruck", 13799576663819458379U},
                                                    {"circulant", 16427854858127021088U},
                                                    {"equal-work", 14464389652056132328U},
                                                    {"gather-broadcast", 18205587353041054028U},
                                                    {"grouped-exchange", 7232464471913663368U},
                                                    {"grouped-pipeline", 12513179456826888848U},
                                                    {"hierarchical", 5892985691667434652U},
                                                    {"pairwise", 11569835211141152255U},
                                                    {"recursive-doubling", 16312559210327151359U},
                                                    {"ring", 15316918797312252872U}});
}
TEST(StoredPrograms, OfReduceScatters) {
  expect_stored(hashes_of(Collective::kReduceScatter), {{"auto", 3294198599188794021U},
                                                        {"binomial", 13573052546824098349U},
                                                        {"bruck", 8789663785242019783U},
                                                        {"circulant", 15915756873773879381U},
                                                        {"equal-work", 3223619770497954257U},
                                                        {"grouped-exchange", 15072302912506119313U},
                                                        {"grouped-pipeline", 16369251466874221788U},
                                                        {"hierarchical", 16186640861752577314U},
                                                        {"ordered-runs", 7039742003279222999U},
                                                        {"pairwise", 9221385291463596402U},
                                                        {"recursive-halving", 1712710273930764058U},
                                                        {"ring", 10519739649405166885U}});
}
TEST(StoredPrograms, OfAllreduces) {
  expect_stored(hashes_of(Collective::kAllreduce), {{"auto", 9887171497115670124U},
                                                    {"binomial", 17717129936285190440U},
                                                    {"chain", 16788942227308436432U},
                                                    {"circulant", 14140990627946410321U},
                                                    {"equal-work", 1584618227732436982U},
                                                    {"grouped-exchange", 14173635173999515949U},
                                                    {"grouped-pipeline", 2304855500653970044U},
                                                    {"hierarchical", 14445896148560634918U},
                                                    {"ordered-runs", 17033279741096931182U},
                                                    {"ordered-tree", 905563192705463371U},
                                                    {"pairwise", 338410435447154529U},
                                                    {"recursive-doubling", 15054105554435654385U},
                                                    {"recursive-halving", 10132073670788300192U},
                                                    {"reduce-broadcast", 14785714563202767320U},
                                                    {"ring", 16896006452025605583U}});
}
TEST(StoredPrograms, OfAlltoalls) {
  expect_stored(hashes_of(Collective::kAlltoall), {{"auto", 10764256491125667411U},
                                                   {"bruck", 3710975561656848820U},
                                                   {"hierarchical", 14088768459715176048U},
                                                   {"pairwise", 17480740024246283972U},
                                                   {"relayed", 6098393220525560446U}});
}

/// By routes between ranks ("pipelined", "parallel-entry") and by trees, there and back.
TEST(StoredPrograms, OfBroadcastsOverRanksAndReversed) {
  StoredHashes hashes;
  std::vector<std::string> names{"auto"};
  for (const Algorithm& each : algorithms("broadcast")) names.emplace_back(each.name);
  for (const std::string& name : names) {
    Hash hash;
    for (const Platform& platform : platforms()) {
      BroadcastOptions options;
      options.algorithm = name;
      options.effort = 0.05;
      for (const std::int64_t segments : {0, 1, 5}) {
        options.segments = segments;
        try {
          add(hash, plan_broadcast(platform, 1, 100'000, options).program);
          add(hash, plan_reversed_broadcast(platform, 1, 12'500, 8, options).program);
        } catch (const InputError&) {
          hash.add(std::int64_t{0});
        }
      }
    }
    hashes[name] = hash.value();
  }
  expect_stored(hashes, {{"auto", 13734960076126310445U},
                         {"bottom-up", 14044357604770678751U},
                         {"bottom-up-la", 9298626160330679657U},
                         {"ecef", 11831141097885520625U},
                         {"ecef-la", 2273144370161001815U},
                         {"ecef-la-tmax", 9728346477184746247U},
                         {"ecef-la-tmin", 16674132119068241091U},
                         {"exact", 13296506756429957511U},
                         {"fef", 4813772708294093156U},
                         {"fef-gap", 6441140700605587711U},
                         {"flat", 6289388697361577629U},
                         {"parallel-entry", 601382701723008362U},
                         {"pipelined", 5176618722587619091U}});
}

TEST(StoredPrograms, OfReductionsWithCosts) {
  Hash hash;
  for (const Platform& platform : platforms()) {
    for (const double cost : {1e-9, 100e-9}) {
      BroadcastOptions options;
      options.effort = 0.05;
      add(hash, plan_costly_reduction(platform, 2, 10'000, 8, cost, options).program);
    }
  }
  EXPECT_EQ(hash.value(), 17111556610162241100U);
}

TEST(StoredPrograms, OfUnknownNetworks) {
  StoredHashes hashes;
  for (const Collective problem : testing::kAllCollectives) {
    Hash hash;
    for (const std::int64_t ranks : {1, 2, 5, 8, 13})
      for (const ProgramProblem& each : problems_of(problem, ranks)) add(hash, plan_short_program(ranks, each));
    hashes[std::string(to_string(problem))] = hash.value();
  }
  Hash hash;
  for (const std::int64_t rank : {0, 3, 10, 12}) add(hash, circulant_broadcast_part(13, 3, 1000, 7, rank));
  hashes["part of a broadcast"] = hash.value();
  expect_stored(hashes, {{"allgather", 7692812601277769159U},
                         {"allreduce", 18380810693143440407U},
                         {"alltoall", 3388567673167983848U},
                         {"broadcast", 16653708880918179109U},
                         {"gather", 7751670525152321522U},
                         {"part of a broadcast", 12968741840191547808U},
                         {"reduce", 16370193663588179604U},
                         {"reduce-scatter", 16864888815132634812U},
                         {"scatter", 7388975218980574746U}});
}

/// Schedules of steps by their order: k limits some, nodes differ in speed in one, k changes over time in one.
TEST(StoredSimulations, OfSteps) {
  std::vector<ExchangeProblem> problems{testing::log_normal_problem(16, 9, 700, 84),
                                        testing::log_normal_problem(10, 10, 0.5, 85)};
  problems[0].max_transfers = 5;
  problems.push_back(problems[1]);
  for (std::int64_t i = 0; i < 10; ++i) {
    problems[1].speeds.senders.push_back(kSpeedOfOne / (1 + i % 3));
    problems[1].speeds.receivers.push_back(kSpeedOfOne * (1 + i % 2));
  }
  problems[2].max_transfers = 9;
  problems[2].speeds.backbone = {{0, 3}, {20'000, 9}, {60'000, 2}};
  std::vector<StepSchedule> schedules;
  for (const ExchangeProblem& problem : problems) {
    ExchangeOptions options;
    options.algorithm = "oggp";
    schedules.push_back(plan_exchange(problem, options).schedule);
  }
  const RedistributionProblem moved = one_slice(parse_layout("4x3:2x5", "from"), parse_layout("6x2:3x2", "to"));
  schedules.push_back(plan_redistribution(moved, "greedy", 3).schedule({}));
  StoredHashes hashes;
  for (const char* order : {"barrier", "local", "chain"}) {
    Hash hash;
    for (const StepSchedule& schedule : schedules) add(hash, simulate(schedule, parse_step_order(order, "order")));
    hashes[order] = hash.value();
  }
  expect_stored(hashes,
                {{"barrier", 4140454440401294492U}, {"chain", 17427277871168386814U}, {"local", 422302104829903568U}});
}

TEST(StoredSimulations, OfTrees) {
  Hash hash;
  ReduceProblem problem = testing::problem_of(200, 0.7, 0.3);
  add(hash, simulate(testing::plan_with(problem, "auto").schedule));
  problem.commutative = false;
  problem.max_transfers = 6;
  add(hash, simulate(testing::plan_with(problem, "auto").schedule));
  problem = testing::problem_of(40, 3, 2);
  problem.segments = 7;
  for (std::int64_t v = 0; v < 40; ++v) problem.arrivals.push_back(static_cast<double>(v * v % 37) / 3);
  add(hash, simulate(testing::plan_with(problem, "auto").schedule));
  for (const Platform& platform : platforms()) add(hash, simulate(plan_broadcast(platform, 0, 50'000).schedule));
  EXPECT_EQ(hash.value(), 11701465017215229526U);
}

/// Simulates programs over their platforms, and with messages that all take 1.
TEST(StoredSimulations, OfPrograms) {
  StoredHashes hashes;
  for (const Collective problem : testing::kAllCollectives) {
    Hash hash;
    for (const Platform& platform : platforms()) {
      for (const ProgramProblem& each : problems_of(problem, platform.ranks)) {
        ProgramOptions options;
        options.effort = 0.03;
        const Program program = plan_program(platform, each, options).program;
        add(hash, simulate(program));
        add(hash, simulate(platform, program));
        for (const SendPace& pace : send_paces(platform, program)) hash.add(pace.connection_s);
      }
    }
    hashes[std::string(to_string(problem))] = hash.value();
  }
  expect_stored(hashes, {{"allgather", 3364502452631105111U},
                         {"allreduce", 14032279846378919015U},
                         {"alltoall", 4968569434392668935U},
                         {"broadcast", 8580088268189397594U},
                         {"gather", 16202417119528701895U},
                         {"reduce", 18002070454816446035U},
                         {"reduce-scatter", 3803609788707470570U},
                         {"scatter", 16411736710019033664U}});
}

}  // namespace
}  // namespace sluice
