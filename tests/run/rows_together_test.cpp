#include "run/mpi/redistribute/rows_together.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "run/redistribution_testing.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::Draw;
using Side = RowsTogether::Side;

/// One dimension between process `own` of one side, which has the array, and the processes of the other.
struct PlacedDimension {
  Side side;
  AxisPattern pattern;
  Coordinate own;

  [[nodiscard]] IndexRuns runs(std::int64_t peer) const {
    return side == Side::kTarget ? pattern.runs(Coordinate(peer), own) : pattern.runs(own, Coordinate(peer));
  }
  [[nodiscard]] const Axis& of_array() const { return side == Side::kTarget ? pattern.to() : pattern.from(); }
  [[nodiscard]] const Axis& of_peers() const { return side == Side::kTarget ? pattern.from() : pattern.to(); }
  [[nodiscard]] std::int64_t extent() const { return of_array().local_extent(own); }
  [[nodiscard]] std::int64_t extent(std::int64_t peer) const { return of_peers().local_extent(Coordinate(peer)); }
};

PlacedDimension random_dimension(Draw& draw, Side side, std::int64_t longest, std::int64_t longest_block) {
  const std::int64_t from_shape = draw.between(1, longest);
  const std::int64_t to_shape = draw.between(1, longest);
  const std::int64_t extent = draw.between(1, std::min(from_shape, to_shape));
  const auto axis = [&](std::int64_t shape) {
    const std::int64_t processes = draw.between(1, 4);
    return Axis{shape, processes, draw.between(1, longest_block), draw.between(0, processes - 1)};
  };
  const Axis from = axis(from_shape);
  const Axis to = axis(to_shape);
  const AxisPattern pattern(from, to, draw.between(0, from_shape - extent), draw.between(0, to_shape - extent), extent);
  return {side, pattern, Coordinate(draw.between(0, (side == Side::kTarget ? to : from).processes - 1))};
}

std::vector<std::byte> random_bytes(Draw& draw, std::int64_t n) {
  std::vector<std::byte> result;
  for (std::int64_t i = 0; i < n; ++i) result.push_back(static_cast<std::byte>(draw.between(0, 255)));
  return result;
}

/// A message to or from one peer, packed, or in an array of its own.
struct Peer {
  CopyAxis slow;
  CopyAxis fast;
  CopyRows rows;
  bool is_array = false;
  std::int64_t bytes = 0;
  std::vector<std::byte> memory;
  std::vector<std::pair<std::int64_t, std::int64_t>> bytes_at;  ///< of each byte: where it is in the array, in `memory`
};

/// Messages of the same rows of an array, with gaps behind rows and at an odd address.
class Problem {
 public:
  Problem(Draw& draw, Side side, bool with_array)
      : element_(draw.one_of<std::int64_t>({1, 2, 4, 8, 12, 16})),
        slow_(random_dimension(draw, side, 12, 4)),
        fast_(random_dimension(draw, side, draw.one_of<std::int64_t>({40, 3000}),
                               draw.one_of<std::int64_t>({1, 3, 8, 70}))),
        row_(fast_.extent() * element_ + draw.between(0, 40)),
        shift_(draw.between(0, 63)) {
    const std::int64_t slow_peer = draw.between(0, slow_.of_peers().processes - 1);
    array = random_bytes(draw, shift_ + slow_.extent() * row_ + 1);
    const std::int64_t peers_of_row = fast_.of_peers().processes;
    const std::int64_t own = with_array ? draw.between(0, peers_of_row - 1) : -1;
    for (std::int64_t p = 0; p < peers_of_row; ++p) add(draw, slow_peer, p, p == own);
  }

  [[nodiscard]] std::vector<CopyRows> rows() const {
    std::vector<CopyRows> result;
    for (const Peer& each : peers) result.push_back(each.rows);
    return result;
  }
  [[nodiscard]] std::byte* in_array() { return array.data() + shift_; }

  std::deque<Peer> peers;
  std::vector<std::byte> array;

