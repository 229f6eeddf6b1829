#include "plan/exchange/constructive/key_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace sluice::detail {
namespace {

std::vector<std::size_t> places_of(const KeyTree& tree, std::int64_t least, std::size_t most) {
  std::vector<std::size_t> result;
  if (most == 0) return result;
  tree.each_of_at_least(least, [&](std::size_t place) {
    result.push_back(place);
    return result.size() < most;
  });
  return result;
}

TEST(KeyTree, ListsPlacesAsALoopWould) {
  std::mt19937 random(95);
  for (const std::size_t places : {1U, 2U, 3U, 64U, 100U}) {
    KeyTree tree(places);
    std::vector<std::int64_t> keys(places, KeyTree::kNone);
    EXPECT_EQ(tree.largest(), KeyTree::kNone);
    for (int round = 0; round < 200; ++round) {
      // One, or so many that the whole tree is made anew.
      for (std::size_t i = 0; i < (round % 3 == 0 ? places : 1); ++i) {
        const std::size_t place = random() % places;
        keys[place] = random() % 4 == 0 ? KeyTree::kNone : static_cast<std::int64_t>(random() % 20) - 10;
        tree.set(place, keys[place]);
      }
      tree.refresh();
      EXPECT_EQ(tree.largest(), *std::max_element(keys.begin(), keys.end()));
      const auto least = static_cast<std::int64_t>(random() % 24) - 12;
      const std::size_t most = 1 + random() % places;
      std::vector<std::size_t> expected;
      for (std::size_t place = 0; place < places && expected.size() < most; ++place)
        if (keys[place] >= least) expected.push_back(place);
      EXPECT_EQ(places_of(tree, least, most), expected);
    }
  }
}

}  // namespace
}  // namespace sluice::detail
