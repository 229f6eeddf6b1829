// Jobs of all kinds on one communicator, under way at the same time.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/exchange_testing.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::any_rank_failed;
using testing::Arrays;
using testing::byte_of;
using testing::Case;
using testing::Comm;
using testing::difference;
using testing::Draw;
using testing::make_arrays;
using testing::platform_of;
using testing::rank;
using testing::size;

/// A job with data of its own, other data in every round.
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  virtual void start(int round) = 0;
  virtual bool test() = 0;
  virtual void wait() = 0;
  /// After the end of a round.
  virtual void verify(int round) const = 0;

  void execute(int round) {
    start(round);
    wait();
    verify(round);
  }
};

template <class Job>
class WorkOf : public Work {
 public:
  template <class... Arguments>
  explicit WorkOf(Arguments&&... arguments) : job_(std::forward<Arguments>(arguments)...) {}
  bool test() override { return job_.test(); }
  void wait() override { job_.wait(); }

 protected:
  Job job_;
};

class Moving final : public WorkOf<Redistribution> {
 public:
  Moving(MPI_Comm comm, Case c) : WorkOf(comm, c.shape, c.from, c.to, c.element_size, c.options), case_(std::move(c)) {}
  void start(int round) override {
    arrays_ = make_arrays(case_, rank(), static_cast<std::uint64_t>(round));
    job_.start(arrays_.source.data(), arrays_.target.data());
  }
  void verify(int round) const override {
    EXPECT_EQ(difference(arrays_.target, arrays_.expected), "") << to_text(case_) << ", round " << round;
  }

 private:
  Case case_;
  Arrays arrays_;
};

/// Everybody has something for everybody, more or less `bytes`.
class Exchanging final : public WorkOf<Exchange> {
 public:
  Exchanging(MPI_Comm comm, std::int64_t bytes, const ExchangeOptions& options) : WorkOf(comm, all(bytes), options) {}
  void start(int round) override {
    out_.resize(static_cast<std::size_t>(job_.send_bytes()));
    in_.assign(static_cast<std::size_t>(job_.receive_bytes()), std::byte{0});
    testing::fill(job_.sends(), rank(), round, out_);
    job_.start(out_, in_);
  }
  void verify(int round) const override {
    EXPECT_EQ(job_.receives().size(), static_cast<std::size_t>(size()));
    EXPECT_EQ(testing::wrong_byte(job_.receives(), rank(), round, in_), "")
        << to_string(job_.mode()) << ", round " << round;
  }

 private:
  static std::vector<MessageSize> all(std::int64_t bytes) {
    std::vector<MessageSize> sends;
    for (int to = 0; to < size(); ++to) sends.push_back({to, bytes + 10 * to + rank()});
    return sends;
  }
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
};

class Summing final : public WorkOf<ElementReduction> {
 public:
  Summing(MPI_Comm comm, std::int64_t count, int root, const ReductionOptions& options)
      : WorkOf(comm, ElementOperation{count, MPI_INT64_T, MPI_SUM}, root, options), root_(root) {
    own_.resize(static_cast<std::size_t>(count));
  }
  void start(int round) override {
    for (std::size_t i = 0; i < own_.size(); ++i) own_[i] = value(rank(), i, round);
    result_.assign(own_.size(), -1);
    job_.start(own_.data(), result_.data());
  }
  void verify(int round) const override {
    for (std::size_t i = 0; i < own_.size() && rank() == root_; ++i) {
      std::int64_t expected = 0;
      for (int r = 0; r < size(); ++r) expected += value(r, i, round);
      ASSERT_EQ(result_[i], expected) << job_.summary().method << ", element " << i << ", round " << round;
    }
  }

 private:
  static std::int64_t value(int owner, std::size_t index, int round) {
    return (owner + 1) * 1'000'003 + static_cast<std::int64_t>(index * index) + 77 * round;
  }
  int root_;
  std::vector<std::int64_t> own_;
  std::vector<std::int64_t> result_;
};

/// Words, one after the other in the order of the ranks.
class Joining final : public WorkOf<ObjectReduction> {
 public:
  Joining(MPI_Comm comm, int length, int root, const ReductionOptions& options)
      : WorkOf(comm, ObjectOperation{join, false}, root, options), length_(length), root_(root) {}
  void start(int round) override {
    own_ = word(rank(), round);
    result_.assign(3, std::byte{1});
    job_.start(own_, result_);
  }
  void verify(int round) const override {
    if (rank() != root_) return;
    Bytes expected;
    for (int r = 0; r < size(); ++r) {
      const Bytes next = word(r, round);
      expected.insert(expected.end(), next.begin(), next.end());
    }
    EXPECT_EQ(difference(result_, expected), "") << "words of " << length_ << ", round " << round;
  }

