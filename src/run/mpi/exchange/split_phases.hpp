#pragma once

#include <cstdint>
#include <vector>

#include "base/lists.hpp"
#include "run/mpi/exchange/exchange_part.hpp"
#include "sluice/schedule/step_schedule.hpp"

namespace sluice::mpi::detail {

/// The parts of all ranks in a schedule with local phases (sluice/schedule/local_phases.hpp). Local transfers have a
/// lane of their own. So the phases overlap, and a transfer waits for nothing but the pieces that it carries. `waits`:
/// of the transfers over the backbone, see cut. `in_turn`: a phase begins when the previous phase has ended, and lane 0
/// has the steps of all phases; nothing waits then. O((transfers + routes) log routes) time.
[[nodiscard]] std::vector<ExchangePart> split_phases(const StepSchedule& schedule, int ranks,
                                                     const sluice::detail::Lists<std::uint32_t>& waits, bool in_turn);

}  // namespace sluice::mpi::detail
