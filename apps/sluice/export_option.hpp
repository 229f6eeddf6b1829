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
  /// Before planning: throws InputError for a format that is none, a file that cannot be written, and beside --summary
  /// and what else writes no steps out (`other` names it, "" where there is nothing).
  void check(const std::string& other) const;
  /// Writes the file, if one was asked for.
  void write(const StepSchedule& schedule) const;

 private:
  std::vector<std::string> values_;
};

}  // namespace sluice::command
