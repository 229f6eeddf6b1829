#pragma once

#include <string>

#include "sluice/schedule/timeline.hpp"

/// Timelines as files of programs that show them.
namespace sluice {

/// Chrome's trace event format (JSON), which Perfetto opens: a process for each node, with a track of what it sends and
/// one of what it receives, and more of them where it does several at once. Times are microseconds, in
/// whole nanoseconds; of a timeline without a unit, 1 becomes 1 us. O(m log m).
[[nodiscard]] std::string chrome_trace(const Timeline& timeline);

/// Returns the Paje format, which ViTE and pajeng open: a container for each track, a state for each transfer in the
/// colour of the node at its other end, and an arrow from where it is sent to where it is received. Events are in order
/// of their time. O(m log m).
[[nodiscard]] std::string paje_trace(const Timeline& timeline);

}  // namespace sluice
