#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// A message that its sender puts into memory which it shares with the receivers, and each receiver takes from there.
///
/// It goes in parts through a ring of places. Two numbers tell how far it has come, counted over all executions: what
/// is ready, in bytes as if all parts were equally long, and parts that a receiver has taken. A sender fills a place
/// when all receivers have taken what was in it before; so none waits for its receivers at the end of an execution, if
/// the ring has room for the message.
///
/// A receiver that leaves reads the ring no more, and its number becomes kLeft. It counts as one that has taken
/// everything. When all have left, the sender may use the memory for something else.
///
/// In memory: this, the numbers of parts taken, one for each receiver, and the places.
struct alignas(kCacheLine) SharedRing {
  /// In place of the parts that a receiver has taken: it has left.
  static constexpr std::int64_t kLeft = std::numeric_limits<std::int64_t>::max();

  std::int64_t ready = 0;
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
  /// For the owner of the memory: whether no receiver reads the ring, or writes into it, any more. Only then may the
  /// memory be used again.
  [[nodiscard]] bool all_left() {
    for (std::int64_t i = 0; i < receivers; ++i)
      if (std::atomic_ref(taken()[i]).load(std::memory_order_acquire) != kLeft) return false;
    return true;
  }

 private:
  [[nodiscard]] std::int64_t numbers_bytes() const { return round_up(receivers * std::int64_t{sizeof(std::int64_t)}); }
};

/// One end of a ring: how far the message has come there. There is one of each, so it can be moved but not copied.
class SharedRingEnd {
 public:
  struct Moved {
    bool some = false;
    bool all = false;  ///< the message of this execution is complete
  };

  explicit SharedRingEnd(std::int64_t bytes) : bytes_(bytes) {}
  SharedRingEnd(const SharedRingEnd&) = delete;
  SharedRingEnd& operator=(const SharedRingEnd&) = delete;

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// An execution begins, in which the message goes once.
  void begin() { before_ += std::exchange(parts_, 0); }
  /// Parts moved in all executions.
  [[nodiscard]] std::int64_t number() const { return before_ + parts_; }
  [[nodiscard]] SharedRing* ring() const { return ring_; }

 protected:
  ~SharedRingEnd() = default;
  SharedRingEnd(SharedRingEnd&&) = default;
  SharedRingEnd& operator=(SharedRingEnd&&) = default;

  void connect(SharedRing* ring) { ring_ = ring; }

  /// Moves parts as long as `may(number)` says so; `copy(offset, bytes, place)`, then `tell()`.
  template <class May, class Copy, class Tell>
  Moved move(May may, Copy copy, Tell tell) {
    Moved moved;
    while (!complete()) {
      if (!may(number())) return moved;
      copy(part_offset(), part_bytes(), ring_->place(number()));
      ++parts_;
      tell();
      moved.some = true;
    }
    moved.all = true;
    return moved;
  }

  [[nodiscard]] bool complete() const { return part_offset() >= bytes_; }
  /// `bytes` of the part that is next, from what has been moved of it.
  [[nodiscard]] MessageRoom rest_of_part(std::int64_t bytes) const {
    return {ring_->place(number()) + of_part_, part_offset() + of_part_, bytes - of_part_};
  }
  /// `bytes` of the part that is next have been moved. Returns whether it is complete.
  bool move_rest(std::int64_t bytes) {
    of_part_ += bytes;
    if (complete() || of_part_ < part_bytes()) return false;
    of_part_ = 0;
    ++parts_;
    return true;
  }
  [[nodiscard]] std::int64_t part_bytes() const { return std::min(ring_->part_bytes, bytes_ - part_offset()); }
  /// As SharedRing counts bytes.
  [[nodiscard]] std::int64_t moved_bytes() const { return number() * ring_->part_bytes + of_part_; }

 private:
  [[nodiscard]] std::int64_t part_offset() const { return parts_ * ring_->part_bytes; }

  SharedRing* ring_ = nullptr;
  std::int64_t bytes_;
  std::int64_t before_ = 0;  ///< parts of the executions before this one
  std::int64_t parts_ = 0;
  std::int64_t of_part_ = 0;  ///< bytes moved of the part that is next
};

