#include "schedule/message_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {
namespace {

std::vector<std::uint32_t> values(std::span<const std::uint32_t> list) { return {list.begin(), list.end()}; }
using Values = std::vector<std::uint32_t>;

TEST(Lists, GetTheirValuesInAnyOrder) {
  Lists<std::uint32_t> lists(3);
  lists.set(2, Values{5, 6});
  lists.set(0, Values{7});
  lists.add(Values{8, 9});
  Lists<std::uint32_t> more;
  more.add(Values{});
  more.add(Values{1});
  lists.append(more);
  ASSERT_EQ(lists.size(), 6U);
  EXPECT_EQ(lists.values(), 6U);
  EXPECT_EQ(values(lists[0]), (Values{7}));
  EXPECT_EQ(values(lists[1]), (Values{}));
  EXPECT_EQ(values(lists[2]), (Values{5, 6}));
  EXPECT_EQ(values(lists[3]), (Values{8, 9}));
  EXPECT_EQ(values(lists[4]), (Values{}));
  EXPECT_EQ(values(lists[5]), (Values{1}));
}

TEST(Lists, AreFilledValueByValueWithRoom) {
  Lists<std::uint32_t> lists(std::span<const std::uint32_t>(Values{2, 0, 1}));
  EXPECT_TRUE(lists[0].empty());
  lists.push(2, 4);
  lists.push(0, 1);
  lists.push(0, 2);
  EXPECT_EQ(values(lists[0]), (Values{1, 2}));
  EXPECT_TRUE(lists[1].empty());
  EXPECT_EQ(values(lists[2]), (Values{4}));
}

std::vector<ByteRange> ranges_of(const MessageGraph& graph, std::size_t message) {
  return {graph.ranges[message].begin(), graph.ranges[message].end()};
}

TEST(MessageGraph, JoinsRangesAndLeavesOutEmptyOnes) {
  MessageGraph graph;
  graph.add(0, 1, std::vector<ByteRange>{{8, 4}, {0, 0}, {4, 4}, {20, 1}});
  graph.add(0, 1, std::vector<ByteRange>{{3, 0}});
  graph.add(1, 2, {0, 0});
  graph.add(1, 2, {5, 2}, MessageKind::kCombine);
  ASSERT_EQ(graph.size(), 2U);
  EXPECT_EQ(ranges_of(graph, 0), (std::vector<ByteRange>{{4, 8}, {20, 1}}));
  EXPECT_EQ(graph.messages[0].bytes, 9);
  EXPECT_EQ(ranges_of(graph, 1), (std::vector<ByteRange>{{5, 2}}));
  EXPECT_EQ(graph.messages[1].kind, MessageKind::kCombine);
}

/// A pace of one message is one of all: those without are not held back.
TEST(MessageGraph, StatesAPaceForAllMessagesOrForNone) {
  MessageGraph graph, other;
  graph.add(0, 1, {0, 8});
  other.add(1, 2, {0, 8});
  graph.append(other);
  EXPECT_TRUE(graph.pace.empty());
  EXPECT_TRUE(paces_of(graph).empty());
  other.add(1, 0, {0, 8}, MessageKind::kKeep, {1, 2});
  graph.append(other);
  const SendPace none, stated{1, 2};
  EXPECT_EQ(graph.pace, (std::vector{none, none, none, stated}));
  EXPECT_EQ(paces_of(graph), (std::vector{none, none, none, none, none, none, stated, none}));
  EXPECT_TRUE(graph.reversed(MessageKind::kKeep).pace.empty());
}

/// Messages at once are sent before any of them is received, and what is received waits for what was sent of it.
TEST(MessageGraph, MessagesAtOnceCarryWhatTheirSendersHadBefore) {
  MessageGraph graph;
  graph.add(2, 0, {0, 8}, MessageKind::kCombine);
  graph.add_at_once({{0, 1}, {1, 0}}, {0, 8});
  std::vector<MessageEnd> order;
  for_ends(graph, [&](MessageEnd end) { order.push_back(end); });
  EXPECT_EQ(order, (std::vector<MessageEnd>{0, 1, 2, 4, 3, 5}));
  find_waits(graph);
  EXPECT_EQ(values(graph.after[start_of(1)]), (Values{done_of(0)}));
  EXPECT_EQ(values(graph.after[start_of(2)]), (Values{}));
  EXPECT_EQ(values(graph.after[done_of(1)]), (Values{start_of(2)}));
  EXPECT_EQ(values(graph.after[done_of(2)]), (Values{start_of(1)}));
  const Lists<MessageEnd> waiting = waiting_of(graph);
  EXPECT_EQ(values(waiting[done_of(0)]), (Values{start_of(1)}));
  EXPECT_EQ(values(waiting[start_of(2)]), (Values{done_of(1)}));
  const std::vector<ProgramOperation> operations = operations_of(graph);
  ASSERT_EQ(operations.size(), 6U);
  EXPECT_EQ(operations[4].kind, ProgramOperation::Kind::kCombine);  // the second message of rank 0, at rank 1
  EXPECT_EQ(operations[4].rank, 1);
  EXPECT_EQ(operations[4].after, (std::vector<std::int64_t>{3}));
}

TEST(MessageGraph, HasALimit) {
  MessageGraph half;
  for (int m = 0; m < 1 << 21; ++m) half.add(0, 1, {0, 1});
  MessageGraph whole = half;
  whole.append(half);
  EXPECT_EQ(whole.size(), std::size_t{1} << 22);
  EXPECT_THROW(whole.add(0, 1, {0, 1}), InputError);
}

MessageGraph random_graph(std::mt19937& random, std::int64_t ranks) {
  MessageGraph graph;
  const auto below = [&](std::int64_t count) { return static_cast<std::int64_t>(random()) % count; };
  for (int m = 0; m < 40; ++m) {
    const std::int64_t from = below(ranks), to = (from + 1 + below(ranks - 1)) % ranks;
    if (random() % 4 == 0) {
      graph.add_at_once({{from, to}, {to, from}}, {below(20), 1 + below(10)});
      continue;
    }
    std::vector<ByteRange> ranges;
    for (std::int64_t at = below(10); at < 40; at += 1 + below(20)) {
      ranges.push_back({at, 1 + below(8)});
      at = ranges.back().end();
    }
    graph.add(from, to, ranges, random() % 2 == 0 ? MessageKind::kCombine : MessageKind::kKeep);
  }
  return graph;
}

/// One rank alone is looked at operation by operation, all ranks by their pieces of the array.
TEST(MessageGraph, WaitsOfAllRanksAreThoseOfEachAlone) {
  std::mt19937 random(23);
  for (int round = 0; round < 100; ++round) {
    const std::int64_t ranks = 2 + static_cast<std::int64_t>(random() % 4);
    const MessageGraph graph = random_graph(random, ranks);
    const std::vector<ProgramOperation> all = operations_of(graph);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      std::vector<ProgramOperation> own;
      std::vector<std::int64_t> place(all.size(), -1);
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].rank != rank) continue;
        place[i] = static_cast<std::int64_t>(own.size());
        own.push_back(all[i]);
        for (std::int64_t& before : own.back().after) before = place[static_cast<std::size_t>(before)];
      }
      EXPECT_EQ(operations_of_rank(graph, rank), own) << "round " << round << ", rank " << rank;
    }
  }
}

