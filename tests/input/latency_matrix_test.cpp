#include "sluice/input/latency_matrix.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "bad_input.hpp"
#include "sluice/error.hpp"

namespace sluice {
namespace {

const std::string kRealMatrix = "%%MatrixMarket matrix coordinate real general\n";

std::string error_of_matrix(const std::string& text) {
  return testing::error_of([&] { return read_latency_matrix(std::string_view(text), "m"); });
}

LatencyMatrix read_matrix(const std::string& text) { return read_latency_matrix(std::string_view(text), "m"); }

TEST(LatencyMatrix, ReadsPairsInAnyOrderAndDirection) {
  const LatencyMatrix matrix = read_matrix(kRealMatrix + "4 4 4\n3 1 0.5e-3\n% comment\n2 2 0\n1 2 1\n2 1 3\n");
  EXPECT_EQ(matrix.nodes(), 4);
  EXPECT_EQ(matrix.pairs(), (std::vector<LatencyPair>{{0, 1, 2}, {0, 2, 0.0005}}));
  const LatencyMatrix whole = read_matrix("%%MatrixMarket matrix coordinate integer general\n2 2 1\n2 1 7\n");
  EXPECT_EQ(whole.pairs(), (std::vector<LatencyPair>{{0, 1, 7}}));
  EXPECT_EQ(read_matrix(kRealMatrix + "0 0 0\n").nodes(), 0);
}

TEST(LatencyMatrix, RefusesOtherFiles) {
  EXPECT_EQ(error_of_matrix(""), "m:1: an empty file, expected latencies");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 3 0\n"), "m:2: 2 rows and 3 columns, expected a square matrix");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2000000 2000000 0\n"), "m:2: 2000000 nodes, expected at most 1048576");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 1\n1 2 0\n"),
            "m:3: a latency of 0, expected a time in seconds above 0; no entry for a pair that was not measured");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 1\n1 2 1e999\n"),
            "m:3: a latency of 1e999, expected a time in seconds above 0; no entry for a pair that was not measured");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 1\n1 2 -1\n"), "m:3: '-1', expected a number of at least 0");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 1\n1 2 nan\n"), "m:3: 'nan', expected a number of at least 0");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 1\n1 3 1\n"), "m:3: column 3, expected a column from 1 to 2");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "2 2 2\n1 2 1\n"),
            "m:4: the end of the file after 1 entry, expected 2 entries, as line 2 says");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "3 3 4\n1 2 1\n2 1 1\n2 3 1\n2 1 1\n"),
            "m:6: row 2, column 1 again, expected every entry once");
  EXPECT_EQ(error_of_matrix(kRealMatrix + "3 3 3\n2 3 1\n1 2 1\n2 3 1\n"),
            "m:5: row 2, column 3 again, expected every entry once");
  EXPECT_THROW((void)read_latency_matrix(std::string("no such file.mtx")), InputError);
}

TEST(LatencyMatrix, ChecksPairs) {
  const auto error = [](std::int64_t nodes, std::vector<LatencyPair> pairs) {
    return testing::error_of([&] { return LatencyMatrix(nodes, std::move(pairs), "m"); });
  };
  EXPECT_EQ(error(-1, {}), "m: -1 nodes, expected 0 to 1048576");
  EXPECT_EQ(error(2, {{0, 2, 1}}), "m: a pair of nodes 0 and 2, expected two of 0 to 1, the smaller one first");
  EXPECT_EQ(error(2, {{1, 0, 1}}), "m: a pair of nodes 1 and 0, expected two of 0 to 1, the smaller one first");
  EXPECT_EQ(error(2, {{-1, 0, 1}}), "m: a pair of nodes -1 and 0, expected two of 0 to 1, the smaller one first");
  EXPECT_EQ(error(3, {{0, 1, 1}, {1, 2, 1}, {0, 1, 2}}), "m: the pair of 0 and 1 twice, expected every pair once");
  EXPECT_EQ(error(2, {{0, 1, std::numeric_limits<double>::quiet_NaN()}}),
            "m: nan s between 0 and 1, expected a finite time above 0");
}

TEST(LatencyMatrix, RefusesDamagedFilesCleanly) {
  const std::string sample = kRealMatrix + "3 3 3\n1 2 47.56e-6\n2 1 47.6e-6\n1 3 5.2e-3\n";
  rc::check([&] {
    std::string text = sample;
    text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    try {
      const LatencyMatrix matrix = read_matrix(text);
      RC_ASSERT(matrix.pairs().size() <= 3);
    } catch (const InputError&) {
    }
  });
}

}  // namespace
}  // namespace sluice
