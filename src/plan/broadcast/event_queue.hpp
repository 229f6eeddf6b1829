#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sluice::detail {

/// What happens in a simulation, the earliest first; of those at one time the kinds in their order, and of a kind those
/// that were pushed first. A heap of four branches: most events come late, and move a level or two.
template <class Kind>
class EventQueue {
 public:
  struct Event {
    double time;
    std::uint64_t order;  // at one time: by kind, then as pushed
    std::size_t index;    // of what it happens to

    [[nodiscard]] Kind kind() const { return static_cast<Kind>(order >> kKindShift); }
  };

  [[nodiscard]] static Event event(double time, Kind kind, std::size_t index) {
    return {time, static_cast<std::uint64_t>(kind) << kKindShift, index};
  }

  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& first() const { return events_.front(); }

  void push(double time, Kind kind, std::size_t index) {
    Event pushed = event(time, kind, index);
    pushed.order += number_++;
    std::size_t at = events_.size();
    events_.push_back(pushed);
    for (; at > 0 && before(pushed, events_[(at - 1) / kBranches]); at = (at - 1) / kBranches)
      events_[at] = events_[(at - 1) / kBranches];
    events_[at] = pushed;
  }

  Event take() {
    const Event taken = events_.front(), last = events_.back();
    events_.pop_back();
    if (events_.empty()) return taken;
    std::size_t at = 0;
    for (;;) {
      const std::size_t begin = kBranches * at + 1,
                        end = begin + kBranches < events_.size() ? begin + kBranches : events_.size();
      if (begin >= end) break;
      std::size_t least = begin;
      for (std::size_t child = begin + 1; child < end; ++child)
        least = before(events_[child], events_[least]) ? child : least;
      if (!before(events_[least], last)) break;
      events_[at] = events_[least];
      at = least;
    }
    events_[at] = last;
    return taken;
  }

 private:
  static constexpr int kKindShift = 56;
  static constexpr std::size_t kBranches = 4;

  [[nodiscard]] static bool before(const Event& a, const Event& b) {
    // Without branches, which nobody can foresee here.
    const int earlier = static_cast<int>(a.time < b.time);
    const int same = static_cast<int>(a.time == b.time) & static_cast<int>(a.order < b.order);
    return (earlier | same) != 0;
  }

  std::vector<Event> events_;
  std::uint64_t number_ = 0;
};

}  // namespace sluice::detail
