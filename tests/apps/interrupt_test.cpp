// Ctrl-C in a search: the best plan so far is printed and written, exit status 130.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "command_runner.hpp"
#include "exchange_files.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// A search that would take days, because no effort proves a plan of this exchange optimal.
constexpr const char* kLong = "exchange dense.mtx --setup 7.25 --max-transfers 5 --effort 1e6 ";

void expect_says_so(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("; interrupted by Ctrl-C\n"), std::string::npos) << outcome.out;
}

void expect_plan_at_sigterm(const Folder& folder, const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 143) << outcome.out;
  EXPECT_NE(outcome.out.find("; interrupted by SIGTERM"), std::string::npos) << outcome.out;
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic dense.mtx")).status, 0);
}

TEST(Interrupt, LeavesTheBestPlanSoFar) {
  const Folder folder;
  write_traffic_files(folder);
  for (const char* algorithm : {"auto", "exact"}) {
    const Outcome outcome =
        folder.sluice_interrupted(words("plan " + std::string(kLong) + "--json plan.json --algorithm " + algorithm));
    if (outcome.err.find("built without CBC") != std::string::npos) continue;
    expect_says_so(outcome);
    EXPECT_EQ(folder.sluice(words("check plan.json --traffic dense.mtx")).status, 0);
    if (std::string(algorithm) != "exact") continue;
    const double before = json::parse(folder.read("plan.json")).at("cost").at("total");
    const Outcome resumed = folder.sluice(words(
        "plan exchange dense.mtx --setup 7.25 --max-transfers 5 --effort 0.1 --algorithm exact --resume plan.json "
        "--json further.json"));
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_LE(json::parse(folder.read("further.json")).at("cost").at("total").get<double>(), before);
  }
}

TEST(Interrupt, IsAlsoTheEndOfTheTimeOfAJob) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome = folder.in_terminal(
      200, "timeout --preserve-status -s TERM 3 " SLUICE_COMMAND " plan " + std::string(kLong) + "--json plan.json");
  expect_plan_at_sigterm(folder, outcome);
}

TEST(Interrupt, OfAProcessAndThenOfItsGroupIsOneRequest) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome =
      folder.in_terminal(200, SLUICE_COMMAND " plan " + std::string(kLong) +
                                  "--json plan.json & sleep 2; for i in 1 2 3 4 5; do kill -TERM $!; done; wait $!");
  expect_plan_at_sigterm(folder, outcome);
}

TEST(Interrupt, ASecondLaterEndsTheCommandAtOnce) {
  const Folder folder;
  write_traffic_files(folder);
  // Its plan goes into a pipe that is full, and that nobody reads: after the first signal it waits there.
  folder.write("command.sh", "head -c 65536 /dev/zero; echo $$ >pid; exec " SLUICE_COMMAND " plan " +
                                 std::string(kLong) + "--json -\n");
  folder.write("twice.sh",
               "(sleep 2; kill -TERM $(cat pid); sleep 1; kill -TERM $(cat pid)) &\n"
               "bash command.sh | sleep 5\n"
               "exit ${PIPESTATUS[0]}\n");
  EXPECT_EQ(folder.in_terminal(200, "bash twice.sh").status, 143);
}

TEST(Interrupt, WhileAReaderLooksLeavesNothingUnfinished) {
  const Folder folder;
  std::string traffic;
  for (int i = 0; i < 100; ++i)
    for (int j = 0; j < 100; ++j) traffic += std::to_string(1 + (i + j) % 7) + (j == 99 ? '\n' : ',');
  folder.write("x.csv", traffic);
  ASSERT_EQ(folder.sluice(words("plan exchange x.csv --algorithm first-fit --json plan.json --quiet")).status, 0);
  // It prints more than a pipe holds, whose reader waits, as `less` does.
  const Outcome outcome = folder.run({"bash", "-c",
                                      "mkfifo pipe; exec 3<>pipe; rm pipe\n" SLUICE_COMMAND
                                      " simulate plan.json --all --json times.json >&3 & pid=$!\n"
                                      "until compgen -G 'times.json.part-*' >found; do sleep 0.05; done\n"
                                      "kill -TERM $pid; wait $pid; status=$?; rm found; exit $status"});
  EXPECT_EQ(outcome.status, 143) << outcome.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"plan.json", "x.csv"}));
}

TEST(Interrupt, ASecondAfterASearchLeavesNothingUnfinished) {
  const Folder folder;
  write_traffic_files(folder);
  // The plan waits beside plan.json until its table is printed into a pipe that is full and nobody reads.
  const Outcome outcome =
      folder.run({"bash", "-c",
                  "mkfifo pipe; exec 3<>pipe; rm pipe; head -c 65536 /dev/zero >&3\n" SLUICE_COMMAND " plan " +
                      std::string(kLong) +
                      "--json plan.json >&3 & pid=$!\n"
                      "sleep 2; kill -TERM $pid\n"
                      "until compgen -G 'plan.json.part-*' >found; do sleep 0.05; done\n"
                      "sleep 1; kill -TERM $pid; wait $pid; status=$?; rm found; exit $status"});
  EXPECT_EQ(outcome.status, 143) << outcome.err;
  for (const std::string& file : folder.files()) EXPECT_EQ(file.find(".part-"), file.npos) << file;
  EXPECT_EQ(folder.sluice({"check", "plan.json"}).status, 2) << "nothing was written";
}

