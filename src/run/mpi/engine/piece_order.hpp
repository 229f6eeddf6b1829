#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "schedule/own_part.hpp"
#include "schedule/pieces.hpp"

namespace sluice::mpi::detail {

/// A message of this rank, as an end of its part.
struct StepMessage {
  int peer = 0;  ///< rank of the communicator; the own rank only if nothing is shared with it (OrderedCarrier::connect)
  std::int64_t bytes = 0;
  std::size_t end = 0;  ///< its name for the Data
};

/// The messages that a lane of `part` sends, or that it receives, in their order.
[[nodiscard]] inline std::vector<StepMessage> step_messages(const sluice::detail::OwnPart& part, bool sends,
                                                            std::uint8_t lane = 0) {
  std::vector<StepMessage> result;
  for (const std::uint32_t end : ends_of(part, sends, lane))
    result.push_back({part.ends[end].peer, part.ends[end].count, end});
  return result;
}

/// The pieces of a list of messages in the order of sending: message by message, or in rounds, the first piece of each
/// message before the second one of any.
class PieceOrder {
 public:
  struct Piece {
    std::size_t message = 0;
    std::int64_t offset = 0;
    std::int64_t bytes = 0;
  };

  /// `messages` must stay, and may grow at its end if there are no rounds.
  PieceOrder(const std::vector<StepMessage>& messages, std::int64_t chunk_bytes, std::int64_t granule, bool rounds)
      : messages_(&messages), chunk_bytes_(chunk_bytes), granule_(granule), in_rounds_(rounds) {
    if (!in_rounds_) return;
    for (const StepMessage& message : messages) rounds_ = std::max(rounds_, pieces_of(message));
  }

  /// How many pieces there are, or `most` if they are more.
  [[nodiscard]] std::int64_t count(std::int64_t most) const {
    std::int64_t pieces = 0;
    for (const StepMessage& message : *messages_) {
      if (pieces >= most) break;
      pieces += pieces_of(message);
    }
    return std::min(pieces, most);
  }
  /// Bytes of the longest piece; 0 if there is none.
  [[nodiscard]] std::int64_t longest() const {
    std::int64_t bytes = 0;
    for (const StepMessage& message : *messages_) {
      if (message.bytes > 0) bytes = std::max(bytes, piece_bytes(message.bytes));
    }
    return bytes;
  }

  /// Back to the first piece.
  void restart() { at_ = {}; }
  /// Passes over what has no piece to give; whether there is a next one.
  bool more() {
    if (in_rounds_) return more_in_rounds();
    while (at_.message < messages_->size() && at_.offset == bytes()) at_ = {at_.message + 1, 0};
    return at_.message < messages_->size();
  }
  /// The message of the next piece, and whether it is the first one of it. @pre more()
  [[nodiscard]] std::size_t message() const { return at_.message; }
  [[nodiscard]] bool at_start() const { return at_.offset == 0; }
  /// The next piece. @pre more()
  Piece next() {
    const Piece piece{at_.message, at_.offset, std::min(piece_bytes(bytes()), bytes() - at_.offset)};
    if (in_rounds_) {
      ++at_.message;
      at_.offset = kUnknown;
    } else {
      at_.offset += piece.bytes;
    }
    return piece;
  }

 private:
  static constexpr std::int64_t kUnknown = -1;
  struct Place {
    std::size_t message = 0;
    std::int64_t offset = 0;
    std::int64_t round = 0;
  };

  /// @pre the message is not empty
  [[nodiscard]] std::int64_t piece_bytes(std::int64_t message_bytes) const {
    return sluice::detail::piece_bytes(message_bytes, chunk_bytes_, granule_);
  }
  [[nodiscard]] std::int64_t pieces_of(const StepMessage& message) const {
    return message.bytes == 0 ? 0 : (message.bytes - 1) / piece_bytes(message.bytes) + 1;
  }
  [[nodiscard]] std::int64_t bytes() const { return (*messages_)[at_.message].bytes; }
  bool more_in_rounds() {
    for (; at_.round < rounds_; at_ = {0, kUnknown, at_.round + 1}) {
      for (; at_.message < messages_->size(); ++at_.message, at_.offset = kUnknown) {
        if (bytes() == 0) continue;
        if (at_.offset == kUnknown) at_.offset = at_.round * piece_bytes(bytes());
        if (at_.offset < bytes()) return true;
      }
    }
    return false;
  }

  const std::vector<StepMessage>* messages_;
  std::int64_t chunk_bytes_;
  std::int64_t granule_;
  bool in_rounds_;
  std::int64_t rounds_ = 0;
  Place at_;
};

}  // namespace sluice::mpi::detail
