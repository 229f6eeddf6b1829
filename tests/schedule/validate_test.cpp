#include "sluice/schedule/validate.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/schedule/cost.hpp"

namespace sluice {
namespace {

constexpr std::int64_t kHugeTime = std::numeric_limits<std::int64_t>::max();

const Traffic kTraffic{2, 3, {{0, 0, 3}, {0, 1, 1}, {1, 1, 2}, {1, 2, 2}}};

/// A schedule of kTraffic that cuts two of its messages and reaches the least transmission.
StepSchedule good() {
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.algorithm = "hand";
  schedule.senders = 2;
  schedule.receivers = 3;
  schedule.max_transfers = 2;
  schedule.setup = 1;
  schedule.steps = {
      {1, {{0, 1, 0, 1}, {1, 2, 0, 1}}}, {2, {{0, 0, 1, 2}, {1, 1, 0, 2}}}, {1, {{0, 0, 0, 1}, {1, 2, 1, 1}}}};
  schedule.bound = lower_bound(kTraffic, 2, 1);
  return schedule;
}

using Violations = std::vector<Violation>;

/// The same verdict with and without the traffic.
void expect_either_way(const StepSchedule& schedule, const Violations& expected) {
  EXPECT_EQ(validate(schedule), expected);
  EXPECT_EQ(validate(schedule, kTraffic), expected);
}

TEST(Validate, AcceptsAGoodSchedule) { expect_either_way(good(), {}); }

TEST(Validate, AcceptsAnEmptyStep) {
  StepSchedule schedule = good();
  schedule.steps.push_back({0, {}});
  expect_either_way(schedule, {});
}

TEST(Validate, AcceptsNothingForNothing) {
  EXPECT_EQ(validate(StepSchedule{}), Violations{});
  EXPECT_EQ(validate(StepSchedule{}, Traffic{}), Violations{});
}

TEST(Validate, AddsUpParallelMessagesAndIgnoresEmptyOnes) {
  const Traffic split{2, 3, {{1, 2, 1}, {0, 0, 3}, {1, 0, 0}, {0, 1, 1}, {1, 1, 2}, {1, 2, 1}}};
  EXPECT_EQ(validate(good(), split), Violations{});
}

// ---- sizes with a fraction

/// `schedule` with every size, price and total counted in units of 10^-decimals.
StepSchedule in_units(StepSchedule schedule, std::int32_t decimals) {
  const std::int64_t factor = power_of_ten(decimals);
  for (Step& step : schedule.steps) {
    step.duration *= factor;
    for (Transfer& t : step.transfers) {
      t.offset *= factor;
      t.size *= factor;
    }
  }
  schedule.setup *= static_cast<double>(factor);
  schedule.bound.transmission *= factor;
  schedule.bound.total *= static_cast<double>(factor);
  schedule.decimals = decimals;
  return schedule;
}

Traffic in_units(Traffic traffic, std::int32_t decimals) {
  for (Message& message : traffic.messages) message.size *= power_of_ten(decimals);
  traffic.decimals = decimals;
  return traffic;
}

TEST(ValidateDecimals, ComparesSizesInTheSmallerUnit) {
  for (const std::int32_t a : {0, 1, 7, 18})
    for (const std::int32_t b : {0, 1, 7, 18})
      EXPECT_EQ(validate(in_units(good(), a), in_units(kTraffic, b)), Violations{}) << a << ", " << b;
  StepSchedule tenths = good();
  tenths.decimals = 1;
  EXPECT_EQ(validate(tenths), Violations{});
  EXPECT_EQ(validate(tenths, kTraffic).size(), 4U);  // no message is whole
}

TEST(ValidateDecimals, ReportsInTheUsersUnit) {
  StepSchedule schedule = in_units(good(), 1);
  schedule.steps[1].transfers[1].size = 15;
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{-1, 1, "units 1.5 to 2 of the message from sender 1 to receiver 1 are in no step"}}));
  schedule.steps[1].duration = 25;
  schedule.steps[1].transfers[1].size = 25;
  EXPECT_EQ(validate(schedule, in_units(kTraffic, 2)),
            (Violations{{1, 1, "units 2 to 2.5 from sender 1 to receiver 1 are beyond the message of 2 units"}}));
  schedule.steps[1].duration = 20;
  EXPECT_EQ(validate(schedule), (Violations{{1, -1, "duration 2, its longest transfer has 2.5 units"}}));
  schedule.steps[1].duration = 25;
  schedule.bound.transmission = 46;
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "the bound on the transmission is 4.6, the schedule has 4.5"}}));
  schedule.bound = {0, 0, 76};
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "the bound on the total is 7.6, the schedule costs 7.5"}}));
}

