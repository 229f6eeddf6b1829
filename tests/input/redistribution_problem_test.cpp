#include "sluice/input/redistribution_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "sluice/error.hpp"

namespace sluice {
namespace {

TEST(RedistributionProblem, CountsWhatWalkingTheBoxCounts) {
  const Distribution from({{2, 3}, {4, 3}}, std::vector<std::int64_t>{30, 20}, std::vector<std::int64_t>{1, 2});
  const Distribution to({{3, 2}, {5, 2}}, std::vector<std::int64_t>{25, 40}, std::vector<std::int64_t>{0, 1});
  const std::vector<std::int64_t> from_start{7, 1}, to_start{2, 20}, extent{22, 17};
  const RedistributionProblem problem(from, to, from_start, to_start, extent);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> walked;
  for (std::int64_t i = 0; i < extent[0]; ++i) {
    for (std::int64_t j = 0; j < extent[1]; ++j) {
      const Rank p =
          from.rank(std::vector{from.axis(0).owner(GlobalIndex(7 + i)), from.axis(1).owner(GlobalIndex(1 + j))});
      const Rank q = to.rank(std::vector{to.axis(0).owner(GlobalIndex(2 + i)), to.axis(1).owner(GlobalIndex(20 + j))});
      ++walked[{p.value, q.value}];
    }
  }
  std::vector<Message> expected;
  for (const auto& [pair, count] : walked) expected.push_back({pair.first, pair.second, count});
  EXPECT_EQ(problem.traffic().messages, expected);
  EXPECT_EQ(problem.size(), 22 * 17);
  std::map<std::int64_t, std::vector<Message>> sent, received;
  for (const Message& message : expected) {
    sent[message.from].push_back(message);
    received[message.to].push_back(message);
  }
  for (std::int64_t p = 0; p < from.processes(); ++p) EXPECT_EQ(problem.sends(Rank(p)), sent[p]);
  for (std::int64_t q = 0; q < to.processes(); ++q) EXPECT_EQ(problem.receives(Rank(q)), received[q]);
  for (const Message& message : expected) EXPECT_EQ(problem.count(Rank(message.from), Rank(message.to)), message.size);
}

TEST(RedistributionProblem, MayBeEmpty) {
  const std::vector<std::int64_t> shape{0, 7};
  const RedistributionProblem problem(Distribution({{2, 2}, {1, 1}}, shape), Distribution({{4, 1}, {1, 1}}, shape));
  EXPECT_EQ(problem.size(), 0);
  EXPECT_TRUE(problem.traffic().messages.empty());
}

TEST(RedistributionProblem, RefusesArraysThatDoNotFitTogether) {
  const std::vector<std::int64_t> seven{7}, eight{8}, square{7, 7}, zero{0}, two{2};
  const Distribution a({{2}, {1}}, seven), b({{2}, {1}}, eight), c({{2, 1}, {1, 1}}, square);
  EXPECT_THROW(RedistributionProblem(a, b), InputError);
  EXPECT_THROW(RedistributionProblem(a, c), InputError);
  EXPECT_THROW(RedistributionProblem(a, b, zero, zero, eight), InputError);
  EXPECT_THROW(RedistributionProblem(a, b, zero, two, seven), InputError);
  EXPECT_THROW(RedistributionProblem(a, b, zero, zero, square), InputError);
  EXPECT_NO_THROW(RedistributionProblem(a, b, zero, zero, seven));
}

TEST(OneSlice, IsTheLeastCommonMultipleOfTheCycles) {
  EXPECT_EQ(one_slice({{16}, {3}}, {{16}, {5}}).size(), 240);
  EXPECT_EQ(one_slice({{12, 2}, {4, 1}}, {{8, 3}, {3, 1}}).size(), 48 * 6);
  const std::int64_t p = 3'000'000'019, q = 3'000'000'037;
  EXPECT_THROW((void)one_slice({{p}, {7}}, {{q}, {11}}), InputError);
}

/// A transposed target, message by message, against every element.
TEST(RedistributionProblem, OfATransposedArray) {
  std::mt19937 random(21);
  const auto draw = [&](std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(random);
  };
  for (int round = 0; round < 60; ++round) {
    const Layout from{{draw(1, 3), draw(1, 3)}, {draw(1, 4), draw(1, 4)}};
    const Layout to{{draw(1, 3), draw(1, 3)}, {draw(1, 4), draw(1, 4)}};
    const std::int64_t rows = draw(0, 20);
    const std::int64_t columns = draw(1, 20);
    SCOPED_TRACE(to_string(from) + " -> " + to_string(to));
    const RedistributionProblem problem = make_problem(from, to, {rows, columns}, "to", "shape", /*transpose=*/true);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> expected;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t p = i / from.block[0] % from.grid[0] * from.grid[1] + j / from.block[1] % from.grid[1];
        const std::int64_t q = j / to.block[0] % to.grid[0] * to.grid[1] + i / to.block[1] % to.grid[1];
        ++expected[{p, q}];
      }
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sent, received;
    for (std::int64_t p = 0; p < problem.from().processes(); ++p) {
      const std::vector<Message> sends = problem.sends(Rank(p));
      EXPECT_TRUE(std::ranges::is_sorted(sends, {}, &Message::to));
      for (const Message& each : sends) {
        sent[{each.from, each.to}] = each.size;
        EXPECT_EQ(problem.count(Rank(each.from), Rank(each.to)), each.size);
      }
    }
    for (std::int64_t q = 0; q < problem.to().processes(); ++q) {
      for (const Message& each : problem.receives(Rank(q))) received[{each.from, each.to}] = each.size;
    }
    EXPECT_EQ(sent, expected);
    EXPECT_EQ(received, expected);
    EXPECT_EQ(one_slice(from, to, true).from().axis(0).extent % std::lcm(from.grid[0] * from.block[0], to.block[1]), 0);
  }
  const Distribution array({{2, 3}, {1, 1}}, std::vector<std::int64_t>{4, 9});
  EXPECT_FALSE(array.is_transposed());
  EXPECT_TRUE(array.transposed().is_transposed());
  for (std::int64_t p = 0; p < 6; ++p) {
    const std::vector<Coordinate> at = array.coordinates(Rank(p));
    EXPECT_EQ(array.transposed().coordinates(Rank(p)), (std::vector<Coordinate>{at[1], at[0]}));
    EXPECT_EQ(array.transposed().rank(std::vector<Coordinate>{at[1], at[0]}), Rank(p));
    EXPECT_EQ(array.transposed().transposed().coordinates(Rank(p)), at);
    EXPECT_EQ(array.local_size(Rank(p)), array.transposed().local_size(Rank(p)));
  }
}

}  // namespace
}  // namespace sluice
