#include <gtest/gtest.h>

#include <functional>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// A sound schedule of 2:1 -> 2:3 (12 elements).
json sound_schedule(const Folder& folder) {
  return json::parse(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --json -")).out);
}

TEST(Check, SoundScheduleIsOk) {
  const Folder folder;
  folder.write("plan.json", sound_schedule(folder).dump());
  const Outcome outcome = folder.sluice({"check", "plan.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "ok: plan.json: 2 steps, 4 transfers, every element of 2:1 -> 2:3 sent once\n");
}

TEST(Check, WithoutInputTheScheduleIsJudgedOnItsOwn) {
  const Folder folder;
  json schedule = sound_schedule(folder);
  schedule.erase("input");
  schedule["problem"] = "exchange";
  const Outcome outcome = folder.sluice({"check", "-"}, schedule.dump());
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("sound in itself"), std::string::npos) << outcome.out;
}

TEST(Check, EveryWayToBreakAScheduleIsAViolation) {
  struct Broken {
    const char* name;
    std::function<void(json&)> breakIt;
    const char* expected;  ///< in one of the lines
  };
  const Broken broken[] = {
      {"sender twice", [](json& s) { s["steps"][0]["transfers"][0]["from"] = s["steps"][0]["transfers"][1]["from"]; },
       "sender"},
      {"receiver twice", [](json& s) { s["steps"][0]["transfers"][0]["to"] = s["steps"][0]["transfers"][1]["to"]; },
       "receiver"},
      {"rank out of range", [](json& s) { s["steps"][0]["transfers"][0]["from"] = 7; }, "7"},
      {"duration too short", [](json& s) { s["steps"][1]["duration"] = 0; }, "step 1: "},
      {"size too large", [](json& s) { s["steps"][0]["transfers"][0]["size"] = 100; }, "100"},
      {"size zero", [](json& s) { s["steps"][0]["transfers"][0]["size"] = 0; }, "0 units"},
      {"gap", [](json& s) { s["steps"][0]["transfers"][0]["offset"] = 1; }, "units 0 to 0"},
      {"step left out", [](json& s) { s["steps"].erase(1); }, "to receiver"},
      {"step twice", [](json& s) { s["steps"].push_back(s["steps"][0]); }, "to receiver"},
      {"too many transfers", [](json& s) { s["max_transfers"] = 1; }, "transfers"},
      {"cost", [](json& s) { s["cost"]["transmission"] = 1; }, "transmission"},
      {"bound above cost", [](json& s) { s["bound"]["steps"] = 50; }, "bound"},
      {"other senders", [](json& s) { s["senders"] = 3; }, "senders"},
      {"other layouts", [](json& s) { s["input"]["to"] = "2:5"; }, "to receiver"},
      {"more messages than transfers",
       [](json& s) {
         s["input"] = {{"from", "4000:1"}, {"to", "4000:3999"}};
       },
       "more messages"},
  };
  const Folder folder;
  const json sound = sound_schedule(folder);
  for (const Broken& each : broken) {
    SCOPED_TRACE(each.name);
    json schedule = sound;
    each.breakIt(schedule);
    const Outcome outcome = folder.sluice({"check", "-"}, schedule.dump());
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    EXPECT_GE(lines(outcome.out).size(), 1U);
    EXPECT_NE(outcome.out.find(each.expected), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("ok"), std::string::npos) << outcome.out;
  }
}

TEST(Check, OneViolationIsOneLine) {
  const Folder folder;
  json schedule = sound_schedule(folder);
  schedule["cost"]["steps"] = 5;
  const Outcome outcome = folder.sluice({"check", "-"}, schedule.dump());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_EQ(outcome.out, "the stated cost is 5 steps, the schedule has 2\n");
}

TEST(Check, ManyViolationsAreCutUnlessAllAreAskedFor) {
  const Folder folder;
  json schedule = json::parse(
      folder.sluice(words("plan redistribute --from 64:7 --to 64:11 --algorithm caterpillar --json -")).out);
  std::size_t faults = 0;
  for (json& step : schedule["steps"])
    for (json& transfer : step["transfers"]) transfer["size"] = 0, ++faults;
  ASSERT_GT(faults, 200U);
  folder.write("broken.json", schedule.dump());
  const Outcome cut = folder.sluice(words("check broken.json"));
  const Outcome all = folder.sluice(words("check broken.json --all"));
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(all.status, 1);
  const std::vector<std::string> shown = lines(cut.out);
  ASSERT_EQ(shown.size(), 101U);
  EXPECT_EQ(shown.back(), "... " + std::to_string(lines(all.out).size() - 100) + " more; --all shows them");
  EXPECT_GE(lines(all.out).size(), faults);
}

TEST(Check, AFileThatClaimsManyProcessesTakesNoTime) {
  const Folder folder;
  json schedule = sound_schedule(folder);
  schedule["input"] = {{"from", "1000000000000:1"}, {"to", "1:1"}};
  schedule["senders"] = 1000000000000;
  expect_refused(folder.sluice({"check", "-"}, schedule.dump()), "input.from");
}

}  // namespace
}  // namespace sluice::testing
