#include <gtest/gtest.h>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

class RunBroadcast : public ::testing::Test {
 protected:
  RunBroadcast() { folder_.write("platform.json", kPlatformOfFive); }
  [[nodiscard]] Outcome run(int ranks, const std::string& options) const {
    return on_ranks(folder_, ranks, "run broadcast --platform platform.json " + options);
  }

  Folder folder_;
};

TEST_F(RunBroadcast, EveryMethodDeliversEveryByteOfEverySize) {
  for (const char* size : {"0", "1", "4Ki", "300000"}) {
    SCOPED_TRACE(size);
    const Outcome outcome = run(5, std::string("--root 3 --repetitions 2 --json out.json --size ") + size +
                                       " --method sluice,mpi-bcast,mpi-ibcast,flat,fef,ecef-la-tmax,exact,pipelined,"
                                       "parallel-entry");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(folder_.read("out.json"));
    EXPECT_EQ(file["problem"], "broadcast");
    EXPECT_EQ(file["ranks"], 5);
    EXPECT_EQ(file["verified"], true);
    ASSERT_EQ(file["methods"].size(), 9U);
    for (const json& method : file["methods"]) {
      if (method["name"] == "sluice") continue;  // may be MPI_Bcast
      const bool of_mpi = method["name"] == "mpi-bcast" || method["name"] == "mpi-ibcast";
      EXPECT_EQ(method.contains("predicted_s"), !of_mpi) << method;
    }
  }
}

TEST_F(RunBroadcast, WithoutTryingMpiThePlanIsRun) {
  const Outcome outcome = run(5, "--size 1Mi --model-only --method sluice --repetitions 1 --json -");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json method = json::parse(outcome.out)["methods"][0];
  EXPECT_GT(method["predicted_s"], 0.0);
  EXPECT_NE(method["how"], "native");
}

TEST_F(RunBroadcast, CarriesOutAProgramThatPlanHasWritten) {
  const Outcome plan =
      folder_.sluice(words("plan broadcast --platform platform.json --size 64Ki --root 3 --program program.json"));
  ASSERT_EQ(plan.status, 0) << plan.err;
  const std::string with = "run broadcast --size 64Ki --root 3 --repetitions 1 --method sluice --program program.json";
  const Outcome outcome = on_ranks(folder_, 5, with + " --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder_.read("out.json"));
  EXPECT_EQ(file["verified"], true);
  EXPECT_EQ(file["methods"][0]["predicted_s"], json::parse(folder_.read("program.json"))["length_s"]);
  expect_refused_once(on_ranks(folder_, 5, "run broadcast --size 32Ki --root 3 --program program.json"),
                      "bytes: 32768, expected the 65536 of the program");
  expect_refused_once(on_ranks(folder_, 4, "run broadcast --size 64Ki --root 3 --program program.json"),
                      "program: ranks 5, expected 4");
  const Outcome back = folder_.sluice(
      words("plan broadcast --platform platform.json --size 64Ki --reversed --element-bytes 8 --program back.json"));
  ASSERT_EQ(back.status, 0) << back.err;
  const Outcome reduced = on_ranks(folder_, 5, "run reduce --count 8Ki --repetitions 1 --program back.json");
  EXPECT_EQ(reduced.status, 0) << reduced.err;
  expect_refused_once(on_ranks(folder_, 5, "run reduce --count 8Ki --program program.json"),
                      "program: broadcast, expected reduce");
  for (const char* given :
       {"broadcast --size 64Ki --root 3 --program program.json", "reduce --count 8Ki --program back.json"})
    expect_refused_once(on_ranks(folder_, 5, std::string("run ") + given + " --platform platform.json"),
                        "--program: cannot be used with --platform, expected one of the two");
}

TEST_F(RunBroadcast, NeedsNoPlatform) {
  const Outcome by_name =
      on_ranks(folder_, 3, "run broadcast --size 300K --root 1 --repetitions 1 --methods mpi-ibcast --json -");
  ASSERT_EQ(by_name.status, 0) << by_name.err;
  EXPECT_EQ(json::parse(by_name.out)["methods"][0]["name"], "mpi-ibcast");
  const Outcome outcome = on_ranks(folder_, 3, "run broadcast --size 300K --root 1 --repetitions 2");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"broadcast: 300 kB from rank 1 to 3 ranks", "mpi-bcast", "flat tree", "verified: every byte"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
}

TEST_F(RunBroadcast, RefusesBadOptions) {
  folder_.write("damaged.json", R"({"schema": "sluice.platform/1", "ranks": 5, "clusters": []})");
  expect_refused_once(run(4, "--size 1"), "platform.json: 5 ranks, expected as many as mpirun started: 4");
  const Case cases[] = {
      {"--size -1", "--size: '-1'"},
      {"", "--size"},
      {"--size 1 --root 5", "--root: '5'"},
      {"--size 1 --method telepathy", "--methods: 'telepathy'"},
      {"--size 1 --method mpi-bcast,mpi-bcast", "'mpi-bcast' twice"},
      {"--size 1 --method sluice,all", "'all' and other names, expected all alone, or the names"},
      {"--size 1 --json nowhere/out.json", "nowhere/out.json"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(run(5, each.arguments), each.about);
  }
  for (const char* planned : {"--method flat", "--segments 2", "--model-only"})
    expect_refused_once(on_ranks(folder_, 2, std::string("run broadcast --size 1 ") + planned), "--platform");
  expect_refused_once(on_ranks(folder_, 2, "run broadcast --size 1 --root 2"), "--root: '2'");
  expect_refused_once(on_ranks(folder_, 2, "run broadcast --size 1 --platform nowhere.json"), "nowhere.json");
  expect_refused_once(on_ranks(folder_, 2, "run broadcast --size 1 --platform damaged.json"), "damaged.json");
}

}  // namespace
}  // namespace sluice::testing
