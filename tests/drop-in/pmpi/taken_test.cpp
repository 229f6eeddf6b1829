#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "preloaded.hpp"

namespace sluice::testing {
namespace {

/// Programs that compare calls with PMPI's, and what they call.
struct Program {
  std::string name;
  std::vector<std::string> calls;
};
const std::vector<Program>& programs() {
  static const std::vector<Program> all{
      {"taken_calls",
       {"MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Neighbor_alltoallv", "MPI_Neighbor_allgather",
        "MPI_Neighbor_allgatherv", "MPI_Neighbor_alltoall"}},
      {"taken_collectives",
       {"MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Allgather", "MPI_Allgatherv",
        "MPI_Scatter", "MPI_Gather"}}};
  return all;
}

/// What a program prints under the library; it ends well, and finds nothing wrong.
Outcome nothing_wrong(const Folder& folder, int ranks, const std::string& variables, const std::string& program) {
  Outcome outcome = preloaded(folder, ranks, variables, program);
  EXPECT_EQ(outcome.status, 0) << program << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << program << outcome.out;
  return outcome;
}

class Taken : public ::testing::TestWithParam<int> {};

void expect_as_by_mpi(int ranks, const std::string& variables) {
  const Folder folder;
  for (const Program& program : programs()) {
    const Outcome outcome =
        nothing_wrong(folder, ranks, "SLUICE_TAKE=always SLUICE_LOG=1" + variables, program.name + " 60");
    for (const std::string& call : program.calls) {
      if (ranks == 1)
        EXPECT_EQ(planned(outcome, call), -1) << outcome.err;  // a single rank has nothing to plan
      else
        EXPECT_GT(planned(outcome, call), 0) << call << outcome.err;
    }
  }
}

TEST_P(Taken, AreAsByMpi) { expect_as_by_mpi(GetParam(), ""); }
INSTANTIATE_TEST_SUITE_P(OnRanks, Taken, ::testing::Values(1, 2, 3, 4, 7));

/// Without random rounds: the same arguments again and again, all of them taken.
TEST(Taken, AreAsByMpiAgainAndAgain) {
  const Folder folder;
  const std::vector<Program> repeated{{"taken_calls", {"MPI_Bcast", "MPI_Alltoallv"}}, programs()[1]};
  for (const Program& program : repeated) {
    const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", program.name + " 0");
    for (const std::string& call : program.calls) EXPECT_GE(planned(outcome, call), 20) << call << outcome.err;
  }
}

TEST(Taken, AreAsByMpiByRule) { expect_as_by_mpi(3, " SLUICE_REPRODUCIBLE=1"); }

TEST(TakenCalls, AreThoseThatWereNamed) {
  const Folder folder;
  const std::set<std::string> named{"MPI_Bcast", "MPI_Alltoallv", "MPI_Allreduce", "MPI_Scatter"};
  for (const Program& program : programs()) {
    const Outcome outcome =
        preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_CALLS=bcast,alltoallv,allreduce,scatter",
                  program.name + " 40 5");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    for (const std::string& call : program.calls)
      EXPECT_EQ(planned(outcome, call) > 0, named.contains(call)) << call << outcome.err;
  }
}

/// By memory, which exchanges gain nothing from: of long calls those whose arguments come again and again.
TEST(TakenCalls, OnOneHostAreThoseThatGoByMemory) {
  const Folder folder;
  for (const int ranks : {2, 5}) {
    Outcome outcome = nothing_wrong(folder, ranks, "SLUICE_LOG=1", "taken_collectives 5 1 4000");
    for (const std::string& call : programs()[1].calls) EXPECT_GT(planned(outcome, call), 0) << call << outcome.err;
    outcome = nothing_wrong(folder, ranks, "SLUICE_LOG=1", "taken_calls 20 1 4000");
    EXPECT_GT(planned(outcome, "MPI_Bcast"), 0) << outcome.err;
    EXPECT_EQ(planned(outcome, "MPI_Alltoallv"), 0) << outcome.err;
    for (const char* const call : {"MPI_Alltoall", "MPI_Neighbor_alltoallv", "MPI_Neighbor_alltoall"})
      EXPECT_LE(planned(outcome, call), 0) << call << outcome.err;
  }
  // Shorter ones are not.
  const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_LOG=1", "taken_collectives 0 1 50");
  for (const std::string& call : programs()[1].calls) EXPECT_EQ(planned(outcome, call), 0) << call << outcome.err;
}

TEST(TakenCalls, AreNoneWithThePlatformOfAnotherJob) {
  const Folder folder;
  folder.write("platform.json",
               R"({"schema": "sluice.platform/1", "ranks": 2, "links": [],
"clusters": [{"name": "a", "ranks": [0, 1], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000000, 0.01]]}]})");
  const Outcome outcome =
      preloaded(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_PLATFORM=platform.json", "taken_calls 10");
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const std::string expected = "sluice: all calls are forwarded: platform.json: a platform of 2 ranks";
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
  for (const Program& program : programs()) {
    const Outcome outcome = nothing_wrong(folder, 4, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_PLATFORM=platform.json",
                                          program.name + " 60 3");
    for (const std::string& call : program.calls) EXPECT_GT(planned(outcome, call), 0) << call << outcome.err;
  }
}

