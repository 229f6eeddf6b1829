#include "sluice/run/mpi/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "run/exchange_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::Draw;
using testing::rank_in;
using testing::size_of;
using testing::TrafficTable;

int rank() { return rank_in(MPI_COMM_WORLD); }
int size() { return size_of(MPI_COMM_WORLD); }

constexpr std::array kModes{ExchangeMode::kAuto, ExchangeMode::kChain, ExchangeMode::kLocal, ExchangeMode::kBarrier,
                            ExchangeMode::kList};

ExchangeJobOptions random_options(Draw& draw) {
  ExchangeJobOptions options;
  options.max_transfers = draw.between(0, 4);
  options.algorithm = draw.one_of<std::string>({"oggp", "ggp", "weights", "greedy"});
  options.setup_bytes = draw.one_of<double>({0, 50, 1000});
  options.chunk_bytes = draw.one_of<std::int64_t>({0, 1000, 4096});
  options.window = static_cast<int>(draw.one_of<std::int64_t>({0, 1, 3}));
  options.early_release_bytes = draw.one_of<std::int64_t>({0, 1000, 32768});
  return options;
}

/// Executes `rounds` times with other bytes each time.
void run(MPI_Comm comm, const std::vector<MessageSize>& sends, const ExchangeJobOptions& options,
         const TrafficTable& table, int rounds) {
  const int own = rank_in(comm);
  Exchange job(comm, sends, options);
  std::vector<MessageSize> expected;
  for (std::size_t from = 0; from < table.size(); ++from) {
    const std::int64_t bytes = table[from][static_cast<std::size_t>(own)];
    if (bytes > 0) expected.push_back({static_cast<int>(from), bytes});
  }
  ASSERT_EQ(job.receives(), expected);
  ASSERT_EQ(job.sends(), sends);
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
    testing::fill(sends, own, round, out);
    job.execute(out, in);
    EXPECT_EQ(testing::wrong_byte(job.receives(), own, round, in), "") << "round " << round;
  }
}

TEST(Exchange, RandomTraffic) {
  Draw draw(21);
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    const TrafficTable table = testing::random_traffic(draw, size(), 40000);
    ExchangeJobOptions options = random_options(draw);
    std::vector<MessageSize> own;
    for (int r = 0; r < size(); ++r) {
      std::vector<MessageSize> sends = testing::sends_of(table, r, draw);
      if (r == rank()) own = std::move(sends);
    }
    for (const ExchangeMode mode : kModes) {
      options.mode = mode;
      SCOPED_TRACE("case " + std::to_string(i) + ", mode " + to_string(mode));
      run(MPI_COMM_WORLD, own, options, table, 3);
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
