#include "ranks_runner.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace sluice::testing {
namespace {

Outcome launch(const Folder& folder, int ranks, const Arguments& program) {
  Arguments command{SLUICE_LAUNCHER, SLUICE_LAUNCHER_RANKS, std::to_string(ranks)};
  command.insert(command.end(), program.begin(), program.end());
  return folder.run(command, words(SLUICE_LAUNCHER_ENVIRONMENT));
}

}  // namespace

Outcome on_ranks(const Folder& folder, int ranks, const std::string& arguments) {
  Arguments program = words(arguments);
  program.insert(program.begin(), SLUICE_COMMAND);
  return launch(folder, ranks, program);
}

Outcome shell_on_ranks(const Folder& folder, int ranks, const std::string& line) {
  const std::string path = "PATH=" + std::filesystem::path(SLUICE_COMMAND).parent_path().string() + ":$PATH; ";
  return launch(folder, ranks, {"sh", "-c", path + line});
}

std::vector<std::string> error_lines(const Outcome& outcome) {
  std::vector<std::string> result;
  for (const std::string& line : lines(outcome.err))
    if (line.find("error: ") != std::string::npos) result.push_back(line);
  return result;
}

void expect_refused_once(const Outcome& outcome, const std::string& about) {
  EXPECT_EQ(outcome.status, 2);
  // MPICH's launcher prints there that a rank ended badly.
  for (const char* of_a_result : {"median", "latency"})
    EXPECT_EQ(outcome.out.find(of_a_result), std::string::npos) << outcome.out;
  const std::vector<std::string> errors = error_lines(outcome);
  ASSERT_EQ(errors.size(), 1U) << outcome.err;
  EXPECT_EQ(errors.front().rfind("error: ", 0), 0U) << errors.front();
  EXPECT_NE(errors.front().find(about), std::string::npos) << errors.front() << "\nlacks: " << about;
}

}  // namespace sluice::testing
