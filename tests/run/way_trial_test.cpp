#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "run/exchange_testing.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"

// Whether a plan or MPI's own call serves is found out by jobs one after the other, and the same on all ranks whatever
// happens to them.

namespace sluice::mpi {
namespace {

using testing::Comm;
using testing::Draw;
using testing::rank;
using testing::size;

constexpr int kDecided = static_cast<int>(detail::TrialState::kExecutions) + 1;  // execution that finds the decision

/// Everybody has something for everybody.
class Exchanging {
 public:
  explicit Exchanging(MPI_Comm comm) : job_(comm, all()) {}

  void start(int round) {
    round_ = round;
    out_.resize(static_cast<std::size_t>(job_.send_bytes()));
    in_.assign(static_cast<std::size_t>(job_.receive_bytes()), std::byte{0});
    testing::fill(job_.sends(), rank(), round, out_);
    job_.start(out_, in_);
  }
  void wait() {
    job_.wait();
    EXPECT_EQ(testing::wrong_byte(job_.receives(), rank(), round_, in_), "") << "round " << round_;
  }
  void execute(int round) {
    start(round);
    wait();
  }
  /// On this rank there is no room for what comes.
  void fail() { job_.execute(out_, {}); }
  [[nodiscard]] bool settled() const { return job_.settled(); }

 private:
  static std::vector<MessageSize> all() {
    std::vector<MessageSize> sends;
    for (int to = 0; to < size(); ++to) sends.push_back({to, 1000 + 10 * to + rank()});
    return sends;
  }

  Exchange job_;
  int round_ = 0;
  std::vector<std::byte> out_, in_;
};

TEST(WayTrial, IsGoneOnWithByTheNextJob) {
  if (size() == 1) return;
  const Comm comm;
  for (int round = 1; round <= kDecided + 2; ++round) {
    Exchanging job(comm.get());
    EXPECT_EQ(job.settled(), round > kDecided) << round;
    job.execute(round);
    EXPECT_EQ(job.settled(), round >= kDecided) << round;
  }
}

TEST(WayTrial, OfARedistributionToo) {
  if (size() == 1) return;
  const Comm comm;
  const testing::Case c{{1000}, {{size()}, {7}}, {{size()}, {3}}, 8, {}};
  for (int round = 1; round <= kDecided + 2; ++round) {
    testing::Arrays arrays = testing::make_arrays(c, rank(), static_cast<std::uint64_t>(round));
    Redistribution job(comm.get(), c.shape, c.from, c.to, c.element_size);
    EXPECT_EQ(job.settled(), round > kDecided) << round;
    job.execute(arrays.source.data(), arrays.target.data());
    EXPECT_EQ(testing::difference(arrays.target, arrays.expected), "");
  }
}

TEST(WayTrial, OtherMessagesAreTriedAnew) {
  if (size() == 1) return;
  const Comm comm;
  for (int round = 1; round <= kDecided; ++round) Exchanging(comm.get()).execute(round);
  const Exchange other(comm.get(), {{(rank() + 1) % size(), 5}});
  EXPECT_FALSE(other.settled());
  EXPECT_TRUE(Exchanging(comm.get()).settled());
}

/// Jobs with the same arguments begin one by one; they end, and some of them fail, as each rank likes.
TEST(WayTrial, RanksAgreeWhateverHappensToJobs) {
  if (size() == 1) return;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Comm comm;
    Draw common(seed);
    Draw own(seed * 100 + static_cast<std::uint64_t>(rank()));
    std::vector<std::unique_ptr<Exchanging>> jobs;
    std::vector<bool> under_way;
    const auto wait = [&](std::size_t i) {
      if (under_way[i]) jobs[i]->wait();
      under_way[i] = false;
    };
    const auto drop = [&](std::size_t i) {
      jobs.erase(jobs.begin() + static_cast<std::ptrdiff_t>(i));
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (int round = 0; round < 60; ++round) {
      if (jobs.empty() || common.chance(3)) {
        jobs.push_back(std::make_unique<Exchanging>(comm.get()));
        under_way.push_back(false);
      }
      const auto i = static_cast<std::size_t>(common.between(0, static_cast<int>(jobs.size()) - 1));
      switch (common.between(0, 5)) {
        case 0: {  // fails on one rank, and with it on all; with MPI's call under way the others are lost, too
          for (std::size_t j = 0; j < jobs.size(); ++j) wait(j);
          const bool here = common.between(0, size() - 1) == rank();
          jobs[i]->execute(round);
          const auto fails = [&] {
            if (here) jobs[i]->fail();
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
            while (std::chrono::steady_clock::now() < end) jobs[i]->execute(round);
          };
          EXPECT_THROW(fails(), InputError);
          jobs.clear();
          under_way.clear();
          break;
        }
        case 1:
          wait(i);
          drop(i);
          break;
        default:
          wait(i);
          jobs[i]->start(round);
          under_way[i] = true;
      }
      // Some ranks are done with more of them than others.
      for (std::size_t j = 0; j < jobs.size(); ++j)
        if (own.chance(2)) wait(j);
    }
    for (std::size_t j = 0; j < jobs.size(); ++j) wait(j);
  }
}

TEST(TrialState, IsResumedWhereAllRanksHaveCome) {
  using detail::common_progress;
  using detail::progress_of;
  using detail::resumed;
  using Stage = detail::TrialState::Stage;
  detail::TrialState state;
  EXPECT_EQ(progress_of(state), 0);
  state.executions = 5;
  state.stage = Stage::kTrying;
  state.times = {1, 2, 3, 0, 0, 0};
  EXPECT_EQ(resumed(state, 5).executions, 5U);
  EXPECT_EQ(resumed(state, 3).times[0], 1);
  EXPECT_EQ(resumed(state, 2).stage, Stage::kTrying);
  EXPECT_EQ(resumed(state, 1).stage, Stage::kFirst);
  detail::TrialState native = state, planned = state;
  native.stage = Stage::kNative;
  planned.stage = Stage::kPlanned;
  EXPECT_EQ(resumed(native, progress_of(native)).stage, Stage::kNative);
  EXPECT_EQ(common_progress(progress_of(native), progress_of(native)), progress_of(native));
  // Decided on some ranks, or not alike: all decide once more.
  for (const detail::TrialState& other : {planned, state}) {
    const std::array<std::int64_t, 2> both{progress_of(native), progress_of(other)};
    const std::int64_t common = common_progress(std::min(both[0], both[1]), std::max(both[0], both[1]));
    EXPECT_EQ(resumed(native, common).stage, Stage::kTrying);
    EXPECT_EQ(resumed(other, common).stage, Stage::kTrying);
    EXPECT_EQ(resumed(other, common).executions, resumed(native, common).executions);
  }
}

}  // namespace
}  // namespace sluice::mpi
