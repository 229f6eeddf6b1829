#include "run/mpi/steps/step_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "run/mpi/runtime/cache_line.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// Word that a rank has given up can wait; the data should not wait for looking.
constexpr unsigned kLooksBetweenChecks = 64;
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
      receive_slots_(slots_for(to_receive_, limits_.window + limits_.ahead)),
      send_slots_(slots_for(to_send_, limits_.window)),
      receive_stride_(stride_for(to_receive_)),
      send_stride_(stride_for(to_send_)),
      send_bytes_(static_cast<std::int64_t>(send_slots_) * send_stride_),
      shared_by_(receives_.size(), false),
      shared_with_(sends_.size(), false),
      receiving_(receive_slots_),
      sending_(send_slots_),
      memory_(std::make_shared<Memory>()),
      marks_(send_slots_, 0),
      requests_(receive_slots_ + send_slots_ + 1, MPI_REQUEST_NULL),  // and one for the channel
      statuses_(requests_.size()),
      completed_(requests_.size()) {
  SLUICE_ASSERT(!protocol_->grows() || (limits_.contiguous && !limits_.rounds), "no buffers for messages to come");
  free_sending_.reserve(send_slots_);
  free_receiving_.reserve(receive_slots_);
  memory_->received_notes.resize(receive_slots_);
  memory_->sent_notes.resize(send_slots_);
  leftover_.push_back({{}, memory_});
  leftover_.front().requests.reserve(requests_.size());
}

StepExecutor::~StepExecutor() {
  // Of an execution that was abandoned others may still read.
  if (!leftover_.empty()) channel_.context().arena().release(arena_);
}

std::byte* StepExecutor::mark_of(std::size_t slot) const {
  return arena_.at + static_cast<std::int64_t>(slot) * kCacheLine;
}

void StepExecutor::connect(bool share) {
  if (limits_.contiguous) {
    SLUICE_ASSERT(!share, "shared buffers for data that is sent from where it lies");
    return;
  }
  Arena& arena = channel_.context().arena();
  bool all_shared = true;
  for (std::size_t i = 0; i < receives_.size(); ++i) {
    shared_by_[i] = share && arena.reaches(receives_[i].peer);
    all_shared = all_shared && shared_by_[i];
  }
  bool any_shared = false;
  for (std::size_t i = 0; i < sends_.size(); ++i) {
    shared_with_[i] = share && arena.reaches(sends_[i].peer);
    any_shared = any_shared || shared_with_[i];
  }
  if (any_shared) {
    const auto slots = static_cast<std::int64_t>(send_slots_);
    arena_ = arena.allocate(slots * kCacheLine + send_bytes_);
    for (std::size_t slot = 0; slot < send_slots_; ++slot) new (mark_of(slot)) std::int64_t(0);
    send_buffer_ = arena_.at + slots * kCacheLine;
  } else {
    memory_->send_buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(send_bytes_));
    send_buffer_ = memory_->send_buffer.get();
  }
  if (all_shared) return;
  receive_bytes_ = static_cast<std::int64_t>(receive_slots_) * receive_stride_;
  memory_->receive_buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receive_bytes_));
}

std::size_t StepExecutor::slots_for(const PieceOrder& pieces, int window) const {
  return static_cast<std::size_t>(protocol_->grows() ? window : pieces.count(window));
}

std::int64_t StepExecutor::stride_for(const PieceOrder& pieces) const {
  return limits_.contiguous ? 0 : round_up(pieces.longest());
}

void StepExecutor::go_by_memory() {
  if (by_memory_) return;
  by_memory_ = std::make_unique<SharedMessages>(channel_, sends_, receives_, limits_.granule);
  // No piece is under way between executions: all marks are back.
  channel_.context().arena().release(std::exchange(arena_, {}));
  memory_->send_buffer.reset();
  memory_->receive_buffer.reset();
  send_buffer_ = nullptr;
  send_bytes_ = receive_bytes_ = 0;
}

void StepExecutor::clear() {
  sends_.clear();
  receives_.clear();
}

int StepExecutor::start_sends() {
  int started = 0;
  for (std::int64_t bytes = 0; bytes < kBytesBetweenLooks; ++started) {
    if (free_sending_.empty() || !to_send_.more()) break;
    if (to_send_.at_start()) {
      if (!protocol_->may_start(to_send_.message())) break;
      if (trace_) trace_->send_started(to_send_.message(), sends_[to_send_.message()].peer);
    }
    const std::size_t slot = free_sending_.back();
    free_sending_.pop_back();
    start_send(slot);
    bytes += sending_[slot].bytes;
  }
  return started;
}

