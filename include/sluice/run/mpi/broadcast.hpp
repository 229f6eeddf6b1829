#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <string>

#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"

namespace sluice::mpi {

/// How to plan broadcasts and carry them out. Every rank must give the same.
struct BroadcastJobOptions {
  BroadcastOptions plan;  ///< as for plan_broadcast
  /// Where `plan.algorithm` is "auto": the first broadcast of a size class is also tried by MPI_Bcast, and whichever
  /// was faster serves the class from then on. A model cannot know what an MPI has in store on one node.
  bool try_native = true;
};

/// What serves a size class.
struct ChosenBroadcast {
  std::string method;      ///< what a person calls it; "native" is MPI_Bcast
  double predicted_s = 0;  ///< by the model, for the largest size of the class
  double planned_s = 0;    ///< measured, if MPI_Bcast was tried: medians of the slowest rank
  double native_s = 0;
};

/// The job of giving all ranks what the root has, by the way through the network that the model of the platform finds
/// fastest for each size:
///
///     sluice::mpi::Broadcast job(comm, sluice::read_platform("platform.json"), 0);
///     job.execute(buffer, bytes);
///
/// in place of MPI_Bcast. Construction, execution and destruction are collective. Rank 0 plans and tells each rank its
/// own part. MPI_THREAD_FUNNELED is enough.
///
/// Plans are kept by size class, of which there are eight between a power of two and the next; a smaller message of the
/// class is cut at the same fractions. The plans of the last 64 classes are kept.
///
/// Messages travel from the buffer and into it: no rank holds a copy.
class Broadcast {
 public:
  /// Collective over `comm`, an intracommunicator, of which the object keeps duplicates only. `platform` has as many
  /// ranks as it.
  ///
  /// Throws InputError on every rank if an argument is bad on any rank, or differs between ranks; MpiError.
  Broadcast(MPI_Comm comm, const Platform& platform, int root, const BroadcastJobOptions& options = {});
  /// Collective. While an exception passes, it tells the other ranks instead: those that are in execute, or come to it,
  /// throw MpiError and wait no longer.
  ~Broadcast();
  Broadcast(Broadcast&&) noexcept;
  Broadcast& operator=(Broadcast&&) noexcept;
  Broadcast(const Broadcast&) = delete;
  Broadcast& operator=(const Broadcast&) = delete;

  /// Gives all ranks the root's `bytes` at `buffer`. Collective; a rank is done when it has all and has passed on what
  /// is for it to pass on. The first execution of a size class plans, and tries.
  ///
  /// Throws InputError for a null buffer or negative bytes, on every rank where the class is a new one, else only
  /// there; MpiError on all ranks if a call to MPI fails on any; the object is of no further use then.
  void execute(void* buffer, std::int64_t bytes);

  /// Collective: what serves messages of this size, which is planned if it is not yet. Nothing is tried.
  [[nodiscard]] ChosenBroadcast chosen(std::int64_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sluice::mpi
