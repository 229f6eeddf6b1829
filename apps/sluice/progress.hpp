#pragma once

#include <cstdint>
#include <string>

namespace sluice::command {

/// A bar on standard error that says how far a study is; silent where that is no terminal.
class Progress {
 public:
  explicit Progress(std::int64_t total);
  /// Clears the bar.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `what` is under way, after `done` of the total.
  void show(std::int64_t done, const std::string& what) const;

 private:
  std::int64_t total_;
  bool on_terminal_;
};

}  // namespace sluice::command
