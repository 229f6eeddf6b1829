#include "input/platform_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "bad_input.hpp"
#include "input/platform_levels.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using detail::CountedPart;
using detail::PlatformGroup;
using detail::PlatformLevels;

/// Two racks of three hosts of two ranks, and a machine beside them.
const std::string kTree =
    R"({"schema": "sluice.platform/2", "name": "all", "link": {"latency_s": 0.5, "gap": [[1, 1]]},
 "parts": [
  {"name": "rack", "count": 2, "uplink": [[1, 0.125]], "link": {"latency_s": 0.25, "gap": [[1, 0.5]], "connections": 3},
   "parts": [
    {"name": "host", "count": 3, "ranks": 2, "link": {"latency_s": 0.001, "gap": [[1, 2e-06], [1000, 0.25]]}, "broadcast": [[10, 1]]}],
   "part_links": [
    {"from": 0, "to": 2, "latency_s": 0.375, "gap": [[1, 0.5]]}]},
  {"name": "alone", "ranks": 1, "shares_uplink": false}],
 "part_links": [
  {"from": 0, "to": 1, "latency_s": 2, "gap": [[1, 1]]},
  {"from": 1, "to": 0, "latency_s": 3, "gap": [[1, 1]]}],
 "cluster_links": [
  {"from": 0, "to": 5, "latency_s": 9, "gap": [[1, 1]], "connections": 2}]}
)";

Platform read_tree(const std::string& text) {
  std::istringstream in(text);
  return read_platform(in, "p.json");
}

std::string error_with(const std::string& from, const std::string& to) {
  return testing::error_of([&] { return read_tree(testing::with(kTree, from, to)); });
}

std::string error_of_whole(const std::string& fields) {
  return testing::error_of([&] { return read_tree(R"({"schema": "sluice.platform/2", )" + fields + "}"); });
}

TEST(PlatformTree, ReadsPartsThatAreAlike) {
  const Platform platform = read_tree(kTree);
  EXPECT_EQ(platform.ranks, 13);
  std::vector<std::string> names;
  for (const PlatformCluster& cluster : platform.clusters) names.push_back(cluster.name);
  EXPECT_EQ(names, (std::vector<std::string>{"rack0/host0", "rack0/host1", "rack0/host2", "rack1/host0", "rack1/host1",
                                             "rack1/host2", "alone"}));
  EXPECT_EQ(platform.clusters[4].ranks, (std::vector<std::int64_t>{8, 9}));
  EXPECT_EQ(platform.clusters[4].gap.at(1000), 0.25);
  EXPECT_EQ(platform.clusters[4].broadcast.at(10), 1);
  EXPECT_EQ(platform.clusters[6].ranks, (std::vector<std::int64_t>{12}));
  ASSERT_EQ(platform.parts.size(), 10U);
  EXPECT_EQ(platform.parts[5].name, "rack1");
  EXPECT_EQ(platform.parts[5].first_cluster, 3);
  EXPECT_EQ(platform.parts[5].clusters, 3);
  EXPECT_EQ(platform.parts[8].parent, 5);
  EXPECT_EQ(platform.parts[5].uplink.at(1), 0.125);
  EXPECT_FALSE(platform.parts[9].shares_uplink);
}

TEST(PlatformTree, FindsTheLinkOfThePairOfThePartsOrOfAllParts) {
  const Platform platform = read_tree(kTree);
  EXPECT_EQ(platform.link(3, 4).latency_s, 0.25);  // the rack's own
  EXPECT_EQ(platform.link(3, 4).connections, 3);
  EXPECT_EQ(platform.link(3, 5).latency_s, 0.375);  // of two of its hosts
  EXPECT_EQ(platform.link(5, 3).latency_s, 0.375);
  EXPECT_EQ(platform.link(0, 4).latency_s, 2);  // of the racks, in either direction
  EXPECT_EQ(platform.link(4, 0).latency_s, 3);
  EXPECT_EQ(platform.link(0, 5).latency_s, 9);  // of the pair
  EXPECT_EQ(platform.link(5, 0).latency_s, 9);
  EXPECT_EQ(platform.link(6, 5).latency_s, 0.5);  // the whole's own
  const Platform turned = with_links_turned(platform);
  for (std::int64_t a = 0; a < 7; ++a)
    for (std::int64_t b = a == 0 ? 1 : 0; b < 7; b += b + 1 == a ? 2 : 1)
      EXPECT_EQ(turned.link(a, b).latency_s, platform.link(b, a).latency_s) << a << ' ' << b;
  EXPECT_NO_THROW(check_platform(turned, "turned"));
}

