#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

TEST(RunRedistribute, JsonHasTheFieldsOfTheContract) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 4, "run redistribute --from 2x2:3x2 --to 1x4:5x3 --shape 60x50 --repetitions 3 --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(error_lines(outcome).empty()) << outcome.err;
  const ordered_json file = ordered_json::parse(folder.read("out.json"));
  std::vector<std::string> fields;
  for (const auto& [name, value] : file.items()) fields.push_back(name);
  EXPECT_EQ(fields, (std::vector<std::string>{"schema", "about", "problem", "ranks", "bytes_moved", "verified",
                                              "repetitions", "methods"}));
  EXPECT_EQ(file["schema"], "sluice.run/1");
  EXPECT_EQ(file["problem"], "redistribute");
  EXPECT_EQ(file["ranks"], 4);
  EXPECT_EQ(file["bytes_moved"], 60 * 50 * 8);
  EXPECT_EQ(file["verified"], true);
  EXPECT_EQ(file["repetitions"], 3);
  std::set<std::string> names;
  for (const ordered_json& method : file["methods"]) {
    fields.clear();
    for (const auto& [name, value] : method.items()) fields.push_back(name);
    std::vector<std::string> expected{"name",        "median_s",  "min_s",           "max_s",
                                      "quartiles_s", "samples_s", "peak_extra_bytes"};
    // Jobs of the library say what they do.
    if (method["name"] == "sluice" || method["name"] == "caterpillar") expected.emplace_back("how");
    EXPECT_EQ(fields, expected) << method["name"];
    EXPECT_GT(method["min_s"], 0);
    EXPECT_LE(method["min_s"], method["median_s"]);
    EXPECT_LE(method["median_s"], method["max_s"]);
    EXPECT_GE(method["peak_extra_bytes"], 0);
    names.insert(method["name"]);
  }
  EXPECT_EQ(file["methods"][0]["name"], "sluice");
  for (const char* name : {"caterpillar", "alltoallv", "alltoallw"}) EXPECT_EQ(names.count(name), 1U) << name;
}

TEST(RunRedistribute, PartsOfMatrices) {
  const Folder folder;
  for (const std::string part : {"upper", "lower --unit-diagonal"}) {
    SCOPED_TRACE(part);
    const Outcome outcome = on_ranks(
        folder, 4,
        "run redistribute --from 2x2:3x2 --to 1x4:5x3 --shape 60x50 --repetitions 2 --json out.json --part " + part);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ordered_json file = ordered_json::parse(folder.read("out.json"));
    EXPECT_EQ(file["verified"], true);
    // Rows of 50 minus 10, 9, ... missing at the left end of the last 49; columns of 59, 58, ... 10 elements.
    EXPECT_EQ(file["bytes_moved"], 8 * (part == "upper" ? 60 * 50 - 49 * 50 / 2 : 50 * (59 + 10) / 2));
    std::set<std::string> names;
    for (const ordered_json& method : file["methods"]) names.insert(method["name"]);
    EXPECT_EQ(names.count("sluice"), 1U);
    EXPECT_EQ(names.count("caterpillar"), 1U);
    EXPECT_EQ(names.count("alltoallw"), 0U);
  }
}

TEST(RunRedistribute, SeveralArraysAtOnce) {
  const Folder folder;
  folder.write("arrays.json", R"({"schema": "sluice.arrays/1", "arrays": [
    {"from": "2x2:3x2", "to": "1x3:5x3", "shape": "60x50"},
    {"from": "4:3", "to": "2:7", "shape": "1001", "element_bytes": 4},
    {"from": "2x2:3x3", "to": "1x4:1x10", "shape": "30x20", "element_bytes": 16, "transpose": true}]})");
  const int bytes = 8 * 60 * 50 + 4 * 1001 + 16 * 30 * 20;
  struct Job {
    std::string arguments;
    int ranks;
    int bytes;
  };
  for (const Job& job :
       {Job{"--batch arrays.json", 4, bytes}, Job{"--batch arrays.json --apart --mode chain", 8, bytes},
        Job{"--batch arrays.json --algorithm oggp", 4, bytes}, Job{"--batch arrays.json --relabel", 4, bytes},
        Job{"--from 2x2:3x2 --to 1x3:5x3 --shape 60x50 --arrays 5", 4, 5 * 8 * 60 * 50}}) {
    SCOPED_TRACE(job.arguments);
    const Outcome outcome =
        on_ranks(folder, job.ranks, "run redistribute --repetitions 2 --json out.json " + job.arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ordered_json file = ordered_json::parse(folder.read("out.json"));
    EXPECT_EQ(file["verified"], true);
    EXPECT_EQ(file["bytes_moved"], job.bytes);
    std::set<std::string> names;
    for (const ordered_json& method : file["methods"]) names.insert(method["name"]);
    for (const char* name : {"one-by-one", "alltoallw", "alltoallv", "all-at-once"})
      EXPECT_EQ(names.count(name), 1U) << name;
  }
  const Case cases[] = {{"--batch arrays.json --alpha 2", "--alpha: cannot be used with several arrays"},
                        {"--batch arrays.json --methods pdgemr2d", "'pdgemr2d' for several arrays"},
                        {"--batch arrays.json --algorithm caterpillar", "'caterpillar' for arrays that are not alike"},
                        {"--batch arrays.json --apart", "--apart: 8 processes"},
                        {"--batch arrays.json --apart --relabel", "--relabel: cannot be used with --apart"},
                        {"--from 2:3 --to 2:5 --arrays 3", "--shape: no shape"},
                        {"--from 8:3 --to 2:5 --shape 100 --arrays 3", "8 processes"}};
  for (const Case& each : cases)
    expect_refused_once(on_ranks(folder, 4, std::string("run redistribute ") + each.arguments), each.about);
}

