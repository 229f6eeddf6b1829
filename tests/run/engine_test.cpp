#include "run/mpi/engine/engine.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/mpi/engine/memory_carrier.hpp"
#include "run/mpi/engine/ordered_carrier.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/redistribution_testing.hpp"
#include "run/test_channel.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::any_rank_failed;
using testing::byte_of;
using testing::Draw;
using testing::make_channel;
using testing::size_of;

/// A message of a schedule, in whatever step it comes.
struct Sent {
  int from = 0;
  int to = 0;
  std::int64_t bytes = 0;
};

/// Messages whose bytes are a function of their number in the schedule; every call is checked, every byte counted.
class Recorder final : public Data {
 public:
  /// `numbers`: by end.
  explicit Recorder(std::vector<std::uint64_t> numbers) : numbers_(std::move(numbers)), received_(numbers_.size(), 0) {}

  void pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) override {
    for (std::int64_t b = 0; b < bytes; ++b) to[b] = byte_of(0, begin + b, numbers_[end]);
  }
  void unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) override {
    for (std::int64_t b = 0; b < bytes; ++b) wrong_ += from[b] != byte_of(0, begin + b, numbers_[end]);
    received_[end] += bytes;
  }
  bool work() override { return ++worked_ < 3; }
  void finish() override { ++finished_; }

  [[nodiscard]] std::int64_t wrong() const { return wrong_; }
  [[nodiscard]] std::int64_t received(std::size_t end) const { return received_[end]; }
  [[nodiscard]] int worked() const { return worked_; }
  [[nodiscard]] int finished() const { return finished_; }
  void restart() {
    received_.assign(numbers_.size(), 0);
    worked_ = 0;
  }

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::int64_t> received_;  ///< by end
  std::int64_t wrong_ = 0;
  int worked_ = 0;
  int finished_ = 0;
};

/// What a rank sends and receives in a schedule, each message with its number in `numbers`, by end.
struct Lists {
  Lists(const std::vector<Sent>& schedule, int rank) {
    for (std::size_t i = 0; i < schedule.size(); ++i) {
      if (schedule[i].from == rank) add(sends, true, schedule[i].to, schedule[i].bytes, i);
      if (schedule[i].to == rank) add(receives, false, schedule[i].from, schedule[i].bytes, i);
    }
  }
  void add(std::vector<StepMessage>& list, bool sends_it, int peer, std::int64_t bytes, std::size_t number) {
    list.push_back({peer, bytes, numbers.size()});
    (void)part.add({peer, sends_it, sluice::detail::MessageKind::kKeep, 0, bytes, 0},
                   OwnPart::Range{0, bytes, false, static_cast<std::int32_t>(number)});
    numbers.push_back(number);
  }
  OwnPart part;
  std::vector<StepMessage> sends;
  std::vector<StepMessage> receives;
  std::vector<std::uint64_t> numbers;
};

std::unique_ptr<Carrier> make_carrier(Channel& channel, const Lists& lists, const OrderedCarrier::Limits& limits,
                                      bool share) {
  auto carrier = std::make_unique<OrderedCarrier>(channel, lists.sends, lists.receives, limits);
  carrier->connect(share);
  return carrier;
}

/// Runs a schedule of any steps; in each, every rank sends and receives one message at most.
void run(const std::vector<Sent>& schedule, const OrderedCarrier::Limits& limits, bool share) {
  const std::unique_ptr<Channel> channel = make_channel();
  const Lists lists(schedule, channel->rank());
  const auto data = std::make_shared<Recorder>(lists.numbers);
  Engine engine(*channel, data);
  engine.add(make_carrier(*channel, lists, limits, share));
  EXPECT_LE(engine.buffer_bytes(), 2 * limits.window * (limits.chunk_bytes + 63));
  for (int again = 0; again < 2; ++again) {
    data->restart();
    engine.begin();
    complete(*channel, engine);
    EXPECT_EQ(data->wrong(), 0);
    EXPECT_EQ(data->worked(), 3);
    EXPECT_EQ(data->finished(), again + 1);
    for (const StepMessage& receive : lists.receives) EXPECT_EQ(data->received(receive.end), receive.bytes);
  }
}

/// Random messages in a few steps, each of at most `most` bytes.
std::vector<Sent> random_schedule(Draw& draw, int ranks, std::int64_t most) {
  std::vector<Sent> schedule;
  const std::int64_t steps = draw.between(0, 8);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::vector<int> from = draw.ranks(ranks, ranks);
    const std::vector<int> to = draw.ranks(ranks, ranks);
    for (std::size_t r = 0; r < from.size(); ++r) {
      if (from[r] != to[r] && !draw.chance(3)) schedule.push_back({from[r], to[r], draw.between(0, most)});
    }
  }
  return schedule;
}

TEST(Engine, RandomSchedules) {
  const int size = size_of(MPI_COMM_WORLD);
  Draw draw(11);
  for (int i = 0; i < 12 && !any_rank_failed(); ++i) {
    const std::vector<Sent> schedule = random_schedule(draw, size, 3000);
    OrderedCarrier::Limits limits{draw.one_of<std::int64_t>({64, 1000, 100000}), draw.one_of<std::int64_t>({1, 8}),
                                  static_cast<int>(draw.between(1, 5))};
    limits.rounds = draw.chance(2);
    for (const bool share : {false, true}) run(schedule, limits, share);
  }
}

