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
  // 384 pixels are 4 ms.
  EXPECT_EQ(count(svg, "x=\"64.00\" y=\"82.80\" width=\"96.00\" height=\"23.00\" fill=\"#E69F00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"160.00\" y=\"108.80\" width=\"288.00\" height=\"23.00\" fill=\"#0072B2\""), 1U) << svg;
  for (const char* part : {">0<", ">2.00 ms<", ">4.00 ms<", ">time<", ">sender<",
                           "2 transfers, length 4.00 ms, 1.0 of 2\u00a0senders busy, at most\u00a01", ">step<",
                           "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(part), svg.npos) << part;
}

TEST(GanttSvg, StepsAreColumnsWithNumbers) {
  Timeline timeline = two_by_two();
  const std::string dashed = "stroke-dasharray=\"3 2\" d=\"M160.00 ";  // where step 0 ends, and step 1 begins
  std::string svg = gantt_svg(timeline, "columns");
  EXPECT_EQ(count(svg, "stroke-dasharray"), 1U) << svg;
  EXPECT_EQ(count(svg, dashed), 1U) << svg;
  EXPECT_EQ(count(svg, "<text x=\"112.0\" y=\"73.3\" text-anchor=\"middle\" font-size=\"12\">0<"), 1U) << svg;
  EXPECT_EQ(count(svg, "<text x=\"304.0\" y=\"73.3\" text-anchor=\"middle\" font-size=\"12\">1<"), 1U) << svg;
  EXPECT_NE(svg.find("above: steps; in bars"), svg.npos) << svg;
  // Two transfers of one step make one column.
  timeline.transfers[1].step = 0;
  EXPECT_EQ(count(gantt_svg(timeline, "columns"), "stroke-dasharray"), 0U);
  EXPECT_NE(gantt_svg(timeline, "columns").find("above: steps; in bars"), std::string::npos);
  // Steps that overlap are none, nor are transfers of no step.
  timeline.transfers[1].step = 1;
  timeline.transfers[1].start = timeline.transfers[1].receive_start = 0.5e-3;
  EXPECT_EQ(gantt_svg(timeline, "columns").find("above: steps"), std::string::npos);
  timeline.transfers[0].step = timeline.transfers[1].step = -1;
  EXPECT_EQ(gantt_svg(timeline, "columns").find("above: steps"), std::string::npos);
}

TEST(GanttSvg, RowsMayBeReceivers) {
  Timeline timeline = two_by_two();
  timeline.receivers = 3;
  const std::string svg = gantt_svg(timeline, "rows", GanttRow::kReceiver);
  // Each bar in the row of its receiver, in the colour of its sender.
  EXPECT_EQ(count(svg, "x=\"64.00\" y=\"108.80\" width=\"96.00\" height=\"23.00\" fill=\"#0072B2\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"160.00\" y=\"82.80\" width=\"288.00\" height=\"23.00\" fill=\"#E69F00\""), 1U) << svg;
  EXPECT_EQ(count(svg, ">receiver<"), 1U);
  EXPECT_EQ(count(svg, ">sender<"), 0U);
  EXPECT_NE(svg.find("1.0 of 3\u00a0receivers busy"), svg.npos) << svg;
  EXPECT_EQ(svg.find("opacity"), svg.npos) << svg;
  // Machines show both directions anyway.
  timeline.receivers = 2;
  timeline.same_nodes = true;
  EXPECT_EQ(gantt_svg(timeline, "rows", GanttRow::kReceiver), gantt_svg(timeline, "rows"));
}

TEST(GanttSvg, LabelsAreLegibleOnTheirColours) {
  const std::string svg = gantt_svg(two_by_two(), "labels");
  EXPECT_EQ(count(svg, " style=\"fill:#1a1a1a\">1</text>"), 1U) << "on orange: " << svg;
  EXPECT_EQ(count(svg, " style=\"fill:white\">0</text>"), 1U) << "on blue: " << svg;
  // What is received is pale on a light page and dark on a dark one, as the text of the page is the other way round.
  Timeline machines = two_by_two();
  machines.same_nodes = true;
  machines.transfers.pop_back();
  const std::string both = gantt_svg(machines, "labels");
  EXPECT_EQ(count(both, " text-anchor=\"middle\">0</text>"), 1U) << both;
  EXPECT_NE(both.find("receives below"), both.npos) << both;
}

TEST(GanttSvg, NoLineBeginsWithTheNounOfANumber) {
  for (std::size_t length = 1; length < 80; ++length) {
    Timeline timeline = two_by_two();
    timeline.algorithm = std::string(length, 'a');
    const std::string svg = gantt_beside_svg(timeline, timeline, "plan and run");
    EXPECT_EQ(svg.find(">senders busy"), svg.npos) << svg;
  }
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
  EXPECT_EQ(count(svg, "x=\"64.00\" y=\"82.80\" width=\"192.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"160.00\" y=\"95.80\" width=\"288.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "x=\"256.00\" y=\"82.80\" width=\"192.00\" height=\"10.00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "busy"), 0U) << "of one who does several things at once that says nothing";
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

TEST(GanttBesideSvg, HasPlanAndRunOnOneAxis) {
  Timeline plan = two_by_two();  // 1 ms and 3 ms
  plan.same_nodes = true;
  Timeline run = scaled(plan, 2, "s");
  run.algorithm = "executed: chain";
  const std::string svg = gantt_beside_svg(plan, run, "both");
  // 384 pixels are 8 ms: the plan ends in the middle.
  EXPECT_EQ(count(svg, "width=\"48.00\""), 2U) << svg;
  EXPECT_EQ(count(svg, "width=\"96.00\""), 2U);
  EXPECT_EQ(count(svg, "width=\"144.00\""), 2U);
  EXPECT_EQ(count(svg, "width=\"288.00\""), 2U);
  EXPECT_EQ(count(svg, ">8.00 ms<"), 2U) << "an axis each";
  EXPECT_NE(svg.find("plan, oggp: 2 transfers, length 4.00 ms"), svg.npos) << svg;
  EXPECT_NE(svg.find("executed: chain: 2 transfers, length 8.00 ms"), svg.npos);
  EXPECT_NE(svg.find("2.00 times the plan"), svg.npos);
  EXPECT_LT(svg.find("plan, oggp"), svg.find("executed: chain"));
}

TEST(GanttBesideSvg, StretchesAPlanWithoutSeconds) {
  Timeline plan = two_by_two();
  plan.unit.clear();
  plan = scaled(plan, 1000, "");  // 4 units
  const std::string svg = gantt_beside_svg(plan, scaled(two_by_two(), 2, "s"), "both");
  EXPECT_EQ(count(svg, "width=\"96.00\""), 2U) << svg;
  EXPECT_EQ(count(svg, "width=\"288.00\""), 2U);
  EXPECT_NE(svg.find("2.00 ms per unit"), svg.npos);
  EXPECT_EQ(svg.find("times the plan"), svg.npos) << "their ratio says nothing then";
  plan.transfers.clear();
  plan.length = 0;
  const std::string empty = gantt_beside_svg(plan, two_by_two(), "x");
  EXPECT_EQ(empty.find("nan"), empty.npos);
  EXPECT_EQ(empty.find("inf"), empty.npos);
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
