#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::mpi::detail {

/// Memory that the ranks of a node share. Every rank allocates from segments of its own, which the others map when they
/// are told of a place there: nothing is collective after the constructor, so that a rank that fails leaves nobody
/// waiting.
///
/// A segment is a file in memory without a name (memfd_create), which the others open through /proc: it goes with the
/// last process that has it mapped, whatever happened. Where the system does not allow that, nothing is shared, which
/// is said once on standard error.
///
/// A rank must know that another one has written before it reads: by a message of MPI, or by an atomic variable in the
/// segment. In either case both sides need a fence (std::atomic_thread_fence).
class Arena {
 public:
  /// Where something lies in the arena, for every rank of the node.
  struct Place {
    std::int64_t segment = -1;  ///< of its owner; -1: nowhere
    std::int64_t offset = 0;

    /// In one number, 0 for nowhere: segments are fewer than 2^8, and shorter than 2^48.
    [[nodiscard]] std::uint64_t word() const {
      return (static_cast<std::uint64_t>(segment + 1) << kOffsetBits) | static_cast<std::uint64_t>(offset);
    }
    [[nodiscard]] static Place of_word(std::uint64_t word) {
      constexpr std::uint64_t kOffset = (std::uint64_t{1} << kOffsetBits) - 1;
      return {static_cast<std::int64_t>(word >> kOffsetBits) - 1, static_cast<std::int64_t>(word & kOffset)};
    }

   private:
    static constexpr int kOffsetBits = 48;
  };

  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Collective over the ranks of a node, `node`, which are in the order of the caller's numbering, in which this one
  /// is `rank`. Throws MpiError.
  void connect(MPI_Comm node, int rank);

  /// Whether this rank shares memory with that one, not the own.
  [[nodiscard]] bool reaches(int rank) const;

  /// The ranks it shares memory with, in increasing order.
  [[nodiscard]] std::vector<int> reached() const;

  struct Block {
    std::byte* at = nullptr;
    Place place;
    std::int64_t bytes = 0;
  };
  /// Aligned to a cache line; the contents are undefined. Throws std::bad_alloc.
  [[nodiscard]] Block allocate(std::int64_t bytes);
  /// Frees a block for reuse. No rank may read or write it any more.
  void release(const Block& block) noexcept;
  /// A number that lies in a block and that others write, and what it comes to when they have read what they want.
  struct Awaited {
    std::int64_t* number = nullptr;
    std::int64_t value = 0;
  };
  /// Frees a block whose place the others were told in an agreement: once each of `taken` has come to its value, and
  /// all ranks have agreed on something again, as a rank that is slow may not have looked there before.
  void release_after(const Block& block, std::vector<Awaited> taken) noexcept;
  /// All ranks have come to an agreement: each of them is done with what it does behind the one before.
  void note_agreement() { ++agreements_; }

  /// The address in this process of a place of another rank's segments. Throws std::runtime_error if the system refuses
  /// to map it.
  [[nodiscard]] std::byte* find(int rank, const Place& place);

 private:
  struct Segment {
    std::byte* at = nullptr;
    std::int64_t bytes = 0;
  };
  struct Neighbour {
    int rank = 0;
    pid_t process = 0;
    std::vector<Segment> segments;  ///< those mapped, up to the last of them; the first always is
  };
  struct Header;

  [[nodiscard]] bool add_segment(std::int64_t bytes);
  [[nodiscard]] std::byte* map(Neighbour& neighbour, std::int64_t segment);

  std::vector<Segment> own_;
  std::vector<int> files_;  ///< of the own segments
  std::vector<Neighbour> neighbours_;
  std::vector<Block> free_;
  std::int64_t agreements_ = 0;
  struct Taken {
    Block block;
    std::vector<Awaited> numbers;
    std::int64_t agreements = 0;  ///< when it was released
  };
  [[nodiscard]] bool is_free(const Taken& taken) const noexcept;
  std::vector<Taken> being_taken_;  ///< to be released
};

}  // namespace sluice::mpi::detail
