// Plans that are kept for later jobs: which ones go, how many stay, and that a job which finds its plan makes none.

#include "run/mpi/runtime/plan_cache.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/mpi/runtime/context.hpp"
#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::mpi {
namespace {

using detail::PlanCache;
using testing::Comm;
using testing::platform_of;
using testing::rank;
using testing::size;

/// A plan that is its number.
void put(PlanCache& cache, const std::string& key, int number) {
  cache.put(key, number, std::make_shared<const int>(number));
}
/// That number, 0 if there is none.
int found(PlanCache& cache, const std::string& key) {
  const PlanCache::Entry* const entry = cache.find(key);
  return entry == nullptr ? 0 : *static_cast<const int*>(entry->plan.get());
}

TEST(PlanCache, TheOneUsedLeastRecentlyGoesFirst) {
  PlanCache cache;
  cache.set_capacity(3);
  put(cache, "a", 1);
  put(cache, "b", 2);
  put(cache, "c", 3);
  EXPECT_EQ(found(cache, "a"), 1);  // used now
  put(cache, "d", 4);
  EXPECT_EQ(cache.size(), 3U);
  EXPECT_EQ(found(cache, "b"), 0);
  EXPECT_EQ(found(cache, "a"), 1);
  EXPECT_EQ(found(cache, "c"), 3);
  EXPECT_EQ(found(cache, "d"), 4);
  // What takes the place of another one counts as used, too, and makes no room.
  put(cache, "a", 5);
  EXPECT_EQ(cache.size(), 3U);
  put(cache, "e", 6);
  EXPECT_EQ(found(cache, "c"), 0);
  EXPECT_EQ(found(cache, "a"), 5);
}

TEST(PlanCache, OfASmallerOneTheOnesUsedLastStay) {
  PlanCache cache;
  put(cache, "none", 1);
  EXPECT_EQ(cache.size(), 0U) << "of an empty one";
  cache.set_capacity(4);
  for (const int number : {1, 2, 3, 4}) put(cache, std::to_string(number), number);
  EXPECT_EQ(found(cache, "1"), 1);
  cache.set_capacity(2);
  EXPECT_EQ(cache.capacity(), 2U);
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_EQ(found(cache, "1"), 1);
  EXPECT_EQ(found(cache, "4"), 4);
  EXPECT_EQ(found(cache, "2") + found(cache, "3"), 0);
  cache.set_capacity(0);
  EXPECT_EQ(cache.size(), 0U);
  // Numbers are never given twice, whatever has gone.
  EXPECT_EQ(cache.last_number(), 4);
}

// ---- jobs

/// Makes a job with arguments that depend on `variant`, of 0 to 2, and executes it where it plans only then.
using Make = std::function<void(MPI_Comm, int variant)>;

std::vector<std::pair<std::string, Make>> kinds() {
  std::vector<std::pair<std::string, Make>> all;
  all.emplace_back("redistribution", [](MPI_Comm comm, int variant) {
    const Redistribution job(comm, {600}, {{size()}, {7 + variant}}, {{size()}, {3}}, 8);
  });
  all.emplace_back("batch", [](MPI_Comm comm, int variant) {
    const std::vector<RedistributionArray> arrays{{{600}, {{size()}, {7 + variant}}, {{size()}, {3}}, 8, {}}};
    const RedistributionBatch job(comm, arrays);
  });
  all.emplace_back("exchange", [](MPI_Comm comm, int variant) {
    const Exchange job(comm, {{(rank() + 1) % size(), 1000 + variant}});
  });
  all.emplace_back("exchange by a plan", [](MPI_Comm comm, int variant) {
    const std::vector<MessageSize> sends{{(rank() + 1) % size(), 1000 + variant}};
    const Exchange job(comm, sends, {.max_transfers = 1});
  });
  all.emplace_back("elements", [](MPI_Comm comm, int variant) {
    const ElementReduction job(comm, {100 + variant, MPI_INT, MPI_SUM}, 0);
  });
  all.emplace_back("elements over a platform", [](MPI_Comm comm, int variant) {
    ReductionOptions options;
    options.platform = platform_of(size(), 2);
    const ElementReduction job(comm, {100 + variant, MPI_INT, MPI_SUM}, 0, options);
  });
  all.emplace_back("objects", [](MPI_Comm comm, int variant) {
    const auto keep = [](std::span<const std::byte>, std::span<const std::byte> right, Bytes& result) {
      result.assign(right.begin(), right.end());
    };
    ReductionOptions options;
    options.costs = ReductionCosts{1, 2 + static_cast<double>(variant)};
    const ObjectReduction job(comm, {keep, false}, 0, options);
  });
  all.emplace_back("broadcast over a platform", [](MPI_Comm comm, int variant) {
    BroadcastOptions options;
    options.platform = platform_of(size(), 2);
    Broadcast job(comm, 0, options);
    constexpr std::byte kSent{5};
    std::vector<std::byte> buffer(std::size_t{1000} << variant, rank() == 0 ? kSent : std::byte{0});
    job.execute(buffer.data(), static_cast<std::int64_t>(buffer.size()));  // sizes of one class share a plan
    EXPECT_EQ(std::ranges::count(buffer, kSent), std::ssize(buffer));
  });
  all.emplace_back("allgather", [](MPI_Comm comm, int variant) { const Allgather job(comm, 1000 + variant); });
  return all;
}

/// How many plans were made since; a plan that is made is put into the cache of the communicator.
class Plannings {
 public:
  explicit Plannings(MPI_Comm comm) : plans_(detail::Context::of(comm)->plans()), before_(plans_.last_number()) {}
  [[nodiscard]] std::int64_t count() const { return plans_.last_number() - before_; }

