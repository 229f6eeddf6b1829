#pragma once

#include <CLI/App.hpp>
#include <string>

#include "sluice/schedule/timeline.hpp"

namespace sluice::command {

/// The options --svg FILE|- and --trace FILE: when each transfer runs, as a picture and for viewers of traces.
class TimelineOutput {
 public:
  /// `by`: how the times are known, such as "by the model".
  void add_to(CLI::App& app, const std::string& by);

  /// Whether either is asked for.
  [[nodiscard]] bool wanted() const { return !svg_.empty() || !trace_.empty(); }
  /// The option asked for, "" if there is none.
  [[nodiscard]] const char* given() const { return !svg_.empty() ? "--svg" : trace_.empty() ? "" : "--trace"; }

  /// Throws InputError if a file cannot be written, or its name does not say which kind of trace it is to be.
  void check() const;

  /// Writes what was asked for. Throws InputError.
  void write(const Timeline& timeline, const std::string& title) const;

 private:
  std::string svg_;
  std::string trace_;
};

}  // namespace sluice::command
