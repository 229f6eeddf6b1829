#pragma once

#include <cstdint>
#include <functional>

#include "base/budget.hpp"
#include "plan/exchange/constructive/packing.hpp"

namespace sluice::detail {

/// Makes the plan in `packing` cheaper: it removes or shortens steps and packs what they carried into the others. It
/// ends when the budget is spent, `rounds` attempts have been made for each step, or the plan costs `bound`, a lower
/// bound of all plans. Calls `found` repeatedly when the packing holds a plan that is the cheapest so far. See
/// repack.cpp.
void repack(Packing& packing, std::uint64_t seed, std::int64_t rounds, double bound, Budget& budget,
            const std::function<void()>& found);

}  // namespace sluice::detail
