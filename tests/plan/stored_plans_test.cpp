// Plans and bounds written down from a run. Another compiler, library or machine has to give the same plans and bounds.
// .ci/run builds this test with a second compiler too.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fixed_math.hpp"
#include "broadcast_testing.hpp"
#include "exchange_testing.hpp"
#include "reduce_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/plan/redistribute.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/registry.hpp"
#include "stored_testing.hpp"

namespace sluice {
namespace {

using testing::add;
using testing::expect_stored;
using testing::Hash;
using testing::hash_of;
using testing::StoredHashes;

ExchangePlan plan(const ExchangeProblem& problem, const std::string& algorithm, double effort) {
  ExchangeOptions options;
  options.algorithm = algorithm;
  options.effort = effort;
  return plan_exchange(problem, options);
}

/// As many messages for every node, all near one of two sizes.
ExchangeProblem switch_demand(std::int64_t ports, double setup) {
  std::mt19937_64 random(74);
  ExchangeProblem problem{{ports, ports, {}}, ports, setup};
  for (std::int64_t flow = 0; flow < 12; ++flow) {
    const auto shift = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(ports));
    for (std::int64_t u = 0; u < ports; ++u)
      problem.traffic.messages.push_back(
          {u, (u * 5 + shift) % ports, (flow < 3 ? 230000 : 33000) + static_cast<std::int64_t>(random() % 10000)});
  }
  return problem;
}

TEST(StoredPlans, OfAuto) {
  struct Stored {
    std::int32_t nodes, messages;
    std::int64_t k;
    double setup, effort;
    std::uint64_t hash;
  };
  const std::vector<Stored> stored{
      {6, 6, 6, 500, 0.02, 1199654264532405521U},       {12, 12, 5, 2000, 0.02, 2788682674655332592U},
      {20, 20, 20, 0.5, 0.05, 5646020565973624236U},    {60, 60, 60, 3000, 0.05, 13616143998597869626U},
      {60, 60, 20, 3000, 0.05, 1581656278153009776U},   {400, 10, 400, 2000, 0.05, 3524032273550759008U},
      {3000, 5, 3000, 800, 0.1, 13648321420884990641U}, {32, 12, 32, 300, 0.5, 1715596269943751627U},
  };
  for (const Stored& each : stored) {
    ExchangeProblem problem = testing::log_normal_problem(each.nodes, each.messages, each.setup, 71);
    problem.max_transfers = each.k;
    const ExchangePlan once = plan(problem, "auto", each.effort);
    EXPECT_EQ(once.schedule, plan(problem, "auto", each.effort).schedule);
    EXPECT_FALSE(once.stopped);
    testing::expect_sound(problem, once);
    EXPECT_EQ(hash_of(once.schedule), each.hash) << each.nodes << " x " << each.messages;
  }
}

TEST(StoredPlans, OfAutoForSwitches) {
  const ExchangeProblem problem = switch_demand(32, 1000);
  const ExchangePlan once = plan(problem, "auto", 0.2);
  testing::expect_sound(problem, once);
  EXPECT_EQ(hash_of(once.schedule), 8560302471719341344U);
}

/// The hashes of what all planners that end by themselves make of several problems.
StoredHashes hashes_of_fast_planners(const std::vector<ExchangeProblem>& problems) {
  StoredHashes hashes;
  for (const Algorithm& each : algorithms("exchange")) {
    if (each.searches) continue;
    try {
      Hash hash;
      for (const ExchangeProblem& problem : problems)
        hash.add(static_cast<std::int64_t>(hash_of(plan(problem, std::string(each.name), 1).schedule)));
      hashes[std::string(each.name)] = hash.value();
    } catch (const InputError&) {
      EXPECT_EQ(each.name, "multigraph");  // refuses sizes of many units
    }
  }
  return hashes;
}

TEST(StoredPlans, OfNamedPlanners) {
  std::vector<ExchangeProblem> problems{testing::log_normal_problem(24, 24, 3000, 75),
                                        testing::log_normal_problem(60, 9, 0.7, 76), switch_demand(32, 2500),
                                        testing::log_normal_problem(40, 12, 700, 77)};
  problems.back().max_transfers = 11;
  expect_stored(hashes_of_fast_planners(problems), {
                                                       {"first-fit", 14096470014866093367U},
                                                       {"profile", 10262857955476693834U},
                                                       {"rising", 7861148241214510741U},
                                                       {"ggp", 12016734753216449433U},
                                                       {"oggp", 16825193715877678585U},
                                                       {"weights", 10395433494043925654U},
                                                       {"degrees", 5804603633253309770U},
                                                       {"stepwise", 7821405425383452453U},
                                                       {"greedy", 3694354087752697701U},
                                                       {"solstice", 545026116041727929U},
                                                       {"eclipse", 8906775889812549586U},
                                                       {"lumos", 4028911555829814125U},
                                                       {"thresholds", 13515547008132765444U},
                                                   });
}

TEST(StoredPlans, OfFewUnits) {
  ExchangeProblem problem{{12, 12, {}}, 7, 1};
  std::mt19937_64 random(79);
  for (std::int64_t u = 0; u < 12; ++u)
    for (std::int64_t v = 0; v < 12; v += 1 + u % 3)
      problem.traffic.messages.push_back({u, v, static_cast<std::int64_t>(1 + random() % 20)});
  EXPECT_EQ(hash_of(plan(problem, "multigraph", 1).schedule), 7905543703382324323U);
}

TEST(StoredPlans, AtSpeedsAndOverTime) {
  ExchangeProblem problem = testing::log_normal_problem(24, 10, 900, 80);
  for (std::int64_t i = 0; i < 24; ++i) {
    problem.speeds.senders.push_back(kSpeedOfOne / (1 + i % 3));
    problem.speeds.receivers.push_back(kSpeedOfOne * (1 + i % 2));
  }
  EXPECT_EQ(hash_of(plan(problem, "oggp", 1).schedule), 11016357238012667104U);
  EXPECT_EQ(hash_of(plan(problem, "auto", 0.05).schedule), 13743956390952781448U);
  problem.max_transfers = 20;
  problem.speeds.backbone = {{0, 9}, {40'000, 20}, {90'000, 5}};
  EXPECT_EQ(hash_of(plan(problem, "auto", 0.05).schedule), 17840565717428333051U);
}

TEST(StoredPlans, OfSeveralSwitches) {
  ExchangeProblem problem = switch_demand(32, 1000);
  problem.switches = 3;
  EXPECT_EQ(hash_of(plan(problem, "oggp", 1).schedule), 8683697404714816667U);
  EXPECT_EQ(hash_of(plan(problem, "auto", 0.1).schedule), 10165404800925137954U);
}

TEST(StoredPlans, OfTheBound) {
  Hash hash;
  for (const double setup : {0.3, 2000.0}) {
    for (const std::int64_t k : {60, 17}) {
      ExchangeProblem problem = testing::log_normal_problem(60, 15, setup, 78);
      problem.max_transfers = k;
      ExchangeOptions options;
      options.effort = 0.05;
      hash.add(exchange_bound(problem, options).cost.total);
    }
  }
  EXPECT_EQ(hash.value(), 18359093315933829544U);
}

TEST(StoredPlans, OfRedistributions) {
  std::vector<RedistributionProblem> problems;
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"15:2", "6:3"}, {"7:5", "12:4"}, {"5:3", "4:7"}, {"4x3:2x5", "6x2:3x2"}})
    problems.push_back(one_slice(parse_layout(from, "from"), parse_layout(to, "to")));
  const std::vector<std::int64_t> no_whole_slices{1003};
  problems.emplace_back(Distribution(parse_layout("6:5", "from"), no_whole_slices),
                        Distribution(parse_layout("9:2", "to"), no_whole_slices));
  StoredHashes hashes;
  for (const Algorithm& each : algorithms("redistribute")) {
    Hash hash;
    for (const RedistributionProblem& problem : problems) {
      try {
        const RedistributionPlan planned = plan_redistribution(problem, std::string(each.name), 3);
        // Several plans are as good: which of them "exact" finds depends on the solver of the integer program.
        if (each.name == "exact")
          hash.add(planned.cost().total);
        else
          hash.add(static_cast<std::int64_t>(hash_of(planned.schedule({}))));
      } catch (const InputError&) {
        EXPECT_EQ(each.name, "classes");
        hash.add(std::int64_t{0});
      }
    }
    hashes[std::string(each.name)] = hash.value();
  }
  expect_stored(hashes, {
                            {"caterpillar", 8610871094604883938U},
                            {"classes", 13410121016033961050U},
                            {"coloring", 3883095911766028088U},
                            {"exact", 2033392657063733583U},
                            {"greedy", 13419191141671264759U},
                            {"stepwise", 1382730869807226719U},
                        });
}

