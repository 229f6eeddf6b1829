#pragma once

#include <string>

#include "sluice/schedule/timeline.hpp"

namespace sluice {

/// What a row of a Gantt chart is.
enum class GanttRow {
  kSender,   ///< a row says what a sender sends
  kReceiver  ///< a row says what a receiver gets
};

/// Returns a timeline as a Gantt chart in SVG: a row for each node, time to the right, a bar for each transfer in the
/// colour of the other node (Okabe and Ito's palette, told apart with any common kind of colour blindness), idle time
/// left free. A row says what the sender, or the receiver, does; where nodes are both, `row` has no effect: the upper
/// half of a row says what the node sends, the lower one what it receives. Transfers that run at the same time are
/// drawn one below the other. Where no step begins before the one before it has ended, steps are columns, with their
/// numbers above. `title` stands above; pointing at a bar tells its facts. Light or dark as the reader's system is.
///
/// Beyond 20,000 bars, those of a row that are narrower than a third of a pixel and touch become one grey bar. O(m log
/// m).
[[nodiscard]] std::string gantt_svg(const Timeline& timeline, const std::string& title,
                                    GanttRow row = GanttRow::kSender);

/// Draws the plan above the run, each as gantt_svg does, on the same time axis. A plan in the unit of its schedule is
/// stretched to the length of the run, and the picture says how long a unit then takes; a plan in seconds shows where
/// the run took longer. O(m log m).
[[nodiscard]] std::string gantt_beside_svg(const Timeline& plan, const Timeline& run, const std::string& title,
                                           GanttRow row = GanttRow::kSender);

}  // namespace sluice
