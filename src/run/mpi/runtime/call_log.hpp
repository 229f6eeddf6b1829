#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "run/mpi/runtime/arena.hpp"
#include "run/mpi/runtime/cache_line.hpp"

namespace sluice::mpi::detail {

/// Which calls a rank has begun on a communicator, where the other ranks of its node can read it. A rank that waits
/// for another one in shared memory sees there that the other one is in another call, or in the same call with another
/// size, and need not wait for ever.
///
/// Calls are numbered in the order in which the rank begins them. A rank writes its last kKept calls into a ring.
class CallLog {
 public:
  /// An execution of a job. A call of another kind has channel -1.
  struct Call {
    std::int64_t channel = -1;
    std::int64_t execution = 0;
    std::int64_t bytes = 0;  ///< where it may differ from execution to execution
    bool operator==(const Call&) const = default;
  };
  /// What another rank has begun in place of a call.
  struct Difference {
    int rank = 0;
    Call call;
    bool has_left = false;  ///< it has left the communicator, and will not begin the call
  };

  /// The home that each rank needs in the arena.
  [[nodiscard]] static std::int64_t home_bytes() { return sizeof(Ring); }
  /// Local; after the arena is connected. `offset`: of this home from the arena's.
  void connect(const Arena& arena, std::int64_t offset) {
    if (arena.reached().empty()) return;
    own_ = reinterpret_cast<Ring*>(arena.home() + offset);
    for (const int rank : arena.reached())
      others_.push_back({rank, reinterpret_cast<Ring*>(arena.home_of(rank) + offset)});
  }

  /// This rank begins a call. Returns its number.
  std::int64_t begin(const Call& call) {
    const std::int64_t number = ++begun_;
    if (own_ == nullptr) return number;
    Slot& slot = own_->slot(number);
    std::atomic_ref(slot.number).store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::atomic_ref(slot.channel).store(call.channel, std::memory_order_relaxed);
    std::atomic_ref(slot.execution).store(call.execution, std::memory_order_relaxed);
    std::atomic_ref(slot.bytes).store(call.bytes, std::memory_order_relaxed);
    std::atomic_ref(slot.number).store(number, std::memory_order_release);
    return number;
  }
  /// This rank begins no more calls.
  void leave() {
    if (own_ != nullptr) std::atomic_ref(own_->left).store(1, std::memory_order_release);
  }

  /// The first other rank that has begun another call in place of `call`, which this one began with that number.
  /// `in_order`: all ranks begin all calls in one order. Otherwise only an execution of the same number of the same
  /// channel counts, if its size differs.
  [[nodiscard]] std::optional<Difference> difference(std::int64_t number, const Call& call, bool in_order) const {
    for (const Other& other : others_) {
      const bool left = std::atomic_ref(other.ring->left).load(std::memory_order_acquire) != 0;
      const std::optional<Call> found = read(*other.ring, number);
      if (found && *found != call) {
        const bool same_execution = found->channel == call.channel && found->execution == call.execution;
        if (in_order || same_execution) return Difference{other.rank, *found, false};
      }
      if (!found && left && last(*other.ring) < number) return Difference{other.rank, {}, true};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kKept = 16;
  /// Zeros are a good one.
  struct alignas(kCacheLine) Slot {
    std::int64_t number = 0;  ///< 0 while it is written, and set last
    std::int64_t channel = 0;
    std::int64_t execution = 0;
    std::int64_t bytes = 0;
  };
  struct Ring {
    std::array<Slot, kKept> slots;
    alignas(kCacheLine) std::int64_t left = 0;
    [[nodiscard]] Slot& slot(std::int64_t number) { return slots[static_cast<std::size_t>(number) % kKept]; }
  };
  struct Other {
    int rank = 0;
    Ring* ring = nullptr;
  };

  /// The call of that number, if it has been begun and is still there.
  [[nodiscard]] static std::optional<Call> read(Ring& ring, std::int64_t number) {
    Slot& slot = ring.slot(number);
    if (std::atomic_ref(slot.number).load(std::memory_order_acquire) != number) return std::nullopt;
    const Call call{std::atomic_ref(slot.channel).load(std::memory_order_relaxed),
                    std::atomic_ref(slot.execution).load(std::memory_order_relaxed),
                    std::atomic_ref(slot.bytes).load(std::memory_order_relaxed)};
    std::atomic_thread_fence(std::memory_order_acquire);
    if (std::atomic_ref(slot.number).load(std::memory_order_relaxed) != number) return std::nullopt;
    return call;
  }
  /// The number of the last call of a rank that begins no more.
  [[nodiscard]] static std::int64_t last(Ring& ring) {
    std::int64_t last = 0;
    for (Slot& slot : ring.slots) last = std::max(last, std::atomic_ref(slot.number).load(std::memory_order_relaxed));
    return last;
  }

  Ring* own_ = nullptr;
  std::vector<Other> others_;
  std::int64_t begun_ = 0;
};

}  // namespace sluice::mpi::detail
