#include <gtest/gtest.h>

#include <functional>

#include "command_runner.hpp"
#include "exchange_files.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// A sound schedule of 2:1 -> 2:3 (12 elements).
json sound_schedule(const Folder& folder) {
  return json::parse(folder.sluice(words("plan redistribute --from 2:1 --to 2:3 --json -")).out);
}

/// `more`: arguments of `check`.
Outcome judged(const Folder& folder, const json& schedule, const std::string& more = "") {
  folder.write("plan.json", schedule.dump());
  return folder.sluice(words("check plan.json " + more));
}

/// That `check` finds `reason` in a schedule changed by `change(json&)`.
template <class Change>
void expect_fault(const Folder& folder, json schedule, Change change, const std::string& reason,
                  const std::string& more = "") {
  change(schedule);
  const Outcome broken = judged(folder, schedule, more);
  EXPECT_EQ(broken.status, 1) << broken.out;
  EXPECT_NE(broken.out.find(reason), std::string::npos) << broken.out;
}

TEST(Check, SoundScheduleIsOk) {
  const Folder folder;
  folder.write("plan.json", sound_schedule(folder).dump());
  const Outcome outcome = folder.sluice({"check", "plan.json"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, "ok: plan.json: 2 steps, 4 transfers, every element of 2:1 -> 2:3 sent once\n");
}

TEST(Check, WritesItsJudgement) {
  const Folder folder;
  json schedule = sound_schedule(folder);
  const json sound = json::parse(judged(folder, schedule, "--json -").out);
  EXPECT_EQ(sound["schema"], "sluice.check/1");
  EXPECT_EQ(sound["file"], "plan.json");
  EXPECT_EQ(sound["about"]["inputs"][0]["file"], "plan.json");
  EXPECT_TRUE(sound["sound"] && sound["violations"].empty());
  EXPECT_EQ(sound["checked"], "2 steps, 4 transfers, every element of 2:1 -> 2:3 sent once");
  schedule["steps"][1]["duration"] = 99;
  const Outcome broken = judged(folder, schedule, "--json judgement.json");
  EXPECT_EQ(broken.status, 1);
  const json judgement = json::parse(folder.read("judgement.json"));
  EXPECT_FALSE(judgement["sound"]);
  ASSERT_EQ(judgement["violations"].size(), lines(broken.out).size()) << broken.out;
  EXPECT_EQ(judgement["violations"][0]["step"], 1);
  expect_refused(judged(folder, schedule, "--json missing/judgement.json"),
                 "missing/judgement.json: cannot be written");
  expect_refused(judged(folder, schedule, "--json plan.json"), "which is the input");
}

TEST(Check, JudgesSchedulesOfOtherLibraries) {
  const Folder folder;
  const std::string message = "rank 0 {\na: send 8b to 1 tag 3\n}\nrank 1 {\na: recv 8b from 0 tag 3\n}\n";
  folder.write("right.goal", "num_ranks 2\n" + message);
  Outcome outcome = folder.sluice(words("check right.goal --as broadcast"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "ok: right.goal: GOAL, broadcast of 2 ranks, 2 operations: every rank is reached by those it needs\n"
            "fewest places: 0\n");
  outcome = folder.sluice(words("check right.goal"));
  EXPECT_EQ(lines(outcome.out).back(),
            "not checked: the data, as the file does not say its collective; --as COLLECTIVE does");
  folder.write("wrong.goal", "num_ranks 3\n" + message);
  outcome = folder.sluice(words("check wrong.goal --as broadcast --json -"));
  EXPECT_EQ(outcome.status, 1);
  const json judgement = json::parse(outcome.out);
  EXPECT_EQ(judgement["violations"][0]["reason"], "rank 2 is not reached by rank 0");
  EXPECT_EQ(judgement["violations"][0]["rank"], 2);
  EXPECT_EQ(judgement["fewest_places"], 0);
  folder.write("bad.xml", "<algo name=\"a\"/>");
  expect_refused(folder.sluice(words("check bad.xml")), "bad.xml:1: <algo> without \"nchunksperloop\"");
  expect_refused(folder.sluice(words("check right.goal --executor rccl")), "--executor: a file of GOAL");
  expect_refused(folder.sluice(words("check right.goal --executor tccl")), "--executor: tccl");
  expect_refused(folder.sluice(words("check right.goal --places 0")), "--places");
  folder.write("plan.json", sound_schedule(folder).dump());
  expect_refused(folder.sluice(words("check plan.json --places 2")), "--places: a schedule of Sluice");
}

TEST(Check, VerifiesTheBoundOfAnExchangeByItsCertificate) {
  const Folder folder;
  write_traffic_files(folder);
  ASSERT_EQ(
      folder.sluice(words("plan exchange dense.mtx --setup 7 --max-transfers 5 --effort 0.3 --json plan.json")).status,
      0);
  const json good = json::parse(folder.read("plan.json"));
  const Outcome sound = folder.sluice(words("check plan.json --traffic dense.mtx"));
  EXPECT_EQ(sound.status, 0) << sound.out;
  ASSERT_EQ(lines(sound.out).size(), 2U) << sound.out;
  EXPECT_EQ(lines(sound.out).back(), "bound " + good.at("bound").at("total").dump() + " verified (lp)");
  const auto expect_broken = [&](auto change, const std::string& reason) {
    expect_fault(folder, good, change, reason, "--traffic dense.mtx");
  };
  expect_broken([](json& s) { s["bound"]["total"] = s["bound"]["total"].get<int>() + 1; }, "its certificate proves ");
  expect_broken([](json& s) { s["certificate"]["size_prices"][0] = 1e3; }, "its certificate proves ");
  expect_broken([](json& s) { s["certificate"]["piece_prices"].erase(3); }, "different numbers of size_prices");
  expect_broken([](json& s) { s["certificate"]["steps"] = {{"of", "sender"}, {"node", 2}}; }, "sender 2 proves ");
  json without = good;
  without.erase("certificate");
  folder.write("plan.json", without.dump());
  const Outcome unverified = folder.sluice(words("check plan.json --traffic dense.mtx"));
  EXPECT_EQ(unverified.status, 0);
  EXPECT_NE(unverified.out.find(" not verified: the file has no certificate; "), std::string::npos) << unverified.out;
}

TEST(Check, CopiesAreDemandedOutsideOfSteps) {
  const Folder folder;
  const json good = json::parse(folder.sluice(words("plan redistribute --from 3:2 --to 3:5 --relabel --json -")).out);
  const Outcome outcome = judged(folder, good);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find(" and 3 copies, every element of 3:2 -> 3:5 sent once\n"), std::string::npos)
      << outcome.out;
  const auto expect_broken = [&](auto change, const std::string& reason) {
    expect_fault(folder, good, change, reason);
  };
  expect_broken([](json& s) { s["copies"].erase(1); }, "is in no step");
  expect_broken([](json& s) { s.erase("copies"); }, "is in no step");
  expect_broken([](json& s) { s["copies"].push_back(s["copies"][0]); }, "has 2 copies");
  expect_broken([](json& s) { s["copies"].push_back(s["steps"][0]["transfers"][0]); }, "one process");
  expect_broken([](json& s) { s["copies"][0]["size"] = s["copies"][0]["size"].get<int>() - 1; }, "in no step");
  expect_broken([](json& s) { s["input"].erase("roles"); }, "one process");
  expect_broken([](json& s) { s["input"]["roles"] = {0, 0, 1}; }, "two processes have the role of receiver 0");
  expect_broken([](json& s) { s["input"]["roles"] = {0, 1}; }, "roles of 2 processes, there are 3 senders");
  expect_broken(
      [](json& s) {
        s["steps"].push_back({{"duration", s["copies"][0]["size"]}, {"transfers", {s["copies"][0]}}});
        s["copies"].erase(0);
      },
      "are one process, its copy needs no step");
}

TEST(Check, SchedulesBetweenCopiesAreJudgedByThem) {
  const Folder folder;
  const json good = json::parse(
      folder.sluice(words("plan redistribute --from 2:2 --to 3:5 --to-replicas 4 --shape 900 --json -")).out);
  EXPECT_EQ(good["input"]["from_replicas"], 1);
  EXPECT_EQ(good["input"]["to_replicas"], 4);
  EXPECT_EQ(good["senders"], 2 + 12);
  const Outcome outcome = judged(folder, good);
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("every element of 1 copy of 2:2, 900, comes once to each of 4 of 3:5\n"),
            std::string::npos)
      << outcome.out;
  const auto expect_broken = [&](auto change, const std::string& reason) {
    expect_fault(folder, good, change, reason);
  };
  expect_broken([](json& s) { s["steps"].erase(0); }, "in no step");
  expect_broken([](json& s) { std::swap(s["steps"].front(), s["steps"].back()); }, "has got unit");
  expect_broken([](json& s) { s["input"]["to_replicas"] = 2; }, "processes in a copy of the target");
  expect_broken([](json& s) { s["input"]["to_replicas"] = 0; }, "must be at least 1");
  expect_broken([](json& s) { s["input"]["from_replicas"] = 4; }, "are not 4 copies of the source");
  expect_broken([](json& s) { s["input"]["from"] = "2:7"; }, "not sender");
  expect_broken([](json& s) { s["input"].erase("to_replicas"); }, "14 senders, the traffic has 2");
  // Simulated it takes what it costs, with a barrier between steps.
  folder.write("plan.json", good.dump());
  const Outcome simulated = folder.sluice(words("simulate plan.json --order local"));
  EXPECT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_EQ(folder.sluice(words("check plan.json --traffic none.mtx")).status, 2);
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
      {"gap", [](json& s) { s["steps"][0]["transfers"][0]["offset"] = 1; }, "units 0 of"},
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
  ASSERT_EQ(shown.size(), 6U);
  EXPECT_EQ(shown.back(), "... " + std::to_string(lines(all.out).size() - 5) + " more; --all shows them");
  EXPECT_GE(lines(all.out).size(), faults);
}