TEST(PlatformTree, IsWrittenAsItWasRead) {
  EXPECT_EQ(to_json(read_tree(kTree)), kTree);
  const std::string members =
      R"({"schema": "sluice.platform/2", "name": "a", "members": "2-4,0-1", "link": {"latency_s": 1, "gap": [[1, 1]]}})"
      "\n";
  EXPECT_EQ(read_tree(members).clusters[0].ranks, (std::vector<std::int64_t>{2, 3, 4, 0, 1}));
  EXPECT_EQ(to_json(read_tree(members)), members);
}

TEST(PlatformTree, ReadsFieldsInAnyOrder) {
  EXPECT_EQ(
      read_tree(
          R"({"ranks": 2, "link": {"gap": [[1, 1]], "latency_s": 1}, "name": "a", "schema": "sluice.platform/2"})")
          .clusters[0],
      (PlatformCluster{"a", {0, 1}, 1, GapTable({{1, 1}}), {}, {}}));
}

TEST(PlatformTree, ItsPartsAreItsLevels) {
  const PlatformLevels levels(read_tree(kTree));
  ASSERT_EQ(levels.levels(), 2U);
  EXPECT_EQ(levels.groups().back().clusters.size(), 7U);
  const PlatformGroup& rack = levels.groups()[levels.group(1, 4)];
  EXPECT_EQ(rack.clusters, (std::vector<std::size_t>{3, 4, 5}));
  ASSERT_TRUE(rack.uplink);
  EXPECT_EQ(rack.uplink->gap.at(1), 0.125);
  EXPECT_FALSE(levels.groups()[levels.group(0, 4)].uplink);
  // It shares none, and is beside others that do.
  ASSERT_TRUE(levels.groups()[levels.group(0, 6)].uplink);
  EXPECT_EQ(levels.groups()[levels.group(0, 6)].uplink->gap.at(1 << 30), 0);
  // Clusters of a part are one group if no cluster has an uplink.
  const PlatformLevels flat(
      read_tree(R"({"schema": "sluice.platform/2", "link": {"latency_s": 1, "gap": [[1, 1]]}, "parts": [
              {"name": "a", "count": 4, "ranks": 1, "shares_uplink": false}]})"));
  EXPECT_EQ(flat.groups().size(), 1U);
}

TEST(PlatformTree, RefusesWhatIsNoTree) {
  EXPECT_EQ(error_with("\"count\": 3", "\"count\": 0"), "p.json:5: \"count\": 0, expected at least 1");
  EXPECT_EQ(error_with("\"count\": 3", "\"count\": -3"),
            "p.json:5: \"count\": -3, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_with("\"count\": 3", "\"count\": 1"),
            "p.json:3: a part of one part, expected two or more, or \"ranks\"");
  EXPECT_EQ(error_with("\"ranks\": 2", "\"ranks\": 0"), "p.json:5: 0 ranks, expected at least 1");
  EXPECT_EQ(error_with("\"ranks\": 2, ", ""),
            "p.json:5: a part without ranks, expected one of \"ranks\", \"members\" and \"parts\"");
  EXPECT_EQ(error_with("\"alone\", ", "\"alone\", \"members\": \"12\", "),
            "p.json:8: a part with several of them, expected one of \"ranks\", \"members\" and \"parts\"");
  EXPECT_EQ(error_with("\"alone\", ", "\"alone\", \"uplink\": [[1, 1]], "),
            "p.json:8: \"uplink\" of a part that shares none, expected no \"shares_uplink\": false, or no \"uplink\"");
  EXPECT_EQ(error_with("\"all\"", "\"all\", \"count\": 2"),
            "p.json:1: field \"count\" in a platform, expected only \"schema\", \"name\", \"ranks\", \"members\", "
            "\"parts\", \"link\", \"part_links\", \"cluster_links\", \"broadcast\", \"planned_broadcast\"");
  EXPECT_EQ(error_with("\"alone\", ", "\"alone\", \"parent\": 3, ").substr(0, 37),
            "p.json:8: field \"parent\" in a part, e");
  EXPECT_EQ(error_of_whole("\"parts\": []"),
            "p.json:1: a part without ranks, expected one of \"ranks\", \"members\" and \"parts\"");
  for (const char* several : {R"("ranks": 1, "parts": [])", R"("parts": [], "ranks": 1)",
                              R"("ranks": 1, "members": "")", R"("members": "0", "parts": [])"}) {
    EXPECT_EQ(error_of_whole(several),
              "p.json:1: a part with several of them, expected one of \"ranks\", \"members\" and \"parts\"");
  }
}

