#include "run/mpi/redistribute/packed_messages.hpp"

#include <utility>

namespace sluice::mpi::detail {

void PackedMessages::begin(Transport& data, const OwnSteps& own, Turns::Turn turn) {
  if (memory_ == nullptr) {
    buffer_bytes_ = own.sends.bytes() + own.receives.bytes();
    memory_.reset(new std::byte[static_cast<std::size_t>(buffer_bytes_)]);
  }
  data_ = &data;
  working_ = true;
  std::byte* next = memory_.get();
  const auto placed = [&](const OwnMessages::Whole& message, std::byte* in_place) {
    std::byte* const at = in_place != nullptr ? in_place : next;
    if (in_place == nullptr) next += message.bytes;
    return PlacedMessage{message.peer, at, message.bytes};
  };
  std::vector<PlacedMessage> from;
  for (std::size_t i = 0; i < own.sends.messages.size(); ++i) {
    const std::int64_t bytes = own.sends.messages[i].bytes;
    const std::byte* const in_place = data.outgoing(i, 0, bytes);
    from.push_back(placed(own.sends.messages[i], const_cast<std::byte*>(in_place)));
    if (in_place == nullptr) data.pack(i, 0, bytes, from.back().at);
  }
  to_.clear();
  in_place_.clear();
  for (std::size_t i = 0; i < own.receives.messages.size(); ++i) {
    std::byte* const in_place = data.incoming(i, 0, own.receives.messages[i].bytes);
    to_.push_back(placed(own.receives.messages[i], in_place));
    in_place_.push_back(in_place != nullptr);
  }
  exchange_.begin(from, to_, memory_, std::move(turn));
}

Advance PackedMessages::advance() {
  if (working_) {
    working_ = data_->work();
    return Advance::kMoved;
  }
  const Advance come = exchange_.advance();
  if (come != Advance::kOver) return come;
  for (std::size_t i = 0; i < to_.size(); ++i) {
    if (!in_place_[i]) data_->unpack(i, 0, to_[i].bytes, to_[i].at);
  }
  return come;
}

}  // namespace sluice::mpi::detail
