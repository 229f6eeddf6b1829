#pragma once

#include <cstdint>
#include <functional>

#include "plan/budget.hpp"
#include "plan/exchange/lazy_slack.hpp"

namespace sluice::detail {

/// Makes a plan of `table` cheaper by planning some of its steps anew, again and again: until the budget is spent,
/// `rounds` attempts in a row without success, or a cost of `bound` (which no plan is below). `found` is called
/// whenever the cost falls. See improve.cpp.
/// @pre `steps` is a plan of `table`
void improve(const DemandTable& table, CellSteps& steps, std::uint64_t seed, std::int64_t rounds, double bound,
             Budget& budget, const std::function<void()>& found);

}  // namespace sluice::detail
