#include "timing/piece_windows.hpp"

#include <algorithm>

#include "schedule/pieces.hpp"

namespace sluice::detail {

PieceWindows::PieceWindows(const SimulatedMessages& messages)
    : graph_(messages.graph), messages_(messages.graph.size()) {
  const SimulatedPieces& pieces = *messages.pieces;
  std::int64_t hosts = 0;
  for (const MessageGraph::Message& each : graph_.messages)
    hosts = std::max<std::int64_t>({hosts, each.from + 1, each.to + 1});
  hosts_.assign(static_cast<std::size_t>(hosts),
                {{{}, 0, pieces.window}, {{}, 0, pieces.window + pieces.ahead}, EarlyRelease(pieces.early_bytes)});
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    const MessageGraph::Message& each = graph_.messages[i];
    if (!has(each)) continue;
    Message& message = messages_[i];
    message.longest = piece_bytes(each.bytes, pieces.chunk_bytes, pieces.granule);
    message.count = (each.bytes + message.longest - 1) / message.longest;
    message.received_at = host(each.to).receives.messages.size();
    host(each.from).sends.messages.push_back(i);
    host(each.to).receives.messages.push_back(i);
    host(each.to).release.add(each.bytes);
  }
  for (Host& each : hosts_) start_receives(each.receives);
}

std::int64_t PieceWindows::bytes_of(std::size_t message, std::int64_t piece) const {
  const std::int64_t longest = messages_[message].longest;
  return std::min(longest, graph_.messages[message].bytes - piece * longest);
}

void PieceWindows::permit(std::size_t message) {
  messages_[message].permitted = true;
  start_sends(host(graph_.messages[message].from).sends);
}

void PieceWindows::start(Side& side, std::int64_t Message::*started, std::int64_t Message::*at_other_end) {
  for (; side.next < side.messages.size(); ++side.next) {
    const std::size_t number = side.messages[side.next];
    Message& message = messages_[number];
    for (; message.*started < message.count; --side.free) {
      if (side.free == 0 || (started == &Message::sent && !message.permitted)) return;
      if (++(message.*started) <= message.*at_other_end) ready_.push_back(number);
    }
  }
}

std::optional<PieceWindows::Piece> PieceWindows::next() {
  if (ready_.empty()) return std::nullopt;
  const std::size_t message = ready_.front();
  ready_.pop_front();
  return Piece{message, bytes_of(message, messages_[message].begun++)};
}

bool PieceWindows::end(const Piece& piece) {
  const MessageGraph::Message& ends = graph_.messages[piece.message];
  Message& message = messages_[piece.message];
  ++message.ended;
  Host& sender = host(ends.from);
  Host& receiver = host(ends.to);
  receiver.release.received(message.received_at, piece.bytes);
  touched_.push_back(ends.to);
  ++receiver.receives.free;
  start_receives(receiver.receives);
  ++sender.sends.free;
  start_sends(sender.sends);
  return message.ended == message.count;
}

std::optional<std::size_t> PieceWindows::next_released() {
  while (!touched_.empty()) {
    Host& receiver = host(touched_.back());
    if (const std::optional<std::size_t> position = receiver.release.next())
      return receiver.receives.messages[*position];
    touched_.pop_back();
  }
  return std::nullopt;
}

}  // namespace sluice::detail
