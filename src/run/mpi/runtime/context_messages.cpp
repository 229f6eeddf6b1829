/// The control messages of a context: how they are sent, heard and dealt out to channels.
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "run/mpi/runtime/channel.hpp"
#include "run/mpi/runtime/context.hpp"
#include "run/mpi/runtime/control_wire.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {

void Context::poll() {
  const std::scoped_lock lock(mutex_);
  poll_listening();
}

void Context::listen() {
  // All listen from the first look on, in turn, so that messages come in this order.
  for (std::size_t i = 0; i < kListening; ++i) {
    Incoming& each = incoming_[(next_ + i) % kListening];
    if (each.arrived || each.request != MPI_REQUEST_NULL) continue;
    SLUICE_MPI(MPI_Irecv(&each.wire, sizeof each.wire, MPI_BYTE, MPI_ANY_SOURCE, kControlTag, comm_, &each.request));
  }
}

void Context::poll_listening() {
  for (;;) {
    Incoming& incoming = incoming_[next_];
    if (!incoming.arrived) {
      listen();
      int done = 0;
      MPI_Status status;
      SLUICE_MPI(MPI_Test(&incoming.request, &done, &status));
      if (done == 0) return;
      arrive(incoming, status);
    }
    deal_out(incoming);  // once more by the next look, if there is no memory for it now
    incoming.arrived = false;
    next_ = (next_ + 1) % kListening;
  }
}

int Context::test_some(std::span<MPI_Request> requests, int& count, std::span<int> completed,
                       std::span<MPI_Status> statuses) {
  const std::scoped_lock lock(mutex_);
  if (incoming_[next_].arrived) poll_listening();
  listen();
  Incoming& next = incoming_[next_];
  requests.back() = next.request;
  const int code =
      MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &count, completed.data(), statuses.data());
  next.request = std::exchange(requests.back(), MPI_REQUEST_NULL);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return code;
  count = std::max(count, 0);  // MPI_UNDEFINED is negative, and cannot be, as one request is listening
  const auto own = static_cast<int>(requests.size()) - 1;
  const auto end = completed.begin() + count;
  const auto at = std::find(completed.begin(), end, own);
  if (at == end) return code;
  const auto place = at - completed.begin();
  arrive(next, statuses[static_cast<std::size_t>(place)]);
  std::copy(at + 1, end, at);
  std::copy(statuses.begin() + place + 1, statuses.begin() + count, statuses.begin() + place);
  --count;
  return code;
}

void Context::deal_out_arrived() {
  const std::scoped_lock lock(mutex_);
  if (incoming_[next_].arrived) poll_listening();
}

void Context::arrive(Incoming& incoming, const MPI_Status& status) {
  incoming.arrived = true;
  incoming.from = status.MPI_SOURCE;
  incoming.request = MPI_REQUEST_NULL;
}

void Context::deal_out(const Incoming& incoming) {
  const Wire& wire = incoming.wire;
  if (wire.control.kind == kGivenUp) {
    hear_failure(incoming.from, wire);
    told_.hear(wire.channel, incoming.from);
    if (wire.control.execution != 0) told_dead_.hear(wire.channel, incoming.from);
  } else if (wire.control.kind == kLetGo) {
    if (const auto open = live_.find(wire.channel); open != live_.end()) open->second->put_let_go(incoming.from);
  } else if (wire.control.kind == kSendsNoMore) {
    const auto open = live_.find(wire.channel);
    if (open != live_.end()) open->second->put_sends_no_more(incoming.from);
    const bool over = open != live_.end() ? open->second->withdrawn() : wire.channel < channels_;
    if (over) post_locked(incoming.from, wire.channel, {kLetGo});
  } else if (const auto open = live_.find(wire.channel); open != live_.end()) {
    open->second->put(incoming.from, wire.control);
  } else if (wire.channel >= channels_) {
    early_[wire.channel].messages.emplace_back(incoming.from, wire.control);
  }
}

bool Context::hear_by_memory() {
  if (!one_node() || !board_.connected()) return false;
  static_assert(sizeof(Wire) <= NoticeBoard::kMostFailureBytes);
  return board_.hear_failures([&](int from, std::span<const std::byte> word) {
    const std::scoped_lock lock(mutex_);
    Wire wire;
    std::ranges::copy(word, std::as_writable_bytes(std::span(&wire, 1)).begin());
    hear_failure(from, wire);
  });
}

void Context::send(int to, std::int64_t channel, const Control& control) {
  SLUICE_ASSERT(control.kind >= 0, "a control message of a kind that is the library's");
  post(to, channel, control);
}

void Context::tell_let_go(int to, std::int64_t channel) { post(to, channel, {kLetGo}); }
void Context::tell_sends_no_more(int to, std::int64_t channel) { post(to, channel, {kSendsNoMore}); }

void Context::post(int to, std::int64_t channel, const Control& control) {
  const std::scoped_lock lock(mutex_);
  post_locked(to, channel, control);
}

void Context::post_locked(int to, std::int64_t channel, const Control& control) {
  outgoing_.emplace_back();
  Outgoing& last = outgoing_.back();
  last.wire.channel = channel;
  last.wire.control = control;
  constexpr int kBytes = offsetof(Wire, closed_from);
  const int code = MPI_Isend(&last.wire, kBytes, MPI_BYTE, to, kControlTag, comm_, &last.request);
  if (code == MPI_SUCCESS) return;
  outgoing_.pop_back();
  throw MpiError("MPI_Isend", code);
}

bool Context::sent() {
  const std::scoped_lock lock(mutex_);
  while (!outgoing_.empty()) {
    int done = 0;
    SLUICE_MPI(MPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    outgoing_.pop_front();
  }
  return true;
}

}  // namespace sluice::mpi::detail
