#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "schedule/early_release.hpp"
#include "timing/message_sequence.hpp"

namespace sluice::detail {

/// The pieces of messages under way, as in jobs (OrderedCarrier, run/mpi/engine/ordered_carrier.hpp). Each host starts
/// the pieces that it sends in the order of its messages, a window of them at a time. It posts receives of the pieces
/// that it gets likewise. A piece is under way once both have happened. Knows no time.
///
/// It leaves out messages of no bytes, messages from a host to itself, which no job sends, and words.
class PieceWindows {
 public:
  /// Keeps a reference. @pre messages.pieces is set
  explicit PieceWindows(const SimulatedMessages& messages);

  struct Piece {
    std::size_t message = 0;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] static bool has(const MessageGraph::Message& message) {
    return message.kind != MessageKind::kWord && message.bytes > 0 && message.from != message.to;
  }
  /// The first piece of `message` may start when the message is the next one of its sender.
  void permit(std::size_t message);
  /// A piece that is under way from now on; none if no other one can be.
  [[nodiscard]] std::optional<Piece> next();
  /// Whether it was the last of its message. @pre it is under way
  bool end(const Piece& piece);
  /// A message whose receiver now lets later ones begin (EarlyRelease); each once, and none before a piece of it has
  /// ended.
  [[nodiscard]] std::optional<std::size_t> next_released();

 private:
  /// The messages of a host in one direction.
  struct Side {
    std::vector<std::size_t> messages;
    std::size_t next = 0;  ///< position of the first with pieces to start
    int free = 0;          ///< pieces that may be started before one ends
  };
  struct Host {
    Side sends;
    Side receives;
    EarlyRelease release;  ///< of the messages that it receives, by their positions
  };
  /// By pieces.
  struct Message {
    std::int64_t longest = 0;
    std::int64_t count = 0;
    std::int64_t sent = 0;    ///< started at the sender
    std::int64_t posted = 0;  ///< at the receiver
    std::int64_t begun = 0;
    std::int64_t ended = 0;
    bool permitted = false;
    std::size_t received_at = 0;  ///< its position among the messages of its receiver
  };

  Host& host(std::int64_t number) { return hosts_[static_cast<std::size_t>(number)]; }
  void start_sends(Side& side) { start(side, &Message::sent, &Message::posted); }
  void start_receives(Side& side) { start(side, &Message::posted, &Message::sent); }
  /// Starts the pieces of one end of the messages that its window and the permissions to send allow.
  void start(Side& side, std::int64_t Message::*started, std::int64_t Message::*at_other_end);
  /// The bytes of the piece with this number.
  [[nodiscard]] std::int64_t bytes_of(std::size_t message, std::int64_t piece) const;

  const MessageGraph& graph_;
  std::vector<Host> hosts_;
  std::vector<Message> messages_;
  std::deque<std::size_t> ready_;      ///< messages, once for each piece that may be under way
  std::vector<std::int64_t> touched_;  ///< receivers that got a piece since they were asked for releases
};

}  // namespace sluice::detail
