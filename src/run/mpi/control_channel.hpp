#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "run/mpi/communicator.hpp"

namespace sluice::mpi::detail {

/// A short message by which ranks arrange when data may go. What the numbers mean is up to the kind.
struct Control {
  std::int64_t kind = 0;  ///< at least 0
  std::int64_t number = 0;
  std::int64_t rank = 0;
  std::int64_t bytes = 0;
  std::int64_t execution = 0;  ///< of the sender, where one can be ahead of the other
};

/// Short messages between any two ranks, beside the data: sending never waits, and a look for what has come costs one
/// MPI_Test. Between two ranks they arrive in order.
///
/// Nothing may be left in the channel when it is destroyed without having been abandoned: MPI may give the context of
/// its communicator to a later one, and what was left would be received there. So every protocol receives all that it
/// sends.
///
/// A rank that cannot go on tells all others by abandon(); they learn of it at their next look, and abandon in turn.
class ControlChannel {
 public:
  /// Collective: works on a duplicate of `comm`. `work`, a literal, is what errors call that which a rank gives up.
  ControlChannel(MPI_Comm comm, const char* work);
  /// Collective, as it frees the duplicate, unless somebody abandoned the channel.
  ~ControlChannel();
  ControlChannel(const ControlChannel&) = delete;
  ControlChannel& operator=(const ControlChannel&) = delete;

  [[nodiscard]] const Communicator& comm() const { return comm_; }

  /// To any rank, the own one included.
  void send(int rank, const Control& control);

  struct Received {
    int from = 0;
    Control control;
  };
  /// What came next, if anything has. Throws MpiError if a rank has abandoned the channel.
  std::optional<Received> poll();
  /// Throws as poll; what else has come is left for poll.
  void look_for_abandonment();
  /// Whether everything sent has left this rank.
  bool sent();

  /// Tells every rank that this one has given up and receives no more, and waits for all to say so: until then they
  /// may read what this rank had begun to send. A rank that has nothing under way may say so late, so the waiting ends
  /// after a second. Never throws; the channel is of no further use.
  void abandon() noexcept;
  [[nodiscard]] bool abandoned() const { return abandoned_; }

 private:
  struct Outgoing {
    Control control;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void listen();
  std::optional<Received> receive();

  Communicator comm_;
  const char* work_;
  std::deque<Received> kept_;      ///< come, and not polled yet
  std::deque<Outgoing> outgoing_;  ///< a deque, as MPI reads from its elements while others come and go
  Control incoming_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool abandoned_ = false;
  int stopped_ = 0;   ///< other ranks that have abandoned
  int culprit_ = -1;  ///< the first that did, as far as this rank knows
  Control goodbye_;
};

}  // namespace sluice::mpi::detail
