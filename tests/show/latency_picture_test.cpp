#include "sluice/show/latency_picture.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "show/count_in.hpp"

namespace sluice {
namespace {

using testing::count;

TEST(LatencySvg, DrawsCellsFramesAndScale) {
  const LatencyMatrix matrix(3, {{0, 2, 1e-5}, {0, 1, 1e-3}});
  const std::string svg = latency_svg(matrix, {{0, 2}, {1}});
  EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
  EXPECT_EQ(count(svg, "stroke=\"#d62728\""), 2U);
  EXPECT_NE(svg.find("3 nodes in 2 clusters"), svg.npos);
  // The nearest pair, second cell of the first row and first of the second, as node 1 comes last; once in the scale.
  const std::string nearest = "fill=\"#1a1c54\"";
  EXPECT_EQ(count(svg, nearest), 3U);
  EXPECT_NE(svg.find("<rect x=\"140.00\" y=\"81.30\" width=\"116.00\" height=\"116.00\" " + nearest), svg.npos) << svg;
  EXPECT_NE(svg.find("<rect x=\"24.00\" y=\"197.30\" width=\"116.00\" height=\"116.00\" " + nearest), svg.npos);
  EXPECT_NE(svg.find(">10.0 us<"), svg.npos);
  EXPECT_NE(svg.find(">1.00 ms<"), svg.npos);
}

TEST(LatencySvg, DrawsManyNodesInFewCells) {
  constexpr std::int32_t kNodes = 700;
  std::vector<LatencyPair> pairs;
  Clusters clusters(7);
  for (std::int32_t a = 0; a < kNodes; ++a) {
    clusters[static_cast<std::size_t>(a % 7)].push_back(a);
    for (std::int32_t b = a + 1; b < kNodes; ++b) pairs.push_back({a, b, a % 7 == b % 7 ? 1e-5 : 1e-3});
  }
  const std::string svg = latency_svg(LatencyMatrix(kNodes, pairs), clusters);
  EXPECT_LT(svg.size(), 200000U);
  EXPECT_EQ(count(svg, "stroke=\"#d62728\""), 7U);
}

TEST(LatencySvg, DrawsWhatHasNoLatencies) {
  EXPECT_NE(latency_svg(LatencyMatrix(), {}).find("0 nodes in 0 clusters"), std::string::npos);
  const std::string one = latency_svg(LatencyMatrix(1, {}), {{0}});
  EXPECT_NE(one.find("1 node in 1 cluster,"), std::string::npos);
  EXPECT_EQ(one.find("nan"), std::string::npos);
  const std::string equal = latency_svg(LatencyMatrix(2, {{0, 1, 1}}), {{0, 1}});
  EXPECT_EQ(equal.find("nan"), std::string::npos);
}

}  // namespace
}  // namespace sluice
