#include "run/mpi/step_executor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::mpi::detail {
namespace {

constexpr int kDataTag = 1;
constexpr int kNoDataTag = 2;
constexpr std::int64_t kAlignment = 64;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

}  // namespace

StepExecutor::StepExecutor(MPI_Comm comm, std::vector<StepMessage> sends, std::vector<StepMessage> receives,
                           const Limits& limits)
    : comm_(comm),
      sends_(std::move(sends)),
      receives_(std::move(receives)),
      limits_(limits),
      receive_slots_(slots_for(receives_)),
      send_slots_(slots_for(sends_)),
      receive_stride_(round_up(longest_piece(receives_), kAlignment)),
      send_stride_(round_up(longest_piece(sends_), kAlignment)),
      buffer_bytes_(static_cast<std::int64_t>(receive_slots_) * receive_stride_ +
                    static_cast<std::int64_t>(send_slots_) * send_stride_),
      buffers_(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(buffer_bytes_))),
      slots_(receive_slots_ + send_slots_),
      requests_(slots_.size(), MPI_REQUEST_NULL),
      statuses_(slots_.size()),
      completed_(slots_.size()) {
  free_.reserve(send_slots_);
}

std::int64_t StepExecutor::piece_bytes(std::int64_t message_bytes) const {
  // Pieces of about one size: a short one at the end would wait as long as a full one for its turn.
  const std::int64_t granule = limits_.granule <= limits_.chunk_bytes ? limits_.granule : 1;
  const std::int64_t longest = limits_.chunk_bytes / granule * granule;
  const std::int64_t pieces = message_bytes / longest + (message_bytes % longest != 0);
  return std::min(longest, round_up(message_bytes / pieces + (message_bytes % pieces != 0), granule));
}

std::size_t StepExecutor::slots_for(const std::vector<StepMessage>& messages) const {
  std::int64_t pieces = 0;
  for (const StepMessage& message : messages) {
    if (message.bytes == 0) continue;
    const std::int64_t piece = piece_bytes(message.bytes);
    pieces += std::min<std::int64_t>(limits_.window, message.bytes / piece + (message.bytes % piece != 0));
    if (pieces >= limits_.window) return static_cast<std::size_t>(limits_.window);
  }
  return static_cast<std::size_t>(pieces);
}

std::int64_t StepExecutor::longest_piece(const std::vector<StepMessage>& messages) const {
  std::int64_t longest = 0;
  for (const StepMessage& message : messages) {
    if (message.bytes > 0) longest = std::max(longest, piece_bytes(message.bytes));
  }
  return longest;
}

bool StepExecutor::next(const std::vector<StepMessage>& messages, Position& at, Slot& slot) const {
  while (at.message < messages.size() && at.offset == messages[at.message].bytes) at = {at.message + 1, 0};
  if (at.message == messages.size()) return false;
  const std::int64_t bytes = messages[at.message].bytes;
  slot = {at.message, at.offset, std::min(piece_bytes(bytes), bytes - at.offset), false};
  at.offset += slot.bytes;
  return true;
}

bool StepExecutor::start_send(std::size_t slot, StepData& data, bool can_send) {
  Slot& piece = slots_[slot];
  if (!next(sends_, next_send_, piece)) return false;
  const int peer = sends_[piece.message].peer;
  if (!can_send) {
    SLUICE_MPI(MPI_Isend(nullptr, 0, MPI_BYTE, peer, kNoDataTag, comm_, &requests_[slot]));
    return true;
  }
  const std::byte* memory = data.outgoing(piece.message, piece.offset, piece.bytes);
  if (memory == nullptr) {
    std::byte* buffer = buffers_.get() + static_cast<std::int64_t>(receive_slots_) * receive_stride_ +
                        static_cast<std::int64_t>(slot - receive_slots_) * send_stride_;
    data.pack(piece.message, piece.offset, piece.bytes, buffer);
    memory = buffer;
  }
  SLUICE_MPI(
      MPI_Isend(memory, static_cast<int>(piece.bytes), MPI_BYTE, peer, kDataTag, comm_, &requests_[slot]));
  return true;
}

