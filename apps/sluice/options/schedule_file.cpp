#include "apps/sluice/options/schedule_file.hpp"

#include <utility>
#include <variant>

#include "apps/sluice/options/values.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

ScheduleFile read_steps_file(const std::string& path, const char* expected) {
  AnySchedule read = read_any_schedule(path);
  auto* const steps = std::get_if<ScheduleFile>(&read);
  if (steps == nullptr) throw InputError(path, "no schedule of steps", expected);
  return std::move(*steps);
}

void refuse_broken(const std::vector<Violation>& violations, const std::string& name) {
  if (!violations.empty())
    throw InputError(name, "a broken schedule: " + to_string(violations.front()), "one that sluice check accepts");
}

}  // namespace sluice::command
