#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/readers.hpp"

/// Every file of the corpus through its reader: what once made a fuzzer stop stays mended, without clang.
namespace sluice::fuzz {
namespace {

struct Folder {
  const char* name;
  void (*reader)(std::string_view);
};

class Corpus : public ::testing::TestWithParam<Folder> {};

TEST_P(Corpus, IsReadOrRefused) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(SLUICE_CORPUS "/") + GetParam().name))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  ASSERT_GE(files.size(), 10U);
  for (const auto& path : files) {
    SCOPED_TRACE(path);
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    ASSERT_TRUE(in);
    EXPECT_NO_THROW(GetParam().reader(text));
  }
}

INSTANTIATE_TEST_SUITE_P(, Corpus,
                         ::testing::Values(Folder{"mtx", matrix_market}, Folder{"csv", traffic_csv},
                                           Folder{"schedule", schedule}, Folder{"latency", latency_matrix},
                                           Folder{"platform", platform}),
                         [](const auto& folder) { return std::string(folder.param.name); });

}  // namespace
}  // namespace sluice::fuzz
