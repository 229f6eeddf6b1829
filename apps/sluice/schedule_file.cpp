#include "schedule_file.hpp"

#include <cerrno>
#include <fstream>
#include <iostream>
#include <system_error>

#include "sluice/error.hpp"

namespace sluice::command {

AnySchedule read_schedule_file(const std::string& path) {
  if (path == "-") return read_any_schedule(std::cin, "standard input");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw InputError(path, "cannot be read: " + std::generic_category().message(errno), "a schedule");
  return read_any_schedule(in, path);
}

}  // namespace sluice::command