 private:
  void add(Draw& draw, std::int64_t slow_peer, std::int64_t fast_peer, bool is_array) {
    const bool target = slow_.side == Side::kTarget;
    const IndexRuns slow = slow_.runs(slow_peer);
    const IndexRuns fast = fast_.runs(fast_peer);
    if (slow.count() == 0 || fast.count() == 0) return;
    const CopyKind kind = is_array ? CopyKind::kMove : target ? CopyKind::kUnpack : CopyKind::kPack;
    Peer& peer = peers.emplace_back();
    peer.is_array = is_array;
    peer.slow = copy_axis(slow, kind);
    peer.fast = scaled(copy_axis(fast, kind), element_);
    const std::int64_t packed_row = fast.count() * element_;
    peer.bytes = slow.count() * packed_row;
    const std::int64_t peer_row = is_array ? fast_.extent(fast_peer) * element_ + draw.between(0, 20) : packed_row;
    peer.rows = {&peer.slow, &peer.fast, target ? peer_row : row_, target ? row_ : peer_row};
    peer.memory = random_bytes(draw, (is_array ? slow_.extent(slow_peer) : slow.count()) * peer_row);
    const auto here = [&](const IndexRun& run) { return target ? run.to.value : run.from.value; };
    const auto there = [&](const IndexRun& run) { return target ? run.from.value : run.to.value; };
    std::int64_t packed = 0;
    slow.for_each([&](const IndexRun& slow_run) {
      for (std::int64_t i = 0; i < slow_run.length; ++i) {
        fast.for_each([&](const IndexRun& run) {
          for (std::int64_t b = 0; b < run.length * element_; ++b, ++packed) {
            peer.bytes_at.emplace_back(
                shift_ + (here(slow_run) + i) * row_ + here(run) * element_ + b,
                is_array ? (there(slow_run) + i) * peer_row + there(run) * element_ + b : packed);
          }
        });
      }
    });
  }

  std::int64_t element_;
  PlacedDimension slow_;
  PlacedDimension fast_;
  std::int64_t row_;
  std::int64_t shift_;
};

std::byte& at(std::vector<std::byte>& bytes, std::int64_t index) { return bytes[static_cast<std::size_t>(index)]; }

/// Calls advance(how far each message has come) until all are copied. They come in pieces of any lengths, in any order.
template <class Advance>
void in_pieces(Draw& draw, const Problem& problem, RowsTogether& rows, Advance advance) {
  std::vector<std::int64_t> come(problem.peers.size(), 0);
  rows.begin();
  for (bool all = false; !all;) {
    for (std::size_t m = 0; m < come.size(); ++m) {
      const std::int64_t bytes = problem.peers[m].bytes;
      ASSERT_LE(rows.copied(m), come[m]);
      if (draw.between(0, 1) == 1) come[m] += draw.between(0, bytes - come[m]);
      if (draw.between(0, 9) == 0 || problem.peers[m].is_array) come[m] = bytes;
    }
    advance(come);
    all = true;
    for (std::size_t m = 0; m < come.size(); ++m) all = all && rows.copied(m) == problem.peers[m].bytes;
  }
}

TEST(RowAssembly, AnyPiecesOfMessagesThatFillRows) {
  Draw draw(5);
  int assembled = 0;
  for (int round = 0; round < 4000; ++round) {
    Problem problem(draw, Side::kTarget, round % 2 == 0);
    if (!RowsTogether::suits(Side::kTarget, problem.rows())) continue;
    ++assembled;
    RowAssembly rows(problem.rows());
    for (int execution = 0; execution < 2; ++execution) {
      for (Peer& peer : problem.peers) peer.memory = random_bytes(draw, std::ssize(peer.memory));
      std::vector<std::byte> expected = problem.array;
      for (Peer& peer : problem.peers)
        for (const auto& [here, there] : peer.bytes_at) at(expected, here) = at(peer.memory, there);
      in_pieces(draw, problem, rows, [&](const std::vector<std::int64_t>& come) {
        std::vector<MessagePart> arrived;
        std::deque<std::vector<std::byte>> pieces;  // what has been copied is not there any more
        for (std::size_t m = 0; m < come.size(); ++m) {
          const Peer& peer = problem.peers[m];
          const std::int64_t copied = peer.is_array ? 0 : rows.copied(m);
          const std::int64_t last = peer.is_array ? std::ssize(peer.memory) : come[m];
          pieces.emplace_back(peer.memory.begin() + copied, peer.memory.begin() + last);
          pieces.back().push_back(std::byte{0xee});
          arrived.push_back({pieces.back().data(), copied, come[m] - copied});
        }
        rows.advance(arrived, problem.in_array());
      });
      if (HasFatalFailure()) return;
      ASSERT_EQ(testing::difference(problem.array, expected), "") << "round " << round;
    }
  }
  EXPECT_GT(assembled, 500);
}

