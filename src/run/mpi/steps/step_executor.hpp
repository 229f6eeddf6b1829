#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "run/mpi/steps/shared_buffers.hpp"
#include "run/mpi/steps/step_protocol.hpp"
#include "run/mpi/steps/step_trace.hpp"

namespace sluice::mpi::detail {

/// A message of this rank: how much, and with whom.
struct StepMessage {
  int peer = 0;  ///< rank of the communicator, not the own one
  std::int64_t bytes = 0;
};

/// What the messages of a StepExecutor consist of. Messages are counted from 0 in the order of the lists it was given.
class StepData {
 public:
  virtual ~StepData() = default;

  /// Where bytes offset .. offset + bytes - 1 of an outgoing message lie in the user's memory, if they lie there in a
  /// row; else null, and pack will be called.
  virtual const std::byte* outgoing(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void pack(std::size_t message, std::int64_t offset, std::int64_t bytes, std::byte* buffer) = 0;
  /// The same for an incoming message and unpack.
  virtual std::byte* incoming(std::size_t message, std::int64_t offset, std::int64_t bytes) = 0;
  virtual void unpack(std::size_t message, std::int64_t offset, std::int64_t bytes, const std::byte* buffer) = 0;
  /// Does a part of the work that needs no communication, a few dozen microseconds; false: nothing is left of it.
  virtual bool work() = 0;
};

/// Carries out one rank's part of a schedule of steps.
///
/// Messages go in pieces of at most `chunk_bytes`. A window of pieces is under way in each direction, in the order of
/// the lists: a piece is packed while those before it travel, the receives of pieces to come are posted ahead, and work
/// that needs no communication fills the time when nothing has arrived. There is no barrier between steps; each rank
/// keeps its own order, and that is enough:
///
/// No deadlock. Let both lists of every rank be in the order of steps, with at most one message a step in each, and the
/// step of a message be the same at both its ends. Pieces enter a window in that order, and the first unfinished piece
/// of a rank is always in its window. Among all unfinished pieces take one of the lowest step, the first of its
/// message. At its sender all earlier pieces are finished, so it is in the window and is sent; at its receiver, for the
/// same reason, its receive is posted. Nothing but these two is needed for it to finish: so as long as a piece is left,
/// one can finish. This holds for windows of 1, different on different ranks, and for sends that wait for their
/// receives. A StepProtocol may hold a message back for messages of lower steps only, and the argument stands.
///
/// Pieces match. Between two ranks there are messages of one tag on one communicator in the order of the schedule,
/// pieces of a message in increasing order, and both ends cut them alike; MPI keeps them in order.
///
/// Within a node, the sender packs into its SharedBuffers and sends the receiver a note where the piece is; the
/// receiver unpacks from there and sends back an empty message that frees the place. The receive of that one is posted
/// before the note is sent, so it waits for nothing. Between nodes the pieces are messages, from the user's memory and
/// to it where they lie there in a row.
///
/// Memory: the buffers, allocated once, of at most `window` pieces each way and no longer than the longest piece; those
/// for receiving only where there are senders on other nodes; none where all data lies in the user's memory.
class StepExecutor {
 public:
  struct Limits {
    std::int64_t chunk_bytes = 1;  ///< 1 to 2^30, the same on all ranks
    std::int64_t granule = 1;      ///< pieces are multiples of so many bytes where chunk_bytes allows it; likewise
    int window = 1;                ///< 1 to 1024
    int ahead = 0;                 ///< receives are posted for so many pieces more than the window; 0 to 1024
    bool contiguous = false;       ///< outgoing and incoming of the data never return null: no buffers
  };

  /// `comm` must return errors, carry nothing else, and live as long as the executor. Local: nothing is sent.
  /// `protocol`: which messages have to wait for what; null: none. The same kind on all ranks.
  StepExecutor(MPI_Comm comm, std::vector<StepMessage> sends, std::vector<StepMessage> receives, const Limits& limits,
               std::unique_ptr<StepProtocol> protocol = nullptr);

  /// Allocates the buffers; before the first execution. `node`: ranks of the communicator that can share memory, of
  /// which the executor becomes the owner; collective over them. MPI_COMM_NULL, on all ranks: share nothing.
  void connect(MPI_Comm node);

  /// Empty lists, and messages at their ends: for protocols that grow, whose data is contiguous and not shared.
  void clear();
  void add_send(const StepMessage& message) { sends_.push_back(message); }
  void add_receive(const StepMessage& message) { receives_.push_back(message); }

  /// Where the times of each execution go from now on; null: nowhere.
  void record(StepTrace* trace) { trace_ = trace; }
  [[nodiscard]] StepTrace* trace() const { return trace_; }

