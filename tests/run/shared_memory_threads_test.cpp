/// Threads in the place of ranks use ring, board, log of calls and leavers over one mapping, as fast as they can: for
/// ThreadSanitizer, which sees plain accesses that nothing orders, and for other processors (scripts/cross.sh). What
/// the model of tests/run/model shows for few operations, this tries for many.
///
/// SLUICE_STRESS_SECONDS: how long each test runs; 1 unless told.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "run/mpi/runtime/calls.hpp"
#include "run/mpi/runtime/leavers.hpp"
#include "run/mpi/runtime/notices.hpp"
#include "run/mpi/runtime/shared_ring.hpp"

namespace sluice::mpi::detail {
namespace {

/// Memory as ranks share it: zeros, in pages of its own.
class Mapping {
 public:
  explicit Mapping(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    void* const at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    at_ = static_cast<std::byte*>(at);
  }
  ~Mapping() { (void)munmap(at_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* at(std::int64_t offset = 0) const { return at_ + offset; }

 private:
  std::size_t bytes_;
  std::byte* at_ = nullptr;
};

/// Whether the time of the test is over.
class Clock {
 public:
  [[nodiscard]] bool over() const { return std::chrono::steady_clock::now() > end_; }

 private:
  [[nodiscard]] static double seconds() {
    const char* const given = std::getenv("SLUICE_STRESS_SECONDS");
    return given == nullptr ? 1 : std::atof(given);
  }
  std::chrono::steady_clock::time_point end_ =
      std::chrono::steady_clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds() * 1e6));
};

/// The number of the round that has begun. It publishes what its owner wrote before, as an agreement of ranks does.
class Rounds {
 public:
  static constexpr std::int64_t kOver = -1;
  void begin(std::int64_t round) { round_.store(round, std::memory_order_release); }
  void end() { begin(kOver); }
  /// Waits for another round than `last`.
  [[nodiscard]] std::int64_t next(std::int64_t last) const {
    for (;;) {
      const std::int64_t round = round_.load(std::memory_order_acquire);
      if (round != last) return round;
      std::this_thread::yield();
    }
  }

