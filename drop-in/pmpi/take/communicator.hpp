#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "pmpi/take/job_cache.hpp"
#include "pmpi/take/taken_calls.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::pmpi {

/// What came of the agreements of a call whose arguments differ from rank to rank (take_exchange.cpp).
struct Agreements {
  std::int64_t fruitless = 0;  ///< in a row that came to nothing
  std::int64_t skip = 0;       ///< calls to forward without a reduction
};

/// What a communicator of the program has attached: its jobs, and what is needed to decide about calls. Everything here
/// is the same on all of its ranks.
struct Communicator {
  /// Calls may be taken: ranks of this MPI_COMM_WORLD, more than one, on more than one host, or few enough on one to
  /// go by memory that all of them map, or always.
  bool on = false;
  bool failed = false;    ///< whether a call has failed, to this rank's knowledge: the only field here that may differ
                          ///< between ranks
  bool one_host = false;  ///< by memory; false if calls are always taken, as if there was a network
  int rank = 0;
  int size = 1;
  std::vector<int> world_ranks;
  JobCache jobs;
  std::optional<Platform> platform;  ///< of the communicator's ranks; none: no network, or it is unknown
  bool platform_made = false;

  std::array<Agreements, kTakenCalls.size()> agreements{};  ///< by call

  /// The program's communicator and the calls that are being carried out: the last one deletes.
  std::atomic<int> holders{1};

  [[nodiscard]] const std::optional<Platform>& network();
  [[nodiscard]] Agreements& agreements_of(Taken call) { return agreements[index_of(call)]; }
};

/// A call holds this while it is carried out: meanwhile the program may free the communicator in another thread.
struct LetGo {
  void operator()(Communicator* communicator) const noexcept {
    if (communicator->holders.fetch_sub(1) == 1) delete communicator;
  }
};
using HeldCommunicator = std::unique_ptr<Communicator, LetGo>;
[[nodiscard]] inline HeldCommunicator hold(Communicator& communicator) {
  communicator.holders.fetch_add(1, std::memory_order_relaxed);
  return HeldCommunicator(&communicator);
}

/// Local. Null if MPI refuses.
[[nodiscard]] Communicator* communicator_of(MPI_Comm comm);

/// A communicator of this process alone, whose errors are returned: what fails on MPI_COMM_SELF ends most programs.
[[nodiscard]] MPI_Comm returning_self();

/// Collective over MPI_COMM_WORLD: finds the hosts, and the platform that the settings name. False: calls cannot be
/// taken, and why was said.
[[nodiscard]] bool start_taking();
/// Local, before MPI_Finalize: the end of all jobs.
void stop_taking();
[[nodiscard]] bool has_platform();

}  // namespace sluice::pmpi
