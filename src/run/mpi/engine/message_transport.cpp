#include "run/mpi/engine/message_transport.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "run/mpi/runtime/check_test_some.hpp"
#include "run/mpi/runtime/element_layout.hpp"
#include "run/mpi/runtime/withdraw.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

/// MPI counts in int.
constexpr std::int64_t kMostBytesAtOnce = 1 << 30;

}  // namespace

MessageTransport::MessageTransport(Channel& channel, MPI_Datatype type)
    : channel_(channel), type_(type), memory_(std::make_shared<Memory>()) {
  leftover_.push_back({{}, memory_});
  const ElementLayout layout(type);
  extent_ = layout.extent;
  size_ = std::max<std::int64_t>(layout.size, 1);
}

void MessageTransport::send(std::size_t end, int to, std::int64_t count) {
  Active active;
  active.send = true;
  active.end = end;
  active.peer = to;
  active.count = count == kAnyCount ? memory_->data->sent_count(end) : count;
  active.from = memory_->data->outgoing(end, 0, active.count);
  if (count == kAnyCount) {
    active.envelope = take_envelope();
    Envelope& envelope = memory_->envelopes[active.envelope];
    envelope.count = active.count;
    active.begun = std::min(active.count, Envelope::kRoom);
    memory_->data->pack(end, 0, active.begun, envelope.data.data());
    add(active);
    const std::int64_t bytes = static_cast<std::int64_t>(sizeof(Envelope)) - Envelope::kRoom + active.begun;
    SLUICE_MPI(MPI_Isend(&envelope, static_cast<int>(bytes), MPI_BYTE, to, channel_.tag(Tag::kData), channel_.comm(),
                         &requests_.back()));
  } else {
    add(active);
    next_piece(requests_.size() - 1);
  }
  in_pieces_ += active_.back().in_pieces() ? 1 : 0;
}

void MessageTransport::receive(std::size_t end, int from, std::int64_t count) {
  Active active;
  active.end = end;
  active.peer = from;
  if (count == kAnyCount) {
    active.opened = false;
    active.envelope = take_envelope();
    add(active);
    SLUICE_MPI(MPI_Irecv(&memory_->envelopes[active.envelope], sizeof(Envelope), MPI_BYTE, from,
                         channel_.tag(Tag::kData), channel_.comm(), &requests_.back()));
  } else {
    active.count = count;
    active.to = memory_->data->incoming(end, 0, count);
    add(active);
    next_piece(requests_.size() - 1);
  }
  in_pieces_ += active_.back().in_pieces() ? 1 : 0;
}

bool MessageTransport::in_pieces(bool send, int peer) const {
  return in_pieces_ > 0 && std::ranges::any_of(active_, [&](const Active& active) {
           return active.send == send && active.peer == peer && active.in_pieces();
         });
}

bool MessageTransport::finish(Ends& ends) {
  requests_.push_back(MPI_REQUEST_NULL);  // for the channel
  completed_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  const int code = channel_.test_some(requests_, count, completed_, statuses_);
  requests_.pop_back();
  check_test_some(code, std::span(completed_).first(static_cast<std::size_t>(count)), statuses_,
                  [&](std::size_t request) { return active_[request].send; });
  for (int i = 0; i < count; ++i) go_on(static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]), ends);
  remove_ended();
  return count > 0;
}

void MessageTransport::wait(Ends& ends) {
  int at = 0;
  SLUICE_MPI(MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &at, MPI_STATUS_IGNORE));
  if (at != MPI_UNDEFINED) go_on(static_cast<std::size_t>(at), ends);
  remove_ended();
}

bool MessageTransport::look_at_one(Ends& ends) {
  std::vector<int> senders;
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (active_[i].send || std::ranges::find(senders, active_[i].peer) != senders.end()) continue;
    senders.push_back(active_[i].peer);
    first.push_back(i);
  }
  if (first.empty()) return false;
  const std::size_t next = first[looks_++ % first.size()];
  int done = 0;
  SLUICE_MPI(MPI_Test(&requests_[next], &done, MPI_STATUS_IGNORE));
  if (done != 0) go_on(next, ends);
  remove_ended();
  return true;
}

void MessageTransport::go_on(std::size_t at, Ends& ends) {
  requests_[at] = MPI_REQUEST_NULL;
  Active& active = active_[at];
  in_pieces_ -= active.in_pieces() ? 1 : 0;
  if (!active.opened) {
    active.opened = true;
    const Envelope& envelope = memory_->envelopes[active.envelope];
    active.count = envelope.count;
    active.begun = std::min(envelope.count, Envelope::kRoom);
    memory_->data->expect(active.end, active.count);
    active.to = memory_->data->incoming(active.end, 0, active.count);
    memory_->data->unpack(active.end, 0, active.begun, envelope.data.data());
    give_back(std::exchange(active.envelope, kNoEnvelope));
  }
  if (active.begun < active.count) {
    next_piece(at);
    in_pieces_ += active.in_pieces() ? 1 : 0;
    return;
  }
  const std::int64_t bytes = active.count * size_;
  if (active.send) {
    if (active.envelope != kNoEnvelope) give_back(active.envelope);
    ends.sent(active.end, bytes);
  } else {
    ends.received(active.end, bytes);
  }
}

void MessageTransport::next_piece(std::size_t at) {
  Active& active = active_[at];
  const std::int64_t count = std::min(active.count - active.begun, std::max<std::int64_t>(1, kMostBytesAtOnce / size_));
  const std::int64_t offset = active.begun * extent_;
  if (active.send) {
    SLUICE_MPI(MPI_Isend(active.from + offset, static_cast<int>(count), type_, active.peer, channel_.tag(Tag::kData),
                         channel_.comm(), &requests_[at]));
  } else {
    SLUICE_MPI(MPI_Irecv(active.to + offset, static_cast<int>(count), type_, active.peer, channel_.tag(Tag::kData),
                         channel_.comm(), &requests_[at]));
  }
  active.begun += count;
}

void MessageTransport::add(const Active& active) {
  active_.push_back(active);
  requests_.push_back(MPI_REQUEST_NULL);
}

void MessageTransport::remove_ended() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    active_[kept++] = active_[i];
  }
  requests_.resize(kept);
  active_.resize(kept);
}

std::size_t MessageTransport::take_envelope() {
  if (free_envelopes_.empty()) {
    free_envelopes_.push_back(memory_->envelopes.size());
    memory_->envelopes.emplace_back();
  }
  const std::size_t envelope = free_envelopes_.back();
  free_envelopes_.pop_back();
  return envelope;
}

Withdrawn MessageTransport::withdrawn(bool running) noexcept {
  std::int64_t bytes = 0;
  for (const Active& active : active_) bytes += std::max<std::int64_t>(active.count, 0) * size_;
  Withdrawn withdrawn;
  withdrawn.requests = requests_;
  withdrawn.peer = [this](std::size_t i) { return i < active_.size() ? active_[i].peer : MPI_PROC_NULL; };
  withdrawn.is_receive = [this](std::size_t i) { return i < active_.size() && !active_[i].send; };
  withdrawn.bytes = bytes;
  withdrawn.leftover = running ? &leftover_ : nullptr;
  return withdrawn;
}

}  // namespace sluice::mpi::detail
