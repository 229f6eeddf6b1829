#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// A message that its sender puts into memory which it shares with the receivers, and each receiver takes from there.
///
/// It goes in parts through a ring of places. Two numbers tell how far it has come, counted over all executions: parts
/// that are ready, and parts that a receiver has taken. A sender fills a place when all receivers have taken what was
/// in it before; so none waits for its receivers at the end of an execution, if the ring has room for the message.
///
/// In memory: this, the numbers of parts taken, one for each receiver, and the places.
struct alignas(kCacheLine) SharedRing {
  std::int64_t ready = 0;
  std::int64_t message_bytes = 0;
  std::int64_t receivers = 1;
  std::int64_t part_bytes = 1;  ///< the last part of a message may have fewer
  std::int64_t places = 1;

  [[nodiscard]] std::int64_t* taken() { return reinterpret_cast<std::int64_t*>(this + 1); }
  /// Of the part with this number.
  [[nodiscard]] std::byte* place(std::int64_t part) {
    return reinterpret_cast<std::byte*>(this + 1) + numbers_bytes() + part % places * round_up(part_bytes);
  }
  /// Of all together, a multiple of a cache line.
  [[nodiscard]] std::int64_t all_bytes() const {
    return std::int64_t{sizeof(SharedRing)} + numbers_bytes() + places * round_up(part_bytes);
  }
  /// Into memory of all_bytes().
  SharedRing* put(std::byte* at) const {
    auto* const ring = new (at) SharedRing(*this);
    std::fill_n(ring->taken(), receivers, 0);
    return ring;
  }

 private:
  [[nodiscard]] std::int64_t numbers_bytes() const { return round_up(receivers * std::int64_t{sizeof(std::int64_t)}); }
};

/// One end of a ring: how far the message has come there.
class SharedRingEnd {
 public:
  struct Moved {
    bool some = false;
    bool all = false;  ///< the message of this execution is complete
  };

  explicit SharedRingEnd(std::int64_t bytes) : bytes_(bytes) {}

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// An execution begins, in which the message goes once.
  void begin() { before_ += std::exchange(parts_, 0); }
  /// Parts moved in all executions.
  [[nodiscard]] std::int64_t number() const { return before_ + parts_; }

 protected:
  /// Moves parts as long as `may(number)` says so; `copy(offset, bytes, place)`, then `moved(number)`.
  template <class May, class Copy, class Tell>
  Moved move(SharedRing& ring, May may, Copy copy, Tell tell) {
    const std::int64_t parts = (bytes_ + ring.part_bytes - 1) / ring.part_bytes;
    Moved moved;
    while (parts_ < parts) {
      if (!may(number())) return moved;
      const std::int64_t offset = parts_ * ring.part_bytes;
      copy(offset, std::min(ring.part_bytes, bytes_ - offset), ring.place(number()));
      ++parts_;
      tell(number());
      moved.some = true;
    }
    moved.all = true;
    return moved;
  }

  /// Of the part that is next: where it begins in the message, and its bytes; 0 behind the last one.
  [[nodiscard]] std::int64_t present_offset(const SharedRing& ring) const { return parts_ * ring.part_bytes; }
  [[nodiscard]] std::int64_t present_bytes(const SharedRing& ring) const {
    return std::clamp<std::int64_t>(bytes_ - present_offset(ring), 0, ring.part_bytes);
  }
  /// Goes on to the part behind it; the number of parts moved in all executions.
  std::int64_t next_part() {
    ++parts_;
    return number();
  }

 private:
  std::int64_t bytes_;
  std::int64_t before_ = 0;  ///< parts of the executions before this one
  std::int64_t parts_ = 0;
};

class SharedRingSender : public SharedRingEnd {
 public:
  using SharedRingEnd::SharedRingEnd;

  /// The ring that it fills.
  void connect(SharedRing* ring) {
    ring_ = ring;
    free_ = ring->places;
  }
  [[nodiscard]] SharedRing* ring() const { return ring_; }

  /// Fills what may be filled: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved fill(Copy copy) {
    const auto has_place = [&](std::int64_t number) {
      if (number < free_) return true;
      std::int64_t least = number;
      for (std::int64_t i = 0; i < ring_->receivers; ++i)
        least = std::min(least, std::atomic_ref(ring_->taken()[i]).load(std::memory_order_acquire));
      free_ = least + ring_->places;
      return number < free_;
    };
    return move(*ring_, has_place, copy,
                [&](std::int64_t number) { std::atomic_ref(ring_->ready).store(number, std::memory_order_release); });
  }

 private:
  SharedRing* ring_ = nullptr;
  std::int64_t free_ = 0;  ///< parts that may be filled, as far as it has been looked
};

class SharedRingReceiver : public SharedRingEnd {
 public:
  using SharedRingEnd::SharedRingEnd;

  /// The ring that it takes from, as one of its receivers.
  void connect(SharedRing* ring, std::int64_t receiver) {
    ring_ = ring;
    taken_ = ring->taken() + receiver;
  }

  /// Takes what is ready: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved take(Copy copy) {
    const std::int64_t ready = this->ready();
    return move(
        *ring_, [&](std::int64_t number) { return number < ready; }, copy, [&](std::int64_t number) { tell(number); });
  }
  /// What has not been taken of the part that is next; no bytes while it is not ready, or where the message is
  /// complete. For who takes as much of a part as it can use.
  [[nodiscard]] MessagePart rest() const {
    const std::int64_t bytes = number() < ready() ? present_bytes(*ring_) - of_part_ : 0;
    return {ring_->place(number()) + of_part_, present_offset(*ring_) + of_part_, bytes};
  }
  /// `bytes` of the rest are no longer needed. Returns whether the message is complete.
  bool take_rest(std::int64_t bytes) {
    of_part_ += bytes;
    if (bytes > 0 && of_part_ == present_bytes(*ring_)) {
      of_part_ = 0;
      tell(next_part());
    }
    return present_bytes(*ring_) == 0;
  }

 private:
  [[nodiscard]] std::int64_t ready() const { return std::atomic_ref(ring_->ready).load(std::memory_order_acquire); }
  void tell(std::int64_t number) { std::atomic_ref(*taken_).store(number, std::memory_order_release); }

  SharedRing* ring_ = nullptr;
  std::int64_t* taken_ = nullptr;
  std::int64_t of_part_ = 0;  ///< taken of the part that is next
};

}  // namespace sluice::mpi::detail
