#include "run/mpi/exchange/exchange_part.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "sluice/plan/exchange.hpp"

namespace sluice::mpi::detail {
namespace {

StepSchedule schedule_of(std::vector<Step> steps) {
  StepSchedule schedule;
  schedule.steps = std::move(steps);
  return schedule;
}

TEST(Split, OneSlotIsHandedFromReceiverToSender) {
  // 0 to 1, then 2 to 3.
  const auto parts = split(schedule_of({{5, {{0, 1, 0, 5}}}, {7, {{2, 3, 0, 7}}}}), 4, 1);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].sends, (std::vector<ExchangePart::Send>{{1, 0, 5, 0, 1}}));
  EXPECT_EQ(parts[2].sends, (std::vector<ExchangePart::Send>{{3, 0, 7, 1, 2}}));
  ASSERT_EQ(parts[1].transfers_in.size(), 1U);
  ASSERT_EQ(parts[1].transfers_in[0].successors.size(), 1U);
  EXPECT_EQ(parts[1].transfers_in[0].successors[0].rank, 2);
  EXPECT_EQ(parts[1].transfers_in[0].successors[0].step, 1);
  ASSERT_EQ(parts[3].transfers_in.size(), 1U);
  EXPECT_TRUE(parts[3].transfers_in[0].successors.empty());
  for (const ExchangePart& part : parts) EXPECT_EQ(part.steps, 2);
}

TEST(Split, OneReceiverNeedsNoToken) {
  const auto parts = split(schedule_of({{5, {{0, 2, 0, 5}}}, {7, {{1, 2, 0, 7}}}}), 3, 1);
  EXPECT_EQ(parts[0].sends[0].permissions, 1);
  EXPECT_EQ(parts[1].sends[0].permissions, 1);
  EXPECT_TRUE(parts[2].transfers_in[0].successors.empty());
  EXPECT_EQ(parts[2].transfers_in[1].step, 1);
}

TEST(Split, ASenderKeepsItsSlotAndTheRestTakeWhatComesFreeFirst) {
  // The slot of 0 to 3 is free after 2, that of 1 to 4 after 9: 2 to 6 takes the first, 1 to 5 its own.
  const auto parts = split(schedule_of({{9, {{0, 3, 0, 2}, {1, 4, 0, 9}}}, {3, {{2, 6, 0, 3}, {1, 5, 0, 3}}}}), 7, 2);
  EXPECT_EQ(parts[3].transfers_in[0].successors.at(0).rank, 2);
  EXPECT_EQ(parts[4].transfers_in[0].successors.at(0).rank, 1);
  EXPECT_EQ(parts[4].transfers_in[0].successors.at(0).step, 1);
}

/// Lets transfers of random duration start whenever the rules of mode chain allow it.
class Rehearsal {
 public:
  Rehearsal(const std::vector<ExchangePart>& parts, std::mt19937_64& generator) : parts_(parts), generator_(generator) {
    waiting_.resize(parts.size());
    sent_.resize(parts.size(), 0);
    received_.resize(parts.size(), 0);
    for (std::size_t r = 0; r < parts.size(); ++r) {
      for (const auto& send : parts[r].sends) waiting_[r].push_back(send.permissions);
    }
    for (std::size_t r = 0; r < parts.size(); ++r) go(r);
  }

  /// Whether all has been sent; `most` is how many ran at once.
  bool run(std::size_t& most) {
    std::vector<std::pair<std::size_t, std::size_t>> running;  // sender, number
    while (true) {
      for (std::size_t r = 0; r < parts_.size(); ++r) {
        const bool busy = std::ranges::any_of(running, [&](const auto& t) { return t.first == r; });
        if (busy || sent_[r] == parts_[r].sends.size() || waiting_[r][sent_[r]] > 0) continue;
        running.emplace_back(r, sent_[r]++);
      }
      most = std::max(most, running.size());
      if (running.empty()) break;
      const auto ended = running.begin() + static_cast<std::ptrdiff_t>(generator_() % running.size());
      release(ended->first, ended->second);
      running.erase(ended);
    }
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      if (sent_[r] < parts_[r].sends.size() || received_[r] < parts_[r].transfers_in.size()) return false;
    }
    return true;
  }

 private:
  void permit(int rank, std::int64_t step) {
    const auto& sends = parts_[static_cast<std::size_t>(rank)].sends;
    const auto send = std::ranges::find(sends, step, &ExchangePart::Send::step);
    ASSERT_NE(send, sends.end());
    int& waiting = waiting_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(send - sends.begin())];
    EXPECT_GT(waiting, 0);
    --waiting;
  }
  void go(std::size_t receiver) {
    const auto& transfers = parts_[receiver].transfers_in;
    if (received_[receiver] == transfers.size()) return;
    permit(transfers[received_[receiver]].peer, transfers[received_[receiver]].step);
  }
  void release(std::size_t sender, std::size_t number) {
    const auto receiver = static_cast<std::size_t>(parts_[sender].sends[number].peer);
    const auto& transfer = parts_[receiver].transfers_in[received_[receiver]];
    EXPECT_EQ(transfer.peer, static_cast<int>(sender)) << "not the receiver's turn";
    EXPECT_EQ(transfer.step, parts_[sender].sends[number].step);
    ++received_[receiver];
    for (const ChainLinks::Send& successor : transfer.successors) permit(successor.rank, successor.step);
    go(receiver);
  }

  const std::vector<ExchangePart>& parts_;
  std::mt19937_64& generator_;
  std::vector<std::vector<int>> waiting_;
  std::vector<std::size_t> sent_;
  std::vector<std::size_t> received_;
};

