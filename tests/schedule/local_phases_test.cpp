#include "sluice/schedule/local_phases.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "local_phases_sample.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using testing::kPhasesTraffic;
using testing::phases_sample;

std::vector<std::string> reasons(const std::vector<Violation>& violations) {
  std::vector<std::string> result;
  for (const Violation& violation : violations) result.push_back(to_string(violation));
  return result;
}

TEST(LocalPhases, RoutesSayWhatEachPhaseSends) {
  const RoutedTraffic traffic = routed_traffic(phases_sample().local_phases->routes, 2, 2, 1);
  EXPECT_EQ(traffic.before.messages, (std::vector<Message>{{1, 0, 2}}));
  EXPECT_EQ(traffic.exchange.messages, (std::vector<Message>{{0, 0, 6}, {0, 1, 2}, {1, 1, 4}}));
  EXPECT_EQ(traffic.after.messages, (std::vector<Message>{{1, 0, 2}}));
  EXPECT_EQ(traffic.before.decimals, 1);
}

TEST(LocalPhases, CostMoreByTheirOwnMeasure) {
  EXPECT_EQ(total_cost(phases_sample()), 10 + 0.5 * (4 + 4));
  StepSchedule plain = phases_sample();
  plain.local_phases.reset();
  EXPECT_EQ(total_cost(plain), 10);
}

TEST(LocalPhases, AreSoundInTheSample) {
  EXPECT_EQ(reasons(validate_with_local_phases(phases_sample())), std::vector<std::string>{});
  EXPECT_EQ(reasons(validate_with_local_phases(phases_sample(), kPhasesTraffic)), std::vector<std::string>{});
  Traffic finer = kPhasesTraffic;
  finer.decimals = 1;
  for (Message& message : finer.messages) message.size *= 10;
  EXPECT_EQ(reasons(validate_with_local_phases(phases_sample(), finer)), std::vector<std::string>{});
  finer.messages[0].size += 1;
  EXPECT_FALSE(validate_with_local_phases(phases_sample(), finer).empty());
}

TEST(LocalPhases, EveryFaultIsFound) {
  struct Fault {
    std::function<void(StepSchedule&, LocalPhases&)> make;
    std::string reason;
  };
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const Fault faults[] = {
      {[](StepSchedule&, LocalPhases& p) { p.unit_cost = 0; }, "a unit costs 0 on a local link"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[1].carrier = 2; },
       "route 1: carrier 2 is not one of the 2 senders"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[1].landing = -1; },
       "route 1: landing -1 is not one of the 2 receivers"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[2].from = 5; }, "route 2: sender 5 is not one of the 2 senders"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[2].to = 2; }, "route 2: receiver 2 is not one of the 2 receivers"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[0].size = 0; }, "route 0: 0 units, must be at least 1"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[0].offset = -1; }, "route 0: offset -1"},
      {[=](StepSchedule&, LocalPhases& p) { p.routes[1].offset = huge; }, "is beyond 2^63 - 1"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[1].offset = 3; },
       "route 1: another route has 1 unit of the message from sender 0"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[1].offset = 5; }, "has no route for 1 unit, from offset 4 on"},
      {[](StepSchedule&, LocalPhases& p) { p.routes.erase(p.routes.begin() + 1); },
       "has no route for 2 units, from offset 4 on"},
      {[](StepSchedule&, LocalPhases& p) { p.routes.pop_back(); }, "from sender 1 to receiver 1 has no route"},
      {[](StepSchedule&, LocalPhases& p) {
         p.routes.push_back({0, 1, 0, 1, 0, 1});
       },
       "route 4: the traffic has no message from sender 0 to receiver 1"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[3].size = 5; }, "ends at 5, the message from sender 1"},
      {[](StepSchedule&, LocalPhases& p) { p.routes[2].carrier = 1; }, "phase before: "},
      {[](StepSchedule&, LocalPhases& p) { p.routes[1].landing = 0; }, "phase after: "},
      {[](StepSchedule& s, LocalPhases&) { s.steps[1].transfers[0].size = s.steps[1].duration = 1; }, "are in no step"},
      {[](StepSchedule&, LocalPhases& p) { p.before.steps[0].duration = 3; }, "phase before: step 0: duration 3"},
      {[](StepSchedule&, LocalPhases& p) { p.after.steps[0].transfers[0].to = 1; }, "phase after: "},
      {[](StepSchedule&, LocalPhases& p) { p.before.steps.clear(); }, "phase before: the message of 2 units"},
      {[](StepSchedule&, LocalPhases& p) { p.before.cost.steps = 2; }, "phase before: the stated cost is 2 steps"},
      {[](StepSchedule&, LocalPhases& p) { p.after.cost.transmission = 3; },
       "phase after: the stated transmission is 3"},
      {[](StepSchedule&, LocalPhases& p) { p.after.cost.total = 3; }, "phase after: the stated total is 3"},
      {[](StepSchedule&, LocalPhases& p) { p.after.bound.total = 5; }, "phase after: the bound on the total is 5"},
      {[](StepSchedule&, LocalPhases& p) { p.total = 13; }, "the stated total of all phases is 13, their costs add up"},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.reason);
    StepSchedule schedule = phases_sample();
    fault.make(schedule, *schedule.local_phases);
    const std::vector<std::string> found = reasons(validate_with_local_phases(schedule, kPhasesTraffic));
    bool named = false;
    for (const std::string& reason : found) named = named || reason.find(fault.reason) != std::string::npos;
    EXPECT_TRUE(named) << (found.empty() ? "nothing found" : found.front());
  }
}

TEST(LocalPhases, TheExchangeAloneIsNotTheTraffic) {
  EXPECT_FALSE(validate(phases_sample(), kPhasesTraffic).empty());
  Traffic wider = kPhasesTraffic;
  wider.senders = 3;
  EXPECT_EQ(reasons(validate_with_local_phases(phases_sample(), wider)).front(), "2 senders, the traffic has 3");
}

}  // namespace
}  // namespace sluice
