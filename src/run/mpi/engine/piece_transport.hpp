#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/engine/piece_order.hpp"
#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Carries pieces of messages between this rank and others, in each direction as many at once as there are slots. It
/// knows neither their order nor what they wait for.
///
/// Within a node, the sender packs into memory that the two share (Arena) and sends the receiver a note with the place
/// of the piece. The receiver unpacks from there and frees the place by a mark beside it, which the sender sees when it
/// looks. Between nodes the pieces are messages. They go from and to the user's memory if they lie there in a row.
///
/// Memory: a buffer for each slot. Buffers for receiving exist only if there are senders on other nodes; there are none
/// if all data lies in the user's memory.
class PieceTransport {
 public:
  using Piece = PieceOrder::Piece;

  /// The slots of one direction.
  struct Slots {
    std::size_t count = 0;
    std::int64_t bytes = 0;  ///< of a buffer; 0: there are none
  };
  /// Hears of the end of pieces, in calls of finish.
  class Ends {
   public:
    virtual ~Ends() = default;
    virtual void sent(const Piece& piece) = 0;
    virtual void received(const Piece& piece) = 0;
  };

  /// The lists have the messages of the pieces; they must stay, and may grow at their ends.
  PieceTransport(Channel& channel, const std::vector<StepMessage>& sends, const std::vector<StepMessage>& receives,
                 const Slots& sending, const Slots& receiving, Tag tag);
  /// After withdrawn(), if pieces are under way.
  ~PieceTransport();
  PieceTransport(const PieceTransport&) = delete;
  PieceTransport& operator=(const PieceTransport&) = delete;

  /// Allocates the buffers, for the messages that there are. `share`: with the ranks of this node, the same on all
  /// ranks. Without it a message may be for this rank itself.
  void connect(bool share);
  /// The data of the pieces to come, until the next call. @pre no piece is under way
  void begin(const std::shared_ptr<Data>& data);

  [[nodiscard]] bool can_send() const { return !free_sending_.empty(); }
  [[nodiscard]] bool can_receive() const { return !free_receiving_.empty(); }
  /// @pre can_send(). `synchronous`: it ends when the receiver has begun to receive it.
  void send(const Piece& piece, bool synchronous);
  /// @pre can_receive()
  void receive(const Piece& piece);
  /// Finishes what has come to an end, and tells `ends`; returns how many pieces. While any_with_mpi(), it also hears
  /// word of failures, and throws it. Throws MpiError for a piece that failed.
  int finish(Ends& ends);

  [[nodiscard]] bool any_under_way() const {
    return free_sending_.size() < sending_.size() || free_receiving_.size() < receiving_.size();
  }
  /// Whether finish() calls MPI.
  [[nodiscard]] bool any_with_mpi() const { return requests_under_way_ > 0; }
  [[nodiscard]] std::int64_t buffer_bytes() const { return send_bytes_ + receive_bytes_; }

  /// What MPI works on, for withdraw; `running`: in an execution.
  [[nodiscard]] Withdrawn withdrawn(bool running) noexcept;

 private:
  /// A piece under way.
  struct Slot : Piece {
    bool direct = false;     ///< received into the user's memory
    bool with_mpi = false;   ///< sends: the request has not ended
    bool with_peer = false;  ///< shared sends: the receiver has not freed the place
  };
  /// What a note says: where a piece is in the sender's shared memory, and what to write where once it is unpacked.
  struct Note {
    Arena::Place data;
    Arena::Place mark_at;
    std::int64_t mark = 0;
  };
  /// What MPI works on.
  struct Memory {
    std::vector<Note> received_notes;
    std::vector<Note> sent_notes;
    std::unique_ptr<std::byte[]> send_buffer;
    std::unique_ptr<std::byte[]> receive_buffer;
    std::shared_ptr<Data> data;
  };

  [[nodiscard]] std::size_t end_of_send(const Piece& piece) const { return sends_[piece.message].end; }
  [[nodiscard]] std::size_t end_of_receive(const Piece& piece) const { return receives_[piece.message].end; }
  void share_piece(std::size_t slot);
  void finish_receive(std::size_t slot, const MPI_Status& status);
  void finish_shared_receive(std::size_t slot);
  /// Once MPI and the receiver have ended it.
  void finish_send(std::size_t slot, Ends& ends);
  int finish_requests(Ends& ends);
  int finish_marks(Ends& ends);
  [[nodiscard]] bool shared(std::size_t send) const { return send < shared_with_.size() && shared_with_[send]; }
  [[nodiscard]] bool shared_by(std::size_t receive) const { return receive < shared_by_.size() && shared_by_[receive]; }
  /// What has arrived by MPI in this execution.
  [[nodiscard]] std::int64_t received_bytes(std::size_t receive) const {
    return receive < received_bytes_.size() ? received_bytes_[receive] : 0;
  }
  [[nodiscard]] std::byte* send_buffer(std::size_t slot) const;
  [[nodiscard]] std::byte* receive_buffer(std::size_t slot) const;
  [[nodiscard]] std::byte* mark_of(std::size_t slot) const;

  Channel& channel_;
  const std::vector<StepMessage>& sends_;
  const std::vector<StepMessage>& receives_;
  Tag tag_;
  std::int64_t send_stride_;
  std::int64_t receive_stride_;
  std::int64_t send_bytes_;
  std::int64_t receive_bytes_ = 0;

  Arena::Block arena_;             ///< a mark for each slot, then the slots
  std::vector<bool> shared_by_;    ///< of each receive: whether it comes through the sender's shared memory
  std::vector<bool> shared_with_;  ///< of each send: whether the receiver reads ours
  std::byte* send_buffer_ = nullptr;
  std::vector<std::int64_t> received_bytes_;  ///< by receive

  // Requests: a receive for each receiving slot, a send for each sending one.
  std::vector<Slot> receiving_;
  std::vector<Slot> sending_;
  std::shared_ptr<Memory> memory_;
  std::list<Leftover> leftover_;     ///< made beforehand, for withdrawn
  std::vector<std::int64_t> marks_;  ///< of each sending slot: the mark that frees it
  std::size_t marks_awaited_ = 0;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> completed_;
  std::vector<std::size_t> free_sending_;  ///< slots with nothing under way
  std::vector<std::size_t> free_receiving_;
  int requests_under_way_ = 0;
  Data* data_ = nullptr;
};

}  // namespace sluice::mpi::detail
