#include "sluice/schedule/json.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "sluice/error.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {
namespace {

using testing::with;

constexpr std::int64_t kHugeSize = std::numeric_limits<std::int64_t>::max();

ScheduleFile read(const std::string& text) {
  std::istringstream in(text);
  return read_schedule(in, "file.json");
}

StepSchedule sample() {
  StepSchedule schedule;
  schedule.problem = "redistribute";
  schedule.algorithm = "classes";
  schedule.senders = 2;
  schedule.receivers = 3;
  schedule.max_transfers = 2;
  schedule.setup = 1;
  schedule.steps = {{2, {{0, 1, 0, 1}, {1, 2, 0, 2}}}, {0, {}}, {3, {{0, 0, 0, 3}}}};
  schedule.bound = {2, 4, 6.25};
  schedule.input = RedistributionInput{"2:3", "3:2", "12"};
  return schedule;
}

const std::string kSample =
    R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "redistribute", "algorithm": "classes",
 "senders": 2, "receivers": 3, "max_transfers": 2, "setup": 1,
 "input": {"from": "2:3", "to": "3:2", "shape": "12"},
 "steps": [
  {"duration": 2, "transfers": [{"from": 0, "to": 1, "offset": 0, "size": 1}, {"from": 1, "to": 2, "offset": 0, "size": 2}]},
  {"duration": 0, "transfers": []},
  {"duration": 3, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 3}]}],
 "cost": {"steps": 3, "transmission": 5, "total": 8},
 "bound": {"steps": 2, "transmission": 4, "total": 6.25}}
)";

// ---- writing

TEST(ToJson, KeepsTheCertificateOfABound) {
  BoundCertificate certificate{"lp", {"receiver", 2}, {"all", 0}, {0.125, 0, 1e-17}, {0.3, 0.1, 2.0 / 3}};
  const std::string text = to_json(sample(), certificate);
  EXPECT_NE(
      text.find(
          R"("certificate": {"total": "lp", "transmission": {"of": "receiver", "node": 2}, "steps": {"of": "all"})"),
      std::string::npos)
      << text;
  EXPECT_EQ(read(text).certificate, certificate);
  EXPECT_EQ(read(kSample).certificate, std::nullopt);
  certificate.size_prices = certificate.piece_prices = {};
  certificate.durations = {0.5, 3, 1e9};
  certificate.node_prices = {{{"sender", 1}, {0, 0.25, 1}}, {{"all", 0}, {0.125, 0, 1}}};
  EXPECT_NE(to_json(sample(), certificate).find(R"({"of": "sender", "node": 1,)"), std::string::npos);
  EXPECT_EQ(read(to_json(sample(), certificate)).certificate, certificate);
  certificate = {"eta", {"sender", 1}, {"receiver", 0}, {}, {}};
  EXPECT_EQ(read(to_json(sample(), certificate)).certificate, certificate);
}

TEST(ToJson, WritesOneLineAStep) { EXPECT_EQ(to_json(sample()), kSample); }

TEST(ToJson, WritesRolesAndCopiesWhereThereAreAny) {
  StepSchedule schedule = sample();
  schedule.input->roles = {0, 2, 1};
  schedule.steps.pop_back();
  schedule.copies = {{0, 0, 0, 3}, {1, 2, 0, 4}};
  const std::string text = to_json(schedule);
  EXPECT_NE(text.find("\n \"input\": {\"from\": \"2:3\", \"to\": \"3:2\", \"shape\": \"12\", \"roles\": [0, 2, 1]},\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("],\n \"copies\": [{\"from\": 0, \"to\": 0, \"offset\": 0, \"size\": 3}, "
                      "{\"from\": 1, \"to\": 2, \"offset\": 0, \"size\": 4}],\n \"cost\": "),
            std::string::npos)
      << text;
  EXPECT_EQ(read(text).schedule, schedule);
}

TEST(ToJson, LeavesOutWhatIsNotThere) {
  StepSchedule schedule = sample();
  schedule.input->shape.clear();
  EXPECT_NE(to_json(schedule).find(" \"input\": {\"from\": \"2:3\", \"to\": \"3:2\"},\n \"steps\""), std::string::npos);
  schedule.input.reset();
  EXPECT_NE(to_json(schedule).find("\"setup\": 1,\n \"steps\""), std::string::npos);
  schedule.steps.clear();
  EXPECT_NE(to_json(schedule).find("\"steps\": [],\n \"cost\": {\"steps\": 0, "), std::string::npos);
}

