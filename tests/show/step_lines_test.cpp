#include "sluice/show/step_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace sluice {
namespace {

StepSchedule schedule_of(std::vector<Step> steps) {
  StepSchedule schedule;
  schedule.steps = std::move(steps);
  return schedule;
}

TEST(StepLines, OneLineAStep) {
  const ShownLines lines = step_lines(schedule_of({{3, {{0, 1, 0, 3}, {1, 0, 0, 2}}}, {0, {}}, {2, {{1, 1, 4, 2}}}}));
  EXPECT_EQ(lines.text,
            "step  duration  sender->receiver:size\n"
            "   0         3  0->1:3 1->0:2\n"
            "   1         0\n"
            "   2         2  1->1:2@4\n");
  EXPECT_EQ(lines.left_out, 0);
}

TEST(StepLines, SizesAreInTheUnitOfTheUser) {
  StepSchedule schedule = schedule_of({{1250000000, {{0, 1, 0, 1250000000}}}, {25, {{0, 1, 1250000000, 25}}}});
  schedule.decimals = 2;
  EXPECT_EQ(step_lines(schedule).text,
            "step  duration  sender->receiver:size\n"
            "   0  12500000  0->1:12500000\n"
            "   1      0.25  0->1:0.25@12500000\n");
}

TEST(StepLines, LongStepsGoOnInTheNextLineWithoutLosingATransfer) {
  Step step{1, {}};
  for (int p = 0; p < 100; ++p) step.transfers.push_back({p, p, 0, 1});
  const ShownLines lines = step_lines(schedule_of({step}));
  std::istringstream in(lines.text);
  std::string line;
  std::getline(in, line);
  int count = 0;
  while (std::getline(in, line)) {
    EXPECT_LE(line.size(), 120U);
    count += static_cast<int>(std::count(line.begin(), line.end(), '>'));
  }
  EXPECT_EQ(count, 100);
}

TEST(StepLines, TheLimitCountsLinesNotSteps) {
  Step step{1, {}};
  for (int p = 0; p < 100; ++p) step.transfers.push_back({p, p, 0, 1});
  const StepSchedule schedule = schedule_of({step, step});
  const auto count = [](const ShownLines& lines) { return std::count(lines.text.begin(), lines.text.end(), '\n') - 1; };
  const std::int64_t all = count(step_lines(schedule));
  ASSERT_GT(all, 6);
  for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{5}, all - 1, all, all + 1}) {
    const ShownLines lines = step_lines(schedule, limit);
    EXPECT_EQ(count(lines), std::min(limit, all));
    EXPECT_EQ(lines.left_out, std::max<std::int64_t>(all - limit, 0));
  }
}

TEST(StepLines, WideNumbersKeepTheColumns) {
  const ShownLines lines = step_lines(schedule_of({{9223372036854775807, {{0, 0, 0, 9223372036854775807}}}, {1, {}}}));
  EXPECT_EQ(lines.text,
            "step             duration  sender->receiver:size\n"
            "   0  9223372036854775807  0->0:9223372036854775807\n"
            "   1                    1\n");
}

}  // namespace
}  // namespace sluice
