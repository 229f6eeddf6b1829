#include "sluice/input/cuts.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "input/random_cuts.hpp"
#include "sluice/error.hpp"
#include "sluice/input/redistribution_problem.hpp"

namespace sluice {
namespace {

using Indices = std::vector<std::int64_t>;

class Drawing {
 public:
  explicit Drawing(std::uint64_t seed) : generator_(seed) {}
  std::int64_t operator()(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 generator_;
};

Layout random_layout(Drawing& draw, const Indices& shape, bool always_cut) {
  Layout layout;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    layout.grid.push_back(draw(1, 4));
    layout.block.push_back(draw(1, 9));
  }
  if (always_cut || draw(1, 2) == 1) testing::cut_at_random(draw, layout, shape);
  return layout;
}

std::string expected_error(const std::string& text) {
  try {
    (void)parse_layout(text, "--from");
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST(Axis, AgreesWithWalkingIrregularBlocks) {
  Drawing draw(7);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t extent = draw(0, 60), processes = draw(1, 6);
    Layout layout{{processes}, {1}, {testing::random_cuts(draw, extent, processes)}};
    const Distribution distribution(layout, Indices{extent});
    const Axis& axis = distribution.axis(0);
    std::map<std::int64_t, std::int64_t> held;
    for (std::int64_t g = 0; g < extent; ++g) {
      const std::int64_t owner = testing::owner_by_walking(layout, 0, g);
      ASSERT_EQ(axis.owner(GlobalIndex(g)), Coordinate(owner));
      ASSERT_EQ(axis.local(GlobalIndex(g)), LocalIndex(held[owner]));
      ASSERT_EQ(axis.global(Coordinate(owner), LocalIndex(held[owner])), GlobalIndex(g));
      ++held[owner];
    }
    std::int64_t most = 0;
    for (std::int64_t p = 0; p < processes; ++p) {
      ASSERT_EQ(axis.local_extent(Coordinate(p)), held[p]);
      most = std::max(most, held[p]);
    }
    EXPECT_EQ(axis.largest_local_extent(), most);
    EXPECT_EQ(distribution.largest_local_size(), most);
  }
}

/// Messages of random layouts in 1 to 3 dimensions, cut on one side or both, against every element: counts, and where
/// each element lies at the sender and at the receiver.
TEST(RedistributionProblem, OfIrregularBlocksIsWhatWalkingTheElementsGives) {
  Drawing draw(11);
  for (int round = 0; round < 400; ++round) {
    const auto dimensions = static_cast<std::size_t>(draw(1, 3));
    Indices shape, to_shape, from_start, to_start, extent;
    const bool boxed = draw(1, 3) == 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      shape.push_back(draw(draw(1, 15) == 1 ? 0 : 1, std::vector<std::int64_t>{150, 30, 11}[dimensions - 1]));
      to_shape.push_back(boxed ? draw(1, shape[d] + 5) : shape[d]);
      extent.push_back(boxed ? draw(0, std::min(shape[d], to_shape[d])) : shape[d]);
      from_start.push_back(draw(0, shape[d] - extent[d]));
      to_start.push_back(draw(0, to_shape[d] - extent[d]));
    }
    const bool from_cut = draw(1, 2) == 1;
    const Layout from = random_layout(draw, shape, from_cut), to = random_layout(draw, to_shape, !from_cut);
    SCOPED_TRACE(to_string(from) + " -> " + to_string(to));
    const RedistributionProblem problem(Distribution(from, shape), Distribution(to, to_shape), from_start, to_start,
                                        extent);
    EXPECT_EQ(problem.is_irregular(), from.has_cuts() || to.has_cuts());

    // In each dimension who has what where.
    struct Place {
      std::int64_t p, q, from, to;
    };
    std::vector<std::vector<Place>> places(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::map<std::int64_t, std::int64_t> at_from, at_to;
      std::vector<std::pair<std::int64_t, std::int64_t>> sources, targets;
      for (std::int64_t g = 0; g < shape[d]; ++g) {
        const std::int64_t owner = testing::owner_by_walking(from, d, g);
        sources.emplace_back(owner, at_from[owner]++);
      }
      for (std::int64_t g = 0; g < to_shape[d]; ++g) {
        const std::int64_t owner = testing::owner_by_walking(to, d, g);
        targets.emplace_back(owner, at_to[owner]++);
      }
      for (std::int64_t i = 0; i < extent[d]; ++i) {
        const auto& [p, from_place] = sources[static_cast<std::size_t>(from_start[d] + i)];
        const auto& [q, to_place] = targets[static_cast<std::size_t>(to_start[d] + i)];
        places[d].push_back({p, q, from_place, to_place});
      }
      for (std::int64_t p = 0; p < from.grid[d]; ++p) {
        for (std::int64_t q = 0; q < to.grid[d]; ++q) {
          std::vector<IndexRun> expected;
          for (std::size_t i = 0; i < places[d].size(); ++i)
            if (places[d][i].p == p && places[d][i].q == q)
              expected.push_back(
                  {static_cast<std::int64_t>(i), 1, LocalIndex(places[d][i].from), LocalIndex(places[d][i].to)});
          std::vector<IndexRun> found;
          const IndexRuns runs = problem.axis(d).runs(Coordinate(p), Coordinate(q));
          runs.for_each([&](const IndexRun& run) {
            for (std::int64_t i = 0; i < run.length; ++i)
              found.push_back({run.first + i, 1, LocalIndex(run.from.value + i), LocalIndex(run.to.value + i)});
          });
          ASSERT_EQ(found, expected);
          ASSERT_EQ(runs.count(), std::ssize(expected));
          ASSERT_EQ(problem.axis(d).count(Coordinate(p), Coordinate(q)), std::ssize(expected));
        }
      }
    }
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> counted{{{0, 0}, 1}};
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> next;
      for (const auto& [pair, count] : counted)
        for (const Place& place : places[d])
          next[{pair.first * from.grid[d] + place.p, pair.second * to.grid[d] + place.q}] += count;
      counted = std::move(next);
    }
    std::vector<Message> expected;
    for (const auto& [pair, count] : counted) expected.push_back({pair.first, pair.second, count});
    ASSERT_EQ(problem.traffic().messages, expected);
    ASSERT_EQ(count_messages(problem, 1 << 20), std::ssize(expected));
    std::vector<Message> received;
    for (std::int64_t q = 0; q < problem.to().processes(); ++q)
      for (const Message& message : problem.receives(Rank(q))) received.push_back(message);
    std::ranges::sort(received, {}, [](const Message& m) { return std::pair(m.from, m.to); });
    ASSERT_EQ(received, expected);
  }
}

TEST(RedistributionProblem, OfLongIrregularBlocksTakesNoElementByElement) {
  // 10^15 elements: walking them, or the cyclic side's blocks, would not end.
  const std::int64_t extent = 1'000'000'000'000'000;
  const Layout from{{2}, {1}, {{{0, 7, extent - 3, extent}, {}}}}, to{{3}, {2}};
  const RedistributionProblem problem(Distribution(from, Indices{extent}), Distribution(to, Indices{extent}));
  std::int64_t sum = 0;
  for (const Message& message : problem.traffic().messages) sum += message.size;
  EXPECT_EQ(sum, extent);
  for (std::int64_t q = 0; q < 3; ++q) {
    for (const Message& message : problem.receives(Rank(q))) {
      EXPECT_EQ(problem.count(Rank(message.from), Rank(q)), message.size);
      sum -= message.size;
    }
  }
  EXPECT_EQ(sum, 0);
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const Layout halves{{2}, {1}, {{{0, huge / 2, huge}, {1, 0}}}},
      thirds{{3}, {1}, {{{0, huge / 3, huge - 1, huge}, {}}}};
  const RedistributionProblem longest(Distribution(halves, Indices{huge}), Distribution(thirds, Indices{huge}));
  const std::vector<Message> expected{
      {0, 1, huge - 1 - huge / 2}, {0, 2, 1}, {1, 0, huge / 3}, {1, 1, huge / 2 - huge / 3}};
  EXPECT_EQ(longest.traffic().messages, expected);
}

TEST(RedistributionProblem, OfCutsHasTheirExtentUnlessShape) {
  const Layout cut = parse_layout("2x2:0,10,35x4", "from"), blocks = parse_layout("2x2:3x3", "to");
  const RedistributionProblem problem = one_slice(cut, blocks);
  EXPECT_EQ(problem.axis(0).extent(), 35);
  EXPECT_EQ(problem.axis(1).extent(), 24);
  EXPECT_EQ(one_slice(blocks, cut, /*transpose=*/false).size(), 35 * 24);
  EXPECT_EQ(one_slice(parse_layout("2x2:3x5", "from"), cut, /*transpose=*/true).axis(1).extent(), 35);
  EXPECT_THROW((void)one_slice(cut, parse_layout("2x1:0,36x3", "to")), InputError);
  EXPECT_THROW((void)make_problem(cut, blocks, {36, 24}, {"--from", "--to", "--shape"}), InputError);
}

TEST(Layout, OfCutsIsReadAndWrittenBack) {
  const Layout layout = parse_layout("4x2:0,10,35,1Ki@2,0,0x64", "from");
  EXPECT_EQ(layout, (Layout{{4, 2}, {1, 64}, {{{0, 10, 35, 1024}, {2, 0, 0}}, {}}}));
  EXPECT_EQ(to_string(layout), "4x2:0,10,35,1024@2,0,0x64");
  EXPECT_EQ(parse_layout("3:0,5", "from"), (Layout{{3}, {1}, {{{0, 5}, {}}}}));
  EXPECT_TRUE(parse_layout("4x2:3x3", "from").cuts.empty());
}

TEST(Layout, OfCutsMayBeInAFile) {
  const std::string path = ::testing::TempDir() + "sluice_cuts_layout.txt";
  std::ofstream(path) << "4 x 2 :\n  0, 10,\n 35, 100 @ 2,0,\t1 x 64\n";
  EXPECT_EQ(to_string(read_layout("@" + path, "--from")), "4x2:0,10,35,100@2,0,1x64");
  EXPECT_EQ(read_layout("16:3", "--from"), parse_layout("16:3", "--from"));
  std::ofstream(path) << "4:0, 10 35, 100\n";
  EXPECT_THROW((void)read_layout("@" + path, "--from"), InputError);
  std::filesystem::remove(path);
  EXPECT_THROW((void)read_layout("@" + path, "--from"), InputError);
}

TEST(Layout, RefusesCutsThatMakeNoSense) {
  EXPECT_EQ(expected_error("4:0,10,10,20"),
            "--from: a cut at 10 behind one at 10, expected cuts that rise, up to the extent");
  EXPECT_EQ(expected_error("4:0,10,9"),
            "--from: a cut at 9 behind one at 10, expected cuts that rise, up to the extent");
  EXPECT_EQ(expected_error("4:1,10"), "--from: a first cut at 1, expected 0");
  EXPECT_EQ(expected_error("4:0,10,20@0,4"), "--from: process 4 as the owner of a block, expected 0 to 3");
  EXPECT_EQ(expected_error("4:0,10,20@0"), "--from: 1 owners of 2 blocks, expected one per block");
  EXPECT_EQ(expected_error("4:3@0"), "--from: a first cut at 3, expected 0");
  EXPECT_EQ(expected_error("4x2:0,10,20"), "--from: 1 block size for a grid of 2 dimensions, expected as many");
  EXPECT_EQ(expected_error("4:0,10x0,20"), "--from: 2 block sizes for a grid of 1 dimension, expected as many");
  for (const char* text : {"4:0,,10", "4:0,-3,10", "4:0,10,", "4:0,10@", "4:0,10@0@0", "4:,", "4:0,10:3", "0:0,10"})
    EXPECT_NE(expected_error(text), "none") << text;
  // A long list is not repeated in the message.
  std::string many = "4:0";
  for (int i = 1; i < 100'000; ++i) many += "," + std::to_string(i);
  EXPECT_EQ(expected_error(many), "none");
  EXPECT_LT(expected_error(many + ",x3").size(), 200u);
  Cuts cuts;
  for (std::int64_t i = 0; i <= (std::int64_t{1} << 24) + 1; ++i) cuts.at.push_back(i);
  EXPECT_THROW(IrregularBlocks(std::move(cuts), 4, "cuts"), InputError);
}

TEST(Distribution, RefusesCutsThatDoNotFit) {
  const Layout cut{{2, 2}, {1, 3}, {{{0, 5, 9}, {}}, {}}};
  EXPECT_NO_THROW(Distribution(cut, Indices{9, 4}));
  EXPECT_NO_THROW(Distribution(cut, Indices{9, 4}, Indices{0, 1}));
  EXPECT_THROW(Distribution(cut, Indices{10, 4}), InputError);
  EXPECT_THROW(Distribution(cut, Indices{9, 4}, Indices{1, 0}), InputError);
  EXPECT_THROW(Distribution({{2, 2}, {2, 3}, {{{0, 5, 9}, {}}, {}}}, Indices{9, 4}), InputError);
  EXPECT_THROW(Distribution({{2, 2}, {1, 3}, {{{0, 5, 9}, {}}}}, Indices{9, 4}), InputError);
  EXPECT_NO_THROW(Distribution({{2}, {1}, {{{0}, {}}}}, Indices{0}));
}

}  // namespace
}  // namespace sluice
