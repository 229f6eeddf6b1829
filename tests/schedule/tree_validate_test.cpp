#include "sluice/schedule/tree_validate.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace sluice {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Figure 1 of Canon and Antoniu, transfer 2 and compute 2: machine 3 sends at 0, machine 2 at 2, machine 1 at 4. The
/// tree is a star with one chord, so that a machine receives, combines and sends: 3 -> 1 -> 0 and 2 -> 0.
TreeSchedule good() {
  TreeSchedule schedule;
  schedule.algorithm = "hand";
  schedule.machines = 4;
  schedule.transfer = 2;
  schedule.compute = 2;
  schedule.max_transfers = 1;
  schedule.max_reducers = 2;
  schedule.commutative = false;
  schedule.transfers = {{3, 2, 0, 2}, {1, 0, 2, 4}, {2, 0, 4, 6}};
  schedule.length = 8;
  schedule.bound = {4, 8};
  return schedule;
}

/// Two parts of an element go down a chain of three: 2 -> 1 -> 0.
TreeSchedule good_in_segments() {
  TreeSchedule schedule;
  schedule.algorithm = "hand";
  schedule.machines = 3;
  schedule.transfer = 1;
  schedule.compute = 0.5;
  schedule.segments = 2;
  schedule.transfers = {{2, 1, 0, 1, 0}, {2, 1, 1, 2, 1}, {1, 0, 1.5, 2.5, 0}, {1, 0, 2.5, 3.5, 1}};
  schedule.length = 4;
  schedule.bound = {1, 6};
  return schedule;
}

TreeSchedule good_broadcast() {
  TreeSchedule schedule;
  schedule.problem = "broadcast";
  schedule.algorithm = "hand";
  schedule.machines = 4;
  schedule.root = 1;
  schedule.transfers = {{1, 0, 0, 5}, {1, 3, 3, 8}, {0, 2, 5, 9}};
  schedule.length = 20;
  schedule.bound = {1, 30};
  return schedule;
}

std::vector<std::string> reasons(const TreeSchedule& schedule) {
  std::vector<std::string> result;
  for (const Violation& violation : validate(schedule)) result.push_back(violation.reason);
  return result;
}

using Reasons = std::vector<std::string>;
using Change = std::function<void(TreeSchedule&)>;

void expect(TreeSchedule schedule, const Change& change, const Reasons& expected) {
  change(schedule);
  EXPECT_EQ(reasons(schedule), expected);
}

TEST(ValidateTree, AcceptsGoodSchedules) {
  EXPECT_EQ(reasons(good()), Reasons{});
  EXPECT_EQ(reasons(good_in_segments()), Reasons{});
  EXPECT_EQ(reasons(good_broadcast()), Reasons{});
}

TEST(ValidateTree, AcceptsOneMachineThatDoesNothing) {
  TreeSchedule schedule;
  schedule.machines = 1;
  schedule.transfer = 1;
  EXPECT_EQ(reasons(schedule), Reasons{});
  schedule.arrivals = {3};
  schedule.length = 3;
  EXPECT_EQ(reasons(schedule), Reasons{});
  schedule.length = 2;
  EXPECT_EQ(reasons(schedule), Reasons{"the length is 2, root 0 has the result at 3"});
}

TEST(ValidateTree, NamesTheMachineAtFault) {
  TreeSchedule schedule = good();
  schedule.transfers.pop_back();
  EXPECT_EQ(validate(schedule), (std::vector<Violation>{{-1, 2, "machine 2 never sends its data"}}));
}

// ---- fields

TEST(ValidateTree, RefusesFieldsOutOfRange) {
  expect(good(), [](auto& s) { s.problem = "scan"; }, {"the problem is 'scan', must be 'reduce' or 'broadcast'"});
  expect(good(), [](auto& s) { s.machines = 0; },
         {"the number of machines is 0, must be at least 1", "root 0 is not one of the 0 machines, counted from 0"});
  expect(good(), [](auto& s) { s.segments = 0; }, {"the number of segments is 0, must be at least 1"});
  expect(good(), [](auto& s) { s.max_transfers = 0; }, {"max_transfers is 0, must be at least 1"});
  expect(good(), [](auto& s) { s.max_reducers = -1; }, {"max_reducers is -1, must be at least 1"});
  expect(good(), [](auto& s) { s.root = 4; }, {"root 4 is not one of the 4 machines, counted from 0"});
  expect(good(), [](auto& s) { s.transfer = -1; }, {"the cost of a transfer is -1, must be finite and at least 0"});
  expect(good(), [](auto& s) { s.compute = kInfinity; },
         {"the cost of combining is inf, must be finite and at least 0"});
  expect(good(), [](auto& s) { s.length = kInfinity; }, {"the length is inf, must be finite and at least 0"});
  expect(good(), [](auto& s) { s.bound.lower = -2; }, {"the lower bound is -2, must be finite and at least 0"});
  expect(good(), [](auto& s) { s.bound.upper = -kInfinity; },
         {"the upper bound is -inf, must be finite and at least 0"});
  expect(good(), [](auto& s) { s.arrivals = {0, 0, 0}; }, {"3 dates of arrival for 4 machines"});
  expect(good(),
         [](auto& s) {
           s.arrivals = {0, -1, 0, 0};
         },
         {"machine 1 arrives at -1, must be finite and at least 0"});
}

