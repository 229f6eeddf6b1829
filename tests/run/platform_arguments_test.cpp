#include "run/mpi/network/platform_arguments.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace sluice::mpi::detail {
namespace {

std::string bytes_of(const Platform& platform) {
  Arguments arguments("test");
  add_platform(arguments, platform);
  return arguments.bytes();
}

PlatformLink link_between(std::int64_t from, std::int64_t to) { return {from, to, 1e-3, GapTable({{1, 1e-4}}), 2}; }

Platform with_everything() {
  Platform platform;
  platform.ranks = 4;
  platform.clusters = {{"a", {0, 1}, 1e-5, GapTable({{1, 1e-6}, {1000, 1e-5}}), {}}, {"b", {2, 3}, 1e-5, {}, {}}};
  platform.links = {link_between(0, 1)};
  platform.parts = {{"all", -1, 0, 2}, {"", 0, 0, 1}, {"", 0, 1, 1}};
  platform.part_links = {link_between(1, 2)};
  return platform;
}

TEST(PlatformArguments, DifferWhereverPlatformsDiffer) {
  const std::vector<std::function<void(Platform&)>> changes{
      [](Platform&) {},
      [](Platform& p) { p.ranks = 5; },
      [](Platform& p) { p.clusters.pop_back(); },
      [](Platform& p) { p.clusters[0].name = "ab"; },
      [](Platform& p) {
        p.clusters[0].ranks = {1, 0};
      },
      [](Platform& p) { p.clusters[0].ranks = {0}; },
      [](Platform& p) { p.clusters[0].latency_s = 2e-5; },
      [](Platform& p) {
        p.clusters[0].gap = GapTable({{1, 1e-6}});
      },
      [](Platform& p) {
        p.clusters[0].gap = GapTable({{1, 1e-6}, {1001, 1e-5}});
      },
      [](Platform& p) {
        p.clusters[0].gap = GapTable({{1, 1e-6}, {1000, 2e-5}});
      },
      [](Platform& p) {
        p.clusters[1].gap = GapTable({{7, 1e-6}});
      },
      [](Platform& p) {
        p.clusters[1].broadcast = GapTable({{7, 1e-6}});
      },
      [](Platform& p) {
        p.clusters[1].planned_broadcast = GapTable({{7, 1e-6}});
      },
      [](Platform& p) { p.links.clear(); },
      [](Platform& p) { p.links[0].from = 1; },
      [](Platform& p) { p.links[0].to = 0; },
      [](Platform& p) { p.links[0].latency_s = 0; },
      [](Platform& p) {
        p.links[0].gap = GapTable({{2, 1e-4}});
      },
      [](Platform& p) { p.links[0].connections = 3; },
      [](Platform& p) { p.parts.clear(); },
      [](Platform& p) { p.parts[0].name = "al"; },
      [](Platform& p) { p.parts[2].parent = 1; },
      [](Platform& p) { p.parts[2].first_cluster = 0; },
      [](Platform& p) { p.parts[2].clusters = 2; },
      [](Platform& p) { p.parts[1].shares_uplink = false; },
      [](Platform& p) {
        p.parts[1].uplink = GapTable({{1, 1e-4}});
      },
      [](Platform& p) { p.part_links[0].connections = 4; },
      [](Platform& p) {
        std::swap(p.links, p.part_links);
        p.links.push_back(link_between(0, 2));
      },
  };
  std::set<std::string> all;
  for (const auto& change : changes) {
    Platform platform = with_everything();
    change(platform);
    EXPECT_TRUE(all.insert(bytes_of(platform)).second) << "the change number " << all.size();
  }
  EXPECT_EQ(bytes_of(with_everything()), bytes_of(with_everything()));
}

}  // namespace
}  // namespace sluice::mpi::detail
