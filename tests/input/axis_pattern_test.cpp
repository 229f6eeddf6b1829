#include "sluice/input/axis_pattern.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sluice/error.hpp"

namespace sluice {
namespace {

/// Every position of every pair, with the local indices on both sides, by walking the sub-array.
struct Place {
  std::int64_t position, from, to;
  friend bool operator==(const Place&, const Place&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Place& place) {
    return out << place.position << "(" << place.from << "," << place.to << ")";
  }
};

void expect_equal_to_walked(const Axis& from, const Axis& to, std::int64_t from_start, std::int64_t to_start,
                            std::int64_t extent) {
  SCOPED_TRACE(::testing::Message() << from.processes << ":" << from.block << "@" << from.first_process << "+"
                                    << from_start << " -> " << to.processes << ":" << to.block << "@"
                                    << to.first_process << "+" << to_start << ", " << extent);
  std::map<std::pair<Coordinate, Coordinate>, std::vector<Place>> expected;
  for (std::int64_t i = 0; i < extent; ++i) {
    const GlobalIndex source(from_start + i), target(to_start + i);
    expected[{from.owner(source), to.owner(target)}].push_back({i, from.local(source).value, to.local(target).value});
  }
  const AxisPattern pattern(from, to, from_start, to_start, extent);
  std::map<Coordinate, std::vector<AxisMessage>> sends, receives;
  for (std::int64_t p = 0; p < from.processes; ++p) {
    for (std::int64_t q = 0; q < to.processes; ++q) {
      const IndexRuns runs = pattern.runs(Coordinate(p), Coordinate(q));
      std::vector<Place> found;
      runs.for_each([&](const IndexRun& run) {
        for (std::int64_t i = 0; i < run.length; ++i) {
          found.push_back({run.first + i, run.from.value + i, run.to.value + i});
        }
      });
      const auto& wanted = expected[{Coordinate(p), Coordinate(q)}];
      ASSERT_EQ(found, wanted) << p << " to " << q;
      ASSERT_EQ(runs.count(), static_cast<std::int64_t>(wanted.size()));
      ASSERT_EQ(pattern.count(Coordinate(p), Coordinate(q)), static_cast<std::int64_t>(wanted.size()));
      if (wanted.empty()) continue;
      sends[Coordinate(p)].push_back({Coordinate(q), static_cast<std::int64_t>(wanted.size())});
      receives[Coordinate(q)].push_back({Coordinate(p), static_cast<std::int64_t>(wanted.size())});
    }
  }
  for (std::int64_t p = 0; p < from.processes; ++p) ASSERT_EQ(pattern.sends(Coordinate(p)), sends[Coordinate(p)]);
  for (std::int64_t q = 0; q < to.processes; ++q) ASSERT_EQ(pattern.receives(Coordinate(q)), receives[Coordinate(q)]);
}

TEST(AxisPattern, EqualsTheWalkedSubArrayOnRandomLayouts) {
  std::mt19937 random(3);  // fixed seed
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t p = draw(1, 8), q = draw(1, 8);
    const std::int64_t from_start = draw(0, 3) == 0 ? 0 : draw(0, 150);
    const std::int64_t to_start = draw(0, 3) == 0 ? from_start : draw(0, 150);
    const std::int64_t extent = draw(0, 300);
    const Axis from{from_start + extent + draw(0, 20), p, draw(1, 20), draw(0, p - 1)};
    const Axis to{to_start + extent + draw(0, 20), q, draw(1, 20), draw(0, q - 1)};
    expect_equal_to_walked(from, to, from_start, to_start, extent);
  }
}

TEST(AxisPattern, HandlesMoreProcessesThanBlocksAndBlocksLargerThanTheArray) {
  expect_equal_to_walked({10, 50, 3, 7}, {10, 40, 100, 39}, 0, 0, 10);
  expect_equal_to_walked({10, 1, 1, 0}, {10, 1, 3, 0}, 2, 5, 5);
  expect_equal_to_walked({1, 7, 1'000'000'007, 6}, {1, 5, 998'244'353, 0}, 0, 0, 1);
}

TEST(AxisPattern, KeepsOneRunWhereBothSidesAreContiguous) {
  const AxisPattern pattern({100, 1, 3, 0}, {200, 1, 7, 0}, 10, 90, 80);
  const IndexRuns runs = pattern.runs(Coordinate(0), Coordinate(0));
  int count = 0;
  runs.for_each([&](const IndexRun& run) {
    ++count;
    EXPECT_EQ(run, (IndexRun{0, 80, LocalIndex(10), LocalIndex(90)}));
  });
  EXPECT_EQ(count, 1);
}

TEST(AxisPattern, CountsArraysThatCannotBeWalked) {
  const std::int64_t extent = 1'000'000'000'000'000'003;
  const Axis from{extent, 1000, 64, 3}, to{extent, 1024, 100, 0};
  const AxisPattern pattern(from, to, 0, 0, extent);
  std::int64_t sent = 0;
  for (std::int64_t q = 0; q < 1024; ++q) sent += pattern.count(Coordinate(17), Coordinate(q));
  EXPECT_EQ(sent, from.local_extent(Coordinate(17)));
}

/// A block of one side meets 2 10^11 of the other one.
TEST(AxisPattern, CountsShortBlocksInALongOne) {
  constexpr std::int64_t kBlock = 1'000'000'000'000;
  for (const std::int64_t slices : {1, 2}) {
    const std::int64_t extent = slices * 3 * kBlock + 7;
    const Axis from{extent, 3, kBlock, 0}, to{extent, 3, 5, 0};
    const AxisPattern pattern(from, to, 0, 0, extent);
    EXPECT_EQ(pattern.count(Coordinate(1), Coordinate(0)), slices * 333'333'333'335);
    EXPECT_EQ(pattern.count(Coordinate(0), Coordinate(1)), slices * 333'333'333'335 + 2);
    EXPECT_EQ(AxisPattern(to, from, 0, 0, extent).count(Coordinate(1), Coordinate(0)),
              pattern.count(Coordinate(0), Coordinate(1)));
  }
}

TEST(AxisPattern, AllowsPeriodsBeyondInt64) {
  const std::int64_t p = 1'000'003, q = 999'983;
  const Axis from{3'000'000'000, p, 1'000'033, 0}, to{3'000'000'000, q, 1'000'037, 0};
  const AxisPattern pattern(from, to, 0, 0, 3'000'000'000);
  EXPECT_EQ(pattern.count(Coordinate(0), Coordinate(0)), 1'000'033);
  EXPECT_EQ(pattern.count(Coordinate(1), Coordinate(0)), 4);
  EXPECT_EQ(pattern.count(Coordinate(1), Coordinate(1)), 1'000'029);
}

TEST(AxisPattern, RefusesSubArraysOutsideTheArray) {
  const Axis axis{100, 4, 3, 0};
  EXPECT_THROW(AxisPattern(axis, axis, 0, 0, 101), InputError);
  EXPECT_THROW(AxisPattern(axis, axis, 50, 0, 51), InputError);
  EXPECT_THROW(AxisPattern(axis, axis, 0, 50, 51), InputError);
  EXPECT_THROW(AxisPattern(axis, axis, -1, 0, 5), InputError);
  EXPECT_THROW(AxisPattern(axis, axis, 0, 101, 0), InputError);
  EXPECT_THROW(AxisPattern(axis, axis, 0, 0, -1), InputError);
  EXPECT_NO_THROW(AxisPattern(axis, axis, 100, 100, 0));
  EXPECT_THROW(AxisPattern({100, 4, 0, 0}, axis, 0, 0, 5), InputError);
  EXPECT_THROW(AxisPattern(axis, {100, 0, 3, 0}, 0, 0, 5), InputError);
  EXPECT_THROW(AxisPattern(axis, {100, 4, 3, 4}, 0, 0, 5), InputError);
}

}  // namespace
}  // namespace sluice