/// A plan that is sound, judged by the traffic of another one: the question comes first, then a few of many violations.
TEST(Check, AsksWhetherTheTrafficIsAnotherFile) {
  const Folder folder;
  write_traffic_files(folder);
  folder.write("other.csv", "1,2,3\n4,5,6\n7,8,9\n");
  ASSERT_EQ(folder.sluice(words("plan exchange dense.mtx --json plan.json")).status, 0);
  const Outcome wrong = folder.sluice(words("check plan.json --traffic other.csv"));
  EXPECT_EQ(wrong.status, 1);
  const std::vector<std::string> shown = lines(wrong.out);
  ASSERT_EQ(shown.size(), 7U) << wrong.out;
  EXPECT_EQ(shown.front(), "another file? plan.json is sound in itself, but does not send what other.csv has");
  const std::size_t all = lines(folder.sluice(words("check plan.json --traffic other.csv --all")).out).size() - 1;
  EXPECT_EQ(shown.back(), "... " + std::to_string(all - 5) + " more; --all shows them");
  // A plan that is broken in itself is no question of the file.
  json broken = json::parse(folder.read("plan.json"));
  broken["steps"][0]["duration"] = 1;
  folder.write("broken.json", broken.dump());
  EXPECT_EQ(folder.sluice(words("check broken.json --traffic dense.mtx")).out.find("another file?"), std::string::npos);
}

