// plan reduce, compare reduce, and check of what they write.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "command_runner.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

std::vector<std::string> reduce_algorithms() {
  std::vector<std::string> result;
  for (const Algorithm& algorithm : algorithms("reduce")) result.emplace_back(algorithm.name);
  result.emplace_back("auto");
  return result;
}

TEST(PlanReduce, LengthBoundsAndTransfersOfAnExampleWorkedByHand) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  // 0 receives one element while it combines the one before: 1 + 3 * 1.
  EXPECT_EQ(outcome.out,
            "reduce: 4 machines, d = 1, c = 1\n"
            "algorithm: auto, proven optimal\n"
            "\n"
            "length            4  optimal\n"
            "optimum at least  4  ratio 1.000\n"
            "lower bound       2  ratio 2.000\n"
            "upper bound       4\n"
            "transfers         3\n"
            "reducers          1  machines that combine\n"
            "depth             1  transfers on the longest path to the root\n"
            "degree            3  the most machines that send to one\n"
            "\n"
            "start  end  sender->receiver\n"
            "    0    1  3->0\n"
            "    1    2  2->0\n"
            "    2    3  1->0\n");
}

TEST(PlanReduce, EveryPlanIsSoundAndAsLongAsTheTableSays) {
  const Folder folder;
  folder.write("dates", "% waves\n0\n0.5\n\n3\n# late\n 7e0 \r\n0\n");
  folder.write("senders", "% each sender\n1\n2\n3\n1\n2\n");
  folder.write("links", "0,1,2,3,4\n1, 0, 2, 3, 4\n# row\n5,5,0,5,5\n1,1,1,0,1\n2,4,2,4,0\n");
  folder.write("combining", "1\n2\n1\n3\n0.5\n");
  std::set<std::string> sound;
  for (const std::string options :
       {"--machines 1 --transfer 2 --compute 1", "--machines 10 --transfer 2 --compute 1 --root 7",
        "--machines 9 --transfer 0 --compute 1 --max-transfers 2",
        "--machines 9 --transfer 1 --compute 0 --max-reducers 2",
        "--machines 10 --transfer 1 --compute 1 --max-transfers 3 --max-reducers 2",
        "--machines 11 --transfer 1.5 --compute 1 --non-commutative --root 4",
        "--machines 40 --transfer 1 --compute 2 --segments 8",
        "--machines 5 --transfer-costs senders --compute-costs combining",
        "--machines 5 --transfer-costs links --compute 1 --max-transfers 2 --root any",
        "--machines 5 --transfer 2 --compute-costs combining --arrivals dates --non-commutative --root 2",
        "--machines 5 --transfer-costs links --compute-costs combining --arrivals dates --max-reducers 2 --segments 3",
        "--machines 30 --transfer 2 --compute 1 --segments auto --max-transfers 4 --transfer-overhead 0.5",
        "--machines 5 --transfer 1 --compute 2 --arrivals dates",
        "--machines 6 --transfer 8 --compute 8 --segments auto --transfer-overhead 0.5 --max-segments 20 --root any"}) {
    for (const std::string& name : reduce_algorithms()) {
      const std::string command =
          fmt::format("plan reduce {} --algorithm {}{}", options, name, name == "k-ary" ? " --arity 3" : "");
      SCOPED_TRACE(command);
      const Outcome shown = folder.sluice(words(command + " --all --json plan.json"));
      if (shown.status != 0) {  // a given tree that a limit or an order rules out
        EXPECT_NE(name, "auto");
        expect_refused(shown, "algorithm " + name + ": ");
        continue;
      }
      sound.insert(name);
      const json plan = json::parse(folder.read("plan.json"));
      EXPECT_EQ(plan.at("schema"), "sluice.schedule/1");
      EXPECT_EQ(plan.at("type"), "tree");
      EXPECT_EQ(plan.at("algorithm"), name);
      const std::size_t transfers = plan.at("transfers").size();
      const Outcome checked = folder.sluice(words("check plan.json"));
      const std::string ok =
          fmt::format("ok: plan.json: reduce of {}, {}, length ", count_text(plan.at("machines").get<int>(), "machine"),
                      count_text(static_cast<std::int64_t>(transfers), "transfer"));
      ASSERT_EQ(checked.out.rfind(ok, 0), 0U) << checked.out;
      EXPECT_NEAR(std::stod(checked.out.substr(ok.size())), plan.at("length").get<double>(), 1e-6);
      EXPECT_EQ(checked.status, 0);
      const Outcome summary = folder.sluice(words(command + " --summary"));
      EXPECT_EQ(summary.status, 0);
      EXPECT_EQ(shown.out.rfind(summary.out, 0), 0U) << shown.out << summary.out;
      EXPECT_EQ(lines(shown.out).size(), lines(summary.out).size() + 2 + transfers);
      EXPECT_EQ(folder.sluice(words(command + " --json -")).out, folder.read("plan.json"));
    }
  }
  EXPECT_EQ(sound.size(), reduce_algorithms().size());
}

