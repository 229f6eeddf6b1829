// The memory of a process that others map: who may use what of it, and until when.

#include "run/mpi/runtime/node_room.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace sluice::mpi::detail {
namespace {

/// Runs `body` in a process of its own, which has no room yet, and returns its exit status.
int in_another_process(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

/// What another process does with its room, while this one looks: two pipes.
class Other {
 public:
  /// The other process calls body(tell, wait): tell(card) goes to this one, and wait() until this one says next().
  explicit Other(const std::function<void(const std::function<void(const NodeRoom::Card&)>&,
                                          const std::function<void()>&)>& body) {
    EXPECT_EQ(pipe(told_.data()), 0);
    EXPECT_EQ(pipe(next_.data()), 0);
    process_ = fork();
    if (process_ != 0) return;
    body([&](const NodeRoom::Card& card) { (void)!write(told_[1], &card, sizeof card); },
         [&] {
           char word = 0;
           (void)!read(next_[0], &word, 1);
         });
    _exit(0);
  }
  ~Other() {
    next();
    int status = 0;
    EXPECT_EQ(waitpid(process_, &status, 0), process_);
    EXPECT_EQ(status, 0);
    for (const int end : {told_[0], told_[1], next_[0], next_[1]}) close(end);
  }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;

  NodeRoom::Card card() {
    NodeRoom::Card card;
    EXPECT_EQ(read(told_[0], &card, sizeof card), static_cast<ssize_t>(sizeof card));
    return card;
  }
  void next() { EXPECT_EQ(write(next_[1], "x", 1), 1); }

 private:
  std::array<int, 2> told_{};
  std::array<int, 2> next_{};
  pid_t process_ = 0;
};

SharedRing* ring_in(const NodeRoom::Block& block, std::int64_t receivers) {
  SharedRing ring;
  ring.receivers = receivers;
  ring.part_bytes = 64;
  return ring.put(block.at);
}

// The tests up to the last one make no room of this process: what is forked has a room of its own.

TEST(NodeRoom, BlocksAreApartAndAreJoinedWhenFreed) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              (void)room.card(2);
              const NodeRoom::Block a = room.allocate(100);
              const NodeRoom::Block b = room.allocate(1000);
              const NodeRoom::Block c = room.allocate(1);
              std::memset(a.at, 1, 100);
              std::memset(b.at, 2, 1000);
              std::memset(c.at, 3, 1);
              bool good =
                  a.offset > 0 && a.at[99] == std::byte{1} && b.at[0] == std::byte{2} && c.at[0] == std::byte{3};
              room.release(a);
              room.release(b);
              // Both together, and not c's.
              const NodeRoom::Block d = room.allocate(1080);
              good = good && d.offset == a.offset && d.offset + d.bytes <= c.offset;
              return good;
            }),
            0);
}

TEST(NodeRoom, WhatDoesNotFitIsRefused) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              (void)room.card(2);
              room.limit(4 << 20);
              const NodeRoom::Block most = room.allocate(3 << 20);
              try {
                (void)room.allocate(2 << 20);
                return false;
              } catch (const std::bad_alloc&) {
              }
              if (room.held_bytes() > 4 << 20) return false;
              room.release(most);
              return room.allocate(3 << 20).at == most.at;
            }),
            0);
}

TEST(NodeRoom, FreeMemoryGoesBackToTheSystem) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              (void)room.card(1);
              const NodeRoom::Block large = room.allocate(100 << 20);
              if (room.held_bytes() < 100 << 20) return false;
              room.release(large);
              if (room.held_bytes() > 40 << 20) return false;
              const NodeRoom::Block again = room.allocate(100 << 20);
              return again.at[again.bytes - 1] == std::byte{0};
            }),
            0);
}

TEST(NodeRoom, ARingIsFreedWhenAllReceiversHaveLeft) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              (void)room.card(2);
              room.limit(room.held_bytes() + (1 << 20));
              const NodeRoom::Block block = room.allocate(700 << 10);
              SharedRing* const ring = ring_in(block, 2);
              const Leavers context;
              room.release_when_left(block, {ring}, &context);
              const auto is_free = [&] {
                try {
                  const NodeRoom::Block again = room.allocate(700 << 10);
                  room.release(again);
                  return true;
                } catch (const std::bad_alloc&) {
                  return false;
                }
              };
              if (is_free()) return false;
              SharedRingReceiver first(64), second(64);
              first.connect(ring, 0);
              second.connect(ring, 1);
              first.leave();
              if (is_free()) return false;
              second.leave();
              return is_free();
            }),
            0);
}

