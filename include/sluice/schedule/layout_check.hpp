#pragma once

#include <string>
#include <vector>

#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// As `validate(file)`, and for a schedule that names its layouts also whether every element of theirs is sent once:
/// their messages are worked out anew. `name` is the file's, for messages.
///
/// Throws InputError for layouts and shapes that are none, and beyond 2^26 processes.
[[nodiscard]] std::vector<Violation> validate_with_layouts(const ScheduleFile& file, const std::string& name);

}  // namespace sluice