/// Worked by hand: machine 1 has been combined at 2, so the root's port is free for machine 2, whose link is slow.
TEST(PlanReduce, CostsOfLinksOfAnExampleWorkedByHand) {
  const Folder folder;
  folder.write("links", "0,0,0\n1,0,9\n4,5,0\n");
  folder.write("combining", "1\n2\n7\n");
  const Outcome outcome = folder.sluice(
      words("plan reduce --machines 3 --transfer-costs links --compute-costs combining --json plan.json"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.out,
            "reduce: 3 machines, d of links, c of combining\n"
            "algorithm: auto, proven optimal\n"
            "\n"
            "length       6  optimal\n"
            "lower bound  6  ratio 1.000\n"
            "upper bound  7\n"
            "transfers    2\n"
            "reducers     1  machines that combine\n"
            "depth        1  transfers on the longest path to the root\n"
            "degree       2  the most machines that send to one\n"
            "\n"
            "start  end  sender->receiver\n"
            "    0    1  1->0\n"
            "    1    5  2->0\n");
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("transfer_costs"), (json{0, 0, 0, 1, 0, 9, 4, 5, 0}));
  EXPECT_EQ(plan.at("compute_costs"), (json{1, 2, 7}));
  EXPECT_FALSE(plan.contains("transfer"));
  const Outcome simulated = folder.sluice(words("simulate plan.json"));
  EXPECT_EQ(simulated.status, 0);
  json slow = plan;
  slow["transfer_costs"][6] = 4.5;
  EXPECT_EQ(folder.sluice({"check", "-"}, slow.dump()).status, 1);
}

TEST(PlanReduce, WritesWhatRanksDo) {
  const Folder folder;
  folder.write("senders", "1\n2\n3\n1\n2\n");
  const std::string plan = "plan reduce --machines 5 --transfer-costs senders --compute 1 --root 3 --non-commutative ";
  const Outcome written = folder.sluice(words(plan + "--summary --program p.json --size 1Ki --element-bytes 8"));
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(folder.sluice(words("check p.json")).status, 0);
  EXPECT_EQ(json::parse(folder.sluice(words(plan + "--program - --size 1Ki --element-bytes 8")).out),
            json::parse(folder.read("p.json")));
  EXPECT_EQ(json::parse(folder.read("p.json")).at("operations").size(), 8U);
  // Elements as run reduce has them, where the size is a number of these.
  EXPECT_EQ(json::parse(folder.sluice(words(plan + "--program - --size 1Ki")).out), json::parse(folder.read("p.json")));
  EXPECT_EQ(json::parse(folder.sluice(words(plan + "--program - --size 1001")).out).value("element_bytes", 1), 1);
  expect_refused(folder.sluice(words(plan + "--program q.json")), "--size: nothing, expected the bytes");
  expect_refused(folder.sluice(words(plan + "--size 8")), "--size: no --program");
  expect_refused(folder.sluice(words(plan + "--program q.json --size 9 --element-bytes 8")), "size in bytes: 9");
}

