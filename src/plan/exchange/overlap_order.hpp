#pragma once

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// Orders the steps of all phases of a schedule with local phases so that an execution in which a step waits only for
/// the pieces that it carries can let the phases overlap. Costs stay.
///
/// Steps over the backbone that need nothing of what goes before, and those whose pieces go on afterwards, come first;
/// those that need something and let nothing go on come last; else their order stays. The steps before follow the order
/// in which the backbone needs their pieces, those after it the order in which it delivers them. O(n log n) time for n
/// transfers and routes. Deterministic.
///
/// Source: ours; the thought is that of Johnson's rule for two machines.
///
/// Example: steps X and Y over the backbone, X carries a piece of the only step before, Y one that goes on in the only
/// step after. Y goes first, beside the step before, and the step after runs beside X.
void order_for_overlap(StepSchedule& schedule);

}  // namespace sluice::detail
