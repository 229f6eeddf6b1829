#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "plan/collective/registry.hpp"
#include "run/exchange_testing.hpp"
#include "run/platform_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/plan/reduce_scatter.hpp"
#include "sluice/plan/registry.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::mpi {
namespace {

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

void expect_product(MPI_Comm comm, ElementReduction& job, int root, std::int64_t count, int round) {
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

TEST(ElementReduction, MatricesInOrderByEveryAlgorithmToEveryRoot) {
  const Matrices matrices;
  for (const Algorithm& algorithm : algorithms("reduce")) {
    for (int root = 0; root < size(); ++root) {
      for (const std::int64_t segments : {1, 3}) {
        const bool one_part = algorithm.name == "exact" || algorithm.name == "non-commut-tree-dyn";
        if ((one_part && segments > 1) || algorithm.name == "tree-dyn") continue;  // which is for no order
        SCOPED_TRACE(std::string(algorithm.name) + ", root " + std::to_string(root));
        ReductionOptions options;
        options.algorithm = algorithm.name;
        options.arity = 3;
        options.segments = segments;
        const bool at_end = root == 0 || root == size() - 1;
        try {
          ElementReduction job(MPI_COMM_WORLD, matrices.operation(5), root, options);
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

TEST(ElementReduction, MatricesLongEnoughToAskBeforeTheyAreSent) {
  const Matrices matrices;
  const std::int64_t count = 20'000;  // 640 KB
  for (const bool dynamic : {false, true}) {
    for (const std::int64_t segments : {1, 7}) {
      for (const int root : {0, size() / 2}) {
        SCOPED_TRACE(std::to_string(segments) + " segments, root " + std::to_string(root));
        ReductionOptions options;
        options.costs = ReductionCosts{1, 2};
        options.segments = segments;
        options.dynamic = dynamic;
        ElementReduction job(MPI_COMM_WORLD, matrices.operation(count), root, options);
        EXPECT_EQ(job.summary().segments, segments);
        for (int round = 0; round < 3; ++round) expect_product(MPI_COMM_WORLD, job, root, count, round);
      }
    }
  }
}

/// Jobs plan, and try, each for itself.
class WithoutKeptPlans {
 public:
  WithoutKeptPlans() { set_kept_plans(MPI_COMM_WORLD, 0); }
  ~WithoutKeptPlans() { set_kept_plans(MPI_COMM_WORLD, 64); }
  WithoutKeptPlans(const WithoutKeptPlans&) = delete;
  WithoutKeptPlans& operator=(const WithoutKeptPlans&) = delete;
};

// ---- commutative operations of MPI's own

std::int64_t value_of(int owner, std::int64_t index) { return (owner + 1) * 1'000'003 + index * index; }

TEST(ElementReduction, SumsOfAnyCountInAnyNumberOfParts) {
  for (const std::int64_t count : {0, 1, 2, 1000, 100'000}) {
    for (const std::int64_t segments : {1, 2, 5, 64}) {
      for (const bool dynamic : {false, true}) {
        SCOPED_TRACE(std::to_string(count) + " elements, " + std::to_string(segments) + " segments");
        const int root = size() - 1;
        ReductionOptions options;
        options.segments = segments;
        options.dynamic = dynamic;
        ElementReduction job(MPI_COMM_WORLD, {count, MPI_INT64_T, MPI_SUM}, root, options);
        std::vector<std::int64_t> own;
        for (std::int64_t i = 0; i < count; ++i) own.push_back(value_of(rank(), i));
        std::vector<std::int64_t> result(own.size(), -1);
        for (int round = 0; round < 2; ++round) job.execute(own.data(), result.data());
        if (rank() != root) continue;
        for (std::int64_t i = 0; i < count; ++i) {
          std::int64_t expected = 0;
          for (int r = 0; r < size(); ++r) expected += value_of(r, i);
          ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "element " << i;
        }
      }
    }
  }
}

TEST(ElementReduction, TheRootsElementsMayBeInTheResult) {
  const Matrices matrices;
  const std::int64_t count = 3000;
  const int root = size() - 1;
  for (const bool commute : {true, false}) {
    ReductionOptions options;
    options.segments = 2;
    const ElementOperation sum{4 * count, MPI_UINT64_T, MPI_SUM};
    ElementReduction job(MPI_COMM_WORLD, commute ? sum : matrices.operation(count), root, options);
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
  ReductionOptions options;
  options.algorithm = "reduce-scatter";
  options.costs = ReductionCosts{3, compute, 0.01, 0};  // parts pay
  options.dynamic = compute > 0;
  ElementReduction job(MPI_COMM_WORLD, {count, MPI_INT64_T, MPI_SUM}, root, options);
  EXPECT_EQ(job.summary().method, "reduce-scatter");
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

TEST(ElementReduction, ByReduceScatterToEveryRoot) {
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
void expect_sums_over(const ReductionOptions& options, int root, std::int64_t count) {
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
    ElementReduction job(MPI_COMM_WORLD, {count, pair, op}, root, options);
    for (int round = 0; round < 3; ++round) {
      std::vector<std::int64_t> own;
      for (std::int64_t i = 0; i < 2 * count; ++i) own.push_back(value_of(rank(), i + round));
      const std::vector<std::int64_t> before = own;
      const bool replaced = round == 1 && rank() == root;
      std::vector<std::int64_t> result(rank() == root ? own.size() : 0, -1);
      if (replaced) result = own;
      if (round == 2 && rank() == (root + size() / 2) % size())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      job.execute(replaced ? MPI_IN_PLACE : own.data(), result.data());
      EXPECT_EQ(own, before);
      for (std::int64_t i = 0; i < 2 * count && rank() == root; ++i) {
        std::int64_t expected = 0;
        for (int r = 0; r < size(); ++r) expected += value_of(r, i + round);
        ASSERT_EQ(result[static_cast<std::size_t>(i)], expected) << "number " << i << ", " << job.summary().method;
      }
    }
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

TEST(ElementReduction, OverAPlatformByEveryAlgorithmToEveryRoot) {
  for (const Algorithm& algorithm : algorithms("broadcast")) {
    for (int root = 0; root < size(); ++root) {
      for (const std::int64_t count : {0, 1, 3, 40, 3'000, 30'000}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(count) + " elements, root " +
                     std::to_string(root));
        ReductionOptions options;
        options.platform = testing::platform_of(size(), 1 + (root + 1) % 3, 4);
        options.algorithm = algorithm.name;
        expect_sums_over(options, root, count);
      }
    }
  }
}

/// Products of matrices do not commute. Every byte must equal the product in the order of the ranks.
TEST(ElementReduction, MatricesInOrderOverAPlatformByEveryProgramToEveryRoot) {
  const Matrices matrices;
  std::vector<std::string> names{"auto"};
  for (const Algorithm& algorithm : algorithms(kReductionPrograms))
    if (keeps_order(Collective::kReduce, algorithm.name)) names.emplace_back(algorithm.name);
  ASSERT_GE(names.size(), 4U);
  for (const std::string& name : names) {
    for (int root = 0; root < size(); ++root) {
      for (const std::int64_t count : {0, 1, 3, 40, 5'000}) {
        SCOPED_TRACE(name + ", " + std::to_string(count) + " elements, root " + std::to_string(root));
        ReductionOptions options;
        options.platform = testing::platform_of(size(), 1 + (root + 1) % 3, 4);
        options.algorithm = name;
        if (count == 40) options.segments = 5;
        ElementReduction job(MPI_COMM_WORLD, matrices.operation(count), root, options);
        for (int round = 0; round < 2; ++round) expect_product(MPI_COMM_WORLD, job, root, count, round);
      }
    }
  }
}

/// A program for `count` elements, by a planner of programs; none if the planner does not apply.
std::optional<Program> given_program(std::string_view algorithm, int root, std::int64_t count,
                                     std::int64_t element_bytes, bool commutative) {
  ProgramOptions how;
  how.algorithm = algorithm;
  const ProgramProblem problem{Collective::kReduce, count * element_bytes, root, element_bytes, commutative};
  try {
    return plan_program(testing::platform_of(size(), 2, 2), problem, how).program;
  } catch (const InputError&) {
    return std::nullopt;  // not in the order of ranks
  }
}

TEST(ElementReduction, CarriesOutAProgramThatIsGiven) {
  const Matrices matrices;
  int in_order = 0;
  for (const Algorithm& algorithm : sluice::detail::program_algorithms(Collective::kReduce)) {
    for (const int root : {0, size() - 1}) {
      for (const std::int64_t count : {1, 40, 3'000}) {
        SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(count) + " elements to " +
                     std::to_string(root));
        ReductionOptions options;
        options.program = given_program(algorithm.name, root, count, 16, true);
        const bool for_order = algorithm.name == "ordered-tree";  // and for nothing else
        ASSERT_TRUE(options.program || for_order || size() == 1);
        if (options.program)
          expect_sums_over(options, root, count);
        else if (!for_order)
          continue;  // one rank makes no groups
        options.program = given_program(algorithm.name, root, count, sizeof(Matrix), false);
        if (!options.program) continue;
        ++in_order;
        ElementReduction job(MPI_COMM_WORLD, matrices.operation(count), root, options);
        expect_product(MPI_COMM_WORLD, job, root, count, 0);
        expect_product(MPI_COMM_WORLD, job, root, count, 1);
        EXPECT_EQ(job.summary().method, options.program->algorithm);
      }
    }
  }
  EXPECT_GT(in_order, 0);
}

TEST(ElementReduction, AProgramThatDoesNotFitIsRefused) {
  const ElementOperation sum{10, MPI_INT64_T, MPI_SUM};
  const Program good = given_program("binomial", 0, 10, 8, true).value();
  const auto refused = [&](auto change) {
    ReductionOptions options;
    options.program = good;
    change(options);
    EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, sum, 0, options), InputError);
  };
  refused([](ReductionOptions& o) { o.program->ranks += 1; });
  refused([](ReductionOptions& o) { o.program->size_bytes = 88; });
  refused([](ReductionOptions& o) { o.program->element_bytes = 4; });
  refused([](ReductionOptions& o) { o.algorithm = "flat"; });
  refused([](ReductionOptions& o) { o.segments = 2; });
  refused([](ReductionOptions& o) { o.measure = true; });
  refused([](ReductionOptions& o) { o.dynamic = true; });
  refused([](ReductionOptions& o) { o.platform = testing::platform_of(size(), 2, 2); });
  const Matrices matrices;
  ReductionOptions commuting;
  commuting.program = given_program("binomial", 0, 10, sizeof(Matrix), true);
  EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, matrices.operation(10), 0, commuting), InputError);
  if (size() == 1) return;
  refused([](ReductionOptions& o) { o.program->root = 1; });
  refused([](ReductionOptions& o) { o.program->operations.pop_back(); });
}

/// Parts of the coordinator's message meet other parts of it inside its cluster.
TEST(ElementReduction, OverAPlatformInParts) {
  for (const char* algorithm : {"ecef", "flat", "pipelined", "parallel-entry"}) {
    for (const std::int64_t segments : {1, 3, 50}) {
      SCOPED_TRACE(std::string(algorithm) + " in " + std::to_string(segments));
      ReductionOptions options;
      options.platform = testing::platform_of(size(), 2, 2);
      options.algorithm = algorithm;
      options.segments = segments;
      expect_sums_over(options, size() - 1, 20'000);
    }
  }
}

/// The longer it takes to combine, the longer the plan; what is measured is combining alone.
TEST(ElementReduction, OverAPlatformByWhatCombiningTakes) {
  const WithoutKeptPlans none;
  ReductionOptions options;
  options.platform = testing::platform_of(size(), 2, 4);
  options.try_native = false;
  const ElementOperation sum{20'000, MPI_INT64_T, MPI_SUM};
  const auto length = [&] { return ElementReduction(MPI_COMM_WORLD, sum, 0, options).summary().length; };
  const double free_s = length();
  for (const double compute_s : {0.0, 10.0}) {
    options.costs = ReductionCosts{0, compute_s, 0, 0};
    expect_sums_over(options, size() / 2, 20'000);
    if (size() == 1) continue;
    if (compute_s == 0)
      EXPECT_EQ(length(), free_s);
    else
      EXPECT_GE(length(), compute_s * (size() - 1) / size());  // as much as if all ranks have the same to combine
  }
  options.costs.reset();
  options.measure = true;
  expect_sums_over(options, size() - 1, 20'000);
  ElementReduction job(MPI_COMM_WORLD, sum, 0, options);
  EXPECT_EQ(job.summary().method, "");
  const std::vector<std::int64_t> own(20'000, 1);
  std::vector<std::int64_t> result(own.size());
  job.execute(own.data(), result.data());
  EXPECT_EQ(result, std::vector<std::int64_t>(own.size(), rank() == 0 ? size() : 0));
  EXPECT_NE(job.summary().method, "");
  const ReductionCosts& measured = job.summary().costs;
  EXPECT_EQ(measured, (ReductionCosts{0, measured.compute, 0, 0}));
  EXPECT_GT(measured.compute, 0);
}

TEST(ElementReduction, OverAPlatformOrByMpi) {
  ReductionOptions options;
  options.platform = testing::platform_of(size(), 3, 2);
  expect_sums_over(options, 0, 10'000);
  ElementReduction job(MPI_COMM_WORLD, {10'000, MPI_INT64_T, MPI_SUM}, 0, options);
  EXPECT_EQ(job.summary().length > 0, size() > 1);
  const std::vector<std::int64_t> own(10'000, 1);
  std::vector<std::int64_t> result(own.size());
  job.execute(own.data(), result.data());
  EXPECT_EQ(result, std::vector<std::int64_t>(own.size(), rank() == 0 ? size() : 0));
  EXPECT_EQ(job.summary().method == "MPI_Ireduce", job.summary().native);
  EXPECT_FALSE(job.summary().native && job.summary().length > 0);
}

/// Where the model has the choice, it takes what is shorter by it, and MPI_Reduce only where that was tried.
TEST(ElementReduction, WhateverIsFastest) {
  if (size() == 1) return;
  ReductionOptions options;
  const ReductionCosts costs{1, 100, 0.01, 0.01};
  options.costs = costs;
  ReduceProblem problem;
  problem.machines = size();
  problem.transfer = costs.transfer;
  problem.compute = costs.compute;
  problem.transfer_overhead = costs.transfer_overhead;
  problem.compute_overhead = costs.compute_overhead;
  problem.segments = 0;
  const WithoutKeptPlans none;
  const double tree = plan_reduce(problem).schedule.length;
  const double scattered = plan_reduce_scatter(problem, 1000).length_s;
  for (const bool try_native : {false, true}) {
    for (const bool in_place : {false, true}) {
      options.try_native = try_native;
      ElementReduction job(MPI_COMM_WORLD, {1000, MPI_INT64_T, MPI_SUM}, 0, options);
      EXPECT_EQ(job.summary().method == "reduce-scatter", scattered < tree) << job.summary().method;
      std::vector<std::int64_t> own(1000, rank() + 1);
      for (int round = 0; round < 3; ++round) {
        std::vector<std::int64_t> result = own;
        job.execute(in_place && rank() == 0 ? MPI_IN_PLACE : own.data(), result.data());
        if (rank() == 0) {
          EXPECT_EQ(result, std::vector<std::int64_t>(1000, size() * (size() + 1) / 2));
        }
        EXPECT_FALSE(job.summary().native && !try_native);
        int natives = job.summary().native ? 1 : 0;
        MPI_Allreduce(MPI_IN_PLACE, &natives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT_TRUE(natives == 0 || natives == size()) << natives;
      }
    }
  }
  options.segments = 2;  // asked for
  ElementReduction job(MPI_COMM_WORLD, {1000, MPI_INT64_T, MPI_SUM}, 0, options);
  EXPECT_EQ(job.summary().method, "best tree, 2 parts");
}

void add_pairs(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  auto* const a = static_cast<std::int32_t*>(in);
  auto* const b = static_cast<std::int32_t*>(inout);
  for (int i = 0; i < *count; ++i) {
    b[4 * i + 1] += a[4 * i + 1];
    b[4 * i + 3] += a[4 * i + 3];
  }
}

TEST(ElementReduction, GapsInTheTypeAreLeftAlone) {
  // The type has the second and the fourth of four numbers.
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
    ReductionOptions options;
    options.algorithm = turn % 2 == 0 ? "flat" : "reduce-scatter";
    ElementReduction job(MPI_COMM_WORLD, {500, resized, op}, root, options);
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

TEST(ElementReduction, TheCommunicatorMayBePartOfAll) {
  MPI_Comm comm = MPI_COMM_NULL;
  // Ranks in the reverse order.
  MPI_Comm_split(MPI_COMM_WORLD, rank() % 2, -rank(), &comm);
  {
    const Matrices matrices;
    const int root = size_of(comm) - 1;
    ElementReduction job(comm, matrices.operation(200), root);
    for (int round = 0; round < 3; ++round) expect_product(comm, job, root, 200, round);
  }
  MPI_Comm_free(&comm);
}

// ---- costs

TEST(ElementReduction, CostsAreMeasuredAndAgreed) {
  const Matrices matrices;
  ReductionOptions options;
  options.measure = true;
  options.segments = 0;
  ElementReduction job(MPI_COMM_WORLD, matrices.operation(3000), 0, options);
  EXPECT_EQ(job.summary().method, "");
  for (int round = 0; round < 2; ++round) expect_product(MPI_COMM_WORLD, job, 0, 3000, round);
  const ReductionSummary& summary = job.summary();
  EXPECT_GE(summary.segments, 1);
  std::array<double, 4> own{summary.costs.transfer, summary.costs.compute, summary.length,
                            static_cast<double>(summary.segments)};
  std::array<double, 4> least{};
  std::array<double, 4> most{};
  MPI_Allreduce(own.data(), least.data(), 4, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(own.data(), most.data(), 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_EQ(least, most);
  EXPECT_GT(summary.costs.compute, 0);
  EXPECT_EQ(summary.costs.transfer > 0, size() > 1);
}

TEST(ElementReduction, ThePlanIsForTheCostsGiven) {
  ReductionOptions options;
  options.costs = ReductionCosts{1, 3};
  options.algorithm = "flat";
  const ElementReduction job(MPI_COMM_WORLD, {1, MPI_INT64_T, MPI_SUM}, 0, options);
  const ReductionSummary& summary = job.summary();
  EXPECT_EQ(summary.length, size() == 1 ? 0 : 1 + 3 * (size() - 1));
  EXPECT_EQ(summary.method, "flat tree");
  EXPECT_EQ(summary.children, rank() == 0 ? size() - 1 : 0);
  EXPECT_EQ(summary.costs.transfer, 1);
  EXPECT_EQ(summary.costs.compute, 3);
}

// ---- reproducible or not

/// Numbers whose sum depends on the order.
std::vector<double> uneven(std::int64_t count) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count; ++i)
    numbers.push_back(std::ldexp(1.0 + static_cast<double>((i * 7919 + rank() * 104729) % 1000003) / 3.0,
                                 static_cast<int>((i + 5 * rank()) % 60)));
  return numbers;
}

/// Their sums on the last rank.
std::vector<double> sums_of(const std::vector<double>& own, const ReductionOptions& options, std::string& method) {
  const ElementOperation operation{static_cast<std::int64_t>(own.size()), MPI_DOUBLE, MPI_SUM};
  ElementReduction job(MPI_COMM_WORLD, operation, size() - 1, options);
  std::vector<double> result(own.size(), -1);
  job.execute(own.data(), result.data());
  method = job.summary().method;
  return result;
}

TEST(ElementReduction, DoublesGiveTheSameBitsInEveryJob) {
  const WithoutKeptPlans none;
  for (const std::int64_t count : {1, 1000, 50'000, 200'000}) {
    SCOPED_TRACE(std::to_string(count) + " elements");
    const std::vector<double> own = uneven(count);
    std::string first_method;
    const std::vector<double> first = sums_of(own, {}, first_method);
    EXPECT_NE(first_method, "MPI_Ireduce");
    const bool pretended_hosts = std::getenv("PRETENDED_RANKS_PER_HOST") != nullptr;
    if (size() > 1 && count == 1000 && !pretended_hosts) {
      EXPECT_TRUE(first_method == "shares" || first_method == "flat") << first_method;
    }
    for (int turn = 0; turn < 8; ++turn) {
      // Another rank is late each time.
      if (rank() == turn % size()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::string method;
      EXPECT_TRUE(sums_of(own, {}, method) == first) << "turn " << turn;
      EXPECT_EQ(method, first_method);
    }
  }
}

/// Otherwise the test above would see nothing.
TEST(ElementReduction, DoublesGiveOtherBitsInAnotherOrder) {
  if (size() < 3) return;
  const std::vector<double> own = uneven(1000);
  const auto sums_by = [&](const char* algorithm) {
    ReductionOptions options;
    options.algorithm = algorithm;
    std::string method;
    return sums_of(own, options, method);
  };
  const bool same = sums_by("chain") == sums_by("flat");
  EXPECT_EQ(same, rank() != size() - 1);
}

void add_words(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  auto* const a = static_cast<std::int64_t*>(in);
  auto* const b = static_cast<std::int64_t*>(inout);
  for (int i = 0; i < *count; ++i) b[i] += a[i];
}

/// Ranks of one host combine shares, as the operation may be expensive, unless some would have nothing to combine.
TEST(ElementReduction, OwnOperationsAreCombinedInSharesOnOneHost) {
  if (size() == 1) return;
  const bool pretended_hosts = std::getenv("PRETENDED_RANKS_PER_HOST") != nullptr;
  MPI_Op add = MPI_OP_NULL;
  MPI_Op_create(add_words, 1, &add);
  const WithoutKeptPlans none;
  for (const std::int64_t count : {size() - 1, size(), 1000, 100'000}) {
    for (const int root : {0, size() - 1}) {
      SCOPED_TRACE(std::to_string(count) + " elements to rank " + std::to_string(root));
      ElementReduction job(MPI_COMM_WORLD, {count, MPI_INT64_T, add}, root);
      if (!pretended_hosts) {
        EXPECT_EQ(job.summary().method == "shares", count >= size()) << job.summary().method;
      }
      std::vector<std::int64_t> own, expected;
      for (std::int64_t i = 0; i < count; ++i) {
        own.push_back((rank() + 1) * (i + 1));
        expected.push_back(size() * (size() + 1) / 2 * (i + 1));
      }
      for (int round = 0; round < 2; ++round) {
        std::vector<std::int64_t> result(own.size());
        job.execute(own.data(), result.data());
        if (rank() == root) {
          EXPECT_EQ(result, expected);
        }
      }
    }
  }
  ReductionOptions options;
  options.algorithm = "binomial";
  const ElementReduction named(MPI_COMM_WORLD, {1000, MPI_INT64_T, add}, 0, options);
  EXPECT_NE(named.summary().method, "shares");
  options.algorithm = "auto";
  options.costs = ReductionCosts{1, 1};
  const ElementReduction costs(MPI_COMM_WORLD, {1000, MPI_INT64_T, add}, 0, options);
  EXPECT_NE(costs.summary().method, "shares");
  MPI_Op_free(&add);
}

TEST(ElementReduction, MatricesInOrderInSharesToEveryRoot) {
  const Matrices matrices;
  const WithoutKeptPlans none;
  for (int root = 0; root < size(); ++root) {
    for (const std::int64_t count : {size(), 5 * size() + 1, 5000}) {
      SCOPED_TRACE(std::to_string(count) + " elements to rank " + std::to_string(root));
      ElementReduction job(MPI_COMM_WORLD, matrices.operation(count), root);
      if (size() > 1 && std::getenv("PRETENDED_RANKS_PER_HOST") == nullptr) {
        EXPECT_EQ(job.summary().method, "shares");
      }
      // Nine find out which program serves.
      for (int turn = 0; turn < 10; ++turn) expect_product(MPI_COMM_WORLD, job, root, count, turn % 2);
      EXPECT_TRUE(job.settled());
    }
  }
}

/// Every order of the operands gives other bits.
void mix_doubles(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const a = static_cast<const double*>(in);
  auto* const b = static_cast<double*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = a[i] / 3 + b[i] / 7;
}

TEST(ElementReduction, OwnOperationsGiveTheSameBitsByEitherProgram) {
  const WithoutKeptPlans none;
  for (const int commutes : {0, 1}) {
    MPI_Op mix = MPI_OP_NULL;
    MPI_Op_create(mix_doubles, commutes, &mix);
    for (int root = 0; root < size(); ++root) {
      for (const bool in_place : {false, true}) {
        constexpr std::int64_t kCount = 1000;
        ElementReduction job(MPI_COMM_WORLD, {kCount, MPI_DOUBLE, mix}, root);
        const std::vector<double> own = uneven(kCount);
        std::vector<double> first;
        for (int turn = 0; turn < 11; ++turn) {
          std::vector<double> result = own;
          const bool here = in_place && rank() == root;
          job.execute(here ? MPI_IN_PLACE : static_cast<const void*>(own.data()), result.data());
          if (turn == 0) first = result;
          EXPECT_TRUE(rank() != root || result == first) << "turn " << turn << ", root " << root;
        }
        EXPECT_TRUE(job.settled());
      }
    }
    MPI_Op_free(&mix);
  }
}

void add_words_slowly(void* in, void* inout, int* count, MPI_Datatype* type) {
  add_words(in, inout, count, type);
  std::this_thread::sleep_for(std::chrono::microseconds(20) * *count);
}

/// The root tries to combine all alone only if that takes no longer than all ranks together.
TEST(ElementReduction, LongOperationsAreNotLeftToTheRoot) {
  if (size() == 1 || std::getenv("PRETENDED_RANKS_PER_HOST") != nullptr) return;
  const std::vector<std::int64_t> own(static_cast<std::size_t>(100 * size()), 1);
  std::vector<std::int64_t> result(own.size());
  MPI_Op add = MPI_OP_NULL, add_soon = MPI_OP_NULL;
  MPI_Op_create(add_words, 1, &add_soon);
  MPI_Op_create(add_words_slowly, 1, &add);
  ElementReduction soon(MPI_COMM_WORLD, {100 * size(), MPI_INT64_T, add_soon}, size() - 1);
  for (int turn = 0; turn < 10; ++turn) soon.execute(own.data(), result.data());
  EXPECT_TRUE(soon.settled());
  MPI_Op_free(&add_soon);
  ElementReduction job(MPI_COMM_WORLD, {100 * size(), MPI_INT64_T, add}, size() - 1);
  EXPECT_FALSE(job.settled()) << "what was found out for another operation";
  for (int turn = 0; turn < 2; ++turn) job.execute(own.data(), result.data());
  EXPECT_TRUE(job.settled());
  EXPECT_EQ(job.summary().method, "shares");
  MPI_Op_free(&add);
}

TEST(ElementReduction, IntegersMayBeTriedDoublesOnlyIfAskedFor) {
  if (size() == 1) return;
  constexpr std::int64_t kCount = 64;
  const WithoutKeptPlans none;
  const auto is_tried = [&](MPI_Datatype type, std::optional<bool> reproducible) {
    ReductionOptions options;
    options.reproducible = reproducible;
    ElementReduction job(MPI_COMM_WORLD, {kCount, type, MPI_SUM}, 0, options);
    EXPECT_FALSE(job.summary().native);  // the first execution goes by the plan
    const bool tried = !job.settled();
    std::vector<std::int64_t> bytes(kCount, 0);  // 0 in either type
    std::vector<std::int64_t> result(kCount, 1);
    for (int i = 0; i < 10; ++i) job.execute(bytes.data(), result.data());
    if (rank() == 0) {
      EXPECT_EQ(result, bytes);
    }
    EXPECT_TRUE(job.settled());
    int natives = job.summary().native ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &natives, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_TRUE(natives == 0 || (tried && natives == size())) << natives;
    return tried;
  };
  EXPECT_TRUE(is_tried(MPI_INT64_T, std::nullopt));
  EXPECT_TRUE(is_tried(MPI_DOUBLE, false));
  EXPECT_FALSE(is_tried(MPI_DOUBLE, std::nullopt));
  EXPECT_FALSE(is_tried(MPI_INT64_T, true));
}

// ---- in parts

/// Two reductions under way, with roots at both ends, waited for in opposite orders on odd ranks.
TEST(ElementReduction, TwoAtOnceInAnyOrder) {
  const Matrices matrices;
  for (const std::int64_t count : {3, 20'000}) {
    for (const bool tests : {false, true}) {
      SCOPED_TRACE(std::to_string(count) + (tests ? " elements, by test" : " elements, by wait"));
      struct Way {
        int root;
        ElementReduction job;
        std::vector<Matrix> own;
        std::vector<Matrix> result;
      };
      ReductionOptions options;
      options.segments = count > 3 ? 4 : 1;
      std::vector<Way> ways;
      for (const int root : {0, size() - 1})
        ways.push_back({root, ElementReduction(MPI_COMM_WORLD, matrices.operation(count), root, options), {}, {}});
      for (int round = 0; round < 3; ++round) {
        for (Way& way : ways) {
          way.own.clear();
          for (std::int64_t i = 0; i < count; ++i) way.own.push_back(matrix_of(rank(), i, round + way.root));
          way.result.assign(rank() == way.root ? way.own.size() : 0, Matrix{});
          way.job.start(way.own.data(), way.result.data());
        }
        for (std::size_t i = 0; i < ways.size(); ++i) {
          ElementReduction& job = ways[rank() % 2 == 0 ? i : ways.size() - 1 - i].job;
          while (tests && !job.test()) {
          }
          job.wait();
          EXPECT_TRUE(job.test());
        }
        for (const Way& way : ways) {
          for (std::int64_t i = 0; i < count && rank() == way.root; ++i) {
            Matrix expected = matrix_of(0, i, round + way.root);
            for (int r = 1; r < size(); ++r) expected = product(expected, matrix_of(r, i, round + way.root));
            ASSERT_EQ(way.result[static_cast<std::size_t>(i)], expected) << "element " << i << ", root " << way.root;
          }
        }
      }
    }
  }
}

// ---- bad arguments

void expect_refused(const ElementOperation& operation, int root, const ReductionOptions& options,
                    const std::string& where) {
  try {
    const ElementReduction job(MPI_COMM_WORLD, operation, root, options);
    ADD_FAILURE() << "no error about " << where;
  } catch (const InputError& error) {
    EXPECT_EQ(error.where(), where) << error.what();
  }
}

TEST(ElementReduction, BadArgumentsAreRefusedOnEveryRank) {
  const ElementOperation sum{10, MPI_INT64_T, MPI_SUM};
  const auto with = [](auto change) {
    ReductionOptions options;
    change(options);
    return options;
  };
  expect_refused(sum, size(), {}, "root");
  expect_refused(sum, -1, {}, "root");
  expect_refused(sum, 0, with([](auto& o) { o.algorithm = "best"; }), "algorithm");
  try {
    const ElementReduction job(MPI_COMM_WORLD, sum, 0, with([](auto& o) { o.algorithm = "best"; }));
  } catch (const InputError& error) {
    EXPECT_NE(error.expected().find("binomial, "), std::string::npos) << error.expected();
    EXPECT_NE(error.expected().find("reduce-scatter, auto"), std::string::npos) << error.expected();
  }
  expect_refused(sum, 0, with([](auto& o) { o.segments = -1; }), "segments");
  expect_refused({1, MPI_DOUBLE, MPI_BAND}, 0, {}, "op");
  expect_refused(Matrices().operation(3), 0, with([](auto& o) { o.algorithm = "reduce-scatter"; }),
                 "algorithm reduce-scatter");
  expect_refused({-1, MPI_INT64_T, MPI_SUM}, 0, {}, "count");
  expect_refused({1, MPI_DATATYPE_NULL, MPI_SUM}, 0, {}, "type");
  expect_refused({1, MPI_INT64_T, MPI_OP_NULL}, 0, {}, "op");
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1 << 30, MPI_BYTE, &row);
  MPI_Type_contiguous(3, row, &rows);
  MPI_Type_commit(&rows);
  expect_refused({1, rows, Matrices().op}, 0, {}, "type");
  MPI_Type_free(&rows);
  MPI_Type_free(&row);
  const auto costs = [&](double transfer, double compute) {
    return with([&](auto& o) { o.costs = ReductionCosts{transfer, compute}; });
  };
  EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, sum, 0, costs(-1, 1)), InputError);
  EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, sum, 0, costs(0, 0)), InputError);
  EXPECT_THROW(ElementReduction(MPI_COMM_NULL, sum), InputError);

  ReductionOptions contradiction = costs(1, 1);
  contradiction.measure = true;
  expect_refused(sum, 0, contradiction, "costs");
  for (bool ReductionOptions::*const way : {&ReductionOptions::measure, &ReductionOptions::dynamic}) {
    ReductionOptions options;
    options.reproducible = true;
    options.*way = true;
    expect_refused(sum, 0, options, "reproducible");
  }
}

TEST(ElementReduction, BadArgumentsOverAPlatformAreRefused) {
  const ElementOperation sum{10, MPI_INT64_T, MPI_SUM};
  const auto over = [&](const Platform& platform, auto change) {
    ReductionOptions options;
    options.platform = platform;
    change(options);
    return options;
  };
  const Platform two = testing::platform_of(size(), 2);
  const auto nothing = [](auto&) {};
  expect_refused(sum, 0, over(testing::platform_of(size() + 1, 2), nothing), "platform");
  expect_refused(sum, 0, over(Platform{}, nothing), "platform");
  for (const char* algorithm : {"flat", "ecef", "circulant", "reversed-broadcast"})
    EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, Matrices().operation(3), 0,
                                  over(two, [&](auto& o) { o.algorithm = algorithm; })),
                 InputError);
  expect_refused(sum, 0, over(two, [](auto& o) { o.dynamic = true; }), "platform");
  for (const ReductionCosts& costs : {ReductionCosts{1, 1, 0, 0}, {0, 1, 0, 0.5}})
    expect_refused(sum, 0, over(two, [&](auto& o) { o.costs = costs; }), "platform");
  for (const double compute : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    expect_refused(sum, 0, over(two, [&](auto& o) { o.costs = ReductionCosts{0, compute, 0, 0}; }), "costs");
  ReductionOptions both = over(two, [](auto& o) { o.costs = ReductionCosts{0, 1, 0, 0}; });
  both.measure = true;
  expect_refused(sum, 0, both, "costs");
  for (const char* algorithm : {"ordered-tree", "fibonacci", "native", "best"})
    EXPECT_THROW(ElementReduction(MPI_COMM_WORLD, sum, 0, over(two, [&](auto& o) { o.algorithm = algorithm; })),
                 InputError);
}

TEST(ElementReduction, ArgumentsThatDifferAreRefusedOnEveryRank) {
  if (size() == 1) return;
  const bool odd = rank() == size() - 1;
  expect_refused({odd ? 11 : 10, MPI_INT64_T, MPI_SUM}, 0, {}, "arguments");
  expect_refused({10, odd ? MPI_INT32_T : MPI_INT64_T, MPI_SUM}, 0, {}, "arguments");
  const ElementOperation sum{10, MPI_INT64_T, MPI_SUM};
  expect_refused(sum, odd ? 1 : 0, {}, "arguments");
  expect_refused(sum, odd ? -1 : 0, {}, "root");
  const std::array<void (*)(ReductionOptions&), 8> changes{
      [](ReductionOptions& o) { o.costs = ReductionCosts{}; },
      [](ReductionOptions& o) { o.measure = true; },
      [](ReductionOptions& o) { o.platform = testing::platform_of(size(), 2); },
      [](ReductionOptions& o) { o.algorithm = "binomial"; },
      [](ReductionOptions& o) { o.segments = 2; },
      [](ReductionOptions& o) { o.reproducible = true; },
      [](ReductionOptions& o) { o.try_native = false; },
      [](ReductionOptions& o) { o.dynamic = true; }};
  for (const auto change : changes) {
    ReductionOptions options;
    if (odd) change(options);
    expect_refused(sum, 0, options, "arguments");
  }
}

void add_both_ints(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  const auto* const a = static_cast<int*>(in);
  auto* const b = static_cast<int*>(inout);
  for (int i = 0; i < 2 * *count; ++i) b[i] += a[i];
}

// Handles are numbers of a rank's own.
TEST(ElementReduction, OneOperationMayHaveDifferentHandles) {
  MPI_Op other_op = MPI_OP_NULL;
  MPI_Datatype other_type = MPI_DATATYPE_NULL;
  if (rank() == 0) {
    MPI_Op_create(add_both_ints, 1, &other_op);
    MPI_Type_contiguous(3, MPI_INT, &other_type);
  }
  MPI_Op op = MPI_OP_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op_create(add_both_ints, 1, &op);
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_commit(&type);
  ReductionOptions measured;
  measured.measure = true;
  ReductionOptions dynamic;
  dynamic.dynamic = true;
  ReductionOptions any_order;
  any_order.reproducible = false;
  for (const ReductionOptions& options : {ReductionOptions{}, measured, dynamic, any_order}) {
    ElementReduction job(MPI_COMM_WORLD, {100, type, op}, 0, options);
    const std::vector<int> own(200, rank() + 1);
    std::vector<int> result(200);
    for (int round = 0; round < 2; ++round) job.execute(own.data(), result.data());
    EXPECT_TRUE(rank() != 0 || result == std::vector<int>(200, size() * (size() + 1) / 2));
  }
  if (rank() == 0) {
    MPI_Op_free(&other_op);
    MPI_Type_free(&other_type);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&type);
}

/// On the ranks that hear of it in this execution; the others in the next one.
TEST(ElementReduction, ABadBufferEndsTheJobOnEveryRank) {
  for (const int culprit : {0, size() - 1}) {
    for (const std::int64_t count : {10, 200'000}) {
      for (const bool of_result : {false, true}) {
        if (of_result && culprit != 0) continue;
        ReductionOptions options;
        options.algorithm = "chain";
        ElementReduction job(MPI_COMM_WORLD, {count, MPI_INT64_T, MPI_SUM}, 0, options);
        const std::vector<std::int64_t> own(static_cast<std::size_t>(count), 1);
        std::vector<std::int64_t> result(own.size());
        job.execute(own.data(), result.data());
        const auto error_of = [&](const void* from, void* to) -> std::string {
          try {
            job.execute(from, to);
          } catch (const InputError& error) {
            return error.where();
          }
          return "";
        };
        const bool bad = rank() == culprit;
        const std::string error =
            error_of(bad && !of_result ? nullptr : own.data(), bad && of_result ? nullptr : result.data());
        const std::string where = of_result ? "result" : "own";
        const bool waits = bad || rank() == 0;
        EXPECT_TRUE(error == where || (error.empty() && !waits)) << error;
        MPI_Barrier(MPI_COMM_WORLD);
        EXPECT_EQ(error_of(own.data(), result.data()), error.empty() ? where : "reduction");
      }
    }
  }
}

}  // namespace
}  // namespace sluice::mpi
