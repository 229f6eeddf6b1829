#pragma once

#include <string>

#include "sluice/schedule/timeline.hpp"

/// Writes timelines as files for programs that show them.
namespace sluice {

/// Writes Chrome's trace event format (JSON), which Perfetto opens. Each node is a process, with a track for what it
/// sends and a track for what it receives, and more tracks if it does several at once. Times are microseconds, in whole
/// nanoseconds; in a timeline without a unit, 1 becomes 1 us. O(m log m).
[[nodiscard]] std::string chrome_trace(const Timeline& timeline);

/// Writes the Paje format, which ViTE and pajeng open. It has a container for each track, and a state for each transfer
/// in the colour of the node at its other end. An arrow leads from its send to its receive. Events are in order of
/// their time. O(m log m).
[[nodiscard]] std::string paje_trace(const Timeline& timeline);

}  // namespace sluice
