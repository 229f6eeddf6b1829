#include "apps/compare/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/compare/array_contents.hpp"
#include "apps/compare/exchange_methods.hpp"
#include "apps/compare/peak_memory.hpp"
#include "apps/compare/turn_order.hpp"
#include "run/exchange_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"

namespace sluice::compare {
namespace {

namespace testing = mpi::testing;
using testing::Case;
using testing::Draw;
using testing::rank;
using testing::size;

Comparison compare(const Case& c, const std::vector<std::string>& methods, int repetitions) {
  return redistributions(MPI_COMM_WORLD, c.shape, c.from, c.to, c.element_size, c.options, methods, repetitions);
}

TEST(Compare, NoMethodAlwaysFollowsTheSameOne) {
  for (const std::size_t methods : {1U, 2U, 3U, 5U, 8U}) {
    std::set<std::pair<std::size_t, std::size_t>> followed;
    std::size_t last = methods;
    for (std::size_t round = 0; round < 1000; ++round) {
      const std::vector<std::size_t> order = order_of_round(methods, round);
      EXPECT_EQ(order, order_of_round(methods, round));
      EXPECT_EQ(std::set<std::size_t>(order.begin(), order.end()).size(), methods);
      EXPECT_EQ(*std::max_element(order.begin(), order.end()), methods - 1);
      for (const std::size_t method : order) followed.emplace(std::exchange(last, method), method);
    }
    EXPECT_EQ(followed.size(), methods * methods + 1);  // and the first one follows none
  }
}

TEST(Compare, EveryMethodIsVerifiedAndTimed) {
  const int n = size();
  const Case c{{300, 200}, {{n, 1}, {16, 16}}, {{1, n}, {25, 25}}, 8, {}};
  const std::vector<std::string> methods = redistribution_methods(one_slice(c.from, c.to), 8);
  const Comparison result = compare(c, methods, 4);
  EXPECT_TRUE(result.verified);
  EXPECT_TRUE(result.failures.empty());
  EXPECT_EQ(result.ranks, n);
  EXPECT_EQ(result.bytes_moved, 300 * 200 * 8);
  EXPECT_EQ(result.repetitions, 4);
  ASSERT_EQ(result.methods.size(), methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const MethodResult& method = result.methods[i];
    EXPECT_EQ(method.name, methods[i]);
    EXPECT_GT(method.min_s, 0) << method.name;
    EXPECT_LE(method.min_s, method.median_s) << method.name;
    EXPECT_LE(method.median_s, method.max_s) << method.name;
    EXPECT_GE(method.peak_extra_bytes, 0) << method.name;
  }
}

TEST(Compare, RandomProblems) {
  Draw draw(5);
  for (int i = 0; i < 15; ++i) {
    const Case c = testing::random_case(draw, size());
    const Comparison result = compare(c, {"sluice", "alltoallw", "sluice-greedy"}, 1);
    ASSERT_TRUE(result.verified) << testing::to_text(c) << ": " << result.failures.front();
  }
}

TEST(Compare, ForgedAndMissingBytesAreFound) {
  const Case c{{40, 7}, {{size(), 1}, {3, 2}}, {{1, size()}, {2, 1}}, 3, {}};
  Case box = c;
  box.options.extent = {20, 3};
  box.options.from_start = {5, 1};
  box.options.to_start = {0, 2};
  for (const Case& problem : {c, box}) {
    const Communicator comm(MPI_COMM_WORLD);
    const RedistributionPart part(comm,
                                  {problem.shape, problem.from, problem.to, problem.element_size, problem.options});
    ArrayContents contents(part);
    planned_redistribution(comm, part.job).execute(contents.source(), contents.target());
    EXPECT_EQ(contents.check_target(), "");
    const std::int64_t bytes = part.target_elements() * problem.element_size;
    for (std::int64_t b = 0; b < bytes; b += 5) {
      contents.target()[b] ^= std::byte{1};
      EXPECT_NE(contents.check_target(), "") << "byte " << b;
      contents.target()[b] ^= std::byte{1};
    }
    contents.reset_target();
    if (problem.options.extent.empty() && bytes > 0) {
      EXPECT_NE(contents.check_target(), "") << "nothing was moved";
    }
  }
}

TEST(Compare, BadArguments) {
  const Case good{{40}, {{1}, {3}}, {{1}, {2}}, 8, {}};
  EXPECT_THROW((void)compare(good, {"sluice"}, 0), InputError);
  EXPECT_THROW((void)compare(good, {"slice"}, 1), InputError);
  EXPECT_THROW((void)compare(good, {"sluice-fast"}, 1), InputError);
  EXPECT_THROW((void)compare(good, {"pdgemr2d"}, 1), InputError);  // one dimension
  Case bad = good;
  bad.from.grid = {size() + 1};
  EXPECT_THROW((void)compare(bad, {"sluice"}, 1), InputError);
  if (size() > 1) {
    EXPECT_THROW((void)compare(good, {rank() == 0 ? "sluice" : "alltoallv"}, 1), InputError);
  }
}

/// Every rank has something for every rank, more for higher ones.
std::vector<mpi::MessageSize> everybody() {
  std::vector<mpi::MessageSize> sends;
  for (int to = size() - 1; to >= 0; --to) sends.push_back({to, 1000 * to + 37 * rank()});
  return sends;
}

TEST(CompareExchanges, EveryMethodIsVerifiedAndTimed) {
  std::vector<std::string> methods = exchange_methods();
  for (const char* mode : {"chain", "local", "barrier", "list"}) methods.push_back(std::string("sluice-") + mode);
  mpi::ExchangeOptions options;
  options.max_transfers = 2;
  const Comparison result = exchanges(MPI_COMM_WORLD, everybody(), options, methods, 3);
  EXPECT_TRUE(result.verified);
  EXPECT_TRUE(result.failures.empty());
  const std::int64_t n = size();
  EXPECT_EQ(result.bytes_moved, n * (1000 * n * (n - 1) / 2) + n * 37 * (n * (n - 1) / 2));
  ASSERT_EQ(result.methods.size(), methods.size());
  for (std::size_t i = 0; i < methods.size(); ++i) {
    const MethodResult& method = result.methods[i];
    EXPECT_EQ(method.name, methods[i]);
    EXPECT_GT(method.min_s, 0) << method.name;
    EXPECT_LE(method.min_s, method.median_s) << method.name;
    EXPECT_LE(method.median_s, method.max_s) << method.name;
  }
}

TEST(CompareExchanges, RandomTraffic) {
  Draw draw(8);
  for (int i = 0; i < 10; ++i) {
    const testing::TrafficTable table = testing::random_traffic(draw, size(), 5000);
    std::vector<mpi::MessageSize> own;
    for (int r = 0; r < size(); ++r) {
      const std::vector<mpi::MessageSize> sends = testing::sends_of(table, r, draw);
      if (r == rank()) own = sends;
    }
    const Comparison result = exchanges(MPI_COMM_WORLD, own, {}, exchange_methods(), 1);
    ASSERT_TRUE(result.verified) << i << ": " << result.failures.front();
  }
}

TEST(CompareExchanges, ForgedAndMissingBytesAreFound) {
  const Communicator comm(MPI_COMM_WORLD);
  ComparedExchange compared(comm, everybody(), {});
  std::int64_t bytes = 0;
  for (int from = 0; from < size(); ++from) bytes += 1000 * rank() + 37 * from;
  if (bytes > 0) {
    EXPECT_NE(compared.check_target(), "") << "nothing was moved";
  }
  compared.make("sluice")->execute(compared.source(), compared.target());
  EXPECT_EQ(compared.check_target(), "");
  for (std::int64_t b = 0; b < bytes; b += 97) {
    compared.target()[b] ^= std::byte{1};
    EXPECT_NE(compared.check_target(), "") << "byte " << b;
    compared.target()[b] ^= std::byte{1};
  }
}

TEST(CompareExchanges, BadArguments) {
  EXPECT_THROW((void)exchanges(MPI_COMM_WORLD, everybody(), {}, {"sluice"}, 0), InputError);
  EXPECT_THROW((void)exchanges(MPI_COMM_WORLD, everybody(), {}, {"sluice-fast"}, 1), InputError);
  EXPECT_THROW((void)exchanges(MPI_COMM_WORLD, everybody(), {}, {"caterpillar"}, 1), InputError);
  mpi::ExchangeOptions bad;
  bad.max_transfers = rank() == size() - 1 ? -1 : 1;
  EXPECT_THROW((void)exchanges(MPI_COMM_WORLD, everybody(), bad, {"sluice"}, 1), InputError);
}

TEST(PeakMemory, SeesWhatWasFreedInBetween) {
  set_freed_memory(FreedMemory::kGiveBack);
  for (int again = 0; again < 2; ++again) {
    PeakMemory memory;
    if (!memory.start()) GTEST_SKIP() << "this system does not tell";
    constexpr std::int64_t kBytes = 20 << 20;
    {
      const auto touched = std::make_unique_for_overwrite<std::byte[]>(kBytes);
      for (std::int64_t b = 0; b < kBytes; b += 1024) touched[static_cast<std::size_t>(b)] = std::byte{1};
    }
    ASSERT_TRUE(memory.extra().has_value());
    EXPECT_GE(*memory.extra(), kBytes * 9 / 10);
    EXPECT_LE(*memory.extra(), kBytes * 11 / 10 + (1 << 20));
  }
}

}  // namespace
}  // namespace sluice::compare