TEST(PlatformTree, RefusesLevelsWithoutLinks) {
  EXPECT_EQ(
      error_with("\"ranks\": 2, \"link\": {\"latency_s\": 0.001, \"gap\": [[1, 2e-06], [1000, 0.25]]},",
                 "\"ranks\": 2,"),
      "p.json:5: 2 ranks without a link, expected \"link\" with \"latency_s\" and \"gap\", unless there is one rank");
  EXPECT_EQ(
      error_with("0.001, \"gap\": [[1, 2e-06], [1000, 0.25]]", "0.001"),
      "p.json:5: 2 ranks without a gap, expected \"link\" with \"latency_s\" and \"gap\", unless there is one rank");
  EXPECT_EQ(error_with(", \"link\": {\"latency_s\": 0.25, \"gap\": [[1, 0.5]], \"connections\": 3}", ""),
            "p.json:3: no link between parts 0 and 1, expected \"link\", or one for every pair in \"part_links\"");
  EXPECT_EQ(error_with("0.25, \"gap\": [[1, 0.5]], ", "0.25, "),
            "p.json:3: a link without a gap, expected one point of g(m) at least");
  EXPECT_EQ(error_with("\"connections\": 3", "\"connections\": 0"), "p.json:3: 0 connections, expected at least 1");
  EXPECT_EQ(error_with("[1000, 0.25]]}", "[1000, 0.25]], \"connections\": 2}"),
            "p.json:5: 2 connections inside a cluster, expected none: they share no link");
  EXPECT_EQ(error_with("{\"from\": 0, \"to\": 2, ", "{\"from\": 0, \"to\": 3, "),
            "p.json:3: link from 0 to 3, expected two different parts of 0 to 2");
  EXPECT_EQ(error_with("{\"from\": 1, \"to\": 0, ", "{\"from\": 0, \"to\": 1, "),
            "p.json:1: link from 0 to 1 twice, expected one per direction");
  EXPECT_EQ(error_with("{\"from\": 0, \"to\": 5, ", "{\"from\": 0, \"to\": 7, "),
            "p.json:1: link from 0 to 7, expected two different clusters of 0 to 6");
  EXPECT_EQ(
      error_with("\"ranks\": 1,",
                 "\"ranks\": 1, \"part_links\": [{\"from\": 0, \"to\": 1, \"latency_s\": 2, \"gap\": [[1, 1]]}],"),
      "p.json:8: links between parts of a cluster, expected parts");
  EXPECT_EQ(error_with("\"count\": 2,", "\"count\": 2, \"broadcast\": [[1, 1]],"),
            "p.json:3: broadcasts of a part that has parts, expected broadcasts of clusters only");
}

TEST(PlatformTree, RefusesTablesThatFallAndTakesThoseThatRiseFast) {
  EXPECT_EQ(error_with("[1000, 0.25]", "[1000, 1e-6]"),
            "p.json:5: \"gap\": 1e-06 s for 1000 bytes, 2e-06 s for 1, expected times that do not fall as sizes rise");
  EXPECT_EQ(error_with("[[1, 0.125]]", "[[2, 0.125], [1, 0.25]]"),
            "p.json:3: \"uplink\": 1 byte after 2, expected sizes that rise");
  EXPECT_EQ(error_with("[[10, 1]]", "[[0, 1]]"), "p.json:5: \"broadcast\": a size of 0 bytes, expected sizes above 0");
  EXPECT_EQ(error_with("[[1, 1]], \"connections\": 2}", "[]}"),
            "p.json:13: \"gap\": no points, expected at least one size with its time");
  EXPECT_EQ(read_tree(testing::with(kTree, "[1000, 0.25]", "[1000, 0.25], [2000, 250]")).clusters[0].gap.at(2000), 250);
}