TEST(RunRedistribute, TransposedMatrices) {
  const Folder folder;
  const std::string problem = "run redistribute --from 2x2:3x2 --to 1x4:5x3 --shape 60x50 --transpose --repetitions 1";
  const Outcome outcome = on_ranks(folder, 4, problem + " --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const ordered_json file = ordered_json::parse(folder.read("out.json"));
  EXPECT_EQ(file["verified"], true);
  std::set<std::string> names;
  for (const ordered_json& method : file["methods"]) names.insert(method["name"]);
  EXPECT_EQ(names, (std::set<std::string>{"sluice", "caterpillar", "alltoallv", "alltoallw", "all-at-once"}));
  const Outcome refused = on_ranks(folder, 4, problem + " --method pdgemr2d");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("expected a matrix of 8-byte elements that is not transposed"), std::string::npos)
      << refused.err;
  expect_refused_once(
      on_ranks(folder, 4, "run redistribute --from 2x2:3x5 --to 2x1:0,20,35x1 --shape 35x24 --transpose"),
      "--shape: cuts that end at 35, expected 24, the extent of the array");
}

TEST(RunRedistribute, CopiesOfBothArrays) {
  const Folder folder;
  const std::string problem = "run redistribute --from 1:3 --to 1:5 --shape 6000 --repetitions 1 ";
  for (const std::string copies :
       {"--to-replicas 3 --apart", "--from-replicas 4", "--from-replicas 2 --to-replicas 3"}) {
    SCOPED_TRACE(copies);
    const Outcome outcome = on_ranks(folder, 4, problem + copies + " --json out.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ordered_json file = ordered_json::parse(folder.read("out.json"));
    EXPECT_EQ(file["verified"], true);
    EXPECT_EQ(file["bytes_moved"], 8 * 6000 * (copies == "--from-replicas 4" ? 1 : 3));
    std::set<std::string> names;
    for (const ordered_json& method : file["methods"]) names.insert(method["name"]);
    EXPECT_EQ(names, (std::set<std::string>{"sluice", "alltoallv", "alltoallw", "all-at-once", "alltoallw-bcast"}));
  }
  const Outcome ways = on_ranks(folder, 4, problem + "--to-replicas 3 --method sluice-direct,sluice-chain,sluice-oggp");
  EXPECT_EQ(ways.status, 0) << ways.err;
  for (const std::string bad :
       {"--to-replicas 5", "--from-replicas 0", "--to-replicas 4 --apart", "--to-replicas 2 --relabel",
        "--to-replicas 2 --method pdgemr2d", "--to-replicas 2 --algorithm classes",
        "--to-replicas 2 --method caterpillar", "--method sluice-direct"})
    EXPECT_EQ(on_ranks(folder, 4, problem + bad).status, 2) << bad;
}

TEST(RunRedistribute, RelabelledRanksKeepWhatTheyHave) {
  const Folder folder;
  const std::string problem =
      "run redistribute --from 2x2:30x25 --to 2x2:25x30 --shape 60x50 --repetitions 1 --relabel";
  const Outcome outcome = on_ranks(folder, 4, problem + " --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(ordered_json::parse(folder.read("out.json"))["verified"], true);
  EXPECT_EQ(on_ranks(folder, 4, problem + " --apart").status, 2);
}

TEST(RunRedistribute, ScalesAndAdds) {
  const Folder folder;
  const std::string problem = "run redistribute --from 2x2:3x2 --to 1x4:5x3 --shape 60x50 --repetitions 2 ";
  for (const std::string scaled : {"--alpha -2.5 --beta 0.5", "--beta 1", "--alpha 3 --transpose",
                                   "--beta 2 --part lower", "--alpha 0 --beta 0"}) {
    SCOPED_TRACE(scaled);
    const Outcome outcome = on_ranks(folder, 4, problem + scaled + " --json out.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(ordered_json::parse(folder.read("out.json"))["verified"], true);
  }
  const Outcome copies =
      on_ranks(folder, 4, "run redistribute --from 2:3 --to 2:5 --shape 600 --to-replicas 2 --beta 1");
  EXPECT_EQ(copies.status, 0) << copies.err;
  for (const std::string bad : {"--alpha x", "--beta nan", "--beta 1 --element-bytes 4"})
    EXPECT_EQ(on_ranks(folder, 4, problem + bad).status, 2) << bad;
}

TEST(RunRedistribute, GridsOfRanksApart) {
  const Folder folder;
  const std::string problem = "run redistribute --from 1x2:3x2 --to 3x1:5x3 --shape 60x50 --apart --repetitions 1";
  const Outcome outcome = on_ranks(folder, 5, problem + " --json out.json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(ordered_json::parse(folder.read("out.json"))["verified"], true);
  const Outcome refused = on_ranks(folder, 4, problem);
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("--apart: 5 processes in both grids"), std::string::npos) << refused.err;
}

TEST(RunRedistribute, TheTableIsPrintedOnceAndSaysThatEveryByteIsVerified) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 3,
               "run redistribute --from 3:4 --to 2:5 --shape 1000 --element-bytes 3 "
               "--repetitions 2 --method alltoallw,sluice,sluice-caterpillar --algorithm stepwise --wide");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> shown = lines(outcome.out);
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ(shown.front(), "redistribute 3:4 -> 2:5: 1000 elements of 3 bytes (3.00 kB), 3 senders, 2 receivers");
  std::vector<std::string> methods;
  for (const std::string& line : shown) {
    const Arguments cells = words(line);
    if (cells.size() > 7) methods.push_back(cells.front());
  }
  methods.erase(methods.begin());  // the line above
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "alltoallw"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "sluice-stepwise"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "sluice-caterpillar"), 1) << outcome.out;
  EXPECT_EQ(std::count(methods.begin(), methods.end(), "alltoallv"), 0) << outcome.out;
  EXPECT_EQ(shown.back().rfind("verified: every byte of 3.00 kB", 0), 0U) << shown.back();
}

