#pragma once

#include <string>
#include <vector>

#include "command_runner.hpp"

/// Runs the command under mpirun, which the tests start. What the launcher makes of exit status and output is part of
/// the result.
namespace sluice::testing {

/// Runs `sluice ARGUMENTS` on `ranks` ranks.
[[nodiscard]] Outcome on_ranks(const Folder& folder, int ranks, const std::string& arguments);

/// Runs `line` of a shell on each of `ranks` ranks, with `sluice` in its path.
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

/// Like expect_refused, except that the launcher may add lines.
void expect_refused_once(const Outcome& outcome, const std::string& about);

}  // namespace sluice::testing
