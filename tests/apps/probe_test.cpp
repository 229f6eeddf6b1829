#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

TEST(Probe, WritesAPlatform) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 3, "probe -o p.json --time-budget 0.3 --clusters 2,1");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(error_lines(outcome).empty()) << outcome.err;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"p.json"}));
  const json file = json::parse(folder.read("p.json"));
  EXPECT_EQ(file["schema"], "sluice.platform/2");
  ASSERT_EQ(file["parts"].size(), 2U);
  EXPECT_EQ(file["parts"][0]["ranks"], 2);
  EXPECT_EQ(file["parts"][1]["ranks"], 1);
  EXPECT_EQ(file["parts"][0]["link"]["gap"][0][0], 1);
  for (const char* table : {"broadcast", "planned_broadcast"}) {
    EXPECT_GE(file["parts"][0][table].size(), 2U);
    EXPECT_FALSE(file["parts"][1].contains(table));
  }
  EXPECT_GE(file["link"]["gap"].size(), 2U);
  EXPECT_GE(lines(outcome.out).size(), 4U) << outcome.out;
  EXPECT_NE(outcome.out.find(
                "written to p.json. What it is good for:\n  sluice plan broadcast --platform p.json --size 4Mi\n"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("\ncombining 1 MiB (a sum of doubles): "), std::string::npos) << outcome.out;
  // What it wrote is what others read.
  const Outcome converted = folder.sluice({"platform-to-simgrid", "p.json", "-o", "p.xml", "--hosts", "p.hosts"});
  EXPECT_EQ(converted.status, 0) << converted.err;
  EXPECT_EQ(lines(folder.read("p.hosts")).size(), 3U);
}

TEST(Probe, WritesWhatItWroteAsJson) {
  const Folder folder;
  for (const std::string options : {"--time-budget 0.3 --clusters 2,1", "--quick"}) {
    const Outcome outcome = on_ranks(folder, 3, "probe -o p.json " + options + " --json -");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const json written = json::parse(outcome.out);
    EXPECT_EQ(written["schema"], "sluice.written/1");
    EXPECT_EQ(written["verb"], "probe");
    EXPECT_TRUE(written["about"].contains("mpi"));
    EXPECT_EQ(written["figures"]["ranks"], 3);
    EXPECT_GE(written["figures"]["measured_s"], 0);
    ASSERT_EQ(written["files"].size(), 1U);
    EXPECT_EQ(written["files"][0]["file"], "p.json");
    EXPECT_EQ(written["files"][0]["bytes"], folder.read("p.json").size());
  }
  const Outcome refused = on_ranks(folder, 2, "probe -o q.json --quick --json no/w.json");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(folder.files(), std::vector<std::string>{"p.json"});
}

/// With next to no time, only what a platform needs is measured, and the rest is named. The output says what the file
/// has, however much that is.
TEST(Probe, SaysWhatItLeftOut) {
  const Folder folder;
  for (const std::string budget : {"1e-6", "1"}) {
    const Outcome outcome = on_ranks(folder, 2, "probe -o p.json --time-budget " + budget);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const std::int64_t largest = json::parse(folder.read("p.json"))["link"]["gap"].back()[0];
    const auto says = [&](const std::string& text) { return outcome.out.find(text) != std::string::npos; };
    EXPECT_EQ(says("were too short: messages above "), largest < 4 << 20) << outcome.out;
    const std::size_t at = outcome.out.find("plan reduce ");
    EXPECT_EQ(at != std::string::npos, largest >= 1 << 20) << outcome.out;
    if (at != std::string::npos) {
      const std::string line = outcome.out.substr(at, outcome.out.find("   (1 MiB", at) - at);
      EXPECT_EQ(folder.sluice(words(line)).status, 0) << line;
    }
    if (budget == "1e-6") {
      EXPECT_TRUE(says("\nleft out, as 1.00 us were too short: messages above ")) << outcome.out;
      EXPECT_TRUE(says("; broadcasts above ")) << outcome.out;
      EXPECT_TRUE(says("; --thorough or --time-budget measures more\n")) << outcome.out;
    }
  }
}

TEST(Probe, QuickSaysWhatJobsMeasure) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 3, "probe --quick");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(lines(outcome.out).front(), "1 host");
  EXPECT_TRUE(folder.files().empty());
  const Outcome written = on_ranks(folder, 3, "probe --quick -o p.json");
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(json::parse(folder.read("p.json"))["ranks"], 3);
}

TEST(Probe, LeavesBroadcastsOutIfToldSo) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 2, "probe -o p.json --time-budget 0.2 --no-broadcasts");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("p.json"));
  EXPECT_EQ(file["ranks"], 2);
  EXPECT_TRUE(file["link"].contains("gap"));
  EXPECT_FALSE(file.contains("broadcast"));
}

TEST(Probe, RefusesBadInputBeforeItMeasures) {
  const Folder folder;
  const auto expect_error = [&](int ranks, const std::string& arguments, const std::string& about) {
    SCOPED_TRACE(arguments);
    expect_refused_once(on_ranks(folder, ranks, "probe " + arguments), about);
  };
  expect_error(1, "-o p.json", "one rank, expected at least two");
  expect_error(2, "-o no/such/p.json", "no/such/p.json");
  expect_error(2, "-o p.json --clusters 1,2", "--clusters");
  expect_error(2, "-o p.json --thorough --time-budget 3",
               "--thorough: cannot be used with --time-budget, expected one of the two");
  EXPECT_TRUE(folder.files().empty());
}

TEST(Probe, WritesNothingWhenARankDies) {
  const Folder folder;
  const std::string probe = "probe -o p.json --time-budget 20 --clusters 1,1,1";
  const Outcome outcome =
      shell_on_ranks(folder, 3,
                     "if [ \"${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\" = 2 ]; then exec timeout -s KILL 0.7 sluice " +
                         probe + "; else exec sluice " + probe + "; fi");
  EXPECT_NE(outcome.status, 0);
  EXPECT_TRUE(folder.files().empty());
}

TEST(Probe, HasHelp) {
  const Folder folder;
  for (const std::string verb : {"probe", "platform-to-simgrid"}) {
    const Outcome outcome = folder.sluice({verb, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_NE(outcome.out.find("Usage: sluice " + verb), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("Example"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace sluice::testing