TEST(ToJson, WritesIntegralNumbersAsIntegers) {
  const auto setup_as_written = [](double setup) {
    StepSchedule schedule = sample();
    schedule.setup = setup;
    const std::string text = to_json(schedule);
    const std::size_t begin = text.find("\"setup\": ") + 9;
    return text.substr(begin, text.find(',', begin) - begin);
  };
  EXPECT_EQ(setup_as_written(0), "0");
  EXPECT_EQ(setup_as_written(-0.0), "0");
  EXPECT_EQ(setup_as_written(100000), "100000");
  EXPECT_EQ(setup_as_written(1e18), "1000000000000000000");
  EXPECT_EQ(setup_as_written(9223372036854775808.0), "9.223372036854776e+18");
  EXPECT_EQ(setup_as_written(0.1), "0.1");
  EXPECT_EQ(setup_as_written(2.5e-7), "2.5e-07");
}

TEST(ToJson, EscapesText) {
  StepSchedule schedule = sample();
  schedule.algorithm = "a \"b\"\n\\ \xc3\xa9";
  EXPECT_NE(to_json(schedule).find(R"("algorithm": "a \"b\"\n\\ )"
                                   "\xc3\xa9\""),
            std::string::npos);
  EXPECT_EQ(read(to_json(schedule)).schedule, schedule);
}

TEST(ToJson, RefusesWhatJsonCannotHold) {
  StepSchedule schedule = sample();
  schedule.setup = std::nan("");
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule.setup = std::numeric_limits<double>::infinity();
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule = sample();
  schedule.bound.total = std::nan("");
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule = sample();
  schedule.algorithm = "\xff";
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule = sample();
  schedule.steps[0].duration = kHugeSize;
  EXPECT_THROW((void)to_json(schedule), InputError);
}

// ---- reading what is right

TEST(ReadSchedule, ReadsWhatWasWritten) {
  const ScheduleFile file = read(kSample);
  EXPECT_EQ(file.schedule, sample());
  EXPECT_EQ(file.stated_cost, (Cost{3, 5, 8}));
  EXPECT_EQ(validate(file), std::vector<Violation>{});
}

/// The example of the documentation of the format. It is an excerpt: its cost and bound are of all 44 steps.
TEST(ReadSchedule, ReadsTheDocumentedExample) {
  const ScheduleFile file = read(R"(
    {"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "oggp",
     "senders": 20, "receivers": 20, "max_transfers": 3, "setup": 1,
     "steps": [{"duration": 12, "transfers": [{"from": 0, "to": 4, "offset": 0, "size": 12}]}],
     "cost":  {"steps": 44, "transmission": 380, "total": 424},
     "bound": {"steps": 40, "transmission": 370, "total": 410}}
)");
  EXPECT_EQ(file.schedule.problem, "exchange");
  EXPECT_EQ(file.schedule.algorithm, "oggp");
  EXPECT_EQ(file.schedule.senders, 20);
  EXPECT_EQ(file.schedule.receivers, 20);
  EXPECT_EQ(file.schedule.max_transfers, 3);
  EXPECT_EQ(file.schedule.setup, 1);
  EXPECT_EQ(file.schedule.steps, (std::vector<Step>{{12, {{0, 4, 0, 12}}}}));
  EXPECT_EQ(file.schedule.bound, (Cost{40, 370, 410}));
  EXPECT_EQ(file.stated_cost, (Cost{44, 380, 424}));
  EXPECT_FALSE(file.schedule.input.has_value());
}

TEST(ReadSchedule, TakesFieldsInAnyOrderAndLayout) {
  EXPECT_EQ(read(R"({"bound":{"total":6.25,"transmission":4,"steps":2},"cost":{"total":8e0,"steps":3,"transmission":5},
"steps":[{"transfers":[{"size":1,"offset":0,"to":1,"from":0},{"from":1,
"to":2,"offset":0,"size":2}],"duration":2},{"duration":0,"transfers":[]},{"duration":3,"transfers":[{"from":0,"to":0,"offset":-0,"size":3}]}],
"input":{"shape":"12","to":"3:2","from":"2:3"},"setup":1.0,"max_transfers":2,"receivers":3,"senders":2,
"algorithm":"classes","problem":"redistribute","type":"steps","schema":"sluice.schedule/1"})")
                .schedule,
            sample());
}

