#pragma once

#include <algorithm>
#include <chrono>

namespace sluice::detail {

/// When a planner has to come to an end.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  /// Never passes.
  Deadline() = default;
  /// `seconds` from now; at once if that is 0 or less.
  explicit Deadline(double seconds) {
    constexpr double kYear = 3.2e7;
    if (seconds < kYear)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  [[nodiscard]] bool passed() const { return end_ != Clock::time_point::max() && Clock::now() >= end_; }
  /// Until it passes: at least 0; a very large number if never.
  [[nodiscard]] double seconds_left() const {
    if (end_ == Clock::time_point::max()) return 1e30;
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }
  /// The earlier of this and `seconds` from now.
  [[nodiscard]] Deadline within(double seconds) const {
    Deadline result(seconds);
    if (end_ < result.end_) result.end_ = end_;
    return result;
  }

 private:
  Clock::time_point end_ = Clock::time_point::max();
};

}  // namespace sluice::detail
