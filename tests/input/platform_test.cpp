#include "sluice/input/platform.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bad_input.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

const std::string kSample =
    R"({"schema": "sluice.platform/1", "ranks": 4,
 "clusters": [
  {"name": "a", "ranks": [0, 2], "latency_s": 0.001, "gap": [[1, 2e-06], [1000, 0.25]]},
  {"name": "b", "ranks": [3], "latency_s": 0},
  {"name": "c", "ranks": [1], "latency_s": 0, "broadcast": [[4194304, 0.05]], "planned_broadcast": [[1, 0.25]]}],
 "links": [
  {"from": 0, "to": 1, "latency_s": 0.5, "gap": [[1, 1]]},
  {"from": 0, "to": 2, "latency_s": 0.25, "gap": [[10, 1], [20, 3]], "connections": 7},
  {"from": 1, "to": 2, "latency_s": 0.125, "gap": [[1, 1]]}]}
)";

Platform sample() {
  Platform platform;
  platform.ranks = 4;
  platform.clusters = {{"a", {0, 2}, 0.001, GapTable({{1, 2e-6}, {1000, 0.25}}), {}},
                       {"b", {3}, 0, {}, {}},
                       {"c", {1}, 0, {}, GapTable({{4194304, 0.05}}), GapTable({{1, 0.25}})}};
  platform.links = {{0, 1, 0.5, GapTable({{1, 1}}), 1},
                    {0, 2, 0.25, GapTable({{10, 1}, {20, 3}}), 7},
                    {1, 2, 0.125, GapTable({{1, 1}}), 1}};
  return platform;
}

Platform read(const std::string& text) {
  std::istringstream in(text);
  return read_platform(in, "p.json");
}

std::string error_of(const std::string& text) {
  return testing::error_of([&] { return read(text); });
}

std::string with(const std::string& from, const std::string& to) { return testing::with(kSample, from, to); }

template <class Change>
std::string error_after(Change change) {
  Platform platform = sample();
  change(platform);
  return testing::error_of([&] { check_platform(platform, "p"); });
}

TEST(GapTable, IsLinearBetweenPointsAndBeyondThem) {
  const GapTable table({{10, 1}, {20, 3}, {40, 4}});
  EXPECT_EQ(table.at(0), 0);
  EXPECT_EQ(table.at(1), 1);
  EXPECT_EQ(table.at(10), 1);
  EXPECT_EQ(table.at(15), 2);
  EXPECT_EQ(table.at(20), 3);
  EXPECT_EQ(table.at(30), 3.5);
  EXPECT_EQ(table.at(40), 4);
  EXPECT_EQ(table.at(60), 5);
  const GapTable one({{10, 1}});
  EXPECT_EQ(one.at(5), 1);
  EXPECT_EQ(one.at(10), 1);
  EXPECT_EQ(one.at(25), 2.5);
}

TEST(GapTable, RefusesWhatIsNoTable) {
  const auto error = [](std::vector<GapTable::Point> points) {
    return testing::error_of([&] { return GapTable(std::move(points), "t"); });
  };
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error({}), "t: no points, expected at least one size with its time");
  EXPECT_EQ(error({{0, 1}}), "t: a size of 0 bytes, expected sizes above 0");
  EXPECT_EQ(error({{2, 1}, {2, 1}}), "t: 2 bytes after 2, expected sizes that rise");
  EXPECT_EQ(error({{2, 1}, {1, 1}}), "t: 1 byte after 2, expected sizes that rise");
  EXPECT_EQ(error({{1, 2}, {2, 1}}), "t: 1 s for 2 bytes, 2 s for 1, expected times that do not fall as sizes rise");
  EXPECT_EQ(error({{1, -1}}), "t: -1 s, expected a finite time of at least 0");
  EXPECT_EQ(error({{1, kNan}}), "t: nan s, expected a finite time of at least 0");
  EXPECT_EQ(error({{1, 1e101}}), "t: 1e+101 s, expected at most 1e+100 s");
  // Beyond the last point the line goes on.
  EXPECT_EQ(error({{1, 1e-6}, {10, 1e99}}),
            "t: 1.02e+117 s for 2^63 - 1 bytes, on the line of the last points, expected at most 1e+100 s");
}

