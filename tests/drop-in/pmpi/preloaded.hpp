#pragma once

#include <string>

#include "command_runner.hpp"

namespace sluice::testing {

/// Runs a program of these tests, or one named by its path, on `ranks` ranks with libsluice_pmpi.so preloaded.
/// `variables` are set: "A=1 B=2".
[[nodiscard]] Outcome preloaded(const Folder& folder, int ranks, const std::string& variables,
                                const std::string& program);
/// The same on hosts of two ranks each, as the library is told.
[[nodiscard]] Outcome preloaded_on_hosts(const Folder& folder, int ranks, const std::string& variables,
                                         const std::string& program);
/// The same with what `interposed.cpp` does to MPI.
[[nodiscard]] Outcome preloaded_interposed(const Folder& folder, int ranks, const std::string& variables,
                                           const std::string& program);
/// The same on an MPI that says that it is another one.
[[nodiscard]] Outcome preloaded_under_other_mpi(const Folder& folder, int ranks, const std::string& variables,
                                                const std::string& program);
/// The same by the launcher of the other MPI of this machine, for a program that was compiled with it.
[[nodiscard]] Outcome preloaded_by_other_launcher(const Folder& folder, int ranks, const std::string& variables,
                                                  const std::string& program);
/// A line of a shell on each rank, which starts "$0" with the library preloaded.
[[nodiscard]] Outcome preloaded_by_shell(const Folder& folder, int ranks, const std::string& variables,
                                         const std::string& line, const std::string& program);

/// How often a call was planned, of the table that SLUICE_LOG=1 prints; -1: there is none.
[[nodiscard]] long planned(const Outcome& outcome, const std::string& call);

}  // namespace sluice::testing
