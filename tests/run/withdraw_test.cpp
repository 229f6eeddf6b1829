// After an error MPI uses the caller's buffers no more: they are unmapped at once, and MPI goes on.

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "run/platform_testing.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

/// Memory that the system takes back with the object, so that a late access is an error and no silence.
class Mapping {
 public:
  explicit Mapping(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    at_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (at_ == MAP_FAILED) throw std::runtime_error("no memory");
  }
  ~Mapping() { (void)::munmap(at_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::span<std::byte> bytes() const { return {static_cast<std::byte*>(at_), bytes_}; }

 private:
  void* at_ = nullptr;
  std::size_t bytes_;
};

/// Runs what fails on the last rank by itself, and on the others as they hear of it. `all`: on all ranks.
template <class Execution>
void expect_failure(bool all, const Execution& execution) {
  try {
    execution();
    EXPECT_FALSE(all) << "done without rank " << size() - 1;
    EXPECT_NE(rank(), size() - 1);
  } catch (const JobError& e) {
    EXPECT_EQ(e.rank(), size() - 1) << e.what();
    EXPECT_NE(rank(), size() - 1) << e.what();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "out of luck");
  }
  // Far from MPI for a while: what the others have queued for this rank waits in their memory.
  if (rank() == size() - 1) std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(Withdraw, MemoryOfExchanges) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const testing::PretendedHosts hosts(1);
  constexpr std::int64_t kBytes = 8'000'000;
  for (const ExchangeMode mode : {ExchangeMode::kAtOnce, ExchangeMode::kList, ExchangeMode::kChain}) {
    for (const std::int64_t chunk : {60'000, 1'000'000}) {
      for (int round = 0; round < 2; ++round) {
        SCOPED_TRACE(::testing::Message() << to_string(mode) << ", chunks of " << chunk);
        testing::Comm comm(MPI_COMM_WORLD);
        ExchangeOptions options;
        options.mode = mode;
        options.max_transfers = size();
        options.chunk_bytes = chunk;
        options.window = 100;
        options.try_native = false;
        std::vector<MessageSize> sends;
        for (int to = 0; to < size(); ++to) {
          if (to != rank()) sends.push_back({to, kBytes});
        }
        expect_failure(true, [&] {
          Exchange job(comm.get(), sends, options);
          const Mapping out(job.send_bytes());
          const Mapping in(job.receive_bytes());
          if (rank() == size() - 1) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the others have begun
            throw std::runtime_error("out of luck");
          }
          job.execute(out.bytes(), in.bytes());
        });
      }
    }
  }
}

TEST(Withdraw, MemoryOfBroadcasts) {
  if (size() < 2) GTEST_SKIP() << "needs 2 ranks";
  const testing::PretendedHosts hosts(1);
  for (const std::int64_t bytes : {50'000, 20'000'000}) {
    for (int round = 0; round < 5; ++round) {
      SCOPED_TRACE(::testing::Message() << bytes << " bytes");
      testing::Comm comm(MPI_COMM_WORLD);
      expect_failure(false, [&] {  // who is done does not need the last rank
        BroadcastOptions options;
        options.platform = testing::platform_of(size(), 1);
        options.plan.algorithm = "fef";
        Broadcast job(comm.get(), 0, options);
        const Mapping data(bytes);
        job.execute(data.bytes().data(), bytes);
        if (rank() == size() - 1) {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          throw std::runtime_error("out of luck");
        }
        job.execute(data.bytes().data(), bytes);
      });
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