/// A message beyond int, of which no more than a piece is ever in memory: every piece begins with its offset.
class Endless final : public Data {
 public:
  void pack(std::size_t /*end*/, std::int64_t begin, std::int64_t /*bytes*/, std::byte* to) override {
    std::memcpy(to, &begin, sizeof begin);
  }
  void unpack(std::size_t /*end*/, std::int64_t begin, std::int64_t bytes, const std::byte* from) override {
    std::int64_t sent = -1;
    std::memcpy(&sent, from, sizeof sent);
    wrong_ += sent != begin;
    received_ += bytes;
  }

  std::int64_t wrong_ = 0;
  std::int64_t received_ = 0;
};

TEST(Engine, MessagesBeyondInt) {
  const std::unique_ptr<Channel> channel = make_channel();
  if (channel->size() != 2) GTEST_SKIP() << "for 2 ranks";
  constexpr std::int64_t kBytes = (std::int64_t{1} << 31) + 24;
  const int peer = 1 - channel->rank();
  for (const bool share : {false, true}) {
    auto carrier = std::make_unique<OrderedCarrier>(*channel, std::vector<StepMessage>{{peer, kBytes, 0}},
                                                    std::vector<StepMessage>{{peer, kBytes, 1}},
                                                    OrderedCarrier::Limits{1 << 20, 8, 2});
    carrier->connect(share);
    const auto data = std::make_shared<Endless>();
    Engine engine(*channel, data);
    engine.add(std::move(carrier));
    engine.begin();
    complete(*channel, engine);
    EXPECT_EQ(data->wrong_, 0);
    EXPECT_EQ(data->received_, kBytes);
  }
}

/// Memory that stands for a device's: the processor may touch it only while it is open.
class GuardedMemory {
 public:
  explicit GuardedMemory(std::size_t bytes) : bytes_(bytes + 1) {  // mmap refuses 0
    at_ = ::mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~GuardedMemory() { ::munmap(at_, bytes_); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  template <class Use>
  void open(Use use) {
    ASSERT_EQ(::mprotect(at_, bytes_, PROT_READ | PROT_WRITE), 0);
    use(static_cast<std::byte*>(at_));
    ASSERT_EQ(::mprotect(at_, bytes_, PROT_NONE), 0);
  }

 private:
  std::size_t bytes_;
  void* at_;
};

/// Messages one after the other in guarded memory.
class GuardedData final : public Data {
 public:
  explicit GuardedData(const Lists& lists) : begin_(lists.numbers.size(), 0), memory_(place(lists)) {}

  void pack(std::size_t end, std::int64_t begin, std::int64_t bytes, std::byte* to) override {
    memory_.open(
        [&](const std::byte* at) { std::memcpy(to, at + begin_[end] + begin, static_cast<std::size_t>(bytes)); });
  }
  void unpack(std::size_t end, std::int64_t begin, std::int64_t bytes, const std::byte* from) override {
    memory_.open([&](std::byte* at) { std::memcpy(at + begin_[end] + begin, from, static_cast<std::size_t>(bytes)); });
  }
  /// Calls use(byte, offset in its message, number of the message) for all bytes of `messages`.
  template <class Use>
  void for_bytes(const Lists& lists, const std::vector<StepMessage>& messages, Use use) {
    memory_.open([&](std::byte* at) {
      for (const StepMessage& message : messages) {
        for (std::int64_t b = 0; b < message.bytes; ++b)
          use(at[begin_[message.end] + b], b, lists.numbers[message.end]);
      }
    });
  }

 private:
  /// Returns the bytes of all messages.
  std::size_t place(const Lists& lists) {
    std::int64_t bytes = 0;
    for (const auto* list : {&lists.sends, &lists.receives}) {
      for (const StepMessage& message : *list) begin_[message.end] = std::exchange(bytes, bytes + message.bytes);
    }
    return static_cast<std::size_t>(bytes);
  }

  std::vector<std::int64_t> begin_;  ///< by end
  GuardedMemory memory_;
};

/// Moves the messages of `lists` from and to guarded memory, and looks at every byte.
void expect_carried(Channel& channel, const Lists& lists, std::unique_ptr<Carrier> carrier) {
  const auto data = std::make_shared<GuardedData>(lists);
  data->for_bytes(lists, lists.sends,
                  [](std::byte& at, std::int64_t b, std::uint64_t number) { at = byte_of(0, b, number); });
  Engine engine(channel, data);
  engine.add(std::move(carrier));
  engine.begin();
  complete(channel, engine);
  std::int64_t wrong = 0;
  data->for_bytes(lists, lists.receives, [&](const std::byte& at, std::int64_t b, std::uint64_t number) {
    wrong += at != byte_of(0, b, number) ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
}

/// What a device's memory needs: carriers touch the memory of messages only by pack() and unpack().
TEST(Engine, LeavesTheMemoryOfMessagesToTheData) {
  const int size = size_of(MPI_COMM_WORLD);
  Draw draw(12);
  for (int i = 0; i < 6 && !any_rank_failed(); ++i) {
    const std::vector<Sent> schedule = random_schedule(draw, size, 3000);
    const OrderedCarrier::Limits limits{draw.one_of<std::int64_t>({64, 1000}), 1, 2};
    for (const bool share : {false, true}) {
      const std::unique_ptr<Channel> channel = make_channel();
      const Lists lists(schedule, channel->rank());
      expect_carried(*channel, lists, make_carrier(*channel, lists, limits, share));
    }
    const std::unique_ptr<Channel> channel = make_channel();
    if (!MemoryCarrier::possible(channel->context())) continue;
    const Lists lists(schedule, channel->rank());
    auto carrier = std::make_unique<MemoryCarrier>(*channel, lists.part, MemoryRoom::at_once(size, 1));
    carrier->connect(lists.part, numbers_by_memory(*channel, carrier->block()));
    expect_carried(*channel, lists, std::move(carrier));
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
