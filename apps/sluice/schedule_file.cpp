#include "schedule_file.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>
#include <utility>
#include <variant>

#include "option_values.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

AnySchedule read_schedule_file(const std::string& path) {
  if (path == "-") return read_any_schedule(std::cin, shown_file(path));
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, "cannot be read: " + std::generic_category().message(errno), "a schedule");
  return read_any_schedule(in, path);
}

ScheduleFile read_steps_file(const std::string& path, const char* expected) {
  AnySchedule read = read_schedule_file(path);
  auto* const steps = std::get_if<ScheduleFile>(&read);
  if (steps == nullptr) throw InputError(path, "no schedule of steps", expected);
  return std::move(*steps);
}

void refuse_broken(const std::vector<Violation>& violations, const std::string& name) {
  if (!violations.empty())
    throw InputError(name, "a broken schedule: " + to_string(violations.front()), "one that sluice check accepts");
}

}  // namespace sluice::command