TEST(PlatformTree, WantsEveryRankInOneCluster) {
  const auto error = [](const std::string& first, const std::string& second) {
    return error_of_whole(
        fmt::format("\"link\": {{\"latency_s\": 1, \"gap\": [[1, 1]]}}, \"parts\": [\n"
                    " {{\"members\": \"{}\", \"link\": {{\"latency_s\": 1, \"gap\": [[1, 1]]}}}},\n"
                    " {{\"members\": \"{}\", \"link\": {{\"latency_s\": 1, \"gap\": [[1, 1]]}}}}]",
                    first, second));
  };
  EXPECT_EQ(error("0-2,4", "3"), "no error");
  EXPECT_EQ(error("0-2", "2-3"), "p.json:3: rank 2 again, expected every rank in one cluster; it is in that of line 2");
  EXPECT_EQ(error("0,0", "1"), "p.json:2: rank 0 again, expected every rank in one cluster; it is in that of line 2");
  EXPECT_EQ(error("0", "2-3"), "p.json: rank 1 in no cluster, expected every rank from 0 to 3 in one cluster");
  for (const std::string text : {"0-", "-1", "a", "0,", "3-1", "1-1", "0 1", "0x1", "0-1-2"})
    EXPECT_EQ(error("0", text),
              fmt::format("p.json:3: \"members\": \"{}\", expected ranks and ranges such as \"0-3,8\"", text));
  EXPECT_EQ(error("0", "1-99999999999999999999"), "p.json:3: rank 9999999 or more, expected at most 1048575");
  EXPECT_EQ(error("0-1048575,0-1048575", "1"), "p.json:2: more ranks, expected at most 1048576");
  EXPECT_EQ(error_of_whole("\"link\": {\"latency_s\": 1, \"gap\": [[1, 1]]}, \"parts\": [\n"
                           " {\"members\": \"0\"},\n {\"ranks\": 1}]"),
            "p.json:3: \"ranks\" and \"members\" in one file, expected one of the two in all clusters");
  EXPECT_EQ(error_of_whole("\"link\": {\"latency_s\": 1, \"gap\": [[1, 1]]}, \"parts\": [\n"
                           " {\"members\": \"0\", \"count\": 2}]"),
            "p.json:2: 2 parts with \"members\", expected \"ranks\" in parts that are alike");
}

TEST(PlatformTree, RefusesMoreThanItCanHold) {
  EXPECT_EQ(error_with("\"ranks\": 2", "\"ranks\": 1048577"), "p.json:5: 1048577 ranks, expected at most 1048576");
  EXPECT_EQ(error_with("\"ranks\": 2", "\"ranks\": 200000"), "p.json:3: 1200000 ranks, expected at most 1048576");
  EXPECT_EQ(error_with("\"count\": 3", "\"count\": 9223372036854775807"),
            "p.json:5: 9223372036854775807 times 2 ranks, expected at most 1048576");
  EXPECT_EQ(error_with("\"ranks\": 1,", "\"ranks\": 1, \"count\": 131073,"),
            "p.json:8: 131073 clusters, expected at most 131072");
  std::string deep = "\"ranks\": 1";
  for (int level = 0; level < 70; ++level) deep = "\"parts\": [{" + deep + "}]";
  EXPECT_EQ(error_of_whole(deep), "p.json:1: 65 levels, expected at most 64");
}

