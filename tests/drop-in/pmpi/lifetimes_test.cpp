#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "preloaded.hpp"

namespace sluice::testing {
namespace {

/// Memory that is freed holds no more what it held.
const std::string kPerturbed = "MALLOC_PERTURB_=165 ";
/// Without UCX, which lets no forked child exit, and which keeps descriptors of files open.
const std::string kWithoutUcx = "OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_osc=^ucx ";
const std::string kRecorded = "SLUICE_RECORD=record ";
const std::string kOften = "SLUICE_RECORD=record SLUICE_RECORD_INTERVAL=0.05 ";
const std::string kTaken = "SLUICE_TAKE=always SLUICE_LOG=1 ";

void expect_nothing_wrong(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("0 wrong"), std::string::npos) << outcome.out << outcome.err;
}

nlohmann::json record_of(const Folder& folder) { return nlohmann::json::parse(folder.read("record/record.json")); }

/// How often a call was recorded between all ranks.
int recorded(const nlohmann::json& record, const std::string& call) {
  int calls = 0;
  for (const auto& comm : record.at("communicators")) {
    for (const auto& each : comm.at("calls")) {
      if (each.at("call") == call) calls += each.at("calls").get<int>();
    }
  }
  return calls;
}

void expect_complete(const nlohmann::json& record, int ranks) {
  EXPECT_EQ(record.at("complete"), true);
  EXPECT_EQ(record.at("ranks_heard"), ranks);
}

TEST(Lifetimes, OfACommunicatorThatTwoThreadsUseForTheFirstTime) {
  const Folder folder;
  expect_nothing_wrong(preloaded_interposed(folder, 2, kPerturbed + kRecorded, "lifetimes first-use"));
  const nlohmann::json record = record_of(folder);
  expect_complete(record, 2);
  EXPECT_EQ(recorded(record, "MPI_Sendrecv"), 2 * 2 * 20);
}

TEST(Lifetimes, OfCommunicatorsThatAreFreedWhileAnotherThreadCalls) {
  const Folder folder;
  expect_nothing_wrong(preloaded(folder, 2, kPerturbed + kTaken, "lifetimes free-other"));
  expect_nothing_wrong(preloaded(folder, 2, kPerturbed + kOften, "lifetimes free-other"));
  const nlohmann::json record = record_of(folder);
  expect_complete(record, 2);
  EXPECT_EQ(recorded(record, "MPI_Sendrecv"), 2 * 2 * 40);
  EXPECT_EQ(recorded(record, "MPI_Allreduce"), 2 * 2 * 40);
}

TEST(Lifetimes, OfACommunicatorThatIsFreedWithinACall) {
  const Folder folder;
  expect_nothing_wrong(preloaded(folder, 2, kPerturbed + kRecorded, "lifetimes free-send"));
  EXPECT_EQ(recorded(record_of(folder), "MPI_Ssend"), 2);
  const Outcome outcome = preloaded(folder, 2, kPerturbed + kTaken, "lifetimes free-reduce");
  expect_nothing_wrong(outcome);
  EXPECT_EQ(planned(outcome, "MPI_Allreduce"), 2) << outcome.err;
#if !SLUICE_IS_OPEN_MPI  // its own MPI_Allreduce does not outlast its communicator
  expect_nothing_wrong(preloaded(folder, 2, kPerturbed + kRecorded, "lifetimes free-reduce"));
  EXPECT_EQ(recorded(record_of(folder), "MPI_Allreduce"), 2 * 2);
#endif
}

TEST(Lifetimes, OfPersistentSendsMayBeLongerThanTheirCommunicators) {
  const Folder folder;
  expect_nothing_wrong(preloaded(folder, 3, kPerturbed + kRecorded, "lifetimes free-persistent"));
  EXPECT_EQ(recorded(record_of(folder), "MPI_Start"), 3);
}

// Messages of the program on MPI_COMM_WORLD, with the tags of the record's own ones.
TEST(Record, IsCompleteWhereMessagesOfTheProgramAreNotReceived) {
  const Folder folder;
  for (const std::string& variables : {kRecorded, kOften}) {
    expect_nothing_wrong(preloaded(folder, 3, variables, "lifetimes unreceived"));
    const nlohmann::json record = record_of(folder);
    expect_complete(record, 3);
    EXPECT_EQ(recorded(record, "MPI_Send"), 2 * 3);
    EXPECT_EQ(recorded(record, "MPI_Allreduce"), 3 * 4);
  }
}

TEST(Record, IsNotCompleteWhereARankEndsEarly) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 3, kOften, "lifetimes early-end");
  EXPECT_EQ(outcome.out.find(" wrong"), std::string::npos) << outcome.out;  // the launcher may say how it ended
  const nlohmann::json record = record_of(folder);
  EXPECT_EQ(record.at("complete"), false);
  EXPECT_GE(recorded(record, "MPI_Allreduce"), 1);  // when the files were renewed last
}