TEST(ValidateDecimals, UnitsThatDoNotFitEachOther) {
  StepSchedule schedule = good();
  schedule.steps[1].transfers[0].size = 4'000'000'000'000'000'000;
  EXPECT_EQ(validate(schedule, in_units(kTraffic, 1)),
            (Violations{{-1, -1, "its sizes do not fit the traffic's unit of 1 decimal"}}));
  EXPECT_EQ(validate(in_units(good(), 1), Traffic{2, 3, {{1, 2, kHugeTime}}}),
            (Violations{{-1, 1,
                         "the message of 9223372036854775807 units from sender 1 to receiver 2 does not fit the "
                         "schedule's unit of 1 decimal"}}));
}

TEST(ValidateDecimals, MustBeWithinRange) {
  for (const std::int32_t decimals : {-1, 19}) {
    StepSchedule schedule = good();
    schedule.decimals = decimals;
    EXPECT_EQ(validate(schedule),
              (Violations{{-1, -1, "sizes with " + std::to_string(decimals) + " decimals, must be 0 to 18"}}));
    EXPECT_EQ(validate(schedule, kTraffic), validate(schedule));
    Traffic traffic = kTraffic;
    traffic.decimals = decimals;
    EXPECT_THROW((void)validate(good(), traffic), InputError);
  }
}

// ---- one for each way to be broken

TEST(Validate, NegativeSenders) {
  StepSchedule schedule;
  schedule.senders = -1;
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "the number of senders is -1, must be at least 0"}}));
}

TEST(Validate, NegativeReceivers) {
  StepSchedule schedule;
  schedule.receivers = -1;
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "the number of receivers is -1, must be at least 0"}}));
}

TEST(Validate, NegativeMaxTransfers) {
  StepSchedule schedule;
  schedule.max_transfers = -1;
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "max_transfers is -1, must be at least 0"}}));
}

TEST(Validate, NegativeSetup) {
  StepSchedule schedule = good();
  schedule.setup = -1;
  schedule.bound.total = 0;
  expect_either_way(schedule, {{-1, -1, "the set-up is -1, must be finite and at least 0"}});
}

TEST(Validate, SetupThatIsNoNumber) {
  StepSchedule schedule = good();
  schedule.setup = std::nan("");
  expect_either_way(schedule, {{-1, -1, "the set-up is nan, must be finite and at least 0"}});
}

TEST(Validate, OtherNumberOfSendersThanTheTraffic) {
  StepSchedule schedule = good();
  schedule.senders = 5;
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic), (Violations{{-1, -1, "5 senders, the traffic has 2"}}));
}

TEST(Validate, OtherNumberOfReceiversThanTheTraffic) {
  StepSchedule schedule = good();
  schedule.receivers = 5;
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic), (Violations{{-1, -1, "5 receivers, the traffic has 3"}}));
}

TEST(Validate, TooManyTransfersInAStep) {
  StepSchedule schedule = good();
  schedule.max_transfers = 1;
  schedule.steps[2].transfers.pop_back();
  schedule.steps.push_back({1, {{1, 2, 1, 1}}});
  expect_either_way(schedule, {{0, -1, "2 transfers, at most 1 may run side by side"},
                               {1, -1, "2 transfers, at most 1 may run side by side"}});
}

TEST(Validate, SenderOutOfRange) {
  StepSchedule schedule = good();
  schedule.steps.push_back({1, {{2, 0, 0, 1}}});
  expect_either_way(schedule, {{3, 2, "sender 2 is not one of the 2, counted from 0"}});
  schedule.steps.back().transfers[0].from = -1;
  expect_either_way(schedule, {{3, -1, "sender -1 is not one of the 2, counted from 0"}});
}

