#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "run/mpi/engine/data.hpp"
#include "run/mpi/engine/message_carrier.hpp"
#include "run/mpi/engine/piece_order.hpp"
#include "run/mpi/engine/piece_transport.hpp"
#include "run/mpi/engine/step_protocol.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/job.hpp"
#include "run/mpi/runtime/transfer_trace.hpp"
#include "run/mpi/runtime/withdraw.hpp"

namespace sluice::mpi::detail {

/// Carries out one rank's part of a schedule of steps.
///
/// Messages go in pieces of at most `chunk_bytes`. A window of pieces is under way in each direction, in the order of
/// the lists. A piece is packed while earlier ones travel, and receives of later pieces are posted ahead. Work that
/// needs no communication fills the time when nothing has arrived. There is no barrier between steps; each rank keeps
/// its own order, and that is enough:
///
/// No deadlock. Let both lists of every rank be in the order of steps, with at most one message per step in each. Let
/// both ends of a message give it the same step. Pieces enter a window in that order, and the first unfinished piece of
/// a rank is always in its window. Among all unfinished pieces take one of the lowest step, the first of its message.
/// At its sender all earlier pieces are finished, so it is in the window and is sent. At its receiver, for the same
/// reason, its receive is posted. It needs nothing else to finish. So as long as a piece is left, one can finish. This
/// holds for windows of 1, for different windows on different ranks, and for sends that wait for their receives. A
/// StepProtocol may hold a message back only for messages of lower steps, and the argument stands. In rounds, round r
/// of a message counts as a message of its own, of step r * steps + its step.
///
/// Pieces match. Between two ranks there are messages of one tag on one communicator in the order of the schedule, and
/// pieces of a message in increasing order. Both ends cut them alike, and MPI keeps them in order.
///
/// PieceTransport carries the pieces, a StepProtocol says what they wait for besides, and Data says what they consist
/// of.
///
/// Memory: PieceTransport's, for at most `window` pieces each way of at most the longest length, allocated once.
class StepExecutor final : public MessageCarrier, private PieceTransport::Ends {
 public:
  struct Limits {
    std::int64_t chunk_bytes = 1;  ///< 1 to 2^30, the same on all ranks
    std::int64_t granule = 1;      ///< pieces are multiples of it if chunk_bytes allows that; the same on all ranks
    int window = 1;                ///< 1 to 1024
    int ahead = 0;                 ///< receives are posted for this many pieces beyond the window; 0 to 1024
    bool contiguous = false;       ///< outgoing and incoming of the data never return null: no buffers
    Tag tag = Tag::kData;          ///< of the pieces; each executor of a channel has one of its own
    bool rounds = false;           ///< the first piece of each message goes before the second one of any; no protocol
  };

  /// `protocol`: which messages have to wait for what; null: none. The same kind on all ranks. Local: nothing is sent.
  StepExecutor(Channel& channel, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
               const Limits& limits, std::unique_ptr<StepProtocol> protocol = nullptr);
  /// After abandon(), if an execution has not ended.
  ~StepExecutor() override = default;

  /// Allocates the buffers; before the first execution. `share`: with the ranks of this node, the same on all ranks.
  void connect(bool share);

  /// Empty lists, and messages at their ends: for protocols that grow, whose data is contiguous and not shared.
  void clear();
  void add_send(int to, std::int64_t bytes) { sends_.push_back({to, bytes, next_end()}); }
  void add_receive(int from, std::int64_t bytes) { receives_.push_back({from, bytes, next_end()}); }

  /// Memory of the library's own that the data lies in: it lasts as long as MPI may use it.
  void hold(std::shared_ptr<const void> memory) { transport_.hold(std::move(memory)); }

  /// For protocols: the receiver lets the transfer behind this one go.
  void note_release(std::size_t receive) {
    if (trace_) trace_->receive_released(receive);
  }

  /// Allocates nothing, unless the protocol grows.
  void begin(Data& data) override;
  /// A piece at most each way.
  Advance advance() override;

  void abandon() noexcept override { abandon_together({this, nullptr}); }
  /// Abandons both executors of a channel; null: there is none.
  static void abandon_together(const std::array<StepExecutor*, 2>& executors) noexcept;

  [[nodiscard]] std::int64_t buffer_bytes() const override { return transport_.buffer_bytes(); }

 private:
  /// What MPI works on, for withdraw.
  [[nodiscard]] Withdrawn withdrawn() noexcept;
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
  std::unique_ptr<StepProtocol> protocol_;
  PieceTransport transport_;
  bool withdrawn_ = false;

  // The present execution.
  Data* data_ = nullptr;
  std::optional<TransferTrace> trace_;  ///< where it is recorded
  bool working_ = false;
  unsigned looks_ = 0;
};

}  // namespace sluice::mpi::detail
