#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/runtime/withdraw.hpp"
#include "run/mpi/steps/piece_order.hpp"
#include "run/mpi/steps/shared_messages.hpp"
#include "run/mpi/steps/step_data.hpp"
#include "run/mpi/steps/step_protocol.hpp"

namespace sluice::mpi::detail {

/// Carries out one rank's part of a schedule of steps.
///
/// Messages go in pieces of at most `chunk_bytes`. A window of pieces is under way in each direction, in the order of
/// the lists: a piece is packed while those before it travel, the receives of pieces to come are posted ahead, and work
/// that needs no communication fills the time when nothing has arrived. There is no barrier between steps; each rank
/// keeps its own order, and that is enough:
///
/// No deadlock. Let both lists of every rank be in the order of steps, with at most one message per step in each, and
/// the step of a message be the same at both its ends. Pieces enter a window in that order, and the first unfinished
/// piece of a rank is always in its window. Among all unfinished pieces take one of the lowest step, the first of its
/// message. At its sender all earlier pieces are finished, so it is in the window and is sent; at its receiver, for the
/// same reason, its receive is posted. Nothing but these two is needed for it to finish: so as long as a piece is left,
/// one can finish. This holds for windows of 1, different on different ranks, and for sends that wait for their
/// receives. A StepProtocol may hold a message back for messages of lower steps only, and the argument stands. In
/// rounds, round r of a message counts as a message of its own, of step r * steps + its step.
///
/// Pieces match. Between two ranks there are messages of one tag on one communicator in the order of the schedule,
/// pieces of a message in increasing order, and both ends cut them alike; MPI keeps them in order.
///
/// Within a node, the sender packs into memory that the two share (Arena) and sends the receiver a note where the piece
/// is; the receiver unpacks from there and frees the place by a mark beside it, which the sender sees when it looks.
/// Between nodes the pieces are messages, from the user's memory and to it where they lie there in a row.
///
/// After go_by_memory, SharedMessages carries the messages, in no order, and there are no pieces.
///
/// Memory: the buffers, allocated once and kept until go_by_memory, of at most `window` pieces each way and no longer
/// than the longest piece; those for receiving only where there are senders on other nodes; none where all data lies in
/// the user's memory.
class StepExecutor {
 public:
  struct Limits {
    std::int64_t chunk_bytes = 1;  ///< 1 to 2^30, the same on all ranks
    std::int64_t granule = 1;      ///< pieces are multiples of so many bytes where chunk_bytes allows it; likewise
    int window = 1;                ///< 1 to 1024
    int ahead = 0;                 ///< receives are posted for so many pieces more than the window; 0 to 1024
    bool contiguous = false;       ///< outgoing and incoming of the data never return null: no buffers
    Tag tag = Tag::kData;          ///< of the pieces; each executor of a channel has one of its own
    bool rounds = false;           ///< the first piece of each message goes before the second one of any; no protocol
  };

  /// `protocol`: which messages have to wait for what; null: none. The same kind on all ranks. Local: nothing is sent.
  StepExecutor(Channel& channel, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
               const Limits& limits, std::unique_ptr<StepProtocol> protocol = nullptr);
  /// After abandon(), if an execution has not ended.
  ~StepExecutor();
  StepExecutor(const StepExecutor&) = delete;
  StepExecutor& operator=(const StepExecutor&) = delete;

  /// Allocates the buffers; before the first execution. `share`: with the ranks of this node, the same on all ranks.
  void connect(bool share);

  /// From the next execution on all messages go by SharedMessages, and the buffers are freed. On all ranks before the
  /// same execution, where that is possible and there is no protocol; once. Throws std::bad_alloc.
  void go_by_memory();

  /// Empty lists, and messages at their ends: for protocols that grow, whose data is contiguous and not shared.
  void clear();
  void add_send(const StepMessage& message) { sends_.push_back(message); }
  void add_receive(const StepMessage& message) { receives_.push_back(message); }

  /// Memory of the library's own that the data lies in: it lasts as long as MPI may use it.
  void hold(std::shared_ptr<const void> memory) { memory_->held = std::move(memory); }

  /// For protocols: the receiver lets the transfer behind this one go.
  void note_release(std::size_t receive) {
    if (trace_) trace_->receive_released(receive);
  }

  /// Begins to run the schedule once, with this data until it is over. Allocates nothing, unless the protocol grows or
  /// messages go by memory for the first time.
  void begin(StepData& data);
  /// Does what can be done without waiting, a piece at most each way.
  Advance advance();