TEST(Check, ASchedulesTrafficIsThatOfTheFile) {
  const Folder folder;
  folder.write("traffic.csv", "3,1,0\n0,2.25,2\n");
  const json sound = json::parse(folder.sluice(words("plan exchange traffic.csv --algorithm weights --json -")).out);
  const auto check = [&](const json& schedule) {
    return folder.sluice({"check", "-", "--traffic", "traffic.csv"}, schedule.dump());
  };
  const Outcome ok = check(sound);
  EXPECT_EQ(ok.status, 0) << ok.out << ok.err;
  EXPECT_NE(ok.out.find("every message of traffic.csv sent once\n"), std::string::npos) << ok.out;
  EXPECT_EQ(folder.sluice({"check", "-"}, sound.dump()).status, 0);

  // The same in fewer or more digits.
  folder.write("traffic.csv", "3,1,0\n0,2.250,2e0\n");
  EXPECT_EQ(check(sound).status, 0);
  for (const char* other : {"3,1,0\n0,2.25,2.001\n", "3,1,0\n0,2.2,2\n", "3,1,0\n0,2.25,0\n", "3,1,0\n1,2.25,2\n",
                            "3,1\n0,2.25\n", "3,1,0\n0,2.25,2\n0,0,0\n", "300,100,0\n0,225,200\n"}) {
    SCOPED_TRACE(other);
    folder.write("traffic.csv", other);
    const Outcome outcome = check(sound);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
    EXPECT_GE(lines(outcome.out).size(), 1U);
  }
  folder.write("traffic.csv", "3,1,0\n0,2.25,-2\n");
  expect_refused(check(sound), "traffic.csv:2: ");
  expect_refused(folder.sluice({"check", "-", "--traffic", "missing.csv"}, sound.dump()), "missing.csv: ");
  folder.write("traffic.csv", "3,1,0\n0,2.25,2\n");
  expect_refused(check(sound_schedule(folder)), "--traffic: a schedule that names its layouts itself");
}

TEST(Check, PiecesOfAnExchangeAreJudged) {
  const Folder folder;
  folder.write("traffic.csv", "3,0\n0,2\n");
  // 0->0 in two pieces, the second beside 1->1.
  const json sound = json::parse(R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange",
      "algorithm": "by hand", "senders": 2, "receivers": 2, "max_transfers": 2, "setup": 1,
      "steps": [{"duration": 1, "transfers": [{"from": 0, "to": 0, "offset": 2, "size": 1}]},
                {"duration": 2, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 2},
                                              {"from": 1, "to": 1, "offset": 0, "size": 2}]}],
      "cost": {"steps": 2, "transmission": 3, "total": 5}, "bound": {"steps": 1, "transmission": 3, "total": 4.2}})");
  const auto check = [&](const json& schedule) {
    return folder.sluice({"check", "-", "--traffic", "traffic.csv"}, schedule.dump());
  };
  EXPECT_EQ(check(sound).status, 0) << check(sound).out << check(sound).err;
  const std::function<void(json&)> faults[] = {
      [](json& s) { s["steps"][0]["transfers"][0]["offset"] = 1; },    // overlaps, and a gap behind it
      [](json& s) { s["steps"][0]["transfers"][0]["offset"] = 2.5; },  // half a unit late
      [](json& s) { s["steps"][1]["transfers"][1]["size"] = 1.5; },
      [](json& s) { s["max_transfers"] = 1; },
      [](json& s) { s["bound"]["total"] = 5.5; },
      [](json& s) {
        s["steps"].erase(0), s["cost"] = {{"steps", 1}, {"transmission", 2}, {"total", 3}};
      },
  };
  for (const auto& fault : faults) {
    json broken = sound;
    fault(broken);
    SCOPED_TRACE(broken.dump());
    const Outcome outcome = check(broken);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err, "");
  }
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
