#include "sluice/input/redistribution_problem.hpp"

#include <gtest/gtest.h>

#include <map>

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

}  // namespace
}  // namespace sluice