 private:
  std::atomic<std::int64_t> round_ = 0;
};

std::byte byte_of(std::int64_t round, std::int64_t execution, std::int64_t offset) {
  return static_cast<std::byte>(round * 101 + execution * 31 + offset % 251);
}

/// One after the other in the same memory, each of another shape.
struct Shape {
  explicit Shape(std::int64_t round) {
    std::mt19937 random(static_cast<unsigned>(round));
    ring.receivers = 1 + random() % 3;
    ring.part_bytes = 1 + random() % 200;
    ring.places = 1 + random() % 4;
    bytes = 1 + random() % 700;
    executions = 1 + random() % 8;
    in_pieces = random() % 2 == 0;
    for (std::int64_t& each : taken) each = random() % 3 == 0 ? random() % executions : executions;
  }
  SharedRing ring;
  std::int64_t bytes = 1;
  std::int64_t executions = 1;
  bool in_pieces = false;
  std::array<std::int64_t, 3> taken{};  ///< the number of executions of each receiver; then it leaves
};

void send(SharedRing* ring, const Shape& shape, std::int64_t round) {
  SharedRingSender sender(shape.bytes);
  sender.connect(ring);
  for (std::int64_t execution = 0; execution < shape.executions; ++execution) {
    const auto write = [&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      for (std::int64_t i = 0; i < bytes; ++i) place[i] = byte_of(round, execution, offset + i);
    };
    sender.begin();
    for (bool all = false; !all;) {
      bool some = false;
      if (shape.in_pieces) {
        const MessageRoom room = sender.room();
        const std::int64_t bytes = (room.bytes + 1) / 2;
        write(room.offset, bytes, room.at);
        some = bytes > 0;
        all = sender.fill_room(bytes);
      } else {
        const SharedRingMoved moved = sender.fill(write);
        some = moved.some;
        all = moved.all;
      }
      if (!some) std::this_thread::yield();
    }
  }
  while (!sender.all_left()) std::this_thread::yield();
}

/// How many bytes are not what was sent.
std::int64_t receive(SharedRing* ring, const Shape& shape, std::int64_t round, std::int64_t number) {
  std::int64_t wrong = 0;
  SharedRingReceiver end(shape.bytes);
  end.connect(ring, number);
  for (std::int64_t execution = 0; execution < shape.taken[static_cast<std::size_t>(number)]; ++execution) {
    const auto check = [&](std::int64_t offset, std::int64_t bytes, const std::byte* place) {
      for (std::int64_t i = 0; i < bytes; ++i) wrong += place[i] == byte_of(round, execution, offset + i) ? 0 : 1;
    };
    end.begin();
    for (bool all = false; !all;) {
      bool some = false;
      if (shape.in_pieces) {
        const MessagePart rest = end.rest();
        check(rest.offset, rest.bytes, rest.at);
        some = rest.bytes > 0;
        all = end.take_rest(rest.bytes);
      } else {
        const SharedRingMoved moved = end.take(check);
        some = moved.some;
        all = moved.all;
      }
      if (!some) std::this_thread::yield();
    }
  }
  return wrong;
}

TEST(SharedMemoryThreads, RingsInMemoryThatIsUsedAgain) {
  constexpr std::int64_t kRoom = 1 << 14;
  const Mapping memory(kRoom);
  std::atomic<std::int64_t> wrong = 0;
  Rounds rounds;
  std::vector<std::thread> receivers;
  for (std::int64_t number = 0; number < 3; ++number) {
    receivers.emplace_back([&, number] {
      std::int64_t round = 0;
      while ((round = rounds.next(round)) != Rounds::kOver) {
        const Shape shape(round);
        if (number < shape.ring.receivers)
          wrong += receive(reinterpret_cast<SharedRing*>(memory.at()), shape, round, number);
      }
    });
  }
  std::int64_t round = 0;
  for (const Clock clock; !clock.over();) {
    // A receiver that has no part in this round may be late for it.
    const Shape shape(++round);
    if (shape.ring.all_bytes() > kRoom) std::abort();
    SharedRing* const ring = shape.ring.put(memory.at());
    rounds.begin(round);
    send(ring, shape, round);
    std::memset(memory.at(), 0xEE, kRoom);
  }
  rounds.end();
  for (std::thread& each : receivers) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(round, 0);
  std::cout << round << " rings\n";
}

TEST(SharedMemoryThreads, MemoryThatAllHaveLeftIsUsedAgain) {
  constexpr std::int64_t kUsers = 3, kNumbers = 64;
  const Mapping memory(4096);
  auto* const leavers = reinterpret_cast<Leavers*>(memory.at());
  auto* const numbers = reinterpret_cast<std::int64_t*>(memory.at(kCacheLine));
  std::atomic<std::int64_t> wrong = 0;
  Rounds rounds;
  std::vector<std::thread> users;
  for (std::int64_t user = 0; user < kUsers; ++user) {
    users.emplace_back([&] {
      std::int64_t round = 0;
      while ((round = rounds.next(round)) != Rounds::kOver) {
        for (std::int64_t i = 0; i < kNumbers; ++i) wrong += numbers[i] == round * kNumbers + i ? 0 : 1;
        leavers->leave();
      }
    });
  }
  std::int64_t round = 0;
  for (const Clock clock; !clock.over();) {
    ++round;
    for (std::int64_t i = 0; i < kNumbers; ++i) numbers[i] = round * kNumbers + i;
    *leavers = {};
    rounds.begin(round);
    while (!leavers->all_left(kUsers)) std::this_thread::yield();
  }
  rounds.end();
  for (std::thread& each : users) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(round, 0);
  std::cout << round << " rounds\n";
}

using Board = BasicNoticeBoard<HostAtomics, NoticeSizes>;

/// `body(rank, board)` by as many threads, each with its board of all.
void with_boards(int ranks, const std::function<void(int, Board&)>& body) {
  const std::int64_t each = round_up(Board::kMemory);
  const Mapping memory(ranks * each);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::vector<Board::OfRank> others;
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) others.push_back({other, memory.at(other * each)});
      }
      Board board;
      board.connect(memory.at(rank * each), others);
      body(rank, board);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SharedMemoryThreads, BoardsAgree) {
  std::atomic<std::int64_t> wrong = 0, all_rounds = 0;
  with_boards(3, [&](int rank, Board& board) {
    const Clock clock;
    std::int64_t round = 0;
    for (bool go_on = true; go_on; ++round) {
      std::array<std::uint64_t, NoticeSizes::kWords> numbers{};
      const auto base = static_cast<std::uint64_t>(round % 2 == 0 ? 3 * round : 3'000'000'000 - 3 * round);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = base + (static_cast<std::uint64_t>(rank) + i) % 3;
      // The last number says who wants to stop, so that all stop after the same round.
      numbers.back() = clock.over() ? 1 : 0;
      const Board::Subject subject{round % 5, round / 5};
      board.put_up(subject, numbers);
      for (std::size_t other = 0; other < board.others(); ++other) {
        Board::Notice notice = Board::Notice::kNotYet;
        while ((notice = board.read(other, subject, numbers)) == Board::Notice::kNotYet) std::this_thread::yield();
        wrong += notice == Board::Notice::kThere ? 0 : 1;
      }
      for (std::size_t i = 0; i + 1 < numbers.size(); ++i) wrong += numbers[i] == base + 2 ? 0 : 1;
      go_on = numbers.back() == 0;
    }
    all_rounds += round;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(all_rounds, 30);
  std::cout << all_rounds / 3 << " rounds\n";
}

TEST(SharedMemoryThreads, WordsOfFailureAreWholeAndInOrder) {
  constexpr std::uint64_t kNumbers = NoticeSizes::kMostFailureBytes / sizeof(std::uint64_t);
  std::atomic<std::int64_t> wrong = 0, heard = 0;
  std::atomic<bool> over = false;
  with_boards(2, [&](int rank, Board& board) {
    std::array<std::uint64_t, kNumbers> numbers{};
    if (rank == 0) {
      const Clock clock;
      for (std::uint64_t word = 1; !clock.over(); ++word) {
        for (std::uint64_t i = 0; i < kNumbers; ++i) numbers[i] = word * kNumbers + i;
        board.tell_failure(std::as_bytes(std::span(numbers)).first((1 + word % kNumbers) * sizeof word));
        if (word % 7 == 0) std::this_thread::yield();
      }
      over = true;
      return;
    }
    std::uint64_t last = 0;
    while (!over) {
      (void)board.hear_failures([&](int, std::span<const std::byte> bytes) {
        std::ranges::copy(bytes, std::as_writable_bytes(std::span(numbers)).begin());
        const std::uint64_t word = numbers[0] / kNumbers;
        wrong += word > last && bytes.size() == (1 + word % kNumbers) * sizeof word ? 0 : 1;
        for (std::uint64_t i = 0; i < bytes.size() / sizeof word; ++i)
          wrong += numbers[i] == word * kNumbers + i ? 0 : 1;
        last = word;
        ++heard;
      });
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(heard, 0);
  std::cout << heard << " words\n";
}

/// Rank 0 leaves a collective and rank 1 begins it, both at once: rank 1 hears the word, or rank 0 sees what it
/// started.
TEST(SharedMemoryThreads, NoBeginningIsUnseen) {
  std::atomic<std::int64_t> wrong = 0, begun = 0, rounds = 0;
  std::atomic<std::int64_t> started = 0;
  std::atomic<std::int64_t> arrived = 0;
  const auto meet = [&](std::int64_t meeting) {
    ++arrived;
    while (arrived.load() < 2 * meeting) std::this_thread::yield();
  };
  std::atomic<bool> over = false;
  with_boards(2, [&](int rank, Board& board) {
    const Clock clock;
    std::int64_t meeting = 0, own = 0, before = 0;
    for (std::int64_t round = 0;; ++round) {
      if (rank == 0) over = clock.over();
      meet(++meeting);
      if (over) break;
      if (rank == 0) {
        const std::uint64_t word = 1;
        board.tell_failure(std::as_bytes(std::span(&word, 1)));
        while (board.others_at_beginning()) std::this_thread::yield();
        before = started.load(std::memory_order_relaxed);
        ++rounds;
      } else {
        const Board::Beginning beginning(board);
        bool heard = false;
        heard = !board.hear_failures([&](int, std::span<const std::byte>) { heard = true; }) || heard;
        if (!heard) started.store(++own, std::memory_order_relaxed);
      }
      meet(++meeting);
      if (rank == 0) {
        wrong += started.load() == before ? 0 : 1;
      } else {
        (void)board.hear_failures([](int, std::span<const std::byte>) {});
      }
      meet(++meeting);
    }
    if (rank == 1) begun = own;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(rounds, 0);
  std::cout << begun << " of " << rounds << " begun\n";
}

/// Rank 0 begins calls and leaves. Rank 1 finds each as it was begun, or not at all, and sees at last that no more
/// come.
TEST(SharedMemoryThreads, CallsAreWhole) {
  using Log = BasicCallLog<HostAtomics, kCallsKept>;
  constexpr auto kKept = static_cast<std::int64_t>(kCallsKept);
  const auto call_of = [](std::int64_t number) { return Log::Call{number, 3 * number, 7 * number}; };
  const Mapping memory(2 * round_up(Log::kMemory));
  std::atomic<std::int64_t> near = 0;  // a number that is begun, or was
  std::int64_t begun = 0;              // plain, as leave() publishes it
  std::thread writer([&] {
    Log log;
    log.connect(memory.at(), {});
    const Clock clock;
    for (std::int64_t number = 1; number % 64 != 0 || !clock.over(); ++number) {
      begun = log.begin(call_of(number));
      near.store(number, std::memory_order_relaxed);
      if (number % 7 == 0) std::this_thread::yield();
    }
    log.leave();
  });
  Log log;
  const std::array<Log::OfRank, 1> other{{{0, memory.at()}}};
  log.connect(memory.at(round_up(Log::kMemory)), other);
  std::int64_t wrong = 0, found = 0, before = 0;
  for (bool left = false; !left;) {
    const std::int64_t last = near.load(std::memory_order_relaxed);
    if (last == before) std::this_thread::yield();
    before = last;
    // The first of these are written over meanwhile.
    for (std::int64_t number = std::max<std::int64_t>(1, last - kKept); number <= last + 1; ++number) {
      const auto difference = log.difference(number, {}, true);
      if (!difference) continue;
      if (difference->has_left) {
        left = true;
        wrong += number > begun ? 0 : 1;
      } else {
        wrong += difference->call == call_of(number) ? 0 : 1;
        ++found;
      }
    }
  }
  writer.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
  std::cout << found << " calls found, of " << begun << "\n";
}

}  // namespace
}  // namespace sluice::mpi::detail
