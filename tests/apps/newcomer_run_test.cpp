// Like newcomer_test.cpp, for what runs under mpirun. The numbers beside the tests are numbers of the review's list.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kSmallTraffic =
    "%%MatrixMarket matrix coordinate integer general\n3 2 4\n1 1 100000\n1 2 3\n2 2 70000\n3 1 5\n";

void expect_in(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), text.npos) << text << "lacks: " << part;
}

TEST(NewcomerRuns, ResultsSayWhatTheyWereMadeFrom) {  // 3, 21
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.mtx --repetitions 5 --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("170 kB in total, k = 2, beta = 8192 (default; plan: 1 unit)\n"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("3 ranks, 5 repetitions, methods alternating\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(" % interval"), std::string::npos) << outcome.out;
  expect_in("\ntoo few samples to tell which is the fastest: 5 repetitions, at least 6 are needed; least median: ",
            outcome.out);
  const json file = json::parse(folder.read("out.json"));
  const json& about = file["about"];
  EXPECT_EQ(about["inputs"][0]["sha256"].get<std::string>() + "  traffic.mtx\n",
            folder.run({"sha256sum", "traffic.mtx"}).out);
  EXPECT_EQ(about["hosts"].size(), 1U);
  EXPECT_NE(about["mpi"], "");
  for (const json& method : file["methods"]) {
    std::vector<double> samples = method["samples_s"];
    ASSERT_EQ(samples.size(), 5U);
    std::sort(samples.begin(), samples.end());
    EXPECT_EQ(samples.front(), method["min_s"]);
    EXPECT_EQ(samples[1], method["quartiles_s"][0]);
    EXPECT_EQ(samples[2], method["median_s"]);
    EXPECT_EQ(samples[3], method["quartiles_s"][1]);
    EXPECT_FALSE(method.contains("median_interval_s"));
    EXPECT_EQ(samples[4], method["max_s"]);
  }
}

TEST(NewcomerRuns, MemoryBesideAFewBytesIsToldInTimes) {
  const Folder folder;
  folder.write("traffic.csv", "0,8,0\n0,0,0\n0,0,0\n");
  const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.csv --repetitions 1 --wide");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(" times  "), outcome.out.npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("00.0 %"), outcome.out.npos) << outcome.out;
}

TEST(NewcomerRuns, RatiosHaveTheDigitsThatTheSamplesAllow) {  // 22
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.mtx --repetitions 9 --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  expect_in("96 % interval", outcome.out);
  const json file = json::parse(folder.read("out.json"));
  const json& first = file["methods"][0];
  const auto spread = [](const json& method) {
    return (method["quartiles_s"][1].get<double>() - method["quartiles_s"][0].get<double>()) /
           method["median_s"].get<double>();
  };
  const std::vector<std::string> rows = lines(outcome.out);
  ASSERT_GT(file["methods"].size(), 1U);
  for (std::size_t m = 1; m < file["methods"].size(); ++m) {
    const json& method = file["methods"][m];
    SCOPED_TRACE(outcome.out + method.dump());
    const std::string start = method["name"].get<std::string>() + ' ';
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const std::string& each) { return each.rfind(start, 0) == 0; });
    ASSERT_NE(row, rows.end());
    const double wider = std::max(spread(method), spread(first));
    int decimals = wider <= 0.01 ? 3 : wider <= 0.1 ? 2 : 1;
    const double ratio = method["median_s"].get<double>() / first["median_s"].get<double>();
    while (ratio * std::pow(10, decimals) < 0.5) ++decimals;  // "0.0" would say nothing
    // The second and the eighth of nine samples enclose the median with probability 492/512.
    std::vector<double> samples = method["samples_s"];
    std::sort(samples.begin(), samples.end());
    EXPECT_EQ(method["median_interval_s"], (json{samples[1], samples[7]}));
    EXPECT_EQ(method["confidence"], 492.0 / 512);
    const bool same = method["median_interval_s"][0] <= first["median_interval_s"][1] &&
                      first["median_interval_s"][0] <= method["median_interval_s"][1];
    std::ostringstream cell;
    cell << (same ? " ~" : " ") << std::fixed << std::setprecision(decimals) << ratio << "  ";
    EXPECT_NE(row->find(cell.str()), row->npos) << cell.str();
  }
}

