#include "sluice/input/redistribution_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>

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
    const RedistributionProblem problem = make_problem(from, to, {rows, columns}, {}, /*transpose=*/true);
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

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(RedistributionProblem, RefusesHugeGridsThatTheBoxDoesNotFill) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20, kHuge = 1'000'000'000'000;
  const std::vector<std::int64_t> few{35}, none{0}, many{kHuge};
  const Distribution huge({{kHuge}, {1}}, few), small({{3}, {8}}, few);
  const std::string about = "1000000000000 processes, of which 35 have elements";
  EXPECT_EQ(refusal_of([&] { (void)RedistributionProblem(huge, small); }),
            "from: " + about + ", expected at most 1048576 where some have none");
  EXPECT_NE(refusal_of([&] { (void)RedistributionProblem(small, huge); }).find("to: " + about), std::string::npos);
  EXPECT_NE(refusal_of([&] {
              (void)make_problem({{kHuge}, {1}}, {{3}, {8}}, few, {"source", "target", "shape"});
            }).find("source: " + about),
            std::string::npos);
  // The two are stored the other way round: errors name the layout that was given.
  EXPECT_NE(refusal_of([&] {
              (void)make_problem({{3, 1}, {8, 8}}, {{1, kHuge}, {1, 1}}, {35, 20}, {}, true);
            }).find("to: " + about),
            std::string::npos);
  EXPECT_NE(refusal_of([&] {
              (void)RedistributionProblem(Distribution({{kHuge}, {1}}, none), Distribution({{3}, {8}}, none));
            }).find("of which 0 have elements"),
            std::string::npos);
  // Grids that the array fills are accepted, unless a box leaves too many processes without elements.
  const Distribution filled({{kHuge}, {1}}, many), other({{3}, {8}}, many);
  EXPECT_EQ(RedistributionProblem(filled, other).sends(Rank(kHuge - 1)).size(), 1U);
  const std::vector<std::int64_t> start{7}, almost{kHuge - 7};
  EXPECT_NE(refusal_of([&] {
              (void)RedistributionProblem(filled, other, start, start, almost);
            }).find("of which 999999999993 have elements"),
            std::string::npos);
  // Up to 2^20 processes may be without.
  const std::vector<std::int64_t> most{kMost};
  const Distribution one({{1}, {1}}, most), one_less({{1}, {1}}, few);
  EXPECT_EQ(RedistributionProblem(Distribution({{kMost}, {1}}, few), one_less).traffic().messages.size(), 35U);
  EXPECT_NE(refusal_of([&] {
              (void)RedistributionProblem(Distribution({{kMost + 1}, {1}}, most), one);
            }).find("at most 1048576"),
            std::string::npos);
  EXPECT_EQ(refusal_of([&] {
              (void)RedistributionProblem(Distribution({{kHuge}, {1}, {{{0, 35}, {}}}}, few), small);
            }),
            "from: 1000000000000 processes, expected at most 16777216 where blocks are given by cuts");
}

TEST(RedistributionProblem, ListsNoMoreMessagesThanFit) {
  const RedistributionProblem each_to_each = one_slice({{8192}, {1}}, {{8192}, {8192}});
  EXPECT_EQ(count_messages(each_to_each, 1'000'000), 1'000'001);
  EXPECT_NE(refusal_of([&] { (void)each_to_each.traffic(); }).find("more than 16777216 messages"), std::string::npos);
}

}  // namespace
}  // namespace sluice
