// Calls from two threads at once: refused in words, and nothing comes of it. MPI_THREAD_MULTIPLE, by SLUICE_THREADS.

#include <gtest/gtest.h>
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::Comm;
using testing::rank;
using testing::size;

/// Whether `part` throws InputError because of another thread.
template <class Part>
bool refused(Part&& part) {
  try {
    part();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("two threads at once"), std::string::npos) << e.what();
    return true;
  }
  return false;
}

template <class Part>
void in_another_thread(Part&& part) {
  std::thread other(std::forward<Part>(part));
  other.join();
}

/// A thread is in a call of a job whenever it is in a callback of the user's.
TEST(TwoThreads, WhileOneIsInACallTheOtherIsRefused) {
  const Comm other;
  const int next = (rank() + 1) % size();
  const int previous = (rank() + size() - 1) % size();
  const std::vector<MessageSize> sends{{next, 1000}};
  const std::vector<std::byte> out(1000, std::byte(rank()));
  std::vector<std::byte> in(1000);
  std::vector<std::byte> buffer(5000, std::byte(rank() == 0 ? 7 : 0));
  Exchange exchange(MPI_COMM_WORLD, sends);
  Broadcast broadcast(MPI_COMM_WORLD, 0);
  DynamicExchange dynamic(MPI_COMM_WORLD);
  Exchange elsewhere(other.get(), sends);
  Broadcast moved(MPI_COMM_WORLD, 0);
  std::optional<ObjectReduction> job;
  int calls = 0;
  const auto intrude = [&] {
    Bytes result;
    EXPECT_TRUE(refused([&] { job->execute(out, result); }));
    EXPECT_TRUE(refused([&] { (void)job->test(); }));
    EXPECT_TRUE(refused([&] { job->wait(); }));
    // Other jobs of the communicator, and new ones.
    EXPECT_TRUE(refused([&] { exchange.start(out, in); }));
    EXPECT_TRUE(refused([&] { broadcast.execute(buffer.data(), 5000); }));
    EXPECT_TRUE(refused([&] { dynamic.post(next, out); }));
    EXPECT_TRUE(refused([&] { (void)dynamic.finish(); }));
    EXPECT_TRUE(refused([&] { const Broadcast fresh(MPI_COMM_WORLD, 0); }));
    // Jobs of another communicator are not refused.
    EXPECT_FALSE(refused([&] { (void)elsewhere.test(); }));
  };
  const auto join = [&](std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
    if (calls++ == 0) in_another_thread(intrude);
    result.assign(left.begin(), left.end());
    result.insert(result.end(), right.begin(), right.end());
  };
  job.emplace(MPI_COMM_WORLD, ObjectOperation{join, false}, 0);
  for (int round = 0; round < 3; ++round) {
    Bytes result;
    job->execute(std::span(out).first(10), result);
    if (rank() == 0) {
      EXPECT_EQ(result.size(), static_cast<std::size_t>(10 * size()));
      EXPECT_GE(calls, 1);
    }
    // What was refused has left nothing behind, on no rank.
    exchange.execute(out, in);
    EXPECT_EQ(in, std::vector<std::byte>(1000, std::byte(previous)));
    std::ranges::fill(buffer, std::byte(rank() == 0 ? round : 99));
    broadcast.execute(buffer.data(), 5000);
    EXPECT_EQ(buffer, std::vector<std::byte>(5000, std::byte(round)));
    dynamic.post(next, out);
    EXPECT_EQ(dynamic.finish().size(), 1U);
    Broadcast(MPI_COMM_WORLD, 0).execute(buffer.data(), 5000);
    elsewhere.execute(out, in);
  }
}

/// Two threads of rank 0 look after one execution, which cannot end before one of them has been refused: in each call
/// one of them is refused, or nobody.
TEST(TwoThreads, OneOfTwoThatCallAtOnceIsRefusedAndTheDataIsRight) {
  const int next = (rank() + 1) % size();
  const int previous = (rank() + size() - 1) % size();
  Exchange job(MPI_COMM_WORLD, {{next, 100'000}});
  for (int round = 0; round < 4; ++round) {
    const std::vector<std::byte> out(100'000, std::byte(10 * round + rank()));
    std::vector<std::byte> in(100'000);
    // The others come when rank 0 says so.
    if (rank() != 0) MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    job.start(out, in);
    if (rank() == 0) {
      std::atomic<int> refusals = 0;
      const auto look = [&] {
        while (refusals == 0) {
          if (refused([&] { (void)job.test(); })) ++refusals;
        }
      };
      std::thread other(look);
      look();
      other.join();
      for (int to = 1; to < size(); ++to) MPI_Send(nullptr, 0, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    }
    job.wait();
    EXPECT_EQ(in, std::vector<std::byte>(100'000, std::byte(10 * round + previous)));
  }
}

/// Each with a communicator of its own: as many threads as communicators.
TEST(TwoThreads, WithACommunicatorEach) {
  const Comm first;
  const Comm second;
  const auto work = [](MPI_Comm comm, int seed) {
    const int next = (rank() + 1) % size();
    const int previous = (rank() + size() - 1) % size();
    for (int i = 0; i < 20; ++i) {
      Exchange job(comm, {{next, 3000}});
      Broadcast spreading(comm, 0);
      for (int round = 0; round < 5; ++round) {
        const auto value = [&](int owner) { return std::byte(seed + 20 * round + owner); };
        const std::vector<std::byte> out(3000, value(rank()));
        std::vector<std::byte> in(3000);
        job.execute(out, in);
        ASSERT_EQ(in, std::vector<std::byte>(3000, value(previous)));
        std::vector<std::byte> buffer(2000, rank() == 0 ? value(50) : std::byte(0));
        spreading.execute(buffer.data(), 2000);
        ASSERT_EQ(buffer, std::vector<std::byte>(2000, value(50)));
      }
    }
  };
  std::thread other([&] { work(second.get(), 100); });
  work(first.get(), 0);
  other.join();
}

}  // namespace
}  // namespace sluice::mpi
