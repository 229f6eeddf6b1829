#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

Outcome on_ranks(const Folder& folder, int ranks, const std::string& arguments) {
  Arguments command{SLUICE_LAUNCHER, SLUICE_LAUNCHER_RANKS, std::to_string(ranks), SLUICE_COMMAND};
  for (const std::string& word : words(arguments)) command.push_back(word);
  return folder.run(command, words(SLUICE_LAUNCHER_ENVIRONMENT));
}

std::vector<std::string> error_lines(const Outcome& outcome) {
  std::vector<std::string> result;
  for (const std::string& line : lines(outcome.err))
    if (line.find("error: ") != std::string::npos) result.push_back(line);
  return result;
}

/// As expect_refused, but for what the launcher adds.
void expect_refused_once(const Outcome& outcome, const std::string& about) {
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out.find("redistribute"), std::string::npos) << outcome.out;
  const std::vector<std::string> errors = error_lines(outcome);
  ASSERT_EQ(errors.size(), 1U) << outcome.err;
  EXPECT_EQ(errors.front().rfind("error: ", 0), 0U) << errors.front();
  EXPECT_NE(errors.front().find(about), std::string::npos) << errors.front() << "\nlacks: " << about;
}

TEST(Run, JsonHasTheFieldsOfTheContract) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 4, "run redistribute --from 2x2:3x2 --to 1x4:5x3 --shape 60x50 --repetitions 3 --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(error_lines(outcome).empty()) << outcome.err;
  const ordered_json file = ordered_json::parse(folder.read("out.json"));
  std::vector<std::string> fields;
  for (const auto& [name, value] : file.items()) fields.push_back(name);
  EXPECT_EQ(fields, (std::vector<std::string>{"schema", "problem", "ranks", "bytes_moved", "verified", "repetitions",
                                              "methods"}));
  EXPECT_EQ(file["schema"], "sluice.run/1");
  EXPECT_EQ(file["problem"], "redistribute");
  EXPECT_EQ(file["ranks"], 4);
  EXPECT_EQ(file["bytes_moved"], 60 * 50 * 8);
  EXPECT_EQ(file["verified"], true);
  EXPECT_EQ(file["repetitions"], 3);
  std::set<std::string> names;
  for (const ordered_json& method : file["methods"]) {
    fields.clear();
    for (const auto& [name, value] : method.items()) fields.push_back(name);
    EXPECT_EQ(fields, (std::vector<std::string>{"name", "median_s", "min_s", "max_s", "peak_extra_bytes"}));
    EXPECT_GT(method["min_s"], 0);
    EXPECT_LE(method["min_s"], method["median_s"]);
    EXPECT_LE(method["median_s"], method["max_s"]);
    EXPECT_GE(method["peak_extra_bytes"], 0);
    names.insert(method["name"]);
  }
  EXPECT_EQ(file["methods"][0]["name"], "sluice");
  for (const char* name : {"caterpillar", "alltoallv", "alltoallw"}) EXPECT_EQ(names.count(name), 1U) << name;
}

TEST(Run, TheTableIsPrintedOnceAndSaysThatEveryByteIsVerified) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 3,
                                   "run redistribute --from 3:4 --to 2:5 --shape 1000 --element-bytes 3 "
                                   "--repetitions 2 --method alltoallw,sluice,sluice-caterpillar --algorithm stepwise");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> shown = lines(outcome.out);
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(shown.front(), "redistribute 3:4 -> 2:5: 1000 elements of 3 bytes (3.00 kB), 3 senders, 2 receivers");
  std::vector<std::string> methods;
  for (const std::string& line : shown) {
    const Arguments cells = words(line);
    if (cells.size() > 7) methods.push_back(cells.front());
  }
  methods.erase(methods.begin());  // the line above
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "alltoallw"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "sluice-stepwise"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "sluice-caterpillar"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "alltoallv"), 0) << outcome.out;
  EXPECT_EQ(shown.back().rfind("verified: every byte of 3.00 kB", 0), 0U) << shown.back();
}

TEST(Run, WorksAloneAndWithRanksThatHaveNothingToDo) {
  const Folder folder;
  const std::string arguments = "run redistribute --from 1:2 --to 1:3 --shape 100 --repetitions 1 --json -";
  EXPECT_EQ(json::parse(folder.sluice(words(arguments)).out)["verified"], true);
  EXPECT_EQ(json::parse(on_ranks(folder, 2, arguments).out)["ranks"], 2);
}

