#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/cache_line.hpp"
#include "run/mpi/runtime/message_part.hpp"

namespace sluice::mpi::detail {

/// A message that its sender puts into memory which it shares with the receivers, and each receiver takes from there.
///
/// It goes in parts through a ring of places. Two numbers tell how far it has come, counted over all executions: what
/// is ready, in bytes as if all parts were equally long, and parts that a receiver has taken. A sender fills a place
/// again when all receivers have taken its former content. So if the ring has room for the whole message, no sender
/// waits for its receivers at the end of an execution.
///
/// A receiver that leaves reads the ring no more, and its number becomes kLeft. It then counts as if it had taken
/// everything. When all have left, the sender may use the memory for something else.
///
/// In memory: this, the numbers of parts taken, a cache line for each receiver, and the places.
///
/// With HostAtomics in use; another policy is a model checker's.
template <class Atomics>
struct alignas(kCacheLine) BasicSharedRing {
  using Byte = typename Atomics::Byte;
  using Word = typename Atomics::template Word<std::int64_t>;
  using Plain = typename Atomics::template Plain<std::int64_t>;

  /// In place of the parts that a receiver has taken: it has left.
  static constexpr std::int64_t kLeft = std::numeric_limits<std::int64_t>::max();

  Word ready = 0;
  Plain receivers = 1;
  Plain part_bytes = 1;  ///< the last part of a message may have fewer
  Plain places = 1;

  /// The parts that this receiver has taken, or kLeft.
  [[nodiscard]] Word* taken(std::int64_t receiver) {
    return reinterpret_cast<Word*>(reinterpret_cast<Byte*>(this + 1) + receiver * kCacheLine);
  }
  /// The place of the part with this number.
  [[nodiscard]] Byte* place(std::int64_t part) {
    return reinterpret_cast<Byte*>(this + 1) + numbers_bytes() + part % places * round_up(part_bytes);
  }
  /// The bytes of the ring with all places, a multiple of a cache line.
  [[nodiscard]] std::int64_t all_bytes() const {
    return std::int64_t{sizeof(BasicSharedRing)} + numbers_bytes() + places * round_up(part_bytes);
  }
  /// Creates the ring in memory of all_bytes().
  BasicSharedRing* put(Byte* at) const {
    auto* const ring = new (at) BasicSharedRing(*this);
    for (std::int64_t i = 0; i < receivers; ++i) new (ring->taken(i)) Word(0);
    return ring;
  }
  /// For the owner of the memory: whether no receiver reads the ring, or writes into it, any more. Only then may the
  /// memory be used again.
  [[nodiscard]] bool all_left() {
    for (std::int64_t i = 0; i < receivers; ++i)
      if (Atomics::load(*taken(i), std::memory_order_acquire) != kLeft) return false;
    return true;
  }

 private:
  [[nodiscard]] std::int64_t numbers_bytes() const { return receivers * kCacheLine; }
};

/// How far a call has moved a message.
struct SharedRingMoved {
  bool some = false;
  bool all = false;  ///< the message of this execution is complete
};

/// One end of a ring: how far the message has come there. There is one of each, so it can be moved but not copied.
template <class Atomics>
class BasicSharedRingEnd {
 public:
  using Ring = BasicSharedRing<Atomics>;
  using Byte = typename Atomics::Byte;
  using Moved = SharedRingMoved;

  explicit BasicSharedRingEnd(std::int64_t bytes) : bytes_(bytes) {}
  BasicSharedRingEnd(const BasicSharedRingEnd&) = delete;
  BasicSharedRingEnd& operator=(const BasicSharedRingEnd&) = delete;

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  /// Begins an execution; the message goes once in each.
  void begin() { before_ += std::exchange(parts_, 0); }
  /// The number of parts moved in all executions.
  [[nodiscard]] std::int64_t number() const { return before_ + parts_; }
  [[nodiscard]] Ring* ring() const { return ring_; }

 protected:
  ~BasicSharedRingEnd() = default;
  BasicSharedRingEnd(BasicSharedRingEnd&&) noexcept = default;
  BasicSharedRingEnd& operator=(BasicSharedRingEnd&&) noexcept = default;

  void connect(Ring* ring) { ring_ = ring; }

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
  [[nodiscard]] PartOfMessage<Byte> rest_of_part(std::int64_t bytes) const {
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
  [[nodiscard]] std::int64_t part_bytes() const {
    return std::min<std::int64_t>(ring_->part_bytes, bytes_ - part_offset());
  }
  /// Bytes moved in all executions; a part counts as part_bytes.
  [[nodiscard]] std::int64_t moved_bytes() const { return number() * ring_->part_bytes + of_part_; }

 private:
  [[nodiscard]] std::int64_t part_offset() const { return parts_ * ring_->part_bytes; }

  Ring* ring_ = nullptr;
  std::int64_t bytes_;
  std::int64_t before_ = 0;  ///< parts of the executions before this one
  std::int64_t parts_ = 0;
  std::int64_t of_part_ = 0;  ///< bytes moved of the part that is next
};

template <class Atomics>
class BasicSharedRingSender : public BasicSharedRingEnd<Atomics> {
  using End = BasicSharedRingEnd<Atomics>;
  using End::complete;
  using End::move_rest;
  using End::moved_bytes;
  using End::part_bytes;
  using End::rest_of_part;