// Over a platform shorter calls are taken: the one that is measured when MPI is started is one.
TEST(TakenCalls, GoByWhatTheProbeMeasures) {
  const Folder folder;
  for (const auto& [variables, taken] : {std::pair("SLUICE_LOG=1", false),
                                         {"SLUICE_LOG=1 SLUICE_PROBE=0", false},
                                         {"SLUICE_LOG=1 SLUICE_PROBE=1", true}}) {
    const Outcome outcome = preloaded_on_hosts(folder, 4, variables, "special_calls short");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
    for (const char* const call : {"MPI_Bcast", "MPI_Allreduce"})
      EXPECT_EQ(planned(outcome, call) > 0, taken) << variables << call << outcome.err;
  }
}

TEST(TakenCalls, AreAsByMpiOverWhatTheProbeMeasures) {
  const Folder folder;
  for (const Program& program : programs()) {
    const Outcome outcome =
        preloaded_on_hosts(folder, 4, "SLUICE_TAKE=always SLUICE_LOG=1 SLUICE_PROBE=1", program.name + " 40");
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out;
    for (const std::string& call : program.calls) EXPECT_GT(planned(outcome, call), 0) << call << outcome.err;
  }
}

// On one host there is little to measure; the program runs as usual.
TEST(TakenCalls, AreNoneOnOneHostWithTheProbe) {
  const Folder folder;
  const Outcome outcome = nothing_wrong(folder, 2, "SLUICE_LOG=1 SLUICE_PROBE=1", "special_calls short");
  EXPECT_EQ(planned(outcome, "MPI_Bcast"), 0) << outcome.err;
}

TEST(TakenCalls, NeedAProbeThatIsOnOrOff) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_PROBE=yes", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("sluice: ignored: SLUICE_PROBE: 'yes', expected 1 or 0"), std::string::npos)
      << outcome.err;
}

TEST(BadArguments, GiveMpisOwnErrors) {
  for (const char* const variables :
       {"SLUICE_CALLS=none", "SLUICE_LOG=1", "SLUICE_TAKE=always", "SLUICE_RECORD=record"}) {
    const Folder folder;
    nothing_wrong(folder, 3, variables, "bad_arguments all");
  }
  const Folder folder;
  const Outcome on_hosts = preloaded_on_hosts(folder, 4, "SLUICE_LOG=1", "bad_arguments all");
  EXPECT_NE(on_hosts.out.find("0 wrong"), std::string::npos) << on_hosts.out;
}