void StepExecutor::start_send(std::size_t slot) {
  Slot& piece = sending_[slot];
  piece = {to_send_.next()};
  const int peer = sends_[piece.message].peer;
  const void* memory = nullptr;
  auto bytes = static_cast<int>(piece.bytes);
  if (shared(piece.message)) {
    share_piece(slot);
    memory = &memory_->sent_notes[slot];
    bytes = sizeof(Note);
  } else {
    memory = data_->outgoing(piece.message, piece.offset, piece.bytes);
    if (memory == nullptr) {
      std::byte* buffer = send_buffer_ + static_cast<std::int64_t>(slot) * send_stride_;
      data_->pack(piece.message, piece.offset, piece.bytes, buffer);
      memory = buffer;
    }
  }
  MPI_Request* request = &requests_[receive_slots_ + slot];
  if (protocol_->synchronous()) {
    SLUICE_MPI(MPI_Issend(memory, bytes, MPI_BYTE, peer, channel_.tag(limits_.tag), channel_.comm(), request));
  } else {
    SLUICE_MPI(MPI_Isend(memory, bytes, MPI_BYTE, peer, channel_.tag(limits_.tag), channel_.comm(), request));
  }
  piece.with_mpi = true;
  ++requests_under_way_;
}

void StepExecutor::share_piece(std::size_t slot) {
  Slot& piece = sending_[slot];
  std::byte* buffer = send_buffer_ + static_cast<std::int64_t>(slot) * send_stride_;
  data_->pack(piece.message, piece.offset, piece.bytes, buffer);
  const auto offset_of = [&](const std::byte* at) { return arena_.place.offset + (at - arena_.at); };
  memory_->sent_notes[slot] = {{arena_.place.segment, offset_of(buffer)}, offset_of(mark_of(slot)), ++marks_[slot]};
  piece.with_peer = true;
  ++marks_awaited_;
  std::atomic_thread_fence(std::memory_order_release);
}

int StepExecutor::start_receives() {
  int started = 0;
  for (; !free_receiving_.empty() && to_receive_.more(); ++started) {
    const std::size_t slot = free_receiving_.back();
    free_receiving_.pop_back();
    start_receive(slot);
  }
  return started;
}

void StepExecutor::start_receive(std::size_t slot) {
  Slot& piece = receiving_[slot];
  piece = {to_receive_.next()};
  const int peer = receives_[piece.message].peer;
  void* memory = &memory_->received_notes[slot];
  int bytes = sizeof(Note);
  if (!shared_by(piece.message)) {
    memory = data_->incoming(piece.message, piece.offset, piece.bytes);
    piece.direct = memory != nullptr;
    if (memory == nullptr) memory = memory_->receive_buffer.get() + static_cast<std::int64_t>(slot) * receive_stride_;
    bytes = static_cast<int>(piece.bytes);
  }
  SLUICE_MPI(MPI_Irecv(memory, bytes, MPI_BYTE, peer, channel_.tag(limits_.tag), channel_.comm(), &requests_[slot]));
  ++requests_under_way_;
}

void StepExecutor::finish_receive(std::size_t slot, const MPI_Status& status) {
  const Slot& piece = receiving_[slot];
  if (shared_by(piece.message)) {
    finish_shared_receive(slot);
    return;
  }
  int bytes = 0;
  SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  SLUICE_ASSERT(bytes == piece.bytes, fmt::format("{} bytes from rank {}, {} due at offset {}", bytes,
                                                  receives_[piece.message].peer, piece.bytes, piece.offset));
  if (piece.direct) return;
  data_->unpack(piece.message, piece.offset, piece.bytes,
                memory_->receive_buffer.get() + static_cast<std::int64_t>(slot) * receive_stride_);
}

void StepExecutor::finish_shared_receive(std::size_t slot) {
  const Slot& piece = receiving_[slot];
  const Note& note = memory_->received_notes[slot];
  const int peer = receives_[piece.message].peer;
  Arena& arena = channel_.context().arena();
  std::atomic_thread_fence(std::memory_order_acquire);
  data_->unpack(piece.message, piece.offset, piece.bytes, arena.find(peer, note.data));
  auto* mark = reinterpret_cast<std::int64_t*>(arena.find(peer, {note.data.segment, note.mark_offset}));
  std::atomic_ref(*mark).store(note.mark, std::memory_order_release);
}

void StepExecutor::throw_failed(int count) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const int error = statuses_[i].MPI_ERROR;
    if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
    const auto request = static_cast<std::size_t>(completed_[i]);
    throw MpiError(request >= receive_slots_ ? "MPI_Isend" : "MPI_Irecv", error);
  }
  throw MpiError("MPI_Testsome", MPI_ERR_IN_STATUS);
}

Withdrawn StepExecutor::withdrawn() noexcept {
  withdrawn_ = true;
  if (by_memory_) by_memory_->abandon();
  const bool running = std::exchange(data_, nullptr) != nullptr;
  return {.requests = requests_,
          .receiver_of_send =
              [this](std::size_t request) {
                // The channel's has no slot.
                const std::size_t slot = request - receive_slots_;
                if (slot >= send_slots_ || shared(sending_[slot].message)) return MPI_PROC_NULL;
                return sends_[sending_[slot].message].peer;
              },
          .is_receive = [this](std::size_t request) { return request < receive_slots_; },
          .add_senders =
              [this](std::vector<int>& senders) {
                for (std::size_t i = 0; i < receives_.size(); ++i) {
                  if (!shared_by(i)) senders.push_back(receives_[i].peer);
                }
              },
          .leftover = running ? &leftover_ : nullptr};
}

