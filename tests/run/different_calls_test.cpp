// Ranks that are in different calls, as programs with a fault are: InputError on every rank, and none left waiting.

#include <gtest/gtest.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
#include "sluice/run/mpi/error.hpp"
#include "sluice/run/mpi/exchange.hpp"
#include "sluice/run/mpi/network.hpp"
#include "sluice/run/mpi/redistribution.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/run/mpi/settings.hpp"

namespace sluice::mpi {
namespace {

using testing::rank;
using testing::size;

const ElementOperation kSum{10, MPI_DOUBLE, MPI_SUM};

/// Calls that all ranks have to make together, by name.
const std::vector<std::pair<std::string, std::function<void()>>>& calls() {
  static const std::vector<std::pair<std::string, std::function<void()>>> kList{
      {"Broadcast", [] { Broadcast job(MPI_COMM_WORLD); }},
      {"Exchange",
       [] {
         const std::vector<MessageSize> sends{{(rank() + 1) % size(), 100}};
         Exchange job(MPI_COMM_WORLD, sends);
       }},
      {"Exchange of types",
       [] { Exchange job(MPI_COMM_WORLD, std::vector<TypedMessage>{}, std::vector<TypedMessage>{}); }},
      {"DynamicExchange", [] { DynamicExchange job(MPI_COMM_WORLD); }},
      {"ElementReduction", [] { ElementReduction job(MPI_COMM_WORLD, kSum); }},
      {"Redistribution",
       [] {
         Redistribution job(MPI_COMM_WORLD, {100}, {{1}, {4}}, {{size()}, {5}}, 8);
       }},
      {"Allreduce", [] { Allreduce job(MPI_COMM_WORLD, kSum); }},
      {"Alltoall", [] { Alltoall job(MPI_COMM_WORLD, 100); }},
      {"network", [] { (void)network(MPI_COMM_WORLD); }},
      {"set_agreed_arguments", [] { set_agreed_arguments(MPI_COMM_WORLD, false); }},
  };
  return kList;
}

/// Whether the call throws InputError for what the other ranks do.
bool is_refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.found() == "different ones on different ranks";
  }
  return false;
}

TEST(DifferentCalls, AreRefusedOnAllRanks) {
  if (size() == 1) GTEST_SKIP() << "one rank";
  for (const auto& [name, call] : calls()) {
    for (const auto& [other_name, other] : calls()) {
      if (name == other_name) continue;
      EXPECT_TRUE(is_refused(rank() == 0 ? call : other)) << name << " on rank 0, " << other_name << " on the others";
      if (testing::any_rank_failed()) return;
    }
    // Those that are all in one call are not disturbed.
    EXPECT_NO_THROW(call()) << name;
    if (testing::any_rank_failed()) return;
  }
}

/// What an execution throws: the class of the MPI error, 0 for nothing, -1 for another exception.
int class_of_error(const std::function<void()>& execution) {
  try {
    execution();
    return 0;
  } catch (const MpiError& error) {
    int error_class = 0;
    MPI_Error_class(error.code(), &error_class);
    return error_class;
  } catch (const std::exception&) {
    return -1;
  }
}

// By memory nobody sees sizes but in the log of calls.
TEST(DifferentCalls, ABroadcastOfAnotherSizeEndsWithAnError) {
  if (size() == 1 || !detail::Context::of(MPI_COMM_WORLD)->shares_memory()) return;
  constexpr int kShort = 40000, kLong = 48000;
  for (const int odd : {0, size() - 1}) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    std::vector<char> buffer(kLong);
    {
      Broadcast job(comm, 0);
      job.execute(buffer.data(), kShort);
      job.execute(buffer.data(), kLong);
      const int error = class_of_error([&] { job.execute(buffer.data(), rank() == odd ? kShort : kLong); });
      // The root is done before anybody comes. Whoever waits for another size hears of it.
      if (rank() != 0 && (rank() == odd || odd == 0)) {
        EXPECT_NE(error, 0);
      }
      if (rank() == odd && odd != 0) {
        EXPECT_EQ(error, MPI_ERR_TRUNCATE);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_free(&comm);
  }
}

TEST(DifferentCalls, AnotherJobEndsWithAnErrorIfCallsAreInOrder) {
  if (size() == 1 || !detail::Context::of(MPI_COMM_WORLD)->shares_memory()) return;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<char> block(5000), all(5000 * static_cast<std::size_t>(size()));
  {
    CollectiveOptions options;
    options.try_native = false;
    Allgather shorter(comm, 4000, options);
    Allgather longer(comm, 5000, options);
    set_calls_in_order(comm, true);
    for (int i = 0; i < 3; ++i) {
      shorter.execute(block.data(), all.data());
      longer.execute(block.data(), all.data());
    }
    const int error =
        class_of_error([&] { (rank() == size() - 1 ? shorter : longer).execute(block.data(), all.data()); });
    EXPECT_NE(error, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Comm_free(&comm);
}

TEST(DifferentCalls, NobodyWaitsForARankThatHasFreedTheCommunicator) {
  if (size() == 1 || !detail::Context::of(MPI_COMM_WORLD)->shares_memory()) return;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<char> buffer(40000);
  {
    std::optional<Broadcast> job(std::in_place, comm, 0);
    job->execute(buffer.data(), 40000);
    if (rank() == 0) {
      job.reset();
      MPI_Comm_free(&comm);
    } else {
      EXPECT_NE(class_of_error([&] { job->execute(buffer.data(), 40000); }), 0);  // or heard it from who found it
    }
  }
  if (rank() != 0) MPI_Comm_free(&comm);
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sluice::mpi
