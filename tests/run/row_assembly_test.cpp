#include "run/mpi/redistribute/row_assembly.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <vector>

#include "run/redistribution_testing.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::Draw;

/// One dimension between some senders and one receiver, `to`.
struct Dimension {
  AxisPattern pattern;
  Coordinate to;

  [[nodiscard]] IndexRuns runs(std::int64_t sender) const { return pattern.runs(Coordinate(sender), to); }
  [[nodiscard]] std::int64_t from_extent(std::int64_t sender) const {
    return pattern.from().local_extent(Coordinate(sender));
  }
  [[nodiscard]] std::int64_t to_extent() const { return pattern.to().local_extent(to); }
};

Dimension random_dimension(Draw& draw, std::int64_t longest, std::int64_t longest_block) {
  const std::int64_t from_shape = draw.between(1, longest);
  const std::int64_t to_shape = draw.between(1, longest);
  const std::int64_t extent = draw.between(1, std::min(from_shape, to_shape));
  const auto axis = [&](std::int64_t shape) {
    const std::int64_t processes = draw.between(1, 4);
    return Axis{shape, processes, draw.between(1, longest_block), draw.between(0, processes - 1)};
  };
  const Axis from = axis(from_shape);
  const Axis to = axis(to_shape);
  return {AxisPattern(from, to, draw.between(0, from_shape - extent), draw.between(0, to_shape - extent), extent),
          Coordinate(draw.between(0, to.processes - 1))};
}

/// A message of one sender, in an array or as it is packed.
struct Sent {
  CopyAxis slow;
  CopyAxis fast;
  CopyRows rows;
  std::vector<std::byte> memory;
  bool is_array = false;
  std::int64_t bytes = 0;
};

class Problem {
 public:
  Problem(Draw& draw, bool with_array)
      : element_(draw.one_of<std::int64_t>({1, 2, 4, 8, 12, 16})),
        slow_(random_dimension(draw, 12, 4)),
        fast_(random_dimension(draw, draw.one_of<std::int64_t>({40, 3000}), draw.one_of<std::int64_t>({1, 3, 8, 70}))),
        to_row_(fast_.to_extent() * element_ + draw.between(0, 40)),
        shift_(draw.between(0, 63)) {
    const Coordinate slow_sender(draw.between(0, slow_.pattern.from().processes - 1));
    target.resize(static_cast<std::size_t>(shift_ + slow_.to_extent() * to_row_ + 1), std::byte{0xcc});
    expected = target;
    const std::int64_t senders = fast_.pattern.from().processes;
    const std::int64_t array = with_array ? draw.between(0, senders - 1) : -1;
    for (std::int64_t p = 0; p < senders; ++p) add(draw, slow_sender.value, p, p == array);
  }

  [[nodiscard]] std::vector<CopyRows> rows() const {
    std::vector<CopyRows> result;
    for (const Sent& each : sent) result.push_back(each.rows);
    return result;
  }
  [[nodiscard]] std::byte* in_target() { return target.data() + shift_; }

  std::deque<Sent> sent;
  std::vector<std::byte> target;
  std::vector<std::byte> expected;

 private:
  void add(Draw& draw, std::int64_t slow_sender, std::int64_t fast_sender, bool is_array) {
    const IndexRuns slow = slow_.runs(slow_sender);
    const IndexRuns fast = fast_.runs(fast_sender);
    if (slow.count() == 0 || fast.count() == 0) return;
    const CopyKind kind = is_array ? CopyKind::kMove : CopyKind::kUnpack;
    Sent& one = sent.emplace_back();
    one.is_array = is_array;
    one.slow = copy_axis(slow, kind);
    one.fast = scaled(copy_axis(fast, kind), element_);
    const std::int64_t packed_row = fast.count() * element_;
    one.bytes = slow.count() * packed_row;
    const std::int64_t from_row =
        is_array ? fast_.from_extent(fast_sender) * element_ + draw.between(0, 20) : packed_row;
    one.rows = {&one.slow, &one.fast, from_row, to_row_};
    const std::int64_t rows = is_array ? slow_.from_extent(slow_sender) : slow.count();
    for (std::int64_t i = 0; i < rows * from_row; ++i)
      one.memory.push_back(static_cast<std::byte>(draw.between(0, 255)));
    std::int64_t row = 0;
    slow.for_each([&](const IndexRun& slow_run) {
      for (std::int64_t i = 0; i < slow_run.length; ++i, ++row) {
        std::int64_t packed = row * packed_row;
        fast.for_each([&](const IndexRun& run) {
          for (std::int64_t b = 0; b < run.length * element_; ++b, ++packed) {
            const std::int64_t from =
                is_array ? (slow_run.from.value + i) * from_row + run.from.value * element_ + b : packed;
            const std::int64_t to = (slow_run.to.value + i) * to_row_ + run.to.value * element_ + b;
            expected[static_cast<std::size_t>(shift_ + to)] = one.memory[static_cast<std::size_t>(from)];
          }
        });
      }
    });
  }

