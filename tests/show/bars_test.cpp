#include "sluice/show/bars.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sluice {
namespace {

TEST(BarsSvg, ABarEachAndALineAtTheBound) {
  const std::string svg = bars_svg({{"ggp", 100, "ratio 2"}, {"a<b", 50, "1 & 2"}}, 50, "lower bound", "plans", "cost");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  // 376 pixels are left for the longest bar beside three letters of a name and seven of a label.
  for (const char* part : {"x=\"37.6\" y=\"60.9\" width=\"376.00\"", "x=\"37.6\" y=\"84.9\" width=\"188.00\"",
                           "stroke=\"#D55E00\" stroke-width=\"2\" d=\"M225.6 52.9V104.9\"", ">lower bound<", ">a&lt;b<",
                           ">1 &amp; 2<", ">cost<", "<title>plans</title>", "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(part), svg.npos) << part << '\n' << svg;
}

TEST(BarsSvg, LinesOfTheGridPassBehindLabels) {
  const std::string svg = bars_svg({{"ggp", 100, "ratio 2"}}, 50, "lower bound", "plans", "cost");
  EXPECT_NE(svg.find(" class=\"above\">ratio 2</text>"), svg.npos) << svg;
  EXPECT_NE(svg.find(".above { stroke: white; stroke-width: 4;"), svg.npos);
}

TEST(BarsSvg, LongNamesStandAboveTheirBars) {
  const std::string name(45, 'n');
  const std::string svg = bars_svg({{name, 2, "2"}, {"b", 1, "1"}}, 0, "", "plans", "cost");
  EXPECT_NE(svg.find("<text x=\"8.0\" y=\"48.9\" text-anchor=\"start\" font-size=\"12\">" + name), svg.npos) << svg;
  EXPECT_NE(svg.find("x=\"8.0\" y=\"52.9\""), svg.npos) << svg;
}

TEST(BarsSvg, DrawsNothingToo) {
  for (const auto& bars : {std::vector<Bar>{}, std::vector<Bar>{{"x", 0, "-"}}}) {
    const std::string svg = bars_svg(bars, 0, "lower bound", "", "");
    EXPECT_EQ(svg.find("nan"), svg.npos);
    EXPECT_EQ(svg.find("inf"), svg.npos);
    EXPECT_EQ(svg.find("lower bound"), svg.npos);
  }
}

}  // namespace
}  // namespace sluice
