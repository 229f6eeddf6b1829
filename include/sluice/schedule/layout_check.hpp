#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// Makes the problem of one array as it was written, with different processes in the two grids. Throws InputError for
/// malformed or different layouts and shapes, and for a part of an array that is not a matrix. `where` precedes the
/// names of the fields in it.
[[nodiscard]] RedistributionProblem problem_of(const ArrayInput& input, const std::string& where);

/// Holds the messages that follow from the layouts in a schedule.
struct LayoutMessages {
  std::optional<Traffic> traffic;     ///< nothing if there are far more messages than transfers
  std::vector<Violation> violations;  ///< says so if `traffic` is empty
};

/// Computes the messages again from the layouts; for a batch, the merged messages of all arrays. `name` is the file's,
/// for messages. Throws InputError for malformed layouts and shapes, and beyond 2^26 processes.
///
/// @pre file.schedule.input
[[nodiscard]] LayoutMessages messages_of_layouts(const ScheduleFile& file, const std::string& name);

/// Returns what is wrong with the file as `validate(file)` does. For a schedule that names its layouts, it also
/// computes their messages again, and checks that every element of the arrays is sent once. Throws as
/// messages_of_layouts.
[[nodiscard]] std::vector<Violation> validate_with_layouts(const ScheduleFile& file, const std::string& name);

}  // namespace sluice
