#include "run/mpi/runtime/shared_ring.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <vector>

namespace sluice::mpi::detail {
namespace {

std::byte byte_of(std::int64_t execution, std::int64_t offset) {
  return static_cast<std::byte>(execution * 31 + offset * 7 % 251);
}

/// A message from one sender to some receivers, executed several times by calls in random order.
struct Transfer {
  Transfer(std::int64_t receivers, std::int64_t bytes, std::int64_t part_bytes, std::int64_t places) : sender(bytes) {
    SharedRing ring;
    ring.receivers = receivers;
    ring.part_bytes = part_bytes;
    ring.places = places;
    memory.resize(static_cast<std::size_t>(ring.all_bytes() / kCacheLine));
    sender.connect(ring.put(memory.front().bytes));
    for (std::int64_t i = 0; i < receivers; ++i) {
      ends.emplace_back(bytes).connect(sender.ring(), i);
      received.emplace_back(static_cast<std::size_t>(bytes));
      executions.push_back(0);
      over.push_back(true);
    }
  }

  /// Begins the sender's next execution if the last one is over; moves what can be moved. `random`: null, or it fills a
  /// part of what there is room for.
  void send(std::int64_t most_executions, std::mt19937* random = nullptr) {
    if (sent_all) {
      if (execution == most_executions) return;
      sender.begin();
      ++execution;
      sent_all = false;
    }
    const auto write = [&](std::int64_t offset, std::int64_t bytes, std::byte* place) {
      for (std::int64_t i = 0; i < bytes; ++i) place[i] = byte_of(execution, offset + i);
    };
    if (random == nullptr) {
      sent_all = sender.fill(write).all;
    } else {
      const MessageRoom room = sender.room();
      const std::int64_t bytes = room.bytes == 0 ? 0 : 1 + (*random)() % room.bytes;
      write(room.offset, bytes, room.at);
      sent_all = sender.fill_room(bytes);
    }
  }

  /// `random`: null, or where it takes some of what is ready at a time.
  void receive(std::size_t i, std::int64_t most_executions, std::mt19937* random = nullptr) {
    if (over[i]) {
      if (executions[i] == most_executions) return;
      ends[i].begin();
      ++executions[i];
      over[i] = false;
      std::fill(received[i].begin(), received[i].end(), std::byte{0});
    }
    const auto copy = [&](std::int64_t offset, std::int64_t bytes, const std::byte* place) {
      std::memcpy(received[i].data() + offset, place, static_cast<std::size_t>(bytes));
    };
    if (random == nullptr) {
      over[i] = ends[i].take(copy).all;
    } else {
      const MessagePart rest = ends[i].rest();
      const std::int64_t bytes = rest.bytes == 0 ? 0 : 1 + (*random)() % rest.bytes;
      copy(rest.offset, bytes, rest.at);
      over[i] = ends[i].take_rest(bytes);
    }
    if (!over[i]) return;
    for (std::size_t at = 0; at < received[i].size(); ++at)
      ASSERT_EQ(received[i][at], byte_of(executions[i], static_cast<std::int64_t>(at))) << "receiver " << i;
  }

  [[nodiscard]] bool done(std::int64_t most_executions) const {
    for (std::size_t i = 0; i < ends.size(); ++i)
      if (!over[i] || executions[i] < most_executions) return false;
    return sent_all && execution == most_executions;
  }

  struct alignas(kCacheLine) Line {
    std::byte bytes[kCacheLine];
  };
  std::vector<Line> memory;
  SharedRingSender sender;
  std::int64_t execution = 0;
  bool sent_all = true;
  std::vector<SharedRingReceiver> ends;
  std::vector<std::vector<std::byte>> received;
  std::vector<std::int64_t> executions;
  std::vector<bool> over;
};

TEST(SharedRing, EveryReceiverGetsEveryByteOfEveryExecution) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::int64_t receivers = 1 + random() % 4, bytes = 1 + random() % 300, part = 1 + random() % 80;
    const std::int64_t places = 1 + random() % 5, executions = 1 + random() % 6;
    Transfer transfer(receivers, bytes, part, places);
    for (int calls = 0; !transfer.done(executions); ++calls) {
      ASSERT_LT(calls, 1'000'000) << "nothing moves";
      const std::size_t who = random() % static_cast<std::size_t>(receivers + 1);
      if (who == 0) {
        transfer.send(executions, round % 4 < 2 ? nullptr : &random);
      } else {
        transfer.receive(who - 1, executions, round % 2 == 0 ? nullptr : &random);
      }
    }
  }
}

