#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sluice/error.hpp"

namespace sluice::detail {

/// The events of a simulation, the earliest first. Events at one time come in the order of their kinds; events of one
/// kind in the order of pushing. A heap of four branches: most events come late, and move a level or two. An event is
/// one number, so that two are compared at once. The number has its time, at least 0, whose bits are in the order of
/// such times; then its kind, how many were pushed before it, and what it happens to.
template <class Kind>
class EventQueue {
 public:
  struct Event {
    double time;
    Kind kind;
    std::size_t index;  // of what it happens to
  };

  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] Event first() const { return event_of(events_.front()); }

  /// @pre time >= 0, index < 2^28, and less than 2^32 events before
  void push(double time, Kind kind, std::size_t index) {
    SLUICE_ASSERT(index >> kIndexBits == 0 && number_ >> kNumberBits == 0, fmt::format("{}, {}", index, number_));
    const std::uint64_t low = static_cast<std::uint64_t>(kind) << (kNumberBits + kIndexBits) | number_++ << kIndexBits |
                              static_cast<std::uint64_t>(index);
    // 0 may have a sign, which its bits must not.
    const Packed pushed = static_cast<Packed>(std::bit_cast<std::uint64_t>(time + 0.0)) << kTimeShift | low;
    std::size_t at = events_.size();
    events_.push_back(pushed);
    for (; at > 0 && pushed < events_[(at - 1) / kBranches]; at = (at - 1) / kBranches)
      events_[at] = events_[(at - 1) / kBranches];
    events_[at] = pushed;
  }

  Event take() {
    const Packed taken = events_.front(), last = events_.back();
    events_.pop_back();
    const std::size_t size = events_.size();
    if (size == 0) return event_of(taken);
    Packed* const events = events_.data();
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = kBranches * at + 1;
      std::size_t least = begin;
      if (begin + kBranches <= size) {
        // Without branches, which the processor cannot predict here.
        const std::size_t a = begin + static_cast<std::size_t>(events[begin + 1] < events[begin]);
        const std::size_t b = begin + 2 + static_cast<std::size_t>(events[begin + 3] < events[begin + 2]);
        least = events[b] < events[a] ? b : a;
      } else {
        if (begin >= size) break;
        for (std::size_t child = begin + 1; child < size; ++child)
          least = events[child] < events[least] ? child : least;
      }
      if (last < events[least]) break;
      events[at] = events[least];
      at = least;
    }
    events[at] = last;
    return event_of(taken);
  }

 private:
  __extension__ using Packed = unsigned __int128;
  static constexpr int kTimeShift = 64, kNumberBits = 32, kIndexBits = 28;
  static constexpr std::size_t kBranches = 4;

  [[nodiscard]] static Event event_of(Packed packed) {
    const auto low = static_cast<std::uint64_t>(packed);
    return {std::bit_cast<double>(static_cast<std::uint64_t>(packed >> kTimeShift)),
            static_cast<Kind>(low >> (kNumberBits + kIndexBits)),
            static_cast<std::size_t>(low & ((std::uint64_t{1} << kIndexBits) - 1))};
  }

  std::vector<Packed> events_;
  std::uint64_t number_ = 0;
};

}  // namespace sluice::detail
