#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kFewMessages =
    "%%MatrixMarket matrix coordinate integer general\n3 2 4\n1 1 100000\n1 2 5\n2 2 70000\n3 1 1\n";

TEST(RunExchange, EveryModeAndMethodDeliversEveryByteOnTheSameRanks) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  const Outcome outcome =
      on_ranks(folder, 3,
               "run exchange traffic.mtx --max-transfers 2 --repetitions 2 --json out.json --method "
               "sluice,sluice-chain,sluice-local,sluice-barrier,sluice-list,alltoallv,all-at-once,"
               "pairwise");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("out.json"));
  EXPECT_EQ(file["problem"], "exchange");
  EXPECT_EQ(file["ranks"], 3);
  EXPECT_EQ(file["bytes_moved"], 170006);
  EXPECT_EQ(file["verified"], true);
  EXPECT_EQ(file["methods"].size(), 8U);
  EXPECT_EQ(file.count("bound_s"), 0U);
}

TEST(RunExchange, PiecesAreAsLongAsOneSays) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  for (const std::string length : {"999", "64KiB", "1Gi"}) {
    SCOPED_TRACE(length);
    const Outcome outcome =
        on_ranks(folder, 3,
                 "run exchange traffic.mtx --max-transfers 2 --repetitions 1 --json out.json --chunk " + length +
                     " --method sluice,sluice-chain,sluice-local,sluice-barrier,sluice-list,sluice-at-once");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(folder.read("out.json"))["verified"], true);
  }
}

TEST(RunExchange, PlansAtSpeedsOverABackboneThatChangesDeliverEveryByte) {
  const Folder folder;
  folder.write("traffic.csv", "0,300000,70000,5\n90000,0,1,120000\n33333,44444,0,55555\n200000,1,2,0\n");
  folder.write("speeds.json",
               "{\"schema\": \"sluice.speeds/1\", \"senders\": [1, 0.3, 1, 2.5], \"receivers\": [1, 0.7, 1, 1],\n"
               " \"backbone\": [{\"time\": 0, \"max_transfers\": 3}, {\"time\": 20000, \"max_transfers\": 1},\n"
               "              {\"time\": 290000, \"max_transfers\": 3}]}\n");
  for (const int ranks : {4, 8}) {
    const Outcome outcome =
        on_ranks(folder, ranks,
                 "run exchange traffic.csv --speeds speeds.json --setup 1000 --repetitions 2 --json out.json "
                 "--method sluice,sluice-chain,sluice-local,sluice-barrier,alltoallv");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(folder.read("out.json"));
    EXPECT_EQ(file["bytes_moved"], 913341);
    EXPECT_EQ(file["verified"], true);
    EXPECT_EQ(file["max_transfers"], 3);
    EXPECT_EQ(file["methods"].size(), 5U);
  }
  for (const std::string use : {"--method sluice-list", "--mode at-once", "--measure", "--max-transfers 3"})
    EXPECT_EQ(on_ranks(folder, 4, "run exchange traffic.csv --speeds speeds.json " + use).status, 2) << use;
}

constexpr const char* kHotSender = "300000,200000,200000\n10,2000,30\n40,50,6000\n";

TEST(RunExchange, LocalPhasesDeliverEveryByteByAPlanAndByAFile) {
  const Folder folder;
  folder.write("traffic.csv", kHotSender);
  const std::string hardware =
      " --backbone 100Mbit --sender-link 33Mbit --receiver-link 33Mbit --latency 1ms --local-links 1Gbit "
      "--local-latency 20us";
  ASSERT_EQ(folder.sluice(words("plan exchange traffic.csv --json plan.json" + hardware)).status, 0);
  const std::string methods =
      " --repetitions 2 --json out.json --method sluice,sluice-chain,sluice-local,sluice-barrier,";
  for (const int ranks : {3, 6}) {
    for (const std::string& by : {hardware, std::string(" --schedule plan.json")}) {
      const Outcome outcome =
          on_ranks(folder, ranks, "run exchange traffic.csv" + by + methods + "sluice-direct,alltoallv");
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const json file = json::parse(folder.read("out.json"));
      EXPECT_EQ(file["bytes_moved"], 708130);
      EXPECT_EQ(file["verified"], true);
      EXPECT_EQ(file["max_transfers"], 3);
      ASSERT_EQ(file["methods"].size(), 6U);
      for (std::size_t i = 0; i < 5; ++i) {
        const auto how = file["methods"][i]["how"].get<std::string>();
        EXPECT_EQ(how.find(" local") != std::string::npos, i < 4) << how;
      }
    }
  }
}

