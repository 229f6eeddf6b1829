#pragma once

#include <cstdint>

#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/show/shown_lines.hpp"

namespace sluice {

/// Returns the transfers of a tree as a table for people, one per line, in their order: start, end, sender, receiver,
/// and, if the message is cut, its part.
///
///     start  end  sender->receiver
///         0    2  3->1
///         0    2  2->0
///         3    5  1->0
///
/// `limit`: most transfers; negative: all of them.
[[nodiscard]] ShownLines tree_lines(const TreeSchedule& schedule, std::int64_t limit = -1);

}  // namespace sluice
