#include "sluice/input/communication_grid.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>
#include <set>

#include "sluice/error.hpp"
#include "sluice/input/axis_pattern.hpp"

namespace sluice {
namespace {

using Pair = std::pair<std::int64_t, std::int64_t>;

/// The definition: walk one slice element by element.
std::map<Pair, std::int64_t> walked_grid(const Axis& from, const Axis& to, std::int64_t from_start,
                                         std::int64_t to_start) {
  std::map<Pair, std::int64_t> result;
  const std::int64_t slice = std::lcm(from.processes * from.block, to.processes * to.block);
  for (std::int64_t i = 0; i < slice; ++i) {
    ++result[{(from_start + i) / from.block % from.processes, (to_start + i) / to.block % to.processes}];
  }
  return result;
}

void expect_equal_to_walked(const Axis& from, const Axis& to, std::int64_t from_start, std::int64_t to_start) {
  SCOPED_TRACE(::testing::Message() << from.processes << ":" << from.block << "+" << from_start << " -> "
                                    << to.processes << ":" << to.block << "+" << to_start);
  const CommunicationGrid grid(from, to, from_start, to_start);
  const std::map<Pair, std::int64_t> expected = walked_grid(from, to, from_start, to_start);
  std::map<std::int64_t, std::int64_t> of_sender, of_receiver;
  for (std::int64_t p = 0; p < from.processes; ++p) {
    for (std::int64_t q = 0; q < to.processes; ++q) {
      const auto found = expected.find({p, q});
      ASSERT_EQ(grid.length(p, q), found == expected.end() ? 0 : found->second) << p << " to " << q;
    }
  }
  std::map<Pair, std::int64_t> by_row, by_column;
  for (std::int64_t p = 0; p < from.processes; ++p) {
    grid.for_each_receiver(p, [&](std::int64_t q, std::int64_t number) {
      ASSERT_EQ(number, grid.class_of(p, q));
      ASSERT_TRUE(by_row.emplace(Pair{p, q}, grid.class_length(number)).second) << "visited twice";
      ++of_sender[p];
    });
  }
  for (std::int64_t q = 0; q < to.processes; ++q) {
    grid.for_each_sender(q, [&](std::int64_t p, std::int64_t number) {
      ASSERT_EQ(number, grid.class_of(p, q));
      ASSERT_TRUE(by_column.emplace(Pair{p, q}, grid.class_length(number)).second) << "visited twice";
      ++of_receiver[q];
    });
  }
  ASSERT_EQ(by_row, expected);
  ASSERT_EQ(by_column, expected);
  const auto largest = [](const auto& degrees) {
    std::int64_t result = 0;
    for (const auto& [vertex, degree] : degrees) result = std::max(result, degree);
    return result;
  };
  ASSERT_EQ(grid.max_messages_of_sender(), largest(of_sender));
  ASSERT_EQ(grid.max_messages_of_receiver(), largest(of_receiver));
}

TEST(CommunicationGrid, EqualsTheWalkedGridOnAllSmallLayouts) {
  for (std::int64_t p = 1; p <= 6; ++p) {
    for (std::int64_t r = 1; r <= 6; ++r) {
      for (std::int64_t q = 1; q <= 6; ++q) {
        for (std::int64_t s = 1; s <= 6; ++s) expect_equal_to_walked({0, p, r, 0}, {0, q, s, 0}, 0, 0);
      }
    }
  }
}

TEST(CommunicationGrid, EqualsTheWalkedGridWithOffsets) {
  std::mt19937 random(1);  // fixed seed
  for (int round = 0; round < 400; ++round) {
    const auto draw = [&](std::int64_t from, std::int64_t to) {
      return std::uniform_int_distribution<std::int64_t>(from, to)(random);
    };
    expect_equal_to_walked({0, draw(1, 16), draw(1, 12), 0}, {0, draw(1, 16), draw(1, 12), 0}, draw(0, 300),
                           draw(0, 300));
  }
}

TEST(CommunicationGrid, QuotientEdgesArePerfectMatchingsOfOneLength) {
  std::mt19937 random(2);  // fixed seed
  for (int round = 0; round < 300; ++round) {
    const auto draw = [&](std::int64_t to) { return std::uniform_int_distribution<std::int64_t>(1, to)(random); };
    const Axis from{0, draw(40), draw(20), 0}, to{0, draw(40), draw(20), 0};
    const std::int64_t from_start = draw(100) - 1;
    const CommunicationGrid grid(from, to, from_start, 0);
    ASSERT_EQ(grid.row_period() * grid.row_blocks() * grid.lift(), from.processes);
    ASSERT_EQ(grid.column_period() * grid.column_blocks() * grid.lift(), to.processes);
    std::set<Pair> covered;
    for (std::int64_t number = 0; number < grid.classes(); ++number) {
      const auto at = grid.class_position(number);
      for (std::int64_t alpha = 0; alpha < grid.row_blocks(); ++alpha) {
        for (std::int64_t beta = 0; beta < grid.column_blocks(); ++beta) {
          for (std::int64_t lift = 0; lift < grid.lift(); ++lift) {
            const std::int64_t p = grid.sender_at({at.row_residue, alpha, lift});
            const std::int64_t q =
                grid.receiver_at({at.column_residue, beta, (lift + grid.lift() - at.shift) % grid.lift()});
            ASSERT_EQ(grid.class_of(p, q), number);
            ASSERT_TRUE(covered.emplace(p, q).second);
          }
        }
      }
    }
    std::size_t pairs = 0;
    for (std::int64_t p = 0; p < from.processes; ++p) {
      const auto at = grid.position_of_sender(p);
      ASSERT_EQ(grid.sender_at(at), p);
      grid.for_each_receiver(p, [&](std::int64_t, std::int64_t) { ++pairs; });
    }
    ASSERT_EQ(covered.size(), pairs);
  }
}

TEST(CommunicationGrid, AnswersForGridsThatCannotBeWalked) {
  const Axis from{0, 1'000'000, 64, 0}, to{0, 1'000'000, 100, 0};
  const CommunicationGrid grid(from, to);
  EXPECT_EQ(grid.classes(), 40);  // 16 + 25 - 1
  std::int64_t sent = 0;
  grid.for_each_receiver(123'456, [&](std::int64_t, std::int64_t number) { sent += grid.class_length(number); });
  EXPECT_EQ(sent, slice_extent(from, to) / 1'000'000);
}

TEST(CommunicationGrid, RefusesCyclesBeyondInt64) {
  const std::int64_t huge = std::int64_t{1} << 40;
  EXPECT_THROW(CommunicationGrid({0, huge, huge, 0}, {0, 1, 1, 0}), InputError);
}

}  // namespace
}  // namespace sluice
