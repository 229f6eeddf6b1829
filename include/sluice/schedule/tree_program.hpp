#pragma once

#include <cstdint>

#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

namespace sluice {

/// Returns what the ranks of a reduction do along the tree of `schedule`, for elements of `size_bytes` in all on each
/// rank: a program that the jobs carry out. Each transfer is a message, in the order of the schedule; of an element in
/// parts, the part that its segment is, in whole pieces of `element_bytes` (fewer parts where there are fewer pieces).
/// Only the tree and its order matter to an execution; `length_s` is that of the schedule, whose times are seconds
/// then.
///
/// Throws InputError for a schedule that `validate` finds fault with, that is none of a reduction, or between clusters;
/// for sizes below 0, element sizes below 1 or that do not divide the size; and beyond 2^22 messages.
[[nodiscard]] Program program_of(const TreeSchedule& schedule, std::int64_t size_bytes, std::int64_t element_bytes);

}  // namespace sluice
