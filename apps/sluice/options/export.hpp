#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "sluice/schedule/step_schedule.hpp"

namespace sluice::command {

/// The option --export FORMAT FILE|- of plans of steps.
class ExportOption {
 public:
  void add_to(CLI::App& problem);
  /// Call it before planning. Throws InputError for an unknown format, for a file that cannot be written, and beside an
  /// option that leaves the steps out: --summary, or `other` unless it is empty.
  void check(const std::string& other) const;
  /// Writes the file, if one was asked for.
  void write(const StepSchedule& schedule) const;

 private:
  std::vector<std::string> values_;
};

}  // namespace sluice::command
