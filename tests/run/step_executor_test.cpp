#include "run/mpi/engine/step_executor.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <tuple>

#include "run/any_rank_failed.hpp"
#include "run/redistribution_testing.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::any_rank_failed;
using testing::byte_of;
using testing::Draw;
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

  [[nodiscard]] std::int64_t wrong() const { return wrong_; }
  [[nodiscard]] std::int64_t received(std::size_t end) const { return received_[end]; }
  [[nodiscard]] int worked() const { return worked_; }

 private:
  std::vector<std::uint64_t> numbers_;
  std::vector<std::int64_t> received_;  ///< by end
  std::int64_t wrong_ = 0;
  int worked_ = 0;
};

std::unique_ptr<Channel> make_channel() {
  const std::shared_ptr<Context> context = Context::of(MPI_COMM_WORLD);
  return std::make_unique<Channel>(context, context->take_number(), "test");
}

/// Runs a schedule of any steps; in each, every rank sends and receives one message at most.
void run(const std::vector<Sent>& schedule, const StepExecutor::Limits& limits, bool share) {
  const std::unique_ptr<Channel> channel = make_channel();
  std::vector<StepMessage> sends;
  std::vector<StepMessage> receives;
  std::vector<std::uint64_t> numbers;  // by end
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    if (schedule[i].from == channel->rank()) {
      sends.push_back({schedule[i].to, schedule[i].bytes, numbers.size()});
      numbers.push_back(i);
    }
    if (schedule[i].to == channel->rank()) {
      receives.push_back({schedule[i].from, schedule[i].bytes, numbers.size()});
      numbers.push_back(i);
    }
  }
  StepExecutor executor(*channel, sends, receives, limits);
  executor.connect(share);
  EXPECT_LE(executor.buffer_bytes(), 2 * limits.window * (limits.chunk_bytes + 63));
  for (int again = 0; again < 2; ++again) {
    Recorder data(numbers);
    executor.begin(data);
    complete(*channel, executor);
    EXPECT_EQ(data.wrong(), 0);
    EXPECT_EQ(data.worked(), 3);
    for (const StepMessage& receive : receives) EXPECT_EQ(data.received(receive.end), receive.bytes);
  }
}

TEST(StepExecutor, RandomSchedules) {
  const int size = size_of(MPI_COMM_WORLD);
  Draw draw(11);
  for (int i = 0; i < 12 && !any_rank_failed(); ++i) {
    std::vector<Sent> schedule;
    const std::int64_t steps = draw.between(0, 8);
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::vector<int> from = draw.ranks(size, size);
      const std::vector<int> to = draw.ranks(size, size);
      for (std::size_t r = 0; r < from.size(); ++r) {
        if (from[r] != to[r] && !draw.chance(3)) schedule.push_back({from[r], to[r], draw.between(0, 3000)});
      }
    }
    StepExecutor::Limits limits{draw.one_of<std::int64_t>({64, 1000, 100000}), draw.one_of<std::int64_t>({1, 8}),
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

TEST(StepExecutor, MessagesBeyondInt) {
  const std::unique_ptr<Channel> channel = make_channel();
  if (channel->size() != 2) GTEST_SKIP() << "for 2 ranks";
  constexpr std::int64_t kBytes = (std::int64_t{1} << 31) + 24;
  const int peer = 1 - channel->rank();
  for (const bool share : {false, true}) {
    StepExecutor executor(*channel, {{peer, kBytes, 0}}, {{peer, kBytes, 1}}, {1 << 20, 8, 2});
    executor.connect(share);
    Endless data;
    executor.begin(data);
    complete(*channel, executor);
    EXPECT_EQ(data.wrong_, 0);
    EXPECT_EQ(data.received_, kBytes);
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
