#include "preloaded.hpp"

#include <sstream>

namespace sluice::testing {
namespace {

Arguments launcher(int ranks, const std::string& variables, const std::string& libraries = SLUICE_PRELOADED) {
  Arguments command{SLUICE_LAUNCHER, SLUICE_LAUNCHER_RANKS, std::to_string(ranks), "env", "LD_PRELOAD=" + libraries};
  for (const std::string& each : words(variables)) command.push_back(each);
  return command;
}

std::string path_of(const std::string& program) { return std::string(SLUICE_PROGRAMS) + "/pmpi_" + program; }

Outcome run(const Folder& folder, Arguments command, const std::string& program) {
  Arguments own = words(program);
  if (own.front().front() != '/') own.front() = path_of(own.front());
  command.insert(command.end(), own.begin(), own.end());
  return folder.run(command, words(SLUICE_LAUNCHER_ENVIRONMENT));
}

}  // namespace

Outcome preloaded(const Folder& folder, int ranks, const std::string& variables, const std::string& program) {
  return run(folder, launcher(ranks, variables), program);
}

Outcome preloaded_on_hosts(const Folder& folder, int ranks, const std::string& variables, const std::string& program) {
  return run(folder, launcher(ranks, variables, std::string(SLUICE_TWO_PER_HOST) + ':' + SLUICE_PRELOADED), program);
}

Outcome preloaded_interposed(const Folder& folder, int ranks, const std::string& variables,
                             const std::string& program) {
  return run(folder, launcher(ranks, variables, std::string(SLUICE_INTERPOSED) + ':' + SLUICE_PRELOADED), program);
}

Outcome preloaded_by_other_launcher(const Folder& folder, int ranks, const std::string& variables,
                                    const std::string& program) {
  Arguments command = launcher(ranks, variables);
  command[0] = SLUICE_OTHER_LAUNCHER;
  return run(folder, command, program);
}

Outcome preloaded_under_other_mpi(const Folder& folder, int ranks, const std::string& variables,
                                  const std::string& program) {
  return run(folder, launcher(ranks, variables, std::string(SLUICE_OTHER_MPI) + ':' + SLUICE_PRELOADED), program);
}

Outcome preloaded_by_shell(const Folder& folder, int ranks, const std::string& variables, const std::string& line,
                           const std::string& program) {
  Arguments command = launcher(ranks, variables);
  command.insert(command.end(), {"sh", "-c", line, path_of(program)});
  return folder.run(command, words(SLUICE_LAUNCHER_ENVIRONMENT));
}

long planned(const Outcome& outcome, const std::string& call) {
  for (const std::string& line : lines(outcome.err)) {
    const std::size_t at = line.find("sluice: " + call + ' ');
    if (at == std::string::npos) continue;
    std::istringstream rest(line.substr(at));
    std::string word;
    long calls = 0;
    long planned = -1;
    if (rest >> word >> word >> calls >> planned) return planned;
  }
  return -1;
}

}  // namespace sluice::testing
