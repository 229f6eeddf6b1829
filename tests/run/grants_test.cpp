#include "run/mpi/engine/grants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "run/mpi/engine/throughput_tuner.hpp"

namespace sluice::mpi::detail {
namespace {

TEST(Grants, TheMostLoadedPortComesFirst) {
  Grants grants(4, 1);
  grants.announce(0, 2, 5, 70);
  grants.announce(1, 2, 3, 71);
  grants.announce(1, 3, 4, 72);
  std::vector<std::int64_t> order;
  while (const auto grant = grants.next()) {
    order.push_back(grant->number);
    EXPECT_FALSE(grants.next().has_value()) << "k is 1";
    EXPECT_EQ(grants.release(grant->id), grant->bytes);
  }
  EXPECT_EQ(order, (std::vector<std::int64_t>{71, 70, 72}));
  EXPECT_TRUE(grants.idle());
}

TEST(Grants, KCanChange) {
  Grants grants(6, 1);
  for (int from = 0; from < 3; ++from) grants.announce(from, from + 3, 10, from);
  EXPECT_TRUE(grants.next().has_value());
  EXPECT_TRUE(grants.full());
  EXPECT_FALSE(grants.next().has_value());
  grants.set_max_transfers(3);
  EXPECT_FALSE(grants.full());
  EXPECT_TRUE(grants.next().has_value());
  EXPECT_TRUE(grants.next().has_value());
  EXPECT_FALSE(grants.next().has_value());
  EXPECT_EQ(grants.running(), 3);
}

/// Against a list of what waits: never more than k nor two at a port, and never idle where something could start.
TEST(Grants, RandomTraffic) {
  std::mt19937_64 generator(3);
  const auto draw = [&](std::int64_t below) {
    return static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(below));
  };
  for (int i = 0; i < 200; ++i) {
    const int ranks = static_cast<int>(2 + draw(6));
    const std::int64_t k = 1 + draw(4);
    Grants grants(ranks, k);
    std::vector<Grants::Grant> waiting;
    std::vector<Grants::Grant> running;
    std::int64_t announced = 0;
    std::int64_t ended = 0;
    for (int event = 0; event < 120; ++event) {
      if (event < 80 && draw(2) == 0) {
        const int from = static_cast<int>(draw(ranks));
        const int to = static_cast<int>((from + 1 + draw(ranks - 1)) % ranks);
        const std::int64_t bytes = 1 + draw(20);
        grants.announce(from, to, bytes, announced);
        waiting.push_back({0, from, to, bytes, announced++});
      }
      const auto busy = [&](const Grants::Grant& m) {
        return std::ranges::any_of(running, [&](const auto& r) { return r.from == m.from || r.to == m.to; });
      };
      while (const auto grant = grants.next()) {
        const auto at = std::ranges::find(waiting, grant->number, &Grants::Grant::number);
        ASSERT_NE(at, waiting.end());
        EXPECT_EQ(at->from, grant->from);
        EXPECT_EQ(at->to, grant->to);
        EXPECT_EQ(at->bytes, grant->bytes);
        ASSERT_FALSE(busy(*grant));
        running.push_back(*grant);
        waiting.erase(at);
      }
      ASSERT_LE(static_cast<std::int64_t>(running.size()), k);
      EXPECT_EQ(grants.running(), static_cast<std::int64_t>(running.size()));
      if (static_cast<std::int64_t>(running.size()) < k) {
        EXPECT_TRUE(std::ranges::all_of(waiting, busy)) << "something could have started";
      }
      if (!running.empty() && (event >= 80 || draw(2) == 0)) {
        const auto last = running.begin() + draw(static_cast<std::int64_t>(running.size()));
        EXPECT_EQ(grants.release(last->id), last->bytes);
        running.erase(last);
        ++ended;
      }
    }
    EXPECT_EQ(announced, ended + static_cast<std::int64_t>(waiting.size() + running.size()));
    EXPECT_EQ(grants.idle(), waiting.empty() && running.empty());
  }
}

/// A network that carries `capacity` transfers at 1000 bytes per second each, and no more with more. Returns k after so
/// many transfers.
std::int64_t settle(ThroughputTuner& tuner, std::int64_t k, std::int64_t capacity, int transfers, double& time) {
  for (int i = 0; i < transfers; ++i) {
    time += 100.0 / (1000.0 * static_cast<double>(std::min(k, capacity)));
    k = tuner.released(100, time, true);
  }
  return k;
}

TEST(ThroughputTuner, FindsWhatTheNetworkCarries) {
  for (const std::int64_t capacity : {1, 3, 6, 10}) {
    for (const std::int64_t start : {1, 5, 10}) {
      ThroughputTuner tuner(start, 1, 10);
      double time = 0;
      const std::int64_t k = settle(tuner, start, capacity, 1500, time);
      EXPECT_NEAR(static_cast<double>(k), static_cast<double>(capacity), 1) << "from " << start;
    }
  }
}

TEST(ThroughputTuner, FollowsAChange) {
  ThroughputTuner tuner(3, 1, 20);
  double time = 0;
  std::int64_t k = settle(tuner, 3, 8, 1500, time);
  EXPECT_NEAR(static_cast<double>(k), 8, 1);
  k = settle(tuner, k, 2, 2000, time);
  EXPECT_NEAR(static_cast<double>(k), 2, 1);
  k = settle(tuner, k, 5, 2000, time);
  EXPECT_NEAR(static_cast<double>(k), 5, 1);
}

TEST(ThroughputTuner, LearnsNothingWhereNothingWaits) {
  ThroughputTuner tuner(4, 1, 20);
  double time = 0;
  for (int i = 0; i < 500; ++i) {
    time += 0.1;
    EXPECT_EQ(tuner.released(100, time, false), 4);
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
