#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "sluice/stop.hpp"

namespace sluice::command {

/// Turns the first Ctrl-C (SIGINT) or SIGTERM into a request to end the search with the best plan so far. Batch systems
/// send SIGTERM when the time of a job is over. A signal that comes more than half a second later ends the program. At
/// most one object lives at a time.
class Interruptible {
 public:
  /// Does nothing unless `searches`: without a search there is no plan before the end.
  explicit Interruptible(bool searches = true);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool searches_;
};

/// Whether there was a signal that was a request, since the program began.
[[nodiscard]] bool was_interrupted();

/// The signal that it was; 0 if there was none.
[[nodiscard]] int interrupting_signal();

/// "interrupted by Ctrl-C" or "interrupted by SIGTERM"; "" if it was not.
[[nodiscard]] std::string interrupted_text();

/// The request, for the options of a search.
[[nodiscard]] StopRequest stop_at_interrupt();

/// Ends a search that knows no limit of time by itself: when a time is over, and at the request.
class TimeLimit {
 public:
  /// From now on; infinity: never.
  explicit TimeLimit(double seconds);

  [[nodiscard]] StopRequest stop() const;
  /// Whether a search has heard that the time is over.
  [[nodiscard]] bool reached() const { return *reached_; }

 private:
  using Clock = std::chrono::steady_clock;
  std::optional<Clock::time_point> end_;
  std::shared_ptr<std::atomic<bool>> reached_ = std::make_shared<std::atomic<bool>>(false);
};

/// kInterrupted or kTerminated instead of kDone, once there was a request.
[[nodiscard]] int status_unless_interrupted(int status);

/// "; " and interrupted_text(). For a search that ran out of time, "; stopped by the time limit". Otherwise nothing.
[[nodiscard]] std::string end_of_search_text(bool stopped);

/// Whether the algorithm of that name, of any problem, searches on until its effort is spent.
[[nodiscard]] bool searches(const std::string& algorithm);

}  // namespace sluice::command