TEST(ValidateTree, AllocatesNothingForMachinesThatAreNotThere) {
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  expect(good(), [](auto& s) { s.machines = kHuge; },
         {"3 transfers, 9223372036854775807 machines and 1 segment need 9223372036854775806"});
  expect(good(), [](auto& s) { s.segments = kHuge; },
         {"3 transfers, 4 machines and 9223372036854775807 segments need 9223372036854775807"});
  expect(good(),
         [](auto& s) {
           s.machines = 1;
           s.segments = kHuge;
           s.transfers.clear();
         },
         {"0 transfers, 1 machine and 9223372036854775807 segments need 0"});
}

// ---- transfers one by one

TEST(ValidateTree, RefusesTransfersOutOfRange) {
  expect(good(), [](auto& s) { s.transfers[1].from = 4; },
         {"transfer 1: sender 4 is not one of the 4 machines, counted from 0",
          "transfer 2: machines 2 to 3 do not adjoin 0 to 0 that machine 0 holds, and the operation does not commute",
          "machine 1 never sends its data"});
  expect(good_in_segments(), [](auto& s) { s.transfers[0].to = -1; },
         {"transfer 0: receiver -1 is not one of the 3 machines, counted from 0", "machine 2 never sends segment 0"});
  expect(good_in_segments(), [](auto& s) { s.transfers[3].segment = 2; },
         {"transfer 3: segment 2 is not one of the 2, counted from 0", "machine 1 never sends segment 1"});
  expect(good_in_segments(), [](auto& s) { s.transfers[3].to = 1; },
         {"transfer 3: machine 1 sends to itself", "machine 1 never sends segment 1"});
}

TEST(ValidateTree, RefusesTransfersOfTheWrongLength) {
  expect(good_in_segments(), [](auto& s) { s.transfers[3].end = 3.4; },
         {"transfer 3: takes 0.8999999999999999, a transfer costs 1", "machine 1 never sends segment 1"});
  expect(
      good_in_segments(), [](auto& s) { s.transfers[3].end = 2; },
      {"transfer 3: from 2.5 to 2, must be finite, at least 0 and in this order", "machine 1 never sends segment 1"});
  expect(good_in_segments(), [](auto& s) { s.transfers[0].start = -1; },
         {"transfer 0: from -1 to 1, must be finite, at least 0 and in this order", "machine 2 never sends segment 0"});
  expect(
      good_in_segments(), [](auto& s) { s.transfers[3].end = kInfinity; },
      {"transfer 3: from 2.5 to inf, must be finite, at least 0 and in this order", "machine 1 never sends segment 1"});
}

TEST(ValidateTree, RefusesTransfersOutOfOrder) {
  expect(good(), [](auto& s) { std::swap(s.transfers[0], s.transfers[1]); },
         {"transfer 1 starts before transfer 0, must be in order of their start"});
}

// ---- what machines do

TEST(ValidateTree, WantsEveryMachineOnce) {
  expect(good(),
         [](auto& s) {
           s.commutative = true;
           s.transfers[2].from = 1;
         },
         {"transfer 2: machine 1 has sent its data already", "machine 2 never sends its data"});
  expect(good(),
         [](auto& s) {
           s.commutative = true;
           s.transfers.pop_back();
         },
         {"machine 2 never sends its data"});
}

TEST(ValidateTree, RefusesARootThatSends) {
  expect(good(), [](auto& s) { s.root = 2; }, {"transfer 2: root 2 sends", "machine 0 never sends its data"});
}

TEST(ValidateTree, RefusesCycles) {
  expect(good(),
         [](auto& s) {
           s.commutative = true;
           s.max_reducers.reset();
           s.transfers = {{1, 0, 0, 2}, {2, 3, 2, 4}, {3, 2, 6, 8}};
         },
         {"transfer 2: machine 2 receives after it has sent its data"});
}

TEST(ValidateTree, RefusesATransferBeforeItsDataIsReady) {
  expect(good(),
         [](auto& s) {
           s.compute = 2.5;
           s.length = 8.5;
         },
         {"transfer 2: starts at 4, machine 2 is ready at 4.5"});
}

/// Machine 0 has combined the first part at 2.5 and the second one at 4.
TEST(ValidateTree, CombinesPartsOneAfterTheOther) {
  TreeSchedule schedule = good_in_segments();
  schedule.compute = 1.5;
  schedule.transfers = {{2, 1, 0, 1, 0}, {2, 1, 1, 2, 1}, {1, 0, 2.5, 3.5, 0}, {1, 0, 4, 5, 1}};
  schedule.length = 6.5;
  EXPECT_EQ(reasons(schedule), Reasons{});
  schedule.transfers[3] = {1, 0, 3.5, 4.5, 1};
  EXPECT_EQ(reasons(schedule), Reasons{"transfer 3: starts at 3.5, machine 1 is ready at 4"});
}

