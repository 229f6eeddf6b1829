#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

const std::string kEightyEight = std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json";

Arguments with_words(Arguments start, const std::string& more) {
  for (const std::string& word : words(more)) start.push_back(word);
  return start;
}

TEST(Broadcast, PredictsEveryStrategyAndMarksTheBest) {
  const Folder folder;
  const Outcome outcome = folder.sluice(with_words({"predict", "broadcast", "--platform", kEightyEight}, "--size 4Mi"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"cluster orsay-a: 31 ranks, 4.19 MB", "segmented-chain", "binomial-rendezvous",
                           "scatter-collection", "cluster idpot-b: 1 rank,"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text;
}

TEST(Broadcast, PlansTreesThatCheckAccepts) {
  const Folder folder;
  for (const char* algorithm : {"flat", "ecef-la-tmax", "exact", "auto", "pipelined", "parallel-entry"}) {
    const Outcome outcome =
        folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight},
                                 std::string("--size 64Ki --json plan.json --algorithm ") + algorithm));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Outcome check = folder.sluice({"check", "plan.json"});
    EXPECT_EQ(check.status, 0) << algorithm << check.out << check.err;
    EXPECT_EQ(json::parse(folder.read("plan.json"))["algorithm"], algorithm);
  }
}

TEST(Broadcast, PlansTheReductionTheOtherWayRoundThatCheckAccepts) {
  const Folder folder;
  for (const std::string algorithm : {"ecef-la", "exact", "pipelined", "parallel-entry", "auto"}) {
    const std::string how = std::string("--size 1Mi --root 70 --json plan.json --reversed --algorithm ") + algorithm;
    const Outcome outcome = folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight}, how));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Outcome check = folder.sluice({"check", "plan.json"});
    EXPECT_EQ(check.status, 0) << check.out << check.err;
    const json file = json::parse(folder.read("plan.json"));
    EXPECT_EQ(file["problem"], "reduce");
    if (algorithm == "ecef-la") {
      EXPECT_EQ(file["root"], 5);
      EXPECT_EQ(file["transfers"].size(), 5U);
    }
    EXPECT_TRUE(file["over_links"]);
  }
  const Outcome outcome = folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight},
                                                   "--size 1Mi --reversed --segments 1 --early-internal"));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("error: --reversed"), std::string::npos) << outcome.err;
}

