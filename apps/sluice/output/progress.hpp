#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "sluice/plan/exchange.hpp"

namespace sluice::command {

/// Takes away the bar or line of progress that a terminal shows, if there is one: what is printed begins a line.
void clear_progress();

/// A bar on standard error that says how far a study or a simulation is; silent where that is no terminal.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  /// Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `what` is under way, after `done` of the total.
  void show(std::int64_t done, const std::string& what) const;

 private:
  std::int64_t total_;
  bool on_terminal_;
};

/// A line on standard error that says how good the best plan so far is, while a planner improves it. Where standard
/// error is no terminal, "exact" writes a line now and then, each after twice the time, and others write nothing.
class PlanningProgress {
 public:
  /// Shows what planning with `options` tells, as long as this lives. `decimals` as in Traffic.
  PlanningProgress(ExchangeOptions& options, std::int32_t decimals);
  /// Clears the line on a terminal.
  ~PlanningProgress();
  PlanningProgress(const PlanningProgress&) = delete;
  PlanningProgress& operator=(const PlanningProgress&) = delete;

 private:
  /// The cost of the best plan so far, and a lower bound.
  void show(double incumbent, double bound);

  using Clock = std::chrono::steady_clock;

  std::int32_t decimals_;
  bool on_terminal_;
  bool lines_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_;
};

}  // namespace sluice::command
