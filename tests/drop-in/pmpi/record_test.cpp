#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "preloaded.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/input/traffic_file.hpp"
#include "sluice/plan/exchange.hpp"
#include "sluice/schedule/cost.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice::testing {
namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>;

Entries entries_of(const Folder& folder, const std::string& file) {
  Entries entries;
  for (const Message& message : read_traffic(folder.path(file)).messages)
    entries[{message.from, message.to}] += message.size;
  return entries;
}

nlohmann::json call_of(const nlohmann::json& record, const std::string& comm, const std::string& call) {
  for (const auto& each : record.at("communicators")) {
    if (each.at("name") != comm) continue;
    for (const auto& line : each.at("calls")) {
      if (line.at("call") == call) return line;
    }
  }
  return nullptr;
}

void expect_known_sends(const Folder& folder, std::int64_t n) {
  Entries ring;
  Entries persistent;
  Entries bcast;
  Entries reduce;
  Entries allreduce;
  Entries alltoallv;
  for (std::int64_t i = 0; i < n; ++i) {
    ring[{i, (i + 1) % n}] = 3 * 8 * (i + 1);
    persistent[{i, (i + 1) % n}] = 2 * 40;
    if (i != n - 1) bcast[{n - 1, i}] = 800;
    if (i != 0) reduce[{i, 0}] = 80;
    for (std::int64_t j = 0; j < n; ++j) {
      if (i != j) allreduce[{i, j}] = 16;
      if (i != j && i + 2 * j > 0) alltoallv[{i, j}] = 8 * (i + 2 * j);
    }
  }
  EXPECT_EQ(entries_of(folder, "record/world-isend.mtx"), ring);
  EXPECT_EQ(entries_of(folder, "record/world-start.mtx"), persistent);
  EXPECT_EQ(entries_of(folder, "record/world-bcast.mtx"), bcast);
  EXPECT_EQ(entries_of(folder, "record/world-reduce.mtx"), reduce);
  EXPECT_EQ(entries_of(folder, "record/world-allreduce.mtx"), allreduce);
  EXPECT_EQ(entries_of(folder, "record/world-alltoallv.mtx"), alltoallv);

  const auto record = nlohmann::json::parse(folder.read("record/record.json"));
  EXPECT_EQ(record.at("schema"), "sluice.record/1");
  EXPECT_EQ(record.at("ranks"), n);
  EXPECT_EQ(record.at("ranks_heard"), n);
  const nlohmann::json about = record.at("about");
  EXPECT_EQ(about.at("hosts").size(), 1U);
  EXPECT_NE(about.at("command").at(0).get<std::string>().find("known_sends"), std::string::npos) << about;
  EXPECT_NE(about.at("mpi"), "");
  EXPECT_EQ(about.at("date").get<std::string>().size(), std::string("2026-01-01T00:00:00Z").size());
  const nlohmann::json isend = call_of(record, "world", "MPI_Isend");
  EXPECT_EQ(isend.at("calls"), 3 * n);
  EXPECT_EQ(isend.at("bytes"), 3 * 8 * n * (n + 1) / 2);
  EXPECT_EQ(isend.at("file"), "world-isend.mtx");
  EXPECT_GT(isend.at("time_s"), 0);
  std::int64_t in_bins = 0;
  for (const auto& bin : isend.at("sizes")) in_bins += bin.at("calls").get<std::int64_t>();
  EXPECT_EQ(in_bins, 3 * n);
  // Both halves of the ranks have made a communicator.
  std::int64_t halves = 0;
  for (const auto& comm : record.at("communicators")) {
    if (comm.at("name") == "world") continue;
    ++halves;
    const nlohmann::json half_bcast = comm.at("calls").at(0);
    EXPECT_EQ(half_bcast.at("call"), "MPI_Bcast");
    const auto size = comm.at("size").get<std::int64_t>();
    if (size == 1) {
      EXPECT_TRUE(half_bcast.at("file").is_null() ||
                  entries_of(folder, "record/" + half_bcast.at("file").get<std::string>()).empty());
      continue;
    }
    Entries expected;
    for (std::int64_t i = 1; i < size; ++i) expected[{0, i}] = 56;
    EXPECT_EQ(entries_of(folder, "record/" + half_bcast.at("file").get<std::string>()), expected);
  }
  EXPECT_EQ(halves, 2);
}

TEST(Record, HoldsWhatWasSent) {  // 36
  const Folder folder;
  const Outcome outcome = preloaded(folder, 4, "SLUICE_RECORD=record", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err.find("sluice"), std::string::npos) << outcome.err;
  expect_known_sends(folder, 4);
  EXPECT_EQ(nlohmann::json::parse(folder.read("record/record.json")).at("complete"), true);
  for (const std::string& file : folder.files()) EXPECT_EQ(file.find("parts"), std::string::npos) << file;
}