TEST(Broadcast, WritesProgramsThatCheckAndSimulateRead) {
  const Folder folder;
  for (const char* direction : {"", " --reversed"}) {
    for (const std::string algorithm : {"ecef-la", "auto"}) {
      SCOPED_TRACE(algorithm + direction);
      const Outcome outcome = folder.sluice(
          with_words({"plan", "broadcast", "--platform", kEightyEight},
                     "--size 64Ki --root 70 --program program.json --algorithm " + algorithm + direction));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const json file = json::parse(folder.read("program.json"));
      EXPECT_EQ(file["schema"], "sluice.program/1");
      EXPECT_EQ(file["problem"], direction[0] == 0 ? "broadcast" : "reduce");
      EXPECT_EQ(file["root"], 70);
      EXPECT_EQ(file["size_bytes"], 65'536);
      const Outcome check = folder.sluice({"check", "program.json"});
      EXPECT_EQ(check.status, 0) << check.out << check.err;
      const Outcome simulate = folder.sluice({"simulate", "program.json", "--platform", kEightyEight});
      EXPECT_EQ(simulate.status, 0) << simulate.err;
    }
  }
}

/// The files hold the plan of the tree, and the output shows the length of this plan. A row tells of the shorter
/// program.
TEST(Broadcast, TheFileOfAReductionsTreeTellsOfTheShorterProgram) {
  const Folder folder;
  folder.write("platform.json", R"({"schema": "sluice.platform/1", "ranks": 13, "clusters": [
      {"name": "a", "ranks": [0], "latency_s": 1e-4, "gap": [[1, 2e-6], [16777216, 0.016779216]]},
      {"name": "b", "ranks": [1, 2, 3, 4, 5, 6], "latency_s": 5e-5, "gap": [[1, 2e-6], [16777216, 0.16777416]]},
      {"name": "c", "ranks": [7, 8, 9, 10, 11, 12], "latency_s": 1e-4, "gap": [[1, 2e-6], [16777216, 0.016779216]]}],
      "links": [
      {"from": 0, "to": 1, "latency_s": 1e-3, "gap": [[1, 2e-6], [16777216, 0.16777216]], "connections": 2},
      {"from": 0, "to": 2, "latency_s": 1e-4, "gap": [[1, 2e-6], [16777216, 0.16777216]], "connections": 1},
      {"from": 1, "to": 2, "latency_s": 5e-3, "gap": [[1, 2e-6], [16777216, 16.777216]], "connections": 2}]})");
  const std::string plan = "plan broadcast --platform platform.json --size 64Ki --element-bytes 8 --reversed --summary";
  const auto length_ms = [&](const std::string& file) {
    return fmt::format("{:.2f} ms", 1e3 * json::parse(folder.read(file))["length_s"].get<double>());
  };
  const Outcome alone = folder.sluice(words(plan + " --program alone.json"));
  ASSERT_EQ(alone.status, 0) << alone.err;
  const Outcome both = folder.sluice(words(plan + " --json tree.json --program both.json"));
  ASSERT_EQ(both.status, 0) << both.err;
  EXPECT_NE(length_ms("alone.json"), length_ms("both.json"));
  EXPECT_NE(alone.out.find("\nlength       " + length_ms("alone.json") + "  grouped-exchange, "), std::string::npos)
      << alone.out;
  EXPECT_NE(both.out.find("\nlength       " + length_ms("both.json") + "  auto between clusters, "), std::string::npos)
      << both.out;
  EXPECT_NE(both.out.find("\na program    " + length_ms("alone.json") +
                          "  grouped-exchange, 3 groups, circulant inside: "
                          "what --program writes without --json and --tree\n"),
            std::string::npos)
      << both.out;
  // A tree that was asked for by name is what was wanted.
  const Outcome named = folder.sluice(words(plan + " --json tree.json --algorithm flat"));
  EXPECT_EQ(named.out.find("a program"), std::string::npos) << named.out;
}

