#include "schedule/own_part.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/lists.hpp"
#include "sluice/schedule/program.hpp"

namespace sluice::detail {
namespace {

using Kind = ProgramOperation::Kind;

std::vector<std::uint32_t> list(const Lists<std::uint32_t>& lists, std::size_t i) {
  return {lists[i].begin(), lists[i].end()};
}

TEST(OwnPart, KnowsWhoWaitsForWhom) {
  OwnPart part;
  const OwnPart::Range one{0, 1};
  (void)part.add({1, false}, one);
  (void)part.add({2, false}, one);
  const std::uint32_t both[] = {0, 1};
  (void)part.add({3, true}, one, both);
  (void)part.add({4, true}, one, std::span(both).last(1));
  (void)part.add({5, true}, one);
  EXPECT_TRUE(part.after_of(0).empty());
  EXPECT_EQ(list(part.after, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_TRUE(part.after_of(4).empty());  // no list: it waits for none
  const Lists<std::uint32_t> waiting = waiting_of(part);
  ASSERT_EQ(waiting.size(), 5U);
  EXPECT_EQ(list(waiting, 0), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(list(waiting, 1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_TRUE(waiting[4].empty());
}

TEST(OwnPart, HasLanes) {
  OwnPart part;
  (void)part.add({1, false}, OwnPart::Range{0, 5});
  (void)part.add({2, true, MessageKind::kKeep, 1}, OwnPart::Range{0, 5});
  (void)part.add({3, true}, OwnPart::Range{0, 5});
  EXPECT_EQ(ends_of(part, true), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(ends_of(part, true, 1), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(ends_of(part, false), (std::vector<std::uint32_t>{0}));
  EXPECT_TRUE(ends_of(part, false, 1).empty());
}

/// Ranks 0 and 2 send two elements of four bytes to rank 1, which combines them and sends the sum to rank 0.
Program sum_of_three() {
  Program program;
  program.problem = Collective::kReduce;
  program.ranks = 3;
  program.size_bytes = 8;
  program.element_bytes = 4;
  program.root = 0;
  program.commutative = false;
  program.operations = {{2, Kind::kSend, 1, 0, 8, {}, {}},     {0, Kind::kSend, 1, 4, 4, {{0, 4}}, {}},
                        {1, Kind::kCombine, 2, 0, 8, {}, {}},  {1, Kind::kCombine, 0, 4, 4, {{0, 4}}, {2}},
                        {1, Kind::kSend, 0, 0, 8, {}, {2, 3}}, {0, Kind::kReceive, 1, 0, 8, {}, {1}}};
  return program;
}

TEST(OwnPart, IsCutFromAProgram) {
  const std::vector<OwnPart> parts = cut(sum_of_three());
  ASSERT_EQ(parts.size(), 3U);
  const OwnPart& middle = parts[1];
  ASSERT_EQ(middle.ends.size(), 3U);
  EXPECT_EQ(middle.ends[0].peer, 2);
  EXPECT_FALSE(middle.ends[0].sends);
  EXPECT_EQ(middle.ends[0].kind, MessageKind::kCombine);
  EXPECT_EQ(middle.ends[0].count, 2);
  EXPECT_FALSE(middle.ranges[0].front().lower);
  EXPECT_EQ(middle.ends[1].peer, 0);
  EXPECT_EQ(list(middle.after, 1), (std::vector<std::uint32_t>{0}));
  ASSERT_EQ(middle.ranges[1].size(), 2U);  // in the order of the message
  EXPECT_EQ(middle.ranges[1][0].begin, 1);
  EXPECT_EQ(middle.ranges[1][1].begin, 0);
  EXPECT_TRUE(middle.ranges[1][0].lower);
  EXPECT_TRUE(middle.ends[2].sends);
  EXPECT_EQ(list(middle.after, 2), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(list(parts[0].after, 1), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(parts[0].ends[1].kind, MessageKind::kKeep);
  EXPECT_TRUE(middle.pace.empty());
}

TEST(OwnPart, OfOneRankIsThatOfAll) {
  Program program = sum_of_three();
  program.pace.assign(program.operations.size(), {});
  program.pace[4] = {0.5, 2};
  const std::vector<OwnPart> parts = cut(program);
  for (std::int64_t rank = 0; rank < program.ranks; ++rank)
    EXPECT_EQ(cut_for(program, rank), parts[static_cast<std::size_t>(rank)]) << rank;
  EXPECT_EQ(parts[1].pace[2].connection_s, 2);
  EXPECT_EQ(parts[1].pace[1].port_s, 0);
}

/// Whose bytes a message carries: combined from the middle outwards, the list of operations out of order.
TEST(OwnPart, MessagesAreFollowedInAnyOrder) {
  Program program;
  program.problem = Collective::kReduce;
  program.ranks = 4;
  program.size_bytes = 1;
  program.root = 0;
  program.commutative = false;
  program.operations = {{0, Kind::kCombine, 1, 0, 1, {}, {}}, {1, Kind::kCombine, 2, 0, 1, {}, {}},
                        {1, Kind::kSend, 0, 0, 1, {}, {1}},   {2, Kind::kCombine, 3, 0, 1, {}, {}},
                        {2, Kind::kSend, 1, 0, 1, {}, {3}},   {3, Kind::kSend, 2, 0, 1, {}, {}}};
  for (const OwnPart& part : cut(program)) {
    for (std::size_t i = 0; i < part.ends.size(); ++i) {
      ASSERT_EQ(part.ranges[i].size(), 1U);
      EXPECT_FALSE(part.ranges[i].front().lower);
    }
  }
}

TEST(OwnPart, OfShorterMessagesLeavesOutWhatIsEmpty) {
  OwnPart part;
  for (std::int64_t segment = 0; segment < 4; ++segment) {
    const OwnPart::Range where{segment * 25, 25};
    const std::uint32_t receive = part.add({0, false}, where);
    (void)part.add({2, true}, where, std::span(&receive, 1));
  }
  part.pace.assign(part.ends.size(), {1, 2});
  const OwnPart less = shrunk(part, 100, 2);  // segments end at 0, 1, 1 and 2
  ASSERT_EQ(less.ends.size(), 4U);
  EXPECT_EQ(less.pace.size(), 4U);
  for (const std::size_t send : {1U, 3U}) {
    EXPECT_TRUE(less.ends[send].sends);
    EXPECT_EQ(less.ends[send].count, 1);
    EXPECT_EQ(list(less.after, send), (std::vector<std::uint32_t>{static_cast<std::uint32_t>(send) - 1}));
    EXPECT_EQ(less.ranges[send].front().begin, send == 1 ? 0 : 1);
  }
  EXPECT_EQ(shrunk(part, 100, 100).ends.size(), part.ends.size());
}

}  // namespace
}  // namespace sluice::detail