TEST(Validate, ReceiverOutOfRange) {
  StepSchedule schedule = good();
  schedule.steps.push_back({1, {{0, 3, 0, 1}}});
  expect_either_way(schedule, {{3, 3, "receiver 3 is not one of the 3, counted from 0"}});
  schedule.steps.back().transfers[0].to = -1;
  expect_either_way(schedule, {{3, -1, "receiver -1 is not one of the 3, counted from 0"}});
}

TEST(Validate, SizeZero) {
  StepSchedule schedule = good();
  schedule.steps.push_back({0, {{1, 2, 2, 0}}});
  expect_either_way(schedule, {{3, 1, "0 units from sender 1 to receiver 2, must be at least 1"}});
}

TEST(Validate, NegativeSize) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers[1].size = -1;
  expect_either_way(schedule, {{2, 1, "-1 units from sender 1 to receiver 2, must be at least 1"}});
}

TEST(Validate, NegativeOffset) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers[1].offset = -1;
  expect_either_way(schedule, {{2, 1, "offset -1 from sender 1 to receiver 2, must be at least 0"}});
}

TEST(Validate, OffsetPlusSizeOverflows) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers[1].offset = kHugeTime;
  expect_either_way(schedule,
                    {{2, 1, "offset 9223372036854775807 + size 1 from sender 1 to receiver 2 is beyond 2^63 - 1"}});
}

TEST(Validate, TwoTransfersOfOneSender) {
  StepSchedule schedule = good();
  schedule.steps[0].transfers = {{0, 1, 0, 1}, {0, 0, 0, 1}};
  schedule.steps[2].transfers = {{1, 2, 0, 2}};
  schedule.steps[2].duration = 2;
  expect_either_way(schedule, {{0, 0, "sender 0 has 2 transfers"}});
}

TEST(Validate, TwoTransfersOfOneReceiver) {
  StepSchedule schedule = good();
  schedule.steps = {{2, {{0, 1, 0, 1}, {1, 1, 0, 2}}}, {3, {{0, 0, 0, 3}, {1, 2, 0, 2}}}};
  expect_either_way(schedule, {{0, 1, "receiver 1 has 2 transfers"}});
}

TEST(Validate, ThreeTransfersOfOneSenderAreOneViolation) {
  StepSchedule schedule = good();
  schedule.max_transfers = 4;
  schedule.bound = {};
  schedule.steps = {{1, {{0, 0, 0, 1}, {0, 1, 0, 1}, {0, 2, 0, 1}}}};
  EXPECT_EQ(validate(schedule), (Violations{{0, 0, "sender 0 has 3 transfers"}}));
}

TEST(Validate, DurationTooShort) {
  StepSchedule schedule = good();
  schedule.steps[1].duration = 1;
  schedule.bound = {};
  expect_either_way(schedule, {{1, -1, "duration 1, its longest transfer has 2 units"}});
}

TEST(Validate, DurationTooLong) {
  StepSchedule schedule = good();
  schedule.steps[1].duration = 3;
  expect_either_way(schedule, {{1, -1, "duration 3, its longest transfer has 2 units"}});
}

TEST(Validate, EmptyStepWithADuration) {
  StepSchedule schedule = good();
  schedule.steps.push_back({1, {}});
  expect_either_way(schedule, {{3, -1, "duration 1, its longest transfer has 0 units"}});
}

TEST(Validate, GapAtTheStartOfAMessage) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers = {{1, 2, 1, 1}};
  expect_either_way(schedule, {{-1, 0, "units 0 of the message from sender 0 to receiver 0 are in no step"}});
}

TEST(Validate, GapInsideAMessage) {
  const Traffic traffic{1, 1, {{0, 0, 9}}};
  StepSchedule schedule = good();
  schedule.senders = schedule.receivers = 1;
  schedule.bound = {};
  schedule.steps = {{2, {{0, 0, 7, 2}}}, {4, {{0, 0, 0, 4}}}};
  const Violations expected{{-1, 0, "units 4 to 6 of the message from sender 0 to receiver 0 are in no step"}};
  EXPECT_EQ(validate(schedule), expected);
  EXPECT_EQ(validate(schedule, traffic), expected);
}