TEST(RowSplit, AnyRoomForMessagesThatRowsAreDealtOutTo) {
  Draw draw(7);
  int split = 0;
  for (int round = 0; round < 4000; ++round) {
    Problem problem(draw, Side::kSource, round % 2 == 0);
    if (!RowsTogether::suits(Side::kSource, problem.rows())) continue;
    ++split;
    RowSplit rows(problem.rows());
    for (int execution = 0; execution < 2; ++execution) {
      problem.array = random_bytes(draw, std::ssize(problem.array));
      std::vector<std::vector<std::byte>> expected;
      for (Peer& peer : problem.peers) {
        expected.push_back(peer.memory);
        for (const auto& [here, there] : peer.bytes_at) at(expected.back(), there) = at(problem.array, here);
      }
      in_pieces(draw, problem, rows, [&](const std::vector<std::int64_t>& come) {
        std::vector<MessageRoom> room;
        std::deque<std::vector<std::byte>> pieces;
        std::vector<std::int64_t> copied;
        for (std::size_t m = 0; m < come.size(); ++m) {
          Peer& peer = problem.peers[m];
          copied.push_back(rows.copied(m));
          pieces.emplace_back(static_cast<std::size_t>(come[m] - copied[m] + 1), std::byte{0xee});
          if (peer.is_array)
            room.push_back({peer.memory.data(), 0, peer.bytes});
          else
            room.push_back({pieces.back().data(), copied[m], come[m] - copied[m]});
        }
        rows.advance(room, problem.in_array());
        for (std::size_t m = 0; m < come.size(); ++m) {
          Peer& peer = problem.peers[m];
          if (peer.is_array) continue;
          const std::int64_t n = rows.copied(m) - copied[m];
          std::copy_n(pieces[m].begin(), n, peer.memory.begin() + copied[m]);
          ASSERT_TRUE(std::all_of(pieces[m].begin() + n, pieces[m].end(), [](std::byte b) {
            return b == std::byte{0xee};
          })) << "written behind what was copied";
        }
      });
      if (HasFatalFailure()) return;
      for (std::size_t m = 0; m < expected.size(); ++m)
        ASSERT_EQ(testing::difference(problem.peers[m].memory, expected[m]), "") << "round " << round;
    }
  }
  EXPECT_GT(split, 500);
}

/// Three peers, columns dealt out to them in blocks: without one of them there are gaps, which are not to be written
/// to.
TEST(RowsTogether, AllMessagesOfShortRunsOrNone) {
  const auto suits = [](Side side, std::int64_t block, const std::vector<std::int64_t>& peers) {
    const Axis dealt_out{3000, 3, block, 0};
    const Axis whole{3000, 1, 3000, 0};
    const bool target = side == Side::kTarget;
    const AxisPattern columns(target ? dealt_out : whole, target ? whole : dealt_out, 0, 0, 3000);
    const CopyAxis one = one_position();
    std::deque<CopyAxis> axes;
    std::vector<CopyRows> rows;
    for (const std::int64_t peer : peers) {
      const IndexRuns runs =
          target ? columns.runs(Coordinate(peer), Coordinate(0)) : columns.runs(Coordinate(0), Coordinate(peer));
      axes.push_back(scaled(copy_axis(runs, target ? CopyKind::kUnpack : CopyKind::kPack), 8));
      rows.push_back({&one, &axes.back(), 0, 0});
    }
    return RowsTogether::suits(side, rows);
  };
  for (const Side side : {Side::kSource, Side::kTarget}) {
    for (const std::int64_t block : {1, 3, 32, 63}) {
      EXPECT_TRUE(suits(side, block, {0, 1, 2})) << block;
      EXPECT_TRUE(suits(side, block, {2, 0, 1})) << block;
      EXPECT_FALSE(suits(side, block, {0, 1})) << block;
      EXPECT_FALSE(suits(side, block, {0, 2})) << block;
      EXPECT_FALSE(suits(side, block, {1})) << block;
    }
    EXPECT_FALSE(suits(side, 128, {0, 1, 2}));
    EXPECT_FALSE(suits(side, 1000, {0, 1, 2}));
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
