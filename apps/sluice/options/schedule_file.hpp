#pragma once

#include <string>
#include <vector>

#include "sluice/error.hpp"
#include "sluice/schedule/any_schedule.hpp"

namespace sluice::command {

/// Reads the schedule of steps at `path`. Throws InputError for anything else, with what was `expected`.
[[nodiscard]] ScheduleFile read_steps_file(const std::string& path, const char* expected);

/// Throws InputError, the first of `violations`, if there are any. `name`: the file's.
void refuse_broken(const std::vector<Violation>& violations, const std::string& name);

/// What `use` returns, whose InputErrors that are about a "schedule" name its file, `name`, instead.
template <class Use>
auto naming_file(const std::string& name, Use&& use) {
  try {
    return use();
  } catch (const InputError& error) {
    if (error.where() != "schedule") throw;
    throw InputError(name, error.found(), error.expected());
  }
}

}  // namespace sluice::command