TEST(ReadSchedule, TakesTheLargestIntegers) {
  StepSchedule schedule = sample();
  schedule.senders = schedule.receivers = schedule.max_transfers = kHugeSize;
  schedule.steps = {{kHugeSize, {{kHugeSize, kHugeSize, kHugeSize, kHugeSize}}}};
  schedule.bound = {kHugeSize, kHugeSize, 1.7e308};
  EXPECT_EQ(read(to_json(schedule)).schedule, schedule);
}

TEST(ReadSchedule, ReturnsWhatWasWrittenWhateverItIs) {
  const auto count = rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 40);
  const auto amount =
      rc::gen::map(rc::gen::arbitrary<double>(), [](double x) { return std::isfinite(x) ? std::abs(x) : 0.5; });
  const auto word = rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
  EXPECT_TRUE(rc::check("reading returns what was written", [&] {
    StepSchedule schedule;
    schedule.problem = *rc::gen::element<std::string>("redistribute", "exchange");
    schedule.algorithm = *word;
    schedule.senders = *count;
    schedule.receivers = *count;
    schedule.max_transfers = *count;
    schedule.setup = *rc::gen::oneOf(rc::gen::map(count, [](std::int64_t x) { return static_cast<double>(x); }),
                                     rc::gen::map(amount, [](double x) { return std::fmod(x, 1e100); }));
    schedule.bound = {*count, *count, *amount};
    if (*rc::gen::arbitrary<bool>()) schedule.input = RedistributionInput{*word, *word, *word};
    if (schedule.input) schedule.input->roles = *rc::gen::container<std::vector<std::int64_t>>(count);
    const int copies = *rc::gen::inRange(0, 4);
    for (int i = 0; i < copies; ++i) schedule.copies.push_back({*count, *count, *count, *count});
    const int steps = *rc::gen::inRange(0, 6);
    for (int s = 0; s < steps; ++s) {
      Step step{*count, {}};
      const int transfers = *rc::gen::inRange(0, 4);
      for (int t = 0; t < transfers; ++t) step.transfers.push_back({*count, *count, *count, *count});
      schedule.steps.push_back(step);
    }
    const ScheduleFile file = read(to_json(schedule));
    RC_ASSERT(file.schedule == schedule);
    RC_ASSERT(file.stated_cost == cost(schedule));
  }));
}

// ---- sizes with a fraction

using Violations = std::vector<Violation>;

StepSchedule sample_with_decimals() {
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.algorithm = "oggp";
  schedule.senders = 2;
  schedule.receivers = 2;
  schedule.max_transfers = 2;
  schedule.setup = 37.5;
  schedule.steps = {{250, {{0, 0, 0, 250}, {1, 1, 0, 50}}}, {101, {{0, 0, 250, 101}}}};
  schedule.bound = {2, 351, 426.125};
  schedule.decimals = 2;
  return schedule;
}

const std::string kSampleWithDecimals =
    R"({"schema": "sluice.schedule/1", "type": "steps", "problem": "exchange", "algorithm": "oggp",
 "senders": 2, "receivers": 2, "max_transfers": 2, "setup": 0.375,
 "steps": [
  {"duration": 2.5, "transfers": [{"from": 0, "to": 0, "offset": 0, "size": 2.5}, {"from": 1, "to": 1, "offset": 0, "size": 0.5}]},
  {"duration": 1.01, "transfers": [{"from": 0, "to": 0, "offset": 2.5, "size": 1.01}]}],
 "cost": {"steps": 2, "transmission": 3.51, "total": 4.26},
 "bound": {"steps": 2, "transmission": 3.51, "total": 4.26125}}
)";

TEST(Decimals, AreWrittenInTheUnitOfTheInput) { EXPECT_EQ(to_json(sample_with_decimals()), kSampleWithDecimals); }

TEST(Decimals, AreReadExactly) {
  const ScheduleFile file = read(kSampleWithDecimals);
  EXPECT_EQ(file.schedule, sample_with_decimals());
  EXPECT_EQ(file.stated_cost, (Cost{2, 351, 426}));
  StepSchedule sound = file.schedule;
  sound.bound.total = 426;
  EXPECT_EQ(validate(sound), Violations{});
}

