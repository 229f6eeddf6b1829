#include "sluice/show/front_picture.hpp"

#include <gtest/gtest.h>

#include <string>

#include "show/count_in.hpp"

namespace sluice {
namespace {

using testing::count;

/// Example 5 of the paper: 15:2 to 6:3.
Front example_5() { return {{{10, 20, 20, 30, "stepwise"}, {11, 16, 16, 27, "a<b"}}, 1, "elements", 10, 16, true}; }

TEST(FrontSvg, HasADotPerScheduleALineAndTheBounds) {
  const std::string svg = front_svg(example_5(), "a <title>");
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "a &lt;title&gt;"), 2U);
  EXPECT_EQ(count(svg, "r=\"4\" fill=\"#0072B2\""), 2U) << "both proven";
  EXPECT_EQ(count(svg, "r=\"8\""), 1U) << "the cheapest";
  for (const char* part :
       {"<title>stepwise: 10 steps, TC 20, total 30</title>", "<title>a&lt;b: 11 steps, TC 16, total 27</title>",
        "no schedule has fewer than 10 steps", "no schedule has a TC below 16", ">steps (NS)<", ">10, 20<", ">11, 16<",
        "total 27 at 1 per"})
    EXPECT_EQ(count(svg, part), 1U) << part << '\n' << svg;
}

TEST(FrontSvg, ABarReachesDownToWhatIsProven) {
  Front front = example_5();
  front.points[0].transmission_at_least = 18;
  front.complete = false;
  const std::string svg = front_svg(front, "x");
  EXPECT_EQ(count(svg, "stroke=\"#E69F00\""), 1U) << svg;
  EXPECT_EQ(count(svg, "r=\"4\" class=\"page\""), 1U);
  EXPECT_NE(svg.find("TC 20 (at least 18)"), svg.npos);
  EXPECT_NE(svg.find("not proven to be all"), svg.npos);
}

TEST(FrontSvg, OneScheduleAndLargeNumbers) {
  const Front one{{{0, 0, 0, 0, "classes"}}, 0, "elements", 0, 0, true};
  const Front large{{{3, 4'000'000'000'000'000'000, 4'000'000'000'000'000'000, 4e18, "x"}}, 1, "bytes", 3, 1, true};
  for (const Front& front : {one, large}) {
    const std::string svg = front_svg(front, "x");
    for (const char* part : {"nan", "inf", "=\"-"}) EXPECT_EQ(svg.find(part), svg.npos) << part << svg;
    EXPECT_LT(svg.size(), 10000U);
  }
  EXPECT_EQ(front_proof_text(one), "optimal in NS and TC at once (proven)");
}

}  // namespace
}  // namespace sluice
