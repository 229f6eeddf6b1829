#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

#include "sluice/stop.hpp"

namespace sluice::detail {

/// What a planner may still spend: work, which is counted, so that equal arguments give equal plans on every machine,
/// and time, which only cuts it short.
///
/// A unit of work is about a nanosecond of one core. It pays for a few elements of a row that is read in order; a
/// look-up at a random place in memory costs eight units.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
  /// The work that an effort of 1 allows.
  static constexpr double kWorkOfEffort = 1e9;

  /// Without any limit.
  Budget() = default;
  explicit Budget(std::int64_t work) : left_(work) {}
  /// Ends too after `seconds`, or when `stop` says so.
  Budget(double effort, double seconds, StopRequest stop)
      : left_(effort * kWorkOfEffort < 0x1p62 ? static_cast<std::int64_t>(effort * kWorkOfEffort) : kUnlimited),
        stop_(std::move(stop)) {
    constexpr double kYear = 3.2e7;
    if (seconds < kYear)
      end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }
  ~Budget() = default;
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// A part of what is left, at most `work`: what is spent of it is spent of this, which has to outlive it.
  [[nodiscard]] Budget part(std::int64_t work) { return {std::min(work, left()), this}; }
  /// A share of what is left.
  [[nodiscard]] Budget share(double share) {
    return part(unlimited() ? kUnlimited : static_cast<std::int64_t>(share * static_cast<double>(left())));
  }

  void spend(std::int64_t work) {
    spent_ += work;
    if (!unlimited_here()) left_ -= work;
    if (whole_ != nullptr) whole_->spend(work);
  }
  /// Whether the work is done, or time is up.
  [[nodiscard]] bool over() { return left() <= 0 || cut_short(); }
  /// Whether time, or a wish to stop, was the end of it.
  [[nodiscard]] bool cut_short() {
    if (whole_ != nullptr) return whole_->cut_short();
    if (!cut_short_)
      cut_short_ = (end_ != Clock::time_point::max() && Clock::now() >= end_) || (stop_ != nullptr && stop_());
    return cut_short_;
  }
  /// Whether work was seen to be cut short.
  [[nodiscard]] bool was_cut_short() const { return whole_ != nullptr ? whole_->was_cut_short() : cut_short_; }
  /// Work that is left; at most kUnlimited.
  [[nodiscard]] std::int64_t left() const { return whole_ == nullptr ? left_ : std::min(left_, whole_->left()); }
  [[nodiscard]] std::int64_t spent() const { return spent_; }
  [[nodiscard]] bool unlimited() const { return left() == kUnlimited; }
  /// Seconds until time is up: at least 0; a very large number if there is no limit.
  [[nodiscard]] double seconds_left() const {
    if (whole_ != nullptr) return whole_->seconds_left();
    if (end_ == Clock::time_point::max()) return 1e30;
    return std::max(0.0, std::chrono::duration<double>(end_ - Clock::now()).count());
  }

 private:
  Budget(std::int64_t work, Budget* whole) : left_(work), whole_(whole) {}
  [[nodiscard]] bool unlimited_here() const { return left_ == kUnlimited; }

  std::int64_t left_ = kUnlimited;
  std::int64_t spent_ = 0;
  Budget* whole_ = nullptr;
  Clock::time_point end_ = Clock::time_point::max();
  StopRequest stop_;
  bool cut_short_ = false;
};

}  // namespace sluice::detail
