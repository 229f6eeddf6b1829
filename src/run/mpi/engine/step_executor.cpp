#include "run/mpi/engine/step_executor.hpp"

#include <utility>

#include "sluice/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Word that a rank has given up can wait; the data should not wait for looking.
constexpr unsigned kStepsBetweenChecks = 64;
/// MPI moves what is under way only while it is called: after each long piece, or a few short ones.
constexpr std::int64_t kBytesBetweenLooks = 16 << 10;

}  // namespace

StepExecutor::StepExecutor(Channel& channel, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
                           const Limits& limits, std::unique_ptr<StepProtocol> protocol)
    : channel_(channel),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      limits_(limits),
      to_send_(sends_, limits.chunk_bytes, limits.granule, limits.rounds),
      to_receive_(receives_, limits.chunk_bytes, limits.granule, limits.rounds),
      protocol_(protocol ? std::move(protocol) : std::make_unique<StepProtocol>()),
      transport_(channel, sends_, receives_, slots_for(to_send_, limits_.window),
                 slots_for(to_receive_, limits_.window + limits_.ahead), limits_.tag) {
  SLUICE_ASSERT(!protocol_->grows() || (limits_.contiguous && !limits_.rounds), "no buffers for messages to come");
}

PieceTransport::Slots StepExecutor::slots_for(const PieceOrder& pieces, int window) const {
  return {static_cast<std::size_t>(protocol_->grows() ? window : pieces.count(window)),
          limits_.contiguous ? 0 : pieces.longest()};
}

void StepExecutor::connect(bool share) {
  if (limits_.contiguous) {
    SLUICE_ASSERT(!share, "shared buffers for data that is sent from where it lies");
    return;
  }
  transport_.connect(share);
}

void StepExecutor::clear() {
  sends_.clear();
  receives_.clear();
}

int StepExecutor::start_sends() {
  int started = 0;
  for (std::int64_t bytes = 0; bytes < kBytesBetweenLooks; ++started) {
    if (!transport_.can_send() || !to_send_.more()) break;
    if (to_send_.at_start()) {
      if (!protocol_->may_start(to_send_.message())) break;
      if (trace_) trace_->send_started(to_send_.message(), sends_[to_send_.message()].peer);
    }
    const PieceOrder::Piece piece = to_send_.next();
    transport_.send(piece, protocol_->synchronous());
    bytes += piece.bytes;
  }
  return started;
}

void StepExecutor::start_receives() {
  while (transport_.can_receive() && to_receive_.more()) transport_.receive(to_receive_.next());
}

void StepExecutor::sent(const PieceOrder::Piece& piece) {
  protocol_->sent(piece.message, piece.bytes);
  if (trace_) trace_->send_ended(piece.message, sends_[piece.message].bytes);
}

void StepExecutor::received(const PieceOrder::Piece& piece) {
  protocol_->received(piece.message, piece.bytes);
  if (trace_) trace_->receive_ended(piece.message, receives_[piece.message].peer, receives_[piece.message].bytes);
}

Withdrawn StepExecutor::withdrawn() noexcept {
  withdrawn_ = true;
  Withdrawn withdrawn = transport_.withdrawn(std::exchange(data_, nullptr) != nullptr);
  if (protocol_->grows()) {  // each rank may have messages that this one has not heard of
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

void StepExecutor::abandon_together(const std::array<StepExecutor*, 2>& executors) noexcept {
  std::array<Withdrawn, 2> parts;
  std::size_t count = 0;
  for (StepExecutor* const executor : executors) {
    if (executor != nullptr && !executor->withdrawn_) parts[count++] = executor->withdrawn();
  }
  if (count > 0) withdraw((executors[0] != nullptr ? executors[0] : executors[1])->channel_, {parts.data(), count});
}

void StepExecutor::begin(Data& data) {
  data_ = &data;
  to_send_.restart();
  to_receive_.restart();
  transport_.begin(data);
  working_ = true;
  if (channel_.context().log() != nullptr)
    trace_.emplace();
  else
    trace_.reset();
  protocol_->begin(*this);
}

Advance StepExecutor::advance() {
  if (data_ == nullptr) return Advance::kOver;
  // Without requests of MPI under way nothing else tells of failures.
  if (!transport_.any_with_mpi() && ++looks_ % kStepsBetweenChecks == 0) channel_.check();
  const bool arranged = protocol_->progress(*this);
  start_receives();
  const int started = start_sends();
  const int finished = transport_.any_under_way() ? transport_.finish(*this) : 0;
  if (arranged || started > 0 || finished > 0) return Advance::kMoved;
  if (working_) {
    working_ = data_->work();
    return Advance::kMoved;
  }
  const bool done = !transport_.any_under_way() && !to_send_.more() && !to_receive_.more();
  if (!done || !protocol_->finish()) return Advance::kIdle;
  data_ = nullptr;
  if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
  return Advance::kOver;
}

}  // namespace sluice::mpi::detail
