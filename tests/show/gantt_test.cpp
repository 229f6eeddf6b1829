#include "sluice/show/gantt.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "show/count_in.hpp"

namespace sluice {
namespace {

using testing::count;

Timeline two_by_two() {
  Timeline timeline{"exchange", "oggp", 2, 2, false, "s", {}, 4e-3};
  timeline.transfers.push_back({0, 1, 5, 0, 0, 1e-3, 0, 1e-3});
  timeline.transfers.push_back({1, 0, 7, 1, 1e-3, 4e-3, 1e-3, 4e-3});
  return timeline;
}

TEST(GanttSvg, HasARowPerSenderABarPerTransferAndAnAxis) {
  const std::string svg = gantt_svg(two_by_two(), "a <title> & more");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "a &lt;title&gt; &amp; more"), 2U);
  EXPECT_EQ(count(svg, "<title>0 to 1, size 5, step 0: 0 ns to 1.00 ms</title>"), 1U);
  EXPECT_EQ(count(svg, "<title>1 to 0, size 7, step 1: 1.00 ms to 4.00 ms</title>"), 1U);
  // 760 pixels are 4 ms.
  EXPECT_EQ(count(svg, "x=\"110.00\" y=\"65.50\" width=\"190.00\" height=\"23.00\" fill=\"#E69F00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"300.00\" y=\"91.50\" width=\"570.00\" height=\"23.00\" fill=\"#0072B2\""), 1U) << svg;
  for (const char* part : {">0<", ">2.00 ms<", ">4.00 ms<", ">time<", ">sender<",
                           "2 transfers, length 4.00 ms, senders busy 50 % of it", "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(part), svg.npos) << part;
}

TEST(GanttSvg, TellsWhereAPieceBeginsInItsMessage) {
  Timeline timeline = two_by_two();
  timeline.transfers[1].offset = 12;
  const std::string svg = gantt_svg(timeline, "pieces");
  EXPECT_EQ(count(svg, "<title>1 to 0, size 7, offset 12, step 1: 1.00 ms to 4.00 ms</title>"), 1U);
  EXPECT_EQ(count(svg, "offset"), 1U);
}

TEST(GanttSvg, ShowsBothDirectionsOfMachines) {
  Timeline timeline = two_by_two();
  timeline.same_nodes = true;
  timeline.unit.clear();
  const std::string svg = gantt_svg(timeline, "tree");
  EXPECT_EQ(count(svg, "opacity=\"0.55\""), 2U);
  EXPECT_NE(svg.find("time (unit of the schedule)"), svg.npos);
  EXPECT_NE(svg.find(">machine<"), svg.npos);
}

TEST(GanttSvg, WhatANodeSendsAtOnceStandsSideBySide) {
  Timeline timeline{"exchange", "x", 1, 3, false, "", {}, 4};
  timeline.transfers.push_back({0, 1, 1, 0, 0, 2, 0, 2});
  timeline.transfers.push_back({0, 2, 1, 0, 1, 4, 1, 4});
  timeline.transfers.push_back({0, 0, 1, 0, 2, 4, 2, 4});
  const std::string svg = gantt_svg(timeline, "x");
  // A row of 26 pixels in two lanes of 13, the third transfer where the first one ended.
  EXPECT_EQ(count(svg, "x=\"110.00\" y=\"65.50\" width=\"380.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"300.00\" y=\"78.50\" width=\"570.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"490.00\" y=\"65.50\" width=\"380.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "senders busy"), 0U) << "of one who does several things at once that says nothing";
}

TEST(GanttSvg, StaysSmallWhateverTheNumberOfTransfers) {
  Timeline timeline{"exchange", "x", 4, 4, false, "", {}, 100000};
  for (std::int64_t i = 0; i < 100000; ++i) {
    const auto at = static_cast<double>(i);
    timeline.transfers.push_back({i % 4, (i + 1) % 4, 1, i, at, at + 1, at, at + 1});
  }
  const std::string svg = gantt_svg(timeline, "many");
  EXPECT_LT(svg.size(), 2'000'000U);
  EXPECT_NE(svg.find("#8c8c8c"), svg.npos);
}

TEST(GanttSvg, DrawsNothingToo) {
  for (const std::string unit : {"", "s"}) {
    const std::string svg = gantt_svg({"reduce", "greedy", 1, 1, true, unit, {}, 0}, "nothing");
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
    EXPECT_NE(svg.find("0 transfers"), svg.npos);
  }
}

}  // namespace
}  // namespace sluice
