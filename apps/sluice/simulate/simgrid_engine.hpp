#pragma once

#include <string>
#include <vector>

#include "sluice/schedule/timeline.hpp"
#include "sluice/timing/simgrid.hpp"

/// `simulate --engine simgrid`.
namespace sluice::command {

/// The machine as options name it.
struct SimgridEngineOptions {
  std::string platform;               ///< a file in SimGrid's format, or a platform (NAME.json) that is turned into one
  std::string hosts;                  ///< a file with a host on each line; empty: all of the platform
  std::vector<std::string> settings;  ///< NAME:VALUE
};

/// Whether `file` is a platform file by its name, not one of SimGrid's.
[[nodiscard]] bool is_platform_file(const std::string& file);

/// Throws InputError where this build has no SimGrid, or for a file that cannot be read.
void check(const SimgridEngineOptions& options);

/// Throws InputError for what SimGrid says of the platform.
[[nodiscard]] Timeline simulate(const SimgridTask& task, const SimgridEngineOptions& options);

}  // namespace sluice::command