/// With room for two executions a sender goes on while nobody has taken anything; with less it waits.
TEST(SharedRing, ASenderWaitsOnlyForPlaces) {
  Transfer roomy(2, 100, 50, 4);
  roomy.send(3);
  EXPECT_TRUE(roomy.sent_all);
  roomy.send(3);
  EXPECT_TRUE(roomy.sent_all);
  roomy.send(3);
  EXPECT_FALSE(roomy.sent_all);
  roomy.receive(0, 3);
  roomy.send(3);
  EXPECT_FALSE(roomy.sent_all);  // the other one has not taken it
  roomy.receive(1, 3);
  roomy.send(3);
  EXPECT_TRUE(roomy.sent_all);
  Transfer narrow(1, 100, 50, 1);
  narrow.send(1);
  EXPECT_FALSE(narrow.sent_all);
}

/// A receiver that has left counts as having taken everything, whatever it has taken, and its end leaves once.
TEST(SharedRing, AReceiverLeavesWhereverItIs) {
  for (const std::int64_t taken : {0, 1, 3}) {
    Transfer transfer(2, 100, 50, 2);
    for (std::int64_t i = 0; i < taken; ++i) {
      transfer.send(taken);
      transfer.receive(0, taken);
      transfer.receive(1, taken);
    }
    ASSERT_TRUE(transfer.done(taken));
    EXPECT_FALSE(transfer.sender.all_left());
    transfer.ends[1].leave();
    EXPECT_FALSE(transfer.sender.all_left());
    // Two places are one execution, and the first receiver takes none after it.
    transfer.send(taken + 3);
    EXPECT_TRUE(transfer.sent_all);
    transfer.send(taken + 3);
    EXPECT_FALSE(transfer.sent_all);
    transfer.ends[0].leave();
    EXPECT_TRUE(transfer.sender.all_left());
    for (int i = 0; i < 2; ++i) {
      transfer.send(taken + 3);
      EXPECT_TRUE(transfer.sent_all);
    }
    // Memory that is used again, where an end that has left may write no more.
    std::memset(transfer.memory.data(), 0, transfer.memory.size() * sizeof transfer.memory.front());
    transfer.ends[0].leave();
    transfer.ends.clear();
    for (const auto& line : transfer.memory)
      for (const std::byte byte : line.bytes) ASSERT_EQ(byte, std::byte{0});
  }
}

TEST(SharedRing, AnEndLeavesWhenItGoesAndNotWhenItIsMoved) {
  Transfer transfer(1, 100, 50, 2);
  {
    SharedRingReceiver moved(std::move(transfer.ends[0]));
    transfer.ends.clear();
    EXPECT_FALSE(transfer.sender.all_left());
    SharedRingReceiver assigned(100);
    assigned = std::move(moved);
    EXPECT_FALSE(transfer.sender.all_left());
    moved = SharedRingReceiver(100);
    EXPECT_FALSE(transfer.sender.all_left());
  }
  EXPECT_TRUE(transfer.sender.all_left());
  // An end that is assigned to leaves the ring that it had.
  Transfer other(1, 100, 50, 2);
  other.ends[0] = SharedRingReceiver(100);
  EXPECT_TRUE(other.sender.all_left());
  SharedRingReceiver never(100);
  never.leave();
  EXPECT_TRUE(SharedRingSender(100).all_left());
}

}  // namespace
}  // namespace sluice::mpi::detail
