#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sluice/input/traffic.hpp"
#include "sluice/schedule/json.hpp"
#include "sluice/schedule/validate.hpp"

namespace sluice {

/// What the layouts that a schedule names make each process send.
struct LayoutMessages {
  std::optional<Traffic> traffic;     ///< nothing where there are far more messages than transfers
  std::vector<Violation> violations;  ///< which says so in that case
};

/// Computes the messages anew. `name` is the file's, for messages. Throws InputError for malformed layouts and shapes,
/// and beyond 2^26 processes.
///
/// @pre file.schedule.input
[[nodiscard]] LayoutMessages messages_of_layouts(const ScheduleFile& file, const std::string& name);

/// As `validate(file)`, and for a schedule that names its layouts also whether every element of theirs is sent once:
/// their messages are worked out anew. Throws as messages_of_layouts.
[[nodiscard]] std::vector<Violation> validate_with_layouts(const ScheduleFile& file, const std::string& name);

}  // namespace sluice
