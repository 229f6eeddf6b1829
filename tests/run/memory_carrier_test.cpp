#include "run/mpi/engine/memory_carrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/mpi/engine/engine.hpp"
#include "run/mpi/runtime/collective.hpp"
#include "run/redistribution_testing.hpp"
#include "run/test_channel.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::any_rank_failed;
using testing::byte_of;
using testing::Draw;
using testing::make_channel;
using testing::rank;
using testing::size;

constexpr std::int64_t kUnit = 8;

/// A part and what its messages consist of: bytes that are a function of the message's number.
struct Case {
  OwnPart part;
  std::vector<std::uint64_t> numbers;  ///< by end
};

/// Every byte is checked and counted, and so is whether receives that an end waits for are complete.
class Checker final : public Data {
 public:
  explicit Checker(const Case& of) : case_(of), received_(of.numbers.size(), 0) {}

  void pack(std::size_t end, std::int64_t begin, std::int64_t count, std::byte* to) override {
    check_order(end);
    for (std::int64_t b = 0; b < count * kUnit; ++b) to[b] = byte_of(0, begin * kUnit + b, case_.numbers[end]);
  }
  void unpack(std::size_t end, std::int64_t begin, std::int64_t count, const std::byte* from) override {
    check_order(end);
    wrong_ += begin != received_[end];
    for (std::int64_t b = 0; b < count * kUnit; ++b)
      wrong_ += from[b] != byte_of(0, begin * kUnit + b, case_.numbers[end]);
    received_[end] += count;
  }
  bool work() override { return ++worked_ < 3; }
  void restart() {
    std::ranges::fill(received_, 0);
    worked_ = 0;
  }

  [[nodiscard]] std::int64_t wrong() const { return wrong_; }
  [[nodiscard]] std::int64_t early() const { return early_; }
  [[nodiscard]] std::int64_t missing(std::size_t end) const {
    return case_.part.ends[end].sends ? 0 : case_.part.ends[end].count - received_[end];
  }
  [[nodiscard]] int worked() const { return worked_; }

 private:
  void check_order(std::size_t end) {
    for (const std::uint32_t before : case_.part.after_of(end)) early_ += missing(before) > 0;
  }

  const Case& case_;
  std::vector<std::int64_t> received_;  ///< by end
  std::int64_t wrong_ = 0;
  std::int64_t early_ = 0;
  int worked_ = 0;
};

/// This rank's part of random messages, which could pass one after the other; the same `draw` on all ranks. Messages
/// may be empty, several may go between two ranks, and some go to several ranks.
Case random_part(Draw& draw, bool waits) {
  Case made;
  const std::int64_t messages = draw.between(0, 12);
  for (std::int64_t number = 0; number < messages; ++number) {
    const std::vector<int> ranks = draw.ranks(draw.between(2, size()), size());  // the sender, then the receivers
    const std::int64_t count = draw.one_of<std::int64_t>({0, 1, draw.between(1, 2000), draw.between(1, 90'000)});
    std::vector<std::uint32_t> before;
    for (std::uint32_t end = 0; end < made.numbers.size(); ++end)
      if (waits && (end * 7 + static_cast<std::uint64_t>(number)) % 3 == 0) before.push_back(end);
    const auto store = static_cast<std::int32_t>(number);
    const auto add = [&](int peer, bool sends) {
      (void)made.part.add({peer, sends, sluice::detail::MessageKind::kKeep, 0, count, 0},
                          OwnPart::Range{0, count, false, store}, before);
      made.numbers.push_back(static_cast<std::uint64_t>(number));
    };
    for (std::size_t i = 1; i < ranks.size(); ++i) {
      if (ranks[0] == rank()) add(ranks[i], true);
      if (ranks[i] == rank()) add(ranks[0], false);
    }
  }
  return made;
}

void expect_carried(Channel& channel, std::unique_ptr<MemoryCarrier> carrier, const Case& of) {
  const auto data = std::make_shared<Checker>(of);
  Engine engine(channel, data);
  engine.add(std::move(carrier));
  for (int again = 0; again < 3; ++again) {
    data->restart();
    engine.begin();
    complete(channel, engine);
    EXPECT_EQ(data->wrong(), 0);
    EXPECT_EQ(data->early(), 0);
    EXPECT_EQ(data->worked(), 3);
    for (std::size_t end = 0; end < of.part.ends.size(); ++end) EXPECT_EQ(data->missing(end), 0) << end;
  }
}

TEST(MemoryCarrier, CarriesPartsWhoseEndsWait) {
  if (size() == 1 || !MemoryCarrier::possible(*Context::of(MPI_COMM_WORLD))) GTEST_SKIP() << "no shared memory";
  Draw draw(29);
  for (int i = 0; i < 30 && !any_rank_failed(); ++i) {
    const bool waits = draw.chance(2);
    const Case of = random_part(draw, waits);
    MemoryRoom room = MemoryRoom::of_program(kUnit);
    if (!waits && draw.chance(2)) {
      room = MemoryRoom::at_once(size(), kUnit);
      room.unit = kUnit;
    }
    const std::unique_ptr<Channel> channel = make_channel();
    auto carrier = std::make_unique<MemoryCarrier>(*channel, of.part, room);
    const std::vector<std::uint64_t> blocks = numbers_by_memory(*channel, carrier->block());
    std::vector<std::pair<int, std::int64_t>> due;
    for (const OwnPart::Own& end : of.part.ends)
      if (!end.sends && end.count > 0) due.emplace_back(end.peer, end.count * kUnit);
    std::ranges::stable_sort(due, {}, &std::pair<int, std::int64_t>::first);
    std::vector<std::pair<int, std::int64_t>> found;
    for (const auto& [from, bytes] : MemoryCarrier::sent_to(*channel, blocks)) found.emplace_back(from, bytes);
    EXPECT_EQ(found, due);
    carrier->connect(of.part, blocks);
    expect_carried(*channel, std::move(carrier), of);
  }
}

TEST(MemoryCarrier, PutsUpOnceWhatSeveralRanksGet) {
  if (size() < 3 || !MemoryCarrier::possible(*Context::of(MPI_COMM_WORLD))) GTEST_SKIP() << "for 3 ranks that share";
  constexpr std::int64_t kBytes = 2 << 20;
  for (const bool same : {true, false}) {
    Case of;
    const auto add = [&](int peer, bool sends) {
      const OwnPart::Range range{0, kBytes / kUnit, false, same ? 0 : peer};
      (void)of.part.add({peer, sends, sluice::detail::MessageKind::kKeep, 0, kBytes / kUnit, 0}, range);
      of.numbers.push_back(5);
    };
    for (int peer = 1; peer < size(); ++peer) {
      if (rank() == 0) add(peer, true);
      if (rank() == peer) add(0, false);
    }
    const std::unique_ptr<Channel> channel = make_channel();
    auto carrier = std::make_unique<MemoryCarrier>(*channel, of.part, MemoryRoom::of_program(kUnit));
    // All of the message, or what messages to one receiver share.
    if (rank() == 0) {
      EXPECT_EQ(carrier->buffer_bytes() < kBytes + (64 << 10), same) << carrier->buffer_bytes();
    }
    carrier->connect(of.part, numbers_by_memory(*channel, carrier->block()));
    expect_carried(*channel, std::move(carrier), of);
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
