#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/input/redistribution_problem.hpp"
#include "sluice/input/traffic.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// Returns the problem of one array as it was written, with all processes apart. `where` stands before the names of the
/// fields in the InputError that is thrown for malformed or different layouts and shapes, and for a part of an array
/// that is not a matrix.
[[nodiscard]] RedistributionProblem problem_of(const ArrayInput& input, const std::string& where);

/// What the layouts that a schedule names make each process send.
struct LayoutMessages {
  std::optional<Traffic> traffic;     ///< nothing where there are far more messages than transfers
  std::vector<Violation> violations;  ///< they say so where `traffic` is empty
};

/// Computes the messages again from the layouts. For a batch, it computes those of each array and merges them. `name`
/// is the file's, for messages. Throws InputError for malformed layouts and shapes, and beyond 2^26 processes.
///
/// @pre file.schedule.input
[[nodiscard]] LayoutMessages messages_of_layouts(const ScheduleFile& file, const std::string& name);

/// As `validate(file)`, and for a schedule that names its layouts also checks that every element of the arrays is sent
/// once: it computes their messages again. Throws as messages_of_layouts.
[[nodiscard]] std::vector<Violation> validate_with_layouts(const ScheduleFile& file, const std::string& name);

}  // namespace sluice