TEST(Platform, ReadsAndWritesTheSample) {
  EXPECT_EQ(read(kSample), sample());
  EXPECT_EQ(to_json(sample()), kSample);
}

TEST(Platform, KnowsTheFasterOfWhatWasMeasured) {
  PlatformCluster cluster{"a", {0, 2}, 0, GapTable({{1, 1}}), {}, {}};
  EXPECT_FALSE(cluster.measured_broadcast(1));
  cluster.planned_broadcast = GapTable({{1, 4}, {3, 4}});
  ASSERT_TRUE(cluster.measured_broadcast(2));
  EXPECT_EQ(cluster.measured_broadcast(2)->seconds, 4);
  EXPECT_FALSE(cluster.measured_broadcast(2)->native);
  EXPECT_FALSE(cluster.measured_broadcast(0));
  cluster.broadcast = GapTable({{1, 3}, {3, 5}});
  EXPECT_EQ(cluster.measured_broadcast(1)->seconds, 3);
  EXPECT_TRUE(cluster.measured_broadcast(1)->native);
  EXPECT_TRUE(cluster.measured_broadcast(2)->native);  // as fast
  EXPECT_EQ(cluster.measured_broadcast(3)->seconds, 4);
  EXPECT_FALSE(cluster.measured_broadcast(3)->native);
  cluster.ranks = {0};
  EXPECT_FALSE(cluster.measured_broadcast(1));
}

TEST(Platform, FindsLinksInEitherDirection) {
  Platform platform = sample();
  EXPECT_EQ(platform.link(0, 2).latency_s, 0.25);
  EXPECT_EQ(platform.link(2, 0).latency_s, 0.25);
  EXPECT_EQ(platform.link(2, 1).latency_s, 0.125);
  platform.links.push_back({2, 0, 9, GapTable({{1, 1}}), 1});
  std::swap(platform.links[0], platform.links[2]);
  check_platform(platform, "p");
  EXPECT_EQ(platform.link(0, 2).latency_s, 0.25);
  EXPECT_EQ(platform.link(2, 0).latency_s, 9);
  EXPECT_EQ(platform.link(1, 0).latency_s, 0.5);
  EXPECT_EQ(platform.link(2, 1).latency_s, 0.125);
}

TEST(Platform, KnowsTheClusterOfARank) {
  const Platform platform = sample();
  EXPECT_EQ(platform.cluster_of(0), 0);
  EXPECT_EQ(platform.cluster_of(1), 2);
  EXPECT_EQ(platform.cluster_of(2), 0);
  EXPECT_EQ(platform.cluster_of(3), 1);
}

TEST(Platform, WantsEveryRankInOneCluster) {
  EXPECT_EQ(error_after([](Platform& p) { p.ranks = 0; }), "p: 0 ranks, expected at least 1");
  EXPECT_EQ(error_after([](Platform& p) { p.ranks = 5; }),
            "p: rank 4 in no cluster, expected every rank in one cluster");
  EXPECT_EQ(error_after([](Platform& p) { p.ranks = std::numeric_limits<std::int64_t>::max(); }),
            "p: rank 4 in no cluster, expected every rank in one cluster");
  EXPECT_EQ(error_after([](Platform& p) { p.ranks = 3; }), "p: rank 3 in cluster 1, expected 0 to 2: \"ranks\" is 3");
  EXPECT_EQ(error_after([](Platform& p) { p.clusters[2].ranks = {2}; }),
            "p: rank 1 in no cluster, expected every rank in one cluster");
  EXPECT_EQ(error_after([](Platform& p) {
              p.clusters[1].ranks = {3, 1};
            }),
            "p: rank 1 in clusters 1 and 2, expected every rank in one cluster");
  EXPECT_EQ(error_after([](Platform& p) {
              p.clusters[0].ranks = {0, 2, 0};
            }),
            "p: rank 0 twice in cluster 0, expected every rank in one cluster");
  EXPECT_EQ(error_after([](Platform& p) {
              p.clusters[0].ranks = {0, -2};
            }),
            "p: rank -2 in cluster 0, expected 0 to 3: \"ranks\" is 4");
  EXPECT_EQ(error_after([](Platform& p) { p.clusters[1].ranks = {}; }),
            "p: cluster 1 without ranks, expected at least one rank");
}