TEST(Run, AnEmptyArrayIsFine) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 2, "run redistribute --from 2:2 --to 2:3 --shape 0 --repetitions 1 --json -");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["bytes_moved"], 0);
}

struct Case {
  const char* arguments;
  const char* about;
};

TEST(Run, BadInputIsRefusedByAllRanksInOneLine) {
  const Case cases[] = {
      {"run", "sluice run: no problem"},
      {"run redistribute --from 2:1 --to 2:3 --shape 10 --frobnicate", "'--frobnicate'"},
      {"run redistribute --from 2:one --to 2:3 --shape 10 --json out.json", "--from: 'one'"},
      {"run redistribute --from 3:1 --to 2:3 --shape 10 --json out.json",
       "--from: 3 processes in '3:1', expected at most the 2 ranks"},
      {"run redistribute --from 2:2 --to 2:3 --shape 10 --method sluice,sluice-classes", "gcd(r, Q) = gcd(2, 2) = 2"},
      {"run redistribute --from 2:1 --to 2:3 --shape 1000000G", "arrays on one node"},
      {"run redistribute --from 2:1 --to 2:3 --shape 10 --json missing/out.json",
       "missing/out.json: cannot be written"},
      {"study -o figures redistribute-paragon", "2 ranks, expected 16"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 2, each.arguments), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(Run, BadInputIsRefusedWithoutLauncherToo) {
  const std::string good = "run redistribute --json out.json --from 1:1 --to 1:3 --shape 10";
  const Case cases[] = {
      {"run redistribute --from 1:1 --to 1:3 --json out.json", "--shape: no shape"},
      {"run redistribute --from 1:1 --to 1x1:3x3 --shape 10", "--to: '1x1:3x3' of 2 dimensions"},
      {"run redistribute --from 1x1:1x1 --to 4x2:1x1 --shape 10x10", "--to: 8 processes"},
      {"--method telepathy", "--method: 'telepathy'"},
      {"--method sluice-telepathy", "--method sluice-telepathy: 'telepathy'"},
      {"--method sluice-walker-otto", "walker-otto"},
      {"--method sluice,sluice", "'sluice' twice"},
      {"--method sluice,", "--method: ''"},
      {"--method pdgemr2d", "'pdgemr2d'"},
      {"--algorithm telepathy", "--algorithm: 'telepathy'"},
      {"--algorithm walker-otto", "--algorithm: walker-otto"},
      {"--repetitions 0", "--repetitions: '0'"},
      {"--repetitions many", "--repetitions: 'many'"},
      {"--element-bytes 0", "--element-bytes: '0'"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    const bool whole = std::string(each.arguments).rfind("run ", 0) == 0;
    expect_refused(folder.sluice(words(whole ? each.arguments : good + ' ' + each.arguments)), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
  expect_refused(folder.sluice(words("run redistribute --from 1:1 --to 1:3 --shape 10 --json .")),
                 ".: cannot be written");
}

TEST(Run, HelpIsPrintedOnce) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 2, "run redistribute --help");
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> shown = lines(outcome.out);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "Usage: sluice run redistribute [OPTIONS]"), 1) << outcome.out;
}

#if SLUICE_RANKS_YIELD
TEST(Study, ParagonWritesItsFigures) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 16, "study redistribute-paragon --quick -o figures");
  ASSERT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const std::string number : {"2", "3", "4"}) {
    const std::vector<std::string> rows = lines(folder.read("figures/figure" + number + ".csv"));
    ASSERT_EQ(rows.size(), 4U);
    EXPECT_EQ(rows[0].rfind("elements,bytes,", 0), 0U) << rows[0];
    EXPECT_NE(folder.read("figures/figure" + number + ".gp").find("plot \"figure" + number + ".csv\""),
              std::string::npos);
    // Without gnuplot the command says so instead.
    if (outcome.err.find("gnuplot is not installed") == std::string::npos) {
      EXPECT_NE(folder.read("figures/figure" + number + ".svg").find("</svg>"), std::string::npos);
    }
  }
  EXPECT_EQ(lines(outcome.out).back(), "every byte verified; written to figures");
}
#endif

