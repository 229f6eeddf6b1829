// Jobs after MPI_Finalize: every use is refused in words, and they can be destroyed. A program of its own, as MPI is
// finalised once.

#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "run/platform_testing.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/measure.hpp"
#include "sluice/run/mpi/network.hpp"
#include "sluice/run/mpi/probe.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/redistribution_batch.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/refuse_job.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::mpi {
namespace {

using testing::rank_in;
using testing::size_of;

constexpr std::size_t kBytes = 40'000;
std::vector<std::byte> memory(2 * kBytes);
std::byte* const in = memory.data();
std::byte* const out = memory.data() + kBytes;

/// A job, and what can be done with it.
struct Kept {
  std::string name;
  std::shared_ptr<void> job;
  std::function<void()> execute;
  std::function<void()> start;
};

std::vector<Kept> kept;

template <class Job, class Start>
void keep(const std::string& name, std::shared_ptr<Job> job, Start start) {
  kept.push_back({name, job,
                  [job, start] {
                    start(*job);
                    job->wait();
                  },
                  [job, start] { start(*job); }});
}

void merge(std::span<const std::byte> /*left*/, std::span<const std::byte> right, Bytes& result) {
  result.assign(right.begin(), right.end());
}

/// One of each kind, and of those that hold something of MPI's in different ways one of each.
void make_jobs() {
  const MPI_Comm comm = MPI_COMM_WORLD;
  const int size = size_of(comm);
  const int next = (rank_in(comm) + 1) % size;
  const Layout from{{size}, {7}};
  const Layout to{{size}, {3}};
  const auto move = [](Redistribution& job) { job.start(in, out); };
  keep("redistribution", std::make_shared<Redistribution>(comm, std::vector<std::int64_t>{600}, from, to, 8), move);
  RedistributionOptions by_messages;
  by_messages.shared_from_bytes = -1;
  by_messages.mode = ExchangeMode::kChain;
  keep("redistribution, one port kept",
       std::make_shared<Redistribution>(comm, std::vector<std::int64_t>{600}, from, to, 8, by_messages), move);
  keep("batch", std::make_shared<RedistributionBatch>(comm, std::vector<RedistributionArray>{{{600}, from, to, 8, {}}}),
       [](RedistributionBatch& job) {
         const std::array<const void*, 1> sources{in};
         const std::array<void*, 1> targets{out};
         job.start(sources, targets);
       });
  const std::vector<MessageSize> sends{{next, 1000}};
  for (const ExchangeMode mode : {ExchangeMode::kAuto, ExchangeMode::kChain, ExchangeMode::kLocal,
                                  ExchangeMode::kBarrier, ExchangeMode::kList, ExchangeMode::kAtOnce}) {
    ExchangeOptions options;
    options.mode = mode;
    keep("exchange, " + to_string(mode), std::make_shared<Exchange>(comm, sends, options), [](Exchange& job) {
      job.start(std::span(in, static_cast<std::size_t>(job.send_bytes())),
                std::span(out, static_cast<std::size_t>(job.receive_bytes())));
    });
  }
  const auto sum = [](ElementReduction& job) { job.start(in, out); };
  keep("sum", std::make_shared<ElementReduction>(comm, ElementOperation{1000, MPI_DOUBLE, MPI_SUM}, 0), sum);
  ReductionOptions over;
  over.platform = testing::platform_of(size, 2);
  keep("sum over a platform",
       std::make_shared<ElementReduction>(comm, ElementOperation{1000, MPI_INT, MPI_SUM}, 0, over), sum);
  keep("objects", std::make_shared<ObjectReduction>(comm, ObjectOperation{merge, false}, 0), [](ObjectReduction& job) {
    static Bytes result;
    job.start(std::span<const std::byte>(in, 1000), result);
  });
  const auto spread = [](Broadcast& job) { job.start(in, kBytes); };
  keep("broadcast", std::make_shared<Broadcast>(comm, 0), spread);
  BroadcastOptions clusters;
  clusters.platform = testing::platform_of(size, 2);
  keep("broadcast over a platform", std::make_shared<Broadcast>(comm, 0, clusters), spread);
  keep("allgather", std::make_shared<Allgather>(comm, 100), [](Allgather& job) { job.start(in, out); });
  keep("broadcast, not executed before", std::make_shared<Broadcast>(comm, 0), spread);
  // MPI knows such blocks by a type.
  keep("allgather of long blocks, not executed before", std::make_shared<Allgather>(comm, std::int64_t{3} << 30),
       [](Allgather& job) { job.start(in, out); });
}

std::shared_ptr<DynamicExchange> dynamic;
/// Destroyed at the end of the program, after what the library has made since the program began.
std::shared_ptr<Broadcast> until_exit;

void use_jobs() {
  for (const Kept& each : kept) {
    if (each.name.find("not executed") != std::string::npos) continue;
    for (int round = 0; round < 8; ++round) each.execute();  // by the plan, and by MPI's own collective
  }
  until_exit = std::make_shared<Broadcast>(MPI_COMM_WORLD);
  until_exit->execute(in, kBytes);
  dynamic = std::make_shared<DynamicExchange>(MPI_COMM_WORLD);
  dynamic->post(0, std::span<const std::byte>(in, 5000));
  (void)dynamic->finish();
}

/// Expects that `part` throws InputError, and of what it speaks.
template <class Part>
void expect_refused(Part&& part, const std::string& words = "MPI_Finalize") {
  try {
    part();
    ADD_FAILURE() << "as if MPI were running";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
  }
}

TEST(AfterFinalize, JobsRefuseToBeUsed) {
  for (const Kept& each : kept) {
    SCOPED_TRACE(each.name);
    expect_refused(each.execute);
    expect_refused(each.start);
  }
  expect_refused([] { dynamic->post(0, std::span<const std::byte>(in, 10)); });
  expect_refused([] { dynamic->progress(); });
  expect_refused([] { (void)dynamic->finish(); });
  expect_refused([] { dynamic->set_max_transfers(2); });
}

TEST(AfterFinalize, NoneCanBeMade) {
  const std::vector<MessageSize> sends{{0, 10}};
  expect_refused([] { const Broadcast job(MPI_COMM_WORLD); });
  expect_refused([] { const Redistribution job(MPI_COMM_WORLD, {6}, {{1}, {7}}, {{1}, {3}}, 8); });
  expect_refused([&] { const Exchange job(MPI_COMM_WORLD, sends); });
  expect_refused([] { const DynamicExchange job(MPI_COMM_WORLD); });
  expect_refused([] { const ElementReduction job(MPI_COMM_WORLD, {1, MPI_INT, MPI_SUM}, 0); });
  expect_refused([] { const ObjectReduction job(MPI_COMM_WORLD, {merge, false}, 0); });
  expect_refused([] { const Allgather job(MPI_COMM_WORLD, 100); });
  expect_refused([] { (void)probe(MPI_COMM_WORLD); });
  expect_refused([] { (void)network(MPI_COMM_WORLD); });
  expect_refused([&] { (void)measure_max_transfers(MPI_COMM_WORLD, sends, 0.01); });
  expect_refused([] { set_kept_plans(MPI_COMM_WORLD, 1); });
  expect_refused([] { set_agreed_arguments(MPI_COMM_WORLD, true); });
  expect_refused([] { refuse_job(MPI_COMM_WORLD, std::make_exception_ptr(InputError("a", "b", "c"))); });
}

TEST(AfterFinalize, JobsCanBeDestroyed) {
  const std::size_t jobs = kept.size();
  kept.clear();
  dynamic.reset();
  EXPECT_GE(jobs, 15U);
}

}  // namespace
}  // namespace sluice::mpi

/// MPI cannot gather results any more. If a test fails on a rank, the rank ends with a status that the launcher passes
/// on.
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  sluice::mpi::make_jobs();
  sluice::mpi::use_jobs();
  MPI_Finalize();
  return RUN_ALL_TESTS();
}
