#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

const std::string kFourLevels = std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json";

/// 25 racks of 125 hosts of 32 ranks.
const std::string kHundredThousand = R"({"schema": "sluice.platform/2", "name": "machine",
 "link": {"latency_s": 5e-06, "gap": [[1, 2e-06], [1048576, 0.0001]]},
 "parts": [
  {"name": "rack", "count": 25, "uplink": [[1, 0], [1048576, 5e-06]],
   "link": {"latency_s": 2e-06, "gap": [[1, 2e-06], [1048576, 0.0001]]},
   "parts": [
    {"name": "host", "count": 125, "ranks": 32, "link": {"latency_s": 1e-06, "gap": [[1, 1e-06], [1048576, 0.0002]]}}]}]}
)";

TEST(PlatformVerb, ShowsLevelsAndTurnsOneVersionIntoTheOther) {
  const Folder folder;
  const Outcome shown = folder.sluice({"platform", kFourLevels, "-o", "two.json"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(shown.out.substr(kFourLevels.size()),
            ": 72 ranks in 18 clusters\n\n"
            "level  parts  ranks in each      latency inside            1 MiB inside\n"
            "    0      1             72  5.00 ms to 8.00 ms  13.3 MB/s to 21.3 MB/s\n"
            "    1      3             24              300 us                125 MB/s\n"
            "    2      6             12             50.0 us                125 MB/s\n"
            "    3     18              4             1.00 us               4.95 GB/s\n");
  EXPECT_EQ(json::parse(folder.read("two.json"))["schema"], "sluice.platform/2");
  EXPECT_EQ(folder.sluice({"platform", "two.json", "--format", "1", "-o", "one.json"}).status, 0);
  EXPECT_EQ(json::parse(folder.read("one.json")), json::parse(read_text(kFourLevels)));
  const Outcome again = folder.sluice({"platform", "two.json", "-o", "-"});
  EXPECT_EQ(again.out, folder.read("two.json"));
}

/// What a plan prints, except the name of the file.
std::string without(std::string text, const std::string& name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name)) text.erase(at, name.size());
  return text;
}

TEST(PlatformVerb, EveryVerbReadsBothVersions) {
  const Folder folder;
  ASSERT_EQ(folder.sluice({"platform", kFourLevels, "-o", "two.json"}).status, 0);
  ASSERT_EQ(
      folder.sluice({"plan", "allgather", "--platform", "two.json", "--size", "1Ki", "--json", "plan.json"}).status, 0);
  folder.write("network.json", read_text(kFourLevels));
  using Words = std::vector<std::string>;
  for (const Words& words :
       {Words{"plan", "broadcast", "--size", "64Ki"}, Words{"plan", "allgather", "--size", "1Ki"},
        Words{"plan", "alltoall", "--size", "100"}, Words{"predict", "broadcast", "--size", "64Ki"},
        Words{"predict", "scatter", "--size", "1Ki"}, Words{"simulate", "plan.json"}}) {
    Words first = words, second = words;
    for (Words* each : {&first, &second}) each->emplace_back("--platform");
    first.emplace_back("network.json");
    second.emplace_back("two.json");
    const Outcome one = folder.sluice(first), two = folder.sluice(second);
    EXPECT_EQ(one.status, 0) << words[0] << ' ' << one.err;
    EXPECT_EQ(two.status, 0) << words[0] << ' ' << two.err;
    EXPECT_EQ(without(one.out, "network.json"), without(two.out, "two.json")) << words[0] << ' ' << words[1];
    EXPECT_FALSE(one.out.empty());
  }
  // Without the times of planning.
  const auto lengths = [&](const std::string& file) {
    const Outcome compared = folder.sluice(
        {"compare", "broadcast", "--size", "64Ki", "--algorithms", "ecef,flat", "--json", "-", "--platform", file});
    EXPECT_EQ(compared.status, 0) << compared.err;
    std::vector<double> result;
    const json rows = json::parse(compared.out)["rows"];
    for (const json& row : rows) result.push_back(row["length"]);
    EXPECT_EQ(result.size(), 2U) << compared.out;
    return result;
  };
  EXPECT_EQ(lengths("network.json"), lengths("two.json"));
  for (const std::string file : {"network", "two"})
    EXPECT_EQ(folder.sluice({"platform-to-simgrid", file + ".json", "-o", file + ".xml"}).status, 0);
  // Uplinks may stand in another order.
  const auto sorted_lines = [&](const std::string& file) {
    std::vector<std::string> all = lines(folder.read(file));
    std::sort(all.begin(), all.end());
    return all;
  };
  EXPECT_EQ(sorted_lines("network.xml"), sorted_lines("two.xml"));
  const Outcome report = folder.sluice({"report", "two.json", "-o", "page.html"});
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_NE(folder.read("page.html").find("any part of the whole"), std::string::npos);
}

