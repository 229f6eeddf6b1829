#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>

#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"

/// Plans over platforms whose files say their levels.
namespace sluice {
namespace {

/// Writes the platform as a file of version 2, and reads it again.
Platform through_a_file(const Platform& flat) {
  std::istringstream in(to_json(with_levels(flat)));
  return read_platform(in, "levels");
}

Platform read_levels(const std::string& text) {
  std::istringstream in(text);
  return read_platform(in, "p.json");
}

class PlatformLevelsPlan : public ::testing::TestWithParam<const char*> {};

TEST_P(PlatformLevelsPlan, IsThatWithoutLevels) {
  const Platform flat = read_platform(SLUICE_STUDIES + std::string(GetParam()));
  const Platform levelled = through_a_file(flat);
  ASSERT_FALSE(levelled.parts.empty());
  for (const std::int64_t bytes : {std::int64_t{1} << 10, std::int64_t{1} << 20}) {
    const BroadcastPlan first = plan_broadcast(flat, 3, bytes, {}), second = plan_broadcast(levelled, 3, bytes, {});
    EXPECT_EQ(first.program, second.program);
    EXPECT_EQ(first.schedule, second.schedule);
  }
  for (const Collective problem : {Collective::kAllreduce, Collective::kScatter}) {
    const ProgramProblem task{.problem = problem, .size_bytes = 1 << 14};
    EXPECT_EQ(plan_program(flat, task).program, plan_program(levelled, task).program);
  }
}

INSTANTIATE_TEST_SUITE_P(Studies, PlatformLevelsPlan,
                         ::testing::Values("/grid5000/grid5000-88.json", "/four-levels/four-levels-72.json"));

/// Two racks of 4 hosts with 1 GB/s, whose uplink carries as much as `uplink` says.
Platform racks(const std::string& uplink) {
  return read_levels(R"({"schema": "sluice.platform/2", "link": {"latency_s": 1e-6, "gap": [[1, 1e-9]]}, "parts": [
    {"name": "rack", "count": 2, )" +
                     uplink + R"("link": {"latency_s": 1e-6, "gap": [[1, 1e-9]]}, "parts": [
      {"name": "host", "count": 4, "ranks": 1, "shares_uplink": false}]}]})");
}

TEST(PlatformUplink, IsAsWideAsItIsGiven) {
  // An alltoall of 1 MB blocks: 16 MB leave each rack, and 7 MB each rank.
  const ProgramProblem task{.problem = Collective::kAlltoall, .size_bytes = 1000000};
  const auto bound = [&](const std::string& uplink) {
    const ProgramPlan plan = plan_program(racks(uplink), task);
    EXPECT_GE(plan.program.length_s, plan.program.bound_s);
    EXPECT_LE(plan.program.length_s, 1.1 * plan.program.bound_s);
    return plan.program.bound_s;
  };
  EXPECT_NEAR(bound(""), 16e-3, 1e-5);  // one link's width
  EXPECT_NEAR(bound(R"("uplink": [[1, 4e-9]], )"), 64e-3, 1e-5);
  EXPECT_NEAR(bound(R"("uplink": [[1, 0.25e-9]], )"), 7e-3, 1e-5);  // ports
  EXPECT_NEAR(bound(R"("shares_uplink": false, )"), 7e-3, 1e-5);
}

TEST(PlatformUplink, HoldsForBroadcastsToo) {
  const auto planned = [](const std::string& uplink) {
    const BroadcastPlan plan = plan_broadcast(racks(uplink), 0, 1000000, {});
    return plan.program.length_s;
  };
  const double alone = planned("");
  EXPECT_GE(planned(R"("uplink": [[1, 4e-9]], )"), 4e-3);
  EXPECT_LT(alone, 4e-3);
}

}  // namespace
}  // namespace sluice
