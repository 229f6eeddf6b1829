/// Several arrays at once, as the command takes them.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kArrays = R"({"schema": "sluice.arrays/1", "arrays": [
  {"from": "2x2:3x2", "to": "4x1:5x3", "shape": "40x30"},
  {"from": "4:3", "to": "2:7", "shape": "101", "element_bytes": 4},
  {"from": "2x2:3x3", "to": "1x4:1x10", "shape": "30x20", "element_bytes": 16, "transpose": true},
  {"from": "2x2:1x2", "to": "4x1:2x2", "shape": "16x16", "part": "upper", "element_bytes": 1}]})";

TEST(BatchCommand, PlansAreWrittenAndChecked) {
  const Folder folder;
  folder.write("arrays.json", kArrays);
  const std::int64_t bytes = 8 * 40 * 30 + 4 * 101 + 16 * 30 * 20 + 16 * 17 / 2;
  for (const std::string options : {"", "--same-processes", "--relabel", "--relabel --algorithm oggp",
                                    "--algorithm oggp --setup 1000", "--algorithm greedy"}) {
    SCOPED_TRACE(options);
    const Outcome planned = folder.sluice(words("plan redistribute --batch arrays.json --json plan.json " + options));
    ASSERT_EQ(planned.status, 0) << planned.err;
    EXPECT_NE(planned.out.find("redistribute 4 arrays at once"), std::string::npos) << planned.out;
    EXPECT_NE(planned.out.find("merged to "), std::string::npos) << planned.out;
    const json file = json::parse(folder.read("plan.json"));
    EXPECT_EQ(file["input"]["arrays"].size(), 4U);
    const bool has_roles = options == "--same-processes" || options.starts_with("--relabel");
    EXPECT_EQ(file["input"].contains("roles"), has_roles);
    EXPECT_EQ(planned.out.find("stays where it is") != std::string::npos, options.starts_with("--relabel"));
    std::int64_t sent = 0;
    for (const json& step : file["steps"])
      for (const json& transfer : step["transfers"]) sent += transfer["size"].get<std::int64_t>();
    if (file.contains("copies"))
      for (const json& copy : file["copies"]) sent += copy["size"].get<std::int64_t>();
    EXPECT_EQ(sent, bytes);
    const Outcome checked = folder.sluice(words("check plan.json"));
    EXPECT_EQ(checked.status, 0) << checked.out;
    EXPECT_NE(checked.out.find("every byte of 4 arrays sent once"), std::string::npos) << checked.out;
    // What shows a schedule knows it too.
    EXPECT_EQ(folder.sluice(words("simulate plan.json")).status, 0);
  }
  EXPECT_EQ(folder.sluice(words("plan redistribute --batch -"), kArrays).status, 0);
}

TEST(BatchCommand, BrokenPlansAreFound) {
  const Folder folder;
  folder.write("arrays.json", kArrays);
  ASSERT_EQ(folder.sluice(words("plan redistribute --batch arrays.json --json plan.json")).status, 0);
  const json sound = json::parse(folder.read("plan.json"));
  const auto broken = [&](auto&& spoil, const std::string& about) {
    json file = sound;
    spoil(file);
    folder.write("broken.json", file.dump());
    const Outcome outcome = folder.sluice(words("check broken.json"));
    EXPECT_EQ(outcome.status, 1) << about;
    EXPECT_NE(outcome.out.find(about), std::string::npos) << outcome.out;
  };
  broken([](json& file) { file["input"]["arrays"][1]["element_bytes"] = 5; }, "are in no step");
  broken([](json& file) { file["input"]["arrays"].erase(2); }, "are beyond the message of");
  broken([](json& file) { file["input"]["arrays"][3].erase("part"); }, "are in no step");
  broken([](json& file) { file["steps"][0]["transfers"].erase(0); }, "in no step");
  broken([](json& file) { file["steps"][0]["transfers"][0]["size"] = 1; }, "are in no step");
  // And what is no plan of a batch at all is refused.
  const auto refused = [&](auto&& spoil, const std::string& about) {
    json file = sound;
    spoil(file);
    folder.write("refused.json", file.dump());
    expect_refused(folder.sluice(words("check refused.json")), about);
  };
  refused([](json& file) { file["input"]["from"] = "4:3"; }, "an input with \"arrays\" and a field of a single one");
  refused([](json& file) { file["input"]["to_replicas"] = 2; }, "and a field of a single one");
  refused([](json& file) { file["input"]["arrays"] = json::array(); }, "an input without \"from\"");
  refused([](json& file) { file["input"]["arrays"][0].erase("to"); }, "an array without \"to\"");
  refused([](json& file) { file["input"]["arrays"][0]["from"] = "2x2:3"; }, "refused.json: input.arrays[0].from");
  refused([](json& file) { file["input"]["arrays"][1]["element_bytes"] = 0; }, "element_bytes: 0");
}

