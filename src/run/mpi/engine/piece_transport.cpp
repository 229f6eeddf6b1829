#include "run/mpi/engine/piece_transport.hpp"

#include <fmt/format.h>

#include <atomic>
#include <new>
#include <span>
#include <utility>

#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/check_test_some.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

PieceTransport::PieceTransport(Channel& channel, const std::vector<StepMessage>& sends,
                               const std::vector<StepMessage>& receives, const Slots& sending, const Slots& receiving,
                               Tag tag)
    : channel_(channel),
      sends_(sends),
      receives_(receives),
      tag_(tag),
      send_stride_(round_up(sending.bytes)),
      receive_stride_(round_up(receiving.bytes)),
      send_bytes_(static_cast<std::int64_t>(sending.count) * send_stride_),
      receiving_(receiving.count),
      sending_(sending.count),
      memory_(std::make_shared<Memory>()),
      marks_(sending.count, 0),
      requests_(receiving.count + sending.count + 1, MPI_REQUEST_NULL),  // and one for the channel
      statuses_(requests_.size()),
      completed_(requests_.size()) {
  free_sending_.reserve(sending.count);
  free_receiving_.reserve(receiving.count);
  memory_->received_notes.resize(receiving.count);
  memory_->sent_notes.resize(sending.count);
  leftover_.push_back({{}, memory_});
  leftover_.front().requests.reserve(requests_.size());
}

PieceTransport::~PieceTransport() {
  Arena& arena = channel_.context().arena();
  if (leftover_.empty()) {
    arena.release_at_end(arena_);  // of an execution that was abandoned, receivers may still have notes
  } else {
    arena.release(arena_);  // receivers have marked all that they had notes of
  }
}

std::byte* PieceTransport::send_buffer(std::size_t slot) const {
  return send_buffer_ + static_cast<std::int64_t>(slot) * send_stride_;
}

std::byte* PieceTransport::receive_buffer(std::size_t slot) const {
  return memory_->receive_buffer.get() + static_cast<std::int64_t>(slot) * receive_stride_;
}

std::byte* PieceTransport::mark_of(std::size_t slot) const {
  return arena_.at + static_cast<std::int64_t>(slot) * kCacheLine;
}

void PieceTransport::connect(bool share) {
  Arena& arena = channel_.context().arena();
  bool all_shared = true;
  for (const StepMessage& receive : receives_) {
    shared_by_.push_back(share && arena.reaches(receive.peer));
    all_shared = all_shared && shared_by_.back();
  }
  bool any_shared = false;
  for (const StepMessage& send : sends_) {
    shared_with_.push_back(share && arena.reaches(send.peer));
    any_shared = any_shared || shared_with_.back();
  }
  if (any_shared) {
    const std::int64_t marks = static_cast<std::int64_t>(sending_.size()) * kCacheLine;
    arena_ = arena.allocate(marks + send_bytes_);
    for (std::size_t slot = 0; slot < sending_.size(); ++slot) new (mark_of(slot)) std::int64_t(0);
    send_buffer_ = arena_.at + marks;
  } else {
    memory_->send_buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(send_bytes_));
    send_buffer_ = memory_->send_buffer.get();
  }
  if (all_shared) return;
  receive_bytes_ = static_cast<std::int64_t>(receiving_.size()) * receive_stride_;
  memory_->receive_buffer = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receive_bytes_));
}

void PieceTransport::begin(const std::shared_ptr<Data>& data) {
  data_ = data.get();
  memory_->data = data;
  requests_under_way_ = 0;
  received_bytes_.assign(receives_.size(), 0);
  free_sending_.clear();
  free_receiving_.clear();
  for (std::size_t slot = sending_.size(); slot-- > 0;) free_sending_.push_back(slot);
  for (std::size_t slot = receiving_.size(); slot-- > 0;) free_receiving_.push_back(slot);
}

void PieceTransport::send(const Piece& next, bool synchronous) {
  const std::size_t slot = free_sending_.back();
  free_sending_.pop_back();
  Slot& piece = sending_[slot];
  piece = {next};
  const int peer = sends_[piece.message].peer;
  const void* memory = nullptr;
  auto bytes = static_cast<int>(piece.bytes);
  if (shared(piece.message)) {
    share_piece(slot);
    memory = &memory_->sent_notes[slot];
    bytes = sizeof(Note);
  } else {
    memory = data_->outgoing(end_of_send(piece), piece.offset, piece.bytes);
    if (memory == nullptr) {
      data_->pack(end_of_send(piece), piece.offset, piece.bytes, send_buffer(slot));
      memory = send_buffer(slot);
    }
  }
  MPI_Request* request = &requests_[receiving_.size() + slot];
  if (synchronous) {
    SLUICE_MPI(MPI_Issend(memory, bytes, MPI_BYTE, peer, channel_.tag(tag_), channel_.comm(), request));
  } else {
    SLUICE_MPI(MPI_Isend(memory, bytes, MPI_BYTE, peer, channel_.tag(tag_), channel_.comm(), request));
  }
  piece.with_mpi = true;
  ++requests_under_way_;
}

void PieceTransport::share_piece(std::size_t slot) {
  Slot& piece = sending_[slot];
  std::byte* const buffer = send_buffer(slot);
  data_->pack(end_of_send(piece), piece.offset, piece.bytes, buffer);
  const auto place_of = [&](const std::byte* at) { return Arena::Place{arena_.offset + (at - arena_.at)}; };
  memory_->sent_notes[slot] = {place_of(buffer), place_of(mark_of(slot)), ++marks_[slot]};
  piece.with_peer = true;
  ++marks_awaited_;
  HostAtomics::fence(std::memory_order_release);
}

