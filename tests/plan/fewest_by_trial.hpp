#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "sluice/input/traffic.hpp"

namespace sluice {

/// The least TC of whole messages in each number of steps, up to `most_steps`: message by message, each in a step that
/// is free at both ends. Knows nothing of classes, durations or bounds.
class FewestByTrial {
 public:
  FewestByTrial(const Traffic& traffic, std::size_t most_steps)
      : best_(most_steps + 1, std::numeric_limits<std::int64_t>::max()), messages_(traffic.messages) {
    std::ranges::stable_sort(messages_, std::ranges::greater{}, &Message::size);
    sends_.assign(static_cast<std::size_t>(traffic.senders), 0);
    receives_.assign(static_cast<std::size_t>(traffic.receivers), 0);
    place(0, 0, 0);
    for (std::size_t n = 1; n < best_.size(); ++n) best_[n] = std::min(best_[n], best_[n - 1]);
  }
  /// The largest value there is if there is no schedule.
  [[nodiscard]] std::int64_t transmission(std::size_t steps) const { return best_[steps]; }

 private:
  void place(std::size_t next, std::size_t used, std::int64_t transmission) {
    if (transmission >= best_[used] || (used > 0 && transmission >= best_[used - 1])) return;
    if (next == messages_.size()) {
      best_[used] = transmission;
      return;
    }
    const Message& message = messages_[next];
    std::uint32_t& sender = sends_[static_cast<std::size_t>(message.from)];
    std::uint32_t& receiver = receives_[static_cast<std::size_t>(message.to)];
    // Longest first: a message opens a step, which it makes as long as itself, or joins one that is as long already.
    for (std::size_t step = 0; step <= used && step + 1 < best_.size(); ++step) {
      const std::uint32_t bit = 1U << step;
      if (((sender | receiver) & bit) != 0) continue;
      sender |= bit;
      receiver |= bit;
      place(next + 1, std::max(used, step + 1), step == used ? transmission + message.size : transmission);
      sender &= ~bit;
      receiver &= ~bit;
    }
  }

  std::vector<std::int64_t> best_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> sends_, receives_;
};

}  // namespace sluice
