#include "child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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

int run_program(std::vector<std::string> words, const ProgramEnds& ends) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    const int nothing = ::open("/dev/null", O_RDWR);
    bool ready = nothing >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(nothing, STDOUT_FILENO) >= 0;
    if (!ends.errors.empty()) {
      const int errors = ::open(ends.errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ready = ready && errors >= 0 && ::dup2(errors, STDERR_FILENO) >= 0;
    }
    if (ready && (ends.folder.empty() || ::chdir(ends.folder.c_str()) == 0)) ::execvp(argv[0], argv.data());
    ::_exit(kNotRun);
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
