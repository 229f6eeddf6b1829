#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "run/mpi/runtime/arena.hpp"

namespace sluice::mpi::detail {

/// A few numbers that each rank of a node puts up for the others to see: what ranks that share memory can agree by,
/// without a message, in the time in which each of them gets its turn on a core.
///
/// A rank puts up its numbers for one agreement after the other, in a ring. Who takes part in an agreement reads those
/// of all: so no rank is more than one agreement ahead of another, unless agreements between were given up. It would
/// take a ring full of these before one is overwritten that somebody still needs (Notice::kLost).
class NoticeBoard {
 public:
  static constexpr std::size_t kWords = 8;
  /// Beyond, reading all costs more than a few rounds of messages.
  static constexpr std::size_t kMostRanks = 64;

  /// What the numbers are about.
  struct Subject {
    std::int64_t channel = 0;
    std::int64_t round = 0;  ///< of the channel
  };

  /// Local, and the first to allocate in the arena after that is connected: on all ranks of the node.
  void connect(Arena& arena);
  /// Whether all of the node can be read here; the same on all of its ranks.
  [[nodiscard]] bool connected() const { return own_ != nullptr; }

  /// At most kWords.
  void put_up(const Subject& subject, std::span<const std::uint64_t> numbers);

  enum class Notice { kNotYet, kThere, kLost };
  /// Of the other ranks of the node, in increasing order, number `other`: replaces each of `numbers` by its own, if
  /// that is larger. Called again and again with the same subject after put_up.
  [[nodiscard]] Notice read(std::size_t other, const Subject& subject, std::span<std::uint64_t> numbers);
  [[nodiscard]] std::size_t others() const { return others_.size(); }

  /// Notes for the others that this rank has told of a failure, so that they need not look for messages where there
  /// are none.
  void note_failure();
  /// Whether others have noted any since the last call.
  [[nodiscard]] bool failures_noted();

 private:
  static constexpr std::size_t kRing = 32;
  /// Zeros are a good one, with nothing put up.
  struct Slot {
    std::int64_t count = 0;  ///< notices of the rank up to this one; 0 while it is written, and set last
    std::int64_t channel = 0;
    std::int64_t round = 0;
    std::array<std::uint64_t, kWords> numbers{};
  };
  struct Ring {
    std::int64_t put_up = 0;    ///< so far
    std::int64_t failures = 0;  ///< noted so far
    std::array<Slot, kRing> slots;

    /// Where the notice of that number, from 0 on, stands.
    [[nodiscard]] Slot& slot(std::int64_t number) { return slots[static_cast<std::size_t>(number) % kRing]; }
  };
  struct Other {
    Ring* ring = nullptr;
    std::int64_t failures = 0;  ///< known here
    std::int64_t next = 0;      ///< where its next notice is expected
    std::int64_t since = -1;    ///< what it had put up when the present reading began; -1: none has
    unsigned looks = 0;
  };

  /// Whether the notice of that number is there and about the subject; then takes its numbers as read() does.
  [[nodiscard]] static bool read_slot(Ring& ring, std::int64_t number, const Subject& subject,
                                      std::span<std::uint64_t> numbers);

  Ring* own_ = nullptr;
  std::vector<Other> others_;
};

}  // namespace sluice::mpi::detail
