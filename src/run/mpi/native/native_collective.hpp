#pragma once

#include <mpi.h>

#include <functional>
#include <list>
#include <memory>
#include <utility>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/simulation.hpp"
#include "run/mpi/runtime/withdraw.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

/// A collective of MPI's own, started without blocking, so that its rank still hears of others that give up. MPI counts
/// in int: it may take several calls, one behind the other.
///
/// Executions of one communicator must be started in the same order on all ranks, as MPI asks for.
class NativeCollective {
 public:
  /// Starts the next call and returns true, or false where there is none left.
  using StartNext = std::function<bool(MPI_Request* request)>;

  explicit NativeCollective(Channel& channel) : channel_(channel) {}
  ~NativeCollective() {
    if (request_ == MPI_REQUEST_NULL) return;
    leftover_.front().requests.push_back(request_);  // there is room for it
    channel_.context().keep(leftover_);
  }
  NativeCollective(const NativeCollective&) = delete;
  NativeCollective& operator=(const NativeCollective&) = delete;

  /// `memory`: that of the library's own which it works on; it lasts as long as MPI may use it. Throws InputError if a
  /// collective was left unfinished in this context.
  void begin(StartNext start_next, std::shared_ptr<const void> memory = nullptr) {
    // Where this job is the reason, it is a later execution that failed.
    if (channel_.context().died_by() != channel_.number()) check_alive();
    leftover_.assign(1, Leftover{{}, std::move(memory)});
    leftover_.front().requests.reserve(1);
    start_next_ = std::move(start_next);
    under_way_ = true;
    under_way_ = start_next_(&request_);
  }
  Advance advance() {
    if (!under_way_) return Advance::kOver;
    if (kSimulated) {
      SLUICE_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    } else if (!channel_.test(request_)) {
      return Advance::kIdle;
    }
    under_way_ = start_next_(&request_);
    return under_way_ ? Advance::kMoved : Advance::kOver;
  }
  [[nodiscard]] bool under_way() const { return under_way_; }
  /// Leaves it, after quiet_s() for its end: until then others may need what is sent from here. MPI stops no collective:
  /// one that some rank has not begun never ends.
  void abandon() noexcept {
    const double deadline = MPI_Wtime() + quiet_s(channel_.context());
    for (Patience patience; request_ != MPI_REQUEST_NULL && MPI_Wtime() < deadline; patience.look_again()) {
      int done = 0;
      if (MPI_Test(&request_, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    }
    under_way_ = false;
  }
  /// Throws InputError if a collective was left unfinished in this context.
  void check_alive() const {
    if (channel_.context().dead())
      throw InputError(channel_.work(), "a job whose communicator has an unfinished collective", "a new job");
  }

 private:
  Channel& channel_;
  StartNext start_next_;
  std::list<Leftover> leftover_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool under_way_ = false;
};

}  // namespace sluice::mpi::detail
