#include "run/mpi/redistribute/box_copy.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <tuple>

#include "run/redistribution_testing.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::Draw;

/// A dimension: where each position of the message is on both sides, and the same as IndexRuns.
struct Dimension {
  IndexRuns runs;
  std::vector<std::int64_t> from;
  std::vector<std::int64_t> to;
  std::int64_t from_extent = 1;
  std::int64_t to_extent = 1;
};

Dimension random_dimension(Draw& draw, std::int64_t longest) {
  Dimension result;
  const std::int64_t from_shape = draw.between(1, longest);
  const std::int64_t to_shape = draw.between(1, longest);
  const std::int64_t extent = draw.between(1, std::min(from_shape, to_shape));
  const auto axis = [&](std::int64_t shape) {
    const std::int64_t processes = draw.between(1, 3);
    return Axis{shape, processes, draw.between(1, 5), draw.between(0, processes - 1)};
  };
  const Axis from = axis(from_shape);
  const Axis to = axis(to_shape);
  const AxisPattern pattern(from, to, draw.between(0, from_shape - extent), draw.between(0, to_shape - extent), extent);
  const Coordinate p(draw.between(0, from.processes - 1));
  const Coordinate q(draw.between(0, to.processes - 1));
  result.runs = pattern.runs(p, q);
  for (std::int64_t i = 0; i < extent; ++i) {
    const GlobalIndex x(i + pattern.from_start());
    const GlobalIndex y(i + pattern.to_start());
    if (from.owner(x) != p || to.owner(y) != q) continue;
    result.from.push_back(from.local(x).value);
    result.to.push_back(to.local(y).value);
  }
  result.from_extent = std::max<std::int64_t>(1, from.local_extent(p));
  result.to_extent = std::max<std::int64_t>(1, to.local_extent(q));
  return result;
}

/// Offsets in bytes of all elements of the message, in its order.
std::vector<std::int64_t> offsets(const std::vector<Dimension>& dimensions, bool source, std::int64_t element) {
  std::vector<std::int64_t> result{0};
  for (const Dimension& d : dimensions) {
    std::vector<std::int64_t> longer;
    for (const std::int64_t at : result) {
      for (const std::int64_t i : source ? d.from : d.to)
        longer.push_back(at * (source ? d.from_extent : d.to_extent) + i);
    }
    result = longer;
  }
  for (std::int64_t& at : result) at *= element;
  return result;
}