 private:
  static void join(std::span<const std::byte> left, std::span<const std::byte> right, Bytes& result) {
    result.assign(left.begin(), left.end());
    result.insert(result.end(), right.begin(), right.end());
  }
  [[nodiscard]] Bytes word(int owner, int round) const {
    Bytes bytes(static_cast<std::size_t>(length_ + 3 * owner));
    for (std::size_t b = 0; b < bytes.size(); ++b)
      bytes[b] = byte_of(static_cast<std::int64_t>(b), owner, static_cast<std::uint64_t>(round));
    return bytes;
  }
  int length_;
  int root_;
  Bytes own_;
  Bytes result_;
};

class Spreading final : public WorkOf<Broadcast> {
 public:
  Spreading(MPI_Comm comm, std::int64_t bytes, int root, const BroadcastOptions& options)
      : WorkOf(comm, root, options), root_(root), buffer_(static_cast<std::size_t>(bytes)) {}
  void start(int round) override {
    for (std::size_t b = 0; b < buffer_.size(); ++b)
      buffer_[b] = rank() == root_ ? expected(b, round) : ~expected(b, round);
    job_.start(buffer_.data(), static_cast<std::int64_t>(buffer_.size()));
  }
  void verify(int round) const override {
    for (std::size_t b = 0; b < buffer_.size(); ++b)
      ASSERT_EQ(buffer_[b], expected(b, round)) << "byte " << b << " from " << root_ << ", round " << round;
  }

 private:
  [[nodiscard]] std::byte expected(std::size_t b, int round) const {
    return byte_of(static_cast<std::int64_t>(b), 0,
                   static_cast<std::uint64_t>(1000 * round + root_ + 10 * static_cast<int>(buffer_.size() % 97)));
  }
  int root_;
  std::vector<std::byte> buffer_;
};

Case all_to_all(std::int64_t each, std::int64_t shared_from) {
  Case c{{each * size() * size()}, {{size()}, {1}}, {{size()}, {each * size()}}, 8, {}};
  c.options.shared_from_bytes = shared_from;
  c.options.chunk_bytes = 8192;
  return c;
}

Case matrix_with_gaps() {
  Case c{{70, 61}, {{size(), 1}, {3, 5}}, {{1, size()}, {7, 4}}, 8, {}};
  c.options.order = StorageOrder::kColumnMajor;
  Draw draw(static_cast<std::uint64_t>(rank()));
  testing::add_gaps(c, rank(), draw);
  return c;
}

/// A network whose clusters end with a broadcast of MPI's own.
Platform with_broadcasts_inside() {
  Platform platform = platform_of(size(), 2);
  for (PlatformCluster& cluster : platform.clusters) cluster.broadcast = GapTable({{1, 1e-5}, {1 << 20, 1e-3}});
  return platform;
}

BroadcastOptions over(Platform platform, const std::string& algorithm) {
  BroadcastOptions options;
  options.platform = std::move(platform);
  options.plan.algorithm = algorithm;
  return options;
}

/// Everybody's bytes to everybody.
class Collecting final : public WorkOf<Allgather> {
 public:
  Collecting(MPI_Comm comm, std::int64_t bytes) : WorkOf(comm, bytes), own_(static_cast<std::size_t>(bytes)) {}
  void start(int round) override {
    for (std::size_t b = 0; b < own_.size(); ++b) own_[b] = expected(b, rank(), round);
    all_.assign(own_.size() * static_cast<std::size_t>(size()), std::byte{0});
    job_.start(own_.data(), all_.data());
  }
  void verify(int round) const override {
    for (std::size_t b = 0; b < all_.size(); ++b) {
      const auto from = static_cast<int>(b / own_.size());
      ASSERT_EQ(all_[b], expected(b % own_.size(), from, round)) << "byte " << b << ", round " << round;
    }
  }

 private:
  static std::byte expected(std::size_t b, int owner, int round) {
    return byte_of(static_cast<std::int64_t>(b), owner, static_cast<std::uint64_t>(round));
  }
  std::vector<std::byte> own_;
  std::vector<std::byte> all_;
};

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Work>(MPI_Comm)> make;
};

