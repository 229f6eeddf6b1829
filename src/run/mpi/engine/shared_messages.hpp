#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/engine/message_carrier.hpp"
#include "run/mpi/engine/piece_order.hpp"
#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/shared_ring.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"

namespace sluice::mpi::detail {

/// Messages between ranks that share memory, in no order. The sender copies, or packs, each to a place that the two
/// share, and the receiver takes it from there. MPI carries nothing: it takes longer for a message than these copies
/// do.
///
/// Each message goes through a SharedRing. If it is no more than its share of the rank's memory, it goes whole, and
/// executions alternate between two places. Otherwise it goes in parts. A rank has one block of memory for all that it
/// sends, which begins with a table of what it sends to each rank. Ranks tell each other the place of the block when
/// they make the job (agree). If some rank has no memory left for its block, none of them can be used (any_refused).
///
/// No deadlock: a rank considers all its messages, one after another. A part waits only for the earlier parts of its
/// message. If messages are packed or unpacked together (Data::together), it waits for what comes before it in the
/// rows of the array. All ranks that share these rows go through them in the same order, and a receiver sees bytes when
/// they are packed. So the first byte in that order that has not been unpacked waits for no other byte. If it is
/// packed, its receiver can go on to it. If not, all that its sender has packed has been unpacked, and there is room.
class SharedMessages final : public MessageCarrier {
 public:
  /// Whether the context's ranks can do so; the same on all of them.
  [[nodiscard]] static bool possible(Context& context);
  /// At most one message to each rank, none to this one. The block has 2 MiB at most, whomever it sends to, unless an
  /// element is longer than its share: parts are multiples of `granule` bytes. Local.
  SharedMessages(Channel& channel, const std::vector<StepMessage>& sends, std::int64_t granule);
  ~SharedMessages() override;

  /// Arena::Place::word of the block; 0 if nothing is sent, kRefused if there was no memory for it.
  [[nodiscard]] std::uint64_t block() const { return refused_ ? kRefused : block_.place().word(); }
  /// Whether some rank had no memory for its block; `blocks`: of each rank.
  [[nodiscard]] static bool any_refused(std::span<const std::uint64_t> blocks) {
    return std::ranges::find(blocks, kRefused) != blocks.end();
  }
  /// Frees the block: all ranks know that it is not used.
  void discard() noexcept { channel_.context().arena().release(std::exchange(block_, {})); }
  /// What each other rank sends to this one, without what is empty, by rank; `blocks`: of each rank. Throws as
  /// Arena::find.
  [[nodiscard]] static std::vector<StepMessage> sent_to(Channel& channel, std::span<const std::uint64_t> blocks);
  /// Before the first execution: what comes, in the order of Data; at most one message from each rank, of as many
  /// bytes as that sends. Throws as Arena::find.
  void connect(const std::vector<StepMessage>& receives, std::span<const std::uint64_t> blocks);

  void begin(Data& data) override;
  Advance advance() override;
  /// The job is not executed again: nothing is read that others have put up.
  void abandon() noexcept override;
  [[nodiscard]] std::int64_t buffer_bytes() const override { return block_.bytes; }
  /// Uses every page of the block once: the system provides a page when it is used first, and the first execution uses
  /// a part of them.
  void warm_up() override;

 private:
  static constexpr std::uint64_t kRefused = ~std::uint64_t{0};
  struct Send {
    std::size_t number = 0;  ///< its end of the part
    int peer = 0;
    SharedRingSender end;
  };
  struct Receive {
    std::size_t number = 0;
    int peer = 0;
    SharedRingReceiver end;
  };

  /// What a rank sends to another one: an entry of its block's table. The receiver reads nothing else before it takes
  /// the message, because the sender still writes the lines of the ring itself.
  struct Entry {
    std::int64_t bytes = 0;  ///< 0: nothing
    std::int64_t ring = 0;   ///< its begin in the block's bytes
  };

  /// The block of that rank, whose word is `block`; null: it sends nothing.
  [[nodiscard]] static std::byte* block_of(Channel& channel, int rank, std::uint64_t block);
  /// What the table of a rank's block says for this rank.
  [[nodiscard]] static Entry entry_of(const Channel& channel, const std::byte* block);
  bool fill();
  bool take();
  /// What Data::together() lists.
  bool fill_together();
  bool take_together();

  Channel& channel_;
  std::vector<Send> sends_;
  std::vector<Receive> receives_;
  Arena::Block block_;
  bool refused_ = false;
  bool connected_ = false;

  // The present execution.
  Data* data_ = nullptr;
  std::vector<std::size_t> to_fill_;
  std::vector<std::size_t> to_take_;
  Data::Together together_;
  std::vector<std::size_t> lists_to_fill_;  ///< lists of `together_`
  std::vector<std::size_t> lists_to_take_;
  std::vector<MessageRoom> room_;  ///< of one list
  std::vector<MessagePart> arrived_;
  bool working_ = false;
  MemoryWatch watch_;
  std::optional<TransferTrace> trace_;
};

}  // namespace sluice::mpi::detail