TEST(BoxCopy, AnyRangeOfAnyMessage) {
  Draw draw(17);
  int messages = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto count = static_cast<std::size_t>(draw.between(1, 5));
    const std::int64_t element = draw.one_of<std::int64_t>({1, 2, 3, 4, 8, 12, 16, 24, 32, 80, 640});
    std::vector<Dimension> dimensions;
    for (std::size_t d = 0; d < count; ++d) {
      dimensions.push_back(random_dimension(draw, std::vector<std::int64_t>{200, 30, 12, 9, 7}[count - 1]));
    }
    const bool past_cache = draw.between(0, 1) == 1;
    const std::vector<std::int64_t> from = offsets(dimensions, true, element);
    const std::vector<std::int64_t> to = offsets(dimensions, false, element);
    const auto bytes = static_cast<std::int64_t>(from.size()) * element;
    if (bytes == 0) continue;
    ++messages;
    std::int64_t from_bytes = element;
    std::int64_t to_bytes = element;
    for (const Dimension& d : dimensions) {
      from_bytes *= d.from_extent;
      to_bytes *= d.to_extent;
    }
    std::vector<std::byte> source(static_cast<std::size_t>(from_bytes));
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
    const auto source_byte = [&](std::int64_t b) {
      return source[static_cast<std::size_t>(from[static_cast<std::size_t>(b / element)] + b % element)];
    };

    const std::int64_t begin = draw.between(0, bytes);
    const std::int64_t end = draw.between(begin, bytes);
    std::vector<std::byte> buffer(static_cast<std::size_t>(end - begin) + 1, std::byte{0xee});
    std::vector<std::byte> target(static_cast<std::size_t>(to_bytes), std::byte{0xcc});
    std::vector<std::byte> expected = target;
    for (std::int64_t b = begin; b < end; ++b) {
      expected[static_cast<std::size_t>(to[static_cast<std::size_t>(b / element)] + b % element)] = source_byte(b);
    }
    for (const CopyKind kind : {CopyKind::kPack, CopyKind::kUnpack, CopyKind::kMove}) {
      std::vector<CopyAxis> axes;
      for (const Dimension& d : dimensions) axes.push_back(copy_axis(d.runs, kind));
      axes.back() = scaled(axes.back(), element);
      BoxCopy box;
      std::vector<BoxCopy::Level> levels(count);
      std::int64_t from_step = element;
      std::int64_t to_step = element;
      std::int64_t dense = element;
      for (std::size_t l = count; l-- > 0;) {
        levels[l] = {&axes[l], kind == CopyKind::kUnpack ? dense : from_step,
                     kind == CopyKind::kPack ? dense : to_step};
        from_step *= dimensions[l].from_extent;
        to_step *= dimensions[l].to_extent;
        dense *= static_cast<std::int64_t>(dimensions[l].from.size());
      }
      for (const BoxCopy::Level& level : levels) box.push(level);
      ASSERT_EQ(box.bytes(), bytes);
      box.pass_cache(past_cache && kind != CopyKind::kUnpack, past_cache && kind != CopyKind::kPack);
      if (kind == CopyKind::kPack) {
        box.copy(begin, end, source.data(), 0, buffer.data(), begin);
        for (std::int64_t b = begin; b < end; ++b) {
          ASSERT_EQ(buffer[static_cast<std::size_t>(b - begin)], source_byte(b)) << "round " << round << " byte " << b;
        }
        ASSERT_EQ(buffer.back(), std::byte{0xee}) << "round " << round;
      } else {
        std::ranges::fill(target, std::byte{0xcc});
        const bool unpack = kind == CopyKind::kUnpack;
        box.copy(begin, end, unpack ? buffer.data() : source.data(), unpack ? begin : 0, target.data(), 0);
        ASSERT_EQ(testing::difference(target, expected), "") << "round " << round << " unpack " << unpack;
      }
      if (begin == end) continue;
      // A range that is said to be contiguous is, on both sides.
      if (const auto at = box.contiguous(begin, end)) {
        for (std::int64_t b = begin; b < end; ++b) {
          const std::int64_t x = from[static_cast<std::size_t>(b / element)] + b % element;
          const std::int64_t y = to[static_cast<std::size_t>(b / element)] + b % element;
          ASSERT_EQ(at->first + b - begin, kind == CopyKind::kUnpack ? b : x) << "round " << round;
          ASSERT_EQ(at->second + b - begin, kind == CopyKind::kPack ? b : y) << "round " << round;
        }
      } else {
        ASSERT_NE(begin / element, (end - 1) / element) << "what is inside one element is contiguous";
      }
    }
  }
  EXPECT_GT(messages, 1000);
}

