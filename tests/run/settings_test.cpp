// Settings that hold for all jobs of a communicator: all ranks agree on the arguments of executions.

#include "sluice/run/mpi/settings.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/reduction.hpp"

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

/// Arguments are agreed on in MPI_COMM_WORLD while it lives.
class Agreeing {
 public:
  Agreeing() { set_agreed_arguments(MPI_COMM_WORLD, true); }
  ~Agreeing() { set_agreed_arguments(MPI_COMM_WORLD, false); }
  Agreeing(const Agreeing&) = delete;
  Agreeing& operator=(const Agreeing&) = delete;
};

/// The InputError that `part()` throws, "" if it throws none.
template <class Part>
std::string refusal_of(Part&& part) {
  try {
    part();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(AgreedArguments, ABadOneOnAnyRankIsRefusedByAllAndNothingIsSent) {
  const Agreeing agreeing;
  constexpr std::int64_t kBytes = 40'000;
  Broadcast job(MPI_COMM_WORLD, 0);
  for (int culprit = 0; culprit < size(); ++culprit) {
    std::vector<std::byte> buffer(kBytes, std::byte(rank() == 0 ? 7 : 1));
    const std::string refused = refusal_of([&] { job.execute(rank() == culprit ? nullptr : buffer.data(), kBytes); });
    EXPECT_NE(refused.find("null pointer"), std::string::npos) << refused;
    if (rank() != culprit) {
      EXPECT_NE(refused.find("on rank " + std::to_string(culprit)), std::string::npos) << refused;
    }
    EXPECT_EQ(buffer, std::vector<std::byte>(kBytes, std::byte(rank() == 0 ? 7 : 1)));
    // The same job, at once.
    job.execute(buffer.data(), kBytes);
    EXPECT_EQ(buffer, std::vector<std::byte>(kBytes, std::byte(7)));
  }
}

TEST(AgreedArguments, SizesOfABroadcastMustBeTheSame) {
  if (size() == 1) return;
  const Agreeing agreeing;
  Broadcast job(MPI_COMM_WORLD, 0);
  std::vector<std::byte> buffer(5000, std::byte(rank() == 0 ? 3 : 0));
  const std::int64_t mine = rank() == size() - 1 ? 4000 : 5000;
  EXPECT_NE(refusal_of([&] { job.execute(buffer.data(), mine); }), "");
  job.execute(buffer.data(), 5000);
  EXPECT_EQ(buffer, std::vector<std::byte>(5000, std::byte(3)));
}

TEST(AgreedArguments, OtherJobsGoOnMeanwhile) {
  const Agreeing agreeing;
  const int next = (rank() + 1) % size();
  const int previous = (rank() + size() - 1) % size();
  std::vector<std::byte> out(100'000, std::byte(rank()));
  std::vector<std::byte> in(out.size());
  Exchange exchange(MPI_COMM_WORLD, {{next, static_cast<std::int64_t>(out.size())}});
  ElementReduction sum(MPI_COMM_WORLD, {1000, MPI_INT, MPI_SUM}, 0);
  std::vector<int> own(1000, 1);
  std::vector<int> result(1000);
  for (int round = 0; round < 3; ++round) {
    exchange.start(out, in);
    const bool bad = rank() == round % size();
    EXPECT_NE(refusal_of([&] { sum.execute(bad ? nullptr : own.data(), result.data()); }), "");
    exchange.wait();
    EXPECT_EQ(in, std::vector<std::byte>(out.size(), std::byte(previous)));
    // A buffer that is too small does no harm either.
    const std::size_t room = rank() == size() - 1 ? in.size() - 1 : in.size();
    EXPECT_NE(refusal_of([&] { exchange.execute(out, std::span(in).first(room)); }), "");
    sum.execute(own.data(), result.data());
    if (rank() == 0) {
      EXPECT_EQ(result, std::vector<int>(1000, size()));
    }
  }
}

/// One rank catches nothing, and its job is destroyed: the others hear of it when they go on.
TEST(AgreedArguments, ARankThatLeavesThenIsMissedByTheOthers) {
  if (size() == 1) return;
  const Agreeing agreeing;
  std::vector<std::byte> buffer(100'000);
  const auto bytes = static_cast<std::int64_t>(buffer.size());
  const bool leaves = rank() == size() - 1;
  try {
    Broadcast job(MPI_COMM_WORLD, 0);
    try {
      job.execute(leaves ? nullptr : buffer.data(), bytes);
      ADD_FAILURE() << "the null pointer was taken";
    } catch (const InputError&) {
      if (leaves) throw;
    }
    EXPECT_THROW(job.execute(buffer.data(), bytes), JobError);
    EXPECT_NE(refusal_of([&] { job.execute(buffer.data(), bytes); }), "") << "the job is over";
  } catch (const InputError&) {
    EXPECT_TRUE(leaves);
  }
}

TEST(AgreedArguments, OnlyOnOthersOfTheSameCommunicator) {
  if (size() == 1) return;
  const Agreeing agreeing;
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  {
    Broadcast job(other, 0);
    std::vector<std::byte> buffer(1000);
    EXPECT_NE(refusal_of([&] { job.execute(nullptr, 1000); }), "");
    EXPECT_NE(refusal_of([&] { job.execute(buffer.data(), 1000); }), "") << "the job is over";
  }
  MPI_Comm_free(&other);
}

TEST(AgreedArguments, MustBeSetAlike) {
  if (size() > 1) {
    EXPECT_THROW(set_agreed_arguments(MPI_COMM_WORLD, rank() == 0), InputError);
  }
  EXPECT_THROW(set_agreed_arguments(MPI_COMM_NULL, true), InputError);
  // Nothing has changed: InputError ends this job.
  Broadcast job(MPI_COMM_WORLD, 0);
  std::vector<std::byte> buffer(1000);
  EXPECT_NE(refusal_of([&] { job.execute(nullptr, 1000); }), "");
  EXPECT_NE(refusal_of([&] { job.execute(buffer.data(), 1000); }), "");
}

}  // namespace
}  // namespace sluice::mpi