TEST(RunRedistribute, AnEffortCarriesOutThePlan) {
  const Folder folder;
  const std::string line = "run redistribute --repetitions 2 --methods sluice --json out.json --shape 1000 ";
  const auto how = [&](const std::string& more) {
    const Outcome outcome = on_ranks(folder, 3, line + more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const json file = json::parse(folder.read("out.json"));
    EXPECT_EQ(file["verified"], true);
    return file["methods"][0]["how"].get<std::string>();
  };
  EXPECT_EQ(how("--from 3:2 --to 3:4").find("steps"), std::string::npos);
  // The best plan has other steps than the one that is made without a search.
  const std::string grids = "--from 3:2 --to 2:9 --setup 1 ";
  EXPECT_NE(how(grids + "--effort 1").find(" steps, local"), std::string::npos);
  EXPECT_NE(how(grids + "--algorithm oggp --effort 0.5").find("messages cut by oggp"), std::string::npos);
  EXPECT_NE(how(grids + "--arrays 2 --effort 2").find("2 arrays as one"), std::string::npos);
  expect_refused_once(on_ranks(folder, 3, line + grids + "--effort 0"), "--effort: '0', expected a number above 0");
  expect_refused_once(on_ranks(folder, 3, line + grids + "--effort 1e40"), "effort: ");
}

TEST(RunRedistribute, WorksAloneAndWithRanksThatHaveNothingToDo) {
  const Folder folder;
  const std::string arguments = "run redistribute --from 1:2 --to 1:3 --shape 100 --repetitions 1 --json -";
  EXPECT_EQ(json::parse(folder.sluice(words(arguments)).out)["verified"], true);
  EXPECT_EQ(json::parse(on_ranks(folder, 2, arguments).out)["ranks"], 2);
}

TEST(RunRedistribute, AnEmptyArrayIsFine) {
  const Folder folder;
  const Outcome outcome =
      on_ranks(folder, 2, "run redistribute --from 2:2 --to 2:3 --shape 0 --repetitions 1 --json -");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["bytes_moved"], 0);
}

