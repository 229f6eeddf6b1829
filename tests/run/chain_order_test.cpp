#include "run/mpi/engine/chain_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "sluice/plan/exchange.hpp"
#include "sluice/plan/shared_links.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {
namespace {

using Waits = std::vector<std::vector<std::uint32_t>>;

Waits waits_over(const StepSchedule& schedule, const std::vector<SharedLink>& links) {
  const sluice::detail::Lists<std::uint32_t> lists = waits_in_chain(schedule, 0, links);
  Waits waits;
  for (std::size_t i = 0; i < lists.size(); ++i) waits.emplace_back(lists[i].begin(), lists[i].end());
  return waits;
}

StepSchedule schedule_of(std::vector<std::vector<Transfer>> steps) {
  StepSchedule schedule;
  for (std::vector<Transfer>& transfers : steps) schedule.steps.emplace_back().transfers = std::move(transfers);
  return schedule;
}

/// From 0, 1, 2 to 3, 4, 5: one at once.
SharedLink narrow() { return {{0, 1, 2}, {3, 4, 5}, 1, 1}; }

TEST(WaitsInChain, AMessageWaitsForTheOneBeforeItOnTheLink) {
  const StepSchedule schedule =
      schedule_of({{{0, 3, 0, 9}, {1, 2, 0, 9}}, {{1, 4, 0, 9}, {0, 2, 0, 9}}, {{2, 5, 0, 9}}});
  EXPECT_EQ(waits_over(schedule, {narrow()}), (Waits{{}, {}, {0}, {}, {2}}));
}

TEST(WaitsInChain, TheReceiversGoServesForBoth) {
  const StepSchedule schedule = schedule_of({{{0, 3, 0, 9}}, {{1, 3, 0, 9}}});
  EXPECT_EQ(waits_over(schedule, {narrow()}), (Waits{{}, {}}));
}

TEST(WaitsInChain, OverTwoLinksItWaitsForBothOnce) {
  const SharedLink from_one{{1}, {3, 4, 5}, 1, 1};  // of one sender: its port is as narrow
  const SharedLink of_all{{0, 1, 2, 3}, {3, 4, 5}, 1, 1};
  const StepSchedule schedule = schedule_of({{{0, 3, 0, 9}}, {{1, 4, 0, 9}}});
  EXPECT_EQ(waits_over(schedule, {narrow(), of_all, from_one}), (Waits{{}, {0}}));
}

TEST(WaitsInChain, WithoutAPlanForTheLinkNothingWaits) {
  const StepSchedule schedule = schedule_of({{{0, 3, 0, 9}, {1, 4, 0, 9}}, {{2, 5, 0, 9}}});
  EXPECT_EQ(waits_over(schedule, {narrow()}), (Waits{{}, {}, {}}));
}

bool goes_over(const SharedLink& link, const Transfer& each) {
  return std::ranges::binary_search(link.from, each.from) && std::ranges::binary_search(link.to, each.to);
}

/// Carries a schedule out with transfers that take random times, each as soon as its ports are free and all it waits
/// for has ended; the most that were under way over each link.
std::vector<std::int64_t> most_under_way(const StepSchedule& schedule, const Waits& waits,
                                         const std::vector<SharedLink>& links, std::mt19937& random) {
  std::map<std::int64_t, double> sender_free;
  std::map<std::int64_t, double> receiver_free;
  std::vector<double> ends;
  std::vector<std::vector<std::pair<double, int>>> events(links.size());  // an end comes before a beginning
  for (const Step& step : schedule.steps) {
    for (const Transfer& each : step.transfers) {
      double begin = std::max(sender_free[each.from], receiver_free[each.to]);
      for (const std::size_t before : waits[ends.size()]) begin = std::max(begin, ends[before]);
      const double end = begin + std::uniform_real_distribution(0.5, 20.0)(random);
      ends.push_back(sender_free[each.from] = receiver_free[each.to] = end);
      for (std::size_t link = 0; link < links.size(); ++link) {
        if (!goes_over(links[link], each)) continue;
        events[link].emplace_back(begin, 1);
        events[link].emplace_back(end, -1);
      }
    }
  }
  std::vector<std::int64_t> most;
  for (std::vector<std::pair<double, int>>& of_link : events) {
    std::ranges::sort(of_link);
    std::int64_t now = 0;
    most.push_back(0);
    for (const auto& [time, change] : of_link) most.back() = std::max(most.back(), now += change);
  }
  return most;
}

TEST(WaitsInChain, WhateverTransfersTakeALinkNeverHasMoreThanItCarries) {
  std::mt19937 random(7);
  int looked_at = 0;
  for (int round = 0; round < 200; ++round) {
    const std::int64_t hosts = 2 + static_cast<std::int64_t>(random() % 4);
    std::vector<std::int64_t> left;
    std::vector<std::int64_t> right;
    for (std::int64_t host = 0; host < hosts; ++host) {
      left.push_back(host);
      right.push_back(hosts + host);
    }
    const auto carries = [&] { return 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(hosts)); };
    const std::vector<SharedLink> links{{left, right, carries(), 1}, {right, left, carries(), 1}};
    Traffic traffic{2 * hosts, 2 * hosts, {}};
    for (std::int64_t from = 0; from < 2 * hosts; ++from)
      for (std::int64_t to = 0; to < 2 * hosts; ++to)
        if (from != to) traffic.messages.push_back({from, to, 1 + static_cast<std::int64_t>(random() % 9)});
    ExchangeOptions options;
    options.effort = 0.01;
    const StepSchedule schedule = plan_over_links({traffic, 2 * hosts, 0}, {links, 0}, options).schedule;
    // Where the plan of ports is as short, it stays, and may have more in a step.
    const auto fits = [&](const SharedLink& link) {
      return std::ranges::all_of(schedule.steps, [&](const Step& step) {
        return std::ranges::count_if(step.transfers, [&](const Transfer& each) { return goes_over(link, each); }) <=
               link.max_transfers;
      });
    };
    if (!std::ranges::all_of(links, fits)) continue;
    ++looked_at;
    const std::vector<std::int64_t> most = most_under_way(schedule, waits_over(schedule, links), links, random);
    for (std::size_t link = 0; link < links.size(); ++link) EXPECT_LE(most[link], links[link].max_transfers) << round;
  }
  EXPECT_GE(looked_at, 50);
}

}  // namespace
}  // namespace sluice::mpi::detail
