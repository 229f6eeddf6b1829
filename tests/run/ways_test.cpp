#include "run/mpi/ways/ways.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/exchange_testing.hpp"
#include "run/mpi/runtime/median.hpp"
#include "run/mpi/runtime/trial_state.hpp"
#include "run/mpi/ways/way_watch.hpp"
#include "run/platform_testing.hpp"
#include "run/pretended_hosts.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

// Whether a plan or MPI's own call serves is found out by jobs one after the other, and the same on all ranks whatever
// happens to them; and found out again where the network changes.

namespace {

/// What MPI takes longer for the messages of a plan, and for its own collective.
double slower_plan_s = 0;
double slower_mpi_s = 0;

void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Once in an execution: of long messages one to the next rank, or the one that it sends at all.
bool only_to_next = true;
void delay_send(int bytes, int to) {
  constexpr int kLong = 900;
  const bool next = to == (sluice::mpi::testing::rank() + 1) % sluice::mpi::testing::size();
  if (bytes >= kLong && (next || !only_to_next)) sleep_for(slower_plan_s);
}

}  // namespace

// The profiling interface of MPI lets a program put itself between the library and MPI.

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  delay_send(count, to);
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}
extern "C" int MPI_Issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                          MPI_Request* request) {
  delay_send(count, to);
  return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}
extern "C" int MPI_Ialltoallw(const void* out, const int* out_counts, const int* out_offsets,
                              const MPI_Datatype* out_types, void* in, const int* in_counts, const int* in_offsets,
                              const MPI_Datatype* in_types, MPI_Comm comm, MPI_Request* request) {
  sleep_for(slower_mpi_s);
  return PMPI_Ialltoallw(out, out_counts, out_offsets, out_types, in, in_counts, in_offsets, in_types, comm, request);
}
extern "C" int MPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  sleep_for(slower_mpi_s);
  return PMPI_Ibcast(buffer, count, type, root, comm, request);
}
extern "C" int MPI_Ireduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm,
                           MPI_Request* request) {
  sleep_for(slower_mpi_s);
  return PMPI_Ireduce(from, to, count, type, op, root, comm, request);
}