TEST(PlanReduce, FortyTransfersAreShownUnlessAllAreAskedFor) {
  const Folder folder;
  const std::string command = "plan reduce --machines 101 --transfer 2 --compute 1";
  const std::vector<std::string> cut = lines(folder.sluice(words(command)).out);
  const std::vector<std::string> all = lines(folder.sluice(words(command + " --all")).out);
  EXPECT_EQ(cut.back(), "... 60 more lines; --all shows them");
  EXPECT_EQ(cut.size() - 1, all.size() - 60);
}

TEST(PlanReduce, ASummaryTakesAnyNumberOfMachines) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("plan reduce --machines 16000000 --transfer 2 --compute 1 --summary"));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("\nlength                  61  optimal\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(
      folder.sluice(words("plan reduce --machines 4000000000000000000 --transfer 2 --compute 1 --summary")).status, 0);
}

TEST(CompareReduce, JsonHasARowForEveryAlgorithmAndRatiosToTheBestBound) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice(words("compare reduce --machines 10 --transfer 2 --compute 1 --max-transfers 3 --json out.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("out.json"));
  EXPECT_EQ(file.at("schema"), "sluice.compare/1");
  EXPECT_EQ(file.at("problem"), "reduce");
  const double bound = file.at("bound").at("length");
  std::vector<std::string> seen;
  double least = 1e300, chosen = 0;
  for (const json& row : file.at("rows")) {
    seen.push_back(row.at("algorithm"));
    const double length = row.at("length");
    EXPECT_DOUBLE_EQ(row.at("ratio"), length / bound);
    EXPECT_GE(length, bound);
    EXPECT_GE(row.at("plan_s"), 0);
    EXPECT_GE(row.at("depth"), 1);
    (seen.back() == "auto" ? chosen : least) = seen.back() == "auto" ? length : std::min(least, length);
    // The schedule it stands for.
    const json plan = json::parse(
        folder
            .sluice(words("plan reduce --machines 10 --transfer 2 --compute 1 --max-transfers 3 --json - --algorithm " +
                          seen.back()))
            .out);
    EXPECT_EQ(plan.at("length"), length);
  }
  EXPECT_EQ(chosen, least);
  for (const json& each : file.at("refused")) {
    seen.push_back(each.at("algorithm"));
    EXPECT_NE(outcome.out.find(seen.back() + " does not apply: "), std::string::npos) << outcome.out;
  }
  std::vector<std::string> expected = reduce_algorithms();
  std::sort(seen.begin(), seen.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(seen, expected);
  EXPECT_NE(outcome.out.find("algorithm"), std::string::npos);
}

TEST(CompareReduce, PlansThatChooseTheNumberOfPartsAreAboveABoundOfThese) {
  const Folder folder;
  for (const std::string more : {"", " --max-segments 16 --transfer-overhead 0.125"}) {
    const Outcome outcome = folder.sluice(
        words("compare reduce --machines 8 --transfer 1 --compute 1 --segments auto --json out.json" + more));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("in parts as above\n"), std::string::npos) << outcome.out;
    const json file = json::parse(folder.read("out.json"));
    const double bound = file.at("bound").at("length");
    EXPECT_GT(bound, 0);
    std::set<std::int64_t> parts;
    for (const json& row : file.at("rows")) {
      EXPECT_GE(row.at("length"), bound) << row;
      EXPECT_FALSE(row.contains("optimal")) << row;
      parts.insert(row.at("segments").get<std::int64_t>());
    }
    EXPECT_TRUE(more.empty() || parts.size() > 1) << outcome.out;
  }
}

TEST(CompareReduce, ManyMachinesArePlannedWithoutTheirTransfers) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("compare reduce --machines 2000000 --transfer 2 --compute 1"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("without writing the transfers out"), std::string::npos) << outcome.out;
}

