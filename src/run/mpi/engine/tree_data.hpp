#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "schedule/own_part.hpp"

namespace sluice::mpi::detail {

using sluice::detail::kAnyCount;

/// What is sent. If only the sender knows the size of a message, the message carries it, and a note.
struct TreeMessage {
  const std::byte* data = nullptr;
  std::int64_t count = 0;  ///< used for kAnyCount alone
  std::int64_t note = 0;   ///< used for kAnyCount alone: the receiver gets it unchanged
};

/// The places of messages, and what to do with them. `end`: a position in OwnPart::ends. The progress thread may call
/// incoming, outgoing, sent and welcome while arrived() of another message is running.
class TreeData {
 public:
  TreeData() = default;
  TreeData(const TreeData&) = delete;
  TreeData& operator=(const TreeData&) = delete;
  virtual ~TreeData() = default;

  /// The place for a message of `count` elements; it must last until arrived() has returned.
  virtual std::byte* incoming(std::size_t end, std::int64_t count, std::int64_t note) = 0;
  /// The message is there. `look`, empty if it need not be called, lets MPI make progress.
  virtual void arrived(std::size_t end, const std::function<void()>& look) = 0;
  /// What to send, asked for when all it waits for is done; the place must last until sent().
  virtual TreeMessage outgoing(std::size_t end) = 0;
  virtual void sent(std::size_t /*end*/) {}
  /// Any order only: whether this message could be used now.
  virtual bool welcome(std::size_t /*end*/) { return true; }
};

}  // namespace sluice::mpi::detail
