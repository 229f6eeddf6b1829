#include "sluice/show/tree_picture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "show/count_in.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

using testing::count;

/// 3 and 1 send to the root, 3 to 2 first. Transfers take 2, combining 1.
TreeSchedule reduction() {
  TreeSchedule schedule;
  schedule.algorithm = "greedy";
  schedule.machines = 4;
  schedule.transfer = 2;
  schedule.compute = 1;
  schedule.transfers = {{1, 0, 0, 2}, {3, 2, 0, 2}, {2, 0, 3, 5}};
  schedule.length = 6;
  return schedule;
}

TEST(TreeSvg, PutsADotWhereAMachineSendsAndALineForEachTransfer) {
  const std::string svg = tree_svg(reduction(), "a <title>");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "a &lt;title&gt;"), 2U);
  EXPECT_EQ(count(svg, "<circle "), 4U);
  // 384 pixels are 6. Rows of 26 from the top: the root, its child that is done first, the other one, and its child.
  for (const char* part : {"<path d=\"M64.00 120.30L192.00 94.30\" ", "<path d=\"M256.00 146.30L384.00 94.30\" ",
                           "<path d=\"M64.00 172.30L192.00 146.30\" ", "<title>3 to 2: 0 to 2</title>",
                           "<circle cx=\"448.00\" cy=\"94.30\"", "<circle cx=\"256.00\" cy=\"146.30\"",
                           "4 machines, root 0, length 6 (unit of the schedule)", "dot: result sent"})
    EXPECT_EQ(count(svg, part), 1U) << part << '\n' << svg;
}

TEST(TreeSvg, ABroadcastHasItsDotsWhereTheMessageArrives) {
  TreeSchedule schedule;
  schedule.problem = "broadcast";
  schedule.machines = 3;
  schedule.root = 2;
  schedule.segments = 2;
  schedule.transfers = {{2, 0, 0, 1e-3}, {2, 1, 1e-3, 2e-3}, {2, 0, 2e-3, 3e-3, 1}, {2, 1, 3e-3, 4e-3, 1}};
  schedule.length = 4e-3;
  const std::string svg = tree_svg(schedule, "b");
  EXPECT_EQ(count(svg, "stroke-width=\"1.5\""), 2U) << "the first part alone";
  // The last child stands next to the root: the line to the first one passes its row before it has the message.
  for (const char* part : {"<circle cx=\"64.00\" cy=\"110.50\"", "<circle cx=\"256.00\" cy=\"136.50\"",
                           "<circle cx=\"160.00\" cy=\"162.50\"", "length 4.00 ms; the first of 2 parts",
                           "dot: message received", ">time<"})
    EXPECT_EQ(count(svg, part), 1U) << part << '\n' << svg;
}

TEST(TreeSvg, OneMachineAndTooMany) {
  TreeSchedule schedule;
  schedule.machines = 1;
  EXPECT_EQ(count(tree_svg(schedule, "x"), "<circle "), 1U);
  schedule.machines = kMostDrawnMachines + 1;
  EXPECT_THROW((void)tree_svg(schedule, "x"), InputError);
}

}  // namespace
}  // namespace sluice
