#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/search/lazy_slack.hpp"

namespace sluice::detail {

/// Makes a plan of `table` cheaper by planning some of its steps anew, again and again. Stops when the budget is spent,
/// after `rounds` attempts in a row without success, or at a cost of `bound` (no plan costs less). `found` is called
/// whenever the cost falls. See improve.cpp.
/// @pre `steps` is a plan of `table`
void improve(const DemandTable& table, CellSteps& steps, std::uint64_t seed, std::int64_t rounds, double bound,
             Budget& budget, const std::function<void()>& found);

}  // namespace sluice::detail
