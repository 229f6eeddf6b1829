#include "sluice/plan/registry.hpp"

#include <gtest/gtest.h>

namespace sluice {
namespace {

TEST(Registry, KnowsWhichProblemAnAlgorithmIsOf) {
  for (const char* const problem : {"redistribute", "exchange", "reduce", "broadcast", "allgather"}) {
    ASSERT_FALSE(algorithms(problem).empty()) << problem;
    for (const Algorithm& each : algorithms(problem)) EXPECT_TRUE(has_algorithm(problem, each.name)) << each.name;
    for (const char* const name : {"auto", "", "no-such", "oggp "}) EXPECT_FALSE(has_algorithm(problem, name)) << name;
  }
  EXPECT_FALSE(has_algorithm("redistribute", "oggp"));
  EXPECT_FALSE(has_algorithm("exchange", "classes"));
  EXPECT_FALSE(has_algorithm("gossip", "oggp"));
  EXPECT_TRUE(algorithms("gossip").empty());
}

}  // namespace
}  // namespace sluice
