#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "run/mpi/engine/chain_order.hpp"
#include "schedule/own_part.hpp"
#include "sluice/plan/exchange.hpp"

namespace sluice::detail {
namespace {

StepSchedule schedule_of(std::vector<Step> steps) {
  StepSchedule schedule;
  schedule.steps = std::move(steps);
  return schedule;
}

std::vector<OwnPart> split(const StepSchedule& schedule, int ranks, std::int64_t slots) {
  return cut(schedule, ranks, mpi::detail::waits_in_chain(schedule, slots, {}));
}

/// The sends of a part, or its receives.
std::vector<OwnPart::Own> list(const OwnPart& part, bool sends) {
  std::vector<OwnPart::Own> result;
  for (const std::uint32_t end : ends_of(part, sends)) result.push_back(part.ends[end]);
  return result;
}

std::vector<std::int32_t> permits(const OwnPart& part) {
  std::vector<std::int32_t> result;
  for (const std::uint32_t end : ends_of(part, true)) result.push_back(part.permits[end]);
  return result;
}

/// Who hears of a receive.
std::vector<OwnPart::Hears> heard(const OwnPart& part, std::size_t receive) {
  const auto all = part.grants[ends_of(part, false)[receive]];
  return {all.begin(), all.end()};
}

TEST(Split, OneSlotIsHandedFromReceiverToSender) {
  // 0 to 1, then 2 to 3.
  const auto parts = split(schedule_of({{5, {{0, 1, 0, 5}}}, {7, {{2, 3, 1, 7}}}}), 4, 1);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].ends, (std::vector<OwnPart::Own>{{1, true, sluice::detail::MessageKind::kKeep, 0, 5, 0}}));
  EXPECT_EQ(permits(parts[0]), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(parts[2].ends, (std::vector<OwnPart::Own>{{3, true, sluice::detail::MessageKind::kKeep, 0, 7, 1}}));
  EXPECT_EQ(permits(parts[2]), (std::vector<std::int32_t>{2}));
  EXPECT_EQ(list(parts[1], false).size(), 1U);
  EXPECT_EQ(heard(parts[1], 0), (std::vector<OwnPart::Hears>{{2, 1}}));
  ASSERT_EQ(list(parts[3], false).size(), 1U);
  EXPECT_TRUE(heard(parts[3], 0).empty());
  EXPECT_EQ(parts[3].ranges[0].front(), (OwnPart::Range{1, 7, false, 2}));  // in the message of rank 2
}

TEST(Split, OneReceiverNeedsNoToken) {
  const auto parts = split(schedule_of({{5, {{0, 2, 0, 5}}}, {7, {{1, 2, 0, 7}}}}), 3, 1);
  EXPECT_EQ(permits(parts[0]), (std::vector<std::int32_t>{1}));
  EXPECT_EQ(permits(parts[1]), (std::vector<std::int32_t>{1}));
  EXPECT_TRUE(heard(parts[2], 0).empty());
  EXPECT_EQ(list(parts[2], false)[1].step, 1);
}

TEST(Split, ASenderKeepsItsSlotAndTheRestTakeWhatComesFreeFirst) {
  // The slot of 0 to 3 is free after 2, the slot of 1 to 4 after 9: 2 to 6 takes the first, 1 to 5 its own.
  const auto parts = split(schedule_of({{9, {{0, 3, 0, 2}, {1, 4, 0, 9}}}, {3, {{2, 6, 0, 3}, {1, 5, 0, 3}}}}), 7, 2);
  EXPECT_EQ(heard(parts[3], 0).at(0).rank, 2);
  EXPECT_EQ(heard(parts[4], 0).at(0), (OwnPart::Hears{1, 1}));
}

/// The part that is cut for one rank alone equals its part among all.
TEST(Split, OfOneRankIsThatOfAll) {
  const StepSchedule schedule =
      schedule_of({{9, {{0, 3, 0, 2}, {1, 4, 0, 9}}}, {3, {{2, 6, 0, 3}, {1, 5, 0, 3}}}, {2, {{3, 3, 4, 2}}}});
  const auto waits = mpi::detail::waits_in_chain(schedule, 2, {});
  const std::vector<OwnPart> parts = cut(schedule, 7, waits);
  for (std::int64_t rank = 0; rank < 7; ++rank)
    EXPECT_EQ(cut_for(schedule, rank, waits), parts[static_cast<std::size_t>(rank)]) << rank;
}

/// Lets transfers of random duration start whenever the rules of mode chain allow it.
class Rehearsal {
 public:
  Rehearsal(const std::vector<OwnPart>& parts, std::mt19937_64& generator) : parts_(parts), generator_(generator) {
    sent_.resize(parts.size(), 0);
    received_.resize(parts.size(), 0);
    for (const OwnPart& part : parts) {
      waiting_.push_back(permits(part));
      sends_.push_back(list(part, true));
      receives_.push_back(list(part, false));
    }
    for (std::size_t r = 0; r < parts.size(); ++r) go(r);
  }

