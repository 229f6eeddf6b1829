// --json of verbs whose results are other files.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

/// The names in "files"; each has as many bytes as is said.
std::vector<std::string> names_of_written(const Folder& folder, const json& written) {
  std::vector<std::string> names;
  for (const json& each : written["files"]) {
    names.push_back(each["file"]);
    if (names.back() != "-") {
      EXPECT_EQ(folder.read(names.back()).size(), each["bytes"]) << names.back();
    }
  }
  return names;
}

json written_by(const Folder& folder, const std::vector<std::string>& arguments) {
  const Outcome outcome = folder.sluice(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  json written = json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(written.is_discarded()) << outcome.out;
  EXPECT_EQ(written["schema"], "sluice.written/1");
  EXPECT_EQ(written["verb"], arguments.front());
  EXPECT_EQ(written["about"]["command"].back(), arguments.back());
  return written;
}

std::string platform_file() { return std::string(SLUICE_STUDIES) + "/four-levels/four-levels-72.json"; }

TEST(Written, OfAPlatformAreTheFiguresOfItsLevels) {
  const Folder folder;
  const json written = written_by(folder, {"platform", platform_file(), "-o", "p.json", "--json", "-"});
  EXPECT_EQ(names_of_written(folder, written), std::vector<std::string>{"p.json"});
  EXPECT_EQ(written["figures"]["ranks"], 72);
  EXPECT_EQ(written["about"]["inputs"][0]["file"], platform_file());
  const json& levels = written["figures"]["levels"];
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[0]["parts"], 1);
  EXPECT_EQ(levels[0]["ranks"], (json{72, 72}));
  for (const json& each : levels) EXPECT_LE(each["latency_s"][0], each["latency_s"][1]);
  const json alone = written_by(folder, {"platform", platform_file(), "--json", "-"});
  EXPECT_EQ(names_of_written(folder, alone), std::vector<std::string>{});
  EXPECT_EQ(alone["figures"], written["figures"]);
}

TEST(Written, OfAPlatformForSimgridAreBothFiles) {
  const Folder folder;
  const json written =
      written_by(folder, {"platform-to-simgrid", platform_file(), "-o", "p.xml", "--hosts", "p.hosts", "--json", "-"});
  EXPECT_EQ(names_of_written(folder, written), (std::vector<std::string>{"p.xml", "p.hosts"}));
  EXPECT_EQ(written["figures"]["hosts"], 72);
}

TEST(Written, OfAStudyAreTheFilesThatItMadeOrChanged) {
  const Folder folder;
  const std::vector<std::string> study{"study", "reduce-figure-2", "-o", "figures", "--json", "-"};
  const json written = written_by(folder, study);
  const std::vector<std::string> names = names_of_written(folder, written);
  EXPECT_NE(std::find(names.begin(), names.end(), "figures/figure2.csv"), names.end());
  EXPECT_EQ(written["figures"]["study"], "reduce-figure-2");
  EXPECT_EQ(written["figures"]["exit_status"], 0);
  folder.write("figures/mine.txt", "mine");
  EXPECT_EQ(names_of_written(folder, written_by(folder, study)), names);
  // Into a file, the text is printed as without.
  const Outcome outcome = folder.sluice({"study", "reduce-figure-2", "-o", "figures", "--json", "study.json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(names_of_written(folder, json::parse(folder.read("study.json"))), names);
  // Last, as another run may give a PDF of another size: it has a date in it.
  EXPECT_EQ(outcome.out, folder.sluice({"study", "reduce-figure-2", "-o", "figures"}).out);
}

TEST(Written, WhatCannotBeWrittenIsRefusedBeforeAnythingElse) {
  const Folder folder;
  expect_refused(folder.sluice({"platform", platform_file(), "-o", "p.json", "--json", "no/w.json"}), "no/w.json");
  expect_refused(folder.sluice({"platform", platform_file(), "-o", "p.json", "--json", "p.json"}), "where -o goes");
  expect_refused(folder.sluice({"platform", platform_file(), "-o", "-", "--json", "-"}), "standard output twice");
  expect_refused(folder.sluice({"platform-to-simgrid", platform_file(), "-o", "p.xml", "--json", "no/w.json"}),
                 "no/w.json");
  expect_refused(folder.sluice({"study", "reduce-figure-2", "-o", "figures", "--json", "no/w.json"}), "no/w.json");
  expect_refused(folder.sluice({"report", platform_file(), "--svg", "p.svg", "--json", "no/w.json"}), "no/w.json");
  EXPECT_EQ(folder.files(), std::vector<std::string>{});
}

TEST(Written, OfAReportAreThePageAndThePicture) {
  const Folder folder;
  const json picture = written_by(folder, {"report", platform_file(), "--svg", "p.svg", "--json", "-"});
  EXPECT_EQ(names_of_written(folder, picture), std::vector<std::string>{"p.svg"});
  EXPECT_EQ(picture["figures"]["sections"], 1);
}

}  // namespace
}  // namespace sluice::testing
