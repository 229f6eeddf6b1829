#include "run/mpi/control_channel.hpp"

#include <fmt/format.h>

#include "run/mpi/waiting.hpp"
#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kControlTag = 1;
constexpr std::int64_t kAbandoned = -1;

}  // namespace

ControlChannel::ControlChannel(MPI_Comm comm, const char* work) : comm_(comm), work_(work) { listen(); }

ControlChannel::~ControlChannel() {
  int finalized = 0;
  // A destructor has nobody to tell about a failure.
  if (MPI_Finalized(&finalized) != MPI_SUCCESS || finalized != 0) return;
  if (request_ != MPI_REQUEST_NULL) {
    (void)MPI_Cancel(&request_);
    (void)MPI_Wait(&request_, MPI_STATUS_IGNORE);
  }
  // The others may never come to free it.
  if (abandoned_) comm_.leak();
}

void ControlChannel::listen() {
  SLUICE_MPI(MPI_Irecv(&incoming_, sizeof incoming_, MPI_BYTE, MPI_ANY_SOURCE, kControlTag, comm_.get(), &request_));
}

void ControlChannel::send(int rank, const Control& control) {
  SLUICE_ASSERT(control.kind >= 0, fmt::format("control of kind {}", control.kind));
  (void)sent();
  outgoing_.push_back({control, MPI_REQUEST_NULL});
  Outgoing& last = outgoing_.back();
  SLUICE_MPI(MPI_Isend(&last.control, sizeof last.control, MPI_BYTE, rank, kControlTag, comm_.get(), &last.request));
}

bool ControlChannel::sent() {
  while (!outgoing_.empty()) {
    int done = 0;
    SLUICE_MPI(MPI_Test(&outgoing_.front().request, &done, MPI_STATUS_IGNORE));
    if (done == 0) return false;
    outgoing_.pop_front();
  }
  return true;
}

std::optional<ControlChannel::Received> ControlChannel::poll() {
  if (kept_.empty()) return receive();
  const Received first = kept_.front();
  kept_.pop_front();
  return first;
}

void ControlChannel::look_for_abandonment() {
  while (const auto message = receive()) kept_.push_back(*message);
}

std::optional<ControlChannel::Received> ControlChannel::receive() {
  int done = 0;
  MPI_Status status;
  SLUICE_MPI(MPI_Test(&request_, &done, &status));
  if (done == 0) return std::nullopt;
  const Received received{status.MPI_SOURCE, incoming_};
  if (received.control.kind == kAbandoned) {
    ++stopped_;
    if (culprit_ < 0) culprit_ = static_cast<int>(received.control.rank);
    listen();
    throw MpiError(fmt::format("{} given up by rank {}", work_, culprit_), MPI_ERR_OTHER);
  }
  listen();
  return received;
}

void ControlChannel::abandon() noexcept {
  if (abandoned_) return;
  abandoned_ = true;
  if (culprit_ < 0) culprit_ = comm_.rank();
  goodbye_ = {kAbandoned, 0, culprit_, 0, 0};
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (rank == comm_.rank()) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    if (MPI_Isend(&goodbye_, sizeof goodbye_, MPI_BYTE, rank, kControlTag, comm_.get(), &request) == MPI_SUCCESS) {
      (void)MPI_Request_free(&request);
    }
  }
  const double deadline = MPI_Wtime() + 1;
  for (Patience patience; stopped_ < comm_.size() - 1 && MPI_Wtime() < deadline; patience.look_again()) {
    try {
      (void)receive();
    } catch (const MpiError& error) {
      if (error.code() != MPI_ERR_OTHER) return;
    }
  }
}

}  // namespace sluice::mpi::detail
