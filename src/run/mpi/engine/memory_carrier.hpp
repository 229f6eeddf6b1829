#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/lists.hpp"
#include "run/mpi/engine/carrier.hpp"
#include "run/mpi/engine/data.hpp"
#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/memory_watch.hpp"
#include "run/mpi/runtime/shared_ring.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

/// How a rank divides its memory among the messages that it sends. Sizes are in bytes.
struct MemoryRoom {
  /// Longer messages to several receivers are put up for each of them, in programs.
  static constexpr std::int64_t kMostForSeveral = 4 << 20;

  /// For messages that wait for no others: 2 MiB at most, whomever a rank sends to, unless an element is longer than
  /// its share. Parts of messages are multiples of `granule`.
  [[nodiscard]] static MemoryRoom at_once(int ranks, std::int64_t granule);
  /// For a program whose elements have `element` bytes: 4 MiB at most for the messages that have one receiver, unless
  /// they are very many.
  [[nodiscard]] static MemoryRoom of_program(std::int64_t element);

  /// The ring for a message; `share` is what a message to one receiver has of all.
  [[nodiscard]] SharedRing ring(std::int64_t message, std::int64_t receivers, std::int64_t share) const;

  std::int64_t unit = 1;     ///< bytes of what OwnPart counts
  std::int64_t granule = 1;  ///< parts are multiples of it
  std::int64_t all = 0;      ///< for the messages to one receiver
  std::int64_t shares = 0;   ///< how many messages share that; 0: as many as there are
  std::int64_t least_part = 1;
  std::int64_t longest_part = 0;
  std::int64_t fewest_places = 1;
  std::int64_t twice = 0;             ///< messages up to it have room for two executions, if their share allows it
  bool whole = false;                 ///< a message that fits twice is one part
  std::int64_t most_for_several = 0;  ///< what is sent to several receivers is put up once, up to this size
};

/// Messages between ranks that share memory. The sender packs each into a place that the two share, and the receiver
/// unpacks it from there. MPI carries nothing: it takes longer for a message than these copies do, and ranks that share
/// processors wait for each other less often.
///
/// Each message goes through a SharedRing, in one part or in several. Its sender and its receiver begin when the ends
/// that OwnPart::after names have ended. If a rank sends the same bytes to several ranks at the same point, it puts
/// them up once for all.
///
/// A rank has one block of memory for all that it sends, which begins with a table of what it sends to each rank. Ranks
/// tell each other the place of the block when they make the job (agree). If some rank has no memory for its block,
/// none of them can be used (any_refused).
///
/// No deadlock. A rank considers all messages that wait for no others, one after another.
///
/// 1. A part of a message to one receiver waits for a place in its ring. So if a ring has less room than the message,
///    its sender waits for its one receiver. The maker of the part has to allow for that, as validate() does.
/// 2. A message to several receivers has room for all of it. So its sender waits for executions before this one alone.
/// 3. If messages are packed or unpacked together (Data::together), a part waits for what comes before it in the rows
///    of the array. All ranks that share these rows go through them in the same order, and a receiver sees bytes when
///    they are packed. So the first byte in that order that has not been unpacked waits for no other byte. If it is
///    packed, its receiver can go on to it. If not, all that its sender has packed has been unpacked, and there is
///    room.
class MemoryCarrier final : public Carrier {
 public:
  /// Whether the context's ranks can do so; the same on all of them.
  [[nodiscard]] static bool possible(Context& context);
  /// block() of a rank that has none.
  static constexpr std::uint64_t kRefused = ~std::uint64_t{0};

  /// For the sends of `part`, none to this rank, none of kAnyCount. Local.
  MemoryCarrier(Channel& channel, const OwnPart& part, const MemoryRoom& room);
  ~MemoryCarrier() override;

  /// Arena::Place::word of the block; 0 if nothing is sent, kRefused if there was no memory for it.
  [[nodiscard]] std::uint64_t block() const { return refused_ ? kRefused : block_.place().word(); }
  /// Whether some rank had no memory for its block; `blocks`: of each rank.
  [[nodiscard]] static bool any_refused(std::span<const std::uint64_t> blocks) {
    return std::ranges::find(blocks, kRefused) != blocks.end();
  }
  /// Frees the block: all ranks know that it is not used.
  void discard() noexcept { channel_.context().arena().release(std::exchange(block_, {})); }
  /// A message that another rank sends to this one.
  struct Coming {
    int from = 0;
    std::int64_t bytes = 0;
  };
  /// All of them but empty ones, by rank, and of a rank in its order; `blocks`: of each rank. Throws as Arena::find.
  [[nodiscard]] static std::vector<Coming> sent_to(Channel& channel, std::span<const std::uint64_t> blocks);
  /// Before the first execution. `part` has the sends that there were, under the same numbers, and the receives too:
  /// of as many bytes as the others send. Throws as Arena::find.
  void connect(const OwnPart& part, std::span<const std::uint64_t> blocks);

