#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sluice::command {

/// The processes that run this command together: the ranks of MPI for the verbs that need it, otherwise this one alone.
/// For those verbs MPI is started before the command line is read, as only one rank may complain about it.
class Ranks {
 public:
  /// Starts MPI if the command line names a verb that needs it and MPI was built in.
  Ranks(int& argc, char**& argv);
  /// Ends MPI, collectively, if it was started.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Whether MPI was started, and how many ranks there are; 1 without it.
  [[nodiscard]] static bool under_mpi();
  [[nodiscard]] static int count();

  /// The names of the ranks' hosts, sorted, each once; empty without MPI. Collective.
  [[nodiscard]] static std::vector<std::string> hosts();

  /// Whether this process is the one that prints.
  [[nodiscard]] static bool speaks();

  /// Does `task` on one process, the one that prints, for what must happen once: printing, writing files. Collective;
  /// if it throws InputError, all processes do.
  static void once(const std::function<void()>& task);

  /// For errors that other processes may not have: prints "error: MESSAGE" and, under MPI, ends all ranks. Returns
  /// `status`.
  static int abandon(const std::string& message, int status);
};

/// " (needs MPI: ...)", for the help.
[[nodiscard]] std::string needs_mpi_text();

/// "Open MPI v4.1.4", as the library calls itself; empty without MPI. MPI need not be started.
[[nodiscard]] std::string mpi_library();

/// "2.2.1", the ScaLAPACK that this build compares redistributions with; empty without it.
[[nodiscard]] std::string scalapack_library();

}  // namespace sluice::command
