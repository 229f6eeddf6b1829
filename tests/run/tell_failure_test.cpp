// How many ranks a rank that fails tells of it, and when: never n messages of each of n ranks at once.

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/control_wire.hpp"
#include "run/redistribution_testing.hpp"

namespace {

struct Sent {
  int to = 0;
  double at_s = 0;
};
std::vector<Sent> sent;  ///< control messages of this rank
double tick_s = 0;       ///< each look at the clock adds this time; 0: MPI's own clock
double clock_s = 0;

}  // namespace

// The profiling interface of MPI lets a program put itself between the library and MPI.

extern "C" double MPI_Wtime() { return tick_s > 0 ? clock_s += tick_s : PMPI_Wtime(); }

extern "C" int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                         MPI_Request* request) {
  if (tag == sluice::mpi::detail::kControlTag) sent.push_back({to, clock_s});
  return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

namespace sluice::mpi {
namespace {

using testing::Comm;
using testing::rank;
using testing::size;

/// The number of ranks 1, 2, 4, ... further on.
std::size_t first_told() { return size() == 1 ? 0 : std::bit_width(static_cast<unsigned>(size() - 1)); }

/// This rank gives up a new channel of the communicator; the clock is slowed or quickened to that tick.
void give_up(detail::Context& context, std::int64_t number, double tick) {
  sent.clear();
  clock_s = 0;
  tick_s = tick;
  context.tell_failure(number, std::make_exception_ptr(std::runtime_error("a fault")), 1, detail::Context::kNever);
  tick_s = 0;
}

TEST(TellFailure, OneThatHearsNothingTellsAllTwiceAsManyInEachRound) {
  constexpr double kRound_s = 0.002;
  const Comm comm;
  const std::shared_ptr<detail::Context> context = detail::Context::of(comm.get());
  for (int culprit = 0; culprit < size(); culprit += 5) {
    const std::int64_t number = context->take_number();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() != culprit) continue;
    // Long for any machine: here only looks at the clock make the time go by.
    give_up(*context, number, kRound_s / 16);
    std::vector<bool> told(static_cast<std::size_t>(size()));
    told[static_cast<std::size_t>(culprit)] = true;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_FALSE(told[static_cast<std::size_t>(sent[i].to)]) << "rank " << sent[i].to << " is told twice";
      told[static_cast<std::size_t>(sent[i].to)] = true;
      const double rounds = std::floor(sent[i].at_s / kRound_s);
      EXPECT_LT(static_cast<double>(i), static_cast<double>(first_told()) * std::exp2(rounds))
          << "at " << sent[i].at_s << " s";
    }
    EXPECT_TRUE(std::ranges::all_of(told, [](bool is) { return is; }));
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(TellFailure, OfAllThatFailAtOnceOneTellsAll) {
  const Comm comm;
  const std::shared_ptr<detail::Context> context = detail::Context::of(comm.get());
  const std::int64_t number = context->take_number();
  MPI_Barrier(MPI_COMM_WORLD);
  // Rounds do not end before a rank has heard the others, except on the lowest rank, which hears of nobody below it.
  give_up(*context, number, rank() == 0 ? 1e-4 : 1e-12);
  const std::size_t expected = rank() == 0 ? static_cast<std::size_t>(size() - 1) : first_told();
  if (size() > 4) {
    EXPECT_EQ(sent.size(), expected);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sluice::mpi
