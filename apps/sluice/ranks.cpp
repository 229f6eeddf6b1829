#include "ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string_view>

#include "sluice/error.hpp"
#include "sluice/run/mpi/error.hpp"

namespace sluice::command {

namespace {

bool running() {
  int started = 0, ended = 0;
  MPI_Initialized(&started);
  MPI_Finalized(&ended);
  return started != 0 && ended == 0;
}

bool asks_for_mpi(int argc, char** argv) {
  if (argc < 2) return false;
  const std::string_view verb = argv[1];
  const auto is_the_study = [](std::string_view word) { return word == "redistribute-paragon"; };
  return verb == "run" || verb == "probe" || (verb == "study" && std::any_of(argv + 2, argv + argc, is_the_study));
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  if (!asks_for_mpi(argc, argv)) return;
  // Reductions have a thread that drives MPI; for the others it would only cost locks.
  const bool for_threads = argc > 2 && std::string_view(argv[2]) == "reduce";
  int provided = MPI_THREAD_SINGLE;
  SLUICE_MPI(MPI_Init_thread(&argc, &argv, for_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided));
  SLUICE_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

Ranks::~Ranks() {
  // An exception on its way out may be this rank's alone: the others would never come to the end of MPI.
  if (running() && std::uncaught_exceptions() == 0) MPI_Finalize();
}

bool Ranks::speaks() {
  if (!running()) return true;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

void Ranks::once(const std::function<void()>& task) {
  std::optional<InputError> failure;
  if (speaks()) {
    try {
      task();
    } catch (const InputError& error) {
      failure = error;
    }
  }
  if (running()) {
    int failed = failure ? 1 : 0;
    SLUICE_MPI(MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD));
    if (failed != 0 && !failure) failure.emplace("rank 0", "bad input", "what it says");  // never printed
  }
  if (failure) throw InputError(*failure);
}

int Ranks::abandon(const std::string& message, int status) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  if (running()) MPI_Abort(MPI_COMM_WORLD, status);
  return status;
}

std::string needs_mpi_text() { return " (needs MPI: start it with mpirun)"; }

}  // namespace sluice::command