// The others are told, so that they do not wait for that rank.
TEST(BadArguments, OfOneRankLetNobodyWait) {
  for (const int ranks : {2, 3, 4}) {
    const Folder folder;
    nothing_wrong(folder, ranks, "SLUICE_TAKE=always", "bad_arguments one");
  }
}

TEST(BadArguments, OfOneRankLetNobodyWaitInLaterCalls) {
  const Folder folder;
  for (const int ranks : {2, 4}) nothing_wrong(folder, ranks, "SLUICE_LOG=1", "bad_arguments then");
  const Outcome on_hosts = preloaded_on_hosts(folder, 4, "SLUICE_LOG=1", "bad_arguments then");
  EXPECT_NE(on_hosts.out.find("0 wrong"), std::string::npos) << on_hosts.out;
}

TEST(TakenCalls, AreLoggedIfTheyWereMadeAndTheLibraryIsNamed) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_LOG=1", "special_calls short");
  EXPECT_EQ(outcome.err.find("sluice: libsluice_pmpi.so "), outcome.err.find("sluice: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(SLUICE_IS_OPEN_MPI ? "under Open MPI" : "under MPICH"), std::string::npos) << outcome.err;
  EXPECT_EQ(planned(outcome, "MPI_Allreduce"), 0) << outcome.err;
  EXPECT_EQ(planned(outcome, "MPI_Scatter"), -1) << outcome.err;
}

TEST(TakenCalls, NeedNamesThatExist) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_CALLS=bcast,alltoallz", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("sluice: ignored: SLUICE_CALLS: 'alltoallz', expected"), std::string::npos) << outcome.err;
}

