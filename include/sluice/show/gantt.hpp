#pragma once

#include <string>

#include "sluice/schedule/timeline.hpp"

namespace sluice {

/// A timeline as a Gantt chart in SVG: a row for each node, time to the right, a bar for each transfer in the colour of
/// the other node (Okabe and Ito's palette, told apart with any common kind of colour blindness), idle time left free.
/// A row says what the node sends; where nodes do both, a second half of the row says what it receives; transfers that
/// run at the same time are drawn one below the other. `title` stands above; pointing at a bar tells its facts. Light
/// or dark as the reader's system is.
///
/// Beyond 20,000 bars, those of a row that are narrower than a third of a pixel and touch become one grey bar. O(m log
/// m).
[[nodiscard]] std::string gantt_svg(const Timeline& timeline, const std::string& title);

/// Draws the plan above the run, each as gantt_svg does, on the same time axis. A plan in the unit of its schedule is
/// stretched to the length of the run, and the picture says how long a unit then takes; a plan in seconds shows where
/// the run took longer. O(m log m).
[[nodiscard]] std::string gantt_beside_svg(const Timeline& plan, const Timeline& run, const std::string& title);

}  // namespace sluice
