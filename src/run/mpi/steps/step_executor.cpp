#include "run/mpi/steps/step_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kDataTag = 1;
constexpr int kNoDataTag = 2;  // instead of data, from another node
constexpr int kFreeTag = 3;    // plus the slot of the sender that is free again
constexpr std::int64_t kAlignment = 64;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

StepExecutor::StepExecutor(MPI_Comm comm, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
                           const Limits& limits, std::unique_ptr<StepProtocol> protocol)
    : comm_(comm),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      limits_(limits),
      protocol_(protocol ? std::move(protocol) : std::make_unique<StepProtocol>()),
      receive_slots_(slots_for(receives_, limits_.window + limits_.ahead)),
      send_slots_(slots_for(sends_, limits_.window)),
      receive_stride_(stride_for(receives_)),
      send_stride_(stride_for(sends_)),
      send_bytes_(static_cast<std::int64_t>(send_slots_) * send_stride_),
      shared_by_(receives_.size(), nullptr),
      shared_with_(sends_.size(), false),
      receiving_(receive_slots_),
      sending_(send_slots_),
      received_notes_(receive_slots_),
      sent_notes_(send_slots_),
      requests_(receive_slots_ + 2 * send_slots_, MPI_REQUEST_NULL),
      statuses_(requests_.size()),
      completed_(requests_.size()) {
  SLUICE_ASSERT(!protocol_->grows() || limits_.contiguous, "no buffers for messages to come");
  free_sending_.reserve(send_slots_);
  free_receiving_.reserve(receive_slots_);
}

void StepExecutor::connect(MPI_Comm node) {
  if (limits_.contiguous) {
    SLUICE_ASSERT(node == MPI_COMM_NULL, "shared buffers for data that is sent from where it lies");
    return;
  }
  bool all_shared = node != MPI_COMM_NULL;
  if (all_shared) {
    shared_ = SharedBuffers(comm_, node, send_bytes_);
    for (std::size_t i = 0; i < sends_.size(); ++i) shared_with_[i] = shared_.reaches(sends_[i].peer);
    for (std::size_t i = 0; i < receives_.size(); ++i) {
      shared_by_[i] = shared_.of(receives_[i].peer);
      all_shared = all_shared && shared_by_[i] != nullptr;
    }
    send_buffer_ = shared_.own();
  } else {
    own_send_buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(send_bytes_));
    send_buffer_ = own_send_buffer_.get();
  }
  if (all_shared) return;
  receive_bytes_ = static_cast<std::int64_t>(receive_slots_) * receive_stride_;
  receive_buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receive_bytes_));
}

std::int64_t StepExecutor::piece_bytes(std::int64_t message_bytes) const {
  // Pieces of about one size: a short one at the end would wait as long as a full one for its turn.
  const std::int64_t granule = limits_.granule <= limits_.chunk_bytes ? limits_.granule : 1;
  const std::int64_t longest = limits_.chunk_bytes / granule * granule;
  const std::int64_t pieces = message_bytes / longest + (message_bytes % longest != 0);
  return std::min(longest, round_up(message_bytes / pieces + (message_bytes % pieces != 0), granule));
}

std::size_t StepExecutor::slots_for(const std::vector<StepMessage>& messages, int window) const {
  if (protocol_->grows()) return static_cast<std::size_t>(window);
  std::int64_t pieces = 0;
  for (const StepMessage& message : messages) {
    if (message.bytes == 0) continue;
    const std::int64_t piece = piece_bytes(message.bytes);
    pieces += std::min<std::int64_t>(window, message.bytes / piece + (message.bytes % piece != 0));
    if (pieces >= window) return static_cast<std::size_t>(window);
  }
  return static_cast<std::size_t>(pieces);
}

std::int64_t StepExecutor::stride_for(const std::vector<StepMessage>& messages) const {
  if (limits_.contiguous) return 0;
  std::int64_t longest = 0;
  for (const StepMessage& message : messages) {
    if (message.bytes > 0) longest = std::max(longest, piece_bytes(message.bytes));
  }
  return round_up(longest, kAlignment);
}

bool StepExecutor::more(const std::vector<StepMessage>& messages, Position& at) {
  while (at.message < messages.size() && at.offset == messages[at.message].bytes) at = {at.message + 1, 0};
  return at.message < messages.size();
}

StepExecutor::Slot StepExecutor::next(const std::vector<StepMessage>& messages, Position& at) const {
  const std::int64_t bytes = messages[at.message].bytes;
  const Slot slot{at.message, at.offset, std::min(piece_bytes(bytes), bytes - at.offset), false, 0};
  at.offset += slot.bytes;
  return slot;
}

void StepExecutor::clear() {
  sends_.clear();
  receives_.clear();
}

int StepExecutor::start_send(StepData& data) {
  if (free_sending_.empty() || !more(sends_, next_send_)) return 0;
  if (next_send_.offset == 0) {
    if (!protocol_->may_start(next_send_.message)) return 0;
    if (trace_ != nullptr) StepTrace::mark(trace_->send_started, next_send_.message);
  }
  const std::size_t slot = free_sending_.back();
  free_sending_.pop_back();
  return start_send(slot, data);
}