TEST(MessageGraph, IsThatOfItsProgram) {
  std::mt19937 random(29);
  for (int round = 0; round < 100; ++round) {
    const std::int64_t ranks = 2 + static_cast<std::int64_t>(random() % 4);
    MessageGraph graph = random_graph(random, ranks);
    Program program;
    program.ranks = ranks;
    program.operations = operations_of(graph);
    find_waits(graph);
    const MessageGraph lowered = lower(program);
    ASSERT_EQ(lowered.size(), graph.size());
    for (std::size_t m = 0; m < graph.size(); ++m) {
      EXPECT_EQ(lowered.messages[m].from, graph.messages[m].from);
      EXPECT_EQ(lowered.messages[m].to, graph.messages[m].to);
      EXPECT_EQ(lowered.messages[m].bytes, graph.messages[m].bytes);
      EXPECT_EQ(lowered.messages[m].kind, graph.messages[m].kind);
    }
    std::vector<MessageEnd> order;
    for_ends(graph, [&](MessageEnd end) { order.push_back(end); });
    EXPECT_EQ(lowered.order, order);
    for (std::size_t end = 0; end < 2 * graph.size(); ++end) {
      Values after = values(lowered.after[end]);
      std::ranges::sort(after);
      EXPECT_EQ(after, values(graph.after[end])) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace sluice::detail
