// What one rank's part of a reduction takes of memory, by counting what is allocated: a program of its own, as it
// replaces the allocation of all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "plan/reduce_testing.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/plan/reduce_scatter.hpp"

namespace {

std::int64_t held_bytes = 0;
std::int64_t most_bytes = 0;
std::int64_t allocations = 0;
constexpr std::size_t kHeader = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  void* const block = std::malloc(bytes + kHeader);
  if (block == nullptr) return nullptr;
  *static_cast<std::size_t*>(block) = bytes;
  held_bytes += static_cast<std::int64_t>(bytes);
  most_bytes = std::max(most_bytes, held_bytes);
  ++allocations;
  return static_cast<std::byte*>(block) + kHeader;
}

void* operator new(std::size_t bytes) {
  if (void* const at = operator new(bytes, std::nothrow)) return at;
  throw std::bad_alloc();
}

void operator delete(void* at) noexcept {
  if (at == nullptr) return;
  void* const block = static_cast<std::byte*>(at) - kHeader;
  held_bytes -= static_cast<std::int64_t>(*static_cast<std::size_t*>(block));
  std::free(block);
}

void operator delete(void* at, std::size_t /*bytes*/) noexcept { operator delete(at); }

namespace sluice {
namespace {

using testing::problem_of;

struct Use {
  std::int64_t bytes = 0;  ///< at most, at a time
  std::int64_t allocations = 0;
};

template <class Work>
Use use_of(const Work& work) {
  const std::int64_t before = held_bytes;
  most_bytes = held_bytes;
  allocations = 0;
  work();
  return {most_bytes - before, allocations};
}

/// n * 16 bytes, the least that a list of all machines takes, is 16 MB here, and a list of all transfers 10 GB.
TEST(ReductionPartMemory, GrowsWithTheLogarithmOfTheMachinesAndTheOwnTransfers) {
  for (const std::int64_t n : {1'000, 1'000'000, 1 << 30}) {
    for (const auto& [d, c] : {std::pair{1.0, 1.0}, {0.7, 0.1}, {0.123, 0.0456}, {1.0, 0.001}}) {
      for (const std::string algorithm : {"auto", "binomial", "fibonacci", "flat", "chain", "binary", "k-ary"}) {
        for (const bool commutative : {true, false}) {
          for (const std::int64_t segments : {1, 256}) {
            ReduceProblem problem = problem_of(n, d, c);
            problem.commutative = commutative;
            problem.segments = segments;
            const bool anywhere = commutative || algorithm == "auto" || algorithm == "flat";
            problem.root = anywhere ? n / 3 : n - 1;
            for (const std::int64_t rank : {n / 2, n - 2, std::int64_t{1}}) {
              ReductionPart part;
              const Use use = use_of([&] { part = plan_reduction_part(problem, rank, {algorithm, 4, true}); });
              const auto own = static_cast<std::int64_t>(part.receives.size() + part.sends.size());
              const std::int64_t bits = std::bit_width(static_cast<std::uint64_t>(n));
              EXPECT_LE(use.bytes, 128 * own + 256 * bits * bits) << n << " " << algorithm << " " << segments;
              EXPECT_LE(use.allocations, 16 * bits * bits * bits) << n << " " << algorithm << " " << segments;
            }
          }
        }
      }
    }
  }
}

TEST(ReductionPartMemory, AlsoWhereTheNumberOfPartsIsChosen) {
  ReduceProblem problem = problem_of(1'000'000, 1, 1);
  problem.segments = 0;
  problem.transfer_overhead = 1e-4;
  ReductionPart part;
  const Use use = use_of([&] { part = plan_reduction_part(problem, 777'777); });
  EXPECT_EQ(part.segments, 256);
  EXPECT_LE(use.bytes, 256 << 10);
  EXPECT_LE(use.allocations, 20'000);
}

TEST(ReductionPartMemory, OfAReduceScatter) {
  for (const std::int64_t n : {1'000, 1'000'000, 1 << 30}) {
    ReduceProblem problem = problem_of(n, 1, 1);
    problem.transfer_overhead = 1e-4;
    for (const std::int64_t rank : {std::int64_t{0}, n / 2, n - 1}) {
      Program part;
      const Use use = use_of([&] { part = plan_reduce_scatter_part(problem, rank, std::int64_t{1} << 32); });
      EXPECT_GT(part.length_s, 2);
      EXPECT_LE(use.bytes, 64 << 10) << n;
      EXPECT_LE(use.allocations, 20'000) << n;
    }
  }
}

}  // namespace
}  // namespace sluice