TEST(Decimals, MayBeWrittenInAnyWay) {
  std::string text = with(kSampleWithDecimals, R"("size": 2.5)", R"("size": 2.50000)");
  text = with(text, R"("size": 0.5)", R"("size": 5e-1)");
  text = with(text, R"("duration": 2.5)", R"("duration": 250.0E-2)");
  text = with(text, R"("setup": 0.375)", R"("setup": 37.5e-2)");
  EXPECT_EQ(read(text).schedule, sample_with_decimals());
}

/// What was read before the first fraction counts in its unit too, whatever it is.
TEST(Decimals, MayShowLate) {
  const ScheduleFile file = read(R"({"bound": {"steps": 2, "transmission": 3, "total": 4},
"cost": {"steps": 2, "transmission": 5, "total": 7}, "setup": 1,
"steps": [{"duration": 3, "transfers": [{"from": 0, "to": 1, "offset": 7, "size": 3}]},
{"duration": 2, "transfers": [{"from": 1, "to": 0, "offset": 1, "size": 2}, {"offset": 4, "size": 0.25, "from": 0, "to": 1}]}],
"max_transfers": 2, "receivers": 2, "senders": 2, "algorithm": "oggp", "problem": "exchange", "type": "steps",
"schema": "sluice.schedule/1"})");
  EXPECT_EQ(file.schedule.decimals, 2);
  EXPECT_EQ(file.schedule.setup, 100);
  EXPECT_EQ(file.schedule.senders, 2);
  EXPECT_EQ(file.schedule.max_transfers, 2);
  EXPECT_EQ(file.schedule.bound, (Cost{2, 300, 400}));
  EXPECT_EQ(file.stated_cost, (Cost{2, 500, 700}));
  EXPECT_EQ(file.schedule.steps,
            (std::vector<Step>{{300, {{0, 1, 700, 300}}}, {200, {{1, 0, 100, 200}, {0, 1, 400, 25}}}}));
}

TEST(Decimals, AreLeftOutWhereNothingNeedsThem) {
  StepSchedule schedule = sample_with_decimals();
  schedule.steps[1] = {100, {{0, 0, 250, 100}}};
  schedule.bound = {2, 350, 425.5};
  const StepSchedule reread = read(to_json(schedule)).schedule;
  EXPECT_EQ(reread.decimals, 1);
  EXPECT_EQ(reread.setup, 3.75);
  EXPECT_EQ(reread.steps, (std::vector<Step>{{25, {{0, 0, 0, 25}, {1, 1, 0, 5}}}, {10, {{0, 0, 25, 10}}}}));
  EXPECT_EQ(reread.bound, (Cost{2, 35, 42.55}));
  // Whole numbers are whole however they are written.
  EXPECT_EQ(read(with(kSample, R"("size": 3})", R"("size": 3.0})")).schedule, sample());
  EXPECT_EQ(read(with(kSample, R"("duration": 3)", R"("duration": 0.3e1)")).schedule, sample());
}

/// Sizes come back as they were, if at least one needs all decimals. Numbers beside them come back to the last bit.
TEST(Decimals, ComeBackAsTheyWereWritten) {
  const auto size = rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 50);
  const auto amount =
      rc::gen::map(rc::gen::arbitrary<double>(), [](double x) { return std::isfinite(x) ? std::abs(x) : 0.5; });
  EXPECT_TRUE(rc::check("reading returns what was written", [&] {
    StepSchedule schedule = sample_with_decimals();
    schedule.decimals = *rc::gen::inRange<std::int32_t>(1, 19);
    schedule.setup = std::fmod(*amount, 1e100);
    schedule.bound = {*size, *size, *amount};
    schedule.steps = {{*size / 10 * 10 + 7, {{0, 1, *size, *size}}}};
    const int steps = *rc::gen::inRange(0, 4);
    for (int s = 0; s < steps; ++s) schedule.steps.push_back({*size, {{0, 1, *size, *size}, {1, 0, *size, *size}}});
    const ScheduleFile file = read(to_json(schedule));
    RC_ASSERT(file.schedule == schedule);
    RC_ASSERT(file.stated_cost == cost(schedule));
  }));
}