/// One of each kind, and of those that carry a kind out in different ways one of each.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll = [] {
    std::vector<Kind> all;
    const auto add = [&]<class Make>(const std::string& name, Make make) { all.push_back({name, std::move(make)}); };
    add("redistribution in shared memory",
        [](MPI_Comm comm) { return std::make_unique<Moving>(comm, all_to_all(300, 0)); });
    add("redistribution in messages",
        [](MPI_Comm comm) { return std::make_unique<Moving>(comm, all_to_all(300, -1)); });
    add("redistribution with gaps", [](MPI_Comm comm) { return std::make_unique<Moving>(comm, matrix_with_gaps()); });
    for (const ExchangeMode mode : {ExchangeMode::kAtOnce, ExchangeMode::kChain, ExchangeMode::kList,
                                    ExchangeMode::kLocal, ExchangeMode::kBarrier}) {
      add("exchange " + to_string(mode), [mode](MPI_Comm comm) {
        ExchangeOptions options;
        options.mode = mode;
        options.max_transfers = 2;
        options.chunk_bytes = 8192;
        return std::make_unique<Exchanging>(comm, 20'000, options);
      });
    }
    add("exchange of little", [](MPI_Comm comm) { return std::make_unique<Exchanging>(comm, 3, ExchangeOptions{}); });
    add("elements by a tree", [](MPI_Comm comm) {
      ReductionOptions options;
      options.try_native = false;
      options.segments = 3;
      return std::make_unique<Summing>(comm, 9000, size() - 1, options);
    });
    add("elements by reduce-scatter", [](MPI_Comm comm) {
      ReductionOptions options;
      options.algorithm = "reduce-scatter";
      return std::make_unique<Summing>(comm, 9000, 0, options);
    });
    add("elements by what a trial finds",
        [](MPI_Comm comm) { return std::make_unique<Summing>(comm, 500, size() / 2, ReductionOptions{}); });
    add("elements by MPI_Reduce", [](MPI_Comm comm) {
      ReductionOptions options;
      options.reproducible = true;
      return std::make_unique<Summing>(comm, 700, 0, options);
    });
    add("short objects", [](MPI_Comm comm) { return std::make_unique<Joining>(comm, 20, 0, ReductionOptions{}); });
    add("long objects", [](MPI_Comm comm) {
      ReductionOptions options;
      options.end_together = false;
      return std::make_unique<Joining>(comm, 10'000, size() - 1, options);
    });
    add("broadcast between clusters", [](MPI_Comm comm) {
      return std::make_unique<Spreading>(comm, 60'000, size() - 1, over(platform_of(size(), 2, 4), "ecef"));
    });
    add("broadcast by what a trial finds",
        [](MPI_Comm comm) { return std::make_unique<Spreading>(comm, 5000, 0, over(platform_of(size(), 3), "auto")); });
    // Two that share what clusters end with.
    for (const std::int64_t bytes : {70'001, 70'000}) {
      add("broadcast of " + std::to_string(bytes) + " bytes that MPI ends inside clusters", [bytes](MPI_Comm comm) {
        return std::make_unique<Spreading>(comm, bytes, 0, over(with_broadcasts_inside(), "ecef"));
      });
    }
    add("broadcast by MPI_Bcast",
        [](MPI_Comm comm) { return std::make_unique<Spreading>(comm, 30'000, size() / 2, BroadcastOptions{}); });
    return all;
  }();
  return kAll;
}

using Works = std::vector<std::unique_ptr<Work>>;

Works one_of_each(MPI_Comm comm) {
  Works works;
  for (const Kind& kind : kinds()) works.push_back(kind.make(comm));
  return works;
}

void start_all(const Works& works, int round) {
  for (const auto& work : works) work->start(round);
}

/// Waits in the order of the starts, on odd ranks in the opposite order.
void wait_for_all(const Works& works) {
  if (rank() % 2 == 0) {
    for (const auto& work : works) work->wait();
  } else {
    for (auto work = works.rbegin(); work != works.rend(); ++work) (*work)->wait();
  }
}

void verify_all(const Works& works, int round) {
  for (std::size_t i = 0; i < works.size(); ++i) {
    SCOPED_TRACE(kinds()[i % kinds().size()].name);
    works[i]->verify(round);
  }
}

/// Keeps some ranks back, others each time. Nothing but jobs keeps them together between rounds, which go on where one
/// of them has failed.
void dawdle(int round) {
  if ((rank() + round) % 3 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
}

TEST(InFlight, WaitedForInOppositeOrders) {
  const Works works = one_of_each(MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    dawdle(round);
    start_all(works, round);
    wait_for_all(works);
    verify_all(works, round);
  }
}

TEST(InFlight, LookedAtUntilAllAreOver) {
  const Works works = one_of_each(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    dawdle(round);
    start_all(works, round);
    std::vector<Work*> left;
    for (const auto& work : works) left.push_back(work.get());
    if (rank() % 2 == 1) std::ranges::reverse(left);
    while (!left.empty()) {
      std::erase_if(left, [](Work* work) { return work->test(); });
      std::this_thread::yield();
    }
    for (const auto& work : works) EXPECT_TRUE(work->test()) << "nothing is under way any more";
    verify_all(works, round);
  }
}

/// Jobs whose first executions alternate between the plan and MPI's own collective, and two that are MPI's.
Works that_try(MPI_Comm comm) {
  Works works;
  works.push_back(std::make_unique<Exchanging>(comm, 2000, ExchangeOptions{}));
  works.push_back(std::make_unique<Summing>(comm, 10, 0, ReductionOptions{}));
  works.push_back(std::make_unique<Moving>(comm, Case{{999}, {{size()}, {7}}, {{size()}, {3}}, 8, {}}));
  works.push_back(std::make_unique<Collecting>(comm, 3000));
  works.push_back(std::make_unique<Spreading>(comm, 3000, size() - 1, BroadcastOptions{}));
  works.push_back(std::make_unique<Exchanging>(comm, 70, ExchangeOptions{}));
  return works;
}

/// MPI's collectives begin in the order of their starts, whoever knows first which way an execution goes.
TEST(InFlight, CollectivesOfMpiBeginInTheOrderOfTheirStarts) {
  const Comm comm;
  const Works works = that_try(comm.get());
  for (int round = 0; round < 12; ++round) {
    dawdle(round);
    start_all(works, round);
    wait_for_all(works);
    for (const auto& work : works) work->verify(round);
  }
}

/// Rank 0 starts when it has heard from all others that they have.
TEST(InFlight, StartWaitsForNobody) {
  const Comm comm;
  const Works works = that_try(comm.get());
  for (const auto& work : works) work->execute(0);
  for (int round = 1; round < 12; ++round) {
    for (int other = 1; other < size() && rank() == 0; ++other)
      MPI_Recv(nullptr, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start_all(works, round);
    if (rank() != 0) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    wait_for_all(works);
    for (const auto& work : works) work->verify(round);
  }
}

TEST(InFlight, JobsAreMadeAndExecutedMeanwhile) {
  const Works works = one_of_each(MPI_COMM_WORLD);
  for (int round = 0; round < 2; ++round) {
    start_all(works, round);
    dawdle(round);
    const Works others = one_of_each(MPI_COMM_WORLD);
    for (const auto& other : others) other->execute(10 + round);
    wait_for_all(works);
    verify_all(works, round);
    start_all(others, 20 + round);
    start_all(works, 30 + round);
    wait_for_all(works);
    wait_for_all(others);
    verify_all(others, 20 + round);
    verify_all(works, 30 + round);
  }
}

/// What waits while it is moved on would move on itself, and the list that it is in.
TEST(InFlight, WhatWaitsWhileItIsMovedOnIsRefused) {
  struct Waiting final : detail::Progressing {
    explicit Waiting(detail::Context& its) : context(its) {}
    void progress() noexcept override {
      try {
        context.progress(nullptr);
      } catch (const std::logic_error&) {
        ++refused;
      }
    }
    detail::Context& context;
    int refused = 0;
  };
  const Comm comm;
  const std::shared_ptr<detail::Context> context = detail::Context::of(comm.get());
  Waiting waiting(*context);
  context->add(waiting);
  context->progress(nullptr);
  context->progress(&waiting);
  context->progress(nullptr);
  context->remove(waiting);
  EXPECT_EQ(waiting.refused, 2);
}

/// Some ranks wait for two jobs before they make and start one of `comm`, the others afterwards.
void make_in_between(const Kind& kind, MPI_Comm comm) {
  SCOPED_TRACE(kind.name);
  const std::unique_ptr<Work> first = kinds()[0].make(MPI_COMM_WORLD);
  const std::unique_ptr<Work> second = kinds()[4].make(MPI_COMM_WORLD);
  for (int late = 0; late < 2; ++late) {
    first->start(late);
    second->start(late);
    if (rank() % 2 == late) second->wait();
    const std::unique_ptr<Work> next = kind.make(comm);
    if (rank() % 2 == late) first->wait();
    next->start(late);
    first->wait();
    next->wait();
    second->wait();
    first->verify(late);
    second->verify(late);
    next->verify(late);
  }
}

TEST(InFlight, SomeRanksWaitBeforeTheyMakeTheNextJobOthersAfterwards) {
  for (const Kind& kind : kinds()) make_in_between(kind, MPI_COMM_WORLD);
}

TEST(InFlight, TheNextJobMayBeTheFirstOfAnotherCommunicator) {
  for (const Kind& kind : kinds()) {
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    make_in_between(kind, other);
    MPI_Comm_free(&other);
  }
}

TEST(InFlight, ARankMayEndOneJobBeforeOthersHaveStartedTheNext) {
  const Works works = one_of_each(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    // Windows of three jobs, which ranks are through with at different times.
    for (std::size_t i = 0; i < works.size() + 2; ++i) {
      if (i < works.size()) works[i]->start(round);
      if (i < 2) continue;
      if (static_cast<int>(i) % size() == rank()) dawdle(rank());
      works[i - 2]->wait();
    }
    verify_all(works, round);
  }
}

/// Whether `part` throws InputError.
template <class Part>
bool refused(Part&& part) {
  try {
    part();
  } catch (const InputError&) {
    return true;
  }
  return false;
}

TEST(InFlight, StartedTwiceIsRefusedAndEndsTheJob) {
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const std::unique_ptr<Work> work = kind.make(MPI_COMM_WORLD);
    work->execute(0);
    // What is under way at the same time is not concerned.
    const Works others = [&] {
      Works two;
      two.push_back(kinds().front().make(MPI_COMM_WORLD));
      two.push_back(kinds()[4].make(MPI_COMM_WORLD));
      return two;
    }();
    MPI_Barrier(MPI_COMM_WORLD);  // a job that is being made while one fails in a collective of MPI's own fails, too
    start_all(others, 7);
    // By the first one a rank may learn that another one was refused already.
    EXPECT_TRUE(refused([&] {
      work->start(1);
      work->start(2);
    }));
    EXPECT_TRUE(refused([&] { work->start(3); }));
    // The first one may have ended before the second was refused.
    (void)refused([&] { work->wait(); });
    EXPECT_TRUE(refused([&] { work->wait(); })) << "as if something had ended well";
    EXPECT_TRUE(refused([&] { (void)work->test(); }));
    wait_for_all(others);
    for (const auto& other : others) other->verify(7);
  }
  // The communicator is as good as before.
  const Works works = one_of_each(MPI_COMM_WORLD);
  start_all(works, 1);
  wait_for_all(works);
  verify_all(works, 1);
}

TEST(InFlight, StartedTwiceOnOneRankReachesThoseThatNeedIt) {
  // The kinds that make every rank need every other one.
  for (std::size_t i = 0; i < 8; ++i) {
    SCOPED_TRACE(kinds()[i].name);
    const std::unique_ptr<Work> work = kinds()[i].make(MPI_COMM_WORLD);
    work->execute(0);
    const bool culprit = rank() == static_cast<int>(i) % size();
    const bool thrown = refused([&] {
      work->start(1);
      if (culprit) work->start(2);
      work->wait();
      work->verify(1);
      // What ended here may not have ended elsewhere.
      work->execute(2);
    });
    EXPECT_TRUE(thrown);
    EXPECT_TRUE(refused([&] { work->execute(3); }));
  }
}

TEST(InFlight, WithoutTheUsersCommunicator) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  Works works = one_of_each(copy);
  start_all(works, 0);
  MPI_Comm_free(&copy);
  wait_for_all(works);
  verify_all(works, 0);
  for (int round = 1; round < 3; ++round) {
    start_all(works, round);
    wait_for_all(works);
    verify_all(works, round);
  }
  // The last job takes the library's communicator with it; others of the user's may come and go.
  while (!works.empty()) {
    works.pop_back();
    if (works.size() != 4) continue;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    kinds()[4].make(copy)->execute(3);
    MPI_Comm_free(&copy);
    works.front()->execute(4);
  }
}

/// SLUICE_LIVE_JOBS=10000 in the environment sets the number of jobs.
TEST(InFlight, ManyLiveJobs) {
  const char* const asked = std::getenv("SLUICE_LIVE_JOBS");
  const int count = asked != nullptr ? std::atoi(asked) : size() < 5 ? 2000 : 500;
  Works works;
  for (int i = 0; i < count; ++i)
    works.push_back(kinds()[static_cast<std::size_t>(i) % kinds().size()].make(MPI_COMM_WORLD));
  for (int i = 0; i < count && !any_rank_failed(); ++i) {
    SCOPED_TRACE("job " + std::to_string(i));
    works[static_cast<std::size_t>(i)]->execute(i % 50);
  }
}

int copies_of_attribute = 0;
int deletions_of_attribute = 0;

int copy_attribute(MPI_Comm /*comm*/, int /*key*/, void* /*extra*/, void* value, void* copy, int* flag) {
  ++copies_of_attribute;
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}
int delete_attribute(MPI_Comm /*comm*/, int /*key*/, void* /*value*/, void* /*extra*/) {
  ++deletions_of_attribute;
  return MPI_SUCCESS;
}

TEST(InFlight, WhatTheUserAttachedToTheCommunicatorIsLeftAlone) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  // Promises that the user makes for messages of their own, and which the library does not keep. Not that messages may
  // overtake each other: Open MPI 4.1 may then hang in any MPI_Comm_create of that communicator.
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const char* const promise : {"mpi_assert_no_any_source", "mpi_assert_no_any_tag", "mpi_assert_exact_length"})
    MPI_Info_set(info, promise, "true");
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  int key = MPI_KEYVAL_INVALID;
  int value = 1;
  MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, nullptr);
  MPI_Comm_set_attr(comm, key, &value);
  copies_of_attribute = deletions_of_attribute = 0;
  {
    const Works works = one_of_each(comm);
    for (int round = 0; round < 2; ++round) {
      start_all(works, round);
      wait_for_all(works);
      verify_all(works, round);
    }
  }
  EXPECT_EQ(copies_of_attribute, 0);
  EXPECT_EQ(deletions_of_attribute, 0);
  // The user's own copy of it counts, so that the test would see the library's.
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  EXPECT_EQ(copies_of_attribute, 1);
  // Jobs of the copy differ from the jobs of the original.
  const Works of_copy = one_of_each(copy);
  MPI_Comm_free(&comm);
  EXPECT_EQ(deletions_of_attribute, 1);
  start_all(of_copy, 5);
  wait_for_all(of_copy);
  verify_all(of_copy, 5);
  MPI_Comm_free(&copy);
  MPI_Comm_free_keyval(&key);
}

int calls_of_handler = 0;
void count_error(MPI_Comm* /*comm*/, int* /*code*/, ...) { ++calls_of_handler; }

TEST(InFlight, TheUsersErrorHandlerIsNeitherChangedNorCalled) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  const Comm comm;
  MPI_Errhandler of_world = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
  for (const MPI_Comm each : {comm.get(), MPI_COMM_WORLD}) MPI_Comm_set_errhandler(each, handler);
  calls_of_handler = 0;
  const auto expect_kept = [&] {
    for (const MPI_Comm each : {comm.get(), MPI_COMM_WORLD}) {
      MPI_Errhandler now = MPI_ERRHANDLER_NULL;
      MPI_Comm_get_errhandler(each, &now);
      EXPECT_EQ(now, handler);
      MPI_Errhandler_free(&now);
    }
    EXPECT_EQ(calls_of_handler, 0);
  };
  {
    const Works works = one_of_each(comm.get());
    expect_kept();
    start_all(works, 0);
    wait_for_all(works);
    verify_all(works, 0);
  }
  expect_kept();
  // Jobs that fail, and arguments that MPI would refuse.
  for (const MPI_Comm each : {MPI_COMM_NULL, comm.get()}) {
    EXPECT_TRUE(refused([&] { const ElementReduction job(each, {10, MPI_DATATYPE_NULL, MPI_SUM}, 0); }));
    EXPECT_TRUE(refused([&] { const ElementReduction job(each, {10, MPI_INT, MPI_OP_NULL}, 0); }));
    EXPECT_TRUE(refused([&] { const Broadcast job(each, size()); }));
  }
  Broadcast job(comm.get(), 0);
  EXPECT_TRUE(refused([&] { job.execute(nullptr, 5000); }));
  expect_kept();
  // It would have been called.
  MPI_Send(nullptr, 0, MPI_BYTE, size(), 0, comm.get());
  EXPECT_EQ(calls_of_handler, 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
  MPI_Errhandler_free(&of_world);
  MPI_Errhandler_free(&handler);
}

}  // namespace
}  // namespace sluice::mpi
