#include "apps/sluice/process/ranks.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#include "apps/compare/redistribution_methods.hpp"
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
  const auto measures = [](std::string_view word) { return word == "--measure"; };
  return verb == "run" || verb == "probe" || (verb == "study" && std::any_of(argv + 2, argv + argc, is_the_study)) ||
         (verb == "tune" && std::any_of(argv + 2, argv + argc, measures));
}

}  // namespace

Ranks::Ranks(int& argc, char**& argv) {
  if (!asks_for_mpi(argc, argv)) return;
  if (std::string_view(argv[1]) == "tune") {
    // Open MPI reads these when it starts: with them algorithms can be set later, and no file of rules replaces its own
    // choice.
    setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 1);
    setenv("OMPI_MCA_coll_tuned_dynamic_rules_filename", "", 1);
    unsetenv("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE");
  }
  // Reductions have a thread that drives MPI; the other jobs would only pay for locks.
  const bool for_threads = argc > 2 && std::string_view(argv[2]) == "reduce";
  int provided = MPI_THREAD_SINGLE;
  SLUICE_MPI(MPI_Init_thread(&argc, &argv, for_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided));
  SLUICE_MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
}

Ranks::~Ranks() {
  // During an exception, which other ranks may not have, nothing is ended: MPI_Finalize would wait for them for ever.
  if (running() && std::uncaught_exceptions() == 0) MPI_Finalize();
}

bool Ranks::under_mpi() { return running(); }

int Ranks::count() {
  int ranks = 1;
  if (running()) SLUICE_MPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  return ranks;
}

std::vector<std::string> Ranks::hosts() {
  if (!running()) return {};
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  SLUICE_MPI(MPI_Get_processor_name(name.data(), &length));
  std::vector<char> all(static_cast<std::size_t>(count()) * name.size());
  const int each = static_cast<int>(name.size());
  SLUICE_MPI(MPI_Allgather(name.data(), each, MPI_CHAR, all.data(), each, MPI_CHAR, MPI_COMM_WORLD));
  std::vector<std::string> result;
  for (std::size_t at = 0; at < all.size(); at += name.size()) result.emplace_back(&all[at]);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
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

std::string mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  if (MPI_Get_library_version(text.data(), &length) != MPI_SUCCESS) return "unknown";
  // The first line says which it is, up to a comma; MPICH puts a tab before its number.
  std::string result(text.data(), static_cast<std::size_t>(length));
  result.resize(std::min(result.find_first_of(",\n"), result.size()));
  result.erase(std::remove(result.begin(), result.end(), '\0'), result.end());
  std::replace(result.begin(), result.end(), '\t', ' ');
  return result;
}

std::string scalapack_library() { return compare::scalapack_version(); }

std::string needs_mpi_text() { return " (needs MPI: start it with mpirun)"; }

}  // namespace sluice::command