TEST(NodeRoom, AContextIsFreedWhenAllRanksHaveLeft) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              (void)room.card(3);
              room.limit(room.held_bytes() + (1 << 20));
              const NodeRoom::Block home = room.allocate(sizeof(Leavers));
              auto* const context = new (home.at) Leavers;
              const NodeRoom::Block of_job = room.allocate(700 << 10);
              // Its receiver never leaves, as it failed before it was connected.
              room.release_when_left(of_job, {ring_in(of_job, 1)}, context);
              const std::vector<NodeRoom::Block> blocks{home};
              room.end_context(context, 2, blocks);
              const auto is_free = [&] {
                try {
                  room.release(room.allocate(700 << 10));
                  return true;
                } catch (const std::bad_alloc&) {
                  return false;
                }
              };
              if (is_free()) return false;
              context->leave();
              if (is_free()) return false;
              context->leave();
              return is_free();
            }),
            0);
}

TEST(NodeRoom, WhatIsMappedOutlivesItsProcess) {
  NodeRoom::Card card;
  std::byte* at = nullptr;
  EXPECT_EQ(in_another_process([] { return true; }), 0);
  {
    Other other([](const auto& tell, const auto& wait) {
      NodeRoom room;
      const NodeRoom::Card card = room.card(2);
      const NodeRoom::Block block = room.allocate(3 << 20);
      std::memset(block.at, 42, 3 << 20);
      tell(card);
      wait();
    });
    card = other.card();
    static NodeRoom reader;
    at = reader.map(card);
    EXPECT_EQ(reader.map(card), at) << "the same room twice";
  }
  // Its process has ended.
  for (std::int64_t i = 0; i < 3 << 20; i += 4096) ASSERT_EQ(at[64 + i], std::byte{42}) << i;
}

TEST(NodeRoom, AnotherFileIsNotMapped) {
  Other other([](const auto& tell, const auto& wait) {
    NodeRoom room;
    tell(room.card(2));
    wait();
  });
  const NodeRoom::Card card = other.card();
  NodeRoom reader;
  const auto refused = [&](const NodeRoom::Card& wrong) {
    try {
      (void)reader.map(wrong);
      return std::string("mapped");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  NodeRoom::Card wrong = card;
  wrong.inode += 1;  // the descriptor was used again
  EXPECT_NE(refused(wrong).find("another file"), std::string::npos) << refused(wrong);
  wrong = card;
  wrong.bytes += 4096;
  EXPECT_NE(refused(wrong).find("another file"), std::string::npos) << refused(wrong);
  wrong = card;
  wrong.file = 9999;
  EXPECT_NE(refused(wrong).find("No such file"), std::string::npos) << refused(wrong);
  wrong = card;
  wrong.file = -1;
  EXPECT_NE(refused(wrong).find("closed the descriptor"), std::string::npos) << refused(wrong);
  EXPECT_NE(reader.map(card), nullptr);
  reader.unmap(card.mark);
}

TEST(NodeRoom, ADescriptorThatTheProgramHasClosedIsTold) {
  EXPECT_EQ(in_another_process([] {
              NodeRoom room;
              const NodeRoom::Card before = room.card(2);
              close(static_cast<int>(before.file));
              if (room.card(2).file != -1) return false;
              // The number means something else.
              (void)!dup2(0, static_cast<int>(before.file));
              return room.card(2).file == -1 && room.card(2).mark == before.mark;
            }),
            0);
}

TEST(NodeRoom, AForkedProcessHasCopiesOfItsOwn) {
  NodeRoom& room = NodeRoom::of_process();
  (void)room.card(2);
  const NodeRoom::Block block = room.allocate(10000);
  std::memset(block.at, 5, 10000);
  EXPECT_FALSE(forked_child());
  EXPECT_EQ(in_another_process([&] {
              const bool zeros = block.at[9999] == std::byte{0};
              std::memset(block.at, 6, 10000);
              room.release(block);
              (void)room.allocate(10000);
              return zeros && forked_child();
            }),
            0);
  EXPECT_EQ(block.at[0], std::byte{5});
  EXPECT_EQ(block.at[9999], std::byte{5});
}

}  // namespace
}  // namespace sluice::mpi::detail