TEST(Decimals, BeyondWhatFitsAreBadInput) {
  const auto what = [](const std::string& text) -> std::string {
    return testing::error_of([&] { return read(text); });
  };
  EXPECT_EQ(what(with(kSample, R"("size": 3)", R"("size": 1e-19)")),
            R"(file.json:7: "size": 1e-19, expected a number from 0 to 2^63 - 1, of at most 18 decimals)");
  EXPECT_EQ(what(with(kSample, R"("size": 3)", R"("size": -0.5)")),
            R"(file.json:7: "size": -0.5, expected a number from 0 to 2^63 - 1, of at most 18 decimals)");
  EXPECT_EQ(what(with(kSample, R"("size": 3)", R"("size": 1e19)")),
            R"(file.json:7: "size": 1e19, expected a number from 0 to 2^63 - 1, of at most 18 decimals)");
  const std::string large = with(kSample, R"("offset": 0, "size": 1})", R"("offset": 4e18, "size": 1})");
  EXPECT_EQ(what(large), "no error");
  const char* const expected =
      R"(file.json:7: "size": 0.5 beside sizes with 1 decimal, expected sizes that fit 64-bit integers in their smallest unit)";
  EXPECT_EQ(what(with(large, R"("size": 3)", R"("size": 0.5)")), expected);
  EXPECT_EQ(
      what(with(kSampleWithDecimals, R"("size": 1.01)", R"("size": 92233720368547759)")),
      R"(file.json:5: "size": 92233720368547759 beside sizes with 2 decimals, expected sizes that fit 64-bit integers in their smallest unit)");
  EXPECT_EQ(
      what(with(kSampleWithDecimals, R"("setup": 0.375)", R"("setup": 1.7e308)")),
      R"(file.json:7: 1.7e308 beside sizes with 2 decimals, expected a number that a double holds in their smallest unit)");
  StepSchedule schedule = sample();
  schedule.decimals = 19;
  EXPECT_THROW((void)to_json(schedule), InputError);
  schedule.decimals = -1;
  EXPECT_THROW((void)to_json(schedule), InputError);
}

TEST(Decimals, StatedCostsAreJudgedInTheUnitOfTheFile) {
  EXPECT_EQ(validate(read(with(kSampleWithDecimals, R"("transmission": 3.51, "total": 4.26})",
                               R"("transmission": 3.5, "total": 4.25})"))),
            (Violations{{-1, -1, "the bound on the total is 4.26125, the schedule costs 4.26"},
                        {-1, -1, "the stated transmission is 3.5, the durations add up to 3.51"},
                        {-1, -1, "the stated total is 4.25, transmission + setup * steps is 4.26"}}));
}

/// The total of a bound may come from elsewhere than from its steps and transmission.
TEST(ValidateFile, TheBoundOnTheTotalMayBeTighterThanItsParts) {
  EXPECT_EQ(validate(read(with(kSample, R"("total": 6.25)", R"("total": 7.875)"))), Violations{});
  EXPECT_EQ(validate(read(with(kSample, R"("total": 6.25)", R"("total": 8)"))), Violations{});
  EXPECT_EQ(validate(read(with(kSample, R"("total": 6.25)", R"("total": 8.0625)"))),
            (Violations{{-1, -1, "the bound on the total is 8.0625, the schedule costs 8"}}));
}

// ---- what a file states about its cost

TEST(ValidateFile, StatedStepsOtherThanTheSchedules) {
  const ScheduleFile file = read(with(kSample, R"("cost": {"steps": 3)", R"("cost": {"steps": 2)"));
  EXPECT_EQ(validate(file), (Violations{{-1, -1, "the stated cost is 2 steps, the schedule has 3"}}));
}

TEST(ValidateFile, StatedTransmissionOtherThanTheSchedules) {
  const ScheduleFile file = read(with(kSample, R"("transmission": 5)", R"("transmission": 6)"));
  EXPECT_EQ(validate(file), (Violations{{-1, -1, "the stated transmission is 6, the durations add up to 5"}}));
}

TEST(ValidateFile, StatedTotalOtherThanTheSchedules) {
  const Violations expected{{-1, -1, "the stated total is 7.5, transmission + setup * steps is 8"}};
  EXPECT_EQ(validate(read(with(kSample, R"("total": 8)", R"("total": 7.5)"))), expected);
  EXPECT_EQ(validate(read(with(kSample, R"("total": 8)", R"("total": 8.5)"))).size(), 1U);
}

TEST(ValidateFile, StatedTotalMayDifferByRounding) {
  EXPECT_EQ(validate(read(with(kSample, R"("total": 8)", R"("total": 8.000000000000002)"))), Violations{});
}

