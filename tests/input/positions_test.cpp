#include "input/positions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sluice/input/redistribution_problem.hpp"

namespace sluice::detail {
namespace {

std::int64_t between(std::mt19937_64& generator, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(high - low + 1));
}

Axis random_axis(std::mt19937_64& generator, std::int64_t extent, std::int64_t most_processes) {
  const std::int64_t processes = between(generator, 1, most_processes);
  return {extent, processes, between(generator, 1, 6), between(generator, 0, processes - 1)};
}

TEST(Positions, AgreeWithDealingOutTheBlocks) {
  std::mt19937_64 generator(5);
  for (int round = 0; round < 3000; ++round) {
    const std::int64_t extent = between(generator, 0, 70);
    const std::int64_t from_start = between(generator, 0, 30);
    const std::int64_t to_start = between(generator, 0, 30);
    const Axis from = random_axis(generator, extent + from_start + between(generator, 0, 5), 4);
    const Axis to = random_axis(generator, extent + to_start + between(generator, 0, 5), 4);
    const AxisPattern pattern(from, to, from_start, to_start, extent);
    const Coordinate p(between(generator, 0, from.processes - 1));
    const Coordinate q(between(generator, 0, to.processes - 1));
    std::vector<std::int64_t> expected;
    for (std::int64_t i = 0; i < extent; ++i) {
      if (from.owner(GlobalIndex(i + from_start)) == p && to.owner(GlobalIndex(i + to_start)) == q)
        expected.push_back(i);
    }
    const Positions positions(pattern.runs(p, q));
    ASSERT_EQ(positions.count(), static_cast<std::int64_t>(expected.size()));
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_EQ(positions.at(static_cast<std::int64_t>(k)), expected[k]);
    std::uint64_t sum = 0;
    for (std::int64_t x = -20; x < extent + 20; ++x) {
      const auto below = static_cast<std::int64_t>(std::ranges::lower_bound(expected, x) - expected.begin());
      ASSERT_EQ(positions.below(x), below) << x;
      sum += static_cast<std::uint64_t>(below);
      ASSERT_EQ(positions.sum_below(-20, x + 1), sum) << x;
    }
  }
}

/// The elements of each message of a part, one by one.
TEST(Positions, CountsOfPartsOfEveryMessage) {
  std::mt19937_64 generator(6);
  for (int round = 0; round < 400; ++round) {
    const std::int64_t rows = between(generator, 0, 25);
    const std::int64_t columns = between(generator, 0, 25);
    const std::vector<std::int64_t> shape{rows + 3, columns + 2};
    const auto axis = [&] {
      const std::int64_t processes = between(generator, 1, 3);
      return Axis{0, processes, between(generator, 1, 5), between(generator, 0, processes - 1)};
    };
    const auto distribution = [&] {
      const Axis a = axis(), b = axis();
      return Distribution({{a.processes, b.processes}, {a.block, b.block}}, shape,
                          std::vector<std::int64_t>{a.first_process, b.first_process});
    };
    const Distribution from = distribution();
    const Distribution to = distribution();
    const std::vector<std::int64_t> from_start{between(generator, 0, 3), between(generator, 0, 2)};
    const std::vector<std::int64_t> to_start{between(generator, 0, 3), between(generator, 0, 2)};
    const RedistributionProblem box(from, to, from_start, to_start, std::vector<std::int64_t>{rows, columns});
    for (const MatrixPart part : {MatrixPart::kUpper, MatrixPart::kLower}) {
      for (const bool unit : {false, true}) {
        const RedistributionProblem problem = box.with_part(part, unit);
        std::vector<std::vector<std::int64_t>> expected(
            static_cast<std::size_t>(from.processes()),
            std::vector<std::int64_t>(static_cast<std::size_t>(to.processes()), 0));
        std::int64_t size = 0;
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < columns; ++j) {
            const bool in = part == MatrixPart::kUpper ? i <= j + std::max<std::int64_t>(0, rows - columns) - unit
                                                       : i >= j - std::max<std::int64_t>(0, columns - rows) + unit;
            if (!in) continue;
            const std::vector<Coordinate> p{from.axis(0).owner(GlobalIndex(i + from_start[0])),
                                            from.axis(1).owner(GlobalIndex(j + from_start[1]))};
            const std::vector<Coordinate> q{to.axis(0).owner(GlobalIndex(i + to_start[0])),
                                            to.axis(1).owner(GlobalIndex(j + to_start[1]))};
            ++expected[static_cast<std::size_t>(from.rank(p).value)][static_cast<std::size_t>(to.rank(q).value)];
            ++size;
          }
        }
        ASSERT_EQ(problem.size(), size);
        for (std::int64_t p = 0; p < from.processes(); ++p) {
          for (std::int64_t q = 0; q < to.processes(); ++q)
            ASSERT_EQ(problem.count(Rank(p), Rank(q)),
                      expected[static_cast<std::size_t>(p)][static_cast<std::size_t>(q)]);
        }
        std::int64_t sent = 0;
        for (const Message& message : problem.traffic().messages) {
          EXPECT_GT(message.size, 0);
          sent += message.size;
        }
        EXPECT_EQ(sent, size);
      }
    }
    EXPECT_EQ(box.with_part(MatrixPart::kUpper).plain().size(), rows * columns);
  }
}

TEST(Positions, CountsOfHugeMatrices) {
  // 10^9 x 10^9 elements, worked out without looking at 10^9 of anything: the upper part and what is below it.
  const std::int64_t n = 1'000'000'000;
  const std::vector<std::int64_t> shape{n, n};
  const Distribution from({{4, 2}, {64'000, 64'000}}, shape);
  const Distribution to({{2, 4}, {100'000, 100'000}}, shape);
  const RedistributionProblem box(from, to);
  const RedistributionProblem upper = box.with_part(MatrixPart::kUpper);
  const RedistributionProblem lower = box.with_part(MatrixPart::kLower, /*unit_diagonal=*/true);
  EXPECT_EQ(upper.size(), n / 2 * (n + 1));
  EXPECT_EQ(lower.size(), n / 2 * (n - 1));
  for (std::int64_t p = 0; p < 8; ++p) {
    for (std::int64_t q = 0; q < 8; ++q)
      EXPECT_EQ(upper.count(Rank(p), Rank(q)) + lower.count(Rank(p), Rank(q)), box.count(Rank(p), Rank(q)));
  }
}

}  // namespace
}  // namespace sluice::detail