TEST(Split, SlotsThatComeBackGoOnFromThoseInUse) {
  // k = 2, 1, 2: the second slot's own last transfer, of step 0, ends early; that of step 2 waits for step 1 even so.
  StepSchedule schedule =
      schedule_of({{10, {{0, 1, 0, 10}, {2, 3, 0, 1}}}, {10, {{4, 5, 0, 10}}}, {10, {{0, 3, 0, 10}, {2, 1, 0, 10}}}});
  schedule.setup = 1;
  schedule.speeds.backbone = {{0, 2}, {11, 1}, {22, 2}};
  const auto parts = split(schedule, 6, 2);
  EXPECT_EQ(parts[4].sends.at(0).permissions, 2);
  EXPECT_EQ(parts[1].transfers_in[0].successors.size(), 1U);
  EXPECT_EQ(parts[1].transfers_in[0].successors.at(0).rank, 4);
  EXPECT_TRUE(parts[3].transfers_in[0].successors.empty());
  ASSERT_EQ(parts[5].transfers_in[0].successors.size(), 2U);
  EXPECT_EQ(parts[0].sends.at(1).permissions, 2);
  EXPECT_EQ(parts[2].sends.at(1).permissions, 2);
}

TEST(Split, NeverMoreThanTheSlotsAndNoDeadlock) {
  std::mt19937_64 generator(17);
  const auto draw = [&](std::int64_t below) {
    return static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(below));
  };
  for (int i = 0; i < 150; ++i) {
    const std::int64_t ranks = 1 + draw(9);
    Traffic traffic{ranks, ranks, {}};
    std::map<std::pair<int, int>, std::int64_t> missing;
    for (std::int64_t from = 0; from < ranks; ++from) {
      for (std::int64_t to = 0; to < ranks; ++to) {
        if (from == to || draw(3) == 0) continue;
        traffic.messages.push_back({from, to, 1 + draw(i % 2 == 0 ? 5 : 1000)});
        missing[{static_cast<int>(from), static_cast<int>(to)}] = traffic.messages.back().size;
      }
    }
    const std::int64_t k = 1 + draw(ranks);
    sluice::ExchangeOptions how;
    how.algorithm = draw(2) == 0 ? "oggp" : "weights";
    NetworkSpeeds speeds;  // of every other round: k falls and rises
    if (i % 4 >= 2) speeds.backbone = {{0, k}, {5, 1 + draw(k)}, {20, 1 + draw(k)}, {300, k}};
    const auto parts =
        split(sluice::plan_exchange({traffic, k, 1, 1, speeds}, how).schedule, static_cast<int>(ranks), k);
    for (std::size_t r = 0; r < parts.size(); ++r) {
      for (const auto& send : parts[r].sends) missing[{static_cast<int>(r), send.peer}] -= send.bytes;
    }
    for (const auto& [pair, bytes] : missing) EXPECT_EQ(bytes, 0) << pair.first << " to " << pair.second;
    for (int again = 0; again < 5; ++again) {
      std::size_t most = 0;
      Rehearsal rehearsal(parts, generator);
      EXPECT_TRUE(rehearsal.run(most)) << "stuck";
      EXPECT_LE(static_cast<std::int64_t>(most), k);
    }
  }
}

}  // namespace
}  // namespace sluice::mpi::detail