TEST(CheckTree, EveryWayToBreakATreeIsAViolation) {
  struct Broken {
    const char* name;
    std::function<void(json&)> breakIt;
    const char* expected;  ///< in one of the lines
  };
  const Broken broken[] = {
      {"sends twice", [](json& s) { s["transfers"][1]["from"] = s["transfers"][0]["from"]; }, "never sends"},
      {"too early", [](json& s) { s["transfers"].back()["start"] = 1, s["transfers"].back()["end"] = 3; }, "ready at"},
      {"too short", [](json& s) { s["transfers"][0]["end"] = 1; }, "a transfer costs 2"},
      {"out of range", [](json& s) { s["transfers"][0]["from"] = 9; }, "9 is not one of the 9 machines"},
      {"left out", [](json& s) { s["transfers"].erase(0); }, "never sends"},
      {"length", [](json& s) { s["length"] = 10; }, "the length is 10"},
      {"bound", [](json& s) { s["bound"]["lower"] = 11; }, "the lower bound is 11"},
      {"limit", [](json& s) { s["max_transfers"] = 1; }, "more than 1 transfer at once"},
      {"reducers", [](json& s) { s["max_reducers"] = 1; }, "machines combine, at most 1 may"},
      {"dates", [](json& s) { s["arrivals"] = std::vector<double>(9, 5.0); }, "arrives at 5"},
      {"root", [](json& s) { s["root"] = 1; }, "root 1 sends"},
      {"many machines", [](json& s) { s["machines"] = 1000000000000; }, "1000000000000 machines"},
  };
  const Folder folder;
  const json sound =
      json::parse(folder.sluice(words("plan reduce --machines 9 --transfer 2 --compute 1 --json -")).out);
  for (const Broken& each : broken) {
    SCOPED_TRACE(each.name);
    json schedule = sound;
    each.breakIt(schedule);
    const Outcome outcome = folder.sluice({"check", "-"}, schedule.dump());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find(each.expected), std::string::npos) << outcome.out;
  }
  folder.write("traffic.csv", "1\n");
  expect_refused(folder.sluice(words("check - --traffic traffic.csv"), sound.dump()),
                 "--traffic: a schedule of a tree");
  json wrong = sound;
  wrong["compute"] = -1;
  expect_refused(folder.sluice({"check", "-"}, wrong.dump()), "\"compute\": -1");
}

TEST(Reduce, CostsAndDatesComeFromStandardInput) {
  const Folder folder;
  const std::string plan = "plan reduce --machines 3 --compute 1 --json - ";
  const Outcome dates = folder.sluice(words(plan + "--transfer 2 --arrivals -"), "0\n1\n7\n");
  ASSERT_EQ(dates.status, 0) << dates.err;
  EXPECT_EQ(json::parse(dates.out)["arrivals"], (json{0, 1, 7}));
  const Outcome costs = folder.sluice(words(plan + "--transfer-costs -"), "1\n2\n3\n");
  ASSERT_EQ(costs.status, 0) << costs.err;
  EXPECT_EQ(json::parse(costs.out)["transfer_costs"], (json{1, 2, 3}));
  expect_refused(folder.sluice(words(plan + "--transfer 2 --arrivals -"), "0\nsoon\n7\n"), "standard input:2: 'soon'");
}

