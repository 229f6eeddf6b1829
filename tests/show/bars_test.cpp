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
  // 460 pixels are the longest bar; three letters of a name stand left of it.
  for (const char* part : {"x=\"37.6\" y=\"64.0\" width=\"460.00\"", "x=\"37.6\" y=\"88.0\" width=\"230.00\"",
                           "stroke=\"#D55E00\" stroke-width=\"2\" d=\"M267.6 56.0V108.0\"", ">lower bound<", ">a&lt;b<",
                           ">1 &amp; 2<", ">cost<", "<title>plans</title>", "prefers-color-scheme: dark"})
    EXPECT_NE(svg.find(part), svg.npos) << part << '\n' << svg;
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
