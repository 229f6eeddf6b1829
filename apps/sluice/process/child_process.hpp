#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

/// Programs that the command starts.
namespace sluice::command {

/// The file of this very program. Throws InputError naming `where` on systems that do not tell.
[[nodiscard]] std::filesystem::path own_path(const std::string& where);

/// A folder for temporary files, in TMPDIR, removed with what is in it.
class TemporaryFolder {
 public:
  /// Throws InputError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in it.
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

/// Exit status of a program that cannot be started, or did not exit by itself.
inline constexpr int kNotRun = 127;

struct ProgramEnds {
  std::string errors;  ///< the file that standard error goes to; empty: standard error of this process
  std::string folder;  ///< where it runs; empty: where this process does
  std::function<void(const std::string& line)> on_line = {};  ///< called for each line of its standard output
};

/// Runs `words`, a program on PATH and its arguments, and waits for it: its exit status. There is nothing on its
/// standard input, and nobody reads its standard output without `on_line`. It is sent SIGTERM if this thread ends
/// first.
int run_program(std::vector<std::string> words, const ProgramEnds& ends = {});

/// What a program complained of, by the file of its standard error: the rest of the first line that begins with "error:
/// ". If there is none, the first line that is not only dashes and blanks.
[[nodiscard]] std::string complaint_in(const std::string& errors);

}  // namespace sluice::command
