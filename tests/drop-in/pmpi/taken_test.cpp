#include <gtest/gtest.h>

#include <string>

#include "preloaded.hpp"

namespace sluice::testing {
namespace {

const char* const kCalls[] = {"MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Neighbor_alltoallv"};

class Taken : public ::testing::TestWithParam<int> {};

TEST_P(Taken, AreAsByMpi) {
  const Folder folder;
  const bool slow = GetParam() > 4 && !SLUICE_RANKS_YIELD;
  const Outcome outcome =
      preloaded(folder, GetParam(), "SLUICE_TAKE=always SLUICE_LOG=1", slow ? "taken_calls 15" : "taken_calls 40");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
  for (const char* const call : kCalls) {
    if (GetParam() == 1)
      EXPECT_EQ(planned(outcome, call), -1) << outcome.err;  // a single rank has nothing to plan
    else
      EXPECT_GT(planned(outcome, call), 0) << call << outcome.err;
  }
}
INSTANTIATE_TEST_SUITE_P(OnRanks, Taken, ::testing::Values(1, 2, 3, 4, 7));

TEST(TakenCalls, AreThoseThatWereNamed) {
  const Folder folder;
  const Outcome outcome =
      preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_CALLS=bcast,alltoallv", "taken_calls 40 5");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* const call : kCalls) {
    const bool named = std::string(call) == "MPI_Bcast" || std::string(call) == "MPI_Alltoallv";
    EXPECT_EQ(planned(outcome, call) > 0, named) << call << outcome.err;
  }
}

TEST(TakenCalls, AreNoneOnOneHostByDefault) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 3, "SLUICE_LOG=1", "taken_calls 40");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  for (const char* const call : kCalls) EXPECT_EQ(planned(outcome, call), 0) << call << outcome.err;
}

TEST(TakenCalls, AreNoneWithThePlatformOfAnotherJob) {
  const Folder folder;
  folder.write("platform.json",
               R"({"schema": "sluice.platform/1", "ranks": 2, "links": [],
"clusters": [{"name": "a", "ranks": [0, 1], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000000, 0.01]]}]})");
  const Outcome outcome =
      preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_PLATFORM=platform.json", "taken_calls 10");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const std::string expected = "sluice: all calls are handed on: platform.json: a platform of 2 ranks";
  const std::size_t at = outcome.err.find(expected);
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("sluice:", at + 1), std::string::npos) << outcome.err;
}

TEST(TakenCalls, GoByThePlatform) {
  const Folder folder;
  folder.write("platform.json",
               R"({"schema": "sluice.platform/1", "ranks": 4,
"links": [{"from": 0, "to": 1, "latency_s": 1e-3, "gap": [[1, 1e-5], [1000000, 0.1]]}],
"clusters": [{"name": "a", "ranks": [0, 1], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000000, 0.01]]},
{"name": "b", "ranks": [2, 3], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000000, 0.01]]}]})");
  const Outcome outcome =
      preloaded(folder, 4, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_PLATFORM=platform.json", "taken_calls 60 3");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_GT(planned(outcome, "MPI_Bcast"), 0) << outcome.err;
  EXPECT_GT(planned(outcome, "MPI_Reduce"), 0) << outcome.err;
}

TEST(TakenCalls, NeedNamesThatExist) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_CALLS=bcast,alltoallz", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("sluice: ignored: SLUICE_CALLS: 'alltoallz', expected"), std::string::npos) << outcome.err;
}

TEST(TakenCalls, ReturnTheErrorsOfJobs) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls errors");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("sluice: MPI_Reduce: own: a null pointer"), std::string::npos) << outcome.err;
}

TEST(TakenCalls, MayComeFromSeveralThreads) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls threads");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
}

TEST(TakenCalls, AreNotThoseBetweenGroups) {
  for (const char* const variables : {"SLUICE_TAKE=always SLUICE_LOG=1", "SLUICE_RECORD=record"}) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 3, variables, "special_calls inter");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
    EXPECT_LE(planned(outcome, "MPI_Bcast"), 0) << outcome.err;
  }
}

#if SLUICE_HAS_C_EXAMPLE || SLUICE_HAS_MPI4PY
void expect_example(const std::string& program) {
  for (const char* const variables : {"SLUICE_CALLS=none", "SLUICE_TAKE=always SLUICE_LOG=1"}) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 3, variables, program);
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("; 0 wrong elements"), std::string::npos) << outcome.out;
    // 5 of each, and reductions of results, which are short or not.
    const bool taken = std::string(variables) != "SLUICE_CALLS=none";
    EXPECT_EQ(planned(outcome, "MPI_Bcast"), taken ? 5 : -1) << outcome.err;
    EXPECT_EQ(planned(outcome, "MPI_Alltoallv"), taken ? 5 : -1) << outcome.err;
    EXPECT_GE(planned(outcome, "MPI_Reduce"), taken ? 6 : -1) << outcome.err;
  }
}
#endif

#if SLUICE_HAS_C_EXAMPLE
TEST(Example, RunsWithAndWithout) { expect_example("example 5"); }
#endif

#if SLUICE_HAS_MPI4PY
TEST(Example, RunsInPython) {
  expect_example(std::string(SLUICE_PYTHON) + ' ' + SLUICE_EXAMPLES + "/collectives.py 5");
}
#endif

#if SLUICE_HAS_FORTRAN
#if SLUICE_OPEN_MPI
const char* const kFortranPrograms[] = {"fortran_mpif_h", "fortran_use_mpi_f08"};
#else
const char* const kFortranPrograms[] = {"fortran_mpif_h"};  // MPICH's mpi_f08 calls PMPI_ itself
#endif

TEST(Fortran, CallsAreTaken) {
  for (const char* const program : kFortranPrograms) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", program);
    EXPECT_EQ(outcome.status, 0) << program << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << program << outcome.out;
    for (const char* const call : {"MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Alltoallv"})
      EXPECT_GT(planned(outcome, call), 0) << program << ' ' << call << outcome.err;
  }
}

TEST(Fortran, CallsAreRecorded) {
  for (const char* const program : kFortranPrograms) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 3, "SLUICE_RECORD=record", program);
    EXPECT_EQ(outcome.status, 0) << program << outcome.out << outcome.err;
    const auto record = nlohmann::json::parse(folder.read("record/record.json"));
    EXPECT_EQ(record.at("complete"), true);
    std::string calls;
    for (const auto& call : record.at("communicators").at(0).at("calls"))
      calls += call.at("call").get<std::string>() + ' ' + std::to_string(call.at("calls").get<int>()) + ' ' +
               std::to_string(call.at("bytes").get<int>()) + '\n';
    EXPECT_EQ(calls,
              "MPI_Alltoall 3 36000\nMPI_Alltoallv 3 144\nMPI_Bcast 3 12000\nMPI_Reduce 6 48000\nMPI_Send 2 80\n")
        << program;
  }
}
#endif

}  // namespace
}  // namespace sluice::testing
