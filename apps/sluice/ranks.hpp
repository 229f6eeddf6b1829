#pragma once

#include <string>

namespace sluice::command {

/// The processes that run this command together: those of MPI for the verbs that need it, else this one alone. MPI is
/// started before the command line is read, as only one of many ranks may complain about it; for other verbs never.
class Ranks {
 public:
  /// Starts MPI if the command line names a verb that needs it and MPI was built in.
  Ranks(int& argc, char**& argv);
  /// Ends MPI, collectively, if it was started.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Whether this process is the one that prints.
  [[nodiscard]] static bool speaks();

  /// For what only this process may have met: prints "error: MESSAGE" and, under MPI, ends all ranks. Returns `status`.
  static int abandon(const std::string& message, int status);
};

/// Throws InputError if MPI was left out of this build; `verb` needs it.
void require_mpi(const std::string& verb);

/// " (needs MPI)", or more where it was left out of this build: for the help.
[[nodiscard]] std::string needs_mpi_text();

}  // namespace sluice::command