TEST(ValidateFile, AddsToTheViolationsOfTheSchedule) {
  ScheduleFile file = read(with(kSample, R"("duration": 2)", R"("duration": 1)"));
  file.schedule.bound = {};
  const Violations found = validate(file);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].step, 0);
  EXPECT_EQ(found[1].reason, "the stated transmission is 5, the durations add up to 4");
  EXPECT_EQ(found[2].reason, "the stated total is 8, transmission + setup * steps is 7");
}

TEST(ValidateFile, KnowsTheTraffic) {
  const ScheduleFile file = read(kSample);
  EXPECT_EQ(validate(file, Traffic{2, 3, {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}}}), Violations{});
  EXPECT_EQ(validate(file, Traffic{2, 3, {{0, 0, 3}, {0, 1, 1}, {1, 2, 2}, {1, 1, 1}}}),
            (Violations{{-1, 1, "the message of 1 unit from sender 1 to receiver 1 is in no step"}}));
}

TEST(ValidateFile, DurationsThatOverflowAreOneViolation) {
  ScheduleFile file = read(kSample);
  file.schedule.steps[1] = {kHugeSize, {{0, 2, 0, kHugeSize}}};
  EXPECT_EQ(validate(file), (Violations{{-1, -1, "the durations add up to a value beyond 2^63 - 1"}}));
}

// ---- reading what is wrong

struct Fault {
  const char* from;  // in the sample
  const char* to;
  int line;
  const char* what;  // after "file.json:LINE: "
};

