#include <gtest/gtest.h>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

struct Problem {
  const char* name;
  const char* algorithms;  ///< such as keep the order, where that may count
  bool has_root;
  bool combines;
};

constexpr Problem kProblems[] = {
    {"scatter", "flat,binomial,hierarchical", true, false},
    {"gather", "flat,binomial,hierarchical", true, false},
    {"allgather", "ring,bruck,circulant,pairwise,hierarchical", false, false},
    {"reduce-scatter", "binomial,pairwise", false, true},
    {"allreduce", "binomial,chain,recursive-doubling", false, true},
    {"alltoall", "pairwise,bruck,hierarchical", false, false},
};

class RunCollective : public ::testing::Test {
 protected:
  RunCollective() { folder_.write("platform.json", kPlatformOfFive); }
  [[nodiscard]] Outcome run(int ranks, const std::string& arguments) const {
    return on_ranks(folder_, ranks, "run " + arguments);
  }

  Folder folder_;
};

TEST_F(RunCollective, EveryMethodDeliversEveryByteOfEverySize) {
  for (const Problem& problem : kProblems) {
    for (const char* size : {"0", "32", "64Ki"}) {
      const std::string name = problem.name;
      SCOPED_TRACE(name + ", " + size);
      std::string line = name + " --platform platform.json --repetitions 2 --json out.json --size " + size +
                         " --methods sluice,mpi-" + name + "," + problem.algorithms;
      if (problem.has_root) line += " --root 3";
      if (problem.combines) line += " --in-order";
      const Outcome outcome = run(5, line);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const json file = json::parse(folder_.read("out.json"));
      EXPECT_EQ(file["problem"], name);
      EXPECT_EQ(file["ranks"], 5);
      EXPECT_EQ(file["verified"], true);
      ASSERT_GT(file["methods"].size(), 3U);
      for (const json& method : file["methods"]) {
        if (method["name"] == "sluice" || size == std::string("0")) continue;  // may be MPI's own; nothing to do
        EXPECT_EQ(method.contains("predicted_s"), method["name"] != "mpi-" + name) << method;
      }
    }
  }
}