TEST(PlatformTree, ChecksPlatformsThatNobodyRead) {
  const auto error = [](auto change) {
    Platform platform = read_tree(kTree);
    change(platform);
    return testing::error_of([&] { check_platform(platform, "p"); });
  };
  EXPECT_EQ(error([](Platform&) {}), "no error");
  EXPECT_EQ(error([](Platform& p) { p.parts.clear(); }),
            "p: links of parts, and no parts, expected the whole: 7 clusters");
  EXPECT_EQ(error([](Platform& p) { p.parts[0].clusters = 6; }),
            "p: another first part, expected the whole: 7 clusters");
  EXPECT_EQ(error([](Platform& p) { p.parts[5].parent = 1; }).substr(0, 33), "p: part 1 of 3 clusters with part");
  EXPECT_EQ(error([](Platform& p) { p.parts[5].parent = 7; }).substr(0, 33), "p: part 0 of 7 clusters with part");
  EXPECT_EQ(
      error([](Platform& p) { p.parts[7].first_cluster = 5; }),
      "p: part 7 of 5, from cluster 5 on, expected every part before its own parts, in the order of the clusters");
  EXPECT_EQ(error([](Platform& p) { p.parts[1].clusters = 4; }),
            "p: part 1 of 4 clusters with parts of 3, expected two parts or more that are together all of it");
  EXPECT_EQ(error([](Platform& p) {
              p.parts[9].uplink = GapTable({{1, 1}});
            }),
            "p: an uplink of part 9 that is not shared, expected one of the two");
  EXPECT_EQ(error([](Platform& p) { p.part_links.erase(p.part_links.begin()); }),
            "p: no link between parts 0 and 2 of part 0, expected a link of the part's own, or one for every pair");
  EXPECT_EQ(error([](Platform& p) { std::swap(p.part_links[0], p.part_links[1]); }),
            "p: links in another order, expected rising \"from\" and \"to\", as there are parts");
  EXPECT_EQ(error([](Platform& p) { p.part_links[0].connections = 0; }).substr(0, 36),
            "p: link from 0 to 1: 0 connections, ");
  EXPECT_EQ(error([](Platform& p) { p.part_links[1].to = 3; }),
            "p: a link between parts 1 and 3, expected two parts of one part");
}

TEST(PlatformTree, SaysAHundredThousandRanksInFewBytes) {
  const std::string text = R"({"schema": "sluice.platform/2", "name": "machine",
 "link": {"latency_s": 5e-06, "gap": [[1, 2e-06], [1048576, 0.0001]], "connections": 20},
 "parts": [
  {"name": "rack", "count": 25, "uplink": [[1, 0], [1048576, 5e-06]],
   "link": {"latency_s": 2e-06, "gap": [[1, 2e-06], [1048576, 0.0001]]},
   "parts": [
    {"name": "host", "count": 125, "ranks": 32, "link": {"latency_s": 1e-06, "gap": [[1, 1e-06], [1048576, 0.0002]]}}]}]}
)";
  ASSERT_LE(text.size(), 4096U);
  const Platform platform = read_tree(text);
  EXPECT_EQ(platform.ranks, 100000);
  EXPECT_EQ(platform.clusters.size(), 3125U);
  EXPECT_EQ(platform.parts.size(), 1U + 25 + 3125);
  // One for the whole, and one for each rack.
  EXPECT_EQ(platform.part_links.size(), 26U);
  EXPECT_TRUE(platform.links.empty());
  EXPECT_EQ(platform.link(0, 124).latency_s, 2e-6);
  EXPECT_EQ(platform.link(0, 125).latency_s, 5e-6);
  EXPECT_EQ(platform.clusters[3124].ranks.back(), 99999);
  const PlatformLevels levels(platform);
  EXPECT_EQ(levels.groups().size(), platform.parts.size());
  EXPECT_EQ(levels.levels(), 2U);
  EXPECT_LE(to_json(platform).size(), 4096U);
  EXPECT_EQ(read_tree(to_json(platform)), platform);
  EXPECT_THROW((void)without_levels(platform), InputError);
}

// ---- random ones

GapTable random_table(std::mt19937& random) {
  const double first = static_cast<double>(random() % 3 + 1) / 4;
  return random() % 2 == 0 ? GapTable({{1, first}}) : GapTable({{1, first}, {1 << 20, first + 1}});
}

PlatformLink random_link(std::mt19937& random) {
  const double latency_s = static_cast<double>(random() % 3) / 8;
  const GapTable gap = random_table(random);
  return {0, 0, latency_s, gap, static_cast<std::int64_t>(random() % 2 + 1)};
}