TEST(RunExchange, LocalPhasesRefuseWhatContradictsThem) {
  const Folder folder;
  folder.write("traffic.csv", kHotSender);
  folder.write("other.csv", "1,2,3\n4,5,6\n7,8,9\n");
  folder.write("half.csv", "0.5,0\n0,1\n");
  ASSERT_EQ(folder.sluice(words("plan exchange other.csv --json other.json")).status, 0);
  ASSERT_EQ(folder.sluice(words("plan exchange half.csv --json half.json")).status, 0);
  const std::string hardware =
      " --backbone 100Mbit --sender-link 33Mbit --receiver-link 33Mbit --latency 1ms --local-links 1Gbit";
  const std::vector<std::pair<std::string, std::string>> bad{
      {" --local-links 1Gbit", "--local-links: no speeds of links"},
      {" --local-latency 1ms", "--local-links: missing, needed with --local-latency"},
      {hardware + " --mode list", "--local-links: a mode without a plan"},
      {hardware + " --method sluice-at-once", "--local-links: a mode without a plan"},
      {hardware + " --schedule other.json", "--local-links: cannot be used with --schedule"},
      {" --schedule other.json --max-transfers 2", "--max-transfers: cannot be used with --schedule"},
      {" --schedule other.json --measure", "--measure: cannot be used with --schedule"},
      {" --schedule other.json --mode at-once", "--schedule: a mode without a plan"},
      {" --schedule other.json", "--schedule: units 1 to "},
      {" --schedule half.json", "--schedule: sizes with 1 decimal"},
      {" --schedule missing.json", "missing.json: cannot be read"},
      {" --schedule traffic.csv", "traffic.csv:1:"},
  };
  for (const auto& [options, expected] : bad) {
    const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.csv --json out.json" + options);
    EXPECT_EQ(outcome.status, 2) << options;
    EXPECT_NE(outcome.err.find("error: " + expected), std::string::npos) << options << ": " << outcome.err;
    EXPECT_EQ(std::ranges::count(folder.files(), "out.json"), 0) << options;
  }
}

TEST(RunExchange, ReceiversAreTheRanksBehindTheSendersWhereThereAreEnough) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  const Outcome outcome =
      on_ranks(folder, 5,
               "run exchange traffic.mtx --repetitions 1 --method sluice,pairwise --json - --backbone 8Kbit "
               "--sender-link 8Gbit --receiver-link 8Gbit --latency 1us");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // 170006 bytes at 1000 bytes per second.
  EXPECT_DOUBLE_EQ(json::parse(outcome.out)["bound_s"].get<double>(), 170.006);
}

TEST(RunExchange, KCanBeMeasuredAndFoundWhileItRuns) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  const Outcome outcome = on_ranks(
      folder, 5,
      "run exchange traffic.mtx --measure --adapt-k --repetitions 2 --method sluice,sluice-list --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("measured, by transfers at once: 1: "), std::string::npos) << outcome.out;
  const json file = json::parse(folder.read("out.json"));
  EXPECT_GE(file["max_transfers"], 1);
  EXPECT_LE(file["max_transfers"], 2);
  EXPECT_EQ(file["methods"].size(), 2U);
}