TEST_F(RunCollective, AnEffortIsThatOfThePlan) {
  const std::string problem = "allgather --platform platform.json --size 4Ki --effort 0.01 ";
  const Outcome planned = folder_.sluice(words("plan " + problem + "--json plan.json"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  const Outcome outcome = run(5, problem + "--repetitions 2 --methods sluice --model-only --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json method = json::parse(folder_.read("out.json"))["methods"][0];
  EXPECT_DOUBLE_EQ(method["predicted_s"], json::parse(folder_.read("plan.json"))["length_s"]);
}

TEST_F(RunCollective, BlocksMayDifferInSize) {
  folder_.write("line.csv", "0,64,8000,64,320\n");
  folder_.write("pairs.csv", "0,1,2,3,4\n5,0,0,0,0\n0,0,0,0,0\n9000,0,1,0,0\n1,1,1,1,1\n");
  for (const Problem& problem : kProblems) {
    const std::string name = problem.name;
    if (name == "allreduce") continue;
    // As a list, by default; as a file, by every algorithm.
    for (const bool from_file : {false, true}) {
      const bool pairs = name == "alltoall";
      SCOPED_TRACE(name + (from_file ? ", from a file" : ""));
      std::string line = name + " --repetitions 2 --json out.json --counts " +
                         (pairs       ? "pairs.csv"
                          : from_file ? "line.csv"
                                      : "0,64,8000,64,320");
      if (problem.has_root) line += " --root 2";
      if (problem.combines) line += " --in-order";
      if (from_file) line += " --platform platform.json --methods sluice,mpi-" + name + "," + problem.algorithms;
      const Outcome outcome = run(5, line);
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      const json file = json::parse(folder_.read("out.json"));
      EXPECT_EQ(file["verified"], true);
      EXPECT_EQ(file["bytes_moved"], name == "gather" ? json(8448) : file["bytes_moved"]);
    }
  }
}

TEST_F(RunCollective, NeedsNoPlatform) {
  for (const Problem& problem : kProblems) {
    const std::string name = problem.name;
    const Outcome outcome = run(3, name + " --size 24K --repetitions 2");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    for (const std::string& part :
         {name + ": 24.0 kB per ", std::string(", 3 ranks"), "mpi-" + name, std::string("verified: every byte")})
      EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
}

TEST_F(RunCollective, APlannedProgramIsCarriedOut) {
  for (const Problem& problem : kProblems) {
    const std::string name = problem.name;
    const Outcome planned =
        folder_.sluice({"plan", name, "--platform", "platform.json", "--size", "4Ki", "--json", "plan.json"});
    ASSERT_EQ(planned.status, 0) << planned.err;
    const Outcome outcome = run(5, name + " --size 4Ki --program plan.json --methods sluice --repetitions 1 --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(outcome.out);
    EXPECT_EQ(file["verified"], true);
    const std::string algorithm = json::parse(folder_.read("plan.json"))["algorithm"];
    EXPECT_EQ(file["methods"][0]["how"].get<std::string>().rfind(algorithm, 0), 0U) << file["methods"][0]["how"];
  }
}

TEST_F(RunCollective, ABrokenProgramIsRefused) {
  const Outcome planned =
      folder_.sluice({"plan", "allgather", "--platform", "platform.json", "--size", "64", "--json", "plan.json"});
  ASSERT_EQ(planned.status, 0) << planned.err;
  json plan = json::parse(folder_.read("plan.json"));
  plan["operations"].erase(plan["operations"].size() - 1);
  folder_.write("broken.json", plan.dump());
  expect_refused_once(run(5, "allgather --size 64 --program broken.json"), "program: ");
  expect_refused_once(run(5, "allgather --size 65 --program plan.json"), "program: size_bytes 64");
  expect_refused_once(run(4, "allgather --size 64 --program plan.json"), "program: ranks 5");
  expect_refused_once(run(5, "alltoall --size 64 --program plan.json"), "program: allgather");
  expect_refused_once(run(5, "allgather --size 64 --program plan.json --algorithm ring"), "--program");
  expect_refused_once(run(5, "allgather --size 64 --program nowhere.json"), "nowhere.json");
  expect_refused_once(run(5, "allgather --size 64 --program plan.json --platform platform.json"),
                      "--program: cannot be used with --platform, expected one of the two");
}

TEST_F(RunCollective, RefusesBadOptions) {
  const Case cases[] = {
      {"allgather --size -1", "--size: '-1'"},
      {"allgather --size 1 --effort 2", "--effort: no --platform, expected a platform file to plan over"},
      {"allgather --size 1 --platform platform.json --effort 0", "--effort: '0', expected a number above 0"},
      {"allgather", "--size"},
      {"scatter --size 1 --root 5", "--root: '5'"},
      {"gather --size 1 --root -1", "--root: '-1'"},
      {"alltoall --size 1 --algorithm telepathy", "'telepathy'"},
      {"alltoall --size 1 --methods mpi-allgather", "'mpi-allgather', expected all, sluice, mpi-alltoall, "},
      {"alltoall --size 1 --methods mpi-alltoall,mpi-alltoall", "'mpi-alltoall' twice"},
      {"allreduce --size 12", "--size: 12 bytes"},
      {"allreduce --size 8 --in-order", "--size: 8 bytes"},
      {"reduce-scatter --size 32 --in-order --algorithm ring", "'ring'"},
      {"allgather --size 8 --algorithm recursive-doubling", "ranks: 5"},
      {"allgather --size 1 --json nowhere/out.json", "nowhere/out.json"},
      {"allgather --size 1 --platform nowhere.json", "nowhere.json"},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(run(5, each.arguments), each.about);
  }
  expect_refused_once(run(4, "allgather --size 1 --platform platform.json"),
                      "platform.json: 5 ranks, expected as many as mpirun started: 4");
}

}  // namespace
}  // namespace sluice::testing