TEST(StoredPlans, OfReductions) {
  StoredHashes hashes;
  for (const Algorithm& each : algorithms("reduce")) {
    Hash hash;
    const auto add_plan = [&](const ReduceProblem& problem) {
      try {
        add(hash, testing::plan_with(problem, std::string(each.name)).schedule);
      } catch (const InputError&) {  // of trees that form while they run, one is for an order, and none for parts
        EXPECT_TRUE(each.name.ends_with("-dyn"));
        hash.add(std::int64_t{0});
      }
    };
    const std::int64_t machines = each.name == "exact" ? 9 : 1000;
    ReduceProblem problem = testing::problem_of(machines, 0.7, 0.3);
    add_plan(problem);
    problem.commutative = false;
    add_plan(problem);
    if (each.name != "exact") {
      problem.segments = 0;
      problem.transfer_overhead = 0.01;
      add_plan(problem);
      problem = testing::problem_of(50, 3, 2);
      for (std::int64_t v = 0; v < 50; ++v) problem.arrivals.push_back(static_cast<double>(v * v % 37) / 3);
      problem.root = kAnyRoot;
      add_plan(problem);
    }
    if (each.name == "greedy" || each.name == "exact") {
      problem = testing::problem_of(machines, 2, 3);
      problem.max_transfers = 3;
      add_plan(problem);
    }
    hashes[std::string(each.name)] = hash.value();
  }
  expect_stored(hashes, {
                            {"binary", 1754538203154367917U},
                            {"binomial", 1671102451384498050U},
                            {"chain", 3014942558787409985U},
                            {"exact", 863506023688866589U},
                            {"fibonacci", 7508754760930559051U},
                            {"flat", 4667266570887654431U},
                            {"greedy", 1833745934377478789U},
                            {"k-ary", 17249735986517586404U},
                            {"non-commut-tree-dyn", 6787063307698921933U},
                            {"tree-dyn", 571250473371477096U},
                        });
}

