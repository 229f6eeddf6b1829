#include "sluice/run/mpi/reduction.hpp"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "run/exchange_testing.hpp"
#include "run/platform_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi {
namespace {

using testing::Draw;
using testing::rank;
using testing::rank_in;
using testing::size;
using testing::size_of;

// ---- 2 x 2 matrices modulo 2^64: they do not commute

using Matrix = std::array<std::uint64_t, 4>;

Matrix product(const Matrix& a, const Matrix& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
}

Matrix matrix_of(int owner, std::int64_t index, int round) {
  const auto x = static_cast<std::uint64_t>(owner + 2 + 10 * round);
  const auto y = static_cast<std::uint64_t>(index + 1);
  return {x, y, x * y + 1, 3 + x};
}

void multiply(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  auto* const a = static_cast<Matrix*>(in);
  auto* const b = static_cast<Matrix*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = product(a[i], b[i]);
}

/// The type and the operation, freed in the end.
class Matrices {
 public:
  Matrices() {
    MPI_Type_contiguous(4, MPI_UINT64_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
  }
  ~Matrices() {
    MPI_Type_free(&type);
    MPI_Op_free(&op);
  }
  Matrices(const Matrices&) = delete;
  Matrices& operator=(const Matrices&) = delete;

  [[nodiscard]] ElementOperation operation(std::int64_t count) const { return {count, type, op}; }

  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op op = MPI_OP_NULL;
};

void expect_product(MPI_Comm comm, Reduction& job, int root, std::int64_t count, int round) {
  std::vector<Matrix> own;
  for (std::int64_t i = 0; i < count; ++i) own.push_back(matrix_of(rank_in(comm), i, round));
  const std::vector<Matrix> before = own;
  const bool is_root = rank_in(comm) == root;
  std::vector<Matrix> result(is_root ? own.size() : 0);
  job.execute(own.data(), result.data());
  EXPECT_EQ(own, before);
  for (std::int64_t i = 0; is_root && i < count; ++i) {
    Matrix expected = matrix_of(0, i, round);
    for (int r = 1; r < size_of(comm); ++r) expected = product(expected, matrix_of(r, i, round));
    ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "element " << i << ", round " << round;
  }
}

TEST(Reduction, MatricesInOrderByEveryAlgorithmToEveryRoot) {
  const Matrices matrices;
  for (const Algorithm& algorithm : algorithms("reduce")) {
    for (int root = 0; root < size(); ++root) {
      for (const std::int64_t segments : {1, 3}) {
        if (algorithm.name == "exact" && segments > 1) continue;
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        ReductionSpec spec;
        spec.root = root;
        spec.algorithm = algorithm.name;
        spec.arity = 3;
        spec.segments = segments;
        const bool at_end = root == 0 || root == size() - 1;
        try {
          Reduction job(MPI_COMM_WORLD, spec, matrices.operation(5));
          expect_product(MPI_COMM_WORLD, job, root, 5, 0);
          expect_product(MPI_COMM_WORLD, job, root, 5, 1);
        } catch (const InputError& error) {
          // A tree that is given may not be one that can be split around the root.
          EXPECT_FALSE(at_end || algorithm.name == "greedy") << error.what();
        }
      }
    }
  }
}

TEST(Reduction, MatricesLongEnoughToAskBeforeTheyAreSent) {
  const Matrices matrices;
  const std::int64_t count = 20'000;  // 640 KB
  for (const bool dynamic : {false, true}) {
    for (const std::int64_t segments : {1, 7}) {
      for (const int root : {0, size() / 2}) {
        SCOPED_TRACE(std::to_string(segments) + " segments, root " + std::to_string(root));
        ReductionSpec spec;
        spec.root = root;
        spec.compute = 2;
        spec.segments = segments;
        spec.dynamic = dynamic;
        Reduction job(MPI_COMM_WORLD, spec, matrices.operation(count));
        EXPECT_EQ(job.segments(), segments);
        for (int round = 0; round < 3; ++round) expect_product(MPI_COMM_WORLD, job, root, count, round);
      }
    }
  }
}

// ---- commutative operations of MPI's own

std::int64_t value_of(int owner, std::int64_t index) { return (owner + 1) * 1'000'003 + index * index; }

TEST(Reduction, SumsOfAnyCountInAnyNumberOfParts) {
  for (const std::int64_t count : {0, 1, 2, 1000, 100'000}) {
    for (const std::int64_t segments : {1, 2, 5, 64}) {
      for (const bool dynamic : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " elements, " + std::to_string(segments) + " segments");
        ReductionSpec spec;
        spec.root = size() - 1;
        spec.segments = segments;
        spec.dynamic = dynamic;
        Reduction job(MPI_COMM_WORLD, spec, {count, MPI_INT64_T, MPI_SUM});
        std::vector<std::int64_t> own;
        for (std::int64_t i = 0; i < count; ++i) own.push_back(value_of(rank(), i));
        std::vector<std::int64_t> result(own.size(), -1);
        for (int round = 0; round < 2; ++round) job.execute(own.data(), result.data());
        if (rank() != spec.root) continue;
        for (std::int64_t i = 0; i < count; ++i) {
          std::int64_t expected = 0;
          for (int r = 0; r < size(); ++r) expected += value_of(r, i);
          ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "element " << i;
        }
      }
    }
  }
}

TEST(Reduction, TheRootsElementsMayBeInTheResult) {
  const Matrices matrices;
  const std::int64_t count = 3000;
  const int root = size() - 1;
  for (const bool commute : {true, false}) {
    ReductionSpec spec;
    spec.root = root;
    spec.segments = 2;
    const ElementOperation sum{4 * count, MPI_UINT64_T, MPI_SUM};
    Reduction job(MPI_COMM_WORLD, spec, commute ? sum : matrices.operation(count));
    std::vector<Matrix> data;
    for (std::int64_t i = 0; i < count; ++i) data.push_back(matrix_of(rank(), i, 0));
    job.execute(rank() == root ? MPI_IN_PLACE : data.data(), data.data());
    for (std::int64_t i = 0; i < count && rank() == root; ++i) {
      Matrix expected = matrix_of(0, i, 0);
      for (int r = 1; r < size(); ++r) {
        const Matrix next = matrix_of(r, i, 0);
        if (!commute) {
          expected = product(expected, next);
          continue;
        }
        for (std::size_t k = 0; k < 4; ++k) expected[k] += next[k];
      }
      ASSERT_EQ(data[static_cast<std::size_t>(i)], expected) << "element " << i;
    }
  }
}

/// Sums by reduce-scatter, twice, once with a rank that is late; the root's elements in the result.
void expect_scattered_sums(std::int64_t count, int root, bool in_place, double compute) {
  ReductionSpec spec;
  spec.root = root;
  spec.algorithm = "reduce-scatter";
  spec.transfer = 3;
  spec.transfer_overhead = 0.01;  // parts pay
  spec.compute = compute;
  spec.dynamic = compute > 0;
  Reduction job(MPI_COMM_WORLD, spec, {count, MPI_INT64_T, MPI_SUM});
  EXPECT_EQ(job.method(), "reduce-scatter");
  for (int round = 0; round < 2; ++round) {
    std::vector<std::int64_t> own;
    for (std::int64_t i = 0; i < count; ++i) own.push_back(value_of(rank(), i + round));
    const std::vector<std::int64_t> before = own;
    const bool replaced = in_place && rank() == root;
    std::vector<std::int64_t> result(rank() == root ? own.size() : 0, -1);
    if (replaced) result = own;
    if (round == 1 && rank() == (root + size() / 2) % size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    job.execute(replaced ? MPI_IN_PLACE : own.data(), result.data());
    EXPECT_EQ(own, before);
    for (std::int64_t i = 0; i < count && rank() == root; ++i) {
      std::int64_t expected = 0;
      for (int r = 0; r < size(); ++r) expected += value_of(r, i + round);
      ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "element " << i;
    }
  }
}

TEST(Reduction, ByReduceScatterToEveryRoot) {
  for (const std::int64_t count : {0, 1, 3, 40, 30'000}) {
    for (int root = 0; root < size(); ++root) {
      for (const double compute : {0.0, 30.0}) {
        SCOPED_TRACE(std::to_string(count) + " elements, root " + std::to_string(root));
        expect_scattered_sums(count, root, root % 2 == 1, compute);
      }
    }
  }
}

/// Sums of pairs of numbers, over a platform; the root's elements in the result in the second round.
void expect_sums_over(const Platform& platform, const ReductionSpec& spec, std::int64_t count) {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT64_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(
      [](void* in, void* inout, int* length, MPI_Datatype*) {
        for (int i = 0; i < 2 * *length; ++i) static_cast<std::int64_t*>(inout)[i] += static_cast<std::int64_t*>(in)[i];
      },
      1, &op);
  {
    ReductionSpec over = spec;
    over.platform = platform;
    Reduction job(MPI_COMM_WORLD, over, {count, pair, op});
    for (int round = 0; round < 3; ++round) {
      std::vector<std::int64_t> own;
      for (std::int64_t i = 0; i < 2 * count; ++i) own.push_back(value_of(rank(), i + round));
      const std::vector<std::int64_t> before = own;
      const bool replaced = round == 1 && rank() == spec.root;
      std::vector<std::int64_t> result(rank() == spec.root ? own.size() : 0, -1);
      if (replaced) result = own;
      if (round == 2 && rank() == (spec.root + size() / 2) % size())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      job.execute(replaced ? MPI_IN_PLACE : own.data(), result.data());
      EXPECT_EQ(own, before);
      for (std::int64_t i = 0; i < 2 * count && rank() == spec.root; ++i) {
        std::int64_t expected = 0;
        for (int r = 0; r < size(); ++r) expected += value_of(r, i + round);
        ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "number " << i << ", " << job.method();
      }
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

TEST(Reduction, OverAPlatformByEveryAlgorithmToEveryRoot) {
  for (const Algorithm& algorithm : algorithms("broadcast")) {
    for (int root = 0; root < size(); ++root) {
      for (const std::int64_t count : {0, 1, 3, 40, 3'000, 30'000}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(count) + " elements, root " +
                     std::to_string(root));
        ReductionSpec spec;
        spec.root = root;
        spec.algorithm = algorithm.name;
        expect_sums_over(testing::platform_of(size(), 1 + (root + 1) % 3, 4), spec, count);
      }
    }
  }
}

/// Parts of the coordinator's message meet other parts of it inside its cluster.
TEST(Reduction, OverAPlatformInParts) {
  for (const char* algorithm : {"ecef", "flat", "pipelined", "parallel-entry"}) {
    for (const std::int64_t segments : {1, 3, 50}) {
      SCOPED_TRACE(std::string(algorithm) + " in " + std::to_string(segments));
      ReductionSpec spec;
      spec.root = size() - 1;
      spec.algorithm = algorithm;
      spec.segments = segments;
      expect_sums_over(testing::platform_of(size(), 2, 2), spec, 20'000);
    }
  }
}

TEST(Reduction, OverAPlatformOrByMpi) {
  ReductionSpec spec;
  expect_sums_over(testing::platform_of(size(), 3, 2), spec, 10'000);
  spec.platform = testing::platform_of(size(), 3, 2);
  Reduction job(MPI_COMM_WORLD, spec, {10'000, MPI_INT64_T, MPI_SUM});
  EXPECT_EQ(job.planned_length() > 0, size() > 1);
  const std::vector<std::int64_t> own(10'000, 1);
  std::vector<std::int64_t> result(own.size());
  job.execute(own.data(), result.data());
  EXPECT_EQ(job.method() == "MPI_Reduce", job.native());
}

/// Where the model has the choice, it takes what is shorter by it, and MPI_Reduce only where that was tried.
TEST(Reduction, WhateverIsFastest) {
  if (size() == 1) return;
  ReductionSpec spec;
  spec.transfer = 1;
  spec.compute = 100;
  spec.transfer_overhead = 0.01;
  spec.compute_overhead = 0.01;
  ReduceProblem problem;
  problem.machines = size();
  problem.transfer = spec.transfer;
  problem.compute = spec.compute;
  problem.transfer_overhead = spec.transfer_overhead;
  problem.compute_overhead = spec.compute_overhead;
  problem.segments = 0;
  const double tree = plan_reduce(problem).schedule.length;
  const double scattered = plan_reduce_scatter(problem, 1000).length;
  for (const bool try_native : {false, true}) {
    for (const bool in_place : {false, true}) {
      spec.try_native = try_native;
      Reduction job(MPI_COMM_WORLD, spec, {1000, MPI_INT64_T, MPI_SUM});
      EXPECT_EQ(job.method() == "reduce-scatter", scattered < tree) << job.method();
      std::vector<std::int64_t> own(1000, rank() + 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::int64_t> result = own;
        job.execute(in_place && rank() == 0 ? MPI_IN_PLACE : own.data(), result.data());
        if (rank() == 0) {
          EXPECT_EQ(result, std::vector<std::int64_t>(1000, size() * (size() + 1) / 2));
        }
        EXPECT_FALSE(job.native() && !try_native);
        int natives = job.native() ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &natives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_TRUE(natives == 0 || natives == size()) << natives;
      }
    }
  }
  spec.segments = 2;  // asked for
  Reduction job(MPI_COMM_WORLD, spec, {1000, MPI_INT64_T, MPI_SUM});
  EXPECT_EQ(job.method(), "best tree, 2 parts");
}

void add_pairs(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  auto* const a = static_cast<std::int32_t*>(in);
  auto* const b = static_cast<std::int32_t*>(inout);
  for (int i = 0; i < *count; ++i) {
    b[4 * i + 1] += a[4 * i + 1];
    b[4 * i + 3] += a[4 * i + 3];
  }
}

TEST(Reduction, GapsInTheTypeAreLeftAlone) {
  // Of four numbers the second and the fourth.
  const std::array<int, 2> at{1, 3};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Datatype resized = MPI_DATATYPE_NULL;
  MPI_Type_create_indexed_block(2, 1, at.data(), MPI_INT32_T, &type);
  MPI_Type_create_resized(type, 0, 16, &resized);
  MPI_Type_commit(&resized);
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(add_pairs, 1, &op);
  for (int turn = 0; turn < 2 * size(); ++turn) {
    const int root = turn / 2;
    ReductionSpec spec;
    spec.root = root;
    spec.algorithm = turn % 2 == 0 ? "flat" : "reduce-scatter";
    Reduction job(MPI_COMM_WORLD, spec, {500, resized, op});
    std::vector<std::int32_t> own(2000, rank());
    std::vector<std::int32_t> result(2000, -7);
    job.execute(own.data(), result.data());
    EXPECT_EQ(own, std::vector<std::int32_t>(2000, rank()));
    for (std::size_t i = 0; i < result.size() && rank() == root; ++i) {
      ASSERT_EQ(result[i], i % 2 == 1 ? size() * (size() - 1) / 2 : -7) << i;
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&resized);
  MPI_Type_free(&type);
}

TEST(Reduction, TheCommunicatorMayBePartOfAll) {
  MPI_Comm comm = MPI_COMM_NULL;
  // Ranks in the reverse order.
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &comm);
  {
    const Matrices matrices;
    ReductionSpec spec;
    spec.root = size_of(comm) - 1;
    Reduction job(comm, spec, matrices.operation(200));
    for (int round = 0; round < 3; ++round) expect_product(comm, job, spec.root, 200, round);
  }
  MPI_Comm_free(&comm);
}

// ---- objects

Bytes bytes_of(const std::string& text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Strings one behind the other: an operation that does not commute, on objects that grow.
void concatenate(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
  result.resize(left.size() + right.size());
  std::copy(left.begin(), left.end(), result.begin());
  std::copy(right.begin(), right.end(), result.begin() + static_cast<std::ptrdiff_t>(left.size()));
}

/// A word of its own for each rank, some empty, some longer than what goes along with a message's size.
std::string word_of(int owner, int round) {
  const std::array<int, 6> lengths{7, 0, 3056, 1, 70'000, 3057};
  const auto length = static_cast<std::size_t>(lengths[static_cast<std::size_t>(owner + round) % lengths.size()]);
  std::string word;
  while (word.size() < length) word += std::to_string(owner) + ":" + std::to_string(word.size()) + ",";
  word.resize(length);
  return word;
}

void expect_concatenation(MPI_Comm comm, Reduction& job, int root, int round) {
  const Bytes own = bytes_of(word_of(rank_in(comm), round));
  Bytes result = bytes_of("what was there before");
  job.execute(own, result);
  if (rank_in(comm) != root) {
    EXPECT_EQ(text_of(result), "what was there before");
    return;
  }
  std::string expected;
  for (int r = 0; r < size_of(comm); ++r) expected += word_of(r, round);
  EXPECT_EQ(text_of(result), expected) << "round " << round;
}

TEST(Reduction, StringsInOrderByEveryAlgorithmToEveryRoot) {
  for (const Algorithm& algorithm : algorithms("reduce")) {
    for (int root = 0; root < size(); ++root) {
      for (const bool together : {true, false}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        ReductionSpec spec;
        spec.root = root;
        spec.algorithm = algorithm.name;
        spec.end_together = together;
        spec.dynamic = together && algorithm.name == "greedy";
        const bool at_end = root == 0 || root == size() - 1;
        try {
          Reduction job(MPI_COMM_WORLD, spec, {concatenate, false});
          for (int round = 0; round < 3; ++round) expect_concatenation(MPI_COMM_WORLD, job, root, round);
        } catch (const InputError& error) {
          EXPECT_FALSE(at_end || algorithm.name == "greedy") << error.what();
        }
      }
    }
  }
}

TEST(Reduction, LateRanksAndLongOperations) {
  for (const bool dynamic : {false, true}) {
    for (const bool commute : {false, true}) {
      Draw draw(5);
      ReductionSpec spec;
      spec.root = size() / 2;
      spec.compute = 3;
      spec.dynamic = dynamic;
      // Sorts the characters, where it may: then the order of combining does not show.
      const auto combine = [&](std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        concatenate(left, right, result);
        if (commute) std::ranges::sort(result);
      };
      Reduction job(MPI_COMM_WORLD, spec, {combine, commute});
      for (int round = 0; round < 4; ++round) {
        const std::int64_t late = draw.between(0, size() - 1);
        if (late == rank()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        Bytes own = bytes_of(word_of(rank(), round));
        if (commute) std::ranges::sort(own);
        Bytes result;
        job.execute(own, result);
        if (rank() != spec.root) continue;
        std::string expected;
        for (int r = 0; r < size(); ++r) expected += word_of(r, round);
        if (commute) std::ranges::sort(expected);
        EXPECT_EQ(text_of(result), expected);
      }
    }
  }
}

TEST(Reduction, WhatTheOperationThrowsReachesEveryRank) {
  if (size() == 1) return;
  for (const std::string algorithm : {"chain", "binomial", "flat"}) {
    ReductionSpec spec;
    spec.algorithm = algorithm;
    // A word of its own spoils the combination on whatever rank it meets another.
    const auto combine = [](std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
      concatenate(left, right, result);
      if (text_of(result).find("bad") != std::string::npos) throw std::domain_error("a bad word");
    };
    Reduction job(MPI_COMM_WORLD, spec, {combine, false});
    for (int round = 0; round < 3; ++round) {
      // The job stays good.
      const bool bad = round == 1;
      const Bytes own = bytes_of(bad && rank() == size() - 1 ? "bad" : "word ");
      Bytes result;
      int thrown = 0;
      try {
        job.execute(own, result);
      } catch (const std::domain_error& error) {
        thrown = 1;
        EXPECT_STREQ(error.what(), "a bad word");
      } catch (const OperationError& error) {
        thrown = 2;
        EXPECT_NE(std::string(error.what()).find("a bad word"), std::string::npos) << error.what();
        EXPECT_NE(error.rank(), rank());
      }
      EXPECT_EQ(thrown != 0, bad) << algorithm << ", round " << round;
      int own_throws = thrown == 1 ? 1 : 0;
      int all = 0;
      MPI_Allreduce(&own_throws, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT_EQ(all, bad ? 1 : 0);
    }
  }
}

TEST(Reduction, WithoutAnEndTogetherTheRootKnows) {
  if (size() == 1) return;
  ReductionSpec spec;
  spec.end_together = false;
  const auto combine = [](std::span<const std::byte>, std::span<const std::byte>, Bytes&) {
    throw std::domain_error("never");
  };
  Reduction job(MPI_COMM_WORLD, spec, {combine, true});
  Bytes result;
  bool thrown = false;
  try {
    job.execute(bytes_of("a"), result);
  } catch (const std::exception&) {
    thrown = true;
  }
  EXPECT_EQ(thrown, rank() == 0 || job.children() > 0);
}

TEST(Reduction, ARankThatNeverComesHoldsNobodyUp) {
  if (size() == 1) return;
  const auto attempt = [] {
    Reduction job(MPI_COMM_WORLD, {}, {concatenate, true});
    if (rank() == size() - 1) throw std::domain_error("on the way");
    Bytes result;
    job.execute(bytes_of("a"), result);
  };
  if (rank() == size() - 1) {
    EXPECT_THROW(attempt(), std::domain_error);
  } else {
    try {
      attempt();
      ADD_FAILURE() << "no error";
    } catch (const MpiError& error) {
      EXPECT_NE(std::string(error.what()).find("reduction given up by rank"), std::string::npos) << error.what();
    }
  }
}

// ---- costs

TEST(Reduction, CostsAreMeasuredAndAgreed) {
  const Matrices matrices;
  ReductionSpec spec;
  spec.measure = true;
  spec.segments = 0;
  Reduction job(MPI_COMM_WORLD, spec, matrices.operation(3000));
  for (int round = 0; round < 2; ++round) expect_product(MPI_COMM_WORLD, job, 0, 3000, round);
  EXPECT_GE(job.segments(), 1);
  std::array<double, 4> own{job.spec().transfer, job.spec().compute, job.planned_length(),
                            static_cast<double>(job.segments())};
  std::array<double, 4> least{};
  std::array<double, 4> most{};
  MPI_Allreduce(own.data(), least.data(), 4, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(own.data(), most.data(), 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
  EXPECT_GT(job.spec().compute, 0);
  EXPECT_EQ(job.spec().transfer > 0, size() > 1);

  Reduction strings(MPI_COMM_WORLD, spec, {concatenate, false});
  for (int round = 0; round < 3; ++round) expect_concatenation(MPI_COMM_WORLD, strings, 0, round);
}

TEST(Reduction, ThePlanIsForTheCostsGiven) {
  ReductionSpec spec;
  spec.transfer = 1;
  spec.compute = 3;
  spec.algorithm = "flat";
  const Reduction job(MPI_COMM_WORLD, spec, {1, MPI_INT64_T, MPI_SUM});
  EXPECT_EQ(job.planned_length(), size() == 1 ? 0 : 1 + 3 * (size() - 1));
  EXPECT_EQ(job.children(), rank() == 0 ? size() - 1 : 0);
  EXPECT_EQ(job.spec().transfer, 1);
  EXPECT_EQ(job.spec().compute, 3);
}

// ---- bad arguments

template <class Operation>
void expect_refused(const ReductionSpec& spec, const Operation& operation, const std::string& where) {
  try {
    const Reduction job(MPI_COMM_WORLD, spec, operation);
    ADD_FAILURE() << "no error about " << where;
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), where) << error.what();
  }
}

TEST(Reduction, BadArgumentsAreRefusedOnEveryRank) {
  const ElementOperation sum{10, MPI_INT64_T, MPI_SUM};
  const auto with = [](auto change) {
    ReductionSpec spec;
    change(spec);
    return spec;
  };
  expect_refused(with([](auto& s) { s.root = size(); }), sum, "root");
  expect_refused(with([](auto& s) { s.root = -1; }), sum, "root");
  expect_refused(with([](auto& s) { s.algorithm = "best"; }), sum, "algorithm");
  expect_refused(with([](auto& s) { s.segments = -1; }), sum, "segments");
  expect_refused({}, ElementOperation{1, MPI_DOUBLE, MPI_BAND}, "op");
  const auto scatter = with([](auto& s) { s.algorithm = "reduce-scatter"; });
  expect_refused(scatter, Matrices().operation(3), "algorithm reduce-scatter");
  expect_refused(scatter, ObjectOperation{concatenate, true}, "algorithm reduce-scatter");
  expect_refused(with([](auto& s) { s.segments = 2; }), ObjectOperation{concatenate, true}, "segments");
  expect_refused({}, ObjectOperation{}, "combine");
  const auto over = [&](const Platform& platform, auto change) {
    ReductionSpec spec;
    spec.platform = platform;
    change(spec);
    return spec;
  };
  const Platform two = testing::platform_of(size(), 2);
  const auto nothing = [](auto&) {};
  expect_refused(over(testing::platform_of(size() + 1, 2), nothing), sum, "platform");
  expect_refused(over(Platform{}, nothing), sum, "platform");
  expect_refused(over(two, nothing), Matrices().operation(3), "platform");
  expect_refused(over(two, nothing), ObjectOperation{concatenate, true}, "platform");
  expect_refused(over(two, [](auto& s) { s.measure = true; }), sum, "platform");
  expect_refused(over(two, [](auto& s) { s.dynamic = true; }), sum, "platform");
  for (const char* algorithm : {"binomial", "native", "best"})
    EXPECT_THROW(Reduction(MPI_COMM_WORLD, over(two, [&](auto& s) { s.algorithm = algorithm; }), sum), InputError);
  expect_refused({}, ElementOperation{-1, MPI_INT64_T, MPI_SUM}, "count");
  expect_refused({}, ElementOperation{1, MPI_DATATYPE_NULL, MPI_SUM}, "type");
  expect_refused({}, ElementOperation{1, MPI_INT64_T, MPI_OP_NULL}, "op");
  EXPECT_THROW(Reduction(MPI_COMM_WORLD, with([](auto& s) { s.transfer = -1; }), sum), InputError);
  EXPECT_THROW(Reduction(MPI_COMM_WORLD, with([](auto& s) { s.transfer = s.compute = 0; }), sum), InputError);
  EXPECT_THROW(Reduction(MPI_COMM_NULL, {}, sum), InputError);
}

TEST(Reduction, ArgumentsThatDifferAreRefusedOnEveryRank) {
  if (size() == 1) return;
  const bool odd = rank() == size() - 1;
  expect_refused({}, ElementOperation{odd ? 11 : 10, MPI_INT64_T, MPI_SUM}, "arguments");
  expect_refused({}, ElementOperation{10, odd ? MPI_INT32_T : MPI_INT64_T, MPI_SUM}, "arguments");
  ReductionSpec spec;
  spec.root = odd ? 1 : 0;
  expect_refused(spec, ObjectOperation{concatenate, true}, "arguments");
  spec.root = odd ? -1 : 0;
  expect_refused(spec, ObjectOperation{concatenate, true}, "root");
}

TEST(Reduction, TheWrongKindOfExecutionIsRefused) {
  Reduction job(MPI_COMM_WORLD, {}, {concatenate, true});
  std::int64_t own = 0;
  EXPECT_THROW(job.execute(&own, &own), InputError);
  Bytes result;
  EXPECT_THROW(job.execute(bytes_of("a"), result), InputError);  // it has failed before
}

}  // namespace
}  // namespace sluice::mpi
