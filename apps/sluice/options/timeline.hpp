#pragma once

#include <CLI/App.hpp>
#include <string>

#include "sluice/schedule/timeline.hpp"
#include "sluice/show/gantt.hpp"

namespace sluice::command {

/// The options --svg FILE|- (with --rows) and --trace FILE: when each transfer runs, as a picture and for viewers of
/// traces; and, of what is predicted, --beside TRACE: above what ran.
class TimelineOutput {
 public:
  /// `by`: how the times are known, such as "by the model".
  void add_to(CLI::App& app, const std::string& by);

  /// For times that are predicted.
  void add_beside_to(CLI::App& app);

  /// The file of --svg; empty: none.
  [[nodiscard]] const std::string& svg() const { return svg_; }
  [[nodiscard]] bool traced() const { return !trace_.empty(); }
  [[nodiscard]] bool beside() const { return !beside_.empty(); }
  /// What a row of the picture is.
  [[nodiscard]] GanttRow row() const;
  /// Whether a file is asked for.
  [[nodiscard]] bool wanted() const { return !svg_.empty() || !trace_.empty(); }
  /// The option asked for, "" if there is none.
  [[nodiscard]] const char* given() const { return !svg_.empty() ? "--svg" : trace_.empty() ? "" : "--trace"; }

  /// Throws InputError if a file cannot be written, its name tells no kind of trace, or --beside has no picture to be
  /// in.
  void check() const;

  /// Writes what was asked for. Throws InputError.
  void write(const Timeline& timeline, const std::string& title) const;

 private:
  [[nodiscard]] std::string picture_beside(const Timeline& timeline) const;

  std::string svg_;
  std::string rows_ = "senders";
  std::string trace_;
  std::string beside_;
};

}  // namespace sluice::command