TEST(Validate, GapAtTheEndOfAMessageShowsAgainstTheTraffic) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers = {{0, 0, 0, 1}};
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{-1, 1, "units 1 of the message from sender 1 to receiver 2 are in no step"}}));
}

TEST(Validate, Overlap) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers[0] = {0, 0, 0, 2};
  schedule.steps[2].duration = 2;
  expect_either_way(schedule, {{1, 0, "units 1 of the message from sender 0 to receiver 0 were sent already"}});
}

TEST(Validate, OverlapInsideALongerPieceThatWasSeenEarlier) {
  StepSchedule schedule = good();
  schedule.senders = schedule.receivers = 1;
  schedule.bound = {};
  schedule.steps = {{9, {{0, 0, 0, 9}}}, {1, {{0, 0, 2, 1}}}, {3, {{0, 0, 6, 3}}}};
  EXPECT_EQ(validate(schedule),
            (Violations{{1, 0, "units 2 of the message from sender 0 to receiver 0 were sent already"},
                        {2, 0, "units 6 to 8 of the message from sender 0 to receiver 0 were sent already"}}));
}

TEST(Validate, PieceSentTwice) {
  StepSchedule schedule = good();
  schedule.steps.push_back({1, {{0, 1, 0, 1}}});
  expect_either_way(schedule, {{3, 0, "units 0 of the message from sender 0 to receiver 1 were sent already"}});
}

TEST(Validate, PieceAcrossTheEndOfTheMessage) {
  StepSchedule schedule = good();
  schedule.steps[2].transfers[1].size = 3;
  schedule.steps[2].duration = 3;
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{2, 1, "units 2 to 3 from sender 1 to receiver 2 are beyond the message of 2 units"}}));
}

TEST(Validate, PieceBehindTheEndOfTheMessage) {
  StepSchedule schedule = good();
  schedule.steps.push_back({kHugeTime - 100, {{1, 2, 50, kHugeTime - 100}}});
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{3, 1,
                         "units 50 to 9223372036854775756 from sender 1 to receiver 2 are beyond the message of 2 "
                         "units"}}));
  EXPECT_EQ(validate(schedule),
            (Violations{{-1, 1, "units 2 to 49 of the message from sender 1 to receiver 2 are in no step"}}));
}

TEST(Validate, MessageThatIsNotInTheTraffic) {
  StepSchedule schedule = good();
  schedule.steps.push_back({4, {{1, 0, 0, 4}}});
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{3, 1, "the traffic has no message from sender 1 to receiver 0"}}));
}

TEST(Validate, MissingMessages) {
  StepSchedule schedule = good();
  schedule.bound = {};
  schedule.steps = {{2, {{1, 1, 0, 2}}}};
  EXPECT_EQ(validate(schedule), Violations{});
  EXPECT_EQ(validate(schedule, kTraffic),
            (Violations{{-1, 0, "the message of 3 units from sender 0 to receiver 0 is in no step"},
                        {-1, 0, "the message of 1 unit from sender 0 to receiver 1 is in no step"},
                        {-1, 1, "the message of 2 units from sender 1 to receiver 2 is in no step"}}));
}

TEST(Validate, DurationsThatOverflow) {
  StepSchedule schedule = good();
  schedule.senders = schedule.receivers = 2;
  schedule.bound = {};
  schedule.steps = {{kHugeTime, {{0, 0, 0, kHugeTime}}}, {1, {{1, 1, 0, 1}}}};
  EXPECT_EQ(validate(schedule), (Violations{{-1, -1, "the durations add up to a value beyond 2^63 - 1"}}));
}

TEST(Validate, BoundOnStepsAboveTheCost) {
  StepSchedule schedule = good();
  schedule.bound = {4, 4, 7};
  expect_either_way(schedule, {{-1, -1, "the bound is 4 steps, the schedule has 3"}});
}