TEST(TakenCalls, ReturnTheErrorsOfJobs) {
  const Folder folder;
  const Outcome outcome = nothing_wrong(folder, 2, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls errors");
  for (const char* const call : {"MPI_Reduce", "MPI_Allgather", "MPI_Gather"})
    EXPECT_NE(outcome.err.find(std::string("sluice: ") + call + ": "), std::string::npos) << outcome.err;
}

TEST(TakenCalls, MaySendFromTheMemoryThatTheyReceiveInto) {
  const Folder folder;
  const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls alias");
  EXPECT_GT(planned(outcome, "MPI_Alltoallv"), 0) << outcome.err;
}

TEST(TakenCalls, MayComeFromSeveralThreads) {
  const Folder folder;
  const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls threads");
  for (const char* const call : {"MPI_Bcast", "MPI_Alltoall", "MPI_Allreduce", "MPI_Allgather"})
    EXPECT_EQ(planned(outcome, call), 2 * 20) << call << outcome.err;
}

TEST(TakenCalls, MayGoByAbsoluteAddresses) {
  const Folder folder;
  const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", "special_calls bottom");
  for (const char* const call : {"MPI_Bcast", "MPI_Allgather", "MPI_Scatter"})
    EXPECT_EQ(planned(outcome, call), 1) << call << outcome.err;
}

TEST(TakenCalls, AreNotThoseBetweenGroups) {
  for (const char* const variables : {"SLUICE_TAKE=always SLUICE_LOG=1", "SLUICE_RECORD=record"}) {
    const Folder folder;
    const Outcome outcome = nothing_wrong(folder, 3, variables, "special_calls inter");
    for (const char* const call : {"MPI_Bcast", "MPI_Allgather", "MPI_Gather", "MPI_Allreduce"})
      EXPECT_LE(planned(outcome, call), 0) << outcome.err;
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
  const Folder folder;
  const Outcome outcome = preloaded(folder, 3, "SLUICE_LOG=1", program);
  EXPECT_NE(outcome.out.find("; 0 wrong elements"), std::string::npos) << outcome.out;
  EXPECT_EQ(planned(outcome, "MPI_Bcast"), 3) << outcome.err;  // the third to the fifth
  EXPECT_EQ(planned(outcome, "MPI_Reduce"), 3) << outcome.err;
  EXPECT_EQ(planned(outcome, "MPI_Alltoallv"), 0) << outcome.err;
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
const char* const kFortranPrograms[] = {"fortran_mpif_h", "fortran_use_mpi_f08"};

TEST(Fortran, CallsAreTaken) {
  for (const char* const program : kFortranPrograms) {
    const Folder folder;
    const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", program);
    for (const char* const call : {"MPI_Bcast", "MPI_Reduce", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Allreduce",
                                   "MPI_Reduce_scatter_block", "MPI_Allgather", "MPI_Scatter", "MPI_Gather"})
      EXPECT_GT(planned(outcome, call), 0) << program << ' ' << call << outcome.err;
  }
}

/// Returns a line for each call between all ranks in a complete record: "MPI_Bcast 3 12000", with the calls and bytes
/// of all ranks.
std::string calls_of_record(const Folder& folder) {
  const auto record = nlohmann::json::parse(folder.read("record/record.json"));
  EXPECT_EQ(record.at("complete"), true);
  std::string calls;
  for (const auto& call : record.at("communicators").at(0).at("calls"))
    calls += call.at("call").get<std::string>() + ' ' + std::to_string(call.at("calls").get<int>()) + ' ' +
             std::to_string(call.at("bytes").get<int>()) + '\n';
  return calls;
}

TEST(Fortran, CallsAreRecorded) {
  for (const char* const program : kFortranPrograms) {
    const Folder folder;
    nothing_wrong(folder, 3, "SLUICE_RECORD=record", program);
    EXPECT_EQ(calls_of_record(folder),
              "MPI_Allgather 3 12000\nMPI_Allreduce 3 24000\nMPI_Alltoall 3 36000\nMPI_Alltoallv 3 144\n"
              "MPI_Bcast 3 12000\nMPI_Gather 3 8000\nMPI_Reduce 6 48000\nMPI_Reduce_scatter_block 3 36000\n"
              "MPI_Scatter 3 4000\nMPI_Send 2 80\n")
        << program;
  }
}

const char* const kFortranAddresses[] = {"fortran_addresses_mpif_h", "fortran_addresses_use_mpi_f08"};

TEST(Fortran, CallsMayGoByAbsoluteAddressesAndInPlace) {
  for (const char* const program : kFortranAddresses) {
    const Folder folder;
    const Outcome outcome = nothing_wrong(folder, 3, "SLUICE_TAKE=always SLUICE_LOG=1", program);
    const std::pair<const char*, long> calls[] = {
        {"MPI_Allgather", 3}, {"MPI_Allgatherv", 1}, {"MPI_Bcast", 2},
        {"MPI_Scatter", 1},   {"MPI_Gather", 2},     {"MPI_Alltoall", 2},
        {"MPI_Alltoallv", 1}, {"MPI_Allreduce", 1},  {"MPI_Reduce_scatter_block", 1}};
    for (const auto& [call, number] : calls)
      EXPECT_EQ(planned(outcome, call), number) << program << ' ' << call << outcome.err;
  }
}

TEST(Fortran, SpecialAddressesAreHandedOn) {
  for (const char* const program : kFortranAddresses) {
    const Folder folder;
    nothing_wrong(folder, 3, "SLUICE_LOG=1", program);  // looked at, and not taken
    nothing_wrong(folder, 3, "SLUICE_CALLS=none", program);
    nothing_wrong(folder, 3, "SLUICE_RECORD=record", program);
    EXPECT_EQ(calls_of_record(folder),
              "MPI_Allgather 9 36000\nMPI_Allgatherv 3 12000\nMPI_Allreduce 3 12\nMPI_Alltoall 6 72000\n"
              "MPI_Alltoallv 3 36000\nMPI_Bcast 6 24000\nMPI_Gather 6 20000\nMPI_Ibcast 3 12000\n"
              "MPI_Reduce_scatter_block 3 36000\nMPI_Scan 3 12000\nMPI_Scatter 3 4000\nMPI_Sendrecv 3 12000\n")
        << program;
  }
}
#endif

}  // namespace
}  // namespace sluice::testing