TEST(StoredPlans, OfBroadcasts) {
  const Platform platform = testing::three_sites(testing::in_order(), 3);
  BetweenClusters between;  // more clusters, for trees that differ
  std::mt19937_64 random(81);
  const auto draw = [&] { return static_cast<double>(1 + random() % 1000) / 1000; };
  for (std::size_t i = 0; i < 9; ++i) between.inside.push_back(draw());
  for (std::size_t cell = 0; cell < 81; ++cell) {
    between.gap.push_back(draw());
    between.latency.push_back(draw());
  }
  StoredHashes hashes;
  const auto add_plans = [&](std::string_view algorithm) {
    Hash hash;
    for (const std::int64_t bytes : {1000, 300'007}) {
      BroadcastOptions options;
      options.algorithm = algorithm;
      const BroadcastPlan planned = plan_broadcast(platform, 5, bytes, options);
      add(hash, planned.schedule);
      hash.add(planned.program.length_s);
      for (const SendPace& pace : planned.program.pace) hash.add(pace.port_s);
    }
    if (algorithm != "pipelined" && algorithm != "parallel-entry") {  // these are for ranks
      BetweenOptions options;
      options.algorithm = algorithm;
      add(hash, plan_between_clusters(between, options).schedule);
    }
    hashes[std::string(algorithm)] = hash.value();
  };
  for (const Algorithm& each : algorithms("broadcast")) add_plans(each.name);
  add_plans("auto");
  expect_stored(hashes, {
                            {"auto", 4594558852064123772U},
                            {"bottom-up", 4711708271171485516U},
                            {"bottom-up-la", 2620911276605645742U},
                            {"ecef", 11111856719106962240U},
                            {"ecef-la", 5915632841326831428U},
                            {"ecef-la-tmax", 9480769781823598785U},
                            {"ecef-la-tmin", 5915632841326831428U},
                            {"exact", 16141108998002484530U},
                            {"fef", 12713616049653100754U},
                            {"fef-gap", 8206993243389796606U},
                            {"flat", 4018363812648823410U},
                            {"parallel-entry", 3587152781951004090U},
                            {"pipelined", 6154114711430791044U},
                        });
}

TEST(StoredPlans, OfFunctionsThatPlansStandOn) {
  Hash hash;
  for (int i = 1; i <= 1000; ++i) {
    hash.add(detail::fixed_log(i * 0.37));
    hash.add(detail::fixed_exp((i % 19 - 9) * 0.53));
  }
  EXPECT_EQ(hash.value(), 10035250714600792936U);
}

}  // namespace
}  // namespace sluice
