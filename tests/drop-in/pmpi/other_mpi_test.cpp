#include <gtest/gtest.h>

#include <string>

#include "preloaded.hpp"

namespace sluice::testing {
namespace {

const std::string kVariables = "SLUICE_TAKE=always SLUICE_LOG=1 ";

/// The program has ended well, without the library, which has said so in one line.
void expect_left_alone(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const std::size_t at = outcome.err.find("sluice: this library was built for ");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(", the program runs with ", at), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(": the program runs without the library; preload the one for that\n", at),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("sluice:", at + 1), std::string::npos) << outcome.err;
}

TEST(Preloaded, LeavesAProgramOfAnotherMpiAloneWithALine) {  // 30 of tests/docs/newcomer.md
  const Folder folder;
  const Outcome outcome = preloaded_under_other_mpi(folder, 2, kVariables, "special_calls short");
  expect_left_alone(outcome);
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
}

#if SLUICE_IS_OPEN_MPI
TEST(Preloaded, LeavesAProgramOfAnotherMajorVersionAlone) {
  const Folder folder;
  expect_left_alone(preloaded_under_other_mpi(folder, 2, kVariables + "PRETENDED_MPI=Open_MPI_v99.1.0,_package",
                                              "special_calls short"));
}
#endif

// With its arguments, and with what else is preloaded.
TEST(Preloaded, StartsAProgramAgainAsItWas) {
  const Folder folder;
  const Outcome outcome =
      preloaded_under_other_mpi(folder, 1, kVariables, "/bin/sh -c echo${IFS}$#:$2:$LD_PRELOAD name first second");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(std::string("2:second:") + SLUICE_OTHER_MPI), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("libsluice_pmpi"), std::string::npos) << outcome.out;
}

#if SLUICE_HAS_OTHER_C
TEST(Preloaded, LeavesCOfTheOtherMpiAlone) {
  const Folder folder;
  const Outcome outcome = preloaded_by_other_launcher(folder, 3, kVariables, "example_of_other_mpi 5");
  expect_left_alone(outcome);
  EXPECT_NE(outcome.out.find("; 0 wrong elements"), std::string::npos) << outcome.out;
}
#endif

#if SLUICE_HAS_OTHER_FORTRAN
TEST(Preloaded, LeavesFortranOfTheOtherMpiAlone) {
  for (const char* const program : {"fortran_other_mpif_h", "fortran_other_use_mpi_f08"}) {
    const Folder folder;
    const Outcome outcome = preloaded_by_other_launcher(folder, 3, kVariables, program);
    expect_left_alone(outcome);
    EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
  }
}
#endif

}  // namespace
}  // namespace sluice::testing
