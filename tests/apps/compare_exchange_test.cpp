#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "command_runner.hpp"
#include "exchange_files.hpp"
#include "sluice/plan/registry.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// 2000 units of two ranks each way at 1 MB/s: the lower bound is 4 ms, and every time is a cost over the speed.
TEST(Predict, ExchangeIsTheCostsOfCompareInSeconds) {
  const Folder folder;
  folder.write("x.csv", "3000,1000,0\n0,2000,2000\n1000,0,0\n");
  const std::string network = " --backbone 24Mbit --sender-link 8Mbit --receiver-link 8Mbit --latency 1us";
  const Outcome outcome = folder.sluice(words("predict exchange x.csv --json predict.json" + network));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("predict.json"));
  EXPECT_EQ(file["schema"], "sluice.prediction/1");
  EXPECT_EQ(file["problem"], "exchange");
  EXPECT_EQ(file["ranks"], 3);
  EXPECT_EQ(file["size_bytes"], 9000);
  EXPECT_NEAR(file["bound_s"].get<double>(), 4e-3, 1e-5);
  EXPECT_TRUE(file["algorithms"][0]["best"]);
  const Outcome compared = folder.sluice(words("compare exchange x.csv --json compare.json" + network));
  ASSERT_EQ(compared.status, 0) << compared.err;
  std::size_t found = 0;
  const json rows = json::parse(folder.read("compare.json"))["rows"];
  for (const json& row : rows)
    for (const json& predicted : file["algorithms"])
      if (predicted["algorithm"] == row["algorithm"]) {
        EXPECT_NEAR(predicted["time_s"].get<double>(), row["total"].get<double>() / 1e6, 1e-9) << row;
        ++found;
      }
  EXPECT_EQ(found, file["algorithms"].size());
  expect_refused(folder.sluice(words("predict exchange x.csv")),
                 "no speeds of the network, expected --node-link with --ranks-per-node, or --backbone with ");
}