/// What the MPI does inside of a cluster is no message of a program.
TEST(Broadcast, WritesNoProgramThatIsNotAll) {
  const Folder folder;
  folder.write("measured.json", R"({"schema": "sluice.platform/1", "ranks": 3, "clusters": [
      {"name": "a", "ranks": [0, 1, 2], "latency_s": 1e-5, "gap": [[1, 1e-6], [1048576, 0.01]],
       "broadcast": [[1, 1e-7], [1048576, 1e-6]]}], "links": []})");
  const std::string plan = "plan broadcast --platform measured.json --size 64Ki --program program.json";
  const Outcome refused = folder.sluice(words(plan));
  expect_refused(refused, "--program: a plan that leaves some ranks to MPI_Bcast");
  EXPECT_EQ(folder.files().size(), 1U);
  const Outcome outcome = folder.sluice(words(plan + " --algorithm pipelined"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Broadcast, ComparesAllOnOneModelWithOneSegment) {
  const Folder folder;
  const Outcome outcome = folder.sluice(
      with_words({"compare", "broadcast", "--platform", kEightyEight}, "--size 1Mi --segments 1 --json -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(outcome.out);
  double best = 1e9, found = -1;
  for (const json& row : file["rows"]) {
    const std::string name = row["algorithm"];
    if (name == "auto") found = row["length"];
    if (name != "pipelined" && name != "parallel-entry") best = std::min(best, row["length"].get<double>());
  }
  EXPECT_EQ(found, best);
}

/// The bound knows that messages share uplinks, which the length of a schedule does not: where one is below it, ratios
/// are of the time that knows it, too.
TEST(Broadcast, RatiosAreOfATimeThatKnowsUplinks) {
  const Folder folder;
  folder.write("shared.json", R"({"schema": "sluice.platform/2", "link": {"latency_s": 1e-4, "gap": [[1, 1e-3]]},
      "parts": [{"name": "a", "link": {"latency_s": 1e-5, "gap": [[1, 1e-4]]}, "uplink": [[1, 1]],
                 "parts": [{"name": "b", "ranks": 1}, {"name": "c", "ranks": 1}]},
                {"name": "d", "ranks": 1}, {"name": "e", "ranks": 1}]})");
  const std::string task = "compare broadcast --platform shared.json --size 1 --segments 1 ";
  ASSERT_EQ(folder.sluice(words(task + "--json compare.json --svg bars.svg")).status, 0);
  const json file = json::parse(folder.read("compare.json"));
  const double bound = file["bound"]["length"];
  bool shorter = false;
  for (const json& row : file["rows"]) {
    EXPECT_NEAR(row["ratio"].get<double>(), row["program_s"].get<double>() / bound, 1e-9) << row;
    EXPECT_GE(row["ratio"].get<double>(), 1 - 1e-9) << row;
    shorter = shorter || row["length"].get<double>() < bound;
  }
  EXPECT_TRUE(shorter) << file;
  EXPECT_NE(folder.read("bars.svg").find("length over the lower bound"), std::string::npos);
  ASSERT_EQ(folder.sluice(words("report compare.json -o page.html")).status, 0);
  EXPECT_NE(folder.read("page.html").find("Length of each algorithm"), std::string::npos);
}

/// The length of a tree between clusters knows less than a replay, which is the only length of other plans.
TEST(Broadcast, RatiosAreOfOneTimeForAllPlans) {
  const Folder folder;
  folder.write("two.json", R"({"schema": "sluice.platform/2", "ranks": 2,
      "link": {"latency_s": 1e-06, "gap": [[1, 1e-05], [1048576, 1e-05]]}})");
  const auto ratios_of = [&](const std::string& algorithms, const char* time) {
    const Outcome outcome = folder.sluice(
        words("compare broadcast --platform two.json --size 64 --json compare.json --algorithms " + algorithms));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(folder.read("compare.json"));
    for (const json& row : file["rows"])
      EXPECT_NEAR(row["ratio"].get<double>(), row[time].get<double>() / file["bound"]["length"].get<double>(), 1e-9)
          << row;
  };
  ratios_of("all", "program_s");
  ratios_of("flat,exact", "length");
}

/// The output for one cluster shows the length and the bound of the program, and neither a length nor bounds of a tree
/// between clusters.
TEST(Broadcast, HasOneLengthAndOneBound) {
  const Folder folder;
  folder.write("one.json", R"({"schema": "sluice.platform/2", "ranks": 8,
      "link": {"latency_s": 1e-06, "gap": [[1, 2e-06], [1048576, 1e-4]]}})");
  for (const char* algorithm : {"auto", "flat", "exact"}) {
    const Outcome outcome = folder.sluice(
        words(std::string("plan broadcast --platform one.json --size 1Mi --summary --program p.json --algorithm ") +
              algorithm));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json program = json::parse(folder.read("p.json"));
    const std::string length = fmt::format("\nlength       {:.0f} us  ", 1e6 * program["length_s"].get<double>());
    EXPECT_NE(outcome.out.find(length), std::string::npos) << length << outcome.out;
    EXPECT_NE(outcome.out.find(fmt::format("\nlower bound  {:.0f} us  ratio ", 1e6 * program["bound_s"].get<double>())),
              std::string::npos)
        << outcome.out;
    for (const char* other : {"upper bound", "ranks done", "any method", "optimal"})
      EXPECT_EQ(outcome.out.find(other), std::string::npos) << outcome.out;
  }
}