void StepExecutor::abandon_together(const std::array<StepExecutor*, 2>& executors) noexcept {
  std::array<Withdrawn, 2> parts;
  std::size_t count = 0;
  for (StepExecutor* const executor : executors) {
    if (executor != nullptr && !executor->withdrawn_) parts[count++] = executor->withdrawn();
  }
  if (count > 0) withdraw((executors[0] != nullptr ? executors[0] : executors[1])->channel_, {parts.data(), count});
}

void StepExecutor::finish_send(std::size_t slot) {
  const Slot& piece = sending_[slot];
  if (piece.with_mpi || piece.with_peer) return;
  protocol_->sent(piece.message, piece.bytes);
  if (trace_) trace_->send_ended(piece.message, sends_[piece.message].bytes);
  free_sending_.push_back(slot);
  --under_way_;
}

int StepExecutor::finish_requests() {
  if (requests_under_way_ == 0) return 0;
  int count = 0;
  const int code = channel_.test_some(requests_, count, completed_, statuses_);
  if (code == MPI_ERR_IN_STATUS) throw_failed(count);
  if (code != MPI_SUCCESS) throw MpiError("MPI_Testsome", code);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto request = static_cast<std::size_t>(completed_[i]);
    --requests_under_way_;
    if (request < receive_slots_) {
      finish_receive(request, statuses_[i]);
      const Slot& piece = receiving_[request];
      protocol_->received(piece.message, piece.bytes);
      if (trace_) trace_->receive_ended(piece.message, receives_[piece.message].peer, receives_[piece.message].bytes);
      free_receiving_.push_back(request);
      --under_way_;
    } else {
      sending_[request - receive_slots_].with_mpi = false;
      finish_send(request - receive_slots_);
    }
  }
  return count;
}

int StepExecutor::finish_marks() {
  int count = 0;
  for (std::size_t slot = 0; slot < send_slots_ && marks_awaited_ > 0; ++slot) {
    if (!sending_[slot].with_peer) continue;
    auto* mark = reinterpret_cast<std::int64_t*>(mark_of(slot));
    if (std::atomic_ref(*mark).load(std::memory_order_acquire) != marks_[slot]) continue;
    sending_[slot].with_peer = false;
    --marks_awaited_;
    finish_send(slot);
    ++count;
  }
  return count;
}

int StepExecutor::finish() {
  const int requests = finish_requests();
  return requests + (marks_awaited_ > 0 ? finish_marks() : 0);
}

void StepExecutor::begin(StepData& data) {
  data_ = &data;
  to_send_.restart();
  to_receive_.restart();
  under_way_ = requests_under_way_ = 0;
  working_ = true;
  free_sending_.clear();
  free_receiving_.clear();
  for (std::size_t slot = send_slots_; slot-- > 0;) free_sending_.push_back(slot);
  for (std::size_t slot = receive_slots_; slot-- > 0;) free_receiving_.push_back(slot);
  trace_.reset();
  if (channel_.context().log() != nullptr) trace_.emplace();
  protocol_->begin(*this);
  if (by_memory_) by_memory_->begin(data);
}

Advance StepExecutor::advance() {
  const Advance by_memory = by_memory_ ? by_memory_->advance() : Advance::kOver;
  const Advance by_pieces = data_ != nullptr ? advance_pieces() : Advance::kOver;
  if (by_memory == by_pieces) return by_memory;
  const bool moved = by_memory == Advance::kMoved || by_pieces == Advance::kMoved;
  return moved ? Advance::kMoved : Advance::kIdle;
}

Advance StepExecutor::advance_pieces() {
  // Messages by memory alone tell nothing of failures.
  if (requests_under_way_ == 0 && ++looks_ % kLooksBetweenChecks == 0) channel_.check();
  const bool arranged = protocol_->progress(*this);
  under_way_ += start_receives();
  const int started = start_sends();
  under_way_ += started;
  const int finished = under_way_ > 0 ? finish() : 0;
  if (arranged || started > 0 || finished > 0) return Advance::kMoved;
  if (working_) {
    working_ = data_->work();
    return Advance::kMoved;
  }
  const bool done = under_way_ == 0 && !to_send_.more() && !to_receive_.more();
  if (!done || !protocol_->finish()) return Advance::kIdle;
  data_ = nullptr;
  if (trace_ && channel_.context().log() != nullptr) trace_->add_to(*channel_.context().log());
  return Advance::kOver;
}

}  // namespace sluice::mpi::detail
