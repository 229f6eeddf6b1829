#include "plan/exchange/parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace sluice::detail {
namespace {

std::vector<std::int64_t> parts_of(const std::vector<std::int64_t>& sizes, std::int64_t cap, std::size_t most) {
  std::vector<std::int64_t> parts{7};  // of another node
  cut_to_parts(sizes, cap, most, parts);
  return parts;
}

TEST(CutToParts, AreThoseOfEachMessageInTurn) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::int64_t> sizes(random() % 20);
    for (std::int64_t& size : sizes) size = 1 + static_cast<std::int64_t>(random() % 40);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    const auto cap = 1 + static_cast<std::int64_t>(random() % 41);
    std::vector<std::int64_t> expected;
    for (const std::int64_t size : sizes)
      for (std::int64_t left = size; left > 0; left -= cap) expected.push_back(std::min(left, cap));
    std::sort(expected.begin(), expected.end(), std::greater<>());
    EXPECT_EQ(parts_of(sizes, cap, 1000), expected) << "cap " << cap;
    // Where they are too many, some are left out, but it shows.
    const std::size_t most = random() % 30;
    const std::vector<std::int64_t> some = parts_of(sizes, cap, most);
    if (expected.size() <= most) {
      EXPECT_EQ(some, expected);
    } else {
      EXPECT_GT(some.size(), most);
    }
  }
}

/// A node of a million messages: moving all parts for each of them would take hours.
TEST(CutToParts, OfMillionsOfMessages) {
  const std::vector<std::int64_t> sizes(1'000'000, 5);
  const std::vector<std::int64_t> parts = parts_of(sizes, 3, 4'000'000);
  ASSERT_EQ(parts.size(), 2'000'000U);
  EXPECT_EQ(std::count(parts.begin(), parts.begin() + 1'000'000, 3), 1'000'000);
  EXPECT_EQ(std::count(parts.begin() + 1'000'000, parts.end(), 2), 1'000'000);
}

}  // namespace
}  // namespace sluice::detail
