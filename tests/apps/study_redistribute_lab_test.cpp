#include "lab_stand_in.hpp"

namespace sluice::testing {
namespace {

class RedistributeLab : public LabStandIn {
 protected:
  RedistributeLab() : LabStandIn("redistribute-lab") {}
};

#if SLUICE_OPEN_MPI

TEST_F(RedistributeLab, TimesStandBesideTheBoundOfLinksAndBackbone) {
  stand_in("");
  const Outcome outcome = study();
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> kept = lines(folder_.read("kept.txt"));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].rfind("0 10 3 sluice,sluice-chain,sluice-local,alltoallw,alltoallv,pairwise", 0), 0U) << kept[0];
  EXPECT_EQ(kept[1].rfind("1 2 3 sluice,", 0), 0U) << kept[1];
  const std::vector<std::string> rows = lines(folder_.read("figures/redistribute-reno.csv"));
  ASSERT_EQ(rows.size(), 3U);
  // The busiest port has 4 101 632 bytes, 12.5 MB in a second.
  EXPECT_EQ(
      rows[1].rfind("\"8: 2x4 -> 4x2\",8,1000,2x4:64x64,4x2:100x100,0.328131,1.000000,0.500000,9.000000,3.0476,", 0),
      0U)
      << rows[1];
  // All of the array crosses a backbone of 25 MB/s: 2^25 bytes.
  EXPECT_EQ(rows[2].rfind("\"8, 200, apart: 2x2 -> 4x1\",8,200,2x2:64x64,4x1:100x100,1.342177,1.000000,", 0), 0U)
      << rows[2];
  // The job takes 1 s, the fastest of the others, the fourth method, 4.
  for (std::size_t r = 1; r < rows.size(); ++r)
    EXPECT_NE(rows[r].find(",0.2500,\"by sluice\""), std::string::npos) << rows[r];
  EXPECT_NE(outcome.out.find("sluice / best of others"), std::string::npos) << outcome.out;
}

TEST_F(RedistributeLab, GoesOnBehindARowThatFails) {
  stand_in("[[ $k != 2 ]] || { echo 'error: a bad week' >&2; exit 9; }");
  Outcome outcome = study();
  EXPECT_EQ(outcome.status, 1);
  EXPECT_NE(outcome.out.find("8, 200, apart: 2x2 -> 4x1: not measured: a bad week\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(lines(folder_.read("figures/redistribute-reno.csv")).size(), 2U);
  stand_in("");
  outcome = study();
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("1 of 2 runs were measured before (figures/runs.jsonl)\n"), std::string::npos)
      << outcome.out;
  EXPECT_EQ(lines(folder_.read("figures/redistribute-reno.csv")).size(), 3U);
}

#else

TEST_F(RedistributeLab, IsRefusedWithoutOpenMpi) { expect_refused_without_open_mpi(); }

#endif

}  // namespace
}  // namespace sluice::testing
