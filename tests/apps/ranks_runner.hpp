#pragma once

#include <string>
#include <vector>

#include "command_runner.hpp"

/// The command started by mpirun, by the tests themselves: what the launcher makes of exit status and output is part of
/// it.
namespace sluice::testing {

/// `sluice ARGUMENTS` on so many ranks.
[[nodiscard]] Outcome on_ranks(const Folder& folder, int ranks, const std::string& arguments);

/// `line` of a shell on each of so many ranks, with `sluice` in its path.
[[nodiscard]] Outcome shell_on_ranks(const Folder& folder, int ranks, const std::string& line);

/// The lines of standard error that say so.
[[nodiscard]] std::vector<std::string> error_lines(const Outcome& outcome);

/// Arguments that are refused, and what the error line says about them.
struct Case {
  const char* arguments;
  const char* about;
};

/// Five ranks in two clusters, not in the order of the ranks.
inline constexpr const char* kPlatformOfFive =
    R"({"schema": "sluice.platform/1", "ranks": 5,
 "clusters": [{"name": "a", "ranks": [4, 0, 2], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000, 1e-5]]},
              {"name": "b", "ranks": [1, 3], "latency_s": 1e-5, "gap": [[1, 1e-6], [1000, 1e-5]]}],
 "links": [{"from": 0, "to": 1, "latency_s": 1e-3, "gap": [[1, 1e-6], [1000, 1e-4]], "connections": 2}]})";

/// As expect_refused, but for what the launcher adds.
void expect_refused_once(const Outcome& outcome, const std::string& about);

}  // namespace sluice::testing