const Fault kFaults[] = {
    // schema, type, problem
    {R"("schema": "sluice.schedule/1", )", "", 1,
     R"(a schedule without "schema", expected "schema", "type", "problem", "algorithm", "senders", "receivers", "max_transfers", "setup", "switches", "speeds", "input", "steps", "copies", "cost", "bound", "certificate", "local_phases")"},
    {"sluice.schedule/1", "sluice.run/1", 1, R"("schema": "sluice.run/1", expected "sluice.schedule/1")"},
    {R"("sluice.schedule/1")", "1", 1, R"("schema": 1, expected "sluice.schedule/1")"},
    {R"("type": "steps")", R"("type": "tree")", 1, R"("type": "tree", expected "steps")"},
    {R"("type": "steps")", R"("type": "forest")", 1, R"("type": "forest", expected "steps")"},
    {R"("redistribute")", R"("reduce")", 1, R"("problem": "reduce", expected "redistribute" or "exchange")"},
    {R"("redistribute")", R"("a\nb\u0007")", 1, R"("problem": "a\x0ab\x07", expected "redistribute" or "exchange")"},
    // the shape of the whole
    {R"({"schema")", R"([{"schema")", 1, "an array, expected an object, a schedule"},
    {R"({"schema")", R"("x" {"schema")", 1, R"("x", expected an object, a schedule)"},
    {R"({"schema")", R"(5 {"schema")", 1, "5, expected an object, a schedule"},
    {R"({"schema")", R"(null {"schema")", 1, "null, expected an object, a schedule"},
    {"6.25}}\n", "6.25}}\n\n{", 11, "'{' after the schedule, expected the end of the file"},
    {"6.25}}\n", "6.25}}\n\n\n7", 12, "number literal after the schedule, expected the end of the file"},
    {"6.25}}\n", "6.25}} #", 9, "invalid literal after the schedule, expected the end of the file"},
    {"6.25}}\n", "6.25}}}", 9, "'}' after the schedule, expected the end of the file"},
    {"6.25}}\n", "6.25}", 9, "the end of the file, expected the rest of a schedule"},
    {"6.25}}\n", "6.25}\n\n", 10, "the end of the file, expected the rest of a schedule"},
    // fields
    {R"("senders": 2, )", "", 1,
     R"(a schedule without "senders", expected "schema", "type", "problem", "algorithm", "senders", "receivers", "max_transfers", "setup", "switches", "speeds", "input", "steps", "copies", "cost", "bound", "certificate", "local_phases")"},
    {R"("duration": 0, )", "", 6, R"(a step without "duration", expected "switch", "duration", "transfers")"},
    {R"(, "transfers": [])", "", 6, R"(a step without "transfers", expected "switch", "duration", "transfers")"},
    {R"(, "size": 3)", "", 7, R"(a transfer without "size", expected "from", "to", "offset", "size")"},
    {R"("total": 8)", R"("totals": 8)", 8,
     R"(field "totals" in a cost, expected only "steps", "transmission", "total")"},
    {R"(, "total": 8)", "", 8, R"(a cost without "total", expected "steps", "transmission", "total")"},
    {R"(, "total": 6.25)", "", 9, R"(a bound without "total", expected "steps", "transmission", "total")"},
    {R"("to": "3:2", )", "", 3,
     R"(an input without "to", expected "from" and "to", or "arrays" with "roles" alone beside them)"},
    {R"("setup": 1,)", "\"setup\": 1,\n\"setup\": 1,", 3,
     R"(field "setup" twice in a schedule, expected every field once)"},
    {R"("size": 3)", R"("size": 3, "size": 3)", 7, R"(field "size" twice in a transfer, expected every field once)"},
    {R"("setup": 1)", R"("set\tup": 1)", 2,
     R"(field "set\x09up" in a schedule, expected only "schema", "type", "problem", "algorithm", "senders", "receivers", "max_transfers", "setup", "switches", "speeds", "input", "steps", "copies", "cost", "bound", "certificate", "local_phases")"},
    // types
    {R"("senders": 2)", R"("senders": "2")", 2, R"("senders": "2", expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": 2.5)", 2, R"("senders": 2.5, expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": 2.0)", 2, R"("senders": 2.0, expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": null)", 2, R"("senders": null, expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": true)", 2, R"("senders": true, expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": [2])", 2, R"("senders": an array, expected an integer from 0 to 2^63 - 1)"},
    {R"("senders": 2)", R"("senders": {})", 2, R"("senders": an object, expected an integer from 0 to 2^63 - 1)"},
    {R"("setup": 1)", R"("setup": "1")", 2, R"("setup": "1", expected a number of at least 0)"},
    {R"("algorithm": "classes")", R"("algorithm": false)", 1, R"("algorithm": false, expected a string)"},
    {R"("shape": "12")", R"("shape": 12)", 3, R"("shape": 12, expected a string)"},
    {R"({"steps": 3, "transmission": 5, "total": 8})", "8", 8, R"("cost": 8, expected an object)"},
    {R"({"from": "2:3", "to": "3:2", "shape": "12"})", "[]", 3, R"("input": an array, expected an object)"},
    {R"("transfers": [])", R"("transfers": {})", 6, R"("transfers": an object, expected an array)"},
    {R"({"duration": 0, "transfers": []})", "[]", 6, "an array, expected an object, a step"},
    {R"({"duration": 0, "transfers": []})", "4", 6, "4, expected an object, a step"},
    {R"("transfers": [])", R"("transfers": [3])", 6, "3, expected an object, a transfer"},
    {R"("size": 3}])", R"("size": 3}, "x"])", 7, R"("x", expected an object, a transfer)"},
    // numbers
    {R"("senders": 2)", R"("senders": -1)", 2, R"("senders": -1, expected an integer from 0 to 2^63 - 1)"},
    {R"("receivers": 3)", R"("receivers": -1)", 2, R"("receivers": -1, expected an integer from 0 to 2^63 - 1)"},
    {R"("max_transfers": 2)", R"("max_transfers": -1)", 2,
     R"("max_transfers": -1, expected an integer from 0 to 2^63 - 1)"},
    {R"("setup": 1)", R"("setup": -1)", 2, R"("setup": -1, expected a number of at least 0)"},
    {R"("setup": 1)", R"("setup": -0.5)", 2, R"("setup": -0.5, expected a number of at least 0)"},
    {R"("setup": 1)", R"("setup": 1e999)", 2, R"("setup": 1e999, expected a number of at least 0)"},
    {R"("duration": 0)", R"("duration": -3)", 6,
     R"("duration": -3, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("offset": 0, "size": 3)", R"("offset": -3, "size": 3)", 7,
     R"("offset": -3, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("size": 3)", R"("size": -3)", 7, R"("size": -3, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("size": 3)", R"("size": 9223372036854775808)", 7,
     R"("size": 9223372036854775808, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("size": 3)", R"("size": -9223372036854775809)", 7,
     R"("size": -9223372036854775809, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("size": 3)", R"("size": 99999999999999999999999999999999999999999999999999)", 7,
     R"("size": 9999999999999999999999999999999999999999..., expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("size": 3)", "\"size\":\n\n-3\n", 9,
     R"("size": -3, expected a number from 0 to 2^63 - 1, of at most 18 decimals)"},
    {R"("cost": {"steps": 3)", R"("cost": {"steps": -3)", 8, R"("steps": -3, expected an integer from 0 to 2^63 - 1)"},
    {R"("total": 8)", R"("total": -8)", 8, R"("total": -8, expected a number of at least 0)"},
    {R"("bound": {"steps": 2)", R"("bound": {"steps": -2)", 9,
     R"("steps": -2, expected an integer from 0 to 2^63 - 1)"},
    // no JSON
    {R"("senders": 2, )", R"("senders": 2  )", 2, R"(string literal at the end of `"receivers"`, expected ',' or '}')"},
    {R"("size": 1}, {)", R"("size": 1} {)", 5, R"('{' at the end of `1} {`, expected ',' or ']')"},
    {R"("senders": 2, )", R"("senders"  2, )", 2, "number literal at the end of `2`, expected ':'"},
    {R"("senders": 2, )", R"("senders": , )", 2,
     R"(',' at the end of `"senders": ,`, expected '[', '{', or a literal)"},
    {R"("senders": 2, )", R"(senders: 2, )", 2, "invalid literal at the end of `s`, expected string literal"},
    {R"("senders": 2, )", R"("senders": nan, )", 2, R"(invalid literal at the end of `"senders": na`, expected JSON)"},
    {R"("senders": 2, )", R"("senders": 02, )", 2, "number literal at the end of `2`, expected ',' or '}'"},
    {"[]},\n", "[]},\n // the last\n", 7, "invalid literal at the end of `/`, expected JSON"},
    {R"("classes")", "\"clas\nses\"", 1,
     R"(invalid string: control character U+000A (LF) must be escaped to \u000A or \n at the end of `"clas`, expected JSON)"},
    {R"("classes")", "\"clas\xff\"", 1,
     R"(invalid string: ill-formed UTF-8 byte at the end of `"clas\xff`, expected JSON)"},
};

