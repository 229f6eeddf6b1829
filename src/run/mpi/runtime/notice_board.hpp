#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/cache_line.hpp"

namespace sluice::mpi::detail {

/// A few numbers that each rank of a node writes where the others can read them. Ranks that share memory agree on
/// numbers in this way without messages, within the time in which each of them gets a time slice on a core. Ranks also
/// tell each other of failures here.
///
/// A rank writes its numbers for one agreement after the other into a ring. Every rank that takes part in an agreement
/// reads the numbers of all, so no rank is more than one agreement ahead of another, unless agreements in between were
/// given up. A notice that a rank still needs is overwritten only after a whole ring of such agreements
/// (Notice::kLost).
class NoticeBoard {
  struct Ring;

 public:
  static constexpr std::size_t kWords = 11;
  /// With more ranks, reading all notices takes longer than a few rounds of messages.
  static constexpr std::size_t kMostRanks = 64;

  /// What the numbers are about.
  struct Subject {
    std::int64_t channel = 0;
    std::int64_t round = 0;  ///< of the channel
  };

  /// The home that each rank needs in the arena.
  [[nodiscard]] static std::int64_t home_bytes() { return sizeof(Ring); }
  /// Local; after the arena is connected, on all ranks of the node.
  void connect(const Arena& arena);
  /// Whether this rank can read the notices of all ranks of the node; the same on all of its ranks.
  [[nodiscard]] bool connected() const { return own_ != nullptr; }

  /// At most kWords.
  void put_up(const Subject& subject, std::span<const std::uint64_t> numbers);

  enum class Notice { kNotYet, kThere, kLost };
  /// Reads the notice of the other rank number `other` of the node, counted from 0 in increasing order, and replaces
  /// each of `numbers` by the number there if that is larger. To be called with the same subject after put_up until it
  /// returns something else than kNotYet.
  [[nodiscard]] Notice read(std::size_t other, const Subject& subject, std::span<std::uint64_t> numbers);
  [[nodiscard]] std::size_t others() const { return others_.size(); }
  [[nodiscard]] int rank_of(std::size_t other) const { return others_[other].rank; }

  /// The most bytes of a word of failure.
  static constexpr std::size_t kMostFailureBytes = 512;
  /// Puts up a word of failure. The others hear it by their next hear_failures(), whether or not MPI has moved a
  /// message meanwhile. Without effect where the board is not connected.
  void tell_failure(std::span<const std::byte> word);
  /// Calls `hear(rank, word)` for each word that another rank has told since the last call, in the order of that rank.
  /// Returns false if a rank has told so many meanwhile that some were overwritten.
  template <class Hear>
  [[nodiscard]] bool hear_failures(Hear&& hear) {
    bool all = true;
    for (Other& other : others_) {
      std::int64_t told = std::atomic_ref(other.ring->told).load(std::memory_order_acquire);
      for (; other.heard < told; ++other.heard) {
        ToldFailure word;
        if (!read_failure(*other.ring, other.heard, word)) {
          all = false;
          continue;
        }
        hear(other.rank, std::as_bytes(std::span(word.data)).first(static_cast<std::size_t>(word.bytes)));
      }
    }
    return all;
  }

  /// While it lives, this rank looks for words of failure and then starts a collective of MPI's own. Whoever leaves a
  /// collective tells so first, and then waits for those ranks that are at a beginning (others_at_beginning).
  ///
  /// The one writes that it begins, has a fence, and looks for words; the other puts up a word, has a fence, and looks
  /// who begins. So at least one of the two sees the other (as in Dekker's algorithm): a rank that did not hear the
  /// word is seen by the rank that told it, and no rank starts a collective unseen that another one has left.
  class Beginning {
   public:
    explicit Beginning(NoticeBoard& board);
    ~Beginning();
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

   private:
    Ring* ring_;
  };
  [[nodiscard]] bool others_at_beginning() const;

 private:
  static constexpr std::size_t kRing = 32;
  /// Zeros are a good one, with nothing put up. In lines of its own, as all that a rank reads of others costs it a line
  /// that they have written.
  struct alignas(kCacheLine) Slot {
    std::int64_t count = 0;  ///< notices of the rank up to this one; 0 while it is written, and set last
    std::int64_t channel = 0;
    std::int64_t round = 0;
    std::array<std::uint64_t, kWords> numbers{};
  };
  static constexpr std::size_t kFailuresKept = 8;
  struct ToldFailure {
    std::int64_t bytes = 0;
    std::array<std::uint64_t, kMostFailureBytes / sizeof(std::uint64_t)> data{};
  };
  struct Ring {
    alignas(kCacheLine) std::int64_t put_up = 0;  ///< so far
    alignas(kCacheLine) std::int64_t told = 0;    ///< words of failure, so far
    std::int64_t beginning = 0;                   ///< 1 while its rank is at a beginning
    std::array<Slot, kRing> slots;
    std::array<ToldFailure, kFailuresKept> failures;

    /// Where the notice of that number, from 0 on, stands.
    [[nodiscard]] Slot& slot(std::int64_t number) { return slots[static_cast<std::size_t>(number) % kRing]; }
  };
  struct Other {
    int rank = 0;
    Ring* ring = nullptr;
    std::int64_t heard = 0;   ///< its words of failure that are known here
    std::int64_t next = 0;    ///< where its next notice is expected
    std::int64_t since = -1;  ///< what it had put up when the present reading was in vain first; -1: never
    unsigned looks = 0;
  };

  /// Whether the notice of that number is there and about the subject; then takes its numbers as read() does.
  [[nodiscard]] static bool read_slot(Ring& ring, std::int64_t number, const Subject& subject,
                                      std::span<std::uint64_t> numbers);

  /// Whether the word of that number, from 0 on, is still there.
  [[nodiscard]] static bool read_failure(Ring& ring, std::int64_t number, ToldFailure& word);

  Ring* own_ = nullptr;
  std::vector<Other> others_;
};

}  // namespace sluice::mpi::detail
