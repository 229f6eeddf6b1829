#pragma once

#include <string>

#include "sluice/schedule/timeline.hpp"

namespace sluice {

/// Says what a row of a Gantt chart shows.
enum class GanttRow {
  kSender,   ///< a row says what a sender sends
  kReceiver  ///< a row says what a receiver gets
};

/// Draws a timeline as a Gantt chart in SVG: a row for each node, time to the right, a bar for each transfer, idle time
/// left free.
///
///  - `timeline`: the transfers
///  - `title`: text above
///  - `row`: says whether rows are senders or receivers. It has no effect if nodes are both: the upper half of a row
///    then shows what the node sends, the lower half what it receives
///
/// Bars have the colour of the other node (Okabe and Ito's palette, which people with any common kind of colour
/// blindness can tell apart). Transfers at the same time are drawn below each other. If no step begins before the
/// previous step has ended, steps are columns with numbers above. Pointing at a bar shows its facts. Light or dark as
/// the reader's system is.
///
/// Beyond 20,000 bars, bars of a row that touch and are narrower than a third of a pixel become one grey bar. O(m log
/// m).
[[nodiscard]] std::string gantt_svg(const Timeline& timeline, const std::string& title,
                                    GanttRow row = GanttRow::kSender);

/// Draws the plan above the run, each as gantt_svg does, on the same time axis. A plan in the unit of its schedule is
/// stretched to the length of the run, and the picture says how long a unit then takes. A plan in seconds shows where
/// the run took longer. O(m log m).
[[nodiscard]] std::string gantt_beside_svg(const Timeline& plan, const Timeline& run, const std::string& title,
                                           GanttRow row = GanttRow::kSender);

}  // namespace sluice
