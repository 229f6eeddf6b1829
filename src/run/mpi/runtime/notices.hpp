#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "sluice/error.hpp"

namespace sluice::mpi::detail {

/// How much a board has room for.
struct NoticeSizes {
  static constexpr std::size_t kWords = 11;  ///< of a notice
  static constexpr std::size_t kRing = 32;   ///< notices kept
  static constexpr std::size_t kFailuresKept = 8;
  static constexpr std::size_t kMostFailureBytes = 512;  ///< of a word of failure
  static constexpr unsigned kLooksBetweenSearches = 8;
};

/// What a NoticeBoard does once it is connected. Another policy, and other sizes, are a model checker's.
template <class Atomics, class Sizes>
class BasicNoticeBoard {
  struct Ring;

 public:
  static constexpr std::size_t kWords = Sizes::kWords;

  /// What the numbers are about.
  struct Subject {
    std::int64_t channel = 0;
    std::int64_t round = 0;  ///< of the channel
  };

  /// Bytes of the memory of each rank, which is zeros, or what make() has left there; aligned to a cache line.
  static constexpr std::int64_t kMemory = sizeof(Ring);
  /// Creates a ring, equal to zeros.
  static void make(typename Atomics::Byte* memory) { new (memory) Ring(); }
  struct OfRank {
    int rank = 0;
    typename Atomics::Byte* memory = nullptr;
  };
  /// `others`: in increasing order.
  void connect(typename Atomics::Byte* own, std::span<const OfRank> others) {
    own_ = reinterpret_cast<Ring*>(own);
    for (const auto& [rank, memory] : others) others_.push_back({rank, reinterpret_cast<Ring*>(memory)});
  }
  /// Whether this rank can read the notices of all ranks of the node; the same on all of its ranks.
  [[nodiscard]] bool connected() const { return own_ != nullptr; }

  /// At most kWords.
  void put_up(const Subject& subject, std::span<const std::uint64_t> numbers);

  enum class Notice { kNotYet, kThere, kLost };
  /// Reads the notice of the other rank number `other` of the node, counted from 0 in increasing order. Replaces each
  /// of `numbers` by the number there if that is larger. After put_up, call it with the same subject until it returns
  /// something other than kNotYet.
  [[nodiscard]] Notice read(std::size_t other, const Subject& subject, std::span<std::uint64_t> numbers);
  [[nodiscard]] std::size_t others() const { return others_.size(); }
  [[nodiscard]] int rank_of(std::size_t other) const { return others_[other].rank; }

  /// The most bytes of a word of failure.
  static constexpr std::size_t kMostFailureBytes = Sizes::kMostFailureBytes;
  /// Puts up a word of failure. The others hear it by their next hear_failures(), whether or not MPI has moved a
  /// message meanwhile. No effect if the board is not connected.
  void tell_failure(std::span<const std::byte> word);
  /// Calls `hear(rank, word)` for each word that another rank has told since the last call, in the order of that rank.
  /// Returns false if a rank has told too many words meanwhile, so that some were overwritten.
  template <class Hear>
  [[nodiscard]] bool hear_failures(Hear&& hear) {
    bool all = true;
    for (Other& other : others_) {
      const std::int64_t told = Atomics::load(other.ring->told, std::memory_order_acquire);
      for (; other.heard < told; ++other.heard) {
        FailureWord word;
        if (!read_failure(*other.ring, other.heard, word)) {
          all = false;
          continue;
        }
        hear(other.rank, std::as_bytes(std::span(word.data)).first(static_cast<std::size_t>(word.bytes)));
      }
    }
    return all;
  }

