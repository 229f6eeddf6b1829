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

/// The name of MPI's call for a collective; for simulated ranks, the call that waits for its end.
constexpr const char* native_call(const char* waits, const char* returns_at_once) {
  return kSimulated ? waits : returns_at_once;
}

/// MPI's own collective. It is started without blocking, so that its rank still hears of others that give up. MPI
/// counts in int, so it may take several calls, one after the other.
///
/// Executions of one communicator must be started in the same order on all ranks, as MPI requires: the collective
/// begins when its turn has come (Turns). If one is left unfinished, later ones do not begin.
class NativeCollective {
 public:
  /// Starts the next call, if there is one.
  enum class Started { kNone, kMoreToCome, kLast };
  using StartNext = std::function<Started(MPI_Request* request)>;

  explicit NativeCollective(Channel& channel) : channel_(channel) {}
  ~NativeCollective() {
    if (request_ == MPI_REQUEST_NULL) return;
    leftover_.front().requests.push_back(request_);  // there is room for it
    channel_.context().keep(leftover_);
  }
  NativeCollective(const NativeCollective&) = delete;
  NativeCollective& operator=(const NativeCollective&) = delete;

  /// `memory`: memory of the library's own that the collective uses; it is kept as long as MPI may use it. `turn`: the
  /// turn that was taken when the execution was started; if empty, a turn in the context's communicator is taken now.
  /// This and advance() throw InputError if an earlier collective was left unfinished.
  void begin(StartNext start_next, std::shared_ptr<const void> memory = nullptr, Turns::Turn turn = {}) {
    leftover_.assign(1, Leftover{{}, std::move(memory)});
    leftover_.front().requests.reserve(1);
    start_next_ = std::move(start_next);
    turn_ = turn.taken() ? std::move(turn) : channel_.take_turn(channel_.context().turns());
    under_way_ = true;
    begun_ = false;
    begin_if_turn();
  }
  Advance advance() {
    if (!under_way_) return Advance::kOver;
    if (!begun_) {
      channel_.check();
      begin_if_turn();
      return begun_ ? Advance::kMoved : Advance::kIdle;
    }
    if (kSimulated) {
      SLUICE_MPI(MPI_Wait(&request_, MPI_STATUS_IGNORE));
    } else if (!channel_.test(request_)) {
      return Advance::kIdle;
    }
    if (more_to_come_) {
      start();
    } else {
      under_way_ = false;
    }
    return under_way_ ? Advance::kMoved : Advance::kOver;
  }
  /// Leaves it, after quiet_s() for its end: until then others may need what is sent from here. MPI stops no
  /// collective: one that some rank has not begun never ends. A rank of this host that is just beginning it, and may
  /// have been kept from its processor, is waited for, and then the same time again.
  void abandon() noexcept {
    if (!under_way_) return;                  // or it has been left already, and may never end
    if (!channel_.context().alive()) return;  // after MPI_Finalize
    constexpr double kForBeginning_s = 3;     // so that this rank throws within five seconds
    const double quiet = quiet_s(channel_.context()), last = MPI_Wtime() + kForBeginning_s;
    double deadline = MPI_Wtime() + quiet;
    for (Patience patience; request_ != MPI_REQUEST_NULL; patience.look_again()) {
      int done = 0;
      (void)MPI_Test(&request_, &done, MPI_STATUS_IGNORE);  // if it fails, the collective may still go on
      const double now = MPI_Wtime();
      if (now < last && channel_.context().board().others_at_beginning()) deadline = now + quiet;
      if (now > deadline) break;
    }
    under_way_ = false;
    turn_.end();
  }

 private:
  void begin_if_turn() {
    if (turn_.closed())
      throw InputError(channel_.work(), "a job whose communicator has an unfinished collective", "a new job");
    if (turn_.has_come()) start();
  }
  void start() {
    Started started = Started::kNone;
    {
      const NoticeBoard::Beginning beginning(channel_.context().board());
      channel_.check_at_start();
      begun_ = true;
      started = start_next_(&request_);
    }
    under_way_ = started != Started::kNone;
    more_to_come_ = started == Started::kMoreToCome;
    if (!more_to_come_) turn_.end();
  }

  Channel& channel_;
  StartNext start_next_;
  std::list<Leftover> leftover_;
  Turns::Turn turn_;  ///< until the last call has been started
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool under_way_ = false;
  bool begun_ = false;
  bool more_to_come_ = false;
};

}  // namespace sluice::mpi::detail