  /// Ends the execution before it is over, if one is running: nothing more is written into the user's memory, as far as
  /// MPI lets itself be stopped. Nothing can begin any more.
  void abandon() noexcept { abandon_together({this, nullptr}); }
  /// The same of both executors of a channel; null: there is none.
  static void abandon_together(const std::array<StepExecutor*, 2>& executors) noexcept;

  [[nodiscard]] std::int64_t buffer_bytes() const {
    return send_bytes_ + receive_bytes_ + (by_memory_ ? by_memory_->buffer_bytes() : 0);
  }

 private:
  /// A piece under way.
  struct Slot : PieceOrder::Piece {
    bool direct = false;     ///< received into the user's memory
    bool with_mpi = false;   ///< sends: the request has not ended
    bool with_peer = false;  ///< shared sends: the receiver has not freed the place
  };
  /// What a note says: where a piece is in the sender's shared memory, and what to write where once it is unpacked.
  struct Note {
    Arena::Place data;
    std::int64_t mark_offset = 0;  ///< in the same segment
    std::int64_t mark = 0;
  };
  /// What MPI works on.
  struct Memory {
    std::vector<Note> received_notes;
    std::vector<Note> sent_notes;
    std::unique_ptr<std::byte[]> send_buffer;
    std::unique_ptr<std::byte[]> receive_buffer;
    std::shared_ptr<const void> held;
  };

  /// Does what can be done without waiting for pieces, and the data's own work.
  Advance advance_pieces();
  /// What MPI works on, for withdraw.
  [[nodiscard]] Withdrawn withdrawn() noexcept;
  [[nodiscard]] std::size_t slots_for(const PieceOrder& pieces, int window) const;
  [[nodiscard]] std::int64_t stride_for(const PieceOrder& pieces) const;

  // Return the number of pieces started, 0 where nothing can be.
  int start_sends();
  int start_receives();
  void start_send(std::size_t slot);
  void start_receive(std::size_t slot);
  void share_piece(std::size_t slot);
  void finish_receive(std::size_t slot, const MPI_Status& status);
  void finish_shared_receive(std::size_t slot);
  void finish_send(std::size_t slot);
  /// Finishes what has come to an end; returns how many pieces.
  int finish();
  int finish_requests();
  int finish_marks();
  [[nodiscard]] bool shared(std::size_t send) const { return send < shared_with_.size() && shared_with_[send]; }
  [[nodiscard]] bool shared_by(std::size_t receive) const { return receive < shared_by_.size() && shared_by_[receive]; }
  [[nodiscard]] std::byte* mark_of(std::size_t slot) const;
  /// Throws MpiError for the first of the `count` requests in completed_ that failed.
  [[noreturn]] void throw_failed(int count) const;

  Channel& channel_;
  std::vector<StepMessage> sends_;
  std::vector<StepMessage> receives_;
  Limits limits_;
  std::unique_ptr<SharedMessages> by_memory_;  ///< what it serves is 0 bytes in the lists
  PieceOrder to_send_;
  PieceOrder to_receive_;
  std::unique_ptr<StepProtocol> protocol_;

  std::size_t receive_slots_;
  std::size_t send_slots_;
  std::int64_t receive_stride_;
  std::int64_t send_stride_;
  std::int64_t receive_bytes_ = 0;
  std::int64_t send_bytes_ = 0;

  Arena::Block arena_;             ///< a mark for each slot, then the slots
  std::vector<bool> shared_by_;    ///< of each receive: whether it comes through the sender's shared memory
  std::vector<bool> shared_with_;  ///< of each send: whether the receiver reads ours
  std::byte* send_buffer_ = nullptr;

  // Requests: a receive for each receiving slot, a send for each sending one.
  std::vector<Slot> receiving_;
  std::vector<Slot> sending_;
  std::shared_ptr<Memory> memory_;
  std::list<Leftover> leftover_;  ///< made beforehand, for abandon
  bool withdrawn_ = false;
  std::vector<std::int64_t> marks_;  ///< of each sending slot: the one that frees it
  std::size_t marks_awaited_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> completed_;
  std::vector<std::size_t> free_sending_;  ///< slots with nothing under way
  std::vector<std::size_t> free_receiving_;

  // The present execution.
  StepData* data_ = nullptr;
  std::optional<TransferTrace> trace_;  ///< where it is recorded
  bool working_ = false;
  int under_way_ = 0;  ///< pieces
  int requests_under_way_ = 0;
  unsigned looks_ = 0;
};

}  // namespace sluice::mpi::detail
