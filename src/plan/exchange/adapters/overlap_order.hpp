#pragma once

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::detail {

/// Orders the steps of all phases of a schedule with local phases so that the phases can overlap when it is executed. A
/// step then waits only for the pieces that it carries. Costs stay.
///
/// First come steps over the backbone that need nothing from earlier steps, and steps whose pieces are forwarded later.
/// Last come steps that need something and whose pieces are not forwarded. Otherwise their order stays. Steps before
/// the backbone are ordered by when the backbone needs their pieces; steps after it by when it delivers them. O(n log
/// n) time for n transfers and routes. Deterministic.
///
/// Source: ours, after Johnson's rule for two machines.
///
/// Example: steps X and Y over the backbone, X carries a piece of the only step before, Y one that goes on in the only
/// step after. Y goes first, beside the step before, and the step after runs beside X.
void order_for_overlap(StepSchedule& schedule);

}  // namespace sluice::detail