/// A message of a matrix, with gaps between rows on both sides and memories at odd addresses. `transposed`: rows of the
/// source are columns of the target.
void expect_copies(Draw& draw, bool transposed, std::int64_t element) {
  const Dimension slow = random_dimension(draw, 300);
  const Dimension fast = random_dimension(draw, 300);
  const auto bytes = static_cast<std::int64_t>(slow.from.size() * fast.from.size()) * element;
  if (bytes == 0) return;
  const std::int64_t from_row = fast.from_extent * element + draw.between(0, 20);
  const std::int64_t to_row = (transposed ? slow : fast).to_extent * element + draw.between(0, 20);
  const std::int64_t from_at = draw.between(0, 7);
  const std::int64_t to_at = draw.between(0, 7);
  std::vector<std::byte> source(static_cast<std::size_t>(from_at + slow.from_extent * from_row));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
  std::vector<std::byte> target(static_cast<std::size_t>(to_at + (transposed ? fast : slow).to_extent * to_row),
                                std::byte{0xcc});
  const std::vector<std::byte> empty = target;

  const std::int64_t begin = draw.between(0, bytes - 1);
  const std::int64_t end = draw.between(begin + 1, bytes);
  std::vector<std::byte> message(static_cast<std::size_t>(end - begin));
  std::vector<std::byte> expected = target;
  for (std::int64_t b = begin; b < end; ++b) {
    const auto row = static_cast<std::size_t>(b / element) / fast.from.size();
    const auto column = static_cast<std::size_t>(b / element) % fast.from.size();
    const std::int64_t to = transposed ? fast.to[column] * to_row + slow.to[row] * element
                                       : slow.to[row] * to_row + fast.to[column] * element;
    const std::byte value = source[static_cast<std::size_t>(from_at + slow.from[row] * from_row +
                                                            fast.from[column] * element + b % element)];
    message[static_cast<std::size_t>(b - begin)] = value;
    expected[static_cast<std::size_t>(to_at + to + b % element)] = value;
  }

  const CopyAxis one = scaled(one_position(), element);
  const auto copied = [&](CopyKind kind) {
    CopyAxis rows = copy_axis(slow.runs, kind);
    CopyAxis columns = copy_axis(fast.runs, kind);
    const std::int64_t dense = columns.count * element;
    const std::int64_t from_step = kind == CopyKind::kUnpack ? dense : from_row;
    const std::int64_t to_step = kind == CopyKind::kPack ? dense : transposed ? element : to_row;
    BoxCopy box;
    box.push({&rows, from_step, to_step});
    if (transposed && kind != CopyKind::kPack) {
      box.push({&columns, element, to_row});
      box.push({&one, 1, 1});
    } else {
      columns = scaled(columns, element);
      box.push({&columns, 1, 1});
    }
    const bool unpack = kind == CopyKind::kUnpack;
    std::vector<std::byte> result = kind == CopyKind::kPack ? std::vector<std::byte>(message.size()) : empty;
    box.copy(begin, end, unpack ? message.data() : source.data() + from_at, unpack ? begin : 0,
             result.data() + (kind == CopyKind::kPack ? 0 : to_at), kind == CopyKind::kPack ? begin : 0);
    return result;
  };
  ASSERT_EQ(testing::difference(copied(CopyKind::kPack), message), "");
  ASSERT_EQ(testing::difference(copied(CopyKind::kUnpack), expected), "");
  ASSERT_EQ(testing::difference(copied(CopyKind::kMove), expected), "");

  // And back: the message from the receiver's part, where every element of it has come.
  CopyAxis rows = copy_axis(slow.runs, CopyKind::kPassOn);
  CopyAxis columns = copy_axis(fast.runs, CopyKind::kPassOn);
  BoxCopy box;
  box.push({&rows, transposed ? element : to_row, columns.count * element});
  if (transposed) {
    box.push({&columns, to_row, element});
    box.push({&one, 1, 1});
  } else {
    columns = scaled(columns, element);
    box.push({&columns, 1, 1});
  }
  std::vector<std::byte> again(message.size());
  box.copy(begin, end, expected.data() + to_at, 0, again.data(), begin);
  ASSERT_EQ(testing::difference(again, message), "");
}

