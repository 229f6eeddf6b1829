#include "sluice/run/mpi/transfer_record.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::Comm;
using testing::rank;
using testing::size;

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::int64_t bytes_of(const std::vector<TransferTimes>& transfers) {
  return std::accumulate(transfers.begin(), transfers.end(), std::int64_t{0},
                         [](std::int64_t sum, const TransferTimes& each) { return sum + each.bytes; });
}

/// Each with a start and an end between two times, and another rank.
void expect_between(const TransferRecord& record, double begin_s, double end_s) {
  for (const TransferTimes& each : record.sent()) {
    EXPECT_LE(begin_s, each.start_s);
    EXPECT_LE(each.start_s, each.end_s);
    EXPECT_LE(each.end_s, end_s);
    EXPECT_NE(each.peer, rank());
  }
  for (const TransferTimes& each : record.received()) {
    EXPECT_LE(begin_s, each.end_s);
    EXPECT_LE(each.end_s, end_s);
    EXPECT_NE(each.peer, rank());
  }
}

TEST(TransferRecord, OfAnExchange) {
  std::vector<MessageSize> sends;
  for (int to = 0; to < size(); ++to) sends.push_back({to, to % 3 == 2 ? 0 : 1000 * (to + 1)});
  for (const ExchangeMode mode : {ExchangeMode::kChain, ExchangeMode::kLocal}) {
    ExchangeOptions options;
    options.mode = mode;
    Exchange job(MPI_COMM_WORLD, sends, options);
    std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
    job.execute(out, in);  // before: not seen
    TransferRecord record(MPI_COMM_WORLD);
    for (int round = 1; round <= 2; ++round) {
      const double begin_s = now_s();
      job.execute(out, in);
      std::int64_t to_others = 0, from_others = 0;
      for (const MessageSize& message : sends) to_others += message.peer == rank() ? 0 : message.bytes;
      for (const MessageSize& message : job.receives()) from_others += message.peer == rank() ? 0 : message.bytes;
      EXPECT_EQ(bytes_of(record.sent()), to_others);
      EXPECT_EQ(bytes_of(record.received()), from_others);
      expect_between(record, begin_s, now_s());
      record.clear();
      EXPECT_TRUE(record.sent().empty() && record.received().empty());
    }
    EXPECT_THROW(const TransferRecord second(MPI_COMM_WORLD), InputError);
  }
}

TEST(TransferRecord, OfTrees) {
  const Comm comm;
  TransferRecord record(comm.get());
  ReductionOptions options;
  options.try_native = false;
  options.algorithm = "binomial";
  std::vector<std::int64_t> own(300, 1), result(300);
  ElementReduction sum(comm.get(), {300, MPI_INT64_T, MPI_SUM}, 0, options);
  const double begin_s = now_s();
  sum.execute(own.data(), result.data());
  EXPECT_EQ(bytes_of(record.sent()), rank() == 0 ? 0 : 2400);
  EXPECT_EQ(bytes_of(record.received()) % 2400, 0);
  std::array<std::int64_t, 2> all{bytes_of(record.sent()), bytes_of(record.received())};
  MPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all[0], 2400 * (size() - 1));
  EXPECT_EQ(all[1], all[0]);
  expect_between(record, begin_s, now_s());

  record.clear();
  CollectiveOptions by_plan;
  by_plan.try_native = false;
  by_plan.algorithm = "ring";
  Allgather job(comm.get(), 100, by_plan);
  std::vector<std::byte> mine(100), gathered(100 * static_cast<std::size_t>(size()));
  job.execute(mine.data(), gathered.data());
  EXPECT_EQ(bytes_of(record.sent()), 100 * (size() - 1));
  EXPECT_EQ(bytes_of(record.received()), 100 * (size() - 1));
  EXPECT_EQ(record.sent().size(), static_cast<std::size_t>(size() - 1));
}

TEST(TransferRecord, OfOneCommunicatorWhileItLives) {
  const Comm recorded, other;
  Allgather job(other.get(), 100, {.try_native = false});
  Allgather later(recorded.get(), 100, {.try_native = false});
  std::vector<std::byte> mine(100), gathered(100 * static_cast<std::size_t>(size()));
  {
    const TransferRecord record(recorded.get());
    job.execute(mine.data(), gathered.data());
    EXPECT_TRUE(record.sent().empty() && record.received().empty());
    later.start(mine.data(), gathered.data());
  }
  later.wait();
  later.execute(mine.data(), gathered.data());
  EXPECT_THROW(const TransferRecord none(MPI_COMM_NULL), InputError);
}

}  // namespace
}  // namespace sluice::mpi