// One call in 16 is timed, and its time stands for all 16. If another program has the processor during calls that are
// not timed, the record says less than what has passed. So one run of eight has to say most of it, and none says more.
TEST(Record, HoldsTheTimeOfCallsInQuickSuccession) {
  double most = 0;
  for (int run = 0; run < 8 && most < 0.3; ++run) {
    const Folder folder;
    const Outcome outcome = preloaded(folder, 2, "SLUICE_RECORD=record", "special_calls quick");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const std::size_t at = outcome.out.find("seconds ");
    ASSERT_NE(at, std::string::npos) << outcome.out;
    const double passed_s = std::stod(outcome.out.substr(at + 8));
    const auto record = nlohmann::json::parse(folder.read("record/record.json"));
    const nlohmann::json call = call_of(record, "world", "MPI_Allreduce");
    EXPECT_EQ(call.at("calls"), 2 * 20000);
    EXPECT_EQ(call.at("bytes"), 2 * 20000 * 8);
    const double share = call.at("time_s").get<double>() / passed_s;
    EXPECT_LE(share, 1.05);  // clocks differ a little
    most = std::max(most, share);
  }
  EXPECT_GE(most, 0.3);
}

TEST(Record, IsWhatPlanExchangeTakes) {
  const Folder folder;
  ASSERT_EQ(preloaded(folder, 3, "SLUICE_RECORD=record", "known_sends").status, 0);
  const Traffic traffic = read_traffic(folder.path("record/world-alltoallv.mtx"));
  EXPECT_EQ(traffic.senders, 3);
  const auto plan = plan_exchange({traffic, 3, 0});
  EXPECT_TRUE(validate(plan.schedule, traffic).empty());
  EXPECT_EQ(cost(plan.schedule).transmission, 72);  // what rank 2 gets
}

// An interval of 0.2 seconds, and a program that ends by SIGKILL long before its end.
TEST(Record, StaysWhereRanksAreKilled) {
  const Folder folder;
  const Outcome outcome = preloaded_by_shell(folder, 2, "SLUICE_RECORD=record SLUICE_RECORD_INTERVAL=0.2",
                                             "\"$0\" sleep & sleep 5; kill -KILL $!; sleep 1", "known_sends");
  EXPECT_EQ(outcome.out.find("finalized"), std::string::npos) << outcome.out;
  expect_known_sends(folder, 2);
  EXPECT_EQ(nlohmann::json::parse(folder.read("record/record.json")).at("complete"), false);
}

// No interval comes to its end: what is there was written at the signal.
TEST(Record, IsWrittenWhereRanksAreTerminated) {
  const Folder folder;
  const Outcome outcome =
      preloaded_by_shell(folder, 2, "SLUICE_RECORD=record SLUICE_RECORD_INTERVAL=1000",
                         "\"$0\" sleep & sleep 5; kill $!; wait $!; echo status $?; sleep 2", "known_sends");
  EXPECT_NE(outcome.out.find("status 143"), std::string::npos) << outcome.out << outcome.err;  // SIGTERM, as without
  expect_known_sends(folder, 2);
}

TEST(Record, SaysOnceThatItCannotBeWritten) {  // 36
  const Folder folder;
  folder.write("file", "in the way");
  const Outcome outcome = preloaded(folder, 3, "SLUICE_RECORD=file", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const std::size_t at = outcome.err.find(
      "sluice: SLUICE_RECORD: nothing is recorded: rank 0: file: Not a directory, expected a folder that can be "
      "written");
  ASSERT_NE(at, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("sluice:", at + 1), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("finalized"), std::string::npos);
  EXPECT_EQ(folder.read("file"), "in the way");
}

TEST(Record, SaysWhichVariableIsBad) {
  const Folder folder;
  const Outcome outcome = preloaded(folder, 2, "SLUICE_RECORD=record SLUICE_RECORD_INTERVAL=soon", "known_sends");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.err.find("sluice: ignored: SLUICE_RECORD_INTERVAL: 'soon'"), std::string::npos) << outcome.err;
  EXPECT_TRUE(folder.files().empty());
}

// Each rank has a number of its own, which both launchers give it.
TEST(Record, NeedsTheSameOnAllRanks) {
  const Folder folder;
  const Outcome outcome = preloaded_by_shell(
      folder, 2, "SLUICE_LOG=1", "SLUICE_RECORD=record-${OMPI_COMM_WORLD_RANK:-$PMI_RANK} \"$0\"", "known_sends");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("sluice: ignored: SLUICE_ variables differ between ranks"), std::string::npos)
      << outcome.err;
  EXPECT_TRUE(folder.files().empty());
}

}  // namespace
}  // namespace sluice::testing