/// Whole messages that are written down as tables of pieces, and ranges that begin and end within one.
TEST(BoxCopy, ArraysOfTinyBlocks) {
  Draw draw(29);
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {40, 21, 19}, {70, 40, 33}, {9, 60, 60}, {30, 12, 10, 9}, {12, 8, 8, 6, 5}, {6, 5, 40, 3, 2}}) {
    for (int round = 0; round < 30; ++round) {
      const std::int64_t element = draw.one_of<std::int64_t>({1, 2, 4, 8, 16, 20});
      std::vector<CopyAxis> axes;
      std::vector<std::vector<std::int64_t>> from_places, to_places;
      std::vector<std::int64_t> from_extents, to_extents;
      for (const std::int64_t extent : shape) {
        const Axis from{extent, draw.between(1, 2), draw.between(1, 4), 0};
        const Axis to{extent, draw.between(1, 2), draw.between(1, 5), 0};
        const AxisPattern pattern(from, to, 0, 0, extent);
        axes.push_back(copy_axis(pattern.runs(Coordinate(0), Coordinate(0)), CopyKind::kMove));
        std::vector<std::int64_t>& in_source = from_places.emplace_back();
        std::vector<std::int64_t>& in_target = to_places.emplace_back();
        for (std::int64_t i = 0; i < extent; ++i) {
          const GlobalIndex at(i);
          if (from.owner(at) != Coordinate(0) || to.owner(at) != Coordinate(0)) continue;
          in_source.push_back(from.local(at).value);
          in_target.push_back(to.local(at).value);
        }
        from_extents.push_back(from.local_extent(Coordinate(0)));
        to_extents.push_back(to.local_extent(Coordinate(0)));
      }
      axes.back() = scaled(axes.back(), element);
      std::vector<std::int64_t> from{0}, to{0};
      for (std::size_t d = 0; d < shape.size(); ++d) {
        std::vector<std::int64_t> longer_from, longer_to;
        for (std::size_t i = 0; i < from.size(); ++i) {
          for (std::size_t k = 0; k < from_places[d].size(); ++k) {
            longer_from.push_back(from[i] * from_extents[d] + from_places[d][k]);
            longer_to.push_back(to[i] * to_extents[d] + to_places[d][k]);
          }
        }
        from = std::move(longer_from);
        to = std::move(longer_to);
      }
      BoxCopy box;
      for (std::size_t l = 0; l < shape.size(); ++l) {
        std::int64_t from_step = element, to_step = element;
        for (std::size_t inner = l + 1; inner < shape.size(); ++inner) {
          from_step *= from_extents[inner];
          to_step *= to_extents[inner];
        }
        const bool last = l + 1 == shape.size();
        box.push({&axes[l], last ? 1 : from_step, last ? 1 : to_step});
      }
      const auto bytes_of = [&](const std::vector<std::int64_t>& extents) {
        return static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(), element, std::multiplies<>()));
      };
      std::vector<std::byte> source(bytes_of(from_extents));
      for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>(i * 7 + i / 256);
      const std::int64_t bytes = box.bytes();
      ASSERT_EQ(bytes, static_cast<std::int64_t>(from.size()) * element);
      const std::int64_t begin = round == 0 ? 0 : draw.between(0, bytes / 3);
      const std::int64_t end = round == 0 ? bytes : draw.between(begin, bytes);
      std::vector<std::byte> target(bytes_of(to_extents), std::byte{0xcc});
      std::vector<std::byte> expected = target;
      for (std::int64_t b = begin; b < end; ++b) {
        const auto i = static_cast<std::size_t>(b / element);
        expected[static_cast<std::size_t>(to[i] * element + b % element)] =
            source[static_cast<std::size_t>(from[i] * element + b % element)];
      }
      box.copy(begin, end, source.data(), 0, target.data(), 0);
      ASSERT_EQ(testing::difference(target, expected), "") << shape.size() << " dimensions, round " << round;
    }
  }
}

