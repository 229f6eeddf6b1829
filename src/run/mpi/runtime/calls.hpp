#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "run/mpi/runtime/atomics.hpp"
#include "run/mpi/runtime/cache_line.hpp"

namespace sluice::mpi::detail {

/// How many of its last calls a rank shows to the others.
constexpr std::size_t kCallsKept = 16;

/// What a CallLog does once it is connected. A model checker uses another policy and a shorter ring.
///
/// Calls are numbered from 1 on, in the order of their beginning on the rank. A rank writes its last kKept calls into a
/// ring.
template <class Atomics, std::size_t kKept>
class BasicCallLog {
  struct Ring;

 public:
  /// An execution of a job. A call of another kind has channel -1.
  struct Call {
    std::int64_t channel = -1;
    std::int64_t execution = 0;
    std::int64_t bytes = 0;  ///< if it may differ from execution to execution, otherwise 0
    bool operator==(const Call&) const = default;
  };
  /// What another rank has begun in place of a call.
  struct Difference {
    int rank = 0;
    Call call;
    bool has_left = false;  ///< it has left the communicator, and will not begin the call
  };

  /// Bytes of the memory of each rank, which is zeros, or what make() has left there; aligned to a cache line.
  static constexpr std::int64_t kMemory = sizeof(Ring);
  /// Creates a ring, equal to zeros.
  static void make(typename Atomics::Byte* memory) { new (memory) Ring(); }
  struct OfRank {
    int rank = 0;
    typename Atomics::Byte* memory = nullptr;
  };
  /// A log that is not connected only numbers the calls.
  void connect(typename Atomics::Byte* own, std::span<const OfRank> others) {
    own_ = reinterpret_cast<Ring*>(own);
    for (const auto& [rank, memory] : others) others_.push_back({rank, reinterpret_cast<Ring*>(memory)});
  }

  /// This rank begins a call. Returns its number.
  std::int64_t begin(const Call& call) {
    const std::int64_t number = ++begun_;
    if (own_ == nullptr) return number;
    Slot& slot = own_->slot(number);
    Atomics::store(slot.number, std::int64_t{0}, std::memory_order_relaxed);
    Atomics::fence(std::memory_order_release);
    Atomics::store(slot.channel, call.channel, std::memory_order_relaxed);
    Atomics::store(slot.execution, call.execution, std::memory_order_relaxed);
    Atomics::store(slot.bytes, call.bytes, std::memory_order_relaxed);
    Atomics::store(slot.number, number, std::memory_order_release);
    return number;
  }
  /// This rank begins no more calls.
  void leave() {
    if (own_ != nullptr) Atomics::store(own_->left, std::int64_t{1}, std::memory_order_release);
  }

  /// The first other rank that has begun another call in place of `call`, which this one began with that number.
  /// `in_order`: all ranks begin all calls in one order. Otherwise only an execution of the same number of the same
  /// channel counts, if its size differs.
  ///
  /// What that rank did before it began its call, or before it left, has happened before.
  [[nodiscard]] std::optional<Difference> difference(std::int64_t number, const Call& call, bool in_order) const {
    for (const Other& other : others_) {
      // This load comes first: a rank that has left writes no more, so what is read then does not change any more.
      const bool left = Atomics::load(other.ring->left, std::memory_order_acquire) != 0;
      const Slot& slot = other.ring->slot(number);
      const std::int64_t there = Atomics::load(slot.number, std::memory_order_acquire);
      // The numbers in a slot rise. A greater one has been written over the call.
      if (left && there < number) return Difference{other.rank, {}, true};
      if (there != number) continue;
      Call found;
      found.channel = Atomics::load(slot.channel, std::memory_order_relaxed);
      found.execution = Atomics::load(slot.execution, std::memory_order_relaxed);
      found.bytes = Atomics::load(slot.bytes, std::memory_order_relaxed);
      Atomics::fence(std::memory_order_acquire);
      const bool overwritten = Atomics::load(slot.number, std::memory_order_relaxed) != number;
      if (overwritten || found == call) continue;
      const bool same_execution = found.channel == call.channel && found.execution == call.execution;
      if (in_order || same_execution) return Difference{other.rank, found, false};
    }
    return std::nullopt;
  }

 private:
  using Word = typename Atomics::template Word<std::int64_t>;

  /// Zeros are a good one.
  struct alignas(kCacheLine) Slot {
    Word number = 0;  ///< 0 while it is written, and set last
    Word channel = 0;
    Word execution = 0;
    Word bytes = 0;
  };
  struct Ring {
    std::array<Slot, kKept> slots;
    alignas(kCacheLine) Word left = 0;
    [[nodiscard]] Slot& slot(std::int64_t number) { return slots[static_cast<std::size_t>(number) % kKept]; }
  };
  struct Other {
    int rank = 0;
    Ring* ring = nullptr;
  };

  Ring* own_ = nullptr;
  std::vector<Other> others_;
  std::int64_t begun_ = 0;
};

}  // namespace sluice::mpi::detail