  void begin(const std::shared_ptr<Data>& data, TransferTrace* trace) override;
  Advance advance() override;
  /// Nothing is read that others have put up.
  [[nodiscard]] std::optional<Withdrawn> abandon() noexcept override;
  [[nodiscard]] std::int64_t buffer_bytes() const override { return block_.bytes; }
  /// Uses every page of the block once: the system provides a page when it is used first, and the first execution uses
  /// a part of them.
  void warm_up() override;

 private:
  struct Send {
    std::size_t end = 0;
    int to = 0;
    std::size_t message = 0;    ///< of outgoing_
    std::int64_t receiver = 0;  ///< which receiver of the ring that rank is
  };
  /// Sends of the same bytes at the same point.
  struct Outgoing {
    SharedRingSender ring;
    std::size_t first = 0;  ///< of its sends, which are together in sends_
    std::int64_t receivers = 0;
  };
  struct Incoming {
    SharedRingReceiver ring;
    std::size_t end = 0;
    int from = 0;
  };

  /// A message to a rank: an entry of the block's table. The receiver reads nothing else before it takes the message,
  /// because the sender still writes the lines of the ring itself.
  struct Entry {
    std::int64_t bytes = 0;
    std::int64_t ring = 0;      ///< its begin in the block's bytes
    std::int64_t receiver = 0;  ///< which receiver of the ring is meant
  };
  /// The table: the begin of each rank's entries among all, and the end of the last one's; then the entries, of a rank
  /// in the order of its receives. Empty messages have none.
  class Table {
   public:
    /// At the begin of a block; null: a block that a rank has not, because it sends nothing.
    Table(std::byte* block, int ranks) : block_(block), ranks_(ranks) {}
    [[nodiscard]] static std::int64_t bytes(int ranks, std::size_t entries);
    [[nodiscard]] std::int64_t* begins() const { return reinterpret_cast<std::int64_t*>(block_); }
    [[nodiscard]] Entry* entries() const { return reinterpret_cast<Entry*>(begins() + ranks_ + 1); }
    [[nodiscard]] std::span<const Entry> entries_of(int rank) const;

   private:
    std::byte* block_;
    int ranks_;
  };

  /// The block of that rank; null if it sends nothing.
  [[nodiscard]] static std::byte* block_of(Channel& channel, int rank, std::span<const std::uint64_t> blocks);
  void find_messages(const OwnPart& part, const MemoryRoom& room);
  void make_block(const MemoryRoom& room);
  void find_order(const OwnPart& part);

  /// The sends of a message.
  [[nodiscard]] std::span<const Send> sends_of(const Outgoing& message) const {
    return std::span(sends_).subspan(message.first, static_cast<std::size_t>(message.receivers));
  }
  [[nodiscard]] Outgoing& outgoing_at(std::size_t end) { return outgoing_[operation_of_[end]]; }
  [[nodiscard]] Incoming& incoming_at(std::size_t end) { return incoming_[operation_of_[end] - outgoing_.size()]; }

  // Do what can be done without waiting.
  SharedRingEnd::Moved fill(Outgoing& message);
  SharedRingEnd::Moved take(Incoming& message);
  bool move_alone();
  bool fill_together();
  bool take_together();

  void take_out(std::span<const std::vector<std::size_t>> lists, std::vector<std::size_t>& left);
  void ended(std::size_t operation);
  [[nodiscard]] bool all_moved() const { return may_move_.empty() && lists_to_fill_.empty() && lists_to_take_.empty(); }

  Channel& channel_;
  std::int64_t unit_;
  std::vector<Send> sends_;  ///< by message
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
  Arena::Block block_;
  bool refused_ = false;
  bool connected_ = false;

  // Operations: outgoing_, then incoming_.
  std::vector<std::size_t> operation_of_;       ///< by end
  std::vector<std::size_t> waits_;              ///< by operation: how many others it waits for
  sluice::detail::Lists<std::uint32_t> frees_;  ///< by operation: the operations that wait for it

  // The present execution.
  Data* data_ = nullptr;
  std::vector<std::size_t> missing_;   ///< by operation: how many that it waits for have not ended
  std::vector<std::size_t> may_move_;  ///< operations that wait for no other, and have not ended
  Data::Together together_;
  std::vector<std::size_t> lists_to_fill_;  ///< lists of together_, whose messages are not in may_move_
  std::vector<std::size_t> lists_to_take_;
  std::vector<MessageRoom> room_;  ///< of one list
  std::vector<MessagePart> arrived_;
  MemoryWatch watch_;
  TransferTrace* trace_ = nullptr;
};

}  // namespace sluice::mpi::detail