int StepExecutor::start_send(std::size_t slot, StepData& data) {
  Slot& piece = sending_[slot];
  piece = next(sends_, next_send_);
  const int peer = sends_[piece.message].peer;
  MPI_Request* request = &requests_[receive_slots_ + slot];
  piece.pending = 1;
  if (piece.message < shared_with_.size() && shared_with_[piece.message]) {
    sent_notes_[slot] = {0, -1};
    if (can_send_) start_shared_send(slot, data);
    SLUICE_MPI(MPI_Isend(&sent_notes_[slot], sizeof(Note), MPI_BYTE, peer, kDataTag, comm_, request));
    return piece.pending;
  }
  if (!can_send_) {
    start_message(nullptr, 0, peer, kNoDataTag, request);
    return piece.pending;
  }
  const std::byte* memory = data.outgoing(piece.message, piece.offset, piece.bytes);
  if (memory == nullptr) {
    std::byte* buffer = send_buffer_ + static_cast<std::int64_t>(slot) * send_stride_;
    data.pack(piece.message, piece.offset, piece.bytes, buffer);
    memory = buffer;
  }
  start_message(memory, static_cast<int>(piece.bytes), peer, kDataTag, request);
  return piece.pending;
}

void StepExecutor::start_message(const std::byte* memory, int bytes, int peer, int tag, MPI_Request* request) {
  if (protocol_->synchronous()) {
    SLUICE_MPI(MPI_Issend(memory, bytes, MPI_BYTE, peer, tag, comm_, request));
  } else {
    SLUICE_MPI(MPI_Isend(memory, bytes, MPI_BYTE, peer, tag, comm_, request));
  }
}

void StepExecutor::start_shared_send(std::size_t slot, StepData& data) {
  Slot& piece = sending_[slot];
  const std::int64_t offset = static_cast<std::int64_t>(slot) * send_stride_;
  data.pack(piece.message, piece.offset, piece.bytes, send_buffer_ + offset);
  shared_.sync();
  sent_notes_[slot] = {offset, static_cast<std::int64_t>(slot)};
  piece.pending = 2;
  SLUICE_MPI(MPI_Irecv(nullptr, 0, MPI_BYTE, sends_[piece.message].peer, kFreeTag + static_cast<int>(slot), comm_,
                       &requests_[receive_slots_ + send_slots_ + slot]));
}

int StepExecutor::start_receives(StepData& data) {
  int started = 0;
  for (; !free_receiving_.empty() && more(receives_, next_receive_); ++started) {
    const std::size_t slot = free_receiving_.back();
    free_receiving_.pop_back();
    start_receive(slot, data);
  }
  return started;
}

void StepExecutor::start_receive(std::size_t slot, StepData& data) {
  Slot& piece = receiving_[slot];
  piece = next(receives_, next_receive_);
  const int peer = receives_[piece.message].peer;
  if (piece.message < shared_by_.size() && shared_by_[piece.message] != nullptr) {
    SLUICE_MPI(MPI_Irecv(&received_notes_[slot], sizeof(Note), MPI_BYTE, peer, kDataTag, comm_, &requests_[slot]));
    return;
  }
  std::byte* memory = can_receive_ ? data.incoming(piece.message, piece.offset, piece.bytes) : nullptr;
  piece.direct = memory != nullptr;
  if (memory == nullptr) memory = receive_buffer_.get() + static_cast<std::int64_t>(slot) * receive_stride_;
  // Any tag: instead of the data a rank may say that it has none.
  SLUICE_MPI(MPI_Irecv(memory, static_cast<int>(piece.bytes), MPI_BYTE, peer, MPI_ANY_TAG, comm_, &requests_[slot]));
}

void StepExecutor::finish_receive(std::size_t slot, const MPI_Status& status, StepData& data) {
  const Slot& piece = receiving_[slot];
  if (piece.message < shared_by_.size() && shared_by_[piece.message] != nullptr)
    return finish_shared_receive(slot, data);
  if (status.MPI_TAG == kNoDataTag) {
    without_data_ = receives_[piece.message].peer;
    return;
  }
  int bytes = 0;
  SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  SLUICE_ASSERT(bytes == piece.bytes, fmt::format("{} bytes from rank {}, {} due at offset {}", bytes,
                                                  receives_[piece.message].peer, piece.bytes, piece.offset));
  if (piece.direct || !can_receive_) return;
  data.unpack(piece.message, piece.offset, piece.bytes,
              receive_buffer_.get() + static_cast<std::int64_t>(slot) * receive_stride_);
}

void StepExecutor::finish_shared_receive(std::size_t slot, StepData& data) {
  const Slot& piece = receiving_[slot];
  const Note& note = received_notes_[slot];
  const int peer = receives_[piece.message].peer;
  if (note.slot < 0) {
    without_data_ = peer;
    return;
  }
  shared_.sync();
  if (can_receive_) {
    data.unpack(piece.message, piece.offset, piece.bytes, shared_by_[piece.message] + note.offset);
  }
  shared_.sync();
  SLUICE_MPI(MPI_Send(nullptr, 0, MPI_BYTE, peer, kFreeTag + static_cast<int>(note.slot), comm_));
}

