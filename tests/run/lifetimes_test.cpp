// Shared memory outlives the jobs and communicators of the ranks that fill it, as long as others read it; and it is
// used again, and limited.

#include <dirent.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/node_room.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using detail::NodeRoom;
using testing::rank;
using testing::size;

MPI_Comm copy_of_world() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return comm;
}

bool shares_memory() { return size() > 1 && detail::Context::of(MPI_COMM_WORLD)->shares_memory(); }

std::vector<std::byte> bytes_of(int salt, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = testing::byte_of(static_cast<std::int64_t>(i), 0, static_cast<std::uint64_t>(salt));
  return bytes;
}

/// All of the room that is free is written to, as jobs that are made next would do.
void write_over_free_memory() {
  NodeRoom& room = NodeRoom::of_process();
  std::vector<NodeRoom::Block> blocks;
  for (std::int64_t bytes = 64 << 20; bytes >= 64;) {
    try {
      if (room.held_bytes() > 32 << 20 && bytes > 1 << 20) throw std::bad_alloc();
      const std::int64_t before = room.held_bytes();
      blocks.push_back(room.allocate(bytes));
      std::memset(blocks.back().at, 0xee, static_cast<std::size_t>(blocks.back().bytes));
      if (room.held_bytes() > before) bytes /= 2;  // it was new
    } catch (const std::bad_alloc&) {
      bytes /= 2;
    }
  }
  for (const NodeRoom::Block& block : blocks) room.release(block);
}

