#include "command_runner.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

namespace sluice::testing {

namespace {

constexpr unsigned kTimeLimit_s = 110;

void redirect(const std::string& path, int flags, int to) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, to) < 0) ::_exit(127);
  ::close(file);
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Folder::Folder() : path_(::testing::TempDir() + "sluice-XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) std::abort();
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> Folder::files() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void Folder::write(const std::string& name, const std::string& content) const {
  std::ofstream out(path(name), std::ios::binary);
  out << content;
  ASSERT_TRUE(out.flush()) << path(name);
}

std::string Folder::read(const std::string& name) const { return read_text(path(name)); }

Outcome Folder::sluice(const Arguments& arguments, const std::string& input, const std::string& out) const {
  Arguments command{SLUICE_COMMAND};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, {}, input, out);
}

/// A program under way, and where its streams go.
struct Folder::Running {
  std::unique_ptr<const Folder> streams = std::make_unique<Folder>();  // what it finds in its own folder is the test's
  pid_t process = -1;

  /// Waits for its end.
  [[nodiscard]] Outcome outcome(bool with_out) const {
    int status = 0;
    rusage used{};
    if (process < 0 || ::wait4(process, &status, 0, &used) != process) std::abort();
    Outcome result;
    result.peak_kib = used.ru_maxrss;
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    if (with_out) result.out = read_text(streams->path("out"));
    result.err = read_text(streams->path("err"));
    return result;
  }
};

Folder::Running Folder::start(const Arguments& command, const std::vector<std::string>& environment,
                              const std::string& input, const std::string& out) const {
  Running running;
  const Folder& streams = *running.streams;
  streams.write("in", input);
  running.process = ::fork();
  if (running.process == 0) {
    ::alarm(kTimeLimit_s);
    redirect(streams.path("in"), O_RDONLY, STDIN_FILENO);
    redirect(out.empty() ? streams.path("out") : out, O_WRONLY | O_CREAT, STDOUT_FILENO);
    redirect(streams.path("err"), O_WRONLY | O_CREAT, STDERR_FILENO);
    if (::chdir(path_.c_str()) != 0) ::_exit(127);
    for (const std::string& entry : environment) {
      const std::size_t equals = entry.find('=');
      ::setenv(entry.substr(0, equals).c_str(), entry.substr(equals + 1).c_str(), 0);
    }
    std::vector<char*> arguments;
    for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    ::_exit(127);
  }
  return running;
}

Outcome Folder::run(const Arguments& command, const std::vector<std::string>& environment, const std::string& input,
                    const std::string& out) const {
  return start(command, environment, input, out).outcome(out.empty());
}

Outcome Folder::sluice_interrupted(const Arguments& arguments, std::chrono::milliseconds after) const {
  Arguments command{SLUICE_COMMAND};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const Running running = start(command, {}, "", "");
  const std::string status = "/proc/" + std::to_string(running.process) + "/status";
  const std::string field = "SigCgt:\t";
  constexpr unsigned long long kInterrupt = 1ULL << (SIGINT - 1);
  constexpr std::chrono::milliseconds kBetweenLooks(5);
  while (true) {
    siginfo_t ended = {};
    ::waitid(P_PID, static_cast<id_t>(running.process), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid != 0) break;  // before it could be interrupted: the outcome shows it
    const std::string text = read_text(status);
    const std::size_t at = text.find(field);
    if (at != std::string::npos && (std::stoull(text.substr(at + field.size(), 16), nullptr, 16) & kInterrupt) != 0) {
      std::this_thread::sleep_for(after);
      ::kill(running.process, SIGINT);
      break;
    }
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return running.outcome(true);
}

Outcome Folder::in_terminal(int columns, const std::string& line) const {
  const std::string head = "export TERM=xterm; unset NO_COLOR; stty cols " + std::to_string(columns) + "; ";
  return run({"script", "-qec", head + line, "/dev/null"});
}

Arguments words(const std::string& text) {
  std::istringstream in(text);
  Arguments result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);) result.push_back(line);
  return result;
}

std::string paper_folder() { return SLUICE_PAPER_FOLDER; }

void expect_refused(const Outcome& outcome, const std::string& about) {
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines(outcome.err).size(), 1U) << outcome.err;
  EXPECT_EQ(outcome.err.rfind("error: ", 0), 0U) << outcome.err;
  EXPECT_NE(outcome.err.find(about), std::string::npos) << outcome.err << "lacks: " << about;
  if (!outcome.err.empty()) {
    EXPECT_EQ(outcome.err.back(), '\n');
  }
}

}  // namespace sluice::testing
