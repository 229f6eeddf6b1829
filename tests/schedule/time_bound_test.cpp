#include "sluice/schedule/time_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(TransferTime, IsRoundedUpExactly) {
  EXPECT_EQ(transfer_time(0, 1), 0);
  EXPECT_EQ(transfer_time(10, kSpeedOfOne), 10);
  EXPECT_EQ(transfer_time(10, 500'000), 20);
  EXPECT_EQ(transfer_time(10, 300'000), 34);
  EXPECT_EQ(transfer_time(10, 2'500'000), 4);
  EXPECT_EQ(transfer_time(11, 2'500'000), 5);
  EXPECT_EQ(transfer_time(kMost, kSpeedOfOne), kMost);
  EXPECT_FALSE(transfer_time(kMost, kSpeedOfOne - 1));
  EXPECT_EQ(transfer_time(kMost, 2 * kSpeedOfOne), kMost / 2 + 1);
}

TEST(TransferTime, SizeWithinIsItsInverse) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const auto time = static_cast<std::int64_t>(random() % 100'000);
    const auto speed = static_cast<std::int64_t>(1 + random() % (round % 2 == 0 ? 2'000'000 : 200));
    const std::int64_t size = size_within(time, speed);
    EXPECT_LE(*transfer_time(size, speed), time);
    EXPECT_GT(*transfer_time(size + 1, speed), time);
  }
  EXPECT_EQ(size_within(kMost, kMostSpeed), kMost);
}

TEST(TimeBound, ExampleOfTheHeader) { EXPECT_EQ(backbone_bound({{0, 2}, {10, 1}}, 1, 30, 4, 1), 16); }

TEST(TimeBound, OneKIsVolumeOverKAndTheSetups) {
  EXPECT_EQ(backbone_bound({{0, 3}}, 2, 10, 5, 4), std::ceil(8 + 10 / 3.0));
  EXPECT_NEAR(backbone_bound({{0, 3}}, 0.5, 10, 5, 4), 2 + 10 / 3.0, 1e-9);
  EXPECT_EQ(backbone_bound({{0, 3}}, 0, 0, 0, 0), 0);
}

TEST(TimeBound, ANarrowBeginningCostsWhatItHoldsUp) {
  // 1 at a time until 100, then 4: 100 in the first 100, 80 in 20 more; a set-up is best taken at the beginning.
  EXPECT_EQ(backbone_bound({{0, 1}, {100, 4}}, 0, 180, 10, 5), 120);
  EXPECT_EQ(backbone_bound({{0, 1}, {100, 4}}, 2, 180, 10, 5), 123);  // 90 of the first 100, and 92 of 23 more
  const Traffic traffic{2, 2, {{0, 0, 50}, {0, 1, 40}, {1, 0, 40}, {1, 1, 50}}};
  const Cost bound = lower_bound(traffic, 2, 1, {{}, {}, {{0, 1}, {100, 2}}});
  EXPECT_EQ(bound, (Cost{2, 90, 141}));  // (180 - 98) / 2 after 100
}

TEST(TimeBound, TrafficInTimeTakesTheSlowerEnd) {
  const Traffic traffic{2, 2, {{0, 0, 3}, {0, 0, 4}, {1, 0, 5}, {1, 1, 6}}};
  const Traffic times = traffic_in_time(traffic, {{500'000, 2'000'000}, {4'000'000, 3'000'000}, {}});
  EXPECT_EQ(times.messages, (std::vector<Message>{{0, 0, 14}, {1, 0, 3}, {1, 1, 3}}));
  EXPECT_THROW((void)traffic_in_time(traffic, {{1}, {}, {}}), InputError);
}

/// Two messages of 6 from one sender at speed 1/2, one step at most as wide as the backbone.
StepSchedule schedule_at_speeds() {
  StepSchedule s;
  s.problem = "exchange";
  s.algorithm = "test";
  s.senders = s.receivers = s.max_transfers = 2;
  s.setup = 1;
  s.speeds = {{500'000, 1'000'000}, {}, {{0, 2}, {10, 1}}};
  s.steps = {{12, {{0, 0, 0, 6}, {1, 1, 0, 6}}, 0}, {8, {{0, 1, 0, 4}}, 0}};
  return s;
}

std::string first_fault(const StepSchedule& schedule) {
  const std::vector<Violation> violations = validate(schedule);
  return violations.empty() ? "" : to_string(violations.front());
}

TEST(ValidateAtSpeeds, HandMadeFaults) {
  const StepSchedule good = schedule_at_speeds();
  EXPECT_EQ(first_fault(good), "");
  const auto fault = [&](const auto& change) {
    StepSchedule bad = good;
    change(bad);
    return first_fault(bad);
  };
  EXPECT_EQ(fault([](StepSchedule& s) { s.steps[0].duration = 6; }),
            "step 0: duration 6, its longest transfer takes 12");
  EXPECT_EQ(fault([](StepSchedule& s) { s.speeds.senders[0] = 0; }),
            "a speed of 0 millionths of sender 0, must be 1 to 1000000000000");
  EXPECT_EQ(fault([](StepSchedule& s) { s.speeds.senders.pop_back(); }), "speeds of 1 sender, must be those of all 2");
  EXPECT_EQ(fault([](StepSchedule& s) { s.speeds.backbone[1].time = 0; }),
            "time 0 of the backbone after 0, must be times that rise");
  EXPECT_EQ(fault([](StepSchedule& s) { s.max_transfers = 3; }), "max_transfers is 3, the most of the backbone is 2");
  EXPECT_EQ(fault([](StepSchedule& s) { s.switches = 2; }), "speeds cannot be used with 2 switches");
  EXPECT_EQ(fault([](StepSchedule& s) { s.problem = "redistribute"; }),
            "speeds of a redistribute, they belong to an exchange");
  EXPECT_EQ(fault([](StepSchedule& s) { std::swap(s.steps[0], s.steps[1]); }), "");  // begins at 9
  EXPECT_EQ(fault([](StepSchedule& s) {
              std::swap(s.steps[0], s.steps[1]);
              s.setup = 2;
            }),
            "step 1: 2 transfers, the backbone carries 1 when the step begins, at 10");
  EXPECT_EQ(fault([](StepSchedule& s) {
              s.steps[0].transfers[0].size = kMost;
              s.steps[0].duration = kMost;
            }),
            "step 0: duration 9223372036854775807, its longest transfer takes more than 2^63 - 1");
}

TEST(ValidateAtSpeeds, DecimalsOfTheTrafficDoNotChangeTimes) {
  // 3 at speed 2 take 2, whether or not the traffic counts tenths.
  StepSchedule s;
  s.problem = "exchange";
  s.algorithm = "test";
  s.senders = s.receivers = s.max_transfers = 1;
  s.speeds = {{2'000'000}, {2'000'000}, {}};
  s.steps = {{2, {{0, 0, 0, 3}}, 0}};
  EXPECT_TRUE(validate(s, Traffic{1, 1, {{0, 0, 3}}, 0}).empty());
  EXPECT_TRUE(validate(s, Traffic{1, 1, {{0, 0, 30}}, 1}).empty());
  EXPECT_FALSE(validate(s, Traffic{1, 1, {{0, 0, 31}}, 1}).empty());
}

TEST(JsonAtSpeeds, ComesBackAndIsReadStrictly) {
  StepSchedule good = schedule_at_speeds();
  good.decimals = 1;
  good.steps[0].transfers[0].size = 5;  // so that the decimal is needed
  good.speeds.backbone[1].time = 12.5;
  const std::string text = to_json(good);
  EXPECT_NE(text.find("\"senders\": [0.5, 1]"), std::string::npos) << text;
  EXPECT_NE(text.find("{\"time\": 1.25, \"max_transfers\": 1}"), std::string::npos) << text;
  std::istringstream in(text);
  EXPECT_EQ(read_schedule(in, "plan.json").schedule, good);
  const auto refused = [&](const std::string& from, const std::string& to) {
    std::string bad = text;
    bad.replace(bad.find(from), from.size(), to);
    std::istringstream stream(bad);
    EXPECT_THROW((void)read_schedule(stream, "plan.json"), InputError) << to;
  };
  refused("[0.5, 1]", "[0.5, 0]");
  refused("[0.5, 1]", "[0.5, -1]");
  refused("[0.5, 1]", "[0.5, 0.0000001]");
  refused("[0.5, 1]", "[0.5, 1e7]");
  refused("[0.5, 1]", "[0.5, \"1\"]");
  refused("\"time\": 1.25, ", "");
  refused("\"time\": 1.25", "\"time\": 1.25, \"until\": 3");
}

}  // namespace
}  // namespace sluice
