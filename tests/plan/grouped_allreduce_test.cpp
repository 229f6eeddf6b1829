#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "plan/patterns/patterns.hpp"
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

Program program_of(const detail::MessageGraph& messages, std::int64_t ranks, std::int64_t bytes) {
  Program program;
  program.problem = Collective::kAllreduce;
  program.ranks = ranks;
  program.size_bytes = bytes;
  program.operations = operations_of(messages);
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

/// The program is sound, and all ranks have the sum of one number of each rank for each byte, the same to the last bit.
void expect_sums(const Program& program, std::mt19937& random, std::uniform_real_distribution<double>& number) {
  for (const Violation& violation : validate(program)) ADD_FAILURE() << to_string(violation);
  std::vector<std::vector<double>> values(static_cast<std::size_t>(program.ranks));
  std::vector<double> sums(static_cast<std::size_t>(program.size_bytes), 0);
  for (std::vector<double>& own : values) {
    for (double& sum : sums) {
      own.push_back(number(random));
      sum += own.back();
    }
  }
  const std::vector<std::vector<double>> results = carried_out(program, std::move(values));
  for (const std::vector<double>& result : results) EXPECT_EQ(result, results.front());
  for (std::size_t byte = 0; byte < sums.size(); ++byte) EXPECT_NEAR(results.front()[byte], sums[byte], 1e-9);
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
        expect_sums(program, random, number);
      }
    }
  }
}

TEST(GroupedAllreduce, AtMostTwoGroupsOfOneRank) {
  EXPECT_TRUE(detail::can_be_collected({{0}, {1}, {2, 3}}));
  EXPECT_FALSE(detail::can_be_collected({{0}, {1}, {2, 3}, {4}}));
}

/// Each group in parts of one to three ranks.
std::vector<Groups> in_parts(const Groups& groups, std::mt19937& random) {
  std::vector<Groups> result;
  for (const detail::Ranks& group : groups) {
    Groups& parts = result.emplace_back();
    for (std::size_t first = 0; first < group.size();) {
      const std::size_t end = std::min(group.size(), first + 1 + random() % 3);
      parts.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(first),
                         group.begin() + static_cast<std::ptrdiff_t>(end));
      first = end;
    }
  }
  return result;
}

std::vector<detail::Ranges> segments_of(std::int64_t bytes, std::int64_t segments, std::int64_t shares) {
  std::vector<detail::Ranges> result;
  for (const ByteRange& segment : detail::cut({0, bytes}, segments, 1))
    result.push_back(detail::cut(segment, shares, 1));
  return result;
}

TEST(GroupedPipeline, AllRanksHaveTheSameSumToTheLastBit) {
  std::mt19937 random(12);
  std::uniform_real_distribution<double> number(-1, 1);
  const std::vector<std::vector<std::size_t>> some_sizes = {{2, 2},          {1, 1, 1},    {3, 3, 3}, {4, 2, 7},
                                                            {5, 1, 2},       {2, 6, 2, 3}, {6, 6},    {9, 8, 1, 2},
                                                            {1, 3, 1, 1, 4}, {12, 3, 5},   {5}};
  for (const std::vector<std::size_t>& sizes : some_sizes) {
    for (const std::int64_t cut_into : {1, 3, 8}) {
      for (const std::int64_t parts : {1, 2, 7}) {
        for (const std::size_t exchanged : {0, 1, 8}) {
          if (exchanged > 0 && *std::ranges::min_element(sizes) < 2) continue;
          const Groups groups = groups_of(sizes, random);
          std::int64_t ranks = 0;
          for (const detail::Ranks& group : groups) ranks += static_cast<std::int64_t>(group.size());
          const std::int64_t bytes = 23;
          const Program program = program_of(
              detail::pipelined_allreduce(in_parts(groups, random), segments_of(bytes, cut_into, parts), exchanged),
              ranks, bytes);
          SCOPED_TRACE(::testing::Message() << ::testing::PrintToString(sizes) << ", " << cut_into << " segments of "
                                            << parts << " shares, " << exchanged << " exchanged");
          expect_sums(program, random, number);
        }
      }
    }
  }
}

/// The most that hubs and what is exchanged bring into a group.
TEST(GroupedPipeline, BringsAsManyBytesIntoEachGroupAsItSays) {
  const std::vector<Groups> groups = {{{0, 1}, {2}}, {{3, 4}}, {{5}, {6, 7}}};
  constexpr std::int64_t kBytes = 72;
  for (const std::size_t exchanged : {0, 2, 6}) {
    const detail::MessageGraph messages = detail::pipelined_allreduce(groups, segments_of(kBytes, 6, 3), exchanged);
    std::map<std::size_t, std::int64_t> entered;
    const auto group_of = [](std::int64_t rank) { return rank < 3 ? 0U : rank < 5 ? 1U : 2U; };
    for (const detail::MessageGraph::Message& message : messages.messages)
      if (group_of(message.from) != group_of(message.to)) entered[group_of(message.to)] += message.bytes;
    const auto share = static_cast<std::int64_t>(exchanged);
    for (const auto& [group, bytes] : entered)
      EXPECT_EQ(bytes, kBytes * (6 - share) / 6 * 4 / 3 + kBytes * share / 6 * 2) << group << ", " << exchanged;
  }
}

/// Phases one after the other take longer by most of the shorter ones.
TEST(GroupedPipeline, CombinesSendsAndGathersAtTheSameTime) {
  const Platform platform = three_sites(in_order(), 4);
  const ProgramProblem problem{Collective::kAllreduce, 1 << 20, 0, 8};
  ProgramOptions options;
  std::map<std::string, double> length_s;
  for (const char* name : {"grouped-pipeline", "grouped-exchange", "hierarchical"}) {
    options.algorithm = name;
    length_s[name] = plan_program(platform, problem, options).program.length_s;
  }
  EXPECT_LT(length_s["grouped-pipeline"], 0.9 * std::min(length_s["grouped-exchange"], length_s["hierarchical"]));
  EXPECT_LE(plan_program(platform, problem).program.length_s, length_s["grouped-pipeline"]);
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
