#pragma once

#include <cstddef>
#include <cstdint>
#include <queue>
#include <tuple>

namespace sluice::detail {

/// What happens in a simulation, the earliest first; of those at one time the kinds in their order, and of a kind those
/// that were pushed first.
template <class Kind>
class EventQueue {
 public:
  struct Event {
    double time;
    std::uint64_t number;
    Kind kind;
    std::size_t index;  // of what it happens to

    bool operator<(const Event& other) const {  // for a queue whose top is the earliest
      return std::tie(other.time, other.kind, other.number) < std::tie(time, kind, number);
    }
  };

  [[nodiscard]] bool empty() const { return events_.empty(); }
  [[nodiscard]] const Event& first() const { return events_.top(); }
  void push(double time, Kind kind, std::size_t index) { events_.push({time, number_++, kind, index}); }
  Event take() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  std::priority_queue<Event> events_;
  std::uint64_t number_ = 0;
};

}  // namespace sluice::detail
