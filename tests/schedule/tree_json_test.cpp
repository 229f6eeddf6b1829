#include "sluice/schedule/tree_json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "bad_input.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/tree_validate.hpp"

namespace sluice {
namespace {

using testing::with;

TreeSchedule read_tree(const std::string& text) {
  std::istringstream in(text);
  return read_tree_schedule(in, "file.json");
}

std::string error_of_tree(const std::string& text) {
  return testing::error_of([&] { return read_tree(text); });
}

TreeSchedule sample() {
  TreeSchedule schedule;
  schedule.algorithm = "greedy";
  schedule.machines = 3;
  schedule.transfer = 1;
  schedule.compute = 0.5;
  schedule.transfers = {{2, 0, 0, 1}, {1, 0, 1, 2}};
  schedule.length = 2.5;
  schedule.bound = {2, 3};
  return schedule;
}

const std::string kSample =
    R"({"schema": "sluice.schedule/1", "type": "tree", "problem": "reduce", "algorithm": "greedy",
 "machines": 3, "root": 0, "transfer": 1, "compute": 0.5,
 "transfers": [
  {"from": 2, "to": 0, "start": 0, "end": 1},
  {"from": 1, "to": 0, "start": 1, "end": 2}],
 "length": 2.5, "bound": {"lower": 2, "upper": 3}}
)";

TreeSchedule full_sample() {
  TreeSchedule schedule = sample();
  schedule.max_transfers = 1;
  schedule.max_reducers = 2;
  schedule.commutative = false;
  schedule.segments = 2;
  schedule.arrivals = {0, 0.25, 1e-7};
  for (TimedTransfer& t : schedule.transfers) t.segment = 1;
  return schedule;
}

const std::string kFullSample =
    R"({"schema": "sluice.schedule/1", "type": "tree", "problem": "reduce", "algorithm": "greedy",
 "machines": 3, "root": 0, "transfer": 1, "compute": 0.5,
 "max_transfers": 1, "max_reducers": 2, "commutative": false, "segments": 2, "arrivals": [0, 0.25, 1e-07],
 "transfers": [
  {"from": 2, "to": 0, "start": 0, "end": 1, "segment": 1},
  {"from": 1, "to": 0, "start": 1, "end": 2, "segment": 1}],
 "length": 2.5, "bound": {"lower": 2, "upper": 3}}
)";

TEST(TreeJson, WritesOneLineATransfer) {
  EXPECT_EQ(to_json(sample()), kSample);
  EXPECT_EQ(to_json(full_sample()), kFullSample);
}

TEST(TreeJson, WritesNoCostsOfABroadcast) {
  TreeSchedule schedule = sample();
  schedule.problem = "broadcast";
  schedule.transfer = 0;
  schedule.compute = 0;
  EXPECT_NE(to_json(schedule).find("\"machines\": 3, \"root\": 0,\n \"transfers\": ["), std::string::npos);
  EXPECT_EQ(read_tree(to_json(schedule)), schedule);
}

TEST(TreeJson, CostsOfSingleMachinesStandInThePlaceOfThatOfAll) {
  TreeSchedule schedule = sample();
  schedule.transfer = schedule.compute = 0;
  schedule.transfer_costs = {0.5, 1, 1};
  schedule.compute_costs = {0.5, 2, 3};
  const std::string text = to_json(schedule);
  EXPECT_NE(text.find(R"("root": 0, "transfer_costs": [0.5, 1, 1], "compute_costs": [0.5, 2, 3],)"), std::string::npos)
      << text;
  EXPECT_EQ(read_tree(text), schedule);
  EXPECT_TRUE(validate(schedule).empty());
  EXPECT_EQ(error_of_tree(with(text, "\"root\": 0,", "\"root\": 0, \"compute\": 1,")),
            "file.json:1: \"compute\" and \"compute_costs\", expected one of the two");
  EXPECT_NE(error_of_tree(with(text, "\"reduce\"", "\"broadcast\"")).find("problem \"broadcast\" with \"transfer\""),
            std::string::npos);
}

TEST(TreeJson, WritesAnEmptyTree) {
  TreeSchedule schedule = sample();
  schedule.transfers.clear();
  EXPECT_NE(to_json(schedule).find("\"transfers\": [],\n"), std::string::npos);
  EXPECT_EQ(read_tree(to_json(schedule)), schedule);
}

TEST(TreeJson, RefusesWhatJsonCannotHold) {
  TreeSchedule schedule = sample();
  schedule.transfers[0].start = std::nan("");
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule = sample();
  schedule.length = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule = sample();
  schedule.algorithm = "\xff";
  EXPECT_THROW((void)to_json(schedule), InputError);
}

TEST(TreeJson, ReadsWhatWasWritten) {
  EXPECT_EQ(read_tree(kSample), sample());
  EXPECT_EQ(read_tree(kFullSample), full_sample());
  EXPECT_TRUE(validate(read_tree(kSample)).empty());
}

TEST(TreeJson, ReadsFieldsInAnyOrderAndFreshForEveryTransfer) {
  const TreeSchedule schedule =
      read_tree(R"({"bound": {"upper": 3, "lower": 2}, "length": 2.5, "segments": 2, "transfers":
    [{"segment": 1, "end": 1, "start": 0, "to": 0, "from": 2}, {"from": 1, "to": 0, "start": 1, "end": 2}],
    "compute": 0.5, "transfer": 1, "root": 0, "machines": 3, "algorithm": "greedy", "problem": "reduce",
    "type": "tree", "schema": "sluice.schedule/1"})");
  TreeSchedule expected = sample();
  expected.segments = 2;
  expected.transfers[0].segment = 1;
  EXPECT_EQ(schedule, expected);
}

