#include <algorithm>
#include <map>
#include <sstream>

#include "lab_stand_in.hpp"

namespace sluice::testing {
namespace {

class DefaultsLab : public LabStandIn {
 protected:
  DefaultsLab() : LabStandIn("defaults-lab") {}
};

#if SLUICE_OPEN_MPI

TEST_F(DefaultsLab, SetsTheDefaultBesideTheBestOfMpiAndOfOurs) {
  stand_in("");
  const Outcome outcome = study();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> rows = lines(folder_.read("figures/defaults.csv"));
  ASSERT_EQ(rows.size(), 1U + 2 * 2 * 4);  // networks, sizes, problems
  std::map<std::string, std::string> found;
  for (const std::string& row : rows) found[row.substr(0, row.find(',', row.find(',', row.find(',') + 1) + 1))] = row;
  // The default takes 1 s, MPI_Bcast 2; of an exchange by seven methods the best of ours 2, the best of MPI 5.
  EXPECT_EQ(found.at("a,broadcast,65536"),
            "a,broadcast,65536,0.000000,1.000000,0.500000,9.000000,mpi-bcast,2.000000,0.500,,,1.000,,0.000000,"
            "\"by sluice\"");
  EXPECT_NE(found.at("b,exchange columns,1048576").find("alltoallv,5.000000,0.200,sluice-chain,2.000000,1.000,"),
            std::string::npos);
  EXPECT_NE(outcome.out.find("(b) 4 + 4 hosts, k = 2"), std::string::npos) << outcome.out;
}

TEST_F(DefaultsLab, MeasuresTheNetworksThatAreAskedFor) {
  stand_in("");
  expect_refused(study("--networks a,g"), "--networks: 'g', expected some of a, b, c, d4, d8, e, f");
  expect_nothing_written();
  const Outcome outcome = study("--networks e,d4");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, int> of_network;
  for (const std::string& row : lines(folder_.read("figures/defaults.csv"))) ++of_network[row.substr(0, row.find(','))];
  EXPECT_EQ(of_network, (std::map<std::string, int>{{"network", 1}, {"d4", 2 * 4}, {"e", 2 * 4}}));
}

TEST_F(DefaultsLab, MeasuresTheSizesThatAreAskedFor) {
  stand_in("");
  expect_refused(study("--sizes 64Ki,some"), "--sizes: 'some'");
  expect_refused(study("--sizes 4"), "--sizes: '4', expected 8 to");
  expect_nothing_written();
  const Outcome outcome = study("--networks a --sizes 4Ki,256Ki");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::map<std::string, int> of_size;
  for (const std::string& row : lines(folder_.read("figures/defaults.csv"))) {
    std::istringstream in(row);
    std::string network, work, bytes;
    std::getline(std::getline(std::getline(in, network, ','), work, ','), bytes, ',');
    ++of_size[bytes];
  }
  EXPECT_EQ(of_size, (std::map<std::string, int>{{"bytes_per_rank", 1}, {"4096", 4}, {"262144", 4}}));
}

TEST_F(DefaultsLab, BoundsAreThoseOfPortsAndBackbone) {
  stand_in("");
  ASSERT_EQ(study("--seed 3").status, 0);
  std::map<std::string, std::string> bounds;
  for (const std::string& row : lines(folder_.read("figures/defaults.csv"))) {
    std::istringstream in(row);
    std::string network, work, bytes, bound;
    std::getline(std::getline(std::getline(std::getline(in, network, ','), work, ','), bytes, ','), bound, ',');
    bounds[network + work + bytes] = bound;
  }
  // Computes the bounds of the two exchanges of (a) from their matrices, kept/2 and kept/6.
  for (const auto& [number, bytes] : {std::pair(2, "65536"), std::pair(6, "1048576")}) {
    std::istringstream in(folder_.read("kept/" + std::to_string(number)));
    std::string header;
    std::getline(in, header);
    int rows = 0, columns = 0, entries = 0;
    in >> rows >> columns >> entries;
    EXPECT_EQ(entries, 8 * 7);
    std::map<int, double> sent, received;
    double there[2] = {};
    double total = 0;
    double size = 0;
    for (int from = 0, to = 0; in >> from >> to >> size;) {
      sent[from] += size;
      received[to] += size;
      total += size;
      if ((from <= 4) != (to <= 4)) there[from <= 4 ? 0 : 1] += size;
    }
    EXPECT_NEAR(total / 8, std::stod(bytes), 10) << "bytes for each rank";
    double port = 0;
    for (const auto* loads : {&sent, &received})
      for (const auto& [rank, load] : *loads) port = std::max(port, load);
    EXPECT_NEAR(std::stod(bounds.at(std::string("aexchange columns") + bytes)), port / 12.5e6, 1e-6);
    EXPECT_NEAR(std::stod(bounds.at(std::string("bexchange columns") + bytes)),
                std::max(port / 12.5e6, std::max(there[0], there[1]) / 25e6), 1e-6);
  }
}

TEST_F(DefaultsLab, GoesOnBehindACaseThatFails) {
  stand_in("[[ $methods != *alltoallw* ]] || { echo 'error: a bad week' >&2; exit 9; }");
  const Outcome outcome = study();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("redistribute matrix, 65536 bytes: not measured: a bad week\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(lines(folder_.read("figures/defaults.csv")).size(), 1U + 2 * 2 * 3);
}

TEST_F(DefaultsLab, MeasuresOnlyWhatAnEarlierRunDidNot) {
  stand_in("[[ $methods != *alltoallw* ]] || { echo 'error: a bad week' >&2; exit 9; }");
  ASSERT_EQ(study().status, 1);
  const std::string before = folder_.read("figures/runs.jsonl");
  EXPECT_EQ(lines(before).size(), 2U * 2 * 3);
  // The next one finds the line that it was writing when it was killed.
  folder_.write("figures/runs.jsonl", before + before.substr(0, before.size() / 20));
  const auto measured = [&] { return lines(folder_.read("kept.txt")).size(); };
  ASSERT_EQ(measured(), 2U * 2 * 3);
  stand_in("");
  const Outcome outcome = study();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("12 of 16 runs were measured before (figures/runs.jsonl)\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(measured(), 2U * 2 * 4) << "only the redistributions were measured";
  EXPECT_EQ(lines(folder_.read("figures/defaults.csv")).size(), 1U + 2 * 2 * 4);
  ASSERT_EQ(study("--seed 2").status, 0);
  EXPECT_EQ(measured(), 2U * 2 * 4 + 4) << "other traffic is another run";
  folder_.write("figures/runs.jsonl", "{}\n");
  expect_refused(study(), "figures/runs.jsonl:1: no measured run");
}

#else

TEST_F(DefaultsLab, IsRefusedWithoutOpenMpi) { expect_refused_without_open_mpi(); }

#endif

}  // namespace
}  // namespace sluice::testing
