#include "run/mpi/engine/ordered_carrier.hpp"

#include <utility>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Word that a rank has given up can wait; the data should not wait for looking.
constexpr unsigned kStepsBetweenChecks = 64;
/// MPI moves what is under way only while it is called: after each long piece, or a few short ones.
constexpr std::int64_t kBytesBetweenLooks = 16 << 10;

}  // namespace

OrderedCarrier::OrderedCarrier(Channel& channel, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
                               const Limits& limits, std::unique_ptr<Gate> gate, std::shared_ptr<EndWaits> waits)
    : channel_(channel),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      limits_(limits),
      to_send_(sends_, limits.chunk_bytes, limits.granule, limits.rounds),
      to_receive_(receives_, limits.chunk_bytes, limits.granule, limits.rounds),
      gate_(gate ? std::move(gate) : std::make_unique<Gate>()),
      waits_(std::move(waits)),
      transport_(channel, sends_, receives_, slots_for(to_send_, limits_.window),
                 slots_for(to_receive_, limits_.window + limits_.ahead), limits_.tag) {
  SLUICE_ASSERT(!gate_->grows() || (limits_.contiguous && !limits_.rounds), "no buffers for messages to come");
}

PieceTransport::Slots OrderedCarrier::slots_for(const PieceOrder& pieces, int window) const {
  return {static_cast<std::size_t>(gate_->grows() ? window : pieces.count(window)),
          limits_.contiguous ? 0 : pieces.longest()};
}

void OrderedCarrier::connect(bool share) {
  if (limits_.contiguous) {
    SLUICE_ASSERT(!share, "shared buffers for data that is sent from where it lies");
    return;
  }
  transport_.connect(share);
}

void OrderedCarrier::clear() {
  sends_.clear();
  receives_.clear();
}

int OrderedCarrier::start_sends() {
  int started = 0;
  for (std::int64_t bytes = 0; bytes < kBytesBetweenLooks; ++started) {
    if (!transport_.can_send() || !to_send_.more()) break;
    if (to_send_.at_start()) {
      const StepMessage& next = sends_[to_send_.message()];
      if ((waits_ && waits_->waits(next.end)) || !gate_->may_start(to_send_.message())) break;
      if (trace_ != nullptr) trace_->send_started(next.end, next.peer);
    }
    const PieceOrder::Piece piece = to_send_.next();
    transport_.send(piece, gate_->synchronous());
    bytes += piece.bytes;
  }
  return started;
}

void OrderedCarrier::start_receives() {
  while (transport_.can_receive() && to_receive_.more()) transport_.receive(to_receive_.next());
}

void OrderedCarrier::sent(const PieceOrder::Piece& piece) {
  gate_->sent(piece.message, piece.bytes);
  const StepMessage& message = sends_[piece.message];
  if (trace_ != nullptr) trace_->send_ended(message.end, message.bytes);
}

void OrderedCarrier::received(const PieceOrder::Piece& piece) {
  const StepMessage& message = receives_[piece.message];
  if (waits_) waits_->received(message.end, piece.bytes);
  gate_->received(piece.message, piece.bytes);
  if (trace_ != nullptr) trace_->receive_ended(message.end, message.peer, message.bytes);
}

std::optional<Withdrawn> OrderedCarrier::abandon() noexcept {
  Withdrawn withdrawn = transport_.withdrawn(std::exchange(running_, false));
  if (gate_->grows()) {  // each rank may have messages that this one has not heard of
    const auto add_all = [this](std::vector<int>& ranks) {
      for (int rank = 0; rank < channel_.size(); ++rank) {
        if (rank != channel_.rank()) ranks.push_back(rank);
      }
    };
    withdrawn.add_senders = add_all;
    withdrawn.add_receivers = add_all;
  }
  return withdrawn;
}

void OrderedCarrier::begin(const std::shared_ptr<Data>& data, TransferTrace* trace) {
  running_ = true;
  trace_ = trace;
  to_send_.restart();
  to_receive_.restart();
  transport_.begin(data);
  if (waits_) waits_->begin();
  gate_->begin(*this);
}

Advance OrderedCarrier::advance() {
  if (!running_) return Advance::kOver;
  // Without requests of MPI under way nothing else tells of failures.
  if (!transport_.any_with_mpi() && ++looks_ % kStepsBetweenChecks == 0) channel_.check();
  const bool arranged = gate_->progress(*this);
  start_receives();
  const int started = start_sends();
  const int finished = transport_.any_under_way() ? transport_.finish(*this) : 0;
  if (arranged || started > 0 || finished > 0) return Advance::kMoved;
  const bool done = !transport_.any_under_way() && !to_send_.more() && !to_receive_.more();
  if (!done || !gate_->finish()) return Advance::kIdle;
  running_ = false;
  return Advance::kOver;
}

}  // namespace sluice::mpi::detail
