// The methods that redistribution is compared with must do the same, or a comparison means nothing.

#include "run/mpi/compare/method.hpp"

#include <gtest/gtest.h>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

using testing::Arrays;
using testing::Case;
using testing::difference;
using testing::Draw;
using testing::make_arrays;
using testing::rank;
using testing::size;
using testing::to_text;

RedistributionJob job_of(const Case& c) { return {c.shape, c.from, c.to, c.element_size, c.options}; }

/// Executes twice and compares with the expectation.
void check(const std::string& name, const Case& c) {
  const auto method = make_method(name, MPI_COMM_WORLD, job_of(c));
  EXPECT_GE(method->held_bytes(), 0);
  for (std::uint64_t salt = 0; salt < 2; ++salt) {
    Arrays arrays = make_arrays(c, rank(), salt);
    method->execute(arrays.source.data(), arrays.target.data());
    ASSERT_EQ(difference(arrays.target, arrays.expected), "") << name << ": " << to_text(c);
  }
}

class EveryMethod : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMethod, RandomProblems) {
  Draw draw(23);
  for (int i = 0; i < 20 && !HasFailure(); ++i) check(GetParam(), testing::random_case(draw, size()));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         ::testing::Values("sluice", "sluice-stepwise", "caterpillar", "alltoallv", "alltoallw",
                                           "all-at-once"));

TEST(Method, UnknownName) {
  EXPECT_THROW((void)make_method("fastest", MPI_COMM_WORLD, {{8}, {{1}, {1}}, {{1}, {1}}, 8, {}}), InputError);
}

TEST(Method, WholeMessagesBeyondIntAreRefused) {
  // 2^31 bytes from rank 0; buffers are allocated after the check.
  const RedistributionJob job{{std::int64_t{1} << 31}, {{1}, {1}}, {{1}, {1}}, 1, {}};
  EXPECT_THROW((void)make_method("alltoallv", MPI_COMM_WORLD, job), InputError);
  EXPECT_THROW((void)make_method("all-at-once", MPI_COMM_WORLD, job), InputError);
  EXPECT_THROW((void)make_method("alltoallw", MPI_COMM_WORLD, job), InputError);
}

/// A random matrix as pdgemr2d takes it.
Case random_matrix(Draw& draw, int ranks, bool sub_array) {
  Case c;
  RedistributionOptions& o = c.options;
  c.from = testing::random_layout(draw, 2, ranks, 20);
  c.to = testing::random_layout(draw, 2, ranks, 20);
  for (std::size_t d = 0; d < 2; ++d) {
    c.shape.push_back(draw.between(1, 90));
    o.to_shape.push_back(sub_array ? draw.between(1, 90) : c.shape[d]);
    o.extent.push_back(sub_array ? draw.between(1, std::min(c.shape[d], o.to_shape[d])) : c.shape[d]);
    o.from_start.push_back(draw.between(0, c.shape[d] - o.extent[d]));
    o.to_start.push_back(draw.between(0, o.to_shape[d] - o.extent[d]));
    o.from_first.push_back(draw.between(0, c.from.grid[d] - 1));
    o.to_first.push_back(draw.between(0, c.to.grid[d] - 1));
  }
  if (draw.chance(2)) o.from_ranks = draw.ranks(c.from.grid[0] * c.from.grid[1], ranks);
  if (draw.chance(2)) o.to_ranks = draw.ranks(c.to.grid[0] * c.to.grid[1], ranks);
  o.order = draw.chance(4) ? StorageOrder::kRowMajor : StorageOrder::kColumnMajor;
  o.algorithm = draw.one_of<std::string>({"auto", "stepwise", "greedy", "caterpillar"});
  return c;
}

/// Bit by bit what ScaLAPACK does, on its own terms: column-major matrices of doubles, sub-matrices, RSRC and CSRC. 200
/// of them on 4 ranks.
TEST(Pdgemr2d, TheSameBytes) {
  if (!has_pdgemr2d()) GTEST_SKIP() << "built without ScaLAPACK";
  Draw draw(1997);
  const int matrices = size() == 4 ? 200 : 30;
  for (int i = 0; i < matrices; ++i) {
    const Case c = random_matrix(draw, size(), i % 2 == 1);
    Arrays ours = make_arrays(c, rank());
    Arrays theirs = ours;
    make_method("sluice", MPI_COMM_WORLD, job_of(c))->execute(ours.source.data(), ours.target.data());
    make_method("pdgemr2d", MPI_COMM_WORLD, job_of(c))->execute(theirs.source.data(), theirs.target.data());
    ASSERT_EQ(difference(ours.target, theirs.target), "") << "matrix " << i << ": " << to_text(c);
    ASSERT_EQ(difference(ours.target, ours.expected), "") << "matrix " << i << ": " << to_text(c);
  }
}

TEST(Pdgemr2d, MatricesOfEightByteElementsOnly) {
  if (!has_pdgemr2d()) GTEST_SKIP() << "built without ScaLAPACK";
  EXPECT_THROW((void)make_method("pdgemr2d", MPI_COMM_WORLD, {{8}, {{1}, {1}}, {{1}, {1}}, 8, {}}), InputError);
  EXPECT_THROW((void)make_method("pdgemr2d", MPI_COMM_WORLD, {{8, 8}, {{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}, 4, {}}),
               InputError);
}

}  // namespace
}  // namespace sluice::mpi::detail
