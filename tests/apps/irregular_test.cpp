/// Layouts with blocks of any sizes, as the command takes them.
#include <gtest/gtest.h>

#include <string>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

constexpr const char* kLayouts = "--from 2x2:0,10,35,100x64 --to 4x1:25x0,30,200@0,0";

TEST(Irregular, BadInputIsOneLine) {
  struct Case {
    std::string arguments;
    std::string about;
  };
  const Case cases[] = {
      {"--from 4:0,10,10,35 --to 2:3", "--from: a cut at 10 behind one at 10, expected cuts that rise"},
      {"--from 4:0,10,9,35 --to 2:3", "--from: a cut at 9 behind one at 10, expected cuts that rise"},
      {"--from 4:1,10 --to 2:3", "--from: a first cut at 1, expected 0"},
      {"--from 4:0,-10 --to 2:3", "--from: '-10' in '4:0,-10'"},
      {"--from 4:0,10,35@0,4 --to 2:3", "--from: process 4 as the owner of a block, expected 0 to 3"},
      {"--from 4:0,10,35@0 --to 2:3", "--from: 1 owners of 2 blocks, expected one per block"},
      {"--from 2:3 --to 2:0,10,35@0,-1", "--to: '-1'"},
      {"--from 4:0,10,35 --to 2:3 --shape 36", "--shape: cuts that end at 35, expected 36, the extent of the array"},
      {"--from 4:0,10,35 --to 2:0,36", "--to: cuts that end at 36, expected 35"},
      {"--from 4:0,10x0,10 --to 2:3", "--from: 2 block sizes for a grid of 1 dimension"},
      {"--from 4:0,10 --to 2x2:0,10x3", "--to: '2x2:0,10x3' of 2 dimensions, expected 1"},
      {"--from 1000000000000:0,10 --to 2:3", "--from: 1000000000000 processes, expected at most 16777216"},
      {"--from 2:0,10 --to 1000000000000:3", "--to: 1000000000000 processes, expected at most 16777216"},
      {"--from @nowhere.txt --to 2:3", "nowhere.txt"},
      {"--from @. --to 2:3", ".: "},
  };
  const Folder folder;
  for (const Case& each : cases) {
    for (const std::string verb : {"plan", "compare"}) {
      SCOPED_TRACE(verb + ' ' + each.arguments);
      expect_refused(folder.sluice(words(verb + " redistribute --json out.json " + each.arguments)), each.about);
      EXPECT_TRUE(folder.files().empty());
    }
  }
  const std::string good = std::string("plan redistribute ") + kLayouts;
  for (const char* algorithm : {"classes", "caterpillar", "walker-otto"})
    expect_refused(folder.sluice(words(good + " --algorithm " + algorithm)), "blocks given by cuts");
  // The error shows the name of a file, and little of what the file holds.
  std::string many = "4:0";
  for (int i = 1; i < 200'000; ++i) many += ",\n" + std::to_string(i % 150'000);
  folder.write("many.txt", many);
  const Outcome falls = folder.sluice(words("plan redistribute --from @many.txt --to 2:3"));
  expect_refused(falls, "many.txt: a cut at 0 behind one at 149999");
  folder.write("many.txt", many + ",what");
  const Outcome no_number = folder.sluice(words("plan redistribute --from @many.txt --to 2:3"));
  expect_refused(no_number, "many.txt: 'what' in '4:0,1,2,");
  EXPECT_LT(no_number.err.size(), 200u);
  std::string good_list = "2:0";
  for (int i = 1; i <= 20'000; ++i) good_list += ',' + std::to_string(i);
  folder.write("many.txt", good_list);
  ASSERT_EQ(folder.sluice(words("plan redistribute --from @many.txt --to 3:100 --json plan.json")).status, 0);
  const Outcome judged = folder.sluice(words("check plan.json"));
  EXPECT_EQ(judged.status, 0) << judged.err;
  EXPECT_NE(judged.out.find("(" + std::to_string(good_list.size()) + " characters) -> 3:100 sent once"),
            std::string::npos)
      << judged.out;
}

TEST(Irregular, PlansAreJudgedByTheirCuts) {
  const Folder folder;
  for (const std::string how : {"", " --algorithm stepwise", " --algorithm oggp", " --relabel", " --part upper",
                                " --to-replicas 3", " --same-processes --algorithm exact"}) {
    SCOPED_TRACE(how);
    const Outcome planned = folder.sluice(words(std::string("plan redistribute --json plan.json ") + kLayouts + how));
    ASSERT_EQ(planned.status, 0) << planned.err;
    const Outcome judged = folder.sluice(words("check plan.json"));
    EXPECT_EQ(judged.status, 0) << judged.out << judged.err;
    EXPECT_NE(judged.out.find("2x2:0,10,35,100x64"), std::string::npos) << judged.out;
    const json good = json::parse(folder.read("plan.json"));
    EXPECT_EQ(good["input"]["to"], "4x1:25x0,30,200@0,0");
    const auto is_broken = [&](auto&& change) {
      json bad = good;
      change(bad);
      folder.write("bad.json", bad.dump());
      return folder.sluice(words("check bad.json")).status == 1;
    };
    EXPECT_TRUE(is_broken([](json& s) { s["steps"].erase(0); }));
    EXPECT_TRUE(is_broken([](json& s) { s["input"]["from"] = "2x2:0,11,35,100x64"; }));
    EXPECT_TRUE(is_broken([](json& s) { s["input"]["from"] = "2x2:0,10,35,100@1,0,1x64"; }));
    EXPECT_TRUE(is_broken([](json& s) {
      json& transfer = s["steps"][0]["transfers"][0];
      transfer["size"] = transfer["size"].get<int>() + 1;
    }));
    json bad = good;
    bad["input"]["from"] = "2x2:0,40,35,100x64";
    folder.write("bad.json", bad.dump());
    expect_refused(folder.sluice(words("check bad.json")), "bad.json: input.from: a cut at 35 behind one at 40");
    EXPECT_EQ(folder.sluice(words("simulate plan.json")).status, 0);
  }
  // Messages that may be cut cost no more than whole ones here.
  const Outcome cut = folder.sluice(words(std::string("plan redistribute ") + kLayouts));
  EXPECT_NE(cut.out.find("whole messages: NS"), std::string::npos) << cut.out;
  EXPECT_EQ(cut.out.find("loses"), std::string::npos) << cut.out;
}

TEST(Irregular, CutsMayStandInAFile) {
  const Folder folder;
  folder.write("grid.txt", "2 x 2 :\n 0, 10,\n 35, 100\n x 64\n");
  ASSERT_EQ(folder.sluice(words("plan redistribute --from @grid.txt --to 4x1:25x0,30,200@0,0 --json file.json")).status,
            0);
  ASSERT_EQ(folder.sluice(words(std::string("plan redistribute --json typed.json ") + kLayouts)).status, 0);
  EXPECT_EQ(folder.read("file.json"), folder.read("typed.json"));
}

TEST(Irregular, ComparisonHasBothKindsOfAlgorithms) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words(std::string("compare redistribute --json out.json ") + kLayouts));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const json file = json::parse(folder.read("out.json"));
  std::vector<std::string> names;
  for (const json& row : file["rows"]) {
    names.push_back(row["algorithm"]);
    EXPECT_GE(row["ratio"].get<double>(), 1.0) << row;
  }
  for (const char* name : {"stepwise", "greedy", "coloring", "exact", "oggp", "ggp", "auto"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  for (const char* name : {"classes", "caterpillar"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << name;
}

}  // namespace
}  // namespace sluice::testing