void tell(int to) { MPI_Send(nullptr, 0, MPI_BYTE, to, 99, MPI_COMM_WORLD); }
void wait_for_word(int from) { MPI_Recv(nullptr, 0, MPI_BYTE, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

// Rank 0 ends its part, the job and the communicator, and uses its memory for other things; then the others begin.

TEST(Lifetimes, AnExchangeIsReadAfterItsSenderHasGone) {
  if (!shares_memory()) return;
  constexpr std::int64_t kBytes = 200 << 10;
  MPI_Comm comm = copy_of_world();
  std::vector<MessageSize> sends;
  std::vector<std::byte> out;
  if (rank() == 0) {
    for (int to = 1; to < size(); ++to) {
      sends.push_back({to, kBytes / size()});
      const std::vector<std::byte> message = bytes_of(to, kBytes / size());
      out.insert(out.end(), message.begin(), message.end());
    }
  }
  std::vector<std::byte> in(rank() == 0 ? 0 : static_cast<std::size_t>(kBytes / size()));
  {
    ExchangeOptions options;
    options.try_native = false;
    Exchange job(comm, sends, options);
    if (rank() != 0) wait_for_word(0);
    job.execute(out, in);
  }
  MPI_Comm_free(&comm);
  if (rank() == 0) {
    write_over_free_memory();
    for (int to = 1; to < size(); ++to) tell(to);
  } else {
    EXPECT_EQ(in, bytes_of(rank(), kBytes / size()));
  }
}

TEST(Lifetimes, ABroadcastIsReadAfterItsRootHasGone) {
  if (!shares_memory()) return;
  constexpr std::int64_t kBytes = 2 << 20;
  MPI_Comm comm = copy_of_world();
  std::vector<std::byte> buffer = bytes_of(rank() == 0 ? 1 : 2, kBytes);
  {
    Broadcast job(comm, 0);
    job.execute(buffer.data(), kBytes);  // which all make together
    EXPECT_EQ(buffer, bytes_of(1, kBytes));
    buffer = bytes_of(rank() == 0 ? 3 : 4, kBytes);
    if (rank() != 0) wait_for_word(0);
    job.execute(buffer.data(), kBytes);
  }
  MPI_Comm_free(&comm);
  if (rank() == 0) {
    write_over_free_memory();
    for (int to = 1; to < size(); ++to) tell(to);
  }
  EXPECT_EQ(buffer, bytes_of(3, kBytes));
}

TEST(Lifetimes, AJobUnderWayIsReadAfterItsSenderHasMadeOthers) {
  if (!shares_memory()) return;
  constexpr std::int64_t kBytes = 100 << 10;
  MPI_Comm comm = copy_of_world();
  {
    ExchangeOptions options;
    options.try_native = false;
    const int to = (rank() + 1) % size();
    std::vector<std::byte> out = bytes_of(rank(), kBytes);
    std::vector<std::byte> in(kBytes);
    // Ranks but 0 send nothing, so that rank 0 is done alone.
    std::vector<MessageSize> sends;
    if (rank() == 0) sends.push_back({to, kBytes});
    if (rank() != 0) out.clear();
    if (rank() != 1) in.clear();
    std::optional<Exchange> job(std::in_place, comm, sends, options);
    if (rank() == 0) {
      job->execute(out, in);
      job.reset();
    }
    std::vector<std::byte> block(kBytes), all(static_cast<std::size_t>(kBytes * size()));
    for (int round = 0; round < 4; ++round) Allgather(comm, kBytes).execute(block.data(), all.data());
    if (rank() == 0) write_over_free_memory();
    MPI_Barrier(comm);
    if (rank() != 0) {
      job->execute(out, in);
      if (rank() == 1) {
        EXPECT_EQ(in, bytes_of(0, kBytes));
      }
    }
  }
  MPI_Comm_free(&comm);
}

TEST(Lifetimes, CommunicatorsComeAndGo) {
  if (!shares_memory()) return;
  constexpr std::int64_t kBytes = 1 << 20;
  std::int64_t held = 0;
  for (int round = 0; round < 100; ++round) {
    MPI_Comm comm = copy_of_world();
    std::vector<std::byte> buffer = bytes_of(rank() == 0 ? round : -1, kBytes);
    Broadcast(comm, 0).execute(buffer.data(), kBytes);
    ASSERT_EQ(buffer, bytes_of(round, kBytes)) << "round " << round;
    MPI_Comm_free(&comm);
    if (round == 20) held = NodeRoom::of_process().held_bytes();
  }
  EXPECT_LE(NodeRoom::of_process().held_bytes(), 3 * held + (8 << 20));
}

/// A job of each kind on a new communicator, all bytes checked.
void use_all_kinds() {
  MPI_Comm comm = copy_of_world();
  {
    constexpr std::int64_t kBytes = 300000;
    std::vector<std::byte> buffer = bytes_of(rank() == 0 ? 5 : 6, kBytes);
    Broadcast(comm, 0).execute(buffer.data(), kBytes);
    EXPECT_EQ(buffer, bytes_of(5, kBytes)) << "broadcast";

    std::vector<int> sums(100000, rank());
    CollectiveJob(comm, Collective::kAllreduce, ElementOperation{100000, MPI_INT, MPI_SUM})
        .execute(MPI_IN_PLACE, sums.data());
    EXPECT_TRUE(std::ranges::all_of(sums, [](int sum) { return sum == size() * (size() - 1) / 2; })) << "allreduce";

    std::vector<MessageSize> sends;
    std::vector<std::byte> out;
    std::vector<std::byte> expected;
    constexpr std::int64_t kMessage = 40000;
    for (int peer = 0; peer < size(); ++peer) {
      sends.push_back({peer, kMessage});
      const std::vector<std::byte> message = bytes_of(rank() * size() + peer, kMessage);
      out.insert(out.end(), message.begin(), message.end());
      const std::vector<std::byte> from = bytes_of(peer * size() + rank(), kMessage);
      expected.insert(expected.end(), from.begin(), from.end());
    }
    std::vector<std::byte> in(expected.size());
    ExchangeOptions options;
    options.try_native = false;
    Exchange(comm, sends, options).execute(out, in);
    EXPECT_EQ(in, expected) << "exchange";

    testing::Case c{{300, 260}, {{size(), 1}, {7, 260}}, {{1, size()}, {300, 9}}, 8, {}};
    c.options.try_native = false;
    testing::Arrays arrays = make_arrays(c, rank());
    Redistribution(comm, c.shape, c.from, c.to, c.element_size, c.options)
        .execute(arrays.source.data(), arrays.target.data());
    EXPECT_EQ(testing::difference(arrays.target, arrays.expected), "") << "redistribution";
  }
  MPI_Comm_free(&comm);
}

TEST(Lifetimes, WhereMemoryIsShortJobsGoByMessages) {
  if (!shares_memory()) return;
  use_all_kinds();
  NodeRoom& room = NodeRoom::of_process();
  std::vector<NodeRoom::Block> taken;
  // On one rank, which all have to hear of.
  if (rank() == size() - 1) {
    room.limit(0);
    for (std::int64_t bytes = 1 << 26; bytes >= 64 << 10; bytes /= 2) {
      for (;;) {
        try {
          taken.push_back(room.allocate(bytes));
        } catch (const std::bad_alloc&) {
          break;
        }
      }
    }
  }
  use_all_kinds();
  for (const NodeRoom::Block& block : taken) room.release(block);
  room.limit(std::int64_t{1} << 30);
  use_all_kinds();
}

TEST(Lifetimes, FailedJobsLeaveLittleBehind) {
  if (!shares_memory()) return;
  constexpr std::int64_t kMessage = 300000;
  const int to = (rank() + 1) % size();
  const std::vector<std::byte> out = bytes_of(rank(), kMessage);
  std::vector<std::byte> in(kMessage);
  NodeRoom& room = NodeRoom::of_process();
  std::int64_t held = 0;
  int failures = 0;
  MPI_Comm comm = copy_of_world();
  for (int round = 0; round < 60; ++round) {
    const bool culprit = rank() == round % size();
    try {
      switch (round % 3) {
        case 0: {  // a bad argument of an execution
          Exchange job(comm, {{to, kMessage}});
          job.execute(culprit ? std::span(out).first(1) : std::span(out), in);
          job.execute(out, in);
          break;
        }
        case 1: {  // destroyed during an execution
          Broadcast job(comm, 0);
          job.execute(in.data(), kMessage);
          job.start(in.data(), kMessage);
          if (culprit) throw std::runtime_error("elsewhere");
          job.wait();
          job.execute(in.data(), kMessage);
          break;
        }
        default: {  // a bad argument of the constructor
          ExchangeOptions options;
          options.max_transfers = culprit ? -1 : 0;
          Exchange job(comm, {{to, kMessage}}, options);
        }
      }
      ADD_FAILURE() << "round " << round << " did not fail";
    } catch (const std::exception&) {
      ++failures;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (round == 11) held = room.held_bytes();
  }
  EXPECT_EQ(failures, 60);
  EXPECT_LE(room.held_bytes(), held + (8 << 20));
  Exchange job(comm, {{to, kMessage}});
  job.execute(out, in);
  EXPECT_EQ(in, bytes_of((rank() + size() - 1) % size(), kMessage));
  MPI_Comm_free(&comm);
}

TEST(Lifetimes, AForkedProcessMayDestroyJobs) {
  if (!shares_memory()) return;
  constexpr std::int64_t kBytes = 300000;
  MPI_Comm comm = copy_of_world();
  {
    std::optional<Broadcast> broadcast(std::in_place, comm, 0);
    std::vector<std::byte> buffer = bytes_of(rank() == 0 ? 7 : 8, kBytes);
    broadcast->execute(buffer.data(), kBytes);
    const int to = (rank() + 1) % size();
    std::optional<Exchange> exchange(std::in_place, comm, std::vector<MessageSize>{{to, kBytes}});
    const std::vector<std::byte> out = bytes_of(rank(), kBytes);
    std::vector<std::byte> in(kBytes);
    exchange->execute(out, in);
    // One is under way when the process is copied.
    exchange->start(out, in);
    const pid_t child = fork();
    if (child == 0) {
      bool refused = false;
      try {
        broadcast->execute(buffer.data(), kBytes);
      } catch (const InputError&) {
        refused = true;
      }
      broadcast.reset();
      exchange.reset();
      _exit(refused ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    exchange->wait();
    EXPECT_EQ(in, bytes_of((rank() + size() - 1) % size(), kBytes));
    for (int i = 0; i < 3; ++i) {
      buffer = bytes_of(rank() == 0 ? 9 + i : 8, kBytes);
      broadcast->execute(buffer.data(), kBytes);
      EXPECT_EQ(buffer, bytes_of(9 + i, kBytes));
    }
  }
  MPI_Comm_free(&comm);
}

/// Closes every descriptor of shared memory, as a program does that closes what it has not opened.
void close_shared_memory() {
  DIR* const directory = opendir("/proc/self/fd");
  ASSERT_NE(directory, nullptr);
  std::vector<int> files;
  while (const dirent* const entry = readdir(directory)) {
    std::array<char, 100> target{};
    const std::string path = std::string("/proc/self/fd/") + entry->d_name;
    if (readlink(path.c_str(), target.data(), target.size() - 1) < 0) continue;
    if (std::strstr(target.data(), "memfd:sluice") != nullptr) files.push_back(std::atoi(entry->d_name));
  }
  closedir(directory);
  for (const int file : files) close(file);
}

TEST(Lifetimes, AProgramMayCloseTheDescriptor) {
  if (!shares_memory()) return;
  use_all_kinds();
  const std::shared_ptr<detail::Context> of_world = detail::Context::of(MPI_COMM_WORLD);
  if (rank() % 2 == 0) close_shared_memory();
  use_all_kinds();
}

}  // namespace
}  // namespace sluice::mpi
