#include "sluice/run/mpi/redistribution_batch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/redistribution.hpp"

namespace sluice::mpi {
namespace {

using testing::add_gaps;
using testing::any_rank_failed;
using testing::Arrays;
using testing::Case;
using testing::difference;
using testing::Draw;
using testing::make_arrays;
using testing::processes_of;
using testing::random_case;
using testing::random_irregular;
using testing::random_part;
using testing::rank;
using testing::size;

struct Batch {
  std::vector<Case> cases;
  RedistributionJobOptions options;
};

std::vector<RedistributionArray> arrays_of(const Batch& batch) {
  std::vector<RedistributionArray> result;
  for (const Case& c : batch.cases) result.push_back({c.shape, c.from, c.to, c.element_size, c.options});
  return result;
}

std::string to_text(const Batch& batch) {
  std::string text = "algorithm=" + batch.options.algorithm;
  for (const Case& c : batch.cases) text += "\n  " + testing::to_text(c);
  return text;
}

/// The memory of all arrays of this rank, with other contents for each.
struct Contents {
  Contents(const Batch& batch, std::uint64_t salt) {
    for (std::size_t a = 0; a < batch.cases.size(); ++a)
      arrays.push_back(make_arrays(batch.cases[a], rank(), salt * 100 + a));
    for (Arrays& each : arrays) {
      sources.push_back(each.source.data());
      targets.push_back(each.target.data());
    }
  }
  /// What is wrong with any of the targets, or "".
  [[nodiscard]] std::string difference() const {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      const std::string wrong = testing::difference(arrays[a].target, arrays[a].expected);
      if (!wrong.empty()) return "array " + std::to_string(a) + ": " + wrong;
    }
    return "";
  }