TEST(TreeJson, ComesBackToTheLastBit) {
  rc::check([] {
    TreeSchedule schedule = sample();
    const auto time = [] {
      return std::ldexp(static_cast<double>(*rc::gen::positive<std::int64_t>()), *rc::gen::inRange(-80, 80));
    };
    schedule.transfer = time();
    schedule.compute = time();
    schedule.length = time();
    schedule.bound = {time(), time()};
    schedule.arrivals = {time(), time(), time()};
    schedule.transfers = {{*rc::gen::inRange<std::int64_t>(0, 1L << 62), 1, time(), time()}};
    RC_ASSERT(read_tree(to_json(schedule)) == schedule);
  });
}

TEST(TreeJson, NamesTheLineOfWhatIsWrong) {
  EXPECT_EQ(error_of_tree(with(kSample, "\"tree\"", "\"steps\"")),
            "file.json:1: \"type\": \"steps\", expected \"tree\"");
  EXPECT_EQ(error_of_tree(with(kSample, "\"reduce\"", "\"exchange\"")),
            "file.json:1: \"problem\": \"exchange\", expected \"reduce\" or \"broadcast\"");
  EXPECT_EQ(error_of_tree(with(kSample, "\"machines\": 3", "\"machines\": 3.5")),
            "file.json:2: \"machines\": 3.5, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of_tree(with(kSample, "\"machines\": 3", "\"machines\": 9223372036854775808")),
            "file.json:2: \"machines\": 9223372036854775808, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of_tree(with(kSample, "\"root\": 0", "\"root\": -1")),
            "file.json:2: \"root\": -1, expected an integer from 0 to 2^63 - 1");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1", "\"start\": -0.5")),
            "file.json:5: \"start\": -0.5, expected a number of at least 0");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1", "\"start\": 1e999")),
            "file.json:5: \"start\": 1e999, expected a number of at least 0");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1", "\"start\": \"1\"")),
            "file.json:5: \"start\": \"1\", expected a number of at least 0");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1, ", "")),
            "file.json:5: a transfer without \"start\", expected \"from\", \"to\", \"start\", \"end\", \"segment\", "
            "\"port\"");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1", "\"start\": 1, \"start\": 1")),
            "file.json:5: field \"start\" twice in a transfer, expected every field once");
  EXPECT_EQ(error_of_tree(with(kSample, "\"start\": 1", "\"begin\": 1")),
            "file.json:5: field \"begin\" in a transfer, expected only \"from\", \"to\", \"start\", \"end\", "
            "\"segment\", \"port\"");
  EXPECT_EQ(error_of_tree(with(kSample, "{\"from\": 1, \"to\": 0, \"start\": 1, \"end\": 2}", "7")),
            "file.json:5: 7, expected an object, a transfer");
  EXPECT_EQ(error_of_tree(with(kSample, "{\"lower\": 2, \"upper\": 3}", "[]")),
            "file.json:6: \"bound\": an array, expected an object");
  EXPECT_EQ(error_of_tree(with(kFullSample, "false", "0")), "file.json:3: \"commutative\": 0, expected true or false");
  EXPECT_EQ(error_of_tree(with(kFullSample, "0.25", "\"x\"")), "file.json:3: \"x\", expected a number of at least 0");
  EXPECT_EQ(error_of_tree(with(kFullSample, "0.25", "[1]")), "file.json:3: an array, expected a number of at least 0");
  EXPECT_EQ(error_of_tree(with(kFullSample, "[0, 0.25, 1e-07]", "3")),
            "file.json:3: \"arrivals\": 3, expected an array");
}

TEST(TreeJson, WantsCostsForReductionsOnly) {
  EXPECT_EQ(error_of_tree(with(kSample, ", \"compute\": 0.5", "")),
            "file.json:1: problem \"reduce\" without \"compute\", expected \"transfer\" and \"compute\", or "
            "\"transfer_costs\" and \"compute_costs\", for \"reduce\", and only for it");
  EXPECT_EQ(error_of_tree(with(kSample, "\"reduce\"", "\"broadcast\"")),
            "file.json:1: problem \"broadcast\" with \"transfer\", expected \"transfer\" and \"compute\", or "
            "\"transfer_costs\" and \"compute_costs\", for \"reduce\", and only for it");
}

TEST(TreeJson, WantsOneWholeSchedule) {
  EXPECT_EQ(error_of_tree(""), "file.json:1: the end of the file, expected the rest of a schedule");
  EXPECT_EQ(error_of_tree("[1]"), "file.json:1: an array, expected an object, a schedule");
  EXPECT_EQ(error_of_tree(kSample.substr(0, 300)), "file.json:6: the end of the file, expected the rest of a schedule");
  EXPECT_EQ(error_of_tree(kSample + "x"),
            "file.json:7: invalid literal after the schedule, expected the end of the file");
  std::ifstream none("no such file");
  EXPECT_THROW((void)read_tree_schedule(none, "none.json"), InputError);
}

/// Every file cut short or with a byte changed is read or refused, never anything else.
TEST(TreeJson, RefusesDamagedFilesCleanly) {
  for (std::size_t length = 0; length + 2 < kFullSample.size(); ++length)
    EXPECT_THROW((void)read_tree(kFullSample.substr(0, length)), InputError) << length;
  rc::check([] {
    std::string text = kFullSample;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    try {
      (void)validate(read_tree(text));
    } catch (const InputError&) {
    }
  });
}

}  // namespace
}  // namespace sluice