CountedPart random_part(std::mt19937& random, int depth) {
  const auto of = [&](std::size_t count) { return static_cast<std::int64_t>(random() % count); };
  CountedPart part;
  part.name = std::string(random() % 3, static_cast<char>('a' + random() % 2)) + (random() % 4 == 0 ? "0" : "");
  if (random() % 3 == 0) part.count = 1 + of(4);
  part.shares_uplink = random() % 4 != 0;
  if (part.shares_uplink && random() % 4 == 0) part.uplink = random_table(random);
  part.link = random_link(random);
  if (depth == 0 || random() % 3 == 0) {
    part.link->connections = 1;
    part.ranks = 1 + of(3);
    if (random() % 3 == 0) part.broadcast = random_table(random);
    if (random() % 3 == 0) part.planned_broadcast = random_table(random);
    return part;
  }
  do {
    part.parts.push_back(random_part(random, depth - 1));
  } while (random() % 3 != 0 || (part.parts.size() == 1 && part.parts[0].count == 1));
  std::int64_t places = 0;
  for (const CountedPart& child : part.parts) places += child.count;
  for (std::int64_t from = 0; from < places; ++from) {
    for (std::int64_t to = 0; to < places; ++to) {
      if (from == to || random() % 6 != 0) continue;
      part.part_links.push_back(random_link(random));
      part.part_links.back().from = from;
      part.part_links.back().to = to;
    }
  }
  return part;
}

std::size_t same_links(const Platform& a, const Platform& b, const std::vector<std::int64_t>& place) {
  std::size_t different = 0;
  const auto count = static_cast<std::int64_t>(a.clusters.size());
  for (std::int64_t from = 0; from < count; ++from) {
    for (std::int64_t to = 0; to < count; ++to) {
      if (from == to) continue;
      const PlatformLink &x = a.link(from, to),
                         &y = b.link(place[static_cast<std::size_t>(from)], place[static_cast<std::size_t>(to)]);
      different += x.latency_s == y.latency_s && x.gap == y.gap && x.connections == y.connections ? 0 : 1;
    }
  }
  return different;
}

std::vector<std::int64_t> in_place(const Platform& platform) {
  std::vector<std::int64_t> place;
  for (std::size_t c = 0; c < platform.clusters.size(); ++c) place.push_back(static_cast<std::int64_t>(c));
  return place;
}

TEST(PlatformTree, WhatIsWrittenIsReadBack) {
  std::mt19937 random(1);
  std::size_t counted = 0, flattened = 0;
  for (int trial = 0; trial < 300; ++trial) {
    CountedPart whole = random_part(random, 2);
    whole.count = 1;
    whole.shares_uplink = true;
    whole.uplink = {};
    Platform platform = detail::expanded(whole);
    if (whole.ranks > 0) platform.parts[0].name.clear();
    ASSERT_NO_THROW(check_platform(platform, "p")) << to_json(platform);
    const std::string text = to_json(platform);
    ASSERT_EQ(read_tree(text), platform) << text;
    ASSERT_EQ(to_json(read_tree(text)), text);
    counted += text.find("\"count\"") != std::string::npos ? 1 : 0;
    if (platform.clusters.size() > 20) continue;
    ++flattened;
    // Every link and gap as with a link for every pair.
    for (PlatformPart& part : platform.parts) part.uplink = {};
    const Platform flat = without_levels(platform);
    EXPECT_NO_THROW(check_platform(flat, "flat"));
    EXPECT_TRUE(flat.parts.empty());
    EXPECT_EQ(flat.clusters, platform.clusters);
    EXPECT_EQ(same_links(platform, flat, in_place(platform)), 0U) << text;
    EXPECT_EQ(read_tree(to_json(flat)), flat);
  }
  EXPECT_GT(counted, 100U);
  EXPECT_GT(flattened, 100U);
}

