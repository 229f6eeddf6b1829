#include "apps/sluice/simulate/simgrid_engine.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include "apps/sluice/options/broadcast.hpp"
#include "apps/sluice/output/progress.hpp"
#include "apps/sluice/process/child_process.hpp"
#include "sluice/error.hpp"
#include "sluice/input/simgrid.hpp"
#include "sluice/read_file.hpp"

namespace sluice::command {

namespace {

namespace fs = std::filesystem;
constexpr const char* kOption = "--engine";
constexpr const char* kMachine = "a platform of SimGrid, or a platform file";
constexpr const char* kHosts = "a file of names of hosts";

/// The program that simulates is beside this one in a build, and in libexec where it is installed.
std::string simulating_program() {
  const fs::path folder = own_path(kOption).parent_path();
  for (const fs::path& each : {folder / "sluice-simgrid", folder / SLUICE_LIBEXEC / "sluice-simgrid"}) {
    if (fs::exists(each)) return each.string();
  }
  if (SLUICE_WITH_SIMGRID != 0)  // a build of the command alone, or a copy of it
    throw InputError(kOption, "no program sluice-simgrid beside this one",
                     "one: scripts/build.sh release sluice-simgrid, or model");
  throw InputError(kOption, "no SimGrid in this build", "a build on a machine with libsimgrid-dev, or model");
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// `said`: "PLATFORM: FOUND, expected WHAT" of sluice-simgrid, or whatever SimGrid ended with. `where`: as users name
/// it.
[[noreturn]] void refuse(const std::string& said, const std::string& platform, const std::string& where) {
  constexpr std::string_view kExpected = ", expected ";
  const std::size_t expected = said.find(kExpected);
  const std::string prefix = platform + ": ";
  if (said.rfind(prefix, 0) == 0 && expected != std::string::npos)
    throw InputError(where, said.substr(prefix.size(), expected - prefix.size()),
                     said.substr(expected + kExpected.size()));
  throw InputError(where, said.empty() ? "nothing that SimGrid could say" : said,
                   "a machine that SimGrid can simulate");
}

}  // namespace

bool is_platform_file(const std::string& file) {
  return is_node_link_text(file) || fs::path(file).extension() == ".json";
}

void check(const SimgridEngineOptions& options) {
  if (options.platform.empty())
    throw InputError("--platform", "nothing", fmt::format("the machine to simulate: {}", kMachine));
  (void)simulating_program();
  for (const auto& [file, what] : {std::pair(options.platform, kMachine), std::pair(options.hosts, kHosts)}) {
    if (file.empty() || is_node_link_text(file)) continue;
    if (file == "-") throw InputError(shown_path(file), "what SimGrid cannot read", what);
    if (read_file(file, what).size == 0) throw InputError(file, "an empty file", what);
  }
  for (const std::string& each : options.settings)
    if (each.find(':') == std::string::npos) throw InputError("--cfg", "'" + each + "'", "NAME:VALUE");
}

Timeline simulate(const SimgridTask& task, const SimgridEngineOptions& options) {
  const TemporaryFolder files;
  SimgridMachine machine{fs::absolute(options.platform).string(), {}, options.settings};
  if (!options.hosts.empty()) machine.hosts = names_in(std::string(read_file(options.hosts, kHosts).text()));
  if (is_platform_file(options.platform)) {
    const SimgridPlatform simgrid = to_simgrid(read_platform_option(options.platform), options.platform);
    machine.platform = files.path("platform.xml");
    std::ofstream(machine.platform) << simgrid.xml;
    if (options.hosts.empty()) machine.hosts = names_in(simgrid.hosts);
  }
  std::ofstream request(files.path("request"));
  task.write_request(request, machine);
  request.close();
  if (!request) throw InputError(files.path("request"), "cannot be written", "room for temporary files, in TMPDIR");
  const int status = [&] {
    const Progress progress(static_cast<std::int64_t>(task.message_count()));
    const auto show = [&](std::int64_t ended) { progress.show(ended, "messages simulated"); };
    show(0);
    return run_program({simulating_program(), files.path("request"), files.path("times")},
                       {.errors = files.path("errors"), .folder = {}, .on_line = [&](const std::string& line) {
                          show(std::strtoll(line.c_str(), nullptr, 10));
                        }});
  }();
  if (status != 0) {
    refuse(complaint_in(files.path("errors")), machine.platform, options.platform);
  }
  std::ifstream times(files.path("times"));
  return task.read_times(times);
}

}  // namespace sluice::command