constexpr const char* kThreeAndTwo =
    R"({"schema": "sluice.platform/1", "ranks": 5,
 "clusters": [{"name": "a", "ranks": [0, 1, 2], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000, 1e-5]]},
              {"name": "b", "ranks": [3, 4], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000, 1e-5]]}],
 "links": [{"from": 0, "to": 1, "latency_s": 1e-3, "gap": [[1, 1e-6], [1000, 1e-4]], "connections": 1},
           {"from": 1, "to": 0, "latency_s": 1e-3, "gap": [[1, 1e-6], [1000, 1e-4]], "connections": 2}]})";

TEST(RunExchange, KFollowsFromTheLinksThatThePlatformHas) {
  const Folder folder;
  folder.write("platform.json", kThreeAndTwo);
  struct Way {
    const char* traffic;
    int k;
  };
  // From cluster a to b, from b to a, both ways, and inside b alone, where no link is crossed.
  for (const Way& each : {Way{"3 2 2\n1 1 9\n2 2 9\n", 1}, Way{"5 3 2\n4 1 9\n5 2 9\n", 2},
                          Way{"5 5 2\n4 1 9\n1 5 9\n", 1}, Way{"5 5 1\n4 5 9\n", 5}}) {
    SCOPED_TRACE(each.traffic);
    folder.write("traffic.mtx", std::string("%%MatrixMarket matrix coordinate integer general\n") + each.traffic);
    const Outcome outcome = on_ranks(
        folder, 5, "run exchange traffic.mtx --platform platform.json --repetitions 1 --method sluice --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["max_transfers"], each.k);
  }
}

TEST(RunExchange, RefusesOptionsThatContradictEachOther) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  folder.write("platform.json", kThreeAndTwo);
  folder.write("wide.csv", "1,1,1,1,1,1\n");
  const Case cases[] = {
      {"traffic.mtx --measure --max-transfers 2", "--measure: cannot be used with --max-transfers"},
      {"traffic.mtx --platform platform.json --measure", "--platform: cannot be used with --measure"},
      {"traffic.mtx --adapt-k", "--adapt-k: no method in mode list"},
      {"traffic.mtx --schedule plan.json --algorithm ggp", "--algorithm: cannot be used with --schedule"},
      {"traffic.mtx --mode list --algorithm exact", "--algorithm: a mode without a plan, expected the modes auto, "},
      {"traffic.mtx --mode at-once --algorithm oggp --method sluice", "--algorithm: a mode without a plan"},
      {"traffic.mtx --algorithm oggp --method sluice-list,alltoallv", "--algorithm: a mode without a plan"},
      {"traffic.mtx --chunk 0", "--chunk: '0', expected 1 byte to 1 GiB"},
      {"traffic.mtx --chunk 2Gi", "--chunk: '2Gi', expected 1 byte to 1 GiB"},
      {"traffic.mtx --adapt-k --mode list --method alltoallv", "--adapt-k: no method in mode list"},
      {"traffic.mtx --platform nowhere.json", "nowhere.json"},
      {"wide.csv --platform platform.json", "platform.json: 5 ranks"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 6, std::string("run exchange ") + each.arguments), each.about);
  }
}

TEST(RunExchange, RefusesWhatItCannotRun) {
  const Folder folder;
  folder.write("traffic.mtx", kFewMessages);
  folder.write("real.csv", "0.5,1\n2,3\n");
  expect_refused_once(on_ranks(folder, 2, "run exchange traffic.mtx"), "3 senders and 2 receivers");
  expect_refused_once(on_ranks(folder, 2, "run exchange real.csv"), "fraction");
  expect_refused_once(on_ranks(folder, 3, "run exchange traffic.mtx --mode fast"), "fast");
  expect_refused_once(on_ranks(folder, 3, "run exchange traffic.mtx --method pdgemr2d"), "pdgemr2d");
  expect_refused_once(on_ranks(folder, 3, "run exchange nowhere.mtx"), "nowhere.mtx");
}

}  // namespace
}  // namespace sluice::testing