  /// Whether all has been sent; `most` is how many ran at once.
  bool run(std::size_t& most) {
    std::vector<std::pair<std::size_t, std::size_t>> running;  // sender, number
    while (true) {
      for (std::size_t r = 0; r < parts_.size(); ++r) {
        const bool busy = std::ranges::any_of(running, [&](const auto& t) { return t.first == r; });
        if (busy || sent_[r] == sends_[r].size() || waiting_[r][sent_[r]] > 0) continue;
        running.emplace_back(r, sent_[r]++);
      }
      most = std::max(most, running.size());
      if (running.empty()) break;
      const auto ended = running.begin() + static_cast<std::ptrdiff_t>(generator_() % running.size());
      release(ended->first, ended->second);
      running.erase(ended);
    }
    for (std::size_t r = 0; r < parts_.size(); ++r) {
      if (sent_[r] < sends_[r].size() || received_[r] < receives_[r].size()) return false;
    }
    return true;
  }

 private:
  void permit(int rank, std::int64_t step) {
    const auto& sends = sends_[static_cast<std::size_t>(rank)];
    const auto send = std::ranges::find(sends, step, &OwnPart::Own::step);
    ASSERT_NE(send, sends.end());
    int& waiting = waiting_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(send - sends.begin())];
    EXPECT_GT(waiting, 0);
    --waiting;
  }
  void go(std::size_t receiver) {
    const auto& transfers = receives_[receiver];
    if (received_[receiver] == transfers.size()) return;
    permit(transfers[received_[receiver]].peer, transfers[received_[receiver]].step);
  }
  void release(std::size_t sender, std::size_t number) {
    const auto receiver = static_cast<std::size_t>(sends_[sender][number].peer);
    const auto& transfer = receives_[receiver][received_[receiver]];
    EXPECT_EQ(transfer.peer, static_cast<int>(sender)) << "not the receiver's turn";
    EXPECT_EQ(transfer.step, sends_[sender][number].step);
    for (const OwnPart::Hears& other : heard(parts_[receiver], received_[receiver]++)) permit(other.rank, other.step);
    go(receiver);
  }

  const std::vector<OwnPart>& parts_;
  std::mt19937_64& generator_;
  std::vector<std::vector<OwnPart::Own>> sends_, receives_;
  std::vector<std::vector<int>> waiting_;
  std::vector<std::size_t> sent_;
  std::vector<std::size_t> received_;
};

TEST(Split, SlotsThatComeBackGoOnFromThoseInUse) {
  // k = 2, 1, 2: the second slot's own last transfer, of step 0, ends early. Even so, its transfer of step 2 waits for
  // step 1.
  StepSchedule schedule =
      schedule_of({{10, {{0, 1, 0, 10}, {2, 3, 0, 1}}}, {10, {{4, 5, 0, 10}}}, {10, {{0, 3, 0, 10}, {2, 1, 0, 10}}}});
  schedule.setup = 1;
  schedule.speeds.backbone = {{0, 2}, {11, 1}, {22, 2}};
  const auto parts = split(schedule, 6, 2);
  EXPECT_EQ(permits(parts[4]).at(0), 2);
  EXPECT_EQ(heard(parts[1], 0).size(), 1U);
  EXPECT_EQ(heard(parts[1], 0).at(0).rank, 4);
  EXPECT_TRUE(heard(parts[3], 0).empty());
  ASSERT_EQ(heard(parts[5], 0).size(), 2U);
  EXPECT_EQ(permits(parts[0]).at(1), 2);
  EXPECT_EQ(permits(parts[2]).at(1), 2);
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
      for (const auto& send : list(parts[r], true)) missing[{static_cast<int>(r), send.peer}] -= send.count;
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
}  // namespace sluice::detail
