#include "sluice/run/mpi/dynamic_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

#include "run/any_rank_failed.hpp"
#include "run/exchange_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::any_rank_failed;
using testing::Draw;
using testing::rank;
using testing::size;

/// A message drawn by all ranks.
struct Drawn {
  int from = 0;
  int to = 0;
  std::vector<std::byte> bytes;
};

std::vector<Drawn> draw_messages(Draw& draw, std::int64_t count, std::int64_t longest) {
  std::vector<Drawn> all(static_cast<std::size_t>(count));
  for (Drawn& message : all) {
    message.from = static_cast<int>(draw.between(0, size() - 1));
    message.to = static_cast<int>(draw.between(0, size() - 1));
    message.bytes.resize(static_cast<std::size_t>(draw.chance(4) ? 0 : draw.between(1, longest)));
    for (std::byte& b : message.bytes) b = static_cast<std::byte>(draw.between(0, 255));
  }
  return all;
}

using Bag = std::vector<std::pair<int, std::vector<std::byte>>>;

Bag expected(const std::vector<Drawn>& all) {
  Bag bag;
  for (const Drawn& message : all) {
    if (message.to == rank() && !message.bytes.empty()) bag.emplace_back(message.from, message.bytes);
  }
  std::ranges::sort(bag);
  return bag;
}

Bag bag_of(std::vector<ReceivedMessage> received) {
  Bag bag;
  for (ReceivedMessage& message : received) bag.emplace_back(message.from, std::move(message.bytes));
  std::ranges::sort(bag);
  return bag;
}

TEST(DynamicExchange, RandomRounds) {
  Draw draw(31);
  for (int i = 0; i < 6 && !any_rank_failed(); ++i) {
    DynamicExchangeOptions options;
    options.max_transfers = draw.between(1, 4);
    options.tune = draw.chance(2);
    options.chunk_bytes = draw.one_of<std::int64_t>({100, 5000, 32768});
    options.early_release_bytes = draw.one_of<std::int64_t>({0, 300, 32768});
    DynamicExchange job(MPI_COMM_WORLD, options);
    for (int round = 0; round < 4; ++round) {
      const std::vector<Drawn> all = draw_messages(draw, draw.between(0, 40), 6000);
      for (const Drawn& message : all) {
        if (message.from == rank()) job.post(message.to, message.bytes);
        if (draw.chance(5)) job.progress();
      }
      if (draw.chance(2)) job.set_max_transfers(draw.between(1, 5));
      EXPECT_EQ(bag_of(job.finish()), expected(all)) << "round " << round;
    }
  }
}

/// What each rank has to send depends on what it was sent.
TEST(DynamicExchange, PatternsThatUnfold) {
  DynamicExchange job(MPI_COMM_WORLD);
  const auto token = [](std::size_t bytes) { return std::vector<std::byte>(bytes, std::byte{7}); };
  std::vector<std::byte> mine = token(1000);
  if (rank() == 0) job.post(size() - 1, mine);
  std::size_t seen = 0;
  for (int hop = 0; hop < 3; ++hop) {
    const std::vector<ReceivedMessage> received = job.finish();
    seen += received.size();
    if (received.empty()) continue;
    mine = token(received.front().bytes.size() + 1);
    job.post((rank() + size() - 1) % size(), mine);
  }
  for (const ReceivedMessage& message : job.finish()) {
    EXPECT_EQ(message.bytes, token(1003));
    EXPECT_EQ(message.from, (rank() + 1) % size());
    ++seen;
  }
  int total = static_cast<int>(seen);
  MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(total, 4);
}

TEST(DynamicExchange, BadArguments) {
  DynamicExchangeOptions bad;
  bad.max_transfers = rank() == 0 ? 0 : 1;
  EXPECT_THROW(DynamicExchange(MPI_COMM_WORLD, bad), InputError);
  bad.max_transfers = 1;
  bad.window = size() > 1 && rank() == size() - 1 ? 3 : 2;
  if (size() > 1) {
    EXPECT_THROW(DynamicExchange(MPI_COMM_WORLD, bad), InputError);
  }
  DynamicExchange job(MPI_COMM_WORLD);
  const std::vector<std::byte> bytes(10);
  EXPECT_THROW(job.post(size(), bytes), InputError);
  EXPECT_THROW(job.post(-1, bytes), InputError);
  EXPECT_THROW(job.set_max_transfers(0), InputError);
  EXPECT_TRUE(job.finish().empty());
}

/// A rank that throws between posts does not leave the others waiting.
TEST(DynamicExchange, ARankThatThrows) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const std::vector<std::byte> bytes(100000);
  try {
    DynamicExchange job(MPI_COMM_WORLD);
    job.post((rank() + 1) % size(), bytes);
    if (rank() == 1) throw std::runtime_error("out of luck");
    (void)job.finish();
    FAIL() << "finished without rank 1";
  } catch (const JobError& e) {
    EXPECT_NE(rank(), 1);
    EXPECT_EQ(e.rank(), 1) << e.what();
  } catch (const std::runtime_error& e) {
    EXPECT_EQ(rank(), 1) << e.what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sluice::mpi
