#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/leavers.hpp"
#include "run/mpi/runtime/node_room.hpp"
#include "run/mpi/runtime/shared_ring.hpp"

namespace sluice::mpi::detail {

/// The memory that the ranks of a context share on a node: blocks in the room of each rank's process (NodeRoom), which
/// the others find by their places. Nothing is collective after connect(), so a rank that fails leaves nobody waiting.
///
/// Where the system does not allow it, nothing is shared. This is said once on standard error.
///
/// A rank must know that another one has written before it reads: by a message of MPI, or by an atomic variable in
/// shared memory. In either case both sides need a fence (HostAtomics::fence).
///
/// Who may still use a block of this rank, and what tells that they have left:
///
/// | block | who was told | it is free when |
/// |---|---|---|
/// | home | all ranks, by connect() | all ranks have left the context |
/// | of a job, with rings | all ranks, by an agreement | all have come to a later agreement, and receivers have left |
/// | of a job that failed before all ranks knew its rings | perhaps some ranks | all ranks have left the context |
/// | told to nobody | nobody | at once |
///
/// A rank leaves a context when its arena is destroyed: after all of its jobs there, which hold the context.
class Arena {
 public:
  /// Where something lies in the room of a rank's process.
  struct Place {
    std::int64_t offset = 0;  ///< 0: nowhere

    /// In one number, 0 for nowhere.
    [[nodiscard]] std::uint64_t word() const { return static_cast<std::uint64_t>(offset); }
    [[nodiscard]] static Place of_word(std::uint64_t word) { return {static_cast<std::int64_t>(word)}; }
  };
  struct Block : NodeRoom::Block {
    [[nodiscard]] Place place() const { return {offset}; }
  };

  Arena() = default;
  /// Leaves the context.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Collective over the ranks of a node, `node`, in the order of the caller's numbering; this rank has number `rank`.
  /// Each gets a home of `home_bytes` zeros, which the others can read from then on. Throws MpiError.
  void connect(MPI_Comm node, int rank, std::int64_t home_bytes);

  /// Whether this rank shares memory with `rank`, which is another rank.
  [[nodiscard]] bool reaches(int rank) const;
  /// The ranks it shares memory with, in increasing order.
  [[nodiscard]] std::vector<int> reached() const;
  /// The home of this rank. @pre some rank is reached
  [[nodiscard]] std::byte* home() const { return home_.at + kHomeOffset; }
  /// The home of another rank that is reached.
  [[nodiscard]] std::byte* home_of(int rank) const;

  /// Aligned to a cache line; the contents are undefined. Throws std::bad_alloc.
  [[nodiscard]] Block allocate(std::int64_t bytes);
  /// Frees a block that no other rank was told of, or that all have read what they wanted of.
  void release(const Block& block) noexcept;
  /// Frees a block whose place was told in an agreement: when all ranks have come to another agreement, as a slow rank
  /// may not have looked there before, and all receivers of its `rings` have left them.
  void release_after(const Block& block, std::vector<SharedRing*> rings) noexcept;
  /// Frees a block whose users are unknown, when all ranks have left the context.
  void release_at_end(const Block& block) noexcept;
  /// How many blocks release_at_end() keeps.
  [[nodiscard]] std::size_t kept_until_end() const { return until_end_.size(); }
  /// All ranks have come to an agreement: each of them is done with what it does behind the one before.
  void note_agreement() noexcept;

  /// The address in this process of a place of another rank that is reached.
  [[nodiscard]] std::byte* find(int rank, const Place& place) const;

 private:
  static constexpr std::int64_t kHomeOffset = round_up(sizeof(Leavers));
  struct Neighbour {
    int rank = 0;
    std::uint64_t mark = 0;  ///< of the room
    std::int64_t bytes = 0;
    std::byte* at = nullptr;
    std::int64_t home = 0;  ///< its offset in the room
  };
  struct Waiting {
    Block block;
    std::vector<SharedRing*> rings;
  };

  [[nodiscard]] const Neighbour& neighbour(int rank) const;
  [[nodiscard]] Leavers* leavers() const { return reinterpret_cast<Leavers*>(home_.at); }

  std::vector<Neighbour> neighbours_;  ///< by rank
  Block home_;                         ///< the leavers, and from kHomeOffset on what the caller asked for
  std::vector<Waiting> waiting_;       ///< for the next agreement
  std::vector<NodeRoom::Block> until_end_;
};

}  // namespace sluice::mpi::detail