TEST(Validate, BoundOnTransmissionAboveTheCost) {
  StepSchedule schedule = good();
  schedule.bound = {3, 5, 7};
  expect_either_way(schedule, {{-1, -1, "the bound on the transmission is 5, the schedule has 4"}});
}

TEST(Validate, BoundOnTotalAboveTheCost) {
  StepSchedule schedule = good();
  schedule.bound = {3, 4, 7.0001};
  expect_either_way(schedule, {{-1, -1, "the bound on the total is 7.0001, the schedule costs 7"}});
}

TEST(Validate, BoundOnTotalThatIsNoNumber) {
  StepSchedule schedule = good();
  schedule.bound.total = std::nan("");
  expect_either_way(schedule, {{-1, -1, "the bound on the total is nan, the schedule costs 7"}});
  schedule.bound.total = std::numeric_limits<double>::infinity();
  expect_either_way(schedule, {{-1, -1, "the bound on the total is inf, the schedule costs 7"}});
}

TEST(Validate, BoundOnTotalMayDifferByRounding) {
  StepSchedule schedule = good();
  schedule.bound = {3, 4, std::nextafter(7.0, 8.0)};
  expect_either_way(schedule, {});
}

TEST(Validate, ReportsInTheOrderOfTheHeader) {
  StepSchedule schedule = good();
  schedule.setup = -1;
  schedule.steps[1].duration = 9;
  schedule.steps[2].transfers.pop_back();
  schedule.bound.steps = 9;
  const Violations found = validate(schedule, kTraffic);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(found[0].reason.substr(0, 10), "the set-up");
  EXPECT_EQ(found[1].step, 1);
  EXPECT_EQ(found[2].rank, 1);
  EXPECT_EQ(found[3].reason, "the bound is 9 steps, the schedule has 3");
}

TEST(Validate, MalformedTrafficIsBadInput) {
  EXPECT_THROW((void)validate(good(), Traffic{2, 3, {{0, 0, -3}}}), InputError);
  EXPECT_THROW((void)validate(good(), Traffic{2, 3, {{2, 0, 3}}}), InputError);
}

TEST(Validate, ViolationsPrintAsOneLine) {
  EXPECT_EQ(to_string(Violation{4, 3, "sender 3 has 2 transfers"}), "step 4: sender 3 has 2 transfers");
  EXPECT_EQ(to_string(Violation{-1, -1, "too little"}), "too little");
}

// ---- against a count of every single unit

/// Whether `schedule` is a sound schedule of `traffic`, by marking unit after unit; sizes must be small.
bool sound_by_units(const StepSchedule& schedule, const Traffic& traffic) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, int>> sent;
  std::map<std::pair<std::int64_t, std::int64_t>, std::map<std::int64_t, int>> wanted;
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> sizes;
  for (const Message& message : traffic.messages) sizes[{message.from, message.to}] += message.size;
  for (const auto& [pair, size] : sizes)
    for (std::int64_t unit = 0; unit < size; ++unit) wanted[pair][unit] = 1;
  if (schedule.senders != traffic.senders || schedule.receivers != traffic.receivers) return false;
  for (const Step& step : schedule.steps) {
    std::set<std::int64_t> senders;
    std::set<std::int64_t> receivers;
    std::int64_t longest = 0;
    for (const Transfer& t : step.transfers) {
      if (t.size <= 0 || t.offset < 0) return false;
      if (t.from < 0 || t.from >= schedule.senders || t.to < 0 || t.to >= schedule.receivers) return false;
      if (!senders.insert(t.from).second || !receivers.insert(t.to).second) return false;
      longest = std::max(longest, t.size);
      for (std::int64_t unit = 0; unit < t.size; ++unit) ++sent[{t.from, t.to}][t.offset + unit];
    }
    if (static_cast<std::int64_t>(step.transfers.size()) > schedule.max_transfers || step.duration != longest)
      return false;
  }
  return sent == wanted;
}