  std::int64_t element_;
  Dimension slow_;
  Dimension fast_;
  std::int64_t to_row_;
  std::int64_t shift_;
};

/// Messages come in pieces of any lengths, in any order, as places of a ring have them: only what has arrived and has
/// not been copied is there.
void deliver(Draw& draw, Problem& problem, RowAssembly& assembly) {
  std::vector<std::int64_t> come(problem.sent.size(), 0);
  assembly.begin();
  for (bool all = false; !all;) {
    std::vector<MessagePart> arrived;
    std::deque<std::vector<std::byte>> pieces;
    for (std::size_t m = 0; m < problem.sent.size(); ++m) {
      const Sent& one = problem.sent[m];
      if (one.is_array) {
        arrived.push_back({one.memory.data(), 0, one.bytes});
        continue;
      }
      const std::int64_t copied = assembly.copied(m);
      ASSERT_LE(copied, come[m]);
      if (draw.between(0, 1) == 1) come[m] += draw.between(0, one.bytes - come[m]);
      if (draw.between(0, 9) == 0) come[m] = one.bytes;
      pieces.emplace_back(one.memory.begin() + copied, one.memory.begin() + come[m]);
      pieces.back().push_back(std::byte{0xee});
      arrived.push_back({pieces.back().data(), copied, come[m] - copied});
    }
    assembly.advance(arrived, problem.in_target());
    all = true;
    for (std::size_t m = 0; m < problem.sent.size(); ++m) all = all && assembly.copied(m) == problem.sent[m].bytes;
  }
}

TEST(RowAssembly, AnyPiecesOfMessagesThatFillRowsTogether) {
  Draw draw(5);
  int assembled = 0;
  for (int round = 0; round < 4000; ++round) {
    Problem problem(draw, round % 2 == 0);
    if (!RowAssembly::suits(problem.rows())) continue;
    ++assembled;
    RowAssembly assembly(problem.rows());
    for (int execution = 0; execution < 2; ++execution) {
      std::ranges::fill(problem.target, std::byte{0xcc});
      deliver(draw, problem, assembly);
      if (HasFatalFailure()) return;
      ASSERT_EQ(testing::difference(problem.target, problem.expected), "") << "round " << round;
    }
  }
  EXPECT_GT(assembled, 500);
}

/// Of three senders, columns dealt out to them in blocks: without one of them there are gaps, which are not to be
/// written to.
TEST(RowAssembly, AllMessagesOfShortRunsOrNone) {
  const auto suits = [](std::int64_t block, std::vector<std::int64_t> senders) {
    const AxisPattern columns({3000, 3, block, 0}, {3000, 1, 3000, 0}, 0, 0, 3000);
    const CopyAxis one = one_position();
    std::deque<CopyAxis> axes;
    std::vector<CopyRows> rows;
    for (const std::int64_t sender : senders) {
      axes.push_back(scaled(copy_axis(columns.runs(Coordinate(sender), Coordinate(0)), CopyKind::kUnpack), 8));
      rows.push_back({&one, &axes.back(), 0, 0});
    }
    return RowAssembly::suits(rows);
  };
  for (const std::int64_t block : {1, 3, 32, 63}) {
    EXPECT_TRUE(suits(block, {0, 1, 2})) << block;
    EXPECT_TRUE(suits(block, {2, 0, 1})) << block;
    EXPECT_FALSE(suits(block, {0, 1})) << block;
    EXPECT_FALSE(suits(block, {0, 2})) << block;
    EXPECT_FALSE(suits(block, {1})) << block;
  }
  EXPECT_FALSE(suits(64, {0, 1, 2}));
  EXPECT_FALSE(suits(1000, {0, 1, 2}));
}

}  // namespace
}  // namespace sluice::mpi::detail
