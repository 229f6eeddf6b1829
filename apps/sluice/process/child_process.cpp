#include "apps/sluice/process/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <string_view>
#include <system_error>

#include "sluice/error.hpp"

namespace sluice::command {

namespace fs = std::filesystem;

fs::path own_path(const std::string& where) {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  if (error) throw InputError(where, "no /proc/self/exe", "Linux");
  return path;
}

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  path_ = (fs::temp_directory_path(error) / "sluice-XXXXXX").string();
  if (error || ::mkdtemp(path_.data()) == nullptr)
    throw InputError(path_, "cannot be made", "a folder for temporary files, in TMPDIR");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

namespace {

/// Calls `on_line` for each line until the program has closed its end.
void read_lines(int file, const std::function<void(const std::string&)>& on_line) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const ssize_t count = ::read(file, chunk.data(), chunk.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.append(chunk.data(), static_cast<std::size_t>(count));
    std::size_t start = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', start)) {
      on_line(text.substr(start, end - start));
      start = end + 1;
    }
    text.erase(0, start);
  }
}

}  // namespace

int run_program(std::vector<std::string> words, const ProgramEnds& ends) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::array<int, 2> pipe{-1, -1};
  if (ends.on_line && ::pipe2(pipe.data(), O_CLOEXEC) != 0) return kNotRun;
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)::signal(SIGPIPE, SIG_DFL);  // which this program ignores, and children would too
    const int nothing = ::open("/dev/null", O_RDWR);
    const int output = ends.on_line ? pipe[1] : nothing;
    bool ready = nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(output, STDOUT_FILENO) >= 0;
    if (!ends.errors.empty()) {
      const int errors = ::open(ends.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ready = ready && errors >= 0 && ::dup2(errors, STDERR_FILENO) >= 0;
    }
    if (ready && (ends.folder.empty() || ::chdir(ends.folder.c_str()) == 0)) ::execvp(argv[0], argv.data());
    ::_exit(kNotRun);
  }
  if (ends.on_line) {
    ::close(pipe[1]);
    if (child > 0) read_lines(pipe[0], ends.on_line);
    ::close(pipe[0]);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNotRun;
}

std::string complaint_in(const std::string& errors) {
  constexpr std::string_view kError = "error: ";
  std::ifstream in(errors);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(kError, 0) == 0) return line.substr(kError.size());
    if (first.empty() && line.find_first_not_of("- \t") != std::string::npos) first = line;
  }
  return first;
}

}  // namespace sluice::command
