#include "sluice/input/block_cyclic.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include "sluice/error.hpp"

namespace sluice {
namespace {

TEST(Axis, AgreesWithDealingBlocksByHand) {
  for (std::int64_t processes = 1; processes <= 5; ++processes) {
    for (std::int64_t block = 1; block <= 4; ++block) {
      for (std::int64_t first = 0; first < processes; ++first) {
        for (std::int64_t extent = 0; extent <= 30; ++extent) {
          const Axis axis{extent, processes, block, first};
          std::map<std::int64_t, std::int64_t> held;
          std::int64_t owner = first;
          for (std::int64_t i = 0; i < extent; ++i) {
            if (i > 0 && i % block == 0) owner = (owner + 1) % processes;
            ASSERT_EQ(axis.owner(GlobalIndex(i)), Coordinate(owner));
            ASSERT_EQ(axis.local(GlobalIndex(i)), LocalIndex(held[owner]));
            ASSERT_EQ(axis.global(Coordinate(owner), LocalIndex(held[owner])), GlobalIndex(i));
            ++held[owner];
          }
          for (std::int64_t p = 0; p < processes; ++p) {
            ASSERT_EQ(axis.local_extent(Coordinate(p)), held[p]) << p << " of " << processes << ", first " << first;
            ASSERT_EQ(axis.absolute(axis.relative(Coordinate(p))), Coordinate(p));
          }
        }
      }
    }
  }
}

TEST(Axis, HoldsExtentsNearTheLimitOfInt64) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const Axis axis{huge, 3, 1'000'000'007, 2};
  std::int64_t sum = 0;
  for (std::int64_t p = 0; p < 3; ++p) sum += axis.local_extent(Coordinate(p));
  EXPECT_EQ(sum, huge);
  const GlobalIndex last(huge - 1);
  EXPECT_EQ(axis.global(axis.owner(last), axis.local(last)), last);
}

TEST(Distribution, NumbersProcessesInRowMajorOrder) {
  const std::vector<std::int64_t> shape{10, 7, 5};
  const Distribution distribution(parse_layout("2x3x2:4x1x3", "layout"), shape);
  EXPECT_EQ(distribution.processes(), 12);
  EXPECT_EQ(distribution.size(), 350);
  const std::vector<Coordinate> expected{Coordinate(1), Coordinate(2), Coordinate(0)};
  EXPECT_EQ(distribution.coordinates(Rank(10)), expected);
  std::int64_t held = 0;
  for (std::int64_t p = 0; p < 12; ++p) {
    EXPECT_EQ(distribution.rank(distribution.coordinates(Rank(p))), Rank(p));
    held += distribution.local_size(Rank(p));
  }
  EXPECT_EQ(held, 350);
}

TEST(Distribution, TheProcessWithTheFirstBlockHoldsMost) {
  for (std::int64_t extent = 0; extent <= 30; ++extent) {
    for (std::int64_t processes = 1; processes <= 4; ++processes) {
      for (std::int64_t block = 1; block <= 5; ++block) {
        const std::vector<std::int64_t> shape{extent, 7};
        const std::vector<std::int64_t> first{extent % processes, 1};
        const Distribution distribution(Layout{{processes, 2}, {block, 3}}, shape, first);
        std::int64_t most = 0;
        for (std::int64_t p = 0; p < 2 * processes; ++p) most = std::max(most, distribution.local_size(Rank(p)));
        EXPECT_EQ(distribution.largest_local_size(), most) << extent << " over " << processes << " by " << block;
      }
    }
  }
}

TEST(Distribution, AcceptsEmptyArraysOfAnyOtherExtent) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& shape : {std::vector{huge, huge, std::int64_t{0}}, {0, huge, huge}}) {
    const Distribution distribution(parse_layout("1x1x1:1x1x1", "layout"), shape);
    EXPECT_EQ(distribution.size(), 0);
    EXPECT_EQ(distribution.local_size(Rank(0)), 0);
  }
}

TEST(Distribution, RefusesWhatIsNoDistribution) {
  const auto refused = [](Layout layout, std::vector<std::int64_t> shape, std::vector<std::int64_t> first = {}) {
    EXPECT_THROW((void)Distribution(layout, shape, first), InputError);
  };
  refused({{}, {}}, {});
  refused({{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}}, {1, 1, 1, 1, 1, 1, 1, 1});
  refused({{2}, {1, 1}}, {4});
  refused({{2}, {1}}, {4, 4});
  refused({{0}, {1}}, {4});
  refused({{2}, {0}}, {4});
  refused({{2}, {-3}}, {4});
  refused({{2}, {1}}, {-1});
  refused({{2}, {1}}, {4}, {2});
  refused({{2}, {1}}, {4}, {-1});
  refused({{2, 2}, {1, 1}}, {4, 4}, {1});
  const std::int64_t huge = std::int64_t{1} << 40;
  refused({{huge}, {huge}}, {4});
  refused({{huge, huge}, {1, 1}}, {4, 4});
  refused({{1, 1}, {1, 1}}, {huge, huge});
}

TEST(ParseLayout, ReadsWhatToStringWrites) {
  for (const char* text : {"16:3", "4x4:64x64", "1x2x3x4x5x6x7:7x6x5x4x3x2x1"}) {
    EXPECT_EQ(to_string(parse_layout(text, "--from")), text);
  }
  EXPECT_EQ(parse_layout("2:1Ki", "--from"), (Layout{{2}, {1024}}));
}

TEST(ParseLayout, RefusesEverythingElse) {
  for (const char* text : {"",
                           ":",
                           "16",
                           "16:",
                           ":3",
                           "16:3:4",
                           "x:3",
                           "16x:3",
                           "4x4:64",
                           "16:3x",
                           "0:3",
                           "16:0",
                           "-1:3",
                           "16:-3",
                           "a:b",
                           "16: 3",
                           "16:3 ",
                           "1.5:3",
                           "99999999999999999999:3",
                           "9000000000000000000:2",
                           "1x1x1x1x1x1x1x1:1x1x1x1x1x1x1x1",
                           "16:3q",
                           "16:9000000000000000K"}) {
    try {
      (void)parse_layout(text, "--from");
      ADD_FAILURE() << "accepted " << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "--from");
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(ParseLayout, ShowsTheFaultAndTheTextAroundIt) {
  try {
    (void)parse_layout("sixteen:3", "--from");
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.found(), "'si' in 'sixteen:3'");
  }
}

TEST(ParseShape, TakesExtentsOfAtLeastZero) {
  EXPECT_EQ(parse_shape("2Ki", "x"), std::vector<std::int64_t>{2048});
  EXPECT_EQ(parse_shape("10x0x3", "x"), (std::vector<std::int64_t>{10, 0, 3}));
  EXPECT_THROW((void)parse_shape("10x-1", "x"), InputError);
  EXPECT_THROW((void)parse_shape("1x1x1x1x1x1x1x1", "x"), InputError);
}

}  // namespace
}  // namespace sluice