TEST(BoxCopy, MatricesOfTinyBlocksTransposedOrNot) {
  Draw draw(23);
  for (const std::int64_t element : {1, 2, 3, 4, 8, 12, 16, 24, 32, 40, 80}) {
    for (int round = 0; round < 40; ++round) {
      SCOPED_TRACE(::testing::Message() << "element of " << element << " bytes, round " << round);
      expect_copies(draw, round % 2 == 0, element);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(BoxCopy, RunsThatFollowEachOtherBecomeOne) {
  // The same layout on both sides: all a process has, in one run, whatever the number of blocks.
  const AxisPattern same({1000003, 3, 7, 0}, {1000003, 3, 7, 0}, 0, 0, 1000003);
  const CopyAxis own = copy_axis(same.runs(Coordinate(1), Coordinate(1)), CopyKind::kMove);
  EXPECT_TRUE(own.contiguous());
  EXPECT_EQ(own.runs.size(), 1U);
  EXPECT_EQ(own.count, Axis({1000003, 3, 7, 0}).local_extent(Coordinate(1)));
}

TEST(BoxCopy, DescriptionsDoNotGrowWithTheArray) {
  const AxisPattern small({10000, 4, 3, 0}, {10000, 5, 2, 0}, 0, 0, 10000);
  const std::int64_t huge = std::int64_t{1} << 60;
  const AxisPattern large({huge, 4, 3, 0}, {huge, 5, 2, 0}, 0, 0, huge);
  const CopyAxis a = copy_axis(small.runs(Coordinate(1), Coordinate(2)), CopyKind::kPack);
  const CopyAxis b = copy_axis(large.runs(Coordinate(1), Coordinate(2)), CopyKind::kPack);
  EXPECT_EQ(a.runs.size(), b.runs.size());
}

TEST(BoxCopy, FarInsideAMessageBeyondInt) {
  // 2^40 elements of 8 bytes per process, only a window of them in memory: the pieces of a message of many gigabytes.
  const std::int64_t extent = std::int64_t{1} << 42;
  const AxisPattern pattern({extent, 4, 3, 0}, {extent, 5, 2, 0}, 0, 0, extent);
  const Coordinate p(1);
  const Coordinate q(2);
  const IndexRuns runs = pattern.runs(p, q);
  const CopyAxis pack = scaled(copy_axis(runs, CopyKind::kPack), 8);
  BoxCopy box;
  box.push({&pack, 1, 1});
  ASSERT_GT(box.bytes(), std::int64_t{1} << 40);
  for (const std::int64_t from_element :
       {std::int64_t{0}, (std::int64_t{1} << 31) / 8 - 2, (std::int64_t{1} << 32) + 5, box.bytes() / 8 - 100}) {
    constexpr std::int64_t kElements = 100;
    // Where they are, one by one: count positions of whole periods, then walk.
    std::vector<std::int64_t> global;
    const std::int64_t period = 60;  // lcm(4 * 3, 5 * 2)
    std::vector<std::int64_t> in_period;
    for (std::int64_t g = 0; g < period; ++g) {
      if (g / 3 % 4 == p.value && g / 2 % 5 == q.value) in_period.push_back(g);
    }
    const auto each = static_cast<std::int64_t>(in_period.size());
    for (std::int64_t k = from_element; k < from_element + kElements; ++k) {
      global.push_back(k / each * period + in_period[static_cast<std::size_t>(k % each)]);
    }
    const auto local = [](std::int64_t g) { return g / 12 * 3 + g % 3; };
    const std::int64_t window = local(global.front());
    std::vector<std::int64_t> memory(static_cast<std::size_t>(local(global.back()) - window + 1));
    std::iota(memory.begin(), memory.end(), window);
    std::vector<std::int64_t> buffer(kElements);
    box.copy(from_element * 8, (from_element + kElements) * 8, reinterpret_cast<const std::byte*>(memory.data()),
             window * 8, reinterpret_cast<std::byte*>(buffer.data()), from_element * 8);
    for (std::size_t i = 0; i < buffer.size(); ++i) {
      ASSERT_EQ(buffer[i], local(global[i])) << "element " << from_element + static_cast<std::int64_t>(i);
    }
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