TEST(Platform, WantsALinkForEveryPair) {
  EXPECT_EQ(error_after([](Platform& p) { p.links.erase(p.links.begin() + 1); }),
            "p: no link between clusters 0 and 2, expected one for every pair");
  EXPECT_EQ(error_after([](Platform& p) { p.links.push_back(p.links[1]); }),
            "p: link from 0 to 2 twice, expected one per direction");
  EXPECT_EQ(error_after([](Platform& p) { p.links[0].to = 3; }),
            "p: link from 0 to 3, expected two different clusters of 0 to 2");
  EXPECT_EQ(error_after([](Platform& p) { p.links[0].to = 0; }),
            "p: link from 0 to 0, expected two different clusters of 0 to 2");
  EXPECT_EQ(error_after([](Platform& p) { p.links[0].connections = 0; }),
            "p: link from 0 to 1: 0 connections, expected at least 1");
  EXPECT_EQ(error_after([](Platform& p) { p.links[0].gap = {}; }),
            "p: link from 0 to 1 without a gap, expected one point of g(m) at least");
  EXPECT_EQ(error_after([](Platform& p) { p.clusters[0].gap = {}; }),
            "p: cluster 0 of 2 ranks without a gap, expected one point of g(m) at least, unless there is one rank");
}

TEST(Platform, WantsFiniteTimes) {
  EXPECT_EQ(error_after([](Platform& p) { p.clusters[1].latency_s = -1; }),
            "p: cluster 1: latency_s: -1 s, expected a finite time of at least 0");
  EXPECT_EQ(error_after([](Platform& p) { p.links[1].latency_s = std::numeric_limits<double>::quiet_NaN(); }),
            "p: link from 0 to 2: latency_s: nan s, expected a finite time of at least 0");
  EXPECT_EQ(error_after([](Platform& p) { p.links[1].latency_s = std::numeric_limits<double>::infinity(); }),
            "p: link from 0 to 2: latency_s: inf s, expected a finite time of at least 0");
}

TEST(PlatformJson, RefusesOtherFiles) {
  EXPECT_EQ(error_of(with("platform/1", "schedule/1")),
            "p.json:1: \"schema\": \"sluice.schedule/1\", expected \"sluice.platform/1\" or \"sluice.platform/2\"");
  EXPECT_EQ(error_of(""), "p.json:1: the end of the file, expected the rest of a platform");
  EXPECT_EQ(error_of("[]"), "p.json:1: an array, expected an object, a platform");
  EXPECT_EQ(error_of(kSample + "1"), "p.json:10: number literal after the platform, expected the end of the file");
  EXPECT_EQ(error_of(with("\"ranks\": 4", "\"hosts\": 4")),
            "p.json:1: field \"hosts\" in a platform, expected only \"schema\", \"ranks\", \"clusters\", \"links\"");
  EXPECT_EQ(
      error_of(with(", \"latency_s\": 0.5", "")),
      "p.json:7: a link without \"latency_s\", expected \"from\", \"to\", \"latency_s\", \"gap\", \"connections\"");
  EXPECT_EQ(error_of(with("0.001", "-0.001")), "p.json:3: \"latency_s\": -0.001, expected a number of at least 0");
  EXPECT_EQ(error_of(with("0.001", "NaN")).substr(0, 25), "p.json:3: invalid literal");
  EXPECT_EQ(error_of(with("[0, 2]", "[0, 2.5]")), "p.json:3: 2.5, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of(with("[0, 2]", "[0, [2]]")), "p.json:3: an array, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of(with("[0, 2]", "2")), "p.json:3: \"ranks\": 2, expected an array");
  EXPECT_EQ(error_of(with("[0, 2]", "[0, 1]")),
            "p.json: rank 1 in clusters 0 and 2, expected every rank in one cluster");
}

