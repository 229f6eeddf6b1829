// The methods that redistribution is compared with must give the same result, or a comparison means nothing.

#include <gtest/gtest.h>

#include "apps/compare/redistribution_methods.hpp"
#include "run/any_rank_failed.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"

namespace sluice::compare {
namespace {

namespace testing = mpi::testing;
using testing::any_rank_failed;
using testing::Arrays;
using testing::Case;
using testing::difference;
using testing::Draw;
using testing::make_arrays;
using testing::rank;
using testing::size;
using testing::to_text;

/// A method with what it stands on.
struct Made {
  Made(const std::string& name, const RedistributionJob& job)
      : part(comm, job), method(make_redistribution_method(name, part)) {}
  Made(const std::string& name, const Case& c)
      : Made(name, RedistributionJob{c.shape, c.from, c.to, c.element_size, c.options}) {}

  Communicator comm{MPI_COMM_WORLD};
  RedistributionPart part;
  std::unique_ptr<Method> method;
};

/// Executes twice, with other contents the second time, and compares with the expectation.
void check(const std::string& name, const Case& c) {
  const Made made(name, c);
  EXPECT_GE(made.method->held_bytes(), 0);
  for (std::uint64_t salt = 0; salt < 2; ++salt) {
    // What "memcpy" copies is what the first execution has moved.
    Arrays arrays = make_arrays(c, rank(), name == "memcpy" ? 0 : salt);
    made.method->execute(arrays.source.data(), arrays.target.data());
    ASSERT_EQ(difference(arrays.target, arrays.expected), "") << name << ": " << to_text(c);
  }
}

class EveryMethod : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryMethod, RandomProblems) {
  Draw draw(23);
  for (int i = 0; i < 20 && !any_rank_failed(); ++i) check(GetParam(), testing::random_case(draw, size()));
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod,
                         ::testing::Values("sluice", "sluice-stepwise", "caterpillar", "alltoallv", "alltoallw",
                                           "alltoallw-fresh", "all-at-once", "pairwise", "sluice-fresh", "memcpy"));

TEST(Method, UnknownName) {
  EXPECT_THROW(Made("fastest", RedistributionJob{{8}, {{1}, {1}}, {{1}, {1}}, 8, {}}), InputError);
}

TEST(Method, WholeMessagesBeyondIntAreRefused) {
  // 2^31 bytes from rank 0; buffers are allocated after the check.
  const RedistributionJob job{{std::int64_t{1} << 31}, {{1}, {1}}, {{1}, {1}}, 1, {}};
  EXPECT_THROW(Made("alltoallv", job), InputError);
  EXPECT_THROW(Made("all-at-once", job), InputError);
  EXPECT_THROW(Made("alltoallw", job), InputError);
}

/// A random matrix as pdgemr2d takes it.
Case random_matrix(Draw& draw, int ranks, bool sub_array) {
  Case c;
  mpi::RedistributionOptions& o = c.options;
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
  o.order = draw.chance(4) ? mpi::StorageOrder::kRowMajor : mpi::StorageOrder::kColumnMajor;
  o.algorithm = draw.one_of<std::string>({"auto", "stepwise", "greedy", "caterpillar"});
  return c;
}

void expect_same_bytes_as_scalapack(const Case& c) {
  Arrays ours = make_arrays(c, rank());
  Arrays theirs = ours;
  const Made made("sluice", c);
  made.method->execute(ours.source.data(), ours.target.data());
  make_pdgemr2d(made.part)->execute(theirs.source.data(), theirs.target.data());
  ASSERT_EQ(difference(ours.target, theirs.target), "") << to_text(c);
  ASSERT_EQ(difference(ours.target, ours.expected), "") << to_text(c);
}

/// Bit by bit what ScaLAPACK does, on its own terms: column-major matrices of doubles, sub-matrices, RSRC and CSRC. 200
/// of them on 4 ranks.
TEST(Pdgemr2d, TheSameBytes) {
  if (!has_pdgemr2d()) GTEST_SKIP() << "built without ScaLAPACK";
  Draw draw(1997);
  const int matrices = size() == 4 ? 200 : 30;
  for (int i = 0; i < matrices; ++i) {
    const Case c = random_matrix(draw, size(), i % 2 == 1);
    SCOPED_TRACE("matrix " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes_as_scalapack(c));
  }
}

/// Compares the bytes of triangles and trapezoids with the bytes that ScaLAPACK writes.
TEST(Pdtrmr2d, TheSameBytes) {
  if (!has_pdgemr2d()) GTEST_SKIP() << "built without ScaLAPACK";
  Draw draw(1998);
  const int matrices = size() == 4 ? 100 : 30;
  for (int i = 0; i < matrices; ++i) {
    Case c = random_matrix(draw, size(), i % 2 == 1);
    c.options.part = draw.chance(2) ? MatrixPart::kUpper : MatrixPart::kLower;
    c.options.unit_diagonal = draw.chance(2);
    SCOPED_TRACE("matrix " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(expect_same_bytes_as_scalapack(c));
    EXPECT_THROW(Made("alltoallw", c), InputError);
    EXPECT_THROW(Made("pdgemr2d", c), InputError);
  }
}

TEST(Pdgemr2d, MatricesOfEightByteElementsOnly) {
  if (!has_pdgemr2d()) GTEST_SKIP() << "built without ScaLAPACK";
  EXPECT_THROW(Made("pdgemr2d", RedistributionJob{{8}, {{1}, {1}}, {{1}, {1}}, 8, {}}), InputError);
  EXPECT_THROW(Made("pdgemr2d", RedistributionJob{{8, 8}, {{1, 1}, {1, 1}}, {{1, 1}, {1, 1}}, 4, {}}), InputError);
}

}  // namespace
}  // namespace sluice::compare
