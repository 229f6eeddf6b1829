#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sluice::mpi::detail {

/// For messages whose size only the sender knows: they carry it, and a note.
inline constexpr std::int64_t kAnyCount = -1;

/// What a send of kAnyCount brings along.
struct TreeMessage {
  const std::byte* data = nullptr;
  std::int64_t count = 0;  ///< used for kAnyCount alone
  std::int64_t note = 0;   ///< used for kAnyCount alone: the receiver gets it unchanged
};

/// The places of messages, and what to do with them. Receives and sends are named by their position. The progress
/// thread may call incoming, outgoing, sent and welcome while arrived() of another message is running.
class TreeData {
 public:
  TreeData() = default;
  TreeData(const TreeData&) = delete;
  TreeData& operator=(const TreeData&) = delete;
  virtual ~TreeData() = default;

  /// The place for a message of `count` elements; it must last until arrived() has returned.
  virtual std::byte* incoming(std::size_t receive, std::int64_t count, std::int64_t note) = 0;
  /// The message is there. `look`, empty if it need not be called, lets MPI make progress.
  virtual void arrived(std::size_t receive, const std::function<void()>& look) = 0;
  /// What to send, asked for when all it waits for is done; the place must last until sent().
  virtual TreeMessage outgoing(std::size_t send) = 0;
  virtual void sent(std::size_t /*send*/) {}
  /// Any order only: whether this message could be used now.
  virtual bool welcome(std::size_t /*receive*/) { return true; }
};

}  // namespace sluice::mpi::detail