TEST(PlatformJson, RefusesOtherTables) {
  EXPECT_EQ(error_of(with("[10, 1], [20, 3]", "[20, 1], [10, 3]")),
            "p.json:8: \"gap\": 10 bytes after 20, expected sizes that rise");
  EXPECT_EQ(error_of(with("[10, 1], [20, 3]", "[10, 3], [20, 1]")),
            "p.json:8: \"gap\": 1 s for 20 bytes, 3 s for 10, expected times that do not fall as sizes rise");
  EXPECT_EQ(error_of(with("[10, 1], [20, 3]", "")),
            "p.json:8: \"gap\": no points, expected at least one size with its time");
  EXPECT_EQ(error_of(with("[4194304, 0.05]", "[0, 0.05]")),
            "p.json:5: \"broadcast\": a size of 0 bytes, expected sizes above 0");
  EXPECT_EQ(error_of(with("[10, 1]", "[10]")), "p.json:8: the end of a pair of numbers, expected two numbers");
  EXPECT_EQ(error_of(with("[10, 1]", "[]")), "p.json:8: the end of a pair of numbers, expected two numbers");
  EXPECT_EQ(error_of(with("[10, 1]", "[10, 1, 2]")), "p.json:8: 2, expected ']': a pair of numbers");
  EXPECT_EQ(error_of(with("[10, 1]", "[10.5, 1]")), "p.json:8: 10.5, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of(with("[10, 1]", "[10, \"1\"]")), "p.json:8: \"1\", expected a number of at least 0");
  EXPECT_EQ(error_of(with("[10, 1]", "[10, [1]]")), "p.json:8: an array, expected a number of at least 0");
  EXPECT_EQ(error_of(with("[10, 1]", "{}")), "p.json:8: an object, expected a pair of numbers in brackets");
  EXPECT_EQ(error_of(with("[10, 1]", "10")), "p.json:8: 10, expected a pair of numbers in brackets");
}

TEST(PlatformJson, RefusesDamagedFilesCleanly) {
  for (std::size_t length = 0; length + 2 < kSample.size(); ++length)
    EXPECT_THROW((void)read(kSample.substr(0, length)), InputError) << length;
  rc::check([] {
    std::string text = kSample;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    try {
      check_platform(read(text), "p.json");
    } catch (const InputError&) {
    }
  });
}

TEST(PlatformJson, RefusesToWriteWhatIsNoText) {
  Platform platform = sample();
  platform.clusters[0].name = std::string("\xff");
  EXPECT_THROW((void)to_json(platform), InputError);
}

/// Table 4 of Steffenel's report.
TEST(PlatformJson, ReadsThe88MachinesOfGrid5000) {
  const Platform platform = read_platform(std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88.json");
  EXPECT_EQ(platform.ranks, 88);
  ASSERT_EQ(platform.clusters.size(), 6);
  std::vector<std::size_t> sizes;
  for (const PlatformCluster& cluster : platform.clusters) sizes.push_back(cluster.ranks.size());
  EXPECT_EQ(sizes, (std::vector<std::size_t>{31, 29, 6, 1, 1, 20}));
  EXPECT_EQ(platform.link(2, 0).latency_s, 0.01218152);
  EXPECT_EQ(platform.link(2, 0).connections, 11);
  EXPECT_EQ(platform.link(5, 4).gap.at(4 << 20), 0.1726132);
  EXPECT_EQ(read(to_json(platform)), platform);
  EXPECT_THROW((void)read_platform(std::string(SLUICE_STUDIES) + "/no such file.json"), InputError);
}

}  // namespace
}  // namespace sluice