  /// While it lives, this rank looks for words of failure and then starts MPI's own collective. A rank that leaves a
  /// collective first tells so, and then waits for the ranks that are at a beginning (others_at_beginning).
  ///
  /// The first rank writes that it begins, has a fence, and looks for words. The second rank puts up a word, has a
  /// fence, and looks for ranks that begin. So at least one of the two sees the other (as in Dekker's algorithm). A
  /// rank that did not hear the word is seen by the rank that told it, and no rank starts unseen a collective that
  /// another one has left.
  class Beginning {
   public:
    explicit Beginning(BasicNoticeBoard& board) : ring_(board.own_) {
      if (ring_ == nullptr) return;
      Atomics::store(ring_->beginning, std::int64_t{1}, std::memory_order_relaxed);
      Atomics::fence(std::memory_order_seq_cst);
    }
    ~Beginning() {
      if (ring_ != nullptr) Atomics::store(ring_->beginning, std::int64_t{0}, std::memory_order_release);
    }
    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

   private:
    Ring* ring_;
  };
  /// Whether another rank is at a beginning. If none is, all that they did at beginnings has happened before.
  [[nodiscard]] bool others_at_beginning() const {
    return std::ranges::any_of(others_, [](const Other& other) {
      return Atomics::load(other.ring->beginning, std::memory_order_acquire) != 0;
    });
  }

 private:
  using Word = typename Atomics::template Word<std::int64_t>;
  using Number = typename Atomics::template Word<std::uint64_t>;

  static constexpr std::size_t kRing = Sizes::kRing;
  static constexpr std::size_t kFailuresKept = Sizes::kFailuresKept;
  static constexpr std::size_t kFailureNumbers = kMostFailureBytes / sizeof(std::uint64_t);
  /// Zeros are a valid slot, with nothing put up. It has cache lines of its own, because whatever a rank reads of
  /// others costs it a line that they have written.
  struct alignas(kCacheLine) Slot {
    Word count = 0;  ///< notices of the rank up to this one; 0 while it is written, and set last
    Word channel = 0;
    Word round = 0;
    std::array<Number, kWords> numbers{};
  };
  struct ToldFailure {
    Word bytes = 0;
    std::array<Number, kFailureNumbers> data{};
  };
  /// A ToldFailure in this rank's own memory.
  struct FailureWord {
    std::int64_t bytes = 0;
    std::array<std::uint64_t, kFailureNumbers> data{};
  };
  struct Ring {
    alignas(kCacheLine) Word put_up = 0;  ///< so far
    alignas(kCacheLine) Word told = 0;    ///< words of failure, so far
    Word beginning = 0;                   ///< 1 while its rank is at a beginning
    std::array<Slot, kRing> slots;
    std::array<ToldFailure, kFailuresKept> failures;

    /// The slot of the notice with that number, from 0 on.
    [[nodiscard]] Slot& slot(std::int64_t number) { return slots[static_cast<std::size_t>(number) % kRing]; }
    [[nodiscard]] ToldFailure& failure(std::int64_t number) {
      return failures[static_cast<std::size_t>(number) % kFailuresKept];
    }
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
  [[nodiscard]] static bool read_failure(Ring& ring, std::int64_t number, FailureWord& word);