class SharedRingSender : public SharedRingEnd {
 public:
  using SharedRingEnd::SharedRingEnd;

  /// The ring that it fills.
  void connect(SharedRing* ring) {
    SharedRingEnd::connect(ring);
    free_ = ring->places;
  }

  /// Fills what may be filled: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved fill(Copy copy) {
    return move([&](std::int64_t number) { return has_place(number); }, copy, [&] { tell(); });
  }
  /// Where the part that is next goes, without what has been filled of it; no bytes while there is no place for it, or
  /// where the message is complete. For who fills as much of a part as it can.
  [[nodiscard]] MessageRoom room() { return rest_of_part(!complete() && has_place(number()) ? part_bytes() : 0); }
  /// `bytes` of that have been filled; receivers may take them. Returns whether the message is complete.
  bool fill_room(std::int64_t bytes) {
    (void)move_rest(bytes);
    if (bytes > 0) tell();
    return complete();
  }
  /// Whether all receivers have left the ring (SharedRing::all_left); true for an end that is not connected.
  [[nodiscard]] bool all_left() const { return ring() == nullptr || ring()->all_left(); }

 private:
  bool has_place(std::int64_t number) {
    if (number < free_) return true;
    std::int64_t least = number;
    for (std::int64_t i = 0; i < ring()->receivers; ++i)
      least = std::min(least, std::atomic_ref(ring()->taken()[i]).load(std::memory_order_acquire));
    free_ = least + ring()->places;
    return number < free_;
  }
  void tell() { std::atomic_ref(ring()->ready).store(moved_bytes(), std::memory_order_release); }

  std::int64_t free_ = 0;  ///< parts that may be filled, as far as it has been looked
};

class SharedRingReceiver : public SharedRingEnd {
 public:
  using SharedRingEnd::SharedRingEnd;
  ~SharedRingReceiver() { leave(); }
  SharedRingReceiver(SharedRingReceiver&& other) noexcept
      : SharedRingEnd(std::move(other)), taken_(std::exchange(other.taken_, nullptr)) {}
  SharedRingReceiver& operator=(SharedRingReceiver&& other) noexcept {
    if (this == &other) return *this;
    leave();
    SharedRingEnd::operator=(std::move(other));
    taken_ = std::exchange(other.taken_, nullptr);
    return *this;
  }

  /// The ring that it takes from, as one of its receivers.
  void connect(SharedRing* ring, std::int64_t receiver) {
    SharedRingEnd::connect(ring);
    taken_ = ring->taken() + receiver;
  }
  /// It reads the ring no more, and its owner may use the memory for something else: nothing but this may be called
  /// from here on. Without effect if it is not connected, or has left.
  void leave() noexcept {
    if (taken_ == nullptr) return;
    std::atomic_ref(*std::exchange(taken_, nullptr)).store(SharedRing::kLeft, std::memory_order_release);
    SharedRingEnd::connect(nullptr);
  }

  /// Takes parts that are ready: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved take(Copy copy) {
    const std::int64_t ready = this->ready();
    return move([&](std::int64_t number) { return ready - number * ring()->part_bytes >= part_bytes(); }, copy,
                [&] { tell(); });
  }
  /// What is ready of the part that is next and has not been taken; no bytes where the message is complete. For who
  /// takes as much of a part as it can use.
  [[nodiscard]] MessagePart rest() const {
    const std::int64_t bytes =
        complete() ? 0 : std::clamp<std::int64_t>(ready() - number() * ring()->part_bytes, 0, part_bytes());
    const MessageRoom rest = rest_of_part(bytes);
    return {rest.at, rest.offset, rest.bytes};
  }
  /// `bytes` of that are no longer needed. Returns whether the message is complete.
  bool take_rest(std::int64_t bytes) {
    if (move_rest(bytes)) tell();
    return complete();
  }

 private:
  [[nodiscard]] std::int64_t ready() const { return std::atomic_ref(ring()->ready).load(std::memory_order_acquire); }
  void tell() { std::atomic_ref(*taken_).store(number(), std::memory_order_release); }

  std::int64_t* taken_ = nullptr;
};

}  // namespace sluice::mpi::detail