TEST(CompareExchange, JsonHasARowForEveryAlgorithmAndRatiosToTheBestBound) {
  const Folder folder;
  write_traffic_files(folder);
  const Outcome outcome =
      folder.sluice(words("compare exchange dense.mtx --max-transfers 4 --effort 0.1 --json out.json"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const std::string text = folder.read("out.json");
  const json file = json::parse(text);
  EXPECT_EQ(ordered_json::parse(text).items().begin().key(), "schema");
  EXPECT_EQ(file.at("schema"), "sluice.compare/1");
  EXPECT_EQ(file.at("problem"), "exchange");
  const json& bound = file.at("bound");
  const double best = bound.at("total");
  std::vector<std::string> rows;
  double least = 1e300, chosen = 0;
  for (const json& row : file.at("rows")) {
    rows.push_back(row.at("algorithm"));
    const double total = row.at("total");
    EXPECT_EQ(total, row.at("transmission").get<double>() + row.at("steps").get<double>()) << row;
    EXPECT_DOUBLE_EQ(row.at("ratio"), total / best) << row;
    EXPECT_GE(total, best) << row;
    EXPECT_GT(row.at("plan_s"), 0) << row;
    (rows.back() == "auto" ? chosen : least) = rows.back() == "auto" ? total : std::min(least, total);
  }
  std::vector<std::string> expected;
  for (const Algorithm& algorithm : algorithms("exchange")) expected.emplace_back(algorithm.name);
  expected.emplace_back("auto");
  EXPECT_EQ(rows, expected);
  for (const json& row : file.at("rows")) {
    if (row.at("algorithm") != "exact") continue;
    least = std::max(least, row.at("total").get<double>());  // may find in its time what auto does not
  }
  EXPECT_LE(chosen, least);
  if (bound.at("kind") == "eta") return;
  const json& bounds = file.at("bounds");
  EXPECT_EQ(bounds.front().at("kind"), "eta");
  EXPECT_EQ(bounds.back(), bound);
  for (std::size_t i = 1; i < bounds.size(); ++i) EXPECT_LT(bounds[i - 1].at("total"), bounds[i].at("total"));
}

TEST(CompareExchange, TheTableHasTheBoundsAndTheUnitOfTheFile) {
  const Folder folder;
  folder.write("traffic.csv", "2.5,0\n0,1.25\n");
  const Outcome outcome = folder.sluice(words("compare exchange traffic.csv --setup 0.5 --effort 0.2"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(
      lines(outcome.out).front(),
      "exchange traffic.csv: 2 senders, 2 receivers, 2 messages, 3.75 units of the file in total, k = 2, beta = 0.5");
  std::map<std::string, Arguments> rows;
  for (const std::string& line : lines(outcome.out))
    if (const Arguments cells = words(line); !cells.empty()) rows[cells.front()] = cells;
  ASSERT_GE(rows["weights"].size(), 5U) << outcome.out;
  EXPECT_EQ(rows["weights"][1], "2");
  EXPECT_EQ(rows["weights"][2], "2.5");
  EXPECT_EQ(rows["weights"][3], "3.5");
  EXPECT_NE(outcome.out.find("eta, Proposition 1"), std::string::npos) << outcome.out;
  const json file =
      json::parse(folder.sluice(words("compare exchange traffic.csv --setup 0.5 --effort 0.2 --json -")).out);
  EXPECT_EQ(file.at("bound").at("transmission"), 2.5);
  EXPECT_EQ(file.at("bound").at("total"), 3);
}

TEST(CompareExchange, OnlyTheAlgorithmsAskedForInThatOrder) {
  const Folder folder;
  write_traffic_files(folder);
  const json file =
      json::parse(folder.sluice(words("compare exchange wide.csv --algorithms weights,ggp --effort 0.1 --json -")).out);
  ASSERT_EQ(file.at("rows").size(), 2U);
  EXPECT_EQ(file["rows"][0]["algorithm"], "weights");
  EXPECT_EQ(file["rows"][1]["algorithm"], "ggp");
}

TEST(CompareExchange, WhatDoesNotApplyIsNamedWithTheReason) {
  const Folder folder;
  folder.write("traffic.csv", "1000000000000,1\n1,1000000000000\n");
  const json file = json::parse(folder.sluice(words("compare exchange traffic.csv --effort 0.2 --json -")).out);
  ASSERT_EQ(file.count("refused"), 1U) << file.dump(1);
  ASSERT_EQ(file["refused"].size(), 1U);
  EXPECT_EQ(file["refused"][0]["algorithm"], "multigraph");
}

TEST(CompareExchange, TheFileSaysWhatIsProvenAndWhatWasStopped) {
  const Folder folder;
  folder.write("small.csv", "7,2,0\n4,5,0\n0,0,9\n");
  const std::string line = "compare exchange small.csv --max-transfers 2 --setup 3 --algorithms oggp,exact --json - ";
  const json file = json::parse(folder.sluice(words(line)).out);
  EXPECT_FALSE(file["rows"][0].contains("optimal") || file["rows"][0].contains("note")) << file.dump(1);
  EXPECT_EQ(file["rows"][1]["optimal"], true);
  EXPECT_EQ(file["rows"][1]["note"], "proven optimal");
  std::string large;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j) large += std::to_string((i * 37 + j * j * 11 + i * j) % 97) + (j < 39 ? ',' : '\n');
  folder.write("large.csv", large);
  const json cut = json::parse(
      folder.sluice(words("compare exchange large.csv --algorithms auto --time-limit 0.05 --setup 9 --json -")).out);
  EXPECT_EQ(cut["rows"][0]["stopped"], true) << cut.dump(1);
  EXPECT_FALSE(cut["rows"][0].contains("optimal"));
}

TEST(CompareExchange, NothingToSendHasRatioOne) {
  const Folder folder;
  folder.write("zero.csv", "0,0\n");
  const json file = json::parse(folder.sluice(words("compare exchange zero.csv --json -")).out);
  EXPECT_EQ(file.at("bound").at("total"), 0);
  for (const json& row : file.at("rows")) EXPECT_EQ(row.at("ratio"), 1) << row;
}

}  // namespace
}  // namespace sluice::testing