TEST(ReadSchedule, NamesTheLineAndTheFaultOfEachMalformedFile) {
  for (const Fault& fault : kFaults) {
    const std::string text = with(kSample, fault.from, fault.to);
    try {
      (void)read(text);
      ADD_FAILURE() << "no error for " << fault.from << " -> " << fault.to;
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "file.json:" + std::to_string(fault.line)) << fault.from << " -> " << fault.to;
      EXPECT_EQ(error.found() + ", expected " + error.expected(), fault.what) << fault.from << " -> " << fault.to;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

TEST(ReadSchedule, EveryTruncationIsBadInput) {
  const std::size_t end = kSample.rfind('}') + 1;
  EXPECT_NO_THROW((void)read(kSample.substr(0, end)));
  std::int64_t line = 1;
  for (std::size_t size = 0; size < end; ++size) {
    try {
      (void)read(kSample.substr(0, size));
      ADD_FAILURE() << "no error for the first " << size << " bytes";
    } catch (const InputError& error) {
      EXPECT_EQ(error.where(), "file.json:" + std::to_string(line)) << size;
      EXPECT_EQ(error.found(), "the end of the file") << size;
    }
    if (size > 0 && kSample[size - 1] == '\n') ++line;
  }
}

TEST(ReadSchedule, NoChangedByteIsACrash) {
  for (std::size_t at = 0; at < kSample.size(); ++at) {
    for (const char c : {'\0', '\n', '"', '{', '}', '[', ']', ',', '-', '9', 'e', '\\', '\x80', '\xff'}) {
      std::string text = kSample;
      text[at] = c;
      try {
        (void)validate(read(text));
      } catch (const InputError& error) {
        EXPECT_EQ(error.where().substr(0, 10), "file.json:");
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
      }
    }
  }
}

TEST(ReadSchedule, DeepNestingEndsAtOnce) {
  const std::string deep(1'000'000, '[');
  for (const std::string& text : {deep, with(kSample, R"("setup": 1)", "\"setup\": " + deep),
                                  with(kSample, R"("transfers": [])", "\"transfers\": " + deep)})
    EXPECT_THROW((void)read(text), InputError);
}

TEST(ReadSchedule, AFileThatCannotBeReadIsBadInput) {
  std::ifstream none("no such file.json");
  std::ifstream directory("/");
  for (std::ifstream* in : {&none, &directory}) {
    try {
      (void)read_schedule(*in, "file.json");
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "file.json: cannot be read, expected a schedule");
    }
  }
}

}  // namespace
}  // namespace sluice
