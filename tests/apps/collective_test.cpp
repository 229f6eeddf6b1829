#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

const std::string kGrid5000 = std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json";
constexpr const char* kCollectives[] = {"scatter", "gather", "allgather", "reduce-scatter", "allreduce", "alltoall"};

Arguments with_more(Arguments start, const std::string& more) {
  for (const std::string& word : words(more)) start.push_back(word);
  return start;
}

TEST(Collective, PlansProgramsThatCheckAccepts) {
  const Folder folder;
  for (const std::string problem : kCollectives) {
    const Outcome outcome =
        folder.sluice(with_more({"plan", problem, "--platform", kGrid5000}, "--size 1Ki --summary --json plan.json"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("lower bound"), std::string::npos) << outcome.out;
    const json file = json::parse(folder.read("plan.json"));
    EXPECT_EQ(file["schema"], "sluice.program/1");
    EXPECT_EQ(file["problem"], problem);
    EXPECT_EQ(file["ranks"], 88);
    EXPECT_LE(file["bound_s"], file["length_s"]);
    const Outcome check = folder.sluice({"check", "plan.json"});
    EXPECT_EQ(check.status, 0) << check.out << check.err;
    EXPECT_EQ(lines(check.out).at(0), "ok: plan.json: " + problem + " of 88 ranks, " +
                                          std::to_string(file["operations"].size()) +
                                          " operations: every rank ends up with what it must");
  }
}

TEST(Collective, ShowsWhatIsSentWhen) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice(with_more({"plan", "gather", "--platform", kGrid5000}, "--size 1Ki --root 3 --algorithm flat"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  for (const char* text : {"gather: 1.02 kB per rank, to rank 3, 88 ranks in 6 clusters", "algorithm: flat",
                           "sender->receiver", "->3 ", "... 47 more lines; --all shows them"})
    EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
}

TEST(Collective, MessagesOfMoreThanAnInt64Holds) {
  const Folder folder;
  const std::string four_levels = std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json";
  for (const std::string problem : {"allgather", "allreduce"})
    expect_refused(folder.sluice({"plan", problem, "--platform", four_levels, "--size", "100000000000000000",
                                  "--summary", "--json", "plan.json"}),
                   "bytes of all messages: a product or sum beyond 2^63 - 1");
  EXPECT_TRUE(folder.files().empty());
}

TEST(Collective, WhatTheEffortDoesNotAllowIsEstimated) {
  const Folder folder;
  for (const std::string problem : kCollectives) {
    const Arguments task = with_more({"plan", problem, "--platform", kGrid5000}, "--size 16Ki --json plan.json");
    const Outcome outcome = folder.sluice(with_more(task, "--effort 1e-6"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(", estimated\n"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("is more work than the effort allows: its messages have no times.\n"), std::string::npos)
        << outcome.out;
    EXPECT_EQ(folder.sluice({"check", "plan.json"}).status, 0);
    EXPECT_EQ(folder.sluice(with_more(task, "--effort 1e-6")).out, outcome.out);
    Arguments simulation = task;
    simulation.front() = "simulate";
    for (const char* option : {"--effort 1e-6", "--time-limit 0"})
      EXPECT_EQ(folder.sluice(with_more(simulation, option)).status, 0) << option;
    const Outcome cut = folder.sluice(with_more(task, "--time-limit 0"));
    EXPECT_EQ(cut.status, 0) << cut.err;
    EXPECT_NE(cut.out.find("algorithm: auto; stopped by the time limit\n"), std::string::npos) << cut.out;
    EXPECT_EQ(folder.sluice({"check", "plan.json"}).status, 0);
  }
  const Outcome compared =
      folder.sluice(with_more({"compare", "allgather", "--platform", kGrid5000}, "--size 16Ki --effort 1e-6"));
  EXPECT_NE(compared.out.find("ring, estimated"), std::string::npos) << compared.out;
  const Outcome predicted =
      folder.sluice(with_more({"predict", "allgather", "--platform", kGrid5000}, "--size 16Ki --time-limit 0"));
  EXPECT_NE(predicted.out.find("; stopped by the time limit\n"), std::string::npos) << predicted.out;
}

/// 1 MiB at 1 us an element of 8 bytes is 0.131 s for each array that a rank combines.
TEST(Collective, CombiningTakesItsTime) {
  const Folder folder;
  for (const std::string problem : {"allreduce", "reduce-scatter"}) {
    const auto length = [&](const std::string& verb, const std::string& more) {
      const Outcome outcome = folder.sluice(
          with_more({verb, problem, "--platform", kGrid5000}, "--size 1Mi --algorithm binomial --json - " + more));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      const json result = json::parse(outcome.out);
      return (verb == "plan" ? result["length_s"] : result["length"]).get<double>();
    };
    const double free = length("plan", ""), costs = length("plan", "--compute 1us");
    // The root combines with its ceil(log2 88) children, one after the other, partly while messages are under way.
    EXPECT_GT(costs, std::max(free, 7 * 0.131));
    EXPECT_LT(costs, free + 9 * 0.131);
    EXPECT_NEAR(length("plan", "--compute 2us --element-bytes 16"), costs, 1e-4);
    EXPECT_NEAR(length("simulate", "--compute 1us"), costs, 1e-9);
    // So does the file.
    ASSERT_EQ(
        folder.sluice(with_more({"plan", problem, "--platform", kGrid5000}, "--size 1Mi --compute 1us --json p.json"))
            .status,
        0);
    const json times =
        json::parse(folder.sluice(with_more({"simulate", "p.json", "--platform", kGrid5000}, "--json -")).out);
    EXPECT_NEAR(times["length"], times["planned"], 1e-9);
    const Outcome compared =
        folder.sluice(with_more({"compare", problem, "--platform", kGrid5000},
                                "--size 1Mi --algorithms binomial --compute 1us --json compare.json"));
    EXPECT_EQ(compared.status, 0) << compared.err;
    EXPECT_NEAR(json::parse(folder.read("compare.json"))["rows"][0]["length"].get<double>(), costs, 1e-9);
  }
  // A reduction too, by the shortest of all programs.
  const auto reduce = [&](const std::string& verb, const std::string& more) {
    const Outcome outcome = folder.sluice(
        with_more({verb, "broadcast", "--reversed", "--platform", kGrid5000}, "--size 64Ki --element-bytes 8 " + more));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status == 0 ? json::parse(outcome.out) : json();
  };
  const double free_s = reduce("plan", "--program -")["length_s"];
  double before_s = 0.99 * free_s;
  for (const std::string costs : {"1ns", "100ns", "1us"}) {
    const json program = reduce("plan", "--program - --compute " + costs);
    EXPECT_GT(program["length_s"], before_s);
    EXPECT_GE(program["length_s"], program["bound_s"]);
    EXPECT_NEAR(reduce("simulate", "--json - --compute " + costs)["length"], program["length_s"], 1e-9);
    before_s = program["length_s"];
    folder.write("reduce.json", program.dump());
    EXPECT_EQ(folder.sluice({"check", "reduce.json", "--platform", kGrid5000}).status, 0);
  }
  EXPECT_LE(before_s, reduce("plan", "--program - --compute 1us --algorithm parallel-entry")["length_s"].get<double>());
  // With a cost of 0 that is given other programs are looked at too.
  EXPECT_LE(reduce("plan", "--program - --compute 0")["length_s"], free_s);
  const Arguments platform{"--platform", kGrid5000};
  const auto on = [&](const std::string& command) {
    Arguments all = words(command);
    all.insert(all.end(), platform.begin(), platform.end());
    return folder.sluice(all);
  };
  folder.write("far.json", R"({"schema": "sluice.platform/2", "link": {"latency_s": 1, "gap": [[1, 1e-6], [10, 1e99]]},
      "parts": [{"name": "a", "ranks": 1}, {"name": "b", "ranks": 1}]})");
  for (const std::string verb : {"plan", "compare", "simulate", "predict"})
    expect_refused(folder.sluice(words(verb + " gather --platform far.json --size 1Ki")), "far.json:1: ");
  expect_refused(on("plan allreduce --size 8 --compute -1"), "--compute: '-1', expected seconds");
  folder.write("costs", "# of two ranks\n1us\n-2us\n");
  folder.write("two", "1us\n2us\n");
  expect_refused(on("plan allreduce --size 8 --compute-costs costs"), "costs:3: '-2us', expected seconds");
  expect_refused(on("plan allreduce --size 8 --compute-costs two"),
                 "two: 2 costs of combining, expected 88, one per rank");
  expect_refused(on("plan allreduce --size 8 --compute-costs nowhere"), "nowhere: ");
  expect_refused(on("plan allreduce --size 8 --compute 1 --compute-costs two"),
                 "--compute-costs: cannot be used with --compute");
  expect_refused(on("plan broadcast --size 8 --compute-costs two"),
                 "--compute-costs: two, expected nothing without --reversed");
  expect_refused(on("plan allgather --size 8 --compute 1"), "--compute");
  expect_refused(on("plan broadcast --size 8 --compute 1"), "--compute: 1, expected nothing without --reversed");
  expect_refused(on("plan broadcast --size 8 --reversed --compute 1 --json x.json"), "--compute: cannot be used with");
  expect_refused(on("plan broadcast --size 8 --reversed --compute -1"), "--compute: '-1', expected seconds");
}

/// Every eleventh rank takes a hundred times as long as the others: what is planned counts it, and so do all who read
/// it.
TEST(Collective, RanksMayCombineAtSpeedsOfTheirOwn) {
  const Folder folder;
  std::string costs;
  for (int rank = 0; rank < 88; ++rank) costs += rank % 11 == 3 ? "1us\n" : "10ns\n";
  folder.write("costs", costs);
  for (const std::string problem : {"allreduce", "reduce-scatter", "broadcast --reversed --element-bytes 8"}) {
    SCOPED_TRACE(problem);
    const std::string file = problem.starts_with("broadcast") ? "--program p.json" : "--json p.json";
    const auto planned = [&](const std::string& combining) {
      const Outcome outcome = folder.sluice(
          words("plan " + problem + " --platform " + kGrid5000 + " --size 1Mi --summary " + file + " " + combining));
      EXPECT_EQ(outcome.status, 0) << outcome.err;
      return json::parse(folder.read("p.json"));
    };
    const double all_fast = planned("--compute 10ns")["length_s"], all_slow = planned("--compute 1us")["length_s"];
    const json program = planned("--compute-costs costs");
    EXPECT_EQ(program["combine_costs"].size(), 88U);
    EXPECT_GE(program["length_s"], program["bound_s"]);
    EXPECT_LT(program["length_s"], 3 * all_fast);
    EXPECT_LT(program["length_s"], all_slow / 2);
    EXPECT_EQ(folder.sluice({"check", "p.json", "--platform", kGrid5000}).status, 0);
    const json times =
        json::parse(folder.sluice(with_more({"simulate", "p.json", "--platform", kGrid5000}, "--json -")).out);
    EXPECT_NEAR(times["length"], times["planned"], 1e-9);
  }
  const Outcome title = folder.sluice(
      words("plan allreduce --summary --size 1Mi --compute-costs costs --platform " + std::string(kGrid5000)));
  EXPECT_NE(title.out.find(", 10 ns to 1.00 us to combine two elements of 8 B"), title.out.npos) << title.out;
}

TEST(Collective, CheckJudgesTimesOverThePlatform) {
  const Folder folder;
  ASSERT_EQ(
      folder.sluice(with_more({"plan", "allgather", "--platform", kGrid5000}, "--size 16Ki --json a.json")).status, 0);
  const Arguments check{"check", "a.json", "--platform", kGrid5000};
  const Outcome sound = folder.sluice(check);
  EXPECT_EQ(sound.status, 0) << sound.err;
  EXPECT_NE(sound.out.find("\nlength: "), std::string::npos) << sound.out;
  EXPECT_NE(sound.out.find("\nnot checked: when each message runs"), std::string::npos) << sound.out;
  const json file = json::parse(folder.read("a.json"));
  for (const char* field : {"length_s", "bound_s"}) {
    json other = file;
    other["length_s"] = std::string(field) == "length_s" ? file["bound_s"].get<double>() / 2 : 1;
    other["bound_s"] = std::string(field) == "length_s" ? 0 : 0.9;
    folder.write("a.json", other.dump());
    EXPECT_EQ(folder.sluice({"check", "a.json"}).status, 0) << "sound in itself";
    const Outcome outcome = folder.sluice(check);
    EXPECT_EQ(outcome.status, 1) << outcome.out;
    EXPECT_EQ(lines(outcome.out).size(), 1U) << outcome.out;
    EXPECT_EQ(outcome.out.rfind(std::string(field) + " is ", 0), 0U) << outcome.out;
  }
  folder.write("two.json", R"({"schema": "sluice.platform/2", "ranks": 2, "link": {"latency_s": 1, "gap": [[1, 1]]}})");
  expect_refused(folder.sluice(words("check a.json --platform two.json")),
                 "two.json: 2 ranks, expected the 88 of the program in a.json");
  ASSERT_EQ(folder.sluice(words("plan redistribute --from 4:3 --to 4:5 --json steps.json")).status, 0);
  expect_refused(folder.sluice(words("check steps.json --platform two.json")), "--platform: a schedule");
}

TEST(Collective, CheckSaysWhatIsWrong) {
  const Folder folder;
  EXPECT_EQ(
      folder
          .sluice(with_more({"plan", "allgather", "--platform", kGrid5000}, "--size 8 --algorithm ring --json a.json"))
          .status,
      0);
  json file = json::parse(folder.read("a.json"));
  file["operations"][1]["kind"] = "combine";
  folder.write("b.json", file.dump());
  const Outcome check = folder.sluice({"check", "b.json"});
  EXPECT_EQ(check.status, 1);
  EXPECT_EQ(check.out, "step 1: combine in a problem that combines nothing, allgather\n");
  const Outcome traffic = folder.sluice({"check", "a.json", "--traffic", "x.mtx"});
  EXPECT_EQ(traffic.status, 2);
}

TEST(Collective, ComparesEveryAlgorithm) {
  const Folder folder;
  const Outcome outcome = folder.sluice(
      with_more({"compare", "reduce-scatter", "--platform", kGrid5000}, "--size 704 --json compare.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("recursive-halving does not apply: 88, expected a power of two"), std::string::npos)
      << outcome.out;
  const json file = json::parse(folder.read("compare.json"));
  EXPECT_EQ(file["problem"], "reduce-scatter");
  double least = 1e9, best = 0;
  for (const json& row : file["rows"]) {
    EXPECT_GE(row["ratio"], 1) << row;
    if (row["algorithm"] == "auto")
      best = row["length"];
    else
      least = std::min<double>(least, row["length"]);
  }
  EXPECT_EQ(best, least);
}

TEST(Collective, PredictsEveryVariant) {
  const Folder folder;
  for (const std::string problem : kCollectives) {
    const Outcome outcome = folder.sluice(with_more({"predict", problem, "--platform", kGrid5000}, "--size 16Ki"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    for (const char* text : {"hierarchical, 6 groups", "lower bound"})
      EXPECT_NE(outcome.out.find(text), std::string::npos) << text << outcome.out;
    // The first is the best, and one alone.
    const auto all = lines(outcome.out);
    EXPECT_NE(all.at(3).find("  best"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("best"), outcome.out.rfind("best")) << outcome.out;
  }
}

TEST(Collective, BadInputIsOneLineAndNothingIsWritten) {
  const Folder folder;
  const auto refused = [&](const std::string& problem, const std::string& more) {
    const Outcome outcome =
        folder.sluice(with_more({"plan", problem, "--platform", kGrid5000}, more + " --json nothing.json"));
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(folder.files().empty());
    return outcome.err;
  };
  EXPECT_EQ(refused("allgather", ""), "error: --size: nothing, expected bytes, such as 16Ki, or --counts\n");
  EXPECT_EQ(refused("allreduce", ""), "error: --size: nothing, expected bytes, such as 16Ki\n");
  EXPECT_EQ(refused("allgather", "--size 8 --counts 8"),
            "error: --counts: cannot be used with --size, expected one of the two\n");
  EXPECT_EQ(refused("gather", "--counts 1,2,3"), "error: --counts: 3 sizes, expected 88, one for each rank\n");
  EXPECT_EQ(refused("alltoall", "--counts 1,2"),
            "error: --counts: 2 sizes, expected 7744, one for each pair of ranks\n");
  EXPECT_EQ(refused("scatter", "--counts 1,-2,3").substr(0, 22), "error: --counts: '-2',");
  EXPECT_EQ(refused("scatter", "--counts no.csv").substr(0, 13), "error: no.csv");
  EXPECT_EQ(refused("gather", "--size 8 --root 88"), "error: --root: '88', expected 0 to 87\n");
  EXPECT_EQ(refused("gather", "--size 8 --effort 0").substr(0, 21), "error: --effort: '0',");
  EXPECT_EQ(refused("gather", "--size 8 --time-limit soon").substr(0, 28), "error: --time-limit: 'soon',");
  EXPECT_EQ(refused("allreduce", "--size 9"), "error: --size: 9 bytes, expected whole elements of 8 bytes\n");
  EXPECT_EQ(refused("allgather", "--size 8 --algorithm recursive-doubling"),
            "error: ranks: 88, expected a power of two\n");
  EXPECT_EQ(refused("alltoall", "--size 8 --algorithm ring"),
            "error: --algorithm: 'ring', expected one of pairwise, bruck, hierarchical, relayed, auto\n");
  EXPECT_EQ(
      refused("allreduce", "--size 8 --in-order --algorithm ring"),
      "error: --algorithm: 'ring' with an operation that does not commute, expected one that keeps the order of the "
      "ranks\n");
}

}  // namespace
}  // namespace sluice::testing