bool StepExecutor::start_receive(std::size_t slot, StepData& data, bool can_receive) {
  Slot& piece = slots_[slot];
  if (!next(receives_, next_receive_, piece)) return false;
  std::byte* memory = can_receive ? data.incoming(piece.message, piece.offset, piece.bytes) : nullptr;
  piece.direct = memory != nullptr;
  if (memory == nullptr) memory = buffers_.get() + static_cast<std::int64_t>(slot) * receive_stride_;
  // Any tag: instead of the data a rank may say that it has none.
  SLUICE_MPI(MPI_Irecv(memory, static_cast<int>(piece.bytes), MPI_BYTE, receives_[piece.message].peer, MPI_ANY_TAG,
                       comm_, &requests_[slot]));
  return true;
}

void StepExecutor::finish_receive(std::size_t slot, const MPI_Status& status, StepData& data, bool can_receive) {
  const Slot& piece = slots_[slot];
  if (status.MPI_TAG == kNoDataTag) {
    without_data_ = receives_[piece.message].peer;
    return;
  }
  int bytes = 0;
  SLUICE_MPI(MPI_Get_count(&status, MPI_BYTE, &bytes));
  SLUICE_ASSERT(bytes == piece.bytes, fmt::format("{} bytes from rank {}, {} due at offset {}", bytes,
                                                  receives_[piece.message].peer, piece.bytes, piece.offset));
  if (piece.direct || !can_receive) return;
  data.unpack(piece.message, piece.offset, piece.bytes,
              buffers_.get() + static_cast<std::int64_t>(slot) * receive_stride_);
}

int StepExecutor::completed(bool wait) {
  int count = 0;
  const auto requests = static_cast<int>(requests_.size());
  const int code = wait ? MPI_Waitsome(requests, requests_.data(), &count, completed_.data(), statuses_.data())
                        : MPI_Testsome(requests, requests_.data(), &count, completed_.data(), statuses_.data());
  if (code == MPI_ERR_IN_STATUS) {
    for (int i = 0; i < count; ++i) {
      const int error = statuses_[static_cast<std::size_t>(i)].MPI_ERROR;
      if (error == MPI_SUCCESS || error == MPI_ERR_PENDING) continue;
      const bool receive = static_cast<std::size_t>(completed_[static_cast<std::size_t>(i)]) < receive_slots_;
      throw MpiError(receive ? "MPI_Irecv" : "MPI_Isend", error);
    }
  }
  if (code != MPI_SUCCESS) throw MpiError(wait ? "MPI_Waitsome" : "MPI_Testsome", code);
  return count == MPI_UNDEFINED ? 0 : count;  // undefined: nothing is under way
}

int StepExecutor::execute(StepData& data, bool can_send, bool can_receive) {
  next_send_ = next_receive_ = {};
  without_data_ = -1;
  free_.clear();
  for (std::size_t slot = slots_.size(); slot-- > receive_slots_;) free_.push_back(slot);
  std::size_t under_way = 0;
  for (std::size_t slot = 0; slot < receive_slots_; ++slot) under_way += start_receive(slot, data, can_receive);

  bool sending = true;
  bool working = can_send && can_receive;
  while (true) {
    bool idle = true;
    // One piece at a time: MPI moves those under way only while it is called.
    if (sending && !free_.empty()) {
      if (start_send(free_.back(), data, can_send)) {
        free_.pop_back();
        ++under_way;
        idle = false;
      } else {
        sending = false;
      }
    }
    if (under_way == 0) {
      if (!working) return without_data_;
      working = data.work();
      continue;
    }
    const int count = completed(idle && !working);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const auto slot = static_cast<std::size_t>(completed_[i]);
      --under_way;
      if (slot >= receive_slots_) {
        free_.push_back(slot);
        continue;
      }
      finish_receive(slot, statuses_[i], data, can_receive);
      under_way += start_receive(slot, data, can_receive);
    }
    if (count == 0 && idle && working) working = data.work();
  }
}

}  // namespace sluice::mpi::detail