TEST(BatchCommand, EqualArraysHaveThePlanOfOne) {
  const Folder folder;
  const std::string one = "plan redistribute --from 15:3 --to 15:5 --summary";
  const auto steps = [&](const std::string& more) {
    const Outcome outcome = folder.sluice(words(one + more + " --json plan.json"));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
    return json::parse(folder.read("plan.json"))["cost"];
  };
  // A step of eight arrays of 8 bytes per element costs as much beside their data as one of 64 times fewer.
  const json single = steps(" --setup 10"), batch = steps(" --setup 640 --arrays 8");
  EXPECT_EQ(batch["steps"], single["steps"]);
  EXPECT_EQ(batch["transmission"], single["transmission"].get<int>() * 64);
  EXPECT_EQ(batch["total"], single["total"].get<double>() * 64);
  const Outcome compared =
      folder.sluice(words("compare redistribute --from 15:3 --to 15:5 --arrays 8 --setup 100 --json compared.json"));
  ASSERT_EQ(compared.status, 0) << compared.err;
  const json file = json::parse(folder.read("compared.json"));
  EXPECT_EQ(file["rows"][0]["algorithm"], "one-by-one");
  EXPECT_EQ(file["rows"][0]["steps"], 8 * batch["steps"].get<int>());
}

TEST(BatchCommand, RolesAreGivenOutForAllArrays) {
  const Folder folder;
  // Alone, either array would take other roles; the second one weighs more.
  folder.write("arrays.json", R"({"schema": "sluice.arrays/1", "arrays": [
    {"from": "4:5", "to": "4:0,5,10,15,20@1,2,3,0", "shape": "20"},
    {"from": "4:5", "to": "4:0,5,10,15,20@3,0,1,2", "shape": "20", "element_bytes": 9}]})");
  const Outcome planned = folder.sluice(words("plan redistribute --batch arrays.json --relabel --json plan.json"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("stays where it is, in no step: 180 bytes, 52.9 %; with every process in the role of its "
                             "number: 0 bytes, 0.0 %"),
            std::string::npos)
      << planned.out;
  const json file = json::parse(folder.read("plan.json"));
  EXPECT_EQ(file["input"]["roles"], json({3, 0, 1, 2}));
  EXPECT_EQ(file["copies"].size(), 4U);
  EXPECT_EQ(folder.sluice(words("check plan.json")).status, 0);
  json broken = file;
  broken["input"]["roles"] = {1, 2, 3, 0};
  folder.write("broken.json", broken.dump());
  EXPECT_EQ(folder.sluice(words("check broken.json")).status, 1);
  const Outcome compared = folder.sluice(words("compare redistribute --batch arrays.json --relabel"));
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_NE(compared.out.find("stays where it is, in no step: 180 bytes"), std::string::npos) << compared.out;
}

TEST(BatchCommand, FrontOfEqualArraysIsThatOfOne) {
  const Folder folder;
  const Outcome one = folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --front --setup 2"));
  const Outcome eight =
      folder.sluice(words("plan redistribute --from 15:2 --to 6:3 --front --arrays 8 --element-bytes 1 --setup 16"));
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(eight.status, 0) << eight.err;
  EXPECT_NE(eight.out.find("total = TC + 16 NS, in bytes"), std::string::npos) << eight.out;
  const auto rows = [](const Outcome& outcome) {
    std::vector<std::pair<std::int64_t, std::int64_t>> result;  // NS, TC
    std::istringstream lines(outcome.out);
    std::int64_t steps = 0, transmission = 0, least = 0;
    double total = 0;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      if (fields >> steps >> transmission >> least >> total) result.emplace_back(steps, transmission);
    }
    return result;
  };
  auto expected = rows(one);
  EXPECT_FALSE(expected.empty());
  for (auto& [steps, transmission] : expected) transmission *= 8;
  EXPECT_EQ(rows(eight), expected) << eight.out;
}

