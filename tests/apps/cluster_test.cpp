#include <gtest/gtest.h>

#include "command_runner.hpp"

namespace sluice::testing {
namespace {

using nlohmann::json;

const std::string kMatrix = std::string(SLUICE_STUDIES) + "/grid5000/latency-88.mtx";

/// The six clusters of Table 4 of Steffenel's report.
TEST(Cluster, ShowsTheClustersOfTable4) {
  const Folder folder;
  const Outcome outcome = folder.sluice({"cluster", kMatrix, "--tolerance", "0.3"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, kMatrix + R"(: 88 nodes, 3828 of 3828 pairs known; lowekamp

tolerance 0.3: 6 clusters
cluster  nodes  latency inside  members
      0     31         47.6 us  0-30
      1     29         47.9 us  31-59
      2      6         35.5 us  60-65
      3      1               -  66
      4      1               -  67
      5     20         27.5 us  68-87

latency        0        1        2        3        4        5
      0  47.6 us  62.1 us  12.2 ms  12.2 ms  12.2 ms  5.21 ms
      1  62.1 us  47.9 us  12.2 ms  12.2 ms  12.2 ms  5.21 ms
      2  12.2 ms  12.2 ms  35.5 us  60.1 us  60.1 us  5.39 ms
      3  12.2 ms  12.2 ms  60.1 us        -   242 us  5.39 ms
      4  12.2 ms  12.2 ms  60.1 us   242 us        -  5.39 ms
      5  5.21 ms  5.21 ms  5.39 ms  5.39 ms  5.39 ms  27.5 us
)");
  EXPECT_EQ(folder.sluice({"cluster", kMatrix}).out, outcome.out);
}

TEST(Cluster, WritesLevelsAndAPicture) {
  const Folder folder;
  const Outcome outcome =
      folder.sluice({"cluster", kMatrix, "--tolerance", "0.3,0.35,2", "--json", "c.json", "--svg", "c.svg"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\nlevel 2, tolerance 0.35: "), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("\nlevel 3, tolerance 2: 1 cluster\n"), std::string::npos) << outcome.out;
  const json file = json::parse(folder.read("c.json"));
  EXPECT_EQ(file["schema"], "sluice.clusters/1");
  EXPECT_EQ(file["algorithm"], "lowekamp");
  ASSERT_EQ(file["levels"].size(), 3U);
  EXPECT_EQ(file["levels"][0]["clusters"].size(), 6U);
  EXPECT_EQ(file["levels"][0]["clusters"][3], (json{{"nodes", {66}}}));
  EXPECT_NEAR(file["levels"][0]["clusters"][0]["latency_s"].get<double>(), 47.56e-6, 1e-12);
  EXPECT_EQ(folder.read("c.svg").rfind("<svg ", 0), 0U);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"c.json", "c.svg"}));
  const json close = json::parse(folder.sluice({"cluster", kMatrix, "--algorithm", "closeness", "--json", "-"}).out);
  EXPECT_EQ(close["algorithm"], "closeness");
  EXPECT_EQ(close["levels"], json::array({file["levels"][0]}));
}

TEST(Cluster, HasHelp) {
  const Folder folder;
  const Outcome outcome = folder.sluice({"cluster", "--help"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.out.find("Usage: sluice cluster"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("Example"), std::string::npos) << outcome.out;
}

TEST(Cluster, RefusesBadInput) {
  const Folder folder;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  folder.write("wide.mtx", head + "2 3 0\n");
  folder.write("good.mtx", head + "2 2 1\n1 2 0.5\n");
  expect_refused(folder.sluice({"cluster"}), "no file");
  expect_refused(folder.sluice({"cluster", "wide.mtx", "--svg", "c.svg"}), "wide.mtx:2: 2 rows and 3 columns");
  expect_refused(folder.sluice({"cluster", "none.mtx"}), "none.mtx");
  expect_refused(folder.sluice({"cluster", "good.mtx", "--tolerance", "-0.3"}), "--tolerance");
  expect_refused(folder.sluice({"cluster", "good.mtx", "--tolerance", "0.3,"}), "--tolerance");
  expect_refused(folder.sluice({"cluster", "good.mtx", "--tolerance", "nan"}), "--tolerance");
  expect_refused(folder.sluice({"cluster", "good.mtx", "--algorithm", "kmeans"}), "lowekamp or closeness");
  expect_refused(folder.sluice({"cluster", "good.mtx", "--svg", "no/such/c.svg"}), "no/such/c.svg");
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"good.mtx", "wide.mtx"}));
}

}  // namespace
}  // namespace sluice::testing
