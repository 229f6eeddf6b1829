#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "plan/redistribute/message_classes.hpp"
#include "sluice/stop.hpp"

/// What is looked for, and found, by searches for schedules of classes of messages.
namespace sluice::detail {

/// The number of messages of each class in steps of each duration. A step lasts as long as a message: durations are the
/// distinct lengths, rising.
struct ClassAssignment {
  std::vector<std::int64_t> durations;
  std::vector<std::int64_t> steps;                  ///< of each duration
  std::vector<std::vector<std::int64_t>> messages;  ///< [class][duration]

  [[nodiscard]] std::int64_t transmission() const;
  /// Leaves as many steps of each duration as the busiest process needs.
  void drop_idle_steps(const MessageClasses& of);
};

/// Work that is counted, never timed, so that every process stops at the same place, unless a user ends it before.
class Effort {
 public:
  explicit Effort(std::int64_t units, StopRequest stop = {}) : left_(units), stop_(std::move(stop)) {}
  [[nodiscard]] std::int64_t left() const { return stop_ && stop_() ? 0 : left_; }
  /// A part of this effort, of `units`. The caller takes from this effort what the part has used.
  [[nodiscard]] Effort part(std::int64_t units) const { return Effort(units, stop_); }
  void take(std::int64_t units) { left_ = units < left_ ? left_ - units : 0; }

 private:
  std::int64_t left_;
  StopRequest stop_;
};

/// What to look for: schedules of at most `most_steps` steps with `least` <= TC < `below`.
struct ProgramLimits {
  static constexpr std::int64_t kAnyNumber = std::numeric_limits<std::int64_t>::max();
  std::int64_t most_steps = kAnyNumber;
  std::int64_t least = 0;  ///< TC is known to be at least this
  std::int64_t below = kAnyNumber;
};

struct ProgramOutcome {
  std::optional<ClassAssignment> assignment;  ///< the best found, if one lies within the limits
  /// No schedule of these classes within the limits has a lower TC; `below` where there is none at all.
  std::int64_t at_least = 0;
};

}  // namespace sluice::detail
