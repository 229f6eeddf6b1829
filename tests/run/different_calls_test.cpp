// Ranks that are in different calls, as programs with a fault are: InputError on every rank, and none left waiting.

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "run/any_rank_failed.hpp"
#include "run/redistribution_testing.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/broadcast.hpp"
#include "sluice/run/mpi/collectives.hpp"
#include "sluice/run/mpi/dynamic_exchange.hpp"
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

}  // namespace
}  // namespace sluice::mpi
