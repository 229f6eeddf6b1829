#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sluice::testing {

using Arguments = std::vector<std::string>;

struct Outcome {
  int status = -1;  ///< exit status; minus the signal that ended the process
  std::string out;
  std::string err;
  long peak_kib = 0;  ///< the most memory that it had at once
};

/// A new empty folder, removed with all that is in it. Commands run in it.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return path_ + '/' + name; }
  /// Names of what is in it, sorted.
  [[nodiscard]] std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& content) const;
  [[nodiscard]] std::string read(const std::string& name) const;

  /// Runs `sluice ARGUMENTS` here, at most 60 seconds. `out`: where its standard output goes instead.
  [[nodiscard]] Outcome sluice(const Arguments& arguments, const std::string& input = "",
                               const std::string& out = "") const;
  /// Starts `sluice ARGUMENTS` here, and presses Ctrl-C (SIGINT) once, so long after the program says that it handles
  /// it.
  [[nodiscard]] Outcome sluice_interrupted(const Arguments& arguments,
                                           std::chrono::milliseconds after = std::chrono::milliseconds(0)) const;
  /// Runs any program here, with these additions to the environment, NAME=VALUE.
  [[nodiscard]] Outcome run(const Arguments& command, const std::vector<std::string>& environment = {},
                            const std::string& input = "", const std::string& out = "") const;
  /// Runs `line` of a shell in a terminal that has `columns` columns and knows colours. `out` is what it prints, errors
  /// too.
  [[nodiscard]] Outcome in_terminal(int columns, const std::string& line) const;

 private:
  struct Running;
  [[nodiscard]] Running start(const Arguments& command, const std::vector<std::string>& environment,
                              const std::string& input, const std::string& out) const;

  std::string path_;
};

/// "a b c" as three arguments.
[[nodiscard]] Arguments words(const std::string& text);

/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string> lines(const std::string& text);

/// What a file holds.
[[nodiscard]] std::string read_text(const std::string& path);

/// The folder with the tables of the paper.
[[nodiscard]] std::string paper_folder();

/// Expects what every bad input has in common: status 2, one line "error: ..." on standard error with `about` in it,
/// nothing on standard output.
void expect_refused(const Outcome& outcome, const std::string& about);

}  // namespace sluice::testing
