#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "run/mpi/engine/carrier.hpp"
#include "run/mpi/engine/end_waits.hpp"
#include "run/mpi/engine/gate.hpp"
#include "run/mpi/engine/piece_order.hpp"
#include "run/mpi/engine/piece_transport.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Moves messages by MPI in the order of a schedule of steps.
///
/// Messages go in pieces of at most `chunk_bytes`. A window of pieces is under way in each direction, in the order of
/// the lists. A piece is packed while earlier ones travel, and receives of later pieces are posted ahead. There is no
/// barrier between steps; each rank keeps its own order, and that is enough:
///
/// No deadlock. Let both lists of every rank be in the order of steps, with at most one message per step in each. Let
/// both ends of a message give it the same step. Pieces enter a window in that order, and the first unfinished piece of
/// a rank is always in its window. Among all unfinished pieces take one of the lowest step, the first of its message.
/// At its sender all earlier pieces are finished, so it is in the window and is sent. At its receiver, for the same
/// reason, its receive is posted. It needs nothing else to finish. So as long as a piece is left, one can finish. This
/// holds for windows of 1, for different windows on different ranks, and for sends that wait for their receives. A
/// message may also wait for a gate, or because the part says so. Then it waits only for messages of lower steps, or of
/// another carrier whose messages can all end without it, and the argument stands. In rounds, round r of a message
/// counts as a message of its own, of step r * steps + its step.
///
/// Pieces match. Between two ranks there are messages of one tag on one communicator in the order of the schedule, and
/// pieces of a message in increasing order. Both ends cut them alike, and MPI keeps them in order.
///
/// PieceTransport carries the pieces, EndWaits and a Gate say what they wait for besides, and Data says what they
/// consist of.
///
/// Memory: PieceTransport's, for at most `window` pieces each way of at most the longest length, allocated once.
class OrderedCarrier final : public Carrier, private PieceTransport::Ends {
 public:
  struct Limits {
    std::int64_t chunk_bytes = 1;  ///< 1 to 2^30, the same on all ranks
    std::int64_t granule = 1;      ///< pieces are multiples of it if chunk_bytes allows that; the same on all ranks
    int window = 1;                ///< 1 to 1024
    int ahead = 0;                 ///< receives are posted for this many pieces beyond the window; 0 to 1024
    bool contiguous = false;       ///< outgoing and incoming of the data never return null: no buffers
    Tag tag = Tag::kData;          ///< of the pieces; each carrier of a channel has one of its own
    bool rounds = false;           ///< the first piece of each message goes before the second one of any; no gate
  };

  /// `waits`: of the part that the messages are of; null: nothing waits. `gate`: which messages have to wait for what
  /// besides; null: none. The same kind on all ranks. Local: nothing is sent.
  OrderedCarrier(Channel& channel, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
                 const Limits& limits, std::unique_ptr<Gate> gate = nullptr, std::shared_ptr<EndWaits> waits = nullptr);

  /// Allocates the buffers; before the first execution. `share`: with the ranks of this node, the same on all ranks.
  void connect(bool share);

  /// Empty lists, and messages at their ends: for gates that grow, whose data is contiguous and not shared.
  void clear();
  void add_send(int to, std::int64_t bytes) { sends_.push_back({to, bytes, next_end()}); }
  void add_receive(int from, std::int64_t bytes) { receives_.push_back({from, bytes, next_end()}); }

  /// For gates: the receiver lets the transfer behind this one go.
  void note_release(std::size_t receive) {
    if (trace_ != nullptr) trace_->receive_released(receives_[receive].end);
  }

  /// Allocates nothing, unless the gate grows.
  void begin(const std::shared_ptr<Data>& data, TransferTrace* trace) override;
  /// A piece at most each way.
  Advance advance() override;
  [[nodiscard]] std::optional<Withdrawn> abandon() noexcept override;
  [[nodiscard]] std::int64_t buffer_bytes() const override { return transport_.buffer_bytes(); }

 private:
  [[nodiscard]] PieceTransport::Slots slots_for(const PieceOrder& pieces, int window) const;

  /// The end of the message that is added next.
  [[nodiscard]] std::size_t next_end() const { return sends_.size() + receives_.size(); }
  /// Returns the number of pieces started.
  int start_sends();
  void start_receives();
  void sent(const PieceOrder::Piece& piece) override;
  void received(const PieceOrder::Piece& piece) override;

  Channel& channel_;
  std::vector<StepMessage> sends_;
  std::vector<StepMessage> receives_;
  Limits limits_;
  PieceOrder to_send_;
  PieceOrder to_receive_;
  std::unique_ptr<Gate> gate_;
  std::shared_ptr<EndWaits> waits_;
  PieceTransport transport_;

  // The present execution.
  bool running_ = false;
  TransferTrace* trace_ = nullptr;
  unsigned looks_ = 0;
};

}  // namespace sluice::mpi::detail
