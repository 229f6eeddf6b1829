#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "run/mpi/runtime/leavers.hpp"
#include "run/mpi/runtime/shared_ring.hpp"

namespace sluice::mpi::detail {

/// The memory that a process shares with the other processes of its node. There is one room in a process, for all of
/// its communicators: a file in memory without a name (memfd_create), of a fixed size. The whole file is mapped at
/// once. The system provides its pages when blocks first need them.
///
/// Another process maps the whole room when the two come to a communicator that they share, and asks the system for
/// nothing later. What it has mapped lasts until it unmaps it, even if this process has ended. So the one question is
/// when a block may be written for another purpose: when every rank that was told of it has left it. Who leaves says so
/// in memory that the two share, and reads nothing there afterwards (SharedRing, Leavers). The owner looks for that
/// when it needs memory; nobody waits.
///
/// The pages in use are limited: to a quarter of the node's memory, divided by the number of its processors or, if that
/// is larger, of its ranks; and to 1 GiB. What does not fit is refused (std::bad_alloc).
///
/// A process that is forked from this one has private copies of these addresses, filled with zeros: what its
/// destructors do there reaches nobody (forked_child).
class NodeRoom {
 public:
  /// What another process needs to map the room.
  struct Card {
    std::int64_t process = 0;
    std::int64_t file = -1;  ///< its descriptor there; -1 if the program has closed it
    std::int64_t device = 0;
    std::int64_t inode = 0;
    std::int64_t bytes = 0;
    std::uint64_t mark = 0;  ///< of the room; the room begins with it
  };
  /// A part of the room of this process.
  struct Block {
    std::byte* at = nullptr;
    std::int64_t offset = 0;  ///< in the room; never 0
    std::int64_t bytes = 0;
  };

  /// The room of this process. It is never destroyed.
  [[nodiscard]] static NodeRoom& of_process();

  NodeRoom() = default;
  NodeRoom(const NodeRoom&) = delete;
  NodeRoom& operator=(const NodeRoom&) = delete;

  /// The card of this room, which the first call makes. `ranks`: ranks on this node. Throws std::runtime_error with the
  /// reason if the system refuses the memory.
  [[nodiscard]] Card card(int ranks);
  /// The address of another process's room, mapped unless it is already; to be unmapped as often. Throws
  /// std::runtime_error with the reason.
  [[nodiscard]] std::byte* map(const Card& other);
  void unmap(std::uint64_t mark) noexcept;

  /// Aligned to a cache line; the contents are undefined. Throws std::bad_alloc.
  [[nodiscard]] Block allocate(std::int64_t bytes);
  /// Frees a block that no other rank may read or write any more.
  void release(const Block& block) noexcept;
  /// Frees a block when all receivers of its rings have left them. `context`: whose ranks were told of the block.
  void release_when_left(const Block& block, std::vector<SharedRing*> rings, const Leavers* context) noexcept;
  /// This process has left a context: frees its blocks, and those that release_when_left has for it, when all `ranks`
  /// other ranks have left it, too. `context` lies in one of the blocks.
  void end_context(Leavers* context, std::int64_t ranks, std::span<const Block> blocks) noexcept;

  /// Bytes whose pages the system has been asked for.
  [[nodiscard]] std::int64_t held_bytes();
  /// Limits the pages in use, for tests; they are never fewer than those in use already.
  void limit(std::int64_t bytes);

 private:
  struct Peer {
    std::byte* at = nullptr;
    std::int64_t bytes = 0;
    std::int64_t users = 0;
  };
  struct InUse {
    Block block;
    std::vector<SharedRing*> rings;
    const Leavers* context = nullptr;
  };
  struct Ended {
    Leavers* context = nullptr;
    std::int64_t ranks = 0;
    std::vector<Block> blocks;
  };
  friend struct ForkHandlers;

  void make(int ranks);
  [[nodiscard]] bool is_own_file() const;
  /// Asks for the pages from reserved_ to `end`. Returns whether the system provides them.
  [[nodiscard]] bool reserve(std::int64_t end);
  void put_back(const Block& block) noexcept;
  void reap() noexcept;
  void trim() noexcept;

  std::mutex mutex_;
  int file_ = -1;
  std::int64_t device_ = 0;
  std::int64_t inode_ = 0;
  std::uint64_t mark_ = 0;
  std::byte* at_ = nullptr;
  std::int64_t bytes_ = 0;               ///< of the file
  std::int64_t reserved_ = 0;            ///< the system has been asked for the pages before this offset
  std::int64_t budget_ = 0;              ///< reserved_ is at most this
  std::vector<Block> free_;              ///< by offset; no two of them meet
  std::list<InUse> in_use_;              ///< to be freed when rings have been left
  std::list<Ended> ended_;               ///< to be freed when contexts have been left
  std::map<std::uint64_t, Peer> peers_;  ///< by mark
};

/// Whether this process was forked from one that has a room: it must call no MPI.
[[nodiscard]] bool forked_child() noexcept;

}  // namespace sluice::mpi::detail
