#include <fmt/format.h>
#include <gtest/gtest.h>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

TEST(RunReduce, EveryOperationIsVerifiedByEveryMethod) {
  const Folder folder;
  for (const std::string arguments :
       {"--count 2000 --operation sum --root 2 --transfer 1 --compute 2 --segments 3",
        "--count 12 --operation matmul --measure", "--count 700 --operation affine --root 3 --measure",
        "--count 1000 --operation merge --root 1 --measure", "--count 100 --operation sleep:2 --dynamic --no-thread",
        "--count 100 --operation spin:0.1", "--count 100 --operation sum --reproducible"}) {
    SCOPED_TRACE(arguments);
    const bool knows_costs =
        arguments.find("--transfer") != arguments.npos || arguments.find("--measure") != arguments.npos;
    const Outcome outcome = on_ranks(folder, 4, "run reduce " + arguments + " --repetitions 1 --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(outcome.out);
    EXPECT_EQ(file["problem"], "reduce");
    EXPECT_EQ(file["ranks"], 4);
    EXPECT_EQ(file["verified"], true);
    std::vector<std::string> names;
    for (const json& method : file["methods"]) {
      names.push_back(method["name"]);
      EXPECT_GT(method["median_s"], 0);
      const std::string how = names.back() == "mpi-reduce" ? "MPI_Ireduce" : std::string(method["how"]);
      EXPECT_EQ(method.contains("predicted_s"), knows_costs && how.rfind("MPI_Ireduce", 0) != 0) << how;
    }
    std::vector<std::string> all{"sluice", "mpi-reduce", "binomial", "flat", "fibonacci", "reduce-scatter"};
    if (arguments.find("sum") == arguments.npos && arguments.find("sleep") == arguments.npos &&
        arguments.find("spin") == arguments.npos)
      all.pop_back();
    EXPECT_EQ(names, all);
  }
}

TEST(RunReduce, NonblockingReductionsOfMpiAreComparedByName) {
  const Folder folder;
  for (const char* operation : {"sum", "matmul", "merge"}) {
    const Outcome outcome = on_ranks(
        folder, 3,
        fmt::format("run reduce --count 40 --operation {} --method mpi-ireduce --repetitions 1 --json -", operation));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(outcome.out);
    EXPECT_EQ(file["verified"], true);
    EXPECT_EQ(file["methods"][0]["name"], "mpi-ireduce");
  }
}

TEST(RunReduce, CarriesOutWhatPlanWritesUnlessTold) {
  const Folder folder;
  const std::string plan = "plan reduce --machines 3 --transfer 2 --compute 1 --summary --program plan.json --size 40";
  const std::string run = "run reduce --count 5 --program plan.json --method sluice --repetitions 1";
  ASSERT_EQ(folder.sluice(words(plan)).status, 0);
  const Outcome outcome = on_ranks(folder, 3, run);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  ASSERT_EQ(folder.sluice(words(plan + " --element-bytes 1")).status, 0);
  expect_refused_once(on_ranks(folder, 3, run),
                      "--program: elements of 1 byte, expected 8, as plan writes with --element-bytes 8");
}

TEST(RunReduce, LeavesOutATreeThatDoesNotFitTheRoot) {
  const Folder folder;
  const Outcome outcome = on_ranks(
      folder, 3, "run reduce --count 3 --operation matmul --root 1 --method sluice,chain --repetitions 1 --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(outcome.out);
  EXPECT_EQ(file["methods"].size(), 1U);
  ASSERT_EQ(file["left_out"].size(), 1U);
  EXPECT_NE(std::string(file["left_out"][0]).find("chain"), std::string::npos) << file["left_out"];
}

TEST(RunReduce, PrintsCostsAndWhatThePlanTakes) {
  const Folder folder;
  const Outcome outcome = on_ranks(
      folder, 2,
      "run reduce --count 9 --transfer 0.5 --compute 0.25 --model-only --method sluice --repetitions 1 --wide");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("d = 500 ms, c = 250 ms, given\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("overlap: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" 750 ms "), std::string::npos) << outcome.out;
}

TEST(RunReduce, ExpensiveOperationsAreCombinedInShares) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 4, "run reduce --count 1000 --operation sleep:1 --method sluice --repetitions 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string rule = "shares (on one host that shares memory: by memory, each rank a share)\n";
  EXPECT_NE(outcome.out.find(rule), std::string::npos) << outcome.out;
}

constexpr const char* kPlatform =
    R"({"schema": "sluice.platform/1", "ranks": 3,
 "clusters": [{"name": "a", "ranks": [2, 0], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000, 1e-5]]},
              {"name": "b", "ranks": [1], "latency_s": 0, "gap": []}],
 "links": [{"from": 0, "to": 1, "latency_s": 1e-3, "gap": [[1, 1e-6], [1000, 1e-4]], "connections": 2}]})";

/// Runs and verifies reductions over that platform. Returns what each of the `count` methods did.
json run_over_platform(const Folder& folder, const std::string& work, const std::string& methods, std::size_t count) {
  folder.write("platform.json", kPlatform);
  const Outcome outcome =
      on_ranks(folder, 3,
               "run reduce --count " + work +
                   " --platform platform.json --root 1 --model-only --repetitions 1 --method " + methods + " --json -");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  if (outcome.status != 0) return json::array();
  json file = json::parse(outcome.out);
  EXPECT_EQ(file["verified"], true);
  EXPECT_EQ(file["methods"].size(), count);
  return file["methods"];
}

