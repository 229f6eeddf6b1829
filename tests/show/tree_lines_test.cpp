#include "sluice/show/tree_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace sluice {
namespace {

TEST(TreeLines, OneLineATransfer) {
  TreeSchedule schedule;
  schedule.transfers = {{3, 1, 0, 2}, {2, 0, 0, 2}, {1, 0, 2.5, 4.5}};
  const ShownLines lines = tree_lines(schedule);
  EXPECT_EQ(lines.text,
            "start  end  sender->receiver\n"
            "    0    2  3->1\n"
            "    0    2  2->0\n"
            "  2.5  4.5  1->0\n");
  EXPECT_EQ(lines.left_out, 0);
}

TEST(TreeLines, PartsAreToldOnlyWhereThereAreSome) {
  TreeSchedule schedule;
  schedule.segments = 2;
  schedule.transfers = {{1, 0, 0, 1, 0}, {1, 0, 1, 2, 1}};
  EXPECT_EQ(tree_lines(schedule).text,
            "start  end  sender->receiver  segment\n"
            "    0    1  1->0                    0\n"
            "    1    2  1->0                    1\n");
}

TEST(TreeLines, TheLimitCountsTransfers) {
  TreeSchedule schedule;
  for (int i = 1; i <= 50; ++i) schedule.transfers.push_back({i, 0, i - 1.0, double(i)});
  for (const std::int64_t limit : {0, 1, 49, 50, 51}) {
    const ShownLines lines = tree_lines(schedule, limit);
    EXPECT_EQ(lines.left_out, std::max<std::int64_t>(0, 50 - limit));
    EXPECT_EQ(std::count(lines.text.begin(), lines.text.end(), '\n') - 1, std::min<std::int64_t>(limit, 50));
  }
  EXPECT_EQ(tree_lines(schedule).left_out, 0);
}

TEST(TreeLines, NothingToSendIsATitle) { EXPECT_EQ(tree_lines(TreeSchedule{}).text, "start  end  sender->receiver\n"); }

}  // namespace
}  // namespace sluice
