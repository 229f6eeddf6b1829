#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/program/patterns.hpp"
#include "plan/program_testing.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice {
namespace {

using detail::Groups;
using testing::in_order;
using testing::three_sites;

/// Groups of these sizes, of ranks in any order.
Groups groups_of(const std::vector<std::size_t>& sizes, std::mt19937& random) {
  std::vector<std::int64_t> ranks;
  for (const std::size_t size : sizes)
    for (std::size_t i = 0; i < size; ++i) ranks.push_back(static_cast<std::int64_t>(ranks.size()));
  std::shuffle(ranks.begin(), ranks.end(), random);
  Groups groups;
  auto next = ranks.begin();
  for (const std::size_t size : sizes) {
    groups.emplace_back(next, next + static_cast<std::ptrdiff_t>(size));
    next += static_cast<std::ptrdiff_t>(size);
  }
  return groups;
}

Program program_of(const detail::ProgramMessages& messages, std::int64_t ranks, std::int64_t bytes) {
  Program program;
  program.problem = Collective::kAllreduce;
  program.ranks = ranks;
  program.size_bytes = bytes;
  program.operations = operations_of(messages, ranks);
  return program;
}

/// What every rank has in the end of one number for each byte, each rank's own at first; in the order of the list.
std::vector<std::vector<double>> carried_out(const Program& program, std::vector<std::vector<double>> values) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<std::vector<double>>> on_the_way;
  for (const ProgramOperation& op : program.operations) {
    std::vector<ByteRange> ranges{{op.offset, op.bytes}};
    ranges.insert(ranges.end(), op.more.begin(), op.more.end());
    std::vector<double>& own = values[static_cast<std::size_t>(op.rank)];
    std::vector<double> sent;
    if (op.kind != ProgramOperation::Kind::kSend) {
      std::deque<std::vector<double>>& messages = on_the_way[{op.peer, op.rank}];
      sent = messages.front();
      messages.pop_front();
    }
    std::size_t at = 0;
    for (const ByteRange& range : ranges) {
      for (auto byte = static_cast<std::size_t>(range.offset); byte < static_cast<std::size_t>(range.end()); ++byte) {
        if (op.kind == ProgramOperation::Kind::kSend)
          sent.push_back(own[byte]);
        else
          own[byte] = op.kind == ProgramOperation::Kind::kCombine ? own[byte] + sent[at++] : sent[at++];
      }
    }
    if (op.kind == ProgramOperation::Kind::kSend) on_the_way[{op.rank, op.peer}].push_back(std::move(sent));
  }
  return values;
}

TEST(GroupedAllreduce, AllRanksHaveTheSameSumToTheLastBit) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> number(-1, 1);
  const std::vector<std::vector<std::size_t>> some_sizes = {
      {1, 1},    {1, 2},       {2, 1, 1},    {3, 3},          {2, 2, 2},       {5, 1, 2}, {1, 4, 1, 3},
      {4, 4, 4}, {7, 2, 3, 2}, {1, 2, 3, 4}, {2, 3, 2, 2, 6}, {9, 1, 8, 1, 2}, {2},       {6}};
  const detail::Allgather inside[] = {detail::ring_allgather, detail::circulant_allgather};
  for (const std::vector<std::size_t>& sizes : some_sizes) {
    for (const std::int64_t parts : {1, 2, 3, 9}) {
      for (const detail::Allgather& gather : inside) {
        const Groups groups = groups_of(sizes, random);
        std::int64_t ranks = 0;
        for (const detail::Ranks& group : groups) ranks += static_cast<std::int64_t>(group.size());
        const std::int64_t bytes = 7;
        const Program program =
            program_of(grouped_allreduce(groups, detail::cut({0, bytes}, parts, 1), gather), ranks, bytes);
        SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(sizes) << ", " << parts << " shares");
        for (const Violation& violation : validate(program)) ADD_FAILURE() << to_string(violation);
        std::vector<std::vector<double>> values(static_cast<std::size_t>(ranks));
        std::vector<double> sums(static_cast<std::size_t>(bytes), 0);
        for (std::vector<double>& own : values) {
          for (std::size_t byte = 0; byte < sums.size(); ++byte) {
            own.push_back(number(random));
            sums[byte] += own.back();
          }
        }
        const std::vector<std::vector<double>> results = carried_out(program, std::move(values));
        for (const std::vector<double>& result : results) EXPECT_EQ(result, results.front());
        for (std::size_t byte = 0; byte < sums.size(); ++byte) EXPECT_NEAR(results.front()[byte], sums[byte], 1e-9);
      }
    }
  }
}

TEST(GroupedAllreduce, AtMostTwoGroupsOfOneRank) {
  EXPECT_TRUE(detail::can_be_collected({{0}, {1}, {2, 3}}));
  EXPECT_FALSE(detail::can_be_collected({{0}, {1}, {2, 3}, {4}}));
}

/// What crosses links between groups does so once on its way, not on the way to a sum and once more from it.
TEST(GroupedAllreduce, TakesOneLatencyBetweenGroups) {
  Platform platform = three_sites(in_order(), 4);
  constexpr double kLatency = 10e-3;
  for (PlatformLink& link : platform.links) link.latency_s = kLatency;
  ProgramOptions options;
  options.algorithm = "grouped-exchange";
  const ProgramProblem problem{Collective::kAllreduce, 8, 0, 8};
  const double once = plan_program(platform, problem, options).program.length_s;
  options.algorithm = "hierarchical";
  const double twice = plan_program(platform, problem, options).program.length_s;
  EXPECT_GE(twice, 2 * kLatency);
  EXPECT_LT(once, 2 * kLatency);
  EXPECT_EQ(plan_program(platform, problem).program.length_s, once);
}

}  // namespace
}  // namespace sluice