 public:
  using End::End;
  using End::number;
  using End::ring;
  using typename End::Byte;
  using typename End::Moved;
  using typename End::Ring;

  /// The ring that it fills.
  void connect(Ring* to) {
    End::connect(to);
    free_ = to->places;
  }

  /// Fills what may be filled: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved fill(Copy copy) {
    return End::move([&](std::int64_t part) { return has_place(part); }, copy, [&] { tell(); });
  }
  /// The unfilled rest of the next part; no bytes while there is no place for it, or if the message is complete. For
  /// senders that fill a part step by step.
  [[nodiscard]] PartOfMessage<Byte> room() {
    return rest_of_part(!complete() && has_place(number()) ? part_bytes() : 0);
  }
  /// `bytes` of that have been filled; receivers may take them. Returns whether the message is complete.
  bool fill_room(std::int64_t bytes) {
    (void)move_rest(bytes);
    if (bytes > 0) tell();
    return complete();
  }
  /// Whether all receivers have left the ring (SharedRing::all_left); true for an end that is not connected.
  [[nodiscard]] bool all_left() const { return ring() == nullptr || ring()->all_left(); }

 private:
  bool has_place(std::int64_t part) {
    if (part < free_) return true;
    std::int64_t least = part;  // a receiver that has left has taken more than any number
    for (std::int64_t i = 0; i < ring()->receivers; ++i)
      least = std::min(least, Atomics::load(*ring()->taken(i), std::memory_order_acquire));
    free_ = least + ring()->places;
    return part < free_;
  }
  void tell() { Atomics::store(ring()->ready, moved_bytes(), std::memory_order_release); }

  std::int64_t free_ = 0;  ///< parts known to be free for filling
};

template <class Atomics>
class BasicSharedRingReceiver : public BasicSharedRingEnd<Atomics> {
  using End = BasicSharedRingEnd<Atomics>;
  using End::complete;
  using End::move_rest;
  using End::part_bytes;
  using End::rest_of_part;

 public:
  using End::End;
  using End::number;
  using End::ring;
  using typename End::Byte;
  using typename End::Moved;
  using typename End::Ring;

  ~BasicSharedRingReceiver() { leave(); }
  BasicSharedRingReceiver(BasicSharedRingReceiver&& other) noexcept
      : End(std::move(other)), taken_(std::exchange(other.taken_, nullptr)) {}
  BasicSharedRingReceiver& operator=(BasicSharedRingReceiver&& other) noexcept {
    if (this == &other) return *this;
    leave();
    End::operator=(std::move(other));
    taken_ = std::exchange(other.taken_, nullptr);
    return *this;
  }

  /// Connects it to the ring that it takes from, as one of its receivers.
  void connect(Ring* to, std::int64_t receiver) {
    End::connect(to);
    taken_ = to->taken(receiver);
  }
  /// It reads the ring no more, and its owner may use the memory for something else: afterwards no function but this
  /// may be called. No effect if it is not connected, or has left.
  void leave() noexcept {
    if (taken_ == nullptr) return;
    Atomics::store(*std::exchange(taken_, nullptr), Ring::kLeft, std::memory_order_release);
    End::connect(nullptr);
  }

  /// Takes parts that are ready: copy(offset in the message, bytes, place).
  template <class Copy>
  Moved take(Copy copy) {
    const std::int64_t ready = this->ready();
    return End::move([&](std::int64_t part) { return ready - part * ring()->part_bytes >= part_bytes(); }, copy,
                     [&] { tell(); });
  }
  /// The part that is next, as far as it is ready and not taken; no bytes if the message is complete. For receivers
  /// that take a part step by step.
  [[nodiscard]] PartOfMessage<const Byte> rest() const {
    const std::int64_t bytes =
        complete() ? 0 : std::clamp<std::int64_t>(ready() - number() * ring()->part_bytes, 0, part_bytes());
    const PartOfMessage<Byte> rest = rest_of_part(bytes);
    return {rest.at, rest.offset, rest.bytes};
  }
  /// `bytes` of that are no longer needed. Returns whether the message is complete.
  bool take_rest(std::int64_t bytes) {
    if (move_rest(bytes)) tell();
    return complete();
  }

 private:
  [[nodiscard]] std::int64_t ready() const { return Atomics::load(ring()->ready, std::memory_order_acquire); }
  void tell() { Atomics::store(*taken_, number(), std::memory_order_release); }

  typename Ring::Word* taken_ = nullptr;
};

using SharedRing = BasicSharedRing<HostAtomics>;
using SharedRingEnd = BasicSharedRingEnd<HostAtomics>;
using SharedRingSender = BasicSharedRingSender<HostAtomics>;
using SharedRingReceiver = BasicSharedRingReceiver<HostAtomics>;

}  // namespace sluice::mpi::detail
