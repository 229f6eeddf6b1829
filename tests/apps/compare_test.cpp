#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "command_runner.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// One array in several layouts, a row each; ratios are to the least of their bounds.
TEST(Compare, HasARowForEachTarget) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice(words("compare redistribute --from 15:3 --to 15:5 --to 15:6 --shape 4500 --json compare.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("compare.json"));
  ASSERT_EQ(file["rows"].size(), 2U);
  double least = file["rows"][0]["total"];
  for (const auto& [row, to] : {std::pair{0, "15:5"}, std::pair{1, "15:6"}}) {
    EXPECT_EQ(file["rows"][row]["algorithm"], std::string("--to ") + to + ", auto");
    const json alone = json::parse(
        folder.sluice(words(std::string("plan redistribute --from 15:3 --shape 4500 --json - --to ") + to)).out);
    EXPECT_EQ(file["rows"][row]["total"], alone["cost"]["total"]);
    EXPECT_NE(outcome.out.find(std::string("\n--to ") + to + ", auto "), std::string::npos) << outcome.out;
    least = std::min(least, alone["bound"]["total"].get<double>());
  }
  EXPECT_EQ(file["bound"]["total"], least);
  // Without --shape, the smallest array with whole slices of all layouts.
  const Outcome slices = folder.sluice(words("compare redistribute --from 15:3 --to 15:5 --to 15:6"));
  EXPECT_NE(slices.out.find("redistribute 15:3 -> 15:5: 450 elements"), std::string::npos) << slices.out;
  EXPECT_NE(slices.out.find("redistribute 15:3 -> 15:6: 450 elements"), std::string::npos) << slices.out;
  expect_refused(folder.sluice(words("compare redistribute --from 15:3 --to 15:5 --to 15:6 --arrays 2")),
                 "--to: given 2 times, expected once with --arrays or --batch");
}

TEST(Compare, JsonHasARowForEveryAlgorithmInTheOrderOfTheContract) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("compare redistribute --from 16:3 --to 16:5 --json out.json"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(folder.files(), Arguments{"out.json"});
  const std::string text = folder.read("out.json");
  const ordered_json file = ordered_json::parse(text);
  std::vector<std::string> fields;
  for (const auto& [name, value] : file.items()) fields.push_back(name);
  EXPECT_EQ(fields, (std::vector<std::string>{"schema", "about", "problem", "bound", "rows"}));
  EXPECT_EQ(file["schema"], "sluice.compare/1");
  EXPECT_EQ(file["problem"], "redistribute");
  EXPECT_EQ(json::parse(text)["bound"],
            json::parse(R"({"steps": 7, "transmission": 15, "total": 22, "kind": "whole-messages"})"));
  std::map<std::string, json> rows;
  for (const ordered_json& row : file["rows"]) {
    fields.clear();
    for (const auto& [name, value] : row.items()) fields.push_back(name);
    // What there is to say of a plan besides comes last.
    std::erase_if(fields, [](const std::string& name) { return name == "note" || name == "optimal"; });
    EXPECT_EQ(fields, (std::vector<std::string>{"algorithm", "steps", "transmission", "total", "ratio", "plan_s"}));
    EXPECT_GT(row["plan_s"], 0);
    EXPECT_DOUBLE_EQ(row["ratio"], row["total"].get<double>() / 22);
    rows[row["algorithm"]] = row;
  }
  for (const Algorithm& algorithm : algorithms("redistribute"))
    EXPECT_EQ(rows.count(std::string(algorithm.name)), 1U) << algorithm.name;
  ASSERT_EQ(rows.size(), algorithms("redistribute").size() + 2);
  EXPECT_EQ(rows["classes"]["total"], 22);
  EXPECT_EQ(rows["auto"]["total"], 22);
  EXPECT_EQ(rows["caterpillar"]["steps"], 16);
  EXPECT_EQ(rows["caterpillar"]["transmission"], 48);
  EXPECT_EQ(rows["walker-otto"]["steps"], 8);
  EXPECT_EQ(rows["walker-otto"]["note"], "two stages, 5 + 3 steps");
  EXPECT_FALSE(rows["caterpillar"].contains("note"));
}

TEST(Compare, WhatDoesNotApplyIsNamedWithTheReason) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("compare redistribute --from 15:3 --to 15:5"));
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> shown = lines(outcome.out);
  EXPECT_EQ(shown.back().rfind("classes does not apply: gcd(s, P) = gcd(5, 15) = 5", 0), 0U) << shown.back();
  const json file = json::parse(folder.sluice(words("compare redistribute --from 15:3 --to 15:5 --json -")).out);
  ASSERT_EQ(file["refused"].size(), 1U);
  EXPECT_EQ(file["refused"][0]["algorithm"], "classes");
  for (const json& row : file["rows"]) EXPECT_NE(row["algorithm"], "classes");
}