int StepExecutor::completed() {
  const auto requests = static_cast<int>(requests_.size());
  int count = 0;
  const int code = MPI_Testsome(requests, requests_.data(), &count, completed_.data(), statuses_.data());
  if (code == MPI_ERR_IN_STATUS) throw_failed(count);
  if (code != MPI_SUCCESS) throw MpiError("MPI_Testsome", code);
  return count == MPI_UNDEFINED ? 0 : count;
}

void StepExecutor::throw_failed(int count) const {
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const int error = statuses_[i].MPI_ERROR;
    if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
    const auto request = static_cast<std::size_t>(completed_[i]);
    const bool send = request >= receive_slots_ && request < receive_slots_ + send_slots_;
    throw MpiError(send ? "MPI_Isend" : "MPI_Irecv", error);
  }
  throw MpiError("MPI_Testsome", MPI_ERR_IN_STATUS);
}

void StepExecutor::abandon() noexcept {
  for (std::size_t i = 0; i < receive_slots_; ++i) {
    if (requests_[i] != MPI_REQUEST_NULL) (void)MPI_Cancel(&requests_[i]);
  }
  // One that is being received cannot be cancelled any more, and may need its sender.
  const double deadline = MPI_Wtime() + 1;
  for (Patience patience;; patience.look_again()) {
    int done = 0;
    const int code = MPI_Testall(static_cast<int>(receive_slots_), requests_.data(), &done, MPI_STATUSES_IGNORE);
    if (done != 0 || code != MPI_SUCCESS || MPI_Wtime() > deadline) break;
  }
  for (MPI_Request& request : requests_) {
    if (request != MPI_REQUEST_NULL) (void)MPI_Request_free(&request);
  }
}

int StepExecutor::finish(StepData& data) {
  const int count = completed();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto request = static_cast<std::size_t>(completed_[i]);
    if (request < receive_slots_) {
      finish_receive(request, statuses_[i], data);
      const Slot& piece = receiving_[request];
      protocol_->received(piece.message, piece.bytes);
      if (trace_ != nullptr) StepTrace::mark(trace_->receive_ended, piece.message);
      free_receiving_.push_back(request);
      continue;
    }
    const std::size_t slot = (request - receive_slots_) % send_slots_;
    const Slot& piece = sending_[slot];
    if (--sending_[slot].pending > 0) continue;
    protocol_->sent(piece.message, piece.bytes);
    if (trace_ != nullptr) StepTrace::mark(trace_->send_ended, piece.message);
    free_sending_.push_back(slot);
  }
  return count;
}

int StepExecutor::execute(StepData& data, bool can_send, bool can_receive) {
  begin(can_send, can_receive);
  return complete(data);
}

int StepExecutor::complete(StepData& data) {
  for (Patience patience;;) {
    switch (advance(data)) {
      case Advance::kMoved:
        patience = {};
        break;
      case Advance::kIdle:
        patience.look_again();
        break;
      case Advance::kOver:
        return without_data_;
    }
  }
}

void StepExecutor::begin(bool can_send, bool can_receive) {
  can_send_ = can_send;
  can_receive_ = can_receive;
  if (!can_receive && limits_.contiguous && !receive_buffer_) {
    // Somewhere to throw it away.
    receive_stride_ = limits_.chunk_bytes;
    receive_bytes_ = static_cast<std::int64_t>(receive_slots_) * receive_stride_;
    receive_buffer_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(receive_bytes_));
  }
  next_send_ = next_receive_ = {};
  without_data_ = -1;
  under_way_ = 0;
  working_ = can_send && can_receive;
  free_sending_.clear();
  free_receiving_.clear();
  for (std::size_t slot = send_slots_; slot-- > 0;) free_sending_.push_back(slot);
  for (std::size_t slot = receive_slots_; slot-- > 0;) free_receiving_.push_back(slot);
  if (trace_ != nullptr) trace_->reset();
  protocol_->begin(*this);
}

StepExecutor::Advance StepExecutor::advance(StepData& data) try {
  const bool arranged = protocol_->progress(*this);
  under_way_ += start_receives(data);
  // One piece at a time: MPI moves those under way only while it is called.
  const int started = start_send(data);
  under_way_ += started;
  const int finished = under_way_ > 0 ? finish(data) : 0;
  under_way_ -= finished;
  if (arranged || started > 0 || finished > 0) return Advance::kMoved;
  if (working_) {
    working_ = data.work();
    return Advance::kMoved;
  }
  const bool done = under_way_ == 0 && !more(sends_, next_send_) && !more(receives_, next_receive_);
  return done && protocol_->finish() ? Advance::kOver : Advance::kIdle;
} catch (...) {
  abandon();
  throw;
}

}  // namespace sluice::mpi::detail