/// A sound schedule of a random traffic: each message cut at random, each piece in the first step that takes it.
std::pair<StepSchedule, Traffic> random_schedule() {
  const auto below = [](std::int64_t end) { return *rc::gen::inRange<std::int64_t>(0, end); };
  Traffic traffic{1 + below(4), 1 + below(4), {}};
  StepSchedule schedule;
  schedule.senders = traffic.senders;
  schedule.receivers = traffic.receivers;
  schedule.max_transfers = 1 + below(4);
  schedule.setup = 1;
  std::vector<Transfer> pieces;
  for (std::int64_t from = 0; from < traffic.senders; ++from) {
    for (std::int64_t to = 0; to < traffic.receivers; ++to) {
      const std::int64_t size = std::max<std::int64_t>(0, below(9) - 2);
      traffic.messages.push_back({from, to, size});
      for (std::int64_t offset = 0; offset < size;) {
        const std::int64_t piece = 1 + below(size - offset);
        pieces.push_back({from, to, offset, piece});
        offset += piece;
      }
    }
  }
  for (std::size_t i = pieces.size(); i > 1; --i)
    std::swap(pieces[i - 1], pieces[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
  for (const Transfer& piece : pieces) {
    const auto takes = [&](const Step& step) {
      return static_cast<std::int64_t>(step.transfers.size()) < schedule.max_transfers &&
             std::none_of(step.transfers.begin(), step.transfers.end(),
                          [&](const Transfer& t) { return t.from == piece.from || t.to == piece.to; });
    };
    auto step = std::find_if(schedule.steps.begin(), schedule.steps.end(), takes);
    if (step == schedule.steps.end()) step = schedule.steps.insert(step, Step{});
    step->transfers.push_back(piece);
    step->duration = std::max(step->duration, piece.size);
  }
  schedule.bound = lower_bound(traffic, schedule.max_transfers, schedule.setup);
  return {schedule, traffic};
}

TEST(Validate, AgreesWithACountOfUnitsOnSoundAndDamagedSchedules) {
  int sound_seen = 0;
  int broken_seen = 0;
  EXPECT_TRUE(rc::check("validate finds a violation exactly where the count of units does", [&] {
    auto [schedule, traffic] = random_schedule();
    RC_ASSERT(sound_by_units(schedule, traffic));
    RC_ASSERT(validate(schedule, traffic).empty());
    RC_ASSERT(validate(schedule).empty());

    schedule.bound = {};  // damage may lower the cost
    const int damages = *rc::gen::inRange(1, 4);
    for (int i = 0; i < damages && !schedule.steps.empty(); ++i) {
      const auto some = [](const auto& items) { return *rc::gen::inRange<std::size_t>(0, items.size()); };
      Step& step = schedule.steps[some(schedule.steps)];
      if (step.transfers.empty()) continue;
      const std::size_t at = some(step.transfers);
      Transfer& transfer = step.transfers[at];
      const std::int64_t change = *rc::gen::element<std::int64_t>(-1, 1);
      switch (*rc::gen::inRange(0, 8)) {
        case 0:
          transfer.from += change;
          break;
        case 1:
          transfer.to += change;
          break;
        case 2:
          transfer.offset += change;
          break;
        case 3:
          transfer.size += change;
          break;
        case 4:
          step.duration += change;
          break;
        case 5:
          step.transfers.erase(step.transfers.begin() + static_cast<std::ptrdiff_t>(at));
          break;
        case 6:
          schedule.steps.push_back({transfer.size, {transfer}});
          break;
        default: {  // harmless: to a step of its own, and the duration put right
          const Transfer moved = transfer;
          step.transfers.erase(step.transfers.begin() + static_cast<std::ptrdiff_t>(at));
          step.duration = 0;
          for (const Transfer& t : step.transfers) step.duration = std::max(step.duration, t.size);
          schedule.steps.push_back({moved.size, {moved}});
          break;
        }
      }
    }
    const bool sound = sound_by_units(schedule, traffic);
    RC_ASSERT(validate(schedule, traffic).empty() == sound);
    (sound ? sound_seen : broken_seen) += 1;
  }));
  EXPECT_GT(sound_seen, 0);
  EXPECT_GT(broken_seen, 0);
}

}  // namespace
}  // namespace sluice
