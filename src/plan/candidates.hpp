#pragma once

#include <limits>
#include <optional>
#include <utility>

#include "sluice/error.hpp"

namespace sluice::detail {

/// Keeps the best of the plans that are offered: the one with the least cost or length, of equal ones the first.
template <class Plan>
class Candidates {
 public:
  /// Takes the plan that `make` gives if it costs less than all before. Returns whether it does.
  template <class Make>
  bool offer(double cost, Make make) {
    if (found() && cost >= cost_) return false;
    best_ = make();
    cost_ = cost;
    return true;
  }
  bool offer(double cost, Plan&& plan) {
    return offer(cost, [&]() -> Plan&& { return std::move(plan); });
  }

  [[nodiscard]] bool found() const { return best_.has_value(); }
  /// Infinite as long as there is none.
  [[nodiscard]] double cost() const { return cost_; }
  /// @pre found()
  [[nodiscard]] const Plan& best() const { return *best_; }
  [[nodiscard]] std::optional<Plan> take() { return std::move(best_); }

 private:
  std::optional<Plan> best_;
  double cost_ = std::numeric_limits<double>::infinity();
};

/// Calls `attempt`, which makes a plan that others may replace. False if it throws InputError because it does not
/// apply.
template <class Attempt>
bool unless_refused(Attempt attempt) {
  try {
    attempt();
  } catch (const InputError&) {
    return false;
  }
  return true;
}

}  // namespace sluice::detail
