#include "version.hpp"

#include <fmt/format.h>

#include <string_view>

#include "build_facts.hpp"
#include "ranks.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice::command {

std::string version_number() { return SLUICE_VERSION; }

std::string version_with_commit() {
  constexpr std::string_view kCommit = kBuiltFromCommit;
  return kCommit.empty() ? version_number() : fmt::format("{}+{}", SLUICE_VERSION, kCommit);
}

std::string version_text() {
  constexpr std::string_view kWithout = "none";
  const std::string mpi = mpi_library();
  return fmt::format(
      "sluice {}\n"
      "compiler:  {}\n"
      "MPI:       {}\n"
      "CBC:       {}\n"
      "SimGrid:   {}\n"
      "ScaLAPACK: {}\n",
      version_with_commit(), SLUICE_COMPILER, mpi.empty() ? kWithout : mpi, exact_uses_cbc() ? "yes" : kWithout,
      std::string_view(SLUICE_SIMGRID).empty() ? kWithout : SLUICE_SIMGRID, has_scalapack() ? "yes" : kWithout);
}

}  // namespace sluice::command