/// Five columns fit a terminal; what a method did stands below its row. --wide has all, and the file is as it was.
TEST(NewcomerRuns, TheTableFitsEightyColumns) {
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const std::string run =
      "run exchange traffic.mtx --backbone 2Gbit --sender-link 1Gbit --receiver-link 1Gbit "
      "--latency 50us --repetitions 9 --methods sluice,alltoallv,pairwise --json out.json";
  const Outcome narrow = on_ranks(folder, 3, run);
  ASSERT_EQ(narrow.status, 0) << narrow.err;
  const std::vector<std::string> rows = lines(narrow.out);
  const auto head = std::ranges::find_if(rows, [](const std::string& line) { return line.rfind("method ", 0) == 0; });
  ASSERT_NE(head, rows.end()) << narrow.out;
  std::istringstream titles(*head);
  std::string title;
  std::vector<std::string> words_of_head;
  while (titles >> title) words_of_head.push_back(title);
  EXPECT_EQ(words_of_head,
            (std::vector<std::string>{"method", "median", "96", "%", "interval", "/", "sluice", "extra", "memory"}));
  for (const std::string& line : rows)
    if (line.rfind("sluice ", 0) == 0 || line.rfind("alltoallv ", 0) == 0 || line.rfind("pairwise ", 0) == 0) {
      EXPECT_LE(line.size(), 80U) << line;
    }
  const json file = json::parse(folder.read("out.json"));
  expect_in("\n    " + file["methods"][0]["how"].get<std::string>() + '\n', narrow.out);
  expect_in("by the speeds given; sluice takes ", narrow.out);
  const Outcome wide = on_ranks(folder, 3, run + " --wide");
  ASSERT_EQ(wide.status, 0) << wide.err;
  for (const char* column : {"  min  ", "  max  ", "  rate  ", "  of data  ", "  / bound  ", "  how\n"})
    expect_in(column, wide.out);
  for (const char* field : {"min_s", "max_s", "samples_s", "peak_extra_bytes"})
    EXPECT_TRUE(file["methods"][0].contains(field)) << field;
}

TEST(NewcomerRuns, OneRankIsToldHowToStartMore) {  // 9, 17
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome exchange = folder.sluice(words("run exchange traffic.mtx"));
  EXPECT_EQ(exchange.status, 2);
  EXPECT_EQ(exchange.err.find("note: "), std::string::npos) << exchange.err;
  EXPECT_NE(exchange.err.find("at most the 1 rank that mpirun started; start it with mpirun -np 3\n"),
            std::string::npos)
      << exchange.err;
  const Outcome reduce = folder.sluice(words("run reduce --count 5 --repetitions 1"));
  EXPECT_EQ(reduce.status, 0) << reduce.err;
  EXPECT_EQ(reduce.err, "note: this is one rank; mpirun -np N sluice run ... starts N of them\n");
  EXPECT_NE(reduce.out.find("verified: the result; one rank has nobody to send to\n"), std::string::npos) << reduce.out;
  EXPECT_NE(reduce.out.find("\n1 rank, 1 repetition, "), std::string::npos) << reduce.out;
  expect_refused_once(folder.sluice(words("run exchange - --quiet"), kSmallTraffic),
                      "TRAFFIC: standard input, expected a file");
  expect_refused_once(folder.sluice(words("run broadcast --size 1Ki --root 1 --quiet")),
                      "--root: '1', expected 0, the only one");
}

