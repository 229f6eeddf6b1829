#include <gtest/gtest.h>

#include "ranks_runner.hpp"

namespace sluice::testing {
namespace {

constexpr const char* kOwn = SLUICE_IS_OPENMPI ? "openmpi" : "mpich";
constexpr const char* kOther = SLUICE_IS_OPENMPI ? "mpich" : "openmpi";

TEST(RunTune, MeasuresEveryAlgorithm) {
  const Folder folder;
  // A gain below which no rule stays: all that is measured is right, and nothing is written about it.
  const Outcome none = on_ranks(
      folder, 3, std::string("tune --measure --sizes 64,4Ki --repetitions 3 --gain 0.999 -o none --for ") + kOwn);
  ASSERT_EQ(none.status, 0) << none.err;
  EXPECT_TRUE(error_lines(none).empty()) << none.err;
  EXPECT_NE(none.out.find("3 ranks, measured: medians of 3 repetitions, algorithms alternating"), std::string::npos)
      << none.out;
  EXPECT_NE(none.out.find("nothing to change"), std::string::npos) << none.out;
  EXPECT_EQ(none.out.find("wrong result"), std::string::npos) << none.out;
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"none"}));
}

TEST(RunTune, WritesWhatIsFaster) {
  const Folder folder;
  // Whatever is found is in the file; on one machine something or nothing may be faster.
  const Outcome some = on_ranks(
      folder, 4,
      std::string("tune --measure --collectives allgather --sizes 16Ki -o some --json some.json --for ") + kOwn);
  ASSERT_EQ(some.status, 0) << some.err;
  const bool changed = some.out.find("nothing to change") == some.out.npos;
  // The head of the table: a note that something was left out may begin with the name of the call, too.
  EXPECT_EQ(changed, some.out.find("the library's") != some.out.npos) << some.out;
  const nlohmann::json tuning = nlohmann::json::parse(folder.read("some.json"));
  EXPECT_EQ(changed, !tuning["rules"].empty()) << some.out;
  EXPECT_EQ(tuning["ranks"], 4);
  EXPECT_TRUE(tuning["about"].contains("mpi"));
  const std::string file = folder.read("some");
  EXPECT_EQ(changed, file.find(SLUICE_IS_OPENMPI ? ", in place of " : "\"comm_size<=4\"") != file.npos) << file;
}

TEST(RunTune, RefusesBadInputBeforeItMeasures) {
  const Folder folder;
  const auto expect_error = [&](int ranks, const std::string& arguments, const std::string& about) {
    SCOPED_TRACE(arguments);
    expect_refused_once(on_ranks(folder, ranks, "tune --measure " + arguments), about);
  };
  expect_error(1, std::string("-o out --for ") + kOwn, "sluice tune: one rank, expected at least two");
  expect_error(2, std::string("-o out --for ") + kOther, std::string("--for: ") + kOther + " with --measure under ");
  expect_error(2, "-o out --for lam", "--for: 'lam', expected openmpi or mpich");
  expect_error(2, std::string("-o no/such/out --for ") + kOwn, "no/such/out");
  expect_error(2, std::string("-o out --sizes 12 --for ") + kOwn, "--sizes: 12 bytes, expected a multiple of 8");
  expect_error(2, std::string("-o out --platform p.json --for ") + kOwn, "--measure: cannot be used with --platform");
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace sluice::testing
