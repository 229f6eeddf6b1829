#include "plan/exchange/exact/even_matchings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace sluice::detail {
namespace {

TEST(EvenMatchings, HoldEveryEdgeOnceWithinTheLimitAndSpreadFullOnes) {
  std::mt19937 random(5);  // fixed seed
  const auto draw = [&](std::int32_t from, std::int32_t to) {
    return std::uniform_int_distribution<std::int32_t>(from, to)(random);
  };
  int without_full = 0, classes = 0;
  for (int round = 0; round < 500; ++round) {
    Demand demand;
    demand.lefts = demand.rights = draw(1, 5);
    for (std::int32_t u = 0; u < demand.lefts; ++u)
      for (std::int32_t v = 0; v < demand.rights; ++v) demand.edges.push_back({u, v, 1});
    const std::int64_t count = draw(1, 4);
    // Matchings one after another, so that there is an answer, each with a full edge.
    const std::int64_t limit = draw(1, demand.lefts);
    std::vector<CarriedEdge> carried;
    for (std::int64_t c = 0; c < count; ++c) {
      std::vector<std::int32_t> rights(as_size(demand.rights));
      for (std::int32_t v = 0; v < demand.rights; ++v) rights[as_size(v)] = v;
      std::shuffle(rights.begin(), rights.end(), random);
      for (std::int32_t u = 0; u < draw(1, static_cast<std::int32_t>(limit)); ++u)
        carried.push_back({u * demand.rights + rights[as_size(u)], u == 0 || draw(0, 4) == 0});
    }
    std::shuffle(carried.begin(), carried.end(), random);
    const auto result = even_matchings(demand, carried, count, limit, true);
    ASSERT_EQ(result.size(), as_size(count));
    std::vector<std::pair<std::int32_t, bool>> sent, wanted;
    for (const CarriedEdge& each : carried) wanted.emplace_back(each.edge, each.full);
    for (const std::vector<CarriedEdge>& matching : result) {
      EXPECT_LE(matching.size(), as_size(limit));
      std::set<std::int32_t> lefts, rights;
      for (const CarriedEdge& each : matching) {
        EXPECT_TRUE(lefts.insert(demand.edges[as_size(each.edge)].left).second);
        EXPECT_TRUE(rights.insert(demand.edges[as_size(each.edge)].right).second);
        sent.emplace_back(each.edge, each.full);
      }
      ++classes;
      without_full +=
          std::none_of(matching.begin(), matching.end(), [](const auto& each) { return each.full; }) ? 1 : 0;
    }
    std::sort(sent.begin(), sent.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(sent, wanted);
  }
  EXPECT_LT(without_full * 50, classes) << "of " << classes;
}

}  // namespace
}  // namespace sluice::detail
