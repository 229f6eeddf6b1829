// A network in a user's words: --node-link SPEED --ranks-per-node N. The numbers are worked by hand.

#include <gtest/gtest.h>

#include <string>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

json result_of(const Folder& folder, const std::string& line) {
  const Outcome outcome = folder.sluice(words(line));
  EXPECT_EQ(outcome.status, 0) << line << outcome.err;
  return outcome.status == 0 ? json::parse(outcome.out) : json();
}

/// 8 Gbit/s are 1 GB/s: 1 MB from host to host takes 1 ms, and the latency of 10 us.
TEST(NodeLink, OneMessageTakesTheLatencyAndItsSize) {
  const Folder folder;
  const std::string network = " --node-link 8Gbit --ranks-per-node 1 --latency 10us --ranks 2 --size 1000000";
  EXPECT_NEAR(result_of(folder, "plan broadcast --segments 1 --program -" + network)["length_s"], 1.01e-3, 1e-7);
  EXPECT_NEAR(result_of(folder, "plan scatter --json -" + network)["length_s"], 1.01e-3, 1e-7);
}

/// Two hosts of four ranks. Each rank has 1 MB for each of the four ranks of the other host: 16 MB leave each host,
/// which takes 16 ms at 1 GB/s, while the 3 MB that each rank has for its own host take 3 ms beside it.
TEST(NodeLink, TheRanksOfAHostShareItsLink) {
  const Folder folder;
  const std::string network = " --node-link 8Gbit --ranks-per-node 4 --latency 1ns --size 1000000";
  const json eight = result_of(folder, "plan alltoall --json - --ranks 8" + network);
  EXPECT_NEAR(eight["length_s"], 16e-3, 1e-6);
  EXPECT_NEAR(eight["bound_s"], 16e-3, 1e-6);
  // Four ranks are one host, which has no link to share: each sends 3 MB.
  EXPECT_NEAR(result_of(folder, "plan alltoall --json - --ranks 4" + network)["length_s"], 3e-3, 1e-6);
  // Five ranks are a host of four and one of one: 4 MB leave the host of four.
  EXPECT_NEAR(result_of(folder, "plan alltoall --json - --ranks 5" + network)["bound_s"], 4e-3, 1e-6);
}

/// Counts tell the number of ranks: 16 MB over the link of host 0, as above.
TEST(NodeLink, CountsTellTheNumberOfRanks) {
  const Folder folder;
  std::string counts;
  for (int from = 0; from < 8; ++from)
    for (int to = 0; to < 8; ++to) counts += (from / 4 == to / 4 ? "0" : "1000000") + std::string(to == 7 ? "\n" : ",");
  folder.write("counts.csv", counts);
  const std::string line =
      "plan alltoall --counts counts.csv --json - --node-link 8Gbit --ranks-per-node 4 --latency 1ns";
  const json plan = result_of(folder, line);
  EXPECT_EQ(plan["ranks"], 8);
  EXPECT_NEAR(plan["length_s"], 16e-3, 1e-6);
}

/// A rank counts on its share of the link, 500 MB/s: three steps of 1 MB take 6 ms, and 10 us each. Then beta is what
/// the share moves in 10 us, 5000 bytes.
TEST(NodeLink, RanksOfAnExchangeCountOnTheirShare) {
  const Folder folder;
  folder.write("x.csv",
               "0,1000000,1000000,1000000\n1000000,0,1000000,1000000\n1000000,1000000,0,1000000\n"
               "1000000,1000000,1000000,0\n");
  const std::string network = " x.csv --node-link 8Gbit --ranks-per-node 2 --latency 10us";
  const json plan = result_of(folder, "plan exchange --json -" + network);
  EXPECT_EQ(plan["setup"], 5000);
  EXPECT_EQ(plan["max_transfers"], 4);
  EXPECT_EQ(plan["cost"]["total"], 3'015'000);
  const json predicted = result_of(folder, "predict exchange --json -" + network);
  EXPECT_NEAR(predicted["algorithms"][0]["time_s"], 6.03e-3, 1e-9);
  EXPECT_NEAR(predicted["bound_s"], 6.03e-3, 1e-9);
  const Outcome text = folder.sluice(words("plan exchange --summary" + network));
  EXPECT_NE(text.out.find("time: 6.03 ms at 500 MB/s per transfer, no plan takes less than 6.03 ms\n"),
            std::string::npos)
      << text.out;
}

TEST(NodeLink, EveryVerbThatTakesAPlatformTakesIt) {
  const Folder folder;
  const std::string network = " --node-link 100Gbit --ranks-per-node 8 --ranks 16";
  for (const std::string line :
       {"compare broadcast --size 64Ki --algorithms flat,auto", "predict broadcast --size 64Ki",
        "predict allgather --size 64Ki", "simulate allgather --size 64Ki --summary", "compare allreduce --size 64Ki",
        "plan reduce --size 64Ki --compute 1us", "simulate broadcast --size 64Ki --summary"}) {
    const Outcome outcome = folder.sluice(words(line + network));
    EXPECT_EQ(outcome.status, 0) << line << outcome.err;
  }
  // A program knows its number of ranks.
  ASSERT_EQ(folder.sluice(words("plan allgather --size 64Ki --json p.json --summary" + network)).status, 0);
  EXPECT_EQ(folder.sluice(words("check p.json --node-link 100Gbit --ranks-per-node 8")).status, 0);
  const json times = result_of(folder, "simulate p.json --json - --node-link 100Gbit --ranks-per-node 8");
  EXPECT_EQ(times["length"], times["planned"]);
}

TEST(NodeLink, WhatIsMissingIsNamed) {
  const Folder folder;
  folder.write("x.csv", "0,1\n1,0\n");
  const auto refused = [&](const std::string& line, const std::string& about) {
    expect_refused(folder.sluice(words(line)), about);
  };
  const std::string plan = "plan allgather --size 1Ki ";
  refused(plan + "--node-link 1Gbit --ranks-per-node 8",
          "--ranks: missing, needed with --node-link, expected the number of all ranks, such as 64");
  refused(plan + "--node-link 1Gbit --ranks 8", "--ranks-per-node: missing, needed with --node-link");
  refused(plan + "--ranks 8", "--ranks: no --node-link");
  refused(plan + "--node-link fast --ranks-per-node 8 --ranks 8", "--node-link: 'fast'");
  refused(plan + "--node-link 1Gbit --ranks-per-node 0 --ranks 8", "--ranks-per-node: '0'");
  refused(plan + "--node-link 1Gbit --ranks-per-node 8 --platform p.json",
          "--node-link: cannot be used with --platform");
  refused(plan, "--platform: nothing, expected a platform file, or --node-link SPEED --ranks-per-node N");
  refused("plan exchange x.csv --node-link 1Gbit", "--ranks-per-node: missing");
  refused("plan exchange x.csv --ranks-per-node 2", "--ranks-per-node: no --node-link");
  refused("plan exchange x.csv --node-link 1Gbit --ranks-per-node 2 --backbone 1Gbit",
          "--node-link: cannot be used with --backbone");
}

}  // namespace
}  // namespace sluice::testing
