#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "plan/broadcast/routes.hpp"

namespace sluice::detail {
namespace {

TEST(RouteNames, TellWhatASegmentDoes) {
  using Shape = Routes::Shape;
  Routes routes;
  routes.trees = {{-1, 0, 0}};
  routes.shape = Shape::kBinary;
  routes.segment_bytes = 8192;
  EXPECT_EQ(to_string(routes), "segments of 8192 bytes between 3 groups, chain in the root's, binary tree in others");
  routes.trees.push_back({-1, 2, 0});
  routes.entries = Routes::Entries::kFirst;
  routes.leave_from_tail = true;
  routes.spread = true;
  EXPECT_EQ(
      to_string(routes),
      "segments of 8192 bytes between 3 groups by 2 trees in turn, into first ranks, out of last ranks, spread by "
      "the root, chain in the root's, binary tree in others");
  routes.trees = {{-1}};  // in one group nothing enters and nothing leaves
  EXPECT_EQ(to_string(routes), "segments of 8192 bytes, spread by the root, chain");
}

TEST(RouteNames, DifferWhereRoutesDo) {
  using Shape = Routes::Shape;
  std::map<std::string, int> names;
  for (const std::size_t trees : {1, 2})
    for (const bool spread : {false, true})
      for (const Routes::Entries entries : {Routes::Entries::kSpread, Routes::Entries::kFirst, Routes::Entries::kAll})
        for (const bool leave_from_tail : {false, true})
          for (const Shape inside : {Shape::kChain, Shape::kBinary, Shape::kBinomial}) {
            Routes routes;
            routes.trees.assign(trees, {-1, 0});
            routes.spread = spread;
            routes.entries = entries;
            routes.leave_from_tail = leave_from_tail;
            routes.shape = inside;
            ++names[to_string(routes)];
          }
  EXPECT_EQ(names.size(), 72U);
}

}  // namespace
}  // namespace sluice::detail
