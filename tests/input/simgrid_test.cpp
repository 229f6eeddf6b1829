#include "sluice/input/simgrid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "sluice/error.hpp"

namespace sluice {
namespace {

struct Path {
  double latency_s = 0;
  double rate = std::numeric_limits<double>::infinity();
};

/// The value of `name`="..." in a line; empty if there is none.
std::string attribute(const std::string& line, const std::string& name, std::size_t from = 0) {
  const std::size_t at = line.find(' ' + name + "=\"", from);
  if (at == line.npos) return "";
  const std::size_t start = at + name.size() + 3;
  return line.substr(start, line.find('"', start) - start);
}

/// What every route of a platform adds up to, by its two hosts.
std::map<std::pair<std::string, std::string>, Path> paths_of(const std::string& xml) {
  std::map<std::string, Path> links;
  std::map<std::pair<std::string, std::string>, Path> paths;
  std::istringstream in(xml);
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("  <link ", 0) == 0)
      links[attribute(line, "id")] = {std::stod(attribute(line, "latency")), std::stod(attribute(line, "bandwidth"))};
    if (line.rfind("  <route ", 0) != 0) continue;
    Path path;
    for (std::size_t at = line.find("<link_ctn"); at != line.npos; at = line.find("<link_ctn", at + 1)) {
      const auto link = links.find(attribute(line, "id", at));
      if (link == links.end()) return {};
      path.latency_s += link->second.latency_s;
      path.rate = std::min(path.rate, link->second.rate);
    }
    paths[{attribute(line, "src"), attribute(line, "dst")}] = path;
  }
  return paths;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

double rate_of_link(const std::string& xml, const std::string& id) {
  const std::size_t at = xml.find("<link id=\"" + id + '"');
  return at == xml.npos ? 0 : std::stod(attribute(xml.substr(at, 200), "bandwidth"));
}

/// The same machine as the one in the repository, which was made from what the platform file was made from.
TEST(Simgrid, AgreesWithThe88MachinesOfGrid5000) {
  const std::string folder = std::string(SLUICE_STUDIES) + "/grid5000/grid5000-88";
  const SimgridPlatform made = to_simgrid(read_platform(folder + ".json"), "p");
  EXPECT_EQ(made.hosts, text_of(folder + ".hosts"));
  const auto expected = paths_of(text_of(folder + ".xml"));
  const auto paths = paths_of(made.xml);
  ASSERT_EQ(expected.size(), 88U * 87U);
  ASSERT_EQ(paths.size(), expected.size());
  for (const auto& [pair, path] : expected) {
    const auto found = paths.find(pair);
    ASSERT_NE(found, paths.end()) << pair.first << ' ' << pair.second;
    EXPECT_NEAR(found->second.latency_s, path.latency_s, 3e-9) << pair.first << ' ' << pair.second;
    EXPECT_NEAR(found->second.rate, path.rate, 1e-4 * path.rate) << pair.first << ' ' << pair.second;
  }
  // Three sites; their links carry 11 connections of 10.76 MB/s, where the site of Orsay begins with cluster 0.
  EXPECT_NEAR(rate_of_link(made.xml, "up:0"), 11 * 10.76e6, 1e5);
  EXPECT_EQ(rate_of_link(made.xml, "up:1"), 0);
  EXPECT_GT(rate_of_link(made.xml, "down:2"), 0);
  EXPECT_EQ(rate_of_link(made.xml, "up:3"), 0);
  EXPECT_GT(rate_of_link(made.xml, "up:5"), 0);
}

TEST(Simgrid, SharesASlowLink) {
  Platform platform;
  platform.ranks = 4;
  const GapTable fast({{1, 1e-6}, {1000001, 0.010001}});  // 100 MB/s
  const GapTable slow({{1, 1e-6}, {1000001, 0.100001}});  // 10 MB/s
  platform.clusters = {{"a&b", {2, 0}, 1e-5, fast, {}}, {"a", {1, 3}, 3e-5, fast, {}}};
  platform.links = {{0, 1, 1e-3, slow, 1}};
  SimgridPlatform made = to_simgrid(platform, "p");
  EXPECT_EQ(made.hosts, "a&b-1\na-0\na&b-0\na-1\n");
  EXPECT_EQ(rate_of_link(made.xml, "up:0"), 10e6);
  EXPECT_EQ(rate_of_link(made.xml, "o:a-0"), 100e6);
  const Path across = paths_of(made.xml).at({"a-0", "a&#38;b-1"});
  EXPECT_NEAR(across.latency_s, 1e-3, 1e-12);
  EXPECT_EQ(across.rate, 10e6);
  const Path inside = paths_of(made.xml).at({"a-0", "a-1"});
  EXPECT_NEAR(inside.latency_s, 3e-5, 1e-12);
  EXPECT_EQ(inside.rate, 100e6);
  // Two connections as fast as the hosts' cards share what lies between: a backbone.
  platform.links = {{0, 1, 1e-3, fast, 2}};
  EXPECT_EQ(rate_of_link(to_simgrid(platform, "p").xml, "up:0"), 200e6);
  platform.links = {{0, 1, 1e-3, fast, 1}};
  EXPECT_EQ(rate_of_link(to_simgrid(platform, "p").xml, "up:0"), 100e6);
  // Near each other they are one group, and share the link between them, unless it carries what all cards can.
  for (const std::int64_t connections : {1, 2}) {
    platform.links = {{0, 1, 3e-5, fast, connections}};
    const std::string near = to_simgrid(platform, "p").xml;
    EXPECT_EQ(rate_of_link(near, "up:0"), 0);
    EXPECT_EQ(rate_of_link(near, "l:0:1"), connections == 1 ? 100e6 : 0);
  }
}

/// How often the route between two hosts passes a link.
std::ptrdiff_t passes(const std::string& xml, const std::string& from, const std::string& to, const std::string& id) {
  const std::size_t at = xml.find(" src=\"" + from + "\" dst=\"" + to + '"');
  EXPECT_NE(at, xml.npos);
  const std::size_t end = xml.find('\n', at);
  std::ptrdiff_t count = 0;
  for (std::size_t link = xml.find('"' + id + '"', at); link < end; link = xml.find('"' + id + '"', link + 1)) ++count;
  return count;
}

/// A cluster has 40 MB/s inside, 100 MB/s to others and cards of 200 MB/s: messages pass a card 5 times inside, 2 times
/// otherwise. If the rate to others is a hundred times the rate inside, messages inside pass a card as often as is
/// allowed.
TEST(Simgrid, MessagesInsideThatAreSlowerThanOutsidePassTheirCardsMoreOften) {
  Platform platform;
  platform.ranks = 4;
  const auto at_rate = [](double rate) { return GapTable({{1, 1 / rate}, {1'000'001, 1'000'001 / rate}}); };
  platform.clusters = {{"a", {0, 1}, 1e-4, at_rate(40e6), {}}, {"b", {2, 3}, 3e-5, at_rate(100e6), {}}};
  platform.links = {{0, 1, 1e-5, at_rate(100e6), 2}};
  std::string xml = to_simgrid(platform, "p").xml;
  EXPECT_EQ(rate_of_link(xml, "o:a-0"), 200e6);
  EXPECT_EQ(rate_of_link(xml, "o:b-0"), 100e6);
  for (const auto& [id, count] : {std::pair{"o:a-0", 5}, {"d:a-1", 5}, {"n:0", 1}})
    EXPECT_EQ(passes(xml, "a-0", "a-1", id), count) << id;
  for (const auto& [id, count] : {std::pair{"o:a-0", 2}, {"d:b-1", 1}, {"w:0:1", 1}})
    EXPECT_EQ(passes(xml, "a-0", "b-1", id), count) << id;
  EXPECT_EQ(passes(xml, "b-0", "b-1", "o:b-0"), 1);
  EXPECT_NEAR(paths_of(xml).at({"a-0", "b-1"}).latency_s, 1e-5, 1e-12);
  platform.clusters[0].gap = at_rate(1e6);
  xml = to_simgrid(platform, "p").xml;
  EXPECT_EQ(rate_of_link(xml, "o:a-0"), 32e6);
  EXPECT_EQ(passes(xml, "a-0", "a-1", "o:a-0"), 32);
  EXPECT_EQ(passes(xml, "a-0", "b-1", "o:a-0"), 1);
}

/// A message to another site passes the card of its host, and the uplinks of its LAN and its site.
TEST(Simgrid, RanksShareTheUplinksOfAllLevels) {
  const std::string xml =
      to_simgrid(read_platform(std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json"), "p").xml;
  const auto route = [&](const std::string& from, const std::string& to) {
    const std::size_t at = xml.find(" src=\"" + from + "\" dst=\"" + to + '"');
    EXPECT_NE(at, xml.npos);
    const std::string line = xml.substr(at, xml.find('\n', at) - at);
    std::string uplinks;
    for (std::size_t link = line.find("<link_ctn"); link != line.npos; link = line.find("<link_ctn", link + 1))
      if (const std::string id = attribute(line, "id", link);
          id.find("o:") != 0 && id.find("d:") != 0 && id[0] != 'w' && id[0] != 'n')
        uplinks += id + ' ';
    return uplinks;
  };
  EXPECT_EQ(route("north-a0-0", "north-a0-3"), "");
  EXPECT_EQ(route("north-a0-0", "north-a1-2"), "up:0 down:1 ");
  EXPECT_EQ(route("north-a0-3", "north-a1-2"), "up:0 down:1 ");
  EXPECT_EQ(route("north-a0-3", "north-b1-2"), "up:0 down:4 up:0.1 down:3.1 ");
  EXPECT_EQ(route("north-a0-3", "south-b1-2"), "up:0 down:10 up:0.1 down:9.1 up:0.2 down:6.2 ");
  EXPECT_NEAR(rate_of_link(xml, "up:0"), 125e6, 1e3);
  EXPECT_NEAR(rate_of_link(xml, "down:3.1"), 125e6, 1e3);
  EXPECT_NEAR(rate_of_link(xml, "up:0.2"), 9 * 212'992 / 16e-3, 1e4);
  EXPECT_NEAR(rate_of_link(xml, "up:6.2"), 7 * 212'992 / 13e-3, 1e4);
}

TEST(Simgrid, RefusesTooManyRanks) {
  Platform platform;
  platform.ranks = 3000;
  platform.clusters.push_back({"a", {}, 0, GapTable({{1, 1}}), {}});
  for (std::int64_t rank = 0; rank < platform.ranks; ++rank) platform.clusters[0].ranks.push_back(rank);
  EXPECT_THROW((void)to_simgrid(platform, "p"), InputError);
}

}  // namespace
}  // namespace sluice