TEST(RunReduce, OverAPlatform) {
  const Folder folder;
  for (const json& method : run_over_platform(folder, "5000", "sluice,ecef,parallel-entry,binomial,mpi-reduce", 5)) {
    const bool planned = method["name"] != "binomial" && method["name"] != "mpi-reduce";
    EXPECT_EQ(method.contains("predicted_s"), planned) << method;
    if (planned) {
      // An algorithm that is asked for is one of broadcasts; without, any program may be the plan.
      const std::string name(method["name"]), how(method["how"]);
      EXPECT_TRUE(name == "sluice" || how.starts_with("reversed-broadcast, " + name)) << method;
    }
  }
}

/// A given or measured time of combining lengthens the plan. A binomial tree is planned by costs, so it has no
/// predicted time. One of three ranks combines at least two thirds of an array.
TEST(RunReduce, OverAPlatformByWhatCombiningTakes) {
  const Folder folder;
  const auto predicted = [&](const std::string& options) {
    const json methods = run_over_platform(folder, "5000 " + options, "sluice,binomial", 2);
    EXPECT_FALSE(methods[1].contains("predicted_s")) << methods;
    return double{methods[0]["predicted_s"]};
  };
  const double free_s = predicted("");
  EXPECT_GT(predicted("--compute 5"), 5 * 2 / 3.0);
  EXPECT_EQ(predicted("--compute 0"), free_s);
  EXPECT_GT(predicted("--measure --operation sleep:20"), 0.02 * 2 / 3);
}

TEST(RunReduce, MatricesAndMapsOverAPlatformKeepTheOrderOfTheRanks) {
  const Folder folder;
  for (const std::string work : {"20 --operation matmul", "3000 --operation affine"}) {
    SCOPED_TRACE(work);
    for (const json& method : run_over_platform(folder, work, "sluice,ordered-tree,mpi-reduce", 3))
      EXPECT_EQ(method.contains("predicted_s"), method["name"] != "mpi-reduce") << method;
    const Outcome refused =
        on_ranks(folder, 3, "run reduce --count " + work + " --platform platform.json --algorithm ecef");
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.err.find("that does not commute"), std::string::npos) << refused.err;
  }
}

/// Sets stay whole: their tree is by the platform and by what merging takes.
TEST(RunReduce, SetsOverAPlatform) {
  const Folder folder;
  for (const json& method : run_over_platform(folder, "2000 --operation merge", "sluice,binomial,mpi-reduce", 3)) {
    EXPECT_EQ(method.contains("predicted_s"), method["name"] == "sluice") << method;
    if (method["name"] == "sluice") {
      EXPECT_NE(std::string(method["how"]).find(", predicted "), std::string::npos) << method;
    }
  }
  const std::string run = "run reduce --count 9 --operation merge --platform platform.json ";
  expect_refused_once(on_ranks(folder, 3, run + "--algorithm ecef"), "--algorithm: 'ecef'");
  expect_refused_once(on_ranks(folder, 3, run + "--segments 2"), "--segments: 2, expected 1: a set is not cut");
}

TEST(RunReduce, RefusesBadOptions) {
  const Folder folder;
  folder.write("platform.json", kPlatform);
  const Case cases[] = {
      {"", "--count: nothing"},
      {"--count 0 --operation matmul", "count: 0"},
      {"--count 5 --operation sleep:soon", "--operation: 'soon'"},
      {"--count 5 --operation spin:soon", "--operation: 'soon'"},
      {"--count 5 --root 2", "--root: '2'"},
      {"--count 5 --transfer 1", "--compute: nothing"},
      {"--count 5 --transfer 1 --compute 1 --segments auto", "--segments: auto"},
      {"--count 5 --operation merge --segments 2", "--segments: 2"},
      {"--count 5 --transfer 1 --compute 1 --compute-overhead 2", "--compute-overhead: 2, expected at most the whole"},
      {"--count 5 --operation matmul --algorithm reduce-scatter", "reduce-scatter: "},
      {"--count 5 --operation affine --algorithm reduce-scatter", "reduce-scatter: "},
      {"--count 5 --method sluice,best", "--methods: 'best'"},
      {"--count 5 --platform platform.json", "platform.json: 3 ranks, expected as many as mpirun started: 2"},
      {"--count 5 --platform missing.json", "missing.json: "},
      {"--count 5 --platform platform.json --measure --compute 1", "--measure: cannot be used with --compute"},
      {"--count 5 --platform platform.json --compute -1", "--compute: "},
      {"--count 5 --operation merge --platform platform.json --measure", "--measure: cannot be used with --platform"},
      {"--count 5 --operation merge --platform platform.json --compute 1", "--compute: cannot be used with --platform"},
      {"--count 5 --measure --reproducible", "--measure: cannot be used with --reproducible"},
      {"--count 5 --dynamic --reproducible", "--dynamic: cannot be used with --reproducible"},
      {"--count 5 --platform platform.json --transfer 1 --compute 1", "--transfer: cannot be used with --platform"},
      {"--count 5 --platform platform.json --algorithm fibonacci", "--algorithm: 'fibonacci'"},
      {"--count 5 --method ecef", "--methods: 'ecef'"},
      {"--count 5 --effort 2", "--effort: no --platform, expected a platform file"},
      {"--count 5 --platform platform.json --effort 0", "--effort: '0', expected a number above 0"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 2, std::string("run reduce ") + each.arguments), each.about);
  }
}

}  // namespace
}  // namespace sluice::testing