  std::vector<Arrays> arrays;
  std::vector<const void*> sources;
  std::vector<void*> targets;
};

/// Executes a job several times, with other contents each time, and compares every byte; what carried it out.
std::string check_every_byte(const Batch& batch, int executions = 2) {
  RedistributionBatch job(MPI_COMM_WORLD, arrays_of(batch), batch.options);
  EXPECT_EQ(job.arrays(), batch.cases.size());
  for (int e = 0; e < executions; ++e) {
    Contents contents(batch, static_cast<std::uint64_t>(e));
    for (std::size_t a = 0; a < batch.cases.size(); ++a) {
      const std::int64_t bytes = batch.cases[a].element_size;
      EXPECT_EQ(job.source_extent(a) * bytes, std::ssize(contents.arrays[a].source)) << to_text(batch);
      EXPECT_EQ(job.target_extent(a) * bytes, std::ssize(contents.arrays[a].target)) << to_text(batch);
    }
    if (e % 2 == 0) {
      job.execute(contents.sources, contents.targets);
    } else {
      // The lists of pointers are not used after the call.
      job.start(std::vector<const void*>(contents.sources), std::vector<void*>(contents.targets));
      while (!job.test()) continue;
    }
    EXPECT_EQ(contents.difference(), "") << to_text(batch);
  }
  return job.explanation();
}

/// 1 to 5 arrays of 1 to 3 dimensions, of any of the kinds that a single one may be.
Batch random_batch(Draw& draw) {
  Batch batch;
  const std::int64_t arrays = draw.between(1, 5);
  for (std::int64_t a = 0; a < arrays; ++a) {
    Case c = draw.chance(6)   ? random_irregular(draw, size())
             : draw.chance(6) ? random_part(draw, size())
                              : random_case(draw, size(), draw.between(1, 3));
    if (draw.chance(8)) c.shape[0] = 0, c.options.extent.clear(), c.options.from_start.clear();
    if (c.shape[0] == 0) {
      if (c.from.has_cuts() || c.to.has_cuts()) c = random_case(draw, size(), 1);
      c.options.to_start.clear();
      c.options.to_shape.clear();
      c.options.from_start.clear();
      c.options.extent.clear();
    }
    batch.cases.push_back(std::move(c));
  }
  const RedistributionOptions& o = batch.cases.front().options;
  batch.options = o;
  batch.options.algorithm = draw.one_of<std::string>({"auto", "auto", "stepwise", "greedy", "oggp", "ggp"});
  return batch;
}

TEST(RedistributionBatch, RandomArrays) {
  Draw draw(20260101);
  for (int i = 0; i < 60 && !any_rank_failed(); ++i) {
    Batch batch = random_batch(draw);
    Draw own(static_cast<std::uint64_t>(i * size() + rank()));
    for (Case& c : batch.cases)
      if (own.chance(2)) add_gaps(c, rank(), own);
    check_every_byte(batch);
  }
}

/// Arrays of the same layouts: the plan of one serves.
TEST(RedistributionBatch, ArraysThatAreAlike) {
  Draw draw(20260102);
  for (int i = 0; i < 40 && !any_rank_failed(); ++i) {
    const Case first = draw.chance(4) ? random_part(draw, size()) : random_case(draw, size(), draw.between(1, 3));
    Batch batch{{first}, first.options};
    const std::int64_t arrays = draw.between(2, 5);
    for (std::int64_t a = 1; a < arrays; ++a) {
      Case& next = batch.cases.emplace_back(first);
      next.element_size = draw.one_of<std::int64_t>({1, 3, 8, 16});
      next.options.order = draw.chance(2) ? StorageOrder::kRowMajor : StorageOrder::kColumnMajor;
    }
    EXPECT_NE(check_every_byte(batch).find("arrays as one"), std::string::npos) << to_text(batch);
    const Redistribution one(MPI_COMM_WORLD, first.shape, first.from, first.to, first.element_size, first.options);
    const RedistributionBatch all(MPI_COMM_WORLD, arrays_of(batch), batch.options);
    if (first.options.algorithm != "auto") {
      EXPECT_EQ(all.steps(), one.plan().steps());
    }
  }
}

/// One message between two ranks, however many arrays; among them whole slices of different numbers.
TEST(RedistributionBatch, MergesMessages) {
  Batch batch;
  const std::int64_t p = size();
  for (const std::int64_t slices : {1, 5, 2}) batch.cases.push_back({{p * 6 * slices}, {{p}, {2}}, {{p}, {3}}, 8, {}});
  EXPECT_NE(check_every_byte(batch).find("3 arrays as one"), std::string::npos);
  const RedistributionBatch as_one(MPI_COMM_WORLD, arrays_of(batch));
  EXPECT_LE(as_one.sent_messages(), static_cast<std::size_t>(size() - 1));
  batch.cases.push_back({{p * 6 + 1}, {{p}, {1}}, {{p}, {7}}, 4, {}});
  batch.cases.push_back({{p, 7}, {{1, p}, {1, 1}}, {{p, 1}, {1, 7}}, 2, {}});
  EXPECT_NE(check_every_byte(batch).find("5 arrays, "), std::string::npos);
  const RedistributionBatch merged(MPI_COMM_WORLD, arrays_of(batch));
  EXPECT_LE(merged.sent_messages(), static_cast<std::size_t>(size() - 1));
}

/// Ten executions, as MPI's own collective is tried in some of them.
TEST(RedistributionBatch, DecidesBetweenThePlanAndTheCollective) {
  Batch batch;
  for (const std::int64_t block : {1, 3, 64})
    batch.cases.push_back({{2000}, {{size()}, {block}}, {{size()}, {block + 1}}, 8, {}});
  (void)check_every_byte(batch, 11);
}

/// Grids among some of the ranks, others for each array.
TEST(RedistributionBatch, Groups) {
  Batch batch;
  for (int a = 0; a < 4; ++a) {
    Case c{{300 + a}, {{1 + a % size()}, {7}}, {{1 + (a + 1) % size()}, {5}}, 8, {}};
    for (std::int64_t i = 0; i < c.from.grid[0]; ++i)
      c.options.from_ranks.push_back(static_cast<int>((i + a) % size()));
    for (std::int64_t i = 0; i < c.to.grid[0]; ++i)
      c.options.to_ranks.push_back(static_cast<int>((i + 2 * a) % size()));
    batch.cases.push_back(std::move(c));
  }
  for (const ExchangeMode mode : {ExchangeMode::kAuto, ExchangeMode::kLocal, ExchangeMode::kChain}) {
    batch.options.mode = mode;
    (void)check_every_byte(batch);
  }
}

/// Roles for all arrays at once: one permutation, which keeps the most bytes, and every byte arrives.
TEST(RedistributionBatch, Relabels) {
  Draw draw(20260103);
  for (int i = 0; i < 30 && !any_rank_failed(); ++i) {
    Batch batch = random_batch(draw);
    for (Case& c : batch.cases) c.options.to_ranks.clear();
    batch.options.relabel = true;
    RedistributionBatch job(MPI_COMM_WORLD, arrays_of(batch), batch.options);
    std::vector<int> longest;
    for (std::size_t a = 0; a < batch.cases.size(); ++a) {
      batch.cases[a].options.to_ranks = job.to_ranks(a);
      if (job.to_ranks(a).size() > longest.size()) longest = job.to_ranks(a);
    }
    for (std::size_t a = 0; a < batch.cases.size(); ++a) {
      const std::vector<int> own = job.to_ranks(a);
      EXPECT_TRUE(std::equal(own.begin(), own.end(), longest.begin())) << to_text(batch);
    }
    for (int e = 0; e < 2; ++e) {
      Contents contents(batch, static_cast<std::uint64_t>(e));
      job.execute(contents.sources, contents.targets);
      EXPECT_EQ(contents.difference(), "") << to_text(batch);
    }
  }
  // A shift that two arrays of three have: nothing of them moves.
  Batch shifted;
  for (int a = 0; a < 2; ++a) {
    Case c{{size() * 10 * (a + 1)}, {{size()}, {5}}, {{size()}, {5}}, 8, {}};
    c.options.to_first = {(size() + 1) / 2 % size()};
    shifted.cases.push_back(std::move(c));
  }
  shifted.options.relabel = true;
  const RedistributionBatch still(MPI_COMM_WORLD, arrays_of(shifted), shifted.options);
  EXPECT_EQ(still.sent_messages(), 0U);
  EXPECT_EQ(still.steps(), 0);
  shifted.cases.push_back({{size()}, {{size()}, {1}}, {{size()}, {1}}, 1, {}});  // too small to count
  const RedistributionBatch most(MPI_COMM_WORLD, arrays_of(shifted), shifted.options);
  EXPECT_EQ(most.to_ranks(0), still.to_ranks(0));
  EXPECT_EQ(most.to_ranks(2), still.to_ranks(0));
  EXPECT_THROW((void)most.to_ranks(3), InputError);
}

TEST(RedistributionBatch, RelabelsAmongTheRanksThatAreGiven) {
  const auto last = static_cast<int>(size()) - 1;
  Batch batch;
  for (int a = 0; a < 2; ++a) {
    batch.cases.push_back({{100}, {{size()}, {4}}, {{1}, {100}}, 8, {}});
    batch.cases.back().options.to_ranks = {last};
  }
  batch.options.relabel = true;
  EXPECT_EQ(RedistributionBatch(MPI_COMM_WORLD, arrays_of(batch), batch.options).to_ranks(1), std::vector<int>{last});
  batch.cases[1].options.to_ranks.clear();
  EXPECT_THROW(RedistributionBatch(MPI_COMM_WORLD, arrays_of(batch), batch.options), InputError);
}

TEST(RedistributionBatch, CombinesEachArrayInItsWay) {
  const Case one{{500}, {{size()}, {3}}, {{size()}, {11}}, 8, {}};
  std::vector<RedistributionArray> arrays;
  for (int a = 0; a < 2; ++a) {
    arrays.push_back({one.shape, one.from, one.to, 8, {}});
    arrays.back().options.combine = scale_and_add(a == 0 ? 2.0 : -1.0, 1.0);
  }
  RedistributionBatch job(MPI_COMM_WORLD, arrays);
  std::vector<double> x(static_cast<std::size_t>(job.source_elements(0)), 3.0);
  std::vector<double> y(static_cast<std::size_t>(job.target_elements(0)), 10.0), z(y);
  const std::vector<const void*> sources{x.data(), x.data()};
  const std::vector<void*> targets{y.data(), z.data()};
  job.execute(sources, targets);
  for (const double each : y) EXPECT_EQ(each, 16.0);
  for (const double each : z) EXPECT_EQ(each, 7.0);
  arrays[1].element_size = 16;
  EXPECT_THROW(RedistributionBatch(MPI_COMM_WORLD, arrays), InputError);
}

TEST(RedistributionBatch, RefusesWhatMakesNoSense) {
  const Layout from{{size()}, {5}}, to{{size()}, {3}};
  const std::vector<RedistributionArray> good{{{100}, from, to, 8, {}}, {{50}, to, from, 4, {}}};
  const auto refuses = [&](auto&& spoil) {
    std::vector<RedistributionArray> arrays = good;
    RedistributionJobOptions options;
    spoil(arrays, options);
    EXPECT_THROW(RedistributionBatch(MPI_COMM_WORLD, arrays, options), InputError);
  };
  refuses([](auto& arrays, auto&) { arrays.clear(); });
  refuses([](auto& arrays, auto&) { arrays[1].element_size = 0; });
  refuses([](auto& arrays, auto&) { arrays[1].from.grid[0] = size() + 1; });
  refuses([](auto& arrays, auto&) { arrays[1].shape = {10, 10}; });
  refuses([](auto& arrays, auto&) { arrays[0].options.to_ranks = {size()}; });
  refuses([](auto&, auto& options) { options.algorithm = "caterpillar"; });
  refuses([](auto&, auto& options) { options.algorithm = "none of them"; });
  refuses([](auto&, auto& options) { options.chunk_bytes = -1; });
  // Each of them fits, both together do not.
  refuses([](auto& arrays, auto&) {
    for (RedistributionArray& array : arrays) array.shape = {std::numeric_limits<std::int64_t>::max() / 8};
    arrays[1].element_size = 8;
  });
  try {
    std::vector<RedistributionArray> bad = good;
    bad[1].element_size = -3;
    const RedistributionBatch job(MPI_COMM_WORLD, bad);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("array 1: element_size: -3"), std::string::npos) << error.what();
  }
  RedistributionBatch few(MPI_COMM_WORLD, good);
  EXPECT_THROW((void)few.source_elements(2), InputError);
  const std::vector<const void*> one_source(1);
  const std::vector<void*> two_targets(2);
  EXPECT_THROW(few.execute(one_source, two_targets), InputError);
  if (size() == 1) return;
  // All ranks hear of one that has another number of arrays, or other ones.
  refuses([](auto& arrays, auto&) {
    if (rank() == 1) arrays.pop_back();
  });
  refuses([](auto& arrays, auto&) { arrays[1].shape[0] += rank() == 0 ? 1 : 0; });
  // And none is left waiting where one gives a null pointer for one of the arrays.
  RedistributionBatch job(MPI_COMM_WORLD, good);
  Contents contents({{{{100}, from, to, 8, {}}, {{50}, to, from, 4, {}}}, {}}, 0);
  if (rank() == 0) contents.targets[1] = nullptr;
  try {
    job.execute(contents.sources, contents.targets);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), "targets[1]");
    EXPECT_NE(error.found().find("a null pointer"), std::string::npos);
  }
}

}  // namespace
}  // namespace sluice::mpi