TEST(BatchCommand, FrontOfDifferentArraysIsProven) {
  const Folder folder;
  folder.write("arrays.json", kArrays);
  const Outcome planned =
      folder.sluice(words("plan redistribute --batch arrays.json --front --setup 100 --json front.json"));
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_NE(planned.out.find("total = TC + 100 NS, in bytes"), std::string::npos) << planned.out;
  const json front = json::parse(folder.read("front.json"));
  ASSERT_FALSE(front["points"].empty());
  const Outcome whole =
      folder.sluice(words("plan redistribute --batch arrays.json --algorithm stepwise --json plan.json"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const json cost = json::parse(folder.read("plan.json"))["cost"];
  bool as_good = false;
  for (const json& point : front["points"]) {
    EXPECT_GE(point["transmission"], point["transmission_at_least"]);
    as_good = as_good || (point["steps"] <= cost["steps"] && point["transmission"] <= cost["transmission"]);
  }
  EXPECT_TRUE(as_good) << planned.out;
  EXPECT_EQ(folder.sluice(words("report front.json -o front.html")).status, 0);
}

TEST(BatchCommand, BadInputIsOneLine) {
  struct Case {
    std::string arguments;
    std::string about;
  };
  const std::string good = "--from 4:2 --to 4:3 --arrays 2 ";
  const Case cases[] = {
      {"--from 4:2 --to 4:3 --arrays 0", "--arrays: '0', expected 1 to 10000"},
      {"--from 4:2 --to 4:3 --arrays -2", "--arrays: '-2'"},
      {"--from 4:2 --to 4:3 --arrays 10001", "--arrays: '10001'"},
      {"--from 4:2 --arrays 2", "--to: no layout"},
      {"--from 4:2 --to 4:3 --shape 9e15 --element-bytes 1000 --arrays 2", "2^63"},
      {"--from 4:2 --to 4:3 --batch good.json", "--from: cannot be used with --batch"},
      {"--arrays 2 --batch good.json", "--arrays: cannot be used with --batch"},
      {"--batch good.json --shape 100", "--shape: cannot be used with --batch"},
      {"--batch good.json --element-bytes 4", "--element-bytes: cannot be used with --batch"},
      {"--batch nowhere.json", "nowhere.json: cannot be read"},
      {"--batch empty.json", "empty.json:1: no arrays"},
      {"--batch bad.json", "bad.json: arrays[1].to: '2x2:1x1' of 2 dimensions"},
      {"--batch large.json", "large.json: arrays[0].from: 1000000000000 processes, of which 35 have elements"},
      {good + "--relabel --same-processes", "--relabel: cannot be used with --same-processes"},
      {good + "--to-replicas 2", "--to-replicas: cannot be used with several arrays"},
  };
  const Folder folder;
  folder.write("good.json", kArrays);
  folder.write("empty.json", R"({"schema": "sluice.arrays/1", "arrays": []})");
  folder.write("bad.json", R"({"schema": "sluice.arrays/1", "arrays": [{"from": "4:2", "to": "4:3", "shape": "9"},
                              {"from": "4:2", "to": "2x2:1x1", "shape": "9"}]})");
  folder.write("large.json", R"({"schema": "sluice.arrays/1", "arrays": [
                              {"from": "1000000000000:1", "to": "4:3", "shape": "35"}]})");
  const std::vector<std::string> before = folder.files();
  for (const Case& each : cases) {
    for (const std::string verb : {"plan", "compare"}) {
      SCOPED_TRACE(verb + ' ' + each.arguments);
      expect_refused(folder.sluice(words(verb + " redistribute --json out.json " + each.arguments)), each.about);
      EXPECT_EQ(folder.files(), before);
    }
  }
  for (const std::string option : {"--trace out.json", "--svg out.svg --beside good.json", "--algorithm stepwise"})
    expect_refused(folder.sluice(words("plan redistribute --front " + good + option)), "--front: ");
  EXPECT_EQ(folder.files(), before);
  for (const std::string option : {"--preemptive", "--rank 1", "--algorithm walker-otto"})
    expect_refused(folder.sluice(words("plan redistribute " + good + option)), "cannot be used with several arrays");
  expect_refused(folder.sluice(words("plan redistribute --batch good.json --algorithm classes")),
                 "'classes' for arrays that are not alike");
  expect_refused(folder.sluice(words("plan redistribute --batch good.json --algorithm none")), "'none'");
}

}  // namespace
}  // namespace sluice::testing
