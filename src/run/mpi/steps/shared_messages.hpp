#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/shared_ring.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/steps/piece_order.hpp"
#include "run/mpi/steps/step_data.hpp"

namespace sluice::mpi::detail {

/// Messages between ranks that share memory, in no order: the sender copies, or packs, each to a place that the two
/// share, and the receiver takes it from there. MPI carries nothing but where the places are, in the first execution:
/// it takes longer for a message than these copies do.
///
/// Each message goes through a SharedRing: whole, and with two places, which executions use in turns, if that is no
/// more than its share of the rank's memory; else in parts.
///
/// No deadlock: all messages of a rank are looked at in turns, and a part waits for the earlier ones of its message
/// alone.
class SharedMessages {
 public:
  /// Whether the context's ranks can do so; the same on all of them.
  [[nodiscard]] static bool possible(Context& context);
  /// Takes the messages from these lists, in which they have 0 bytes then and keep their numbers. The places of a rank
  /// have 2 MiB at most, whomever it sends to, unless one of its elements is longer than its share: parts are multiples
  /// of `granule` bytes. Local. Throws std::bad_alloc.
  SharedMessages(Channel& channel, std::vector<StepMessage>& sends, std::vector<StepMessage>& receives,
                 std::int64_t granule);
  /// After abandon(), if an execution has not ended.
  ~SharedMessages();
  SharedMessages(const SharedMessages&) = delete;
  SharedMessages& operator=(const SharedMessages&) = delete;

  /// Begins to move each message once, with this data until that is over.
  void begin(StepData& data);
  /// Does what can be done without waiting. Throws as Channel::check.
  Advance advance();
  /// Ends the execution before it is over: nothing more is written into the user's memory.
  void abandon() noexcept;

  [[nodiscard]] std::int64_t buffer_bytes() const { return block_.bytes; }

 private:
  struct Send {
    std::size_t number = 0;  ///< in the executor's list
    int peer = 0;
    SharedRingSender end;
  };
  struct Receive {
    std::size_t number = 0;
    int peer = 0;
    SharedRingReceiver end;  ///< connected once the sender has said where
  };
  struct Notes {
    std::vector<Arena::Place> sent;
    std::vector<Arena::Place> received;
  };

  void tell_places();
  /// Whether all has been told and heard.
  bool hear_places();
  bool fill();
  bool take();

  Channel& channel_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  Arena::Block block_;
  std::shared_ptr<Notes> notes_;
  std::list<Pending> told_;
  std::list<Pending> heard_;  ///< of receives_, until all have been heard
  bool connected_ = false;

  // The present execution.
  StepData* data_ = nullptr;
  std::vector<std::size_t> to_fill_;
  std::vector<std::size_t> to_take_;
  MemoryWatch watch_;
  std::optional<TransferTrace> trace_;
};

}  // namespace sluice::mpi::detail
