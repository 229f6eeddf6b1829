#pragma once

#include <cstdint>
#include <functional>

#include "plan/budget.hpp"
#include "plan/exchange/packing.hpp"

namespace sluice::detail {

/// Makes the plan in `packing` cheaper by taking steps away or shortening them and packing what they carried into the
/// others, until the budget is spent or `rounds` such attempts have been made for each step, or it costs `bound`, which
/// no plan is below. `found` is called now and then with a plan in the packing that is the cheapest so far. See
/// repack.cpp.
void repack(Packing& packing, std::uint64_t seed, std::int64_t rounds, double bound, Budget& budget,
            const std::function<void()>& found);

}  // namespace sluice::detail