 private:
  PlanCache& plans_;
  std::int64_t before_;
};

TEST(KeptPlans, ASecondJobWithTheSameArgumentsDoesNotPlanAgain) {
  for (const auto& [name, make] : kinds()) {
    SCOPED_TRACE(name);
    const Comm comm;
    const Plannings plannings(comm.get());
    make(comm.get(), 0);
    EXPECT_EQ(plannings.count(), 1);
    make(comm.get(), 0);
    EXPECT_EQ(plannings.count(), 1);
    make(comm.get(), 1);
    EXPECT_EQ(plannings.count(), 2) << "other arguments";
    make(comm.get(), 0);
    make(comm.get(), 1);
    EXPECT_EQ(plannings.count(), 2);
    // Each communicator has plans of its own.
    const Comm other;
    const Plannings there(other.get());
    make(other.get(), 0);
    EXPECT_EQ(there.count(), 1);
    EXPECT_EQ(plannings.count(), 2);
  }
}

// Where a plan would cost more than it can save.
TEST(KeptPlans, NoneIsMadeForTheFirstShortBroadcastOverAFastPlatform) {
  if (size() == 1) GTEST_SKIP() << "one rank";
  for (const bool fast : {true, false}) {
    for (const bool may_try : {true, false}) {
      const Comm comm;
      const Plannings plannings(comm.get());
      BroadcastOptions options;
      options.platform = platform_of(size(), fast ? 1 : 2);
      options.try_native = may_try;
      std::vector<std::byte> buffer(8 << 10);
      const auto execute = [&](Broadcast& job, std::byte sent) {
        std::ranges::fill(buffer, rank() == 0 ? sent : std::byte{0});
        job.execute(buffer.data(), std::ssize(buffer));
        EXPECT_EQ(std::ranges::count(buffer, sent), std::ssize(buffer));
      };
      Broadcast job(comm.get(), 0, options);
      execute(job, std::byte{1});
      EXPECT_EQ(plannings.count(), fast && may_try ? 0 : 1);
      for (int again = 2; again < 14; ++again) execute(job, std::byte(again));
      EXPECT_EQ(plannings.count(), 1);
      Broadcast asked(comm.get(), 0, options);
      EXPECT_NE(asked.chosen(5000).method, "native");
      EXPECT_EQ(plannings.count(), 2) << "who asks for the plan gets one";
    }
  }
}

// Clusters of one rank have no times of their own.
TEST(KeptPlans, NoneIsMadeForTheFirstShortBroadcastBetweenRanksThatAreClusters) {
  if (size() == 1) GTEST_SKIP() << "one rank";
  const Comm comm;
  const Plannings plannings(comm.get());
  BroadcastOptions options;
  options.platform = platform_of(size(), size());
  for (PlatformCluster& cluster : options.platform->clusters) cluster.gap = {};
  for (PlatformLink& link : options.platform->links) {
    link.latency_s = 1e-7;
    link.gap = GapTable({{1, 1e-7}, {1 << 20, 1e-4}});
  }
  Broadcast job(comm.get(), 0, options);
  for (const std::byte sent : {std::byte{1}, std::byte{2}}) {
    std::vector<std::byte> buffer(8 << 10, rank() == 0 ? sent : std::byte{0});
    job.execute(buffer.data(), std::ssize(buffer));
    EXPECT_EQ(std::ranges::count(buffer, sent), std::ssize(buffer));
    EXPECT_EQ(plannings.count(), sent == std::byte{1} ? 0 : 1);
  }
}

TEST(KeptPlans, AsManyAsSetAndThoseUsedLast) {
  for (const auto& [name, make] : kinds()) {
    SCOPED_TRACE(name);
    const Comm comm;
    set_kept_plans(comm.get(), 2);
    const Plannings plannings(comm.get());
    make(comm.get(), 0);
    make(comm.get(), 1);
    make(comm.get(), 0);
    make(comm.get(), 2);  // drops the plan of 1
    EXPECT_EQ(plannings.count(), 3);
    make(comm.get(), 0);
    EXPECT_EQ(plannings.count(), 3) << "the one used last but one";
    make(comm.get(), 1);
    EXPECT_EQ(plannings.count(), 4) << "the one that has gone";
    set_kept_plans(comm.get(), 0);
    make(comm.get(), 1);
    make(comm.get(), 1);
    EXPECT_EQ(plannings.count(), 6) << "nothing is kept";
  }
}

// Rank 0, which plans for others, may keep what they do not, and the other way round.
TEST(KeptPlans, ThatOneRankHasLostAreMadeAgainByAll) {
  for (const auto& [name, make] : kinds()) {
    for (const int loser : {0, size() - 1}) {
      SCOPED_TRACE(name);
      const Comm comm;
      const Plannings plannings(comm.get());
      make(comm.get(), 0);
      if (rank() == loser) {
        PlanCache& plans = detail::Context::of(comm.get())->plans();
        const std::size_t capacity = plans.capacity();
        plans.set_capacity(0);
        plans.set_capacity(capacity);
      }
      make(comm.get(), 0);
      EXPECT_EQ(plannings.count(), 2) << loser;
      make(comm.get(), 0);
      EXPECT_EQ(plannings.count(), 2) << "which all keep now";
    }
  }
}

TEST(KeptPlans, OfNoIntracommunicatorAreRefused) { EXPECT_THROW(set_kept_plans(MPI_COMM_NULL, 1), InputError); }

}  // namespace
}  // namespace sluice::mpi
