/// An MPI with few tags: jobs take the tags of earlier jobs.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace {

int largest_tag = 8 + 8 * 20;  // 20 channels have tags of their own

}  // namespace

extern "C" int MPI_Comm_get_attr(MPI_Comm comm, int key, void* value, int* found) {
  if (key != MPI_TAG_UB) return PMPI_Comm_get_attr(comm, key, value, found);
  // As MPI has it: of MPI_COMM_WORLD alone.
  *found = comm == MPI_COMM_WORLD ? 1 : 0;
  if (*found != 0) *static_cast<int**>(value) = &largest_tag;
  return MPI_SUCCESS;
}

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

/// From each rank to the next one.
class Passing {
 public:
  explicit Passing(std::int64_t bytes)
      : out_(static_cast<std::size_t>(bytes), std::byte(rank())),
        in_(static_cast<std::size_t>(bytes)),
        job_(MPI_COMM_WORLD, {{(rank() + 1) % size(), bytes}}, {.mode = ExchangeMode::kLocal}) {}
  void start() { job_.start(out_, in_); }
  void wait() { job_.wait(); }
  [[nodiscard]] bool right() const {
    return in_ == std::vector<std::byte>(in_.size(), std::byte((rank() + size() - 1) % size()));
  }

 private:
  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  Exchange job_;
};

/// The root is late, and fails before it receives anything: what the others have sent stays in MPI for ever.
void leave_messages_behind() {
  std::vector<double> own(3000, 1.0), result(3000);
  ElementReduction job(MPI_COMM_WORLD, {3000, MPI_DOUBLE, MPI_SUM}, 0, {.algorithm = "flat"});
  if (rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_THROW(job.execute(rank() == 0 ? nullptr : own.data(), result.data()), InputError);
}

TEST(FewTags, WhatAFailedJobLeftIsNoMessageOfAnother) {
  if (size() == 1) return;
  for (int round = 0; round < 3; ++round) {
    leave_messages_behind();
    for (int i = 0; i < 50; ++i) {
      Passing job(100 + i);
      job.start();
      job.wait();
      ASSERT_TRUE(job.right()) << round << ", " << i;
    }
  }
}

TEST(FewTags, MoreJobsAreUnderWayThanThereAreTags) {
  std::vector<std::unique_ptr<Passing>> jobs;
  for (int i = 0; i < 100; ++i) jobs.push_back(std::make_unique<Passing>(1000 + i));
  for (const auto& job : jobs) job->start();
  // No two ranks in the same order.
  for (std::size_t i = 0; i < jobs.size(); ++i)
    jobs[(i * 7 + static_cast<std::size_t>(rank()) * 31) % jobs.size()]->wait();
  for (const auto& job : jobs) ASSERT_TRUE(job->right());
}

TEST(FewTags, SettingsOfACommunicatorLast) {
  if (size() == 1) return;
  set_agreed_arguments(MPI_COMM_WORLD, true);
  for (int i = 0; i < 50; ++i) {
    ElementReduction job(MPI_COMM_WORLD, {1, MPI_INT, MPI_SUM}, 0);
    int own = 1;
    int result = 0;
    EXPECT_THROW(job.execute(rank() == 0 ? nullptr : &own, &result), InputError);
    job.execute(&own, &result);
    if (rank() == 0) {
      ASSERT_EQ(result, size()) << i;
    }
  }
  set_agreed_arguments(MPI_COMM_WORLD, false);
}

}  // namespace
}  // namespace sluice::mpi
