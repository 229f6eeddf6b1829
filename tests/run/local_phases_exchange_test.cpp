// Exchanges with local phases, carried out: by a plan over local links, and by any schedule.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/detour_testing.hpp"
#include "run/exchange_testing.hpp"
#include "run/pretended_hosts.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/exchange.hpp"

namespace sluice::mpi {
namespace {

using testing::any_rank_failed;
using testing::Draw;
using testing::rank;
using testing::size;
using testing::TrafficTable;

void dawdle() {
  thread_local std::minstd_rand random(static_cast<unsigned>(rank()) + 1);
  if (random() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
}

/// Executes a few times with other bytes each time, and compares every one; returns the number of local steps.
std::int64_t run(const TrafficTable& table, const std::vector<MessageSize>& sends, const ExchangeOptions& options,
                 MPI_Comm comm = MPI_COMM_WORLD) {
  dawdle();
  Exchange job(comm, sends, options);
  std::vector<MessageSize> expected;
  for (int from = 0; from < size(); ++from) {
    const std::int64_t bytes = table[static_cast<std::size_t>(from)][static_cast<std::size_t>(rank())];
    if (bytes > 0) expected.push_back({from, bytes});
  }
  EXPECT_EQ(job.receives(), expected);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
    std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
    testing::fill(sends, rank(), round, out);
    dawdle();
    job.execute(out, in);
    EXPECT_EQ(testing::wrong_byte(job.receives(), rank(), round, in), "") << "round " << round;
  }
  return job.local_steps();
}

std::vector<MessageSize> own_sends(const TrafficTable& table, Draw& draw) {
  std::vector<MessageSize> own;
  for (int r = 0; r < size(); ++r) {
    std::vector<MessageSize> sends = testing::sends_of(table, r, draw);
    if (r == rank()) own = std::move(sends);
  }
  return own;
}

constexpr std::array kPlannedModes{ExchangeMode::kAuto, ExchangeMode::kChain, ExchangeMode::kLocal,
                                   ExchangeMode::kBarrier};

/// Any schedule is carried out, on one host and on hosts of two ranks: pieces of all sizes, by any ranks, those that a
/// rank sends itself among them.
TEST(LocalPhases, AnyDetours) {
  Draw draw(31);
  for (int i = 0; i < 8 && !any_rank_failed(); ++i) {
    const testing::PretendedHosts hosts(i % 2 == 0 ? size() : 2);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const TrafficTable table = testing::random_traffic(draw, size(), 100000);
    const std::int64_t k = draw.between(1, size());
    ExchangeOptions options;
    options.schedule = testing::random_detours(testing::between_ranks(table), k, draw);
    options.chunk_bytes = draw.one_of<std::int64_t>({0, 1000, 4096});
    options.window = static_cast<int>(draw.one_of<std::int64_t>({0, 1, 3}));
    const std::vector<MessageSize> own = own_sends(table, draw);
    for (const ExchangeMode mode : kPlannedModes) {
      options.mode = mode;
      SCOPED_TRACE("case " + std::to_string(i) + ", mode " + to_string(mode));
      const LocalPhases& phases = *options.schedule->local_phases;
      const std::size_t steps = phases.before.steps.size() + phases.after.steps.size();
      EXPECT_EQ(run(table, own, options, comm), static_cast<std::int64_t>(steps));
    }
    MPI_Comm_free(&comm);
  }
}

/// Skewed traffic from one half of the ranks to the other, as the planner likes it; where each
/// half is one rank there is no neighbour.
TEST(LocalPhases, PlannedOverLocalLinks) {
  Draw draw(32);
  int with_local_phases = 0;
  for (int i = 0; i < 8 && !any_rank_failed(); ++i) {
    const auto n = static_cast<std::size_t>(size());
    TrafficTable table(n, std::vector<std::int64_t>(n, 0));
    for (std::size_t from = 0; from < n / 2; ++from)
      for (std::size_t to = n / 2; to < n; ++to)
        table[from][to] = draw.between(1, from == 0 || draw.chance(4) ? 50000 : 300);
    ExchangeOptions options;
    options.algorithm = draw.one_of<std::string>({"oggp", "weights", "first-fit"});
    options.max_transfers = draw.between(0, 3);
    options.setup_bytes = 5000;
    options.local_links = LocalLinks{0.05, 100};
    if (draw.chance(2)) {
      for (int r = 0; r < size(); ++r) (r < size() / 2 ? options.sender_ranks : options.receiver_ranks).push_back(r);
    }
    const std::vector<MessageSize> own = own_sends(table, draw);
    for (const ExchangeMode mode : kPlannedModes) {
      options.mode = mode;
      SCOPED_TRACE("case " + std::to_string(i) + ", mode " + to_string(mode));
      if (run(table, own, options) > 0) ++with_local_phases;
    }
  }
  EXPECT_EQ(with_local_phases > 0, size() >= 3);
}

/// A transfer over the backbone that carries nothing of a neighbour's does not wait for one that does: 1 gives 0 a
/// megabyte to carry, 0 sends its own first, and only then what it was given.
TEST(LocalPhases, AStepWaitsForWhatItCarriesAlone) {
  if (size() < 4) GTEST_SKIP() << "two senders and two receivers";
  constexpr std::int64_t kOwn = 1000;
  constexpr std::int64_t kCarried = 1 << 20;
  StepSchedule schedule;
  schedule.problem = "exchange";
  schedule.senders = schedule.receivers = 4;
  schedule.max_transfers = 1;
  schedule.steps = {{kOwn, {{0, 2, 0, kOwn}}}, {kCarried, {{0, 3, 0, kCarried}}}};
  LocalPhases phases;
  phases.routes = {{0, 2, 0, kOwn, 0, 2}, {1, 3, 0, kCarried, 0, 3}};
  phases.before.steps = {{kCarried, {{1, 0, 0, kCarried}}}};
  phases.before.cost = {1, kCarried, kCarried};
  phases.total = static_cast<double>(kOwn + 2 * kCarried);
  schedule.local_phases = phases;
  ExchangeOptions options;
  options.mode = ExchangeMode::kChain;
  options.schedule = std::make_shared<const StepSchedule>(schedule);
  std::vector<MessageSize> sends;
  if (rank() == 0) sends = {{2, kOwn}};
  if (rank() == 1) sends = {{3, kCarried}};
  Exchange job(MPI_COMM_WORLD, sends, options);
  std::vector<std::byte> out(static_cast<std::size_t>(job.send_bytes()));
  std::vector<std::byte> in(static_cast<std::size_t>(job.receive_bytes()));
  // Rank 1 begins only when rank 2 has all it gets: were 0 to wait for 1, nobody would go on.
  int there = 0;
  if (rank() == 1) MPI_Recv(&there, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  job.execute(out, in);
  if (rank() == 2) MPI_Send(&there, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
}

/// Messages of types with gaps take detours like all others.
TEST(LocalPhases, TypedMessages) {
  const int next = (rank() + 1) % size();
  const int before = (rank() + size() - 1) % size();
  constexpr int kCount = 3000;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(kCount, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  Traffic traffic{size(), size(), {}, 0};
  for (int r = 0; r < size(); ++r)
    traffic.messages.push_back({r, (r + 1) % size(), kCount * static_cast<std::int64_t>(sizeof(int))});
  Draw draw(33);
  ExchangeOptions options;
  options.schedule = testing::random_detours(traffic, size(), draw);
  {
    Exchange job(MPI_COMM_WORLD, {{next, 0, 1, type}}, {{before, 0, 1, type}}, options);
    std::vector<int> out(2 * kCount, -2);
    std::vector<int> in(2 * kCount, -1);
    for (std::size_t i = 0; i < kCount; ++i) out[2 * i] = rank() * kCount + static_cast<int>(i);
    job.execute(static_cast<const void*>(out.data()), static_cast<void*>(in.data()));
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(in[2 * i], before * kCount + static_cast<int>(i));
      ASSERT_EQ(in[2 * i + 1], -1);
    }
  }
  MPI_Type_free(&type);
}

/// A schedule without local phases is carried out as it is, too.
TEST(LocalPhases, AScheduleOfStepsAlone) {
  Draw draw(34);
  const TrafficTable table = testing::random_traffic(draw, size(), 20000);
  sluice::ExchangeOptions how;
  how.algorithm = "weights";
  const Traffic traffic = testing::between_ranks(table);
  StepSchedule schedule = sluice::plan_exchange({traffic, 2, 100}, how).schedule;
  const auto steps = static_cast<std::int64_t>(schedule.steps.size());
  ExchangeOptions options;
  options.schedule = std::make_shared<const StepSchedule>(std::move(schedule));
  const std::vector<MessageSize> own = own_sends(table, draw);
  EXPECT_EQ(run(table, own, options), 0);
  EXPECT_EQ(Exchange(MPI_COMM_WORLD, own, options).steps(), steps);
}

std::string error_of(const std::vector<MessageSize>& sends, const ExchangeOptions& options) {
  try {
    const Exchange job(MPI_COMM_WORLD, sends, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(LocalPhases, BadArguments) {
  const auto good = [] {
    ExchangeOptions options;
    options.algorithm = "weights";
    options.local_links = LocalLinks{0.1, {}};
    return options;
  };
  const std::vector<MessageSize> sends{{(rank() + 1) % size(), 100}};
  const auto schedule = [](std::int64_t bytes, const std::string& problem) {
    Traffic traffic{size(), size(), {}, 0};
    for (int r = 0; r < size(); ++r) traffic.messages.push_back({r, (r + 1) % size(), bytes});
    sluice::ExchangeOptions how;
    how.algorithm = "weights";
    StepSchedule result = sluice::plan_exchange({traffic, size(), 0}, how).schedule;
    result.problem = problem;
    return std::make_shared<const StepSchedule>(std::move(result));
  };
  const std::vector<std::pair<std::string, std::function<void(ExchangeOptions&)>>> spoil{
      {"unit_cost", [](auto& o) { o.local_links->unit_cost = 0; }},
      {"unit_cost", [](auto& o) { o.local_links->unit_cost = std::nan(""); }},
      {"local setup", [](auto& o) { o.local_links->setup = -1; }},
      {"local_links", [](auto& o) { o.mode = ExchangeMode::kList; }},
      {"local_links", [](auto& o) { o.mode = ExchangeMode::kAtOnce; }},
      {"local_links",
       [](auto& o) {
         o.speeds.backbone = {{0, 2}};
       }},
      {"sender_ranks", [](auto& o) { o.sender_ranks = {size()}; }},
      {"receiver_ranks", [](auto& o) { o.receiver_ranks = {-1}; }},
      {"sender_ranks",
       [](auto& o) {
         o.sender_ranks = {0, 0};
       }},
      {"sender_ranks", [](auto& o) { o.sender_ranks = {0}; }},
      {"sender_ranks",
       [](auto& o) {
         o.local_links.reset();
         o.sender_ranks = {0};
       }},
      {"schedule", [&](auto& o) { o.schedule = schedule(100, "exchange"); }},
      {"schedule",
       [&](auto& o) {
         o.local_links.reset();
         o.schedule = schedule(99, "exchange");
       }},
      {"schedule",
       [&](auto& o) {
         o.local_links.reset();
         o.schedule = schedule(100, "redistribute");
       }},
      {"max_transfers",
       [&](auto& o) {
         o.local_links.reset();
         o.schedule = schedule(100, "exchange");
         o.max_transfers = 1;
       }},
  };
  ASSERT_EQ(error_of(sends, good()), "");
  for (std::size_t i = 0; i < spoil.size(); ++i) {
    ExchangeOptions options = good();
    spoil[i].second(options);
    if (size() == 1 && i == 9) continue;  // it is the only rank
    const std::string error = error_of(sends, options);
    EXPECT_NE(error.find(spoil[i].first), std::string::npos) << "number " << i << ": " << error;
  }
}

}  // namespace
}  // namespace sluice::mpi