  Ring* own_ = nullptr;
  std::vector<Other> others_;
};

template <class Atomics, class Sizes>
void BasicNoticeBoard<Atomics, Sizes>::put_up(const Subject& subject, std::span<const std::uint64_t> numbers) {
  SLUICE_ASSERT(numbers.size() <= kWords, "too many numbers for a notice");
  const std::int64_t number = Atomics::load(own_->put_up, std::memory_order_relaxed);
  Slot& slot = own_->slot(number);
  Atomics::store(slot.count, std::int64_t{0}, std::memory_order_relaxed);
  Atomics::fence(std::memory_order_release);
  Atomics::store(slot.channel, subject.channel, std::memory_order_relaxed);
  Atomics::store(slot.round, subject.round, std::memory_order_relaxed);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    Atomics::store(slot.numbers[i], numbers[i], std::memory_order_relaxed);
  Atomics::store(slot.count, number + 1, std::memory_order_release);
  Atomics::store(own_->put_up, number + 1, std::memory_order_release);
  Atomics::fence(std::memory_order_seq_cst);  // whoever is last sees all others'
  for (Other& other : others_) other.since = -1;
}

template <class Atomics, class Sizes>
void BasicNoticeBoard<Atomics, Sizes>::tell_failure(std::span<const std::byte> word) {
  SLUICE_ASSERT(word.size() <= kMostFailureBytes, "too long a word of failure");
  if (own_ == nullptr) return;
  FailureWord copy;
  copy.bytes = static_cast<std::int64_t>(word.size());
  std::ranges::copy(word, std::as_writable_bytes(std::span(copy.data)).begin());
  const std::int64_t number = Atomics::load(own_->told, std::memory_order_relaxed);
  ToldFailure& place = own_->failure(number);
  // Who sees any of what follows sees that there are `number` words already (read_failure): the word before ended with
  // a fence.
  Atomics::store(place.bytes, copy.bytes, std::memory_order_relaxed);
  for (std::size_t i = 0; i < copy.data.size(); ++i)
    Atomics::store(place.data[i], copy.data[i], std::memory_order_relaxed);
  Atomics::store(own_->told, number + 1, std::memory_order_release);
  Atomics::fence(std::memory_order_seq_cst);  // Beginning, and the next word
}

template <class Atomics, class Sizes>
bool BasicNoticeBoard<Atomics, Sizes>::read_failure(Ring& ring, std::int64_t number, FailureWord& word) {
  ToldFailure& place = ring.failure(number);
  word.bytes = Atomics::load(place.bytes, std::memory_order_relaxed);
  for (std::size_t i = 0; i < word.data.size(); ++i)
    word.data[i] = Atomics::load(place.data[i], std::memory_order_relaxed);
  Atomics::fence(std::memory_order_acquire);
  // The word of number `number` + kFailuresKept, which comes to the same place, is written when there are that many.
  const std::int64_t told = Atomics::load(ring.told, std::memory_order_relaxed);
  return told < number + static_cast<std::int64_t>(kFailuresKept);
}

template <class Atomics, class Sizes>
bool BasicNoticeBoard<Atomics, Sizes>::read_slot(Ring& ring, std::int64_t number, const Subject& subject,
                                                 std::span<std::uint64_t> numbers) {
  Slot& slot = ring.slot(number);
  // The count is read before and after the rest, because no other notice has it. The channel would not do: it may
  // belong to the previous notice in this slot, and the round to the notice that is being written over it.
  if (Atomics::load(slot.count, std::memory_order_acquire) != number + 1) return false;
  const bool is_it = Atomics::load(slot.channel, std::memory_order_relaxed) == subject.channel &&
                     Atomics::load(slot.round, std::memory_order_relaxed) == subject.round;
  std::array<std::uint64_t, kWords> found{};
  for (std::size_t i = 0; i < numbers.size(); ++i) found[i] = Atomics::load(slot.numbers[i], std::memory_order_relaxed);
  Atomics::fence(std::memory_order_acquire);
  const bool overwritten = Atomics::load(slot.count, std::memory_order_relaxed) != number + 1;
  if (!is_it || overwritten) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::max(numbers[i], found[i]);
  return true;
}

template <class Atomics, class Sizes>
auto BasicNoticeBoard<Atomics, Sizes>::read(std::size_t other, const Subject& subject, std::span<std::uint64_t> numbers)
    -> Notice {
  Other& from = others_[other];
  const auto look_at = [&](std::int64_t number) {
    if (!read_slot(*from.ring, number, subject, numbers)) return false;
    from.next = number + 1;
    return true;
  };
  if (look_at(from.next)) return Notice::kThere;
  const std::int64_t put_up = Atomics::load(from.ring->put_up, std::memory_order_acquire);
  if (from.since < 0) {
    from.since = put_up;
    from.looks = 0;
  }
  if (from.looks++ % Sizes::kLooksBetweenSearches != 0) return Notice::kNotYet;
  // If agreements were given up, it may be anywhere.
  for (std::int64_t number = std::max<std::int64_t>(0, put_up - static_cast<std::int64_t>(kRing)); number < put_up;
       ++number) {
    if (look_at(number)) return Notice::kThere;
  }
  return put_up - from.since > static_cast<std::int64_t>(kRing) ? Notice::kLost : Notice::kNotYet;
}

}  // namespace sluice::mpi::detail
