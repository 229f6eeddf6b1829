#include "simulated_machines.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "output.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "SLUICE_SMPI";
constexpr int kCannotStart = 127;
constexpr int kSecondsForOne = 900;
/// What SMPI is told that a message costs its sender and its receiver: see scripts/smpirun.options.
constexpr double kEnd_s = 2e-6;

fs::path find_command(const std::string& where) {
  std::error_code error;
  if (const char* given = std::getenv(kVariable); given != nullptr && *given != '\0') {
    if (!fs::is_regular_file(given, error))
      throw InputError(kVariable, fmt::format("'{}'", given), "the command of a build with SimGrid's SMPI");
    return fs::absolute(given);
  }
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  fs::path built = (own.parent_path() / "../../smpi/bin/sluice").lexically_normal();
  if (!fs::is_regular_file(built, error))
    throw InputError(
        where, fmt::format("no {}", built.string()),
        fmt::format("scripts/build.sh smpi, or the command of a build with SimGrid's SMPI in {}", kVariable));
  return built;
}

/// Standard output is thrown away, standard error goes to `errors`; the exit status.
int run_program(std::vector<std::string> words, const std::string& errors) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nothing = ::open("/dev/null", O_RDWR);
    const int error = ::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (nothing >= 0 && error >= 0 && ::dup2(nothing, STDIN_FILENO) >= 0 && ::dup2(nothing, STDOUT_FILENO) >= 0 &&
        ::dup2(error, STDERR_FILENO) >= 0) {
      ::execvp(argv[0], argv.data());
    }
    ::_exit(kCannotStart);
  }
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kCannotStart;
}

/// The first line that says what is wrong.
std::string complaint(const std::string& file) {
  std::ifstream in(file);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (first.empty()) first = line;
    constexpr std::string_view kError = "error: ";
    if (line.rfind(kError, 0) == 0) return line.substr(kError.size());
  }
  return first;
}

}  // namespace

double SimulatedCluster::transfer_s(std::int64_t bytes) const {
  return overhead_s() + static_cast<double>(bytes) / bytes_per_s;
}

double SimulatedCluster::overhead_s() const { return 2 * (latency_s + kEnd_s); }

SimulatedMachines::SimulatedMachines(const std::string& where) : where_(where), command_(find_command(where).string()) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "sluice-study-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr)
    throw InputError(name, "cannot be made", "a folder for temporary files, in TMPDIR");
  files_ = name;
  if (run_program({"smpirun", "-version"}, files_ + "/errors") == 0) return;
  fs::remove_all(files_, error);
  throw InputError(where_, "no smpirun", "SimGrid: scripts/install-deps.sh --smpi");
}

SimulatedMachines::~SimulatedMachines() {
  std::error_code ignored;
  fs::remove_all(files_, ignored);
}

nlohmann::json SimulatedMachines::run(const SimulatedCluster& cluster, const std::string& selector,
                                      const std::vector<std::string>& arguments) const {
  const std::string platform = files_ + "/platform.xml", hosts = files_ + "/hosts", result = files_ + "/result.json",
                    errors = files_ + "/errors";
  write_file_atomically(platform, fmt::format(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="host-" suffix="" radical="0-{}" speed="1Gf" bw="{}Bps" lat="{}s"/>
</platform>
)",
                                              cluster.hosts - 1, cluster.bytes_per_s, cluster.latency_s));
  std::string names;
  for (std::int64_t i = 0; i < cluster.hosts; ++i) names += fmt::format("host-{}\n", i);
  write_file_atomically(hosts, names);
  std::error_code ignored;
  fs::remove(result, ignored);

  std::vector<std::string> words{"timeout",
                                 fmt::format("{}", kSecondsForOne),
                                 "smpirun",
                                 "-np",
                                 fmt::format("{}", cluster.hosts),
                                 "-platform",
                                 platform,
                                 "-hostfile",
                                 hosts};
  for (const char* option : {SLUICE_SMPIRUN_OPTIONS}) words.emplace_back(option);
  words.push_back("--cfg=smpi/coll-selector:" + selector);
  words.push_back(command_);
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.insert(words.end(), {"--json", result});
  const int status = run_program(words, errors);
  std::ifstream in(result);
  nlohmann::json read = nlohmann::json::parse(in, nullptr, false);
  if (status != 0 || read.is_discarded()) {
    const std::string said = complaint(errors);
    throw InputError(fmt::format("{}: {} simulated hosts, selector {}", where_, cluster.hosts, selector),
                     said.empty() ? fmt::format("exit status {}", status) : said, "a simulation that ends");
  }
  return read;
}

}  // namespace sluice::command
