#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "show/count_in.hpp"
#include "sluice/show/report.hpp"

namespace sluice {
namespace {

using testing::count;

ReportSection with(ReportMatrix matrix) {
  ReportSection section;
  section.matrices.push_back(std::move(matrix));
  return section;
}

ReportSection with(ReportLines lines) {
  ReportSection section;
  section.lines.push_back(std::move(lines));
  return section;
}

ReportMatrix small_matrix() {
  ReportMatrix matrix{"Who <sends>", "sender", "receiver", "size", "B"};
  matrix.rows = matrix.columns = 2;
  matrix.entries = {{0, 0, 10}, {1, 0, 1000}, {1, 1, 100}};
  return matrix;
}

TEST(ReportSvg, MatricesAreSortedByLoadAndShadedByLogarithms) {
  const std::string svg = report_svg({with(small_matrix())}, "a & b");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "a &amp; b"), 2U);
  EXPECT_NE(svg.find("Who &lt;sends&gt;"), svg.npos);
  EXPECT_NE(svg.find("2 x 2, 3 entries above 0; rows and columns by their sums"), svg.npos) << svg;
  // Row 1 has the larger load and stands above row 0; column 0 stands before column 1.
  for (const char* name :
       {"y=\"214.4\" text-anchor=\"end\" font-size=\"12\">1<", "y=\"382.8\" text-anchor=\"end\" font-size=\"12\">0<",
        "x=\"119.4\" y=\"122.2\" text-anchor=\"middle\" font-size=\"12\">0<",
        "x=\"287.8\" y=\"122.2\" text-anchor=\"middle\" font-size=\"12\">1<"})
    EXPECT_EQ(count(svg, name), 1U) << name << svg;
  // The largest entry is at the top left, in the last colour, the smallest below it in the first; 100 is in the middle
  // of 10 and 1000.
  EXPECT_EQ(count(svg, "<rect x=\"35.20\" "), 3U) << "ground and two cells: " << svg;
  const std::size_t largest = svg.find("fill=\"#fdf0a0\""), smallest = svg.find("fill=\"#1a1c54\"");
  EXPECT_LT(largest, smallest);
  EXPECT_EQ(count(svg, "fill=\"#fdf0a0\""), 2U) << "once in the scale: " << svg;
  for (const char* text : {">10 B<", ">100 B<", ">1.00 kB<", ">size<", ">sender<", ">receiver<"})
    EXPECT_NE(svg.find(text), svg.npos) << text << svg;
}

TEST(ReportSvg, MatricesWithNamesKeepTheirOrder) {
  ReportMatrix matrix = small_matrix();
  matrix.names = {"site a", "b"};
  const std::string svg = report_svg({with(matrix)}, "x");
  EXPECT_LT(svg.find(">site a<"), svg.find(">b<")) << svg;
  EXPECT_NE(svg.find("columns in the order of the rows"), svg.npos) << svg;
  EXPECT_EQ(svg.find("by their sums"), svg.npos);
}

TEST(ReportSvg, ManyRowsBecomeFewCells) {
  ReportMatrix matrix{"Large", "sender", "receiver", "size"};
  matrix.rows = 1000;
  matrix.columns = 700;
  for (std::int64_t i = 0; i < matrix.rows; ++i)
    for (std::int64_t j = 0; j < matrix.columns; j += 7)
      matrix.entries.push_back({i, j, static_cast<double>(1 + i * j)});
  const std::string svg = report_svg({with(matrix)}, "x");
  EXPECT_LT(svg.size(), 4'000'000U);
  EXPECT_EQ(svg.find("nan"), svg.npos);
}

TEST(ReportSvg, EmptyAndEvenMatricesAreDrawn) {
  ReportMatrix matrix = small_matrix();
  matrix.entries = {{0, 1, 5}};
  EXPECT_EQ(report_svg({with(matrix)}, "x").find("nan"), std::string::npos);
  matrix.entries = {{0, 1, 0}};
  const std::string nothing = report_svg({with(matrix)}, "x");
  EXPECT_NE(nothing.find("0 entries above 0"), nothing.npos);
  EXPECT_EQ(nothing.find("inf"), nothing.npos);
  matrix.rows = matrix.columns = 0;
  matrix.entries.clear();
  EXPECT_EQ(report_svg({with(matrix)}, "x").find("nan"), std::string::npos);
}

TEST(ReportSvg, CurvesOverLogarithmicAxes) {
  ReportLines lines{"Gap", "size", "B", "gap", "s", {}};
  lines.series = {{"a <b>", {{1, 1e-6}, {1000, 1e-3}}}, {"same", {{1, 1e-6}, {1000, 1e-3}}}, {"c", {{1, 1e-5}}}};
  const std::string svg = report_svg({with(lines)}, "x");
  // From the corner at the bottom left to that at the top right: three powers of ten each.
  EXPECT_EQ(count(svg, "d=\"M72.0 301.8L452.0 81.8\""), 1U) << svg;
  EXPECT_EQ(count(svg, "d=\"M72.0 228.5\""), 1U) << "a third of the height: " << svg;
  EXPECT_EQ(count(svg, ">a &lt;b&gt; and 1 more<"), 2U) << "legend and pointer: " << svg;
  for (const char* text : {">1 B<", ">10 B<", ">1.00 kB<", ">1.00 us<", ">1.00 ms<", ">gap<", ">size<"})
    EXPECT_NE(svg.find(text), svg.npos) << text << svg;
}

TEST(ReportSvg, CurvesOverPlainAxesAndWithoutPoints) {
  ReportLines lines{"Cost", "k", "", "ratio", "", {}};
  lines.series = {{"a", {{2, 1.5}, {4, 3}}}};
  const std::string svg = report_svg({with(lines)}, "x");
  EXPECT_EQ(count(svg, "d=\"M72.0 191.8L452.0 81.8\""), 1U) << "heights from 0 on: " << svg;
  lines.series = {{"a", {{2, 1.5}}}};
  EXPECT_EQ(report_svg({with(lines)}, "x").find("nan"), std::string::npos);
  lines.series.clear();
  EXPECT_EQ(report_svg({with(lines)}, "x").find("inf"), std::string::npos);
}

TEST(ReportSvg, MoreCurvesThanCanBeToldApartAreCounted) {
  ReportLines lines{"Many", "size", "B", "gap", "s", {}};
  for (int i = 0; i < 40; ++i) lines.series.push_back({std::to_string(i), {{1, 1.0 + i}, {2, 2.0 + i}}});
  const std::string svg = report_svg({with(lines)}, "x");
  EXPECT_NE(svg.find("8 curves more are not drawn"), svg.npos) << svg;
  EXPECT_EQ(count(svg, "L452.0"), 32U);
}

}  // namespace
}  // namespace sluice