TEST(Interrupt, OfTheBoundOfAComparisonLeavesTheRows) {
  const Folder folder;
  write_traffic_files(folder);
  constexpr std::chrono::seconds kLater(2);  // by then the linear program of the bound, which is the last
  const Outcome outcome = folder.sluice_interrupted(
      words("compare " + std::string(kLong) + "--algorithms oggp,greedy --json comparison.json"), kLater);
  EXPECT_TRUE(outcome.status == 130 || outcome.status == 0) << outcome.err;
  EXPECT_EQ(json::parse(folder.read("comparison.json")).at("rows").size(), 2U) << outcome.out;
}

TEST(Interrupt, EndsWhatCbcIsAbout) {
  const Folder folder;
  std::string traffic;
  for (int i = 0; i < 14; ++i) {
    for (int j = 0; j < 14; ++j)
      traffic += std::to_string((i * i * 37 + j * 53 + i * j * j * 11) % 100 + 1) + (j < 13 ? "," : "\n");
  }
  folder.write("dense14.csv", traffic);
  // By then CBC solves its first linear program. Clp would handle Ctrl-C on its own there.
  constexpr std::chrono::seconds kLater(4);
  const Outcome outcome = folder.sluice_interrupted(
      words("plan exchange dense14.csv --setup 20 --algorithm exact --effort 1e5 --json plan.json"), kLater);
  if (outcome.err.find("built without CBC") != std::string::npos) GTEST_SKIP();
  expect_says_so(outcome);
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic dense14.csv")).status, 0);
}

TEST(Interrupt, PrintsNothingButTheScheduleWhereThatIsAskedFor) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome = folder.sluice_interrupted(words("plan " + std::string(kLong) + "--json -"));
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.err, "interrupted by Ctrl-C: the best plan so far\n");
  EXPECT_EQ(json::parse(outcome.out).at("algorithm"), "auto");
}

TEST(Interrupt, EndsAComparisonWithWhatThereIs) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome = folder.sluice_interrupted(
      words("compare " + std::string(kLong) + "--algorithms auto,oggp,greedy --json comparison.json"));
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("\ninterrupted by Ctrl-C; not planned: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("oggp, greedy\n"), std::string::npos) << outcome.out;
  const json comparison = json::parse(folder.read("comparison.json"));
  EXPECT_EQ(comparison.at("interrupted"), true);
  EXPECT_LE(comparison.at("rows").size(), 1U);
}

TEST(Interrupt, LeavesTheBestProgramSoFar) {
  const Folder folder;
  folder.write("flat.json", R"({"schema": "sluice.platform/2", "name": "all", "ranks": 1000,)"
                            R"( "link": {"latency_s": 1e-5, "gap": [[1, 1e-6], [1048576, 1e-3]]}})");
  expect_says_so(
      folder.sluice_interrupted(words("plan allreduce --platform flat.json --size 1Mi --summary --json plan.json")));
  const json plan = json::parse(folder.read("plan.json"));
  EXPECT_EQ(plan.at("problem"), "allreduce");
  EXPECT_GE(plan.at("length_s"), plan.at("bound_s"));
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
}

TEST(Interrupt, EndsAComparisonOfCollectivesBetweenTwoAlgorithms) {
  const Folder folder;
  folder.write("flat.json", R"({"schema": "sluice.platform/2", "name": "all", "ranks": 300,)"
                            R"( "link": {"latency_s": 1e-5, "gap": [[1, 1e-6], [1048576, 1e-3]]}})");
  const Outcome outcome =
      folder.sluice_interrupted(words("compare allreduce --platform flat.json --size 1Mi --json comparison.json"));
  EXPECT_EQ(outcome.status, 130) << outcome.err;
  EXPECT_NE(outcome.out.find("\ninterrupted by Ctrl-C; not planned: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(" auto\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(json::parse(folder.read("comparison.json")).at("interrupted"), true);
}

TEST(Interrupt, EndsALongPlanOfARedistributionAsAnExchange) {
  const Folder folder;
  const Outcome outcome = folder.sluice_interrupted(
      words("plan redistribute --from 15:2 --to 14:3 --setup 3.5 --preemptive --algorithm auto --time-limit 1e6 "
            "--effort 10000 --json plan.json"));
  expect_says_so(outcome);
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
}

TEST(Interrupt, EndsTheSearchesForRedistributionsAndBroadcasts) {
  const Folder folder;
  expect_says_so(folder.sluice_interrupted(
      words("plan redistribute --from 31x17:7x5 --to 23x19:11x3 --shape 901x777 --algorithm exact --effort 10000 "
            "--summary")));
  expect_says_so(
      folder.sluice_interrupted({"plan", "broadcast", "--platform", paper_folder() + "/../grid5000/grid5000-88.json",
                                 "--size", "4Ki", "--effort", "1e6", "--json", "plan.json"}));
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
}

TEST(Interrupt, WhatDoesNotSearchEndsAsUsual) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome = folder.sluice_interrupted(words("plan exchange dense.mtx --algorithm oggp"));
  EXPECT_EQ(outcome.status, 0) << "no handler, so nothing was sent";
  EXPECT_EQ(outcome.out.find("interrupted"), std::string::npos);
}

}  // namespace
}  // namespace sluice::testing