  /// Runs the schedule once: begin, and advance until it is over. Allocates nothing, unless the protocol grows.
  ///
  /// `can_send` false: this rank has no data, and tells every rank it should have sent to, so that none waits for it.
  /// `can_receive` false: what arrives is thrown away. Returns the last rank that told this one it has no data, or -1.
  int execute(StepData& data, bool can_send = true, bool can_receive = true);

  /// The same bit by bit, for those who have something else to do in between.
  void begin(bool can_send = true, bool can_receive = true);
  /// Does what can be done without waiting, a piece at most each way.
  enum class Advance { kMoved, kIdle, kOver };
  Advance advance(StepData& data);
  /// Advances until it is over; returns as execute.
  int complete(StepData& data);

  /// Gives the execution up: nothing more is written into the user's memory, as far as MPI lets itself be stopped
  /// within a second. Done already when one of the above has thrown.
  void abandon() noexcept;

  [[nodiscard]] const std::vector<StepMessage>& sends() const { return sends_; }
  [[nodiscard]] const std::vector<StepMessage>& receives() const { return receives_; }

  [[nodiscard]] std::int64_t buffer_bytes() const { return send_bytes_ + receive_bytes_; }

 private:
  /// A place in a list of messages: the next piece.
  struct Position {
    std::size_t message = 0;
    std::int64_t offset = 0;
  };
  /// A piece under way.
  struct Slot {
    std::size_t message = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
    bool direct = false;  ///< received into the user's memory
    int pending = 0;      ///< sends: requests not finished
  };
  /// What a note says: where a piece is in the sender's shared buffer, and which of its slots to free.
  struct Note {
    std::int64_t offset = 0;
    std::int64_t slot = 0;  ///< -1: the sender has no data
  };

  [[nodiscard]] std::int64_t piece_bytes(std::int64_t message_bytes) const;
  /// Passes over what is done and empty messages; whether anything is left of the list.
  static bool more(const std::vector<StepMessage>& messages, Position& at);
  /// The next piece of a list that has one.
  Slot next(const std::vector<StepMessage>& messages, Position& at) const;
  [[nodiscard]] std::size_t slots_for(const std::vector<StepMessage>& messages, int window) const;
  [[nodiscard]] std::int64_t stride_for(const std::vector<StepMessage>& messages) const;

  // Return the number of requests started, 0 where nothing can be.
  int start_send(StepData& data);
  int start_receives(StepData& data);
  int start_send(std::size_t slot, StepData& data);
  void start_receive(std::size_t slot, StepData& data);
  void start_message(const std::byte* memory, int bytes, int peer, int tag, MPI_Request* request);
  void start_shared_send(std::size_t slot, StepData& data);
  void finish_receive(std::size_t slot, const MPI_Status& status, StepData& data);
  void finish_shared_receive(std::size_t slot, StepData& data);
  /// Finishes what has come to an end; returns how many requests.
  int finish(StepData& data);
  /// Looks which requests are finished; leaves their places in completed_, returns how many.
  int completed();
  /// Throws MpiError for the first of the `count` requests in completed_ that failed.
  [[noreturn]] void throw_failed(int count) const;

  MPI_Comm comm_;
  std::vector<StepMessage> sends_;
  std::vector<StepMessage> receives_;
  Limits limits_;
  std::unique_ptr<StepProtocol> protocol_;
  StepTrace* trace_ = nullptr;

  std::size_t receive_slots_;
  std::size_t send_slots_;
  std::int64_t receive_stride_;
  std::int64_t send_stride_;
  std::int64_t receive_bytes_ = 0;
  std::int64_t send_bytes_ = 0;

  SharedBuffers shared_;
  std::vector<const std::byte*> shared_by_;  ///< of each receive: the sender's shared buffer, null: another node
  std::vector<bool> shared_with_;            ///< of each send: whether the receiver reads the shared buffer
  std::unique_ptr<std::byte[]> own_send_buffer_;
  std::byte* send_buffer_ = nullptr;
  std::unique_ptr<std::byte[]> receive_buffer_;

  // Requests: a receive for each receiving slot, a send for each sending one, then the receives of what frees those.
  std::vector<Slot> receiving_;
  std::vector<Slot> sending_;
  std::vector<Note> received_notes_;
  std::vector<Note> sent_notes_;
  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
  std::vector<int> completed_;
  std::vector<std::size_t> free_sending_;  ///< slots with nothing under way
  std::vector<std::size_t> free_receiving_;

  // The present execution.
  Position next_send_;
  Position next_receive_;
  bool can_send_ = true;
  bool can_receive_ = true;
  bool working_ = false;
  int under_way_ = 0;  ///< requests
  int without_data_ = -1;
};

}  // namespace sluice::mpi::detail