/// Random clusters at places of random sites, some links in both directions.
Platform random_flat(std::mt19937& random) {
  Platform platform;
  const std::size_t clusters = 1 + random() % 9;
  std::vector<std::int64_t> ranks(clusters + random() % 9);
  for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r] = static_cast<std::int64_t>(r);
  if (random() % 2 == 0) std::shuffle(ranks.begin(), ranks.end(), random);
  platform.ranks = static_cast<std::int64_t>(ranks.size());
  std::vector<std::size_t> site, lan;
  for (std::size_t c = 0; c < clusters; ++c) {
    PlatformCluster cluster{fmt::format("c{}", c), {ranks[c]}, 1e-6, GapTable({{1, 1e-6}, {1 << 20, 1e-3}}), {}, {}};
    platform.clusters.push_back(std::move(cluster));
    site.push_back(random() % 3);
    lan.push_back(random() % 2);
  }
  for (std::size_t r = clusters; r < ranks.size(); ++r)
    platform.clusters[random() % clusters].ranks.push_back(ranks[r]);
  for (std::size_t a = 0; a < clusters; ++a) {
    for (std::size_t b = a + 1; b < clusters; ++b) {
      const bool far = site[a] != site[b];
      const double latency_s = far ? 1e-2 : lan[a] != lan[b] ? 3e-4 : 2e-5;
      const double noise = 1 + static_cast<double>(random() % 4 == 0 ? random() % 3 : 0) / 10;
      PlatformLink link{static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), latency_s * noise,
                        GapTable({{1, 2e-6}, {1 << 20, far ? 0.1 : 1e-2}}), far ? 4 : 1};
      platform.links.push_back(link);
      if (random() % 8 != 0) continue;
      std::swap(link.from, link.to);
      link.latency_s *= 1.5;
      platform.links.push_back(std::move(link));
    }
  }
  return platform;
}

TEST(PlatformVersions, LevelsThatAreFoundKeepEveryLink) {
  std::mt19937 random(2);
  std::size_t deep = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const Platform flat = random_flat(random);
    const Platform levelled = with_levels(flat);
    ASSERT_NO_THROW(check_platform(levelled, "levelled"));
    ASSERT_EQ(read_tree(to_json(levelled)), levelled) << to_json(levelled);
    EXPECT_EQ(with_levels(levelled), levelled);
    std::vector<std::int64_t> place;
    for (const PlatformCluster& cluster : flat.clusters) {
      place.push_back(levelled.cluster_of(cluster.ranks.front()));
      EXPECT_EQ(levelled.clusters[static_cast<std::size_t>(place.back())], cluster);
    }
    EXPECT_EQ(same_links(flat, levelled, place), 0U) << to_json(levelled);
    // The same groups, at the same levels.
    const PlatformLevels found(flat), read_back(levelled);
    ASSERT_EQ(read_back.levels(), found.levels()) << to_json(flat);
    deep += found.levels() > 1 ? 1 : 0;
    for (std::size_t level = 0; level < found.levels(); ++level)
      for (std::size_t a = 0; a < place.size(); ++a)
        for (std::size_t b = 0; b < place.size(); ++b)
          EXPECT_EQ(found.group(level, a) == found.group(level, b),
                    read_back.group(level, static_cast<std::size_t>(place[a])) ==
                        read_back.group(level, static_cast<std::size_t>(place[b])));
  }
  EXPECT_GT(deep, 20U);
}

TEST(PlatformVersions, StudiesAreTheSameWithLevels) {
  for (const std::string file : {"/grid5000/grid5000-88.json", "/four-levels/four-levels-72.json"}) {
    const Platform flat = read_platform(SLUICE_STUDIES + file);
    const Platform levelled = with_levels(flat);
    EXPECT_EQ(levelled.clusters, flat.clusters);
    EXPECT_EQ(without_levels(levelled), flat);
    EXPECT_LT(to_json(levelled).size(), to_json(flat).size());
  }
  const std::string four =
      to_json(with_levels(read_platform(SLUICE_STUDIES + std::string("/four-levels/four-levels-72.json"))));
  EXPECT_LE(four.size(), 4096U);
}

TEST(PlatformVersions, RefusesUplinksWithoutLevels) {
  EXPECT_EQ(testing::error_of([] { return without_levels(read_tree(kTree)); }),
            "platform: the uplink of part 1, expected none that is given: without levels links tell how wide it is");
}

TEST(PlatformTree, RefusesDamagedFilesCleanly) {
  for (std::size_t length = 0; length + 2 < kTree.size(); ++length)
    EXPECT_THROW((void)read_tree(kTree.substr(0, length)), InputError) << length;
  rc::check([] {
    std::string text = kTree;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    try {
      const Platform platform = read_tree(text);
      check_platform(platform, "p.json");
      RC_ASSERT(read_tree(to_json(platform)) == platform);
    } catch (const InputError&) {
    }
  });
}

}  // namespace
}  // namespace sluice