/// 88 machines in six clusters: five transfers between clusters, as few as there can be.
TEST(Reduce, OverAPlatform) {
  const Folder folder;
  const std::string over =
      " reduce --platform " + std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json --size 1Mi ";
  const Outcome planned = folder.sluice(words("plan" + over + "--compute 2ms --json plan.json --program p.json"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan["machines"], 88);
  EXPECT_EQ(plan["compute"], 0.002);
  EXPECT_EQ(plan["transfers"].size(), 87U);
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
  EXPECT_EQ(folder.sluice(words("check p.json")).status, 0);
  const Outcome compared =
      folder.sluice(words("compare" + over + "--compute 2ms --algorithms greedy,binomial --json c.json"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_LT(plan["length"], json::parse(folder.read("c.json"))["rows"][1]["length"]);
  expect_refused(folder.sluice(words("plan" + over)), "--compute: nothing");
  expect_refused(folder.sluice(words("plan" + over + "--compute 1 --machines 88")),
                 "--machines: cannot be used with --platform");
  expect_refused(folder.sluice(words("plan" + over + "--compute 1 --transfer 1")),
                 "--transfer: cannot be used with --platform");
  expect_refused(folder.sluice(words("plan reduce --platform nowhere.json --size 8 --compute 1")), "nowhere.json: ");
  expect_refused(folder.sluice(words("compare reduce --platform nowhere.json --compute 1")), "--size: nothing");
  expect_refused(folder.sluice(words("plan reduce --machines 4 --transfer 1 --compute 1 --size 8")),
                 "--size: no --program");
}

TEST(BadInputReduce, OptionsAndDates) {
  const Folder folder;
  folder.write("three", "0\n1\n2\n");
  folder.write("five", "0\n1\n2\n3\n4\n");
  folder.write("word", "0\nsoon\n2\n3\n");
  folder.write("negative", "0\n1\n# late\n-2\n3\n");
  folder.write("late", "0\n1\n1e19\n3\n");
  folder.write("empty", "");
  folder.write("short-row", "1,2,3\n1,2\n");
  folder.write("few-rows", "1,2,3\n1,2,3\n");
  folder.write("pairs", "1,2\n1,2\n");
  folder.write("hole", "1,,2\n");
  const std::vector<std::string> before = folder.files();
  const std::string costs = "--transfer 2 --compute 1 ";
  struct Case {
    std::string arguments;
    std::string about;
  };
  const Case cases[] = {
      {"", "--machines: nothing, expected"},
      {"--machines 4", "--transfer: nothing"},
      {"--machines 4 --transfer 1", "--compute: nothing"},
      {costs + "--machines 0", "--machines: '0', expected at least 1"},
      {costs + "--machines -4", "--machines: '-4'"},
      {costs + "--machines 4.5", "--machines: '4.5'"},
      {costs + "--machines nan", "--machines: 'nan'"},
      {"--machines 4 --transfer -1 --compute 1", "--transfer: '-1'"},
      {"--machines 4 --transfer nan --compute 1", "--transfer: 'nan'"},
      {"--machines 4 --transfer 1 --compute inf", "--compute: 'inf'"},
      {"--machines 4 --transfer 1 --compute 1e999", "--compute: '1e999'"},
      {"--machines 4 --transfer 0 --compute 0", "--transfer: 0, and compute 0 as well"},
      {"--machines 4 --transfer 1e16 --compute 1", "length of the reduction"},
      {costs + "--machines 4 --max-transfers 0", "--max-transfers: '0', expected at least 1"},
      {costs + "--machines 4 --max-reducers 0", "--max-reducers: '0', expected at least 1"},
      {costs + "--machines 4 --max-reducers -1", "--max-reducers: '-1'"},
      {costs + "--machines 4 --root 4", "--root: '4', expected 0 to 3"},
      {costs + "--machines 4 --root -1", "--root: '-1'"},
      {costs + "--machines 4 --segments 0", "--segments: '0', expected 1 to"},
      {costs + "--machines 4 --segments auto --max-segments 0", "--max-segments: '0'"},
      {costs + "--machines 4 --transfer-overhead 3", "--transfer-overhead: 3, expected at most the whole, 2"},
      {costs + "--machines 4 --compute-overhead -1", "--compute-overhead: '-1'"},
      {costs + "--machines 4 --arity 0", "--arity: '0'"},
      {costs + "--machines 4 --time-limit soon", "--time-limit: 'soon'"},
      {costs + "--machines 4 --arrivals missing", "missing: cannot be read: No such file or directory"},
      {costs + "--machines 4 --arrivals .", ".: a directory, expected dates"},
      {costs + "--machines 4 --arrivals three", "three: 3 dates, expected 4, one per machine"},
      {costs + "--machines 4 --arrivals five", "five: more dates, expected 4, one per machine"},
      {costs + "--machines 4 --arrivals empty", "empty: 0 dates, expected 4"},
      {costs + "--machines 4 --arrivals word", "word:2: 'soon'"},
      {costs + "--machines 4 --arrivals negative", "negative:4: '-2'"},
      {costs + "--machines 4 --effort 0", "--effort: '0'"},
      {costs + "--machines 3 --transfer-costs three", "--transfer-costs: cannot be used with --transfer"},
      {costs + "--machines 3 --compute-costs three", "--compute-costs: cannot be used with --compute"},
      {"--machines 4 --compute 1 --transfer-costs missing", "missing: cannot be read"},
      {"--machines 4 --compute 1 --transfer-costs three", "three: 3 costs of transfers, expected 4, one per machine"},
      {"--machines 4 --compute 1 --transfer-costs five", "five: more costs of transfers, expected 4"},
      {"--machines 4 --transfer 1 --compute-costs word", "word:2: 'soon'"},
      {"--machines 4 --compute 1 --transfer-costs negative", "negative:4: '-2'"},
      {"--machines 3 --compute 1 --transfer-costs short-row", "short-row:2: 2 numbers, expected 3, as in the lines"},
      {"--machines 3 --compute 1 --transfer-costs few-rows", "few-rows: 2 rows, expected 3"},
      {"--machines 3 --compute 1 --transfer-costs pairs", "pairs:1: 2 numbers, expected 1, or 3 in every line"},
      {"--machines 3 --compute 1 --transfer-costs hole", "hole:1: nothing, expected a number"},
      {"--machines 3 --transfer 1 --compute-costs few-rows", "few-rows:1: '1,2,3'"},
      {"--machines 3 --transfer-costs three --compute 1 --transfer-overhead 0.5",
       "--transfer-overhead: 0.5, expected at most the whole, 0"},
      {costs + "--machines 4 --json missing/out.json", "missing/out.json: cannot be written"},
      {costs + "--machines 4 --from 16:3", "'--from', expected an option"},
  };
  for (const Case& each : cases) {
    for (const std::string verb : {"plan", "compare"}) {
      if (verb == "compare" && each.about == "length of the reduction")
        continue;  // what a planner says is in the table
      const std::string command = verb + " reduce " + each.arguments +
                                  (each.arguments.find("--json") == std::string::npos ? " --json out.json" : "");
      SCOPED_TRACE(command);
      expect_refused(folder.sluice(words(command)), each.about);
      EXPECT_EQ(folder.files(), before);
    }
  }
  const std::string plan = "plan reduce --transfer 2 --compute 1 --machines ";
  expect_refused(folder.sluice(words(plan + "4 --arrivals late")),
                 "--arrivals: a date of 1e+19, where the costs are 3 in all, expected at most 2^52 times the costs");
  expect_refused(folder.sluice(words(plan + "4 --algorithm fastest")),
                 "--algorithm: 'fastest', expected one of greedy, binomial");
  expect_refused(folder.sluice(words(plan + "4 --arity 3")), "--arity: --algorithm auto, expected --algorithm k-ary");
  expect_refused(folder.sluice(words(plan + "4 --arity 3 --algorithm binary")),
                 "--arity: --algorithm binary, expected --algorithm k-ary");
  expect_refused(folder.sluice(words(plan + "40 --algorithm exact")),
                 "algorithm exact: 40 machines, expected at most 12");
  expect_refused(folder.sluice(words(plan + "1000000000")), "transfers to write out, expected less, or --summary");
  expect_refused(folder.sluice(words(plan + "1000000 --segments auto --compute-overhead 0")), "transfers to write out");
  EXPECT_EQ(folder.files(), before);
}

}  // namespace
}  // namespace sluice::testing
