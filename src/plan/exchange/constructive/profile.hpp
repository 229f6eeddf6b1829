#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/constructive/packing.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/parts.hpp"

namespace sluice::detail {

/// How long the steps of a plan may last. See profile.cpp.
struct Profile {
  std::vector<std::int64_t> durations;
  double rank = 0;   ///< profiles are tried in this order, the lowest first
  double least = 0;  ///< the cost of a plan in these steps, or more of them, if no step has to last longer
};

/// Profiles of at most `most_steps` steps, the lowest rank first; fewer of them if the budget is spent.
/// @pre `order` is by_falling_size(demand), and not empty
[[nodiscard]] std::vector<Profile> profiles(const Demand& demand, const std::vector<std::int32_t>& order,
                                            std::int64_t most_steps, Budget& budget);

/// Steps that a packing of `demand` has room for: twice the fewest, and some.
[[nodiscard]] std::int64_t most_steps_of_packing(const Demand& demand);

/// Fits all messages into the steps of `profile`. False if that takes more steps than `packing` holds, or more than the
/// budget.
[[nodiscard]] bool fit(Packing& packing, const Demand& demand, const std::vector<std::int32_t>& order,
                       const Profile& profile, Budget& budget);

/// Fits one profile after another, until a share of the budget is spent and one profile has been fitted, or until the
/// whole budget is spent. Calls `found` for every plan, which `packing` then holds.
/// @pre `packing` has room for most_steps_of_packing(demand) steps
void fit_profiles(const Demand& demand, Packing& packing, Budget& budget, double share,
                  const std::function<void()>& found);

}  // namespace sluice::detail