TEST(PlatformVerb, TakesAHundredThousandRanks) {
  const Folder folder;
  folder.write("p.json", kHundredThousand);
  const Outcome shown = folder.sluice({"platform", "p.json"});
  EXPECT_EQ(shown.out,
            "p.json: 100000 ranks in 3125 clusters\n\n"
            "level  parts  ranks in each  latency inside  1 MiB inside\n"
            "    0      1         100000         5.00 us     10.5 GB/s\n"
            "    1     25           4000         2.00 us     10.5 GB/s\n"
            "    2   3125             32         1.00 us     5.24 GB/s\n");
  const Outcome predicted = folder.sluice({"predict", "broadcast", "--platform", "p.json", "--size", "1Mi"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
  EXPECT_NE(predicted.out.find("cluster rack24/host124: 32 ranks"), std::string::npos);
  // More clusters than plans can look at in pairs, and more ranks than a file may have.
  folder.write("more.json", with(kHundredThousand, "\"count\": 25", "\"count\": 40"));
  for (const std::string verb : {"plan", "compare"})
    for (const std::string problem : {"broadcast", "allgather"})
      expect_refused(folder.sluice({verb, problem, "--platform", "more.json", "--size", "1000"}),
                     "5000 clusters, expected at most 4096");
  expect_refused(folder.sluice({"platform-to-simgrid", "p.json", "-o", "p.xml"}),
                 "100000 ranks, expected at most 2048");
  expect_refused(folder.sluice({"report", "p.json", "-o", "p.html"}), "more than the page can show");
  expect_refused(folder.sluice({"platform", "p.json", "--format", "1", "-o", "one.json"}),
                 "3125 clusters, expected at most 2048");
  folder.write("million.json", with(kHundredThousand, "\"count\": 25", "\"count\": 250"));
  EXPECT_EQ(lines(folder.sluice({"platform", "million.json"}).out).at(0),
            "million.json: 1000000 ranks in 31250 clusters");
  folder.write("most.json", with(kHundredThousand, "\"count\": 25", "\"count\": 2500"));
  expect_refused(folder.sluice({"predict", "broadcast", "--platform", "most.json", "--size", "1Mi"}),
                 "most.json:4: 10000000 ranks, expected at most 1048576");
}

TEST(PlatformVerb, RefusesBadInput) {
  const Folder folder;
  folder.write("p.json", with(kHundredThousand, "\"ranks\": 32", "\"ranks\": 0"));
  expect_refused(folder.sluice({"platform"}), "no file");
  expect_refused(folder.sluice({"platform", "none.json"}), "none.json");
  expect_refused(folder.sluice({"platform", "p.json", "-o", "q.json"}), "p.json:7: 0 ranks, expected at least 1");
  expect_refused(folder.sluice({"platform", "p.json", "--format", "3"}), "--format: '3', expected 1 or 2");
  expect_refused(folder.sluice({"platform", "p.json", "-o", "no/q.json"}), "no/q.json");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"p.json"}));
}

}  // namespace
}  // namespace sluice::testing