/// A tree of whole messages is far from what messages in parts can do, however near its own bound it is.
TEST(Broadcast, SaysWhatItsBoundsHoldFor) {
  const Folder folder;
  const Arguments start = with_words({"plan", "broadcast", "--platform", kEightyEight}, "--size 1Mi --summary");
  const Outcome tree = folder.sluice(with_words(start, "--algorithm exact --segments 1"));
  EXPECT_EQ(tree.status, 0) << tree.err;
  EXPECT_NE(tree.out.find(", proven to be the shortest tree of whole messages, at most 5"), std::string::npos)
      << tree.out;
  EXPECT_NE(tree.out.find("\nlower bound  19.2 ms  ratio 6."), std::string::npos) << tree.out;
  const Outcome compared = folder.sluice(
      with_words({"compare", "broadcast", "--platform", kEightyEight}, "--size 1Mi --segments 1 --json -"));
  EXPECT_NEAR(json::parse(compared.out)["bound"]["length"].get<double>(), 0.0192, 0.0001) << compared.out;
}

TEST(Broadcast, TakesTheStrategyInsideThatIsAskedFor) {
  const Folder folder;
  std::vector<double> lengths;
  for (const char* inside : {"binomial", "chain", "segmented-chain"}) {
    const Outcome outcome =
        folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight},
                                 std::string("--size 1Mi --algorithm ecef --json - --inside ") + inside));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    lengths.push_back(json::parse(outcome.out)["length"]);
  }
  EXPECT_LT(lengths[2], lengths[0]);
  EXPECT_LT(lengths[0], lengths[1]);
}

TEST(Broadcast, NothingToSendTakesNoTime) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight}, "--size 0 --json -"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["length"], 0);
}

TEST(Broadcast, ATimeLimitEndsTheSearch) {
  const Folder folder;
  const Arguments task = with_words({"plan", "broadcast", "--platform", kEightyEight}, "--size 64Ki --summary");
  EXPECT_EQ(folder.sluice(with_words(task, "--effort 2")).out.find("stopped"), std::string::npos);
  const Outcome cut = folder.sluice(with_words(task, "--effort 1e6 --time-limit 0"));
  EXPECT_EQ(cut.status, 0) << cut.err;
  EXPECT_NE(cut.out.find("; stopped by the time limit\n"), std::string::npos) << cut.out;
}

TEST(Broadcast, BadInputIsRefusedInOneLine) {
  const Folder folder;
  const auto refused = [&](const std::string& more, const std::string& about) {
    expect_refused(folder.sluice(with_words({"plan", "broadcast", "--platform", kEightyEight}, more)), about);
  };
  refused("--size 1Mi --root 88", "--root: '88'");
  refused("--size -1", "--size");
  refused("--json out.json", "--size: nothing");
  refused("--size 1Mi --segments 0", "--segments");
  refused("--size 1Mi --algorithm best", "--algorithm: 'best'");
  refused("--size 1Mi --algorithm native", "algorithm native: 6 clusters");
  refused("--size 1Mi --lookahead far", "--lookahead: 'far'");
  refused("--size 1Mi --effort 0", "--effort: '0'");
  refused("--size 1Mi --early-internal", "--early-internal");
  refused("--size 1Mi --inside chain-rendezvous", "--inside: 'chain-rendezvous', expected one of flat, ");
  refused("--size 1Mi --inside chain --algorithm pipelined", "--inside: algorithm pipelined");
  refused("--size 1Mi --program missing/program.json", "missing/program.json: cannot be written");
  expect_refused(folder.sluice(words("plan broadcast --size 1Mi")), "--platform: nothing");
  expect_refused(folder.sluice(words("predict broadcast --size 1Mi --platform missing.json")), "missing.json");
  expect_refused(folder.sluice(words("predict")), "sluice predict: no problem");
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace sluice::testing