namespace sluice::mpi {
namespace {

using testing::any_rank_failed;
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
  [[nodiscard]] bool native() const { return job_.native(); }

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

TEST(Ways, TimesAreToldInTheUnitThatFitsEach) {
  ReductionSummary summary;
  summary.method = "chain, 32 parts";
  summary.predicted_s = 0.0982;
  summary.planned_s = 29.9e-6;
  summary.native_s = 0.612;
  EXPECT_EQ(to_text(summary), "chain, 32 parts, predicted 98.2 ms; the plan took 29.9 us, MPI_Ireduce 612 ms");
}

TEST(Ways, TakesWhatIsClearlyFaster) {
  using Times = std::vector<double>;
  const auto faster = [](const Times& planned, const Times& other) {
    Times by_plan = planned;
    Times by_other = other;
    return detail::other_is_clearly_faster({detail::median(by_plan), detail::median(by_other)}, planned, other);
  };
  EXPECT_FALSE(faster({1, 1, 1}, {1, 1, 1}));
  EXPECT_FALSE(faster({1, 1, 1}, {1.1, 1.2, 1.3}));
  EXPECT_TRUE(faster({1.06, 1.06, 1.06}, {1, 1, 1.1}));   // a twentieth, whatever one of them took
  EXPECT_TRUE(faster({1.03, 1.03, 1.02}, {1, 1, 1.01}));  // a fiftieth, always
  EXPECT_FALSE(faster({1.03, 1.03, 1.02}, {1, 1, 1.03}));
  EXPECT_FALSE(faster({1.01, 1.01, 1.01}, {1, 1, 1}));
  EXPECT_FALSE(faster({1.03}, {1}));  // one alone is no always
  EXPECT_TRUE(faster({1.06}, {1}));
}

TEST(Ways, IsGoneOnWithByTheNextJob) {
  if (size() == 1) return;
  const Comm comm;
  for (int round = 1; round <= kDecided + 2; ++round) {
    Exchanging job(comm.get());
    EXPECT_EQ(job.settled(), round > kDecided) << round;
    job.execute(round);
    EXPECT_EQ(job.settled(), round >= kDecided) << round;
  }
}

TEST(Ways, OfARedistributionToo) {
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

TEST(Ways, OtherMessagesAreTriedAnew) {
  if (size() == 1) return;
  const Comm comm;
  for (int round = 1; round <= kDecided; ++round) Exchanging(comm.get()).execute(round);
  const Exchange other(comm.get(), {{(rank() + 1) % size(), 5}});
  EXPECT_FALSE(other.settled());
  EXPECT_TRUE(Exchanging(comm.get()).settled());
}

/// Jobs with the same arguments begin one by one; they end, and some of them fail, as each rank likes.
TEST(Ways, RanksAgreeWhateverHappensToJobs) {
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

/// A network that changes: the job follows, to the other way and back.
template <class Job>
void expect_to_follow(Job& job) {
  int round = 0;
  const auto executions_until = [&](bool native) {
    constexpr int kMost = 60;  // other work on the machine may look like a change
    for (int executions = 0;; ++executions) {
      if (any_rank_failed() || (job.settled() && job.native() == native) || executions == kMost) return executions;
      job.execute(++round);
    }
  };
  constexpr double kQuick_s = 0.002, kUsual_s = 0.010, kSlow_s = 0.050;
  slower_plan_s = kUsual_s;
  slower_mpi_s = kQuick_s;
  EXPECT_LT(executions_until(true), 60);
  slower_mpi_s = kSlow_s;
  EXPECT_LT(executions_until(false), 60);
  slower_plan_s = kSlow_s;
  slower_mpi_s = kUsual_s;
  EXPECT_LT(executions_until(true), 60);
  slower_plan_s = slower_mpi_s = 0;
}

TEST(Ways, FollowsANetworkThatChanges) {
  if (size() == 1) return;
  const testing::PretendedHosts hosts(1);
  const Comm comm;
  Exchanging job(comm.get());
  expect_to_follow(job);
}

/// From the first rank to all, over a platform of two clusters.
class Broadcasting {
 public:
  explicit Broadcasting(MPI_Comm comm) : job_(comm, 0, {.platform = testing::platform_of(size(), 2)}) {}
  void execute(int round) {
    std::vector<std::byte> bytes(kBytes, std::byte(rank() == 0 ? round : 0));
    job_.execute(bytes.data(), kBytes);
    EXPECT_EQ(bytes, std::vector<std::byte>(kBytes, std::byte(round))) << "round " << round;
  }
  [[nodiscard]] bool settled() const { return job_.settled(kBytes); }
  [[nodiscard]] bool native() { return job_.chosen(kBytes).method == "native"; }

 private:
  static constexpr std::int64_t kBytes = 3000;
  Broadcast job_;
};

TEST(Ways, OfBroadcastsFollowsItToo) {
  if (size() == 1) return;
  const testing::PretendedHosts hosts(1);
  const Comm comm;
  only_to_next = false;
  Broadcasting job(comm.get());
  expect_to_follow(job);
  only_to_next = true;
}

/// Integers, whose order does not matter.
class Summing {
 public:
  explicit Summing(MPI_Comm comm) : job_(comm, {kCount, MPI_INT, MPI_SUM}, 0) {}
  void execute(int round) {
    std::vector<int> sums(kCount, round);
    job_.execute(rank() == 0 ? MPI_IN_PLACE : sums.data(), sums.data());
    if (rank() == 0) {
      EXPECT_EQ(sums, std::vector<int>(kCount, size() * round)) << "round " << round;
    }
  }
  [[nodiscard]] bool settled() const { return job_.settled(); }
  [[nodiscard]] bool native() const { return job_.summary().native; }

 private:
  static constexpr std::int64_t kCount = 1000;
  ElementReduction job_;
};

TEST(Ways, OfReductionsFollowsItToo) {
  if (size() == 1) return;
  const testing::PretendedHosts hosts(1);
  const Comm comm;
  only_to_next = false;
  Summing job(comm.get());
  expect_to_follow(job);
  only_to_next = true;
}

/// Every reduction is made for one execution.
TEST(Ways, OfReductionsIsGoneOnWithByTheNextJob) {
  if (size() == 1) return;
  const Comm comm;
  for (int round = 1; round <= kDecided + 2; ++round) {
    Summing job(comm.get());
    EXPECT_EQ(job.settled(), round > kDecided) << round;
    job.execute(round);
    EXPECT_EQ(job.settled(), round >= kDecided) << round;
  }
}

TEST(WayWatch, AsksForThreeExecutionsInARow) {
  detail::WayWatch watch;
  EXPECT_FALSE(watch.watches());
  watch.expect(0.010, false);
  EXPECT_TRUE(watch.watches());
  // What the ranks say of a window, together.
  const auto together = [&](const std::array<double, 3>& times) {
    for (const double time : times) {
      EXPECT_FALSE(watch.full());
      watch.add(time);
    }
    EXPECT_TRUE(watch.full());
    return watch.judge(watch.end_window());
  };
  EXPECT_FALSE(together({0.010, 0.011, 0.009}));
  EXPECT_FALSE(together({0.020, 0.020, 0.012})) << "one of them was as usual";
  EXPECT_FALSE(together({0.005, 0.005, 0.008}));
  EXPECT_TRUE(together({0.014, 0.030, 0.014}));
  EXPECT_TRUE(together({0.005, 0.001, 0.007}));
  // In vain: after that it takes two windows in a row, then four.
  watch.expect(0.010, true);
  EXPECT_FALSE(together({0.020, 0.020, 0.020}));
  EXPECT_FALSE(together({0.010, 0.010, 0.010}));
  EXPECT_FALSE(together({0.020, 0.020, 0.020}));
  EXPECT_TRUE(together({0.020, 0.020, 0.020}));
  watch.expect(0.010, true);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(together({0.020, 0.020, 0.020}));
  EXPECT_TRUE(together({0.020, 0.020, 0.020}));
  watch.expect(0.020, false);
  EXPECT_TRUE(together({0.030, 0.030, 0.030}));
  watch.expect(0.0005, false);
  EXPECT_FALSE(watch.watches());
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
  detail::TrialState other = state, planned = state;
  other.stage = Stage::kOther;
  planned.stage = Stage::kPlanned;
  EXPECT_EQ(resumed(other, progress_of(other)).stage, Stage::kOther);
  EXPECT_EQ(common_progress(progress_of(other), progress_of(other)), progress_of(other));
  // Decided on some ranks, or not alike: all decide once more.
  for (const detail::TrialState& differs : {planned, state}) {
    const std::array<std::int64_t, 2> both{progress_of(other), progress_of(differs)};
    const std::int64_t common = common_progress(std::min(both[0], both[1]), std::max(both[0], both[1]));
    EXPECT_EQ(resumed(other, common).stage, Stage::kTrying);
    EXPECT_EQ(resumed(differs, common).stage, Stage::kTrying);
    EXPECT_EQ(resumed(differs, common).executions, resumed(other, common).executions);
  }
}

}  // namespace
}  // namespace sluice::mpi