TEST(ValidateTree, LetsAMachineReceiveFromOneAtATime) {
  expect(good(),
         [](auto& s) {
           s.max_transfers = 2;
           s.transfers[1] = {1, 0, 3, 5};
         },
         {"transfer 2: starts at 4, machine 0 receives until 5"});
}

TEST(ValidateTree, LetsAMachineSendToOneAtATime) {
  expect(good_in_segments(),
         [](auto& s) {
           s.transfers[1] = {2, 0, 0.5, 1.5, 1};
         },
         {"transfer 1: starts at 0.5, machine 2 sends until 1"});
}

TEST(ValidateTree, KeepsDatesOfArrival) {
  expect(good(), [](auto& s) { s.arrivals = {2, 2, 0, 0}; }, {});
  expect(good(), [](auto& s) { s.arrivals = {0, 2.5, 0, 0}; }, {"transfer 1: starts at 2, machine 1 is ready at 2.5"});
  expect(good(), [](auto& s) { s.arrivals = {2.5, 0, 0, 0}; }, {"transfer 1: starts at 2, machine 0 arrives at 2.5"});
}

TEST(ValidateTree, WantsRunsOfMachinesIfTheOperationDoesNotCommute) {
  expect(good(),
         [](auto& s) {
           for (TimedTransfer& t : s.transfers) t.from = t.from == 1 ? 2 : t.from == 2 ? 1 : t.from;
           s.transfers[0].to = 1;
         },
         {"transfer 0: machines 3 to 3 do not adjoin 1 to 1 that machine 1 holds, and the operation does not commute",
          "transfer 1: machines 2 to 2 do not adjoin 0 to 0 that machine 0 holds, and the operation does not commute"});
  TreeSchedule left = good();
  left.root = 1;
  left.transfers = {{3, 2, 0, 2}, {0, 1, 2, 4}, {2, 1, 4, 6}};
  EXPECT_EQ(reasons(left), Reasons{});
}

// ---- limits

TEST(ValidateTree, CountsTransfersAtEveryInstant) {
  TreeSchedule schedule = good();
  schedule.transfers[1] = {1, 0, 1.5, 3.5};
  EXPECT_EQ(reasons(schedule), Reasons{"transfer 1: more than 1 transfer at once, at 1.5"});
  schedule.max_transfers = 2;
  EXPECT_EQ(reasons(schedule), Reasons{});
}

TEST(ValidateTree, CountsReducers) {
  expect(good(), [](auto& s) { s.max_reducers = 1; }, {"2 machines combine, at most 1 may"});
}

TEST(ValidateTree, WantsTheRightLength) {
  expect(good(), [](auto& s) { s.length = 7; }, {"the length is 7, root 0 has the result at 8"});
  expect(good(), [](auto& s) { s.length = 9; }, {"the length is 9, root 0 has the result at 8"});
  expect(good(), [](auto& s) { s.length = 8 + 1e-11; }, {"the length is 8.00000000001, root 0 has the result at 8"});
  expect(good(), [](auto& s) { s.length = 8 + 1e-14; }, {});
}

TEST(ValidateTree, WantsBoundsAroundTheLength) {
  expect(good(), [](auto& s) { s.bound = {8.5, 9}; }, {"the lower bound is 8.5, the length 8"});
  expect(good(), [](auto& s) { s.bound = {4, 3}; }, {"the lower bound is 4, the upper one 3"});
}

/// Combining 10^6 times costs 10^6 * 0.1, which is not 0.1 added up 10^6 times.
TEST(ValidateTree, IsExactOverManyCombinations) {
  constexpr std::int64_t kMachines = 1'000'001;
  TreeSchedule schedule;
  schedule.machines = kMachines;
  schedule.compute = 0.1;
  for (std::int64_t v = 1; v < kMachines; ++v) schedule.transfers.push_back({v, 0, 0, 0});
  schedule.length = 1e6 * 0.1;
  schedule.bound = {0, schedule.length};
  EXPECT_EQ(reasons(schedule), Reasons{});
}

// ---- broadcasts

TEST(ValidateTree, JudgesBroadcasts) {
  expect(good_broadcast(), [](auto& s) { s.transfers[2].start = 4; },
         {"transfer 2: starts at 4, machine 0 is ready at 5"});
  expect(good_broadcast(),
         [](auto& s) {
           s.transfers[2].from = 2;
           s.transfers[2].to = 0;
         },
         {"transfer 2: machine 2 has not received its data", "transfer 2: machine 0 has its data already",
          "machine 2 never receives its data"});
  expect(good_broadcast(), [](auto& s) { s.transfers[1].to = 1; },
         {"transfer 1: machine 1 sends to itself", "machine 3 never receives its data"});
  expect(good_broadcast(), [](auto& s) { s.length = 8.5; }, {"the length is 8.5, the last transfer ends at 9"});
}

}  // namespace
}  // namespace sluice
