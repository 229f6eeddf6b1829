#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <sstream>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

TEST(Study, TablesOfThePaperAreReproducedButForItsMisprints) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("study redistribute-tables -o a/tables"));
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_EQ(outcome.err, "") << "no bar where there is no terminal";
  for (const char* misprint :
       {"Table 7, messages of receiver 14: 6 (paper: 9)", "Table 13, messages of receiver 14: 6 (paper: 9)",
        "Table 10, messages of receiver 7: 2 (paper: 4)"})
    EXPECT_NE(outcome.out.find(misprint), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("UNEXPLAINED"), std::string::npos) << outcome.out;
  EXPECT_NE(lines(outcome.out).back().find("values agree; misprints of the paper: Table 7"), std::string::npos);

  const std::string summary = folder.read("a/tables/summary.csv");
  ASSERT_EQ(lines(summary).size(), 20U);
  for (const char* row : {"1,1,16:3,16:5,messages,,288,288,", "3,1,16:3,16:5,costs,classes,9,9,",
                          "6,2,16:7,16:11,costs,classes,18,18,", "12,4,12:4,8:3,costs,stepwise,6,6,",
                          "14,5,15:2,6:3,messages,,111,111,", "19,4,12:4,8:3,costs,caterpillar,14,14,"})
    EXPECT_NE(summary.find(std::string("\n") + row), std::string::npos) << row << "\n" << summary;
  EXPECT_EQ(folder.read("a/tables/table03.csv"),
            "step,sluice,paper\na,3,3\nb,3,3\nc,3,3\nd,2,2\ne,2,2\nf,1,1\ng,1,1\ntotal,15,15\n");
  EXPECT_EQ(folder.read("a/tables/table19.csv"),
            "step,sluice,paper\na,3,3\nb,0,0\nc,0,0\nd,0,0\ne,3,3\nf,3,3\ng,3,3\nh,0,0\ni,0,0\nj,0,0\nk,3,3\nl,3,3\n"
            "total,18,18\n");
}

TEST(Study, TheColumnOfThePaperIsWhatIsPrintedThere) {
  const Folder folder;
  ASSERT_EQ(folder.sluice(words("study redistribute-tables -o .")).status, 0);
  ASSERT_EQ(folder.files().size(), 20U);
  // A grid and a table of steps, each cell from the file as it was typed in.
  for (const std::string name : {"table07.csv", "table17.csv"}) {
    SCOPED_TRACE(name);
    std::map<std::string, std::string> ours;
    for (const std::string& line : lines(folder.read(name))) {
      const std::size_t second = line.find(',', line.find(',') + 1), last = line.rfind(',');
      ours[line.substr(0, second)] = line.substr(last + 1);
    }
    std::vector<std::string> title;
    for (const std::string& line : lines(read_text(paper_folder() + '/' + name))) {
      std::vector<std::string> cells;
      for (std::size_t at = 0; at <= line.size();) {
        const std::size_t end = std::min(line.find(',', at), line.size());
        cells.push_back(line.substr(at, end - at));
        at = end + 1;
      }
      if (title.empty()) {
        title = cells;
        continue;
      }
      for (std::size_t c = 1; c < title.size() && c < cells.size(); ++c) {
        const std::string key = cells[0] + ',' + title[c];
        if (key == "messages,messages") continue;
        EXPECT_EQ(ours[key], cells[c]) << key;
      }
    }
  }
}

TEST(Study, ExchangeQualityIsTheSameForASeedAndWithinTheGuarantees) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("study exchange-quality -o figures --samples 2 --seed 3"));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* name : {"11", "12", "13", "14", "15"}) {
    SCOPED_TRACE(name);
    const std::vector<std::string> rows = lines(folder.read(std::string("figures/figure") + name + ".csv"));
    ASSERT_EQ(rows.size(), 20U);
    EXPECT_EQ(rows.front().rfind("k,", 0), 0U) << rows.front();
    for (std::size_t i = 1; i < rows.size(); ++i) {
      std::istringstream in(rows[i]);
      std::size_t k = 0;
      char comma = 0;
      in >> k;
      EXPECT_EQ(k, i + 1);
      int pairs = 0;
      for (double mean = 0, worst = 0; in >> comma >> mean >> comma >> worst; ++pairs) {
        EXPECT_GE(mean, 1) << rows[i];
        EXPECT_GE(worst, mean - 1e-6) << rows[i];
        EXPECT_LE(worst, std::string(name) == "15" ? 2 : 3) << rows[i];  // GGP and OGGP: at most 2 eta
      }
      EXPECT_EQ(pairs, std::string(name) == "15" ? 4 : 1);
    }
  }
  ASSERT_EQ(folder.sluice(words("study exchange-quality -o again --samples 2 --seed 3")).out.size() + 2,
            outcome.out.size());  // the name of the folder
  ASSERT_EQ(folder.sluice(words("study exchange-quality -o other --samples 2 --seed 4")).status, 0);
  for (const char* name : {"figure11.csv", "figure15.csv"}) {
    EXPECT_EQ(folder.read(std::string("again/") + name), folder.read(std::string("figures/") + name));
    EXPECT_NE(folder.read(std::string("other/") + name), folder.read(std::string("figures/") + name));
  }
}

TEST(Study, Figure2OfReductionsHasARowForEveryNumberOfMachines) {
  const Folder folder;
  const Outcome outcome = folder.sluice(words("study reduce-figure-2 -o figures"));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> rows = lines(folder.read("figures/figure2.csv"));
  ASSERT_EQ(rows.size(), 10000U);
  EXPECT_EQ(rows[0], "machines,binomial,fibonacci");
  EXPECT_EQ(rows[1], "2,1.000000,1.000000");
  // d = c = 1: three rounds of 2 by the binomial tree; N(T) = 1, 1, 2, 3, 5, 8 needs 5.
  EXPECT_EQ(rows[7].rfind("8,1.200000,", 0), 0U) << rows[7];
  EXPECT_EQ(rows.back().rfind("10000,", 0), 0U);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::istringstream row(rows[i]);
    double machines = 0, binomial = 0, fibonacci = 0;
    char comma = 0;
    row >> machines >> comma >> binomial >> comma >> fibonacci;
    EXPECT_TRUE(binomial >= 1 && binomial <= 1.5 && fibonacci >= 1 && fibonacci <= 2) << rows[i];
  }
}

TEST(Study, SimulationsNeedACommandBuiltForThem) {
  const Folder folder;
  ASSERT_EQ(::setenv("SLUICE_SMPI", "none", 1), 0);
  const Outcome outcome = folder.sluice(words("study reduce-at-scale -o figures"));
  ::unsetenv("SLUICE_SMPI");
  expect_refused(outcome, "SLUICE_SMPI: 'none', expected the command of a build with SimGrid's SMPI");
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace sluice::testing