TEST(NewcomerRuns, ALauncherOfAnotherMpiIsNoticed) {  // 29
  const Folder folder;
  // What the launcher of the other MPI says to each process.
  const bool open_mpi = folder.sluice({"-V"}).out.find("Open MPI") != std::string::npos;
  const std::string names = open_mpi ? "PMI" : "OMPI_COMM_WORLD";
  const Outcome outcome = folder.run({SLUICE_COMMAND, "run", "broadcast", "--size", "1Ki", "--repetitions", "1"},
                                     {names + "_RANK=0", names + "_SIZE=3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_in("note: started 3 times, and each is a job of one rank: the launcher is not the one of ", outcome.err);
}

TEST(NewcomerRuns, PlansUnderMpirunArePrintedOnce) {  // 10
  const Folder folder;
  const Outcome outcome = shell_on_ranks(folder, 3, "sluice plan redistribute --from 2:1 --to 2:2");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::string title = "redistribute 2:1 -> 2:2: ";
  const std::size_t first = outcome.out.find(title);
  ASSERT_NE(first, outcome.out.npos) << outcome.out;
  EXPECT_EQ(outcome.out.find(title, first + 1), outcome.out.npos) << outcome.out;
  expect_in("note: started 3 times; rank 0 alone does this, which needs no MPI", outcome.err);
}

TEST(NewcomerRuns, MoreRanksThanCoresAreNoticed) {  // 22
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const unsigned cores = std::thread::hardware_concurrency();
  const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.mtx --repetitions 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const bool told = outcome.out.find("\n3 ranks share " + std::to_string(cores) + " core") != outcome.out.npos;
  EXPECT_EQ(told, cores < 3) << outcome.out;
}

/// Bytes sent, and received, by a trace.
std::pair<std::int64_t, std::int64_t> bytes_traced(const Folder& folder, const std::string& file) {
  std::int64_t sent = 0, received = 0;
  const json trace = json::parse(folder.read(file));
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"].get<double>(), 0);
    (event["cat"] == "send" ? sent : received) += event["args"]["size"].get<std::int64_t>();
  }
  return {sent, received};
}

TEST(NewcomerRuns, WhatRanIsDrawn) {  // 23
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  for (const std::string mode : {"chain", "local", "at-once"}) {
    SCOPED_TRACE(mode);
    const Outcome outcome = on_ranks(
        folder, 5,
        "run exchange traffic.mtx --repetitions 1 --methods sluice --mode " + mode + " --trace run.json --svg run.svg");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    expect_in("exchange, executed: " + mode, folder.read("run.svg"));
    const auto [sent, received] = bytes_traced(folder, "run.json");
    EXPECT_EQ(sent, received);
    EXPECT_EQ(sent, 100000 + 3 + 70000 + 5);
  }
  expect_refused_once(on_ranks(folder, 3, "run exchange traffic.mtx --trace run.txt"), "--trace: 'run.txt'");
}

TEST(NewcomerRuns, WhatRanIsDrawnOfEveryProblem) {  // 23
  const Folder folder;
  const std::vector<std::pair<std::string, std::int64_t>> runs{
      // 4 of 12 consecutive elements stay where they are.
      {"redistribute --from 4:3 --to 4:1 --shape 144 --methods sluice,caterpillar", 144 / 12 * 8 * 8},
      {"reduce --count 1000", 3 * 8000},
      {"reduce --count 10 --operation merge", -1},  // sets that have elements in common
      {"allgather --size 500", 4 * 3 * 500},
      {"alltoall --size 500", -1},  // perhaps over several ranks
  };
  for (const auto& [arguments, bytes] : runs) {
    SCOPED_TRACE(arguments);
    const Outcome outcome = on_ranks(folder, 4, "run " + arguments + " --repetitions 1 --trace t.json --svg t.svg");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto [sent, received] = bytes_traced(folder, "t.json");
    EXPECT_EQ(sent, received);
    EXPECT_GT(sent, 0);
    if (bytes > 0) {
      EXPECT_EQ(sent, bytes);
    }
    expect_in("executed: ", folder.read("t.svg"));
  }
  expect_refused_once(on_ranks(folder, 2, "run broadcast --size 1K --trace b.json"), "--platform: nothing");
  expect_refused_once(on_ranks(folder, 1, "run allgather --size 1K --trace b.json"), "--trace: no transfer");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"t.json", "t.svg"}));
}

TEST(NewcomerRuns, AMeasuredKIsTold) {  // 11
  const Folder folder;
  folder.write("traffic.mtx", kSmallTraffic);
  const Outcome outcome = on_ranks(folder, 3, "run exchange traffic.mtx --measure --repetitions 3");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_in(" measured, by transfers at once: 1: ", outcome.out);
  expect_in("; least median: ", outcome.out);
}

TEST(NewcomerRuns, ProbeSaysWhatItWroteAndWhatItIsGoodFor) {  // 12, 35
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 2, "probe -o p.json --time-budget 1");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  expect_in(
      "written to p.json. What it is good for:\n"
      "  sluice plan broadcast --platform p.json --size 4Mi\n"
      "  mpirun -np 2 sluice run broadcast --platform p.json --size 4Mi\n",
      outcome.out);
  const Outcome quick = on_ranks(folder, 2, "probe --quick --quiet -o q.json");
  EXPECT_EQ(quick.status, 0) << quick.err;
  EXPECT_EQ(quick.out, "");
  expect_in("\nwritten to q.json. What it is good for:\n", on_ranks(folder, 2, "probe --quick -o q.json").out);
  EXPECT_EQ(folder.sluice(words("plan broadcast --platform q.json --size 4Mi --summary")).status, 0);
}

TEST(NewcomerRuns, DataBeyondTheMemoryIsRefusedBeforeItIsFilled) {
  const Folder folder;
  folder.write("t.csv", "0,1000000000000000\n1,0\n");
  for (const Case& each :
       {Case{"exchange t.csv --same-ranks", "t.csv: 2000000.0 GB of data on one node, expected less than its"},
        {"broadcast --size 1000000G", "--size: 2000000.0 GB"},
        {"allgather --size 1000000G", "--size: 6000000.0 GB"},
        {"alltoall --counts 1,1,1000000G,1", "--counts: 2000000.0 GB"},
        {"reduce --count 1000000G", "--count: 32000000.0 GB"},
        {"reduce --count 10M --operation matmul", "--count: 3200000.0 GB"}}) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 2, std::string("run ") + each.arguments), each.about);
  }
}

}  // namespace
}  // namespace sluice::testing