TEST(RunRedistribute, BadInputIsRefusedByAllRanksInOneLine) {
  const Case cases[] = {
      {"run", "sluice run: no problem"},
      {"run redistribute --from 2:1 --to 2:3 --shape 10 --frobnicate", "'--frobnicate'"},
      {"run redistribute --from 2:one --to 2:3 --shape 10 --json out.json", "--from: 'one'"},
      {"run redistribute --from 3:1 --to 2:3 --shape 10 --json out.json",
       "--from: 3 processes in '3:1', expected at most the 2 ranks"},
      {"run redistribute --from 2:2 --to 2:3 --shape 10 --method sluice,sluice-classes", "gcd(r, Q) = gcd(2, 2) = 2"},
      {"run redistribute --from 2:1 --to 2:3 --shape 1000000G", "data on one node"},
      {"run redistribute --from 2:1 --to 2:3 --shape 10 --json missing/out.json",
       "missing/out.json: cannot be written"},
      {"study -o figures redistribute-paragon", "2 ranks, expected 16"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    expect_refused_once(on_ranks(folder, 2, each.arguments), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(RunRedistribute, BadInputIsRefusedWithoutLauncherToo) {
  const std::string good = "run redistribute --json out.json --from 1:1 --to 1:3 --shape 10";
  const Case cases[] = {
      {"run redistribute --from 1:1 --to 1:3 --json out.json", "--shape: no shape"},
      {"run redistribute --from 1:1 --to 1x1:3x3 --shape 10", "--to: '1x1:3x3' of 2 dimensions"},
      {"run redistribute --from 1x1:1x1 --to 4x2:1x1 --shape 10x10", "--to: 8 processes"},
      {"--method telepathy", "--methods: 'telepathy'"},
      {"--method sluice-telepathy", "--methods sluice-telepathy: 'telepathy'"},
      {"--method sluice-walker-otto", "walker-otto"},
      {"--method sluice,sluice", "'sluice' twice"},
      {"--method sluice,", "--methods: ''"},
      {"--method pdgemr2d", "'pdgemr2d'"},
      {"--algorithm telepathy", "--algorithm: 'telepathy'"},
      {"--algorithm walker-otto", "--algorithm: 'walker-otto'"},
      {"--repetitions 0", "--repetitions: '0'"},
      {"--repetitions many", "--repetitions: 'many'"},
      {"--element-bytes 0", "--element-bytes: '0'"},
  };
  const Folder folder;
  for (const Case& each : cases) {
    SCOPED_TRACE(each.arguments);
    const bool whole = std::string(each.arguments).rfind("run ", 0) == 0;
    expect_refused(folder.sluice(words(whole ? each.arguments : good + ' ' + each.arguments)), each.about);
    EXPECT_TRUE(folder.files().empty());
  }
  expect_refused(folder.sluice(words("run redistribute --from 1:1 --to 1:3 --shape 10 --json .")),
                 ".: cannot be written");
}

TEST(RunRedistribute, BlocksOfAnySizes) {
  const Folder folder;
  for (const std::string how : {"", " --mode chain", " --algorithm oggp", " --transpose --from 2x2:0,10,35x5",
                                " --methods sluice,sluice-greedy,sluice-oggp --relabel"}) {
    SCOPED_TRACE(how);
    const std::string from = how.find("--from") == std::string::npos ? " --from 2x2:0,10,35,60x7" : "";
    const std::string shape = how.find("--from") == std::string::npos ? " --shape 60x50" : " --shape 35x60";
    const std::string to =
        how.find("--from") == std::string::npos ? " --to 1x4:5x0,3,20,21,50@3,0,0,1" : " --to 4x1:0,7,60x0,5,35";
    const Outcome outcome =
        on_ranks(folder, 4, "run redistribute --repetitions 2 --json out.json" + from + to + shape + how);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const ordered_json file = ordered_json::parse(folder.read("out.json"));
    EXPECT_EQ(file["verified"], true);
    std::set<std::string> names;
    for (const ordered_json& method : file["methods"]) names.insert(method["name"]);
    if (how.find("--methods") == std::string::npos) {
      EXPECT_EQ(names, (std::set<std::string>{how.find("oggp") == std::string::npos ? "sluice" : "sluice-oggp",
                                              "alltoallv", "alltoallw", "all-at-once"}));
    }
  }
  // Cuts say the shape where there are some in each dimension.
  EXPECT_EQ(on_ranks(folder, 4, "run redistribute --from 4:0,10,35,100 --to 2:7 --repetitions 1").status, 0);
  expect_refused(folder.sluice(words("run redistribute --from 1x1:0,10x3 --to 1x1:7x7")), "--shape: no shape");
  expect_refused(folder.sluice(words("run redistribute --from 1:0,10 --to 1:7 --methods pdgemr2d")), "'pdgemr2d'");
  expect_refused(folder.sluice(words("run redistribute --from 1:0,10 --to 1:7 --algorithm caterpillar")),
                 "blocks given by cuts");
  expect_refused(folder.sluice(words("run redistribute --from 1:0,10,9 --to 1:7")), "--from: a cut at 9");
}

TEST(RunRedistribute, HelpIsPrintedOnce) {
  const Folder folder;
  const Outcome outcome = on_ranks(folder, 2, "run redistribute --help");
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> shown = lines(outcome.out);
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "Usage: sluice run redistribute [OPTIONS]"), 1) << outcome.out;
}

}  // namespace
}  // namespace sluice::testing