TEST(Record, IsNotCompleteAfterMpiAbort) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 3, kRecorded, "known_sends abort");
  EXPECT_NE(outcome.status, 0);
  const nlohmann::json record = record_of(folder);
  EXPECT_EQ(record.at("complete"), false);
  EXPECT_GE(recorded(record, "MPI_Isend"), 3);  // of the rank that calls MPI_Abort; others may be killed at once
}

// Rank 0 alone writes the files, and the others do not wait for it for ever.
TEST(Record, ThatCannotBeWrittenAtTheEndKeepsNobody) {
  for (const char* const program : {"lifetimes no-folder", "lifetimes no-folder late"}) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 3, kPerturbed + kOften, program);
    expect_nothing_wrong(outcome);
    EXPECT_NE(outcome.err.find("sluice: SLUICE_RECORD: record/"), std::string::npos) << outcome.err;
    EXPECT_EQ(folder.read("record"), "");
  }
}

TEST(Lifetimes, MayEndWithStaticVariables) {
  const Folder folder;
  Outcome outcome = preloaded(folder, 3, kPerturbed + kTaken, "lifetimes calls late");
  expect_nothing_wrong(outcome);
  EXPECT_EQ(planned(outcome, "MPI_Allreduce"), 2 * 4) << outcome.err;
  outcome = preloaded(folder, 3, kPerturbed + kOften, "lifetimes calls late");
  expect_nothing_wrong(outcome);
  const nlohmann::json record = record_of(folder);
  expect_complete(record, 3);
  EXPECT_EQ(recorded(record, "MPI_Allreduce"), 3 * 2 * 4);
}

// With default options.
TEST(Lifetimes, OfCallsWhoseCountsDiffer) {
  const Folder folder;
  expect_nothing_wrong(preloaded(folder, 3, "", "lifetimes other-count"));
}

TEST(Lifetimes, OfManyCommunicators) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "", "lifetimes many");
  expect_nothing_wrong(outcome);
  EXPECT_NE(outcome.err.find("MPI_Bcast is forwarded: communicator"), std::string::npos) << outcome.err;
}

TEST(Lifetimes, OfForkedChildren) {
  const Folder folder;
  for (const std::string& variables : {kTaken, kOften})
    expect_nothing_wrong(preloaded_interposed(folder, 2, kWithoutUcx + variables, "lifetimes fork"));
  expect_complete(record_of(folder), 2);
}

int descriptors(const std::string& variables) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, kWithoutUcx + variables, "lifetimes descriptors");
  expect_nothing_wrong(outcome);
  const std::string word = "descriptors ";
  const std::size_t at = outcome.out.find(word);
  return at == std::string::npos ? -1 : std::stoi(outcome.out.substr(at + word.size()));
}

// A program that closes what it does not know, and opens files of its own in its place.
TEST(Lifetimes, OfDescriptorsAreTheProgramsOwn) {
  const int without = descriptors("SLUICE_CALLS=none ");
  EXPECT_GT(without, 0);
  EXPECT_EQ(descriptors(kRecorded), without);
  EXPECT_EQ(descriptors(kTaken), without);
  for (const std::string& variables : {kTaken, kOften}) {
    const Folder folder;
    expect_nothing_wrong(preloaded(folder, 3, kWithoutUcx + variables, "lifetimes close-files"));
  }
}

}  // namespace
}  // namespace sluice::testing
