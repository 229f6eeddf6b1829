#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/steps/piece_order.hpp"
#include "run/mpi/steps/step_data.hpp"

namespace sluice::mpi::detail {

/// Messages between ranks that share memory, in no order: the sender copies, or packs, each to a place that the two
/// share, and the receiver takes it from there. MPI carries nothing but where the places are, in the first execution:
/// it takes longer for a message than these copies do, up to some hundred KiB.
///
/// A message has two places, which executions use in turns, and two numbers: the execution whose bytes are ready, and
/// the last that was taken. A sender fills a place when the execution before the last was taken from it; so no rank
/// waits for its receivers at the end of an execution, and none is more than two executions ahead of them.
///
/// No deadlock: to fill a place waits for an earlier execution alone, to take one for the sender's part of this one.
class SharedMessages {
 public:
  /// Whether the context's ranks can do so; the same on all of them.
  [[nodiscard]] static bool possible(Context& context);
  /// Takes from these lists the messages of up to `most_bytes`, the same on all ranks, in which they have 0 bytes then
  /// and keep their numbers. Among many ranks the limit is lower: the places of a rank have 4 MiB at most, whomever it
  /// sends to. Local. Throws std::bad_alloc.
  SharedMessages(Channel& channel, std::vector<StepMessage>& sends, std::vector<StepMessage>& receives,
                 std::int64_t most_bytes);
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
  /// At the start of what a message has in the sender's memory; its two places follow.
  struct alignas(kCacheLine) Head {
    std::int64_t ready = 0;
    std::int64_t taken = 0;
  };
  struct Message {
    std::size_t number = 0;  ///< in the executor's list
    int peer = 0;
    std::int64_t bytes = 0;
    Head* head = nullptr;  ///< of a receive: once the sender has said where
  };
  struct Notes {
    std::vector<Arena::Place> sent;
    std::vector<Arena::Place> received;
  };

  /// Where the bytes of the present execution are.
  [[nodiscard]] std::byte* place_of(const Message& message) const;
  void tell_places();
  /// Whether all has been told and heard.
  bool hear_places();
  bool fill();
  bool take();

  Channel& channel_;
  std::vector<Message> sends_;
  std::vector<Message> receives_;
  Arena::Block block_;
  std::shared_ptr<Notes> notes_;
  std::list<Pending> told_;
  std::list<Pending> heard_;  ///< of receives_, until all have been heard
  bool connected_ = false;

  // The present execution.
  std::int64_t execution_ = 0;
  StepData* data_ = nullptr;
  std::vector<std::size_t> to_fill_;
  std::vector<std::size_t> to_take_;
  MemoryWatch watch_;
  std::optional<TransferTrace> trace_;
};

}  // namespace sluice::mpi::detail
