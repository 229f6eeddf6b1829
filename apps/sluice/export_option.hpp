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
  /// and what else writes no steps out (`other` names it, "" where there is nothing) or takes standard output too.
  void check(bool json_to_output, const std::string& other) const;
  /// Writes the file, if one was asked for; true where it went to standard output, in place of the table.
  [[nodiscard]] bool write(const StepSchedule& schedule) const;

 private:
  std::vector<std::string> values_;
};

}  // namespace sluice::command
