#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "local_phases_sample.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/local_phases.hpp"

namespace sluice {
namespace {

using testing::kPhasesTraffic;
using testing::phases_sample;

const std::string kPhasesSample =
    R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "oggp",
 "senders": 2, "receivers": 2, "max_transfers": 2, "setup": 1,
 "steps": [
  {"duration": 6, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 6}, {"from": 1, "to": 1, "offset": 0, "size": 4}]},
  {"duration": 2, "transfers": [{"from": 0, "to": 1, "offset": 0, "size": 2}]}],
 "cost": {"steps": 2, "transmission": 8, "total": 10},
 "bound": {"steps": 2, "transmission": 8, "total": 10},
 "local_phases": {"unit_cost": 0.5,
  "routes": [
    {"from": 0, "to": 0, "offset": 0, "size": 4, "carrier": 0, "landing": 0},
    {"from": 0, "to": 0, "offset": 4, "size": 2, "carrier": 0, "landing": 1},
    {"from": 1, "to": 0, "offset": 0, "size": 2, "carrier": 0, "landing": 0},
    {"from": 1, "to": 1, "offset": 0, "size": 4, "carrier": 1, "landing": 1}],
  "before": {"setup": 2, "steps": [
    {"duration": 2, "transfers": [{"from": 1, "to": 0, "offset": 0, "size": 2}]}],
   "cost": {"steps": 1, "transmission": 2, "total": 4},
   "bound": {"steps": 1, "transmission": 2, "total": 4}},
  "after": {"setup": 2, "steps": [
    {"duration": 2, "transfers": [{"from": 1, "to": 0, "offset": 0, "size": 2}]}],
   "cost": {"steps": 1, "transmission": 2, "total": 4},
   "bound": {"steps": 1, "transmission": 2, "total": 4}},
  "total": 14}}
)";

ScheduleFile read_phases(const std::string& text) {
  std::istringstream in(text);
  return read_schedule(in, "file.json");
}

TEST(LocalPhasesJson, HoldThem) {
  EXPECT_EQ(to_json(phases_sample()), kPhasesSample);
  EXPECT_EQ(read_phases(kPhasesSample).schedule, phases_sample());
  EXPECT_TRUE(validate(read_phases(kPhasesSample), kPhasesTraffic).empty());
  ScheduleFile broken = read_phases(kPhasesSample);
  broken.schedule.local_phases->total = 1;
  EXPECT_FALSE(validate(broken).empty());
}

TEST(LocalPhasesJson, HoldFractionsOfUnits) {
  StepSchedule schedule = phases_sample();
  schedule.decimals = 1;
  schedule.setup = 0.25;
  schedule.local_phases->before.setup = 12.5;
  schedule.local_phases->total = 33.25;
  const std::string text = to_json(schedule);
  EXPECT_NE(text.find(R"("offset": 0.4, "size": 0.2, "carrier": 0)"), std::string::npos) << text;
  EXPECT_NE(text.find(R"("total": 3.325}})"), std::string::npos) << text;
  EXPECT_EQ(read_phases(text).schedule, schedule);
}

/// kPhasesSample with the first `from` replaced by `to`.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = kPhasesSample;
  const std::size_t at = text.find(from, text.find("local_phases"));
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(LocalPhasesJson, ReadersAreStrict) {
  struct Fault {
    std::string from, to, where, found;
  };
  const Fault faults[] = {
      {R"("unit_cost": 0.5)", R"("unit_cost": -1)", "file.json:8", "\"unit_cost\": -1"},
      {R"("unit_cost": 0.5,)", "", "file.json:8", "local phases without \"unit_cost\""},
      {R"(, "carrier": 0)", "", "file.json:10", "a route without \"carrier\""},
      {R"("carrier": 0)", R"("carrier": 0.5)", "file.json:10", "0.5"},
      {R"("carrier": 0)", R"("by": 0)", "file.json:10", "field \"by\" in a route"},
      {R"("before": {"setup": 2, )", R"("before": {)", "file.json:14", "a local phase without \"setup\""},
      {R"("after")", R"("before")", "file.json:18", "field \"before\" twice in local phases"},
      {R"("routes": [)", R"("routes": [7, )", "file.json:9", "7"},
      {R"(,
  "total": 14)",
       "", "file.json:8", "local phases without \"total\""},
  };
  for (const Fault& fault : faults) {
    SCOPED_TRACE(fault.from + " -> " + fault.to);
    try {
      (void)read_phases(changed(fault.from, fault.to));
      ADD_FAILURE() << "read";
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), fault.where);
      EXPECT_NE(error.found().find(fault.found), std::string::npos) << error.what();
    }
  }
}

TEST(LocalPhasesJson, EveryTruncationIsBadInput) {
  for (std::size_t length = 0; length + 2 < kPhasesSample.size(); ++length)
    EXPECT_THROW((void)read_phases(kPhasesSample.substr(0, length)), InputError) << length;
}

TEST(LocalPhasesJson, TakeAFinerUnitThatComesLater) {
  StepSchedule schedule = phases_sample();
  schedule.bound.transmission = 7;
  std::string text = to_json(schedule);
  // The routes first, in whole units; then a bound of half a unit.
  const std::size_t begin = text.find(" \"local_phases\"");
  const std::string phases = text.substr(begin, text.size() - begin - 2);
  text = text.substr(0, begin - 2) + "}\n";
  text.insert(text.find(" \"steps\": ["), phases + ",\n");
  const std::string whole = R"("transmission": 7,)";
  text.replace(text.find(whole), whole.size(), R"("transmission": 7.5,)");
  const StepSchedule read_back = read_phases(text).schedule;
  ASSERT_EQ(read_back.decimals, 1);
  EXPECT_EQ(read_back.bound.transmission, 75);
  EXPECT_EQ(read_back.local_phases->routes[1], (Route{0, 0, 40, 20, 0, 1}));
  EXPECT_EQ(read_back.local_phases->before.steps, (std::vector<Step>{{20, {{1, 0, 0, 20}}}}));
  EXPECT_EQ(read_back.local_phases->before.setup, 20);
  EXPECT_EQ(read_back.local_phases->total, 140);
  Traffic tenths = kPhasesTraffic;
  tenths.decimals = 1;
  for (Message& message : tenths.messages) message.size *= 10;
  EXPECT_TRUE(validate(read_phases(text), tenths).empty());
}

}  // namespace
}  // namespace sluice
