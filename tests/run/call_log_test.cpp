#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/calls.hpp"

namespace sluice::mpi::detail {
namespace {

using Log = BasicCallLog<HostAtomics, kCallsKept>;
using Call = Log::Call;

/// The logs of some ranks, by rank, over one memory of zeros.
struct Logs {
  explicit Logs(int ranks) : memory(static_cast<std::size_t>(ranks)), of(memory.size()) {
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<Log::OfRank> others;
      for (int other = 0; other < ranks; ++other) {
        if (other != rank) others.push_back({other, memory_of(other)});
      }
      of[static_cast<std::size_t>(rank)].connect(memory_of(rank), others);
    }
  }
  [[nodiscard]] std::byte* memory_of(int rank) { return memory[static_cast<std::size_t>(rank)].bytes.data(); }

  struct alignas(kCacheLine) Memory {
    std::array<std::byte, Log::kMemory> bytes{};
  };
  std::vector<Memory> memory;
  std::vector<Log> of;
};

TEST(CallLog, TheSameCallIsNoDifference) {
  Logs logs(2);
  const Call call{3, 7, 800};
  EXPECT_EQ(logs.of[0].begin(call), 1);
  EXPECT_EQ(logs.of[1].begin(call), 1);
  for (const bool in_order : {false, true}) {
    EXPECT_FALSE(logs.of[0].difference(1, call, in_order));
    EXPECT_FALSE(logs.of[1].difference(1, call, in_order));
  }
}

TEST(CallLog, ACallThatIsNotBegunIsNoDifference) {
  Logs logs(2);
  const Call call{3, 1, 800};
  EXPECT_EQ(logs.of[0].begin(call), 1);
  EXPECT_FALSE(logs.of[0].difference(1, call, true));
  EXPECT_EQ(logs.of[1].begin(call), 1);
  // The one before, and the next.
  EXPECT_EQ(logs.of[0].begin({4, 1, 0}), 2);
  EXPECT_FALSE(logs.of[0].difference(2, {4, 1, 0}, true));
}

TEST(CallLog, AnotherCallIsADifferenceIfCallsAreInOrder) {
  Logs logs(3);
  const Call first{3, 1, 800}, second{4, 1, 16};
  const Call forwarded;  // of another kind than a job
  (void)logs.of[0].begin(first);
  (void)logs.of[1].begin(first);
  (void)logs.of[2].begin(second);
  const auto at_0 = logs.of[0].difference(1, first, true);
  ASSERT_TRUE(at_0);
  EXPECT_EQ(at_0->rank, 2);
  EXPECT_EQ(at_0->call, second);
  EXPECT_FALSE(at_0->has_left);
  const auto at_2 = logs.of[2].difference(1, second, true);
  ASSERT_TRUE(at_2);
  EXPECT_EQ(at_2->rank, 0);
  EXPECT_EQ(at_2->call, first);
  EXPECT_FALSE(logs.of[0].difference(1, first, false));

  (void)logs.of[0].begin(first);
  (void)logs.of[1].begin(forwarded);
  const auto later = logs.of[0].difference(2, first, true);
  ASSERT_TRUE(later);
  EXPECT_EQ(later->rank, 1);
  EXPECT_EQ(later->call, forwarded);
  EXPECT_EQ(later->call.channel, -1);
}

TEST(CallLog, AnotherSizeOfOneExecutionIsADifference) {
  Logs logs(2);
  (void)logs.of[0].begin({3, 1, 800});
  (void)logs.of[1].begin({3, 1, 808});
  for (const bool in_order : {false, true}) {
    const auto found = logs.of[0].difference(1, {3, 1, 800}, in_order);
    ASSERT_TRUE(found) << in_order;
    EXPECT_EQ(found->rank, 1);
    EXPECT_EQ(found->call.bytes, 808);
    EXPECT_FALSE(found->has_left);
  }
  // Another execution, or another channel, may have another size if calls are in no order.
  (void)logs.of[1].begin({3, 2, 808});
  (void)logs.of[1].begin({4, 1, 808});
  for (const std::int64_t number : {2, 3}) {
    EXPECT_FALSE(logs.of[0].difference(number, {3, 1, 800}, false));
    EXPECT_TRUE(logs.of[0].difference(number, {3, 1, 800}, true));
  }
}

TEST(CallLog, ARankThatHasLeftIsADifferenceForCallsThatItHasNotBegun) {
  Logs logs(2);
  const Call call{3, 1, 800};
  (void)logs.of[1].begin(call);
  EXPECT_FALSE(logs.of[0].difference(2, call, true));
  logs.of[1].leave();
  EXPECT_FALSE(logs.of[0].difference(1, call, true));
  for (const std::int64_t number : {2, 3, 17, 18, 100}) {
    for (const bool in_order : {false, true}) {
      const auto found = logs.of[0].difference(number, call, in_order);
      ASSERT_TRUE(found) << number;
      EXPECT_EQ(found->rank, 1);
      EXPECT_TRUE(found->has_left) << number;
    }
  }
  // What it begins before counts more than that it has left.
  const auto found = logs.of[0].difference(1, {4, 1, 0}, true);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_left);
  EXPECT_EQ(found->call, call);
}

TEST(CallLog, ARankThatHasLeftWithoutACall) {
  Logs logs(3);
  logs.of[2].leave();
  const Call call{3, 1, 800};
  (void)logs.of[0].begin(call);
  const auto found = logs.of[0].difference(1, call, true);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 2);
  EXPECT_TRUE(found->has_left);
}

TEST(CallLog, CallsThatAreWrittenOverAreNoDifference) {
  Logs logs(2);
  const auto kept = static_cast<std::int64_t>(kCallsKept);
  const std::int64_t last = 2 * kept + 5;
  for (std::int64_t number = 1; number <= last; ++number) EXPECT_EQ(logs.of[1].begin({number, 1, 0}), number);
  for (const bool left : {false, true}) {
    if (left) logs.of[1].leave();
    for (std::int64_t number = 1; number <= last; ++number) {
      const auto found = logs.of[0].difference(number, {0, 1, 0}, true);
      ASSERT_EQ(found.has_value(), number > last - kept) << number;
      if (!found) continue;
      EXPECT_EQ(found->call, (Call{number, 1, 0}));
      EXPECT_FALSE(found->has_left);
    }
  }
  const auto found = logs.of[0].difference(last + 1, {0, 1, 0}, true);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->has_left);
}

TEST(CallLog, ALogThatIsNotConnectedNumbersCalls) {
  Log log;
  EXPECT_EQ(log.begin({3, 1, 800}), 1);
  EXPECT_EQ(log.begin({3, 2, 800}), 2);
  EXPECT_FALSE(log.difference(1, {4, 1, 0}, true));
  log.leave();
  EXPECT_FALSE(log.difference(3, {4, 1, 0}, true));
}

TEST(CallLog, ZerosAreALogThatIsMade) {
  Logs logs(1);
  Logs::Memory made;
  made.bytes.fill(std::byte{0xEE});
  Log::make(made.bytes.data());
  Log reader;
  const std::array<Log::OfRank, 2> others{{{1, made.bytes.data()}, {2, logs.memory_of(0)}}};
  Logs::Memory own;
  reader.connect(own.bytes.data(), others);
  for (const std::int64_t number : {1, 16, 17}) EXPECT_FALSE(reader.difference(number, {1, 1, 1}, true)) << number;
}

}  // namespace
}  // namespace sluice::mpi::detail