TEST(Compare, TheTableHasTheRowsOfTheFile) {
  const Folder folder;
  const std::string command = "compare redistribute --from 4x2:64x64 --to 2x4:100x100 --shape 4096x4096";
  const json file = json::parse(folder.sluice(words(command + " --json -")).out);
  const Outcome table = folder.sluice(words(command));
  for (const json& row : file["rows"]) {
    const std::string name = row["algorithm"];
    bool found = false;
    for (const std::string& line : lines(table.out)) {
      const Arguments cells = words(line);
      if (cells.size() < 5 || cells[0] != name) continue;
      found = true;
      EXPECT_EQ(cells[1], std::to_string(row["steps"].get<std::int64_t>()));
      EXPECT_EQ(cells[2], std::to_string(row["transmission"].get<std::int64_t>()));
    }
    EXPECT_TRUE(found) << name << " in\n" << table.out;
  }
}

TEST(Compare, NothingToMoveHasNoRatioBeyondNumbers) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("compare redistribute --from 4:2 --to 3:5 --shape 0 --json -"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(outcome.out);
  EXPECT_EQ(file["bound"]["total"], 0);
  for (const json& row : file["rows"]) {
    if (row["total"] == 0) {
      EXPECT_EQ(row["ratio"], 1) << row;
    } else {
      EXPECT_TRUE(row["ratio"].is_null()) << row;
    }
  }
}

TEST(Compare, EveryProblemTakesTheAlgorithmsAskedFor) {
  const Folder folder;
  folder.write("x.csv", "3,1,0\n0,0,2\n4,0,1\n");
  folder.write("p.json", R"({"schema": "sluice.platform/1", "ranks": 4,
    "clusters": [{"name": "a", "ranks": [0, 1], "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.08]]},
                 {"name": "b", "ranks": [2, 3], "latency_s": 5e-5, "gap": [[1, 1e-5], [1048576, 0.08]]}],
    "links": [{"from": 0, "to": 1, "latency_s": 1e-4, "gap": [[1, 1e-5], [1048576, 0.08]]}]})");
  const std::string network = "--platform p.json --size 1Ki";
  struct Asked {
    std::string problem, first, second, slip, about_slip;
  };
  const Asked cases[] = {
      {"redistribute --from 16:3 --to 16:5", "walker-otto", "classes", "clases", "did you mean 'classes'?"},
      {"redistribute --from 4:0,10,35,100 --to 3:8", "oggp", "greedy", "ogpp", "did you mean 'oggp'?"},
      {"redistribute --from 2:2 --to 3:5 --shape 900 --to-replicas 4", "auto", "first-copy", "oggp",
       "expected one of first-copy, direct, auto"},
      {"redistribute --from 15:3 --to 15:5 --arrays 8", "auto", "one-by-one", "one-by-two", "'one-by-one'?"},
      {"exchange x.csv", "oggp", "ggp", "ogpp", "did you mean 'oggp'?"},
      {"reduce --machines 9 --transfer 2 --compute 1", "greedy", "binomial", "greddy", "did you mean 'greedy'?"},
      {"broadcast " + network, "flat", "ecef", "falt", "did you mean 'flat'?"},
      {"allgather " + network, "ring", "auto", "rnig", "did you mean 'ring'?"}};
  for (const Asked& each : cases) {
    SCOPED_TRACE(each.problem);
    const std::string line = "compare " + each.problem + " --algorithms ";
    for (const std::string& names : {each.first + ',' + each.second, each.first, each.second}) {
      const Outcome outcome = folder.sluice(words(line + names + " --json -"));
      ASSERT_EQ(outcome.status, 0) << outcome.err;
      std::string found;
      const json file = json::parse(outcome.out);
      for (const json& row : file["rows"]) {
        found += (found.empty() ? "" : ",") + row["algorithm"].get<std::string>();
        EXPECT_GE(row["ratio"].get<double>(), 1) << row;  // each subset has a bound, and one above 0
      }
      EXPECT_EQ(found, names);
    }
    expect_refused(folder.sluice(words(line + each.slip)), "--algorithms: '" + each.slip + "', expected one of ");
    expect_refused(folder.sluice(words(line + each.slip)), each.about_slip);
    expect_refused(folder.sluice(words(line + each.first + ',' + each.first)),
                   "--algorithms: '" + each.first + "' twice, expected every algorithm once");
    EXPECT_NE(folder.sluice(words(line.substr(0, line.find(' ', 8)) + " --help")).out.find("A,B,..|all [all]"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::testing