constexpr const char* kSmallTraffic =
    "%%MatrixMarket matrix coordinate integer general\n3 2 4\n1 1 100000\n1 2 5\n2 2 70000\n3 1 1\n";

TEST(RunExchange, EveryModeAndMethodDeliversEveryByteOnTheSameRanks) {
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
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

TEST(RunExchange, ReceiversAreTheRanksBehindTheSendersWhereThereAreEnough) {
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome outcome =
      on_ranks(folder, 5,
               "run exchange traffic.mtx --repetitions 1 --method sluice,pairwise --json - --backbone 8Kbit "
               "--sender-link 8Gbit --receiver-link 8Gbit --latency 1us");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  // 170006 bytes at 1000 bytes a second.
  EXPECT_DOUBLE_EQ(json::parse(outcome.out)["bound_s"].get<double>(), 170.006);
}

TEST(RunExchange, KCanBeMeasuredAndFoundWhileItRuns) {
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome outcome =
      on_ranks(folder, 5,
               "run exchange traffic.mtx --measure --tune --repetitions 2 --method sluice,sluice-list --json out.json");
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
  folder.write("traffic.mtx", kSmallTraffic);
  folder.write("platform.json", kThreeAndTwo);
  folder.write("wide.csv", "1,1,1,1,1,1\n");
  const Case cases[] = {
      {"traffic.mtx --measure --max-transfers 2", "--measure: --max-transfers beside it"},
      {"traffic.mtx --platform platform.json --measure", "--platform: --measure beside it"},
      {"traffic.mtx --tune", "--tune: mode auto"},
      {"traffic.mtx --tune --mode list --method alltoallv", "--tune: mode list"},
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
  folder.write("traffic.mtx", kSmallTraffic);
  folder.write("real.csv", "0.5,1\n2,3\n");
  expect_refused_once(on_ranks(folder, 2, "run exchange traffic.mtx"), "3 senders and 2 receivers");
  expect_refused_once(on_ranks(folder, 2, "run exchange real.csv"), "fraction");
  expect_refused_once(on_ranks(folder, 3, "run exchange traffic.mtx --mode fast"), "fast");
  expect_refused_once(on_ranks(folder, 3, "run exchange traffic.mtx --method pdgemr2d"), "pdgemr2d");
  expect_refused_once(on_ranks(folder, 3, "run exchange nowhere.mtx"), "nowhere.mtx");
}

TEST(RunReduce, EveryOperationIsVerifiedByEveryMethod) {
  const Folder folder;
  for (const std::string arguments :
       {"--count 2000 --operation sum --root 2 --transfer 1 --compute 2 --segments 3", "--count 12 --operation matmul",
        "--count 1000 --operation merge --root 1", "--count 100 --operation sleep:2 --dynamic --no-thread"}) {
    SCOPED_TRACE(arguments);
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
      EXPECT_EQ(method.contains("predicted_s"), names.back() != "mpi-reduce");
    }
    EXPECT_EQ(names, (std::vector<std::string>{"sluice", "mpi-reduce", "binomial", "flat", "fibonacci"}));
  }
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
  const Outcome outcome =
      on_ranks(folder, 2, "run reduce --count 9 --transfer 0.5 --compute 0.25 --method sluice --repetitions 1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("d = 500 ms, c = 250 ms, given\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("overlap: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" 750 ms "), std::string::npos) << outcome.out;
}

TEST(RunReduce, RefusesBadOptions) {
  const Folder folder;
  const Case cases[] = {
      {"", "--count: nothing"},
      {"--count 0 --operation matmul", "count: 0"},
      {"--count 5 --operation sleep:soon", "--operation: 'soon'"},
      {"--count 5 --root 2", "--root: '2'"},
      {"--count 5 --transfer 1", "--compute: nothing"},
      {"--count 5 --transfer 1 --compute 1 --segments auto", "--segments: auto"},
      {"--count 5 --operation merge --segments 2", "--segments: 2"},
      {"--count 5 --method sluice,best", "--method: 'best'"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 2, std::string("run reduce ") + each.arguments), each.about);
  }
}

}  // namespace
}  // namespace sluice::testing