void PieceTransport::receive(const Piece& next) {
  const std::size_t slot = free_receiving_.back();
  free_receiving_.pop_back();
  Slot& piece = receiving_[slot];
  piece = {next};
  const int peer = receives_[piece.message].peer;
  void* memory = &memory_->received_notes[slot];
  int bytes = sizeof(Note);
  if (!shared_by(piece.message)) {
    memory = data_->incoming(end_of_receive(piece), piece.offset, piece.bytes);
    piece.direct = memory != nullptr;
    if (memory == nullptr) memory = receive_buffer(slot);
    bytes = static_cast<int>(piece.bytes);
  }
  SLUICE_MPI(MPI_Irecv(memory, bytes, MPI_BYTE, peer, channel_.tag(tag_), channel_.comm(), &requests_[slot]));
  ++requests_under_way_;
}

int PieceTransport::finish(Ends& ends) {
  const int requests = finish_requests(ends);
  return requests + (marks_awaited_ > 0 ? finish_marks(ends) : 0);
}

int PieceTransport::finish_requests(Ends& ends) {
  if (requests_under_way_ == 0) return 0;
  int count = 0;
  const int code = channel_.test_some(requests_, count, completed_, statuses_);
  check_test_some(code, std::span(completed_).first(static_cast<std::size_t>(count)), statuses_,
                  [&](std::size_t request) { return request >= receiving_.size(); });
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto request = static_cast<std::size_t>(completed_[i]);
    --requests_under_way_;
    if (request < receiving_.size()) {
      finish_receive(request, statuses_[i]);
      ends.received(receiving_[request]);
      free_receiving_.push_back(request);
    } else {
      sending_[request - receiving_.size()].with_mpi = false;
      finish_send(request - receiving_.size(), ends);
    }
  }
  return count;
}

void PieceTransport::finish_receive(std::size_t slot, const MPI_Status& status) {
  const Slot& piece = receiving_[slot];
  if (shared_by(piece.message)) {
    finish_shared_receive(slot);
    return;
  }
  int bytes = 0;
  SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  SLUICE_ASSERT(bytes == piece.bytes, fmt::format("{} bytes from rank {}, {} due at offset {}", bytes,
                                                  receives_[piece.message].peer, piece.bytes, piece.offset));
  if (!piece.direct) data_->unpack(end_of_receive(piece), piece.offset, piece.bytes, receive_buffer(slot));
  received_bytes_.resize(receives_.size());
  received_bytes_[piece.message] += piece.bytes;
}

void PieceTransport::finish_shared_receive(std::size_t slot) {
  const Slot& piece = receiving_[slot];
  const Note& note = memory_->received_notes[slot];
  const int peer = receives_[piece.message].peer;
  const Arena& arena = channel_.context().arena();
  HostAtomics::fence(std::memory_order_acquire);
  data_->unpack(end_of_receive(piece), piece.offset, piece.bytes, arena.find(peer, note.data));
  auto* mark = reinterpret_cast<std::int64_t*>(arena.find(peer, note.mark_at));
  HostAtomics::store(*mark, note.mark, std::memory_order_release);
}

void PieceTransport::finish_send(std::size_t slot, Ends& ends) {
  const Slot& piece = sending_[slot];
  if (piece.with_mpi || piece.with_peer) return;
  ends.sent(piece);
  free_sending_.push_back(slot);
}

int PieceTransport::finish_marks(Ends& ends) {
  int count = 0;
  for (std::size_t slot = 0; slot < sending_.size() && marks_awaited_ > 0; ++slot) {
    if (!sending_[slot].with_peer) continue;
    auto* mark = reinterpret_cast<std::int64_t*>(mark_of(slot));
    if (HostAtomics::load(*mark, std::memory_order_acquire) != marks_[slot]) continue;
    sending_[slot].with_peer = false;
    --marks_awaited_;
    finish_send(slot, ends);
    ++count;
  }
  return count;
}

Withdrawn PieceTransport::withdrawn(bool running) noexcept {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < receiving_.size() + sending_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    bytes += (i < receiving_.size() ? receiving_[i] : sending_[i - receiving_.size()]).bytes;
  }
  return {.requests = requests_,
          .peer =
              [this](std::size_t request) {
                if (request < receiving_.size()) return receives_[receiving_[request].message].peer;
                // The channel's has no slot.
                const std::size_t slot = request - receiving_.size();
                if (slot >= sending_.size() || shared(sending_[slot].message)) return MPI_PROC_NULL;
                return sends_[sending_[slot].message].peer;
              },
          .is_receive = [this](std::size_t request) { return request < receiving_.size(); },
          .add_senders =
              [this](std::vector<int>& senders) {
                for (std::size_t i = 0; i < receives_.size(); ++i) {
                  if (!shared_by(i) && received_bytes(i) < receives_[i].bytes) senders.push_back(receives_[i].peer);
                }
              },
          .add_receivers =
              [this](std::vector<int>& receivers) {
                for (std::size_t i = 0; i < sends_.size(); ++i) {
                  if (!shared(i)) receivers.push_back(sends_[i].peer);
                }
              },
          .bytes = bytes,
          .leftover = running ? &leftover_ : nullptr};
}

}  // namespace sluice::mpi::detail
