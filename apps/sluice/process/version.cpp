#include "apps/sluice/process/version.hpp"

#include <fmt/format.h>

#include <string_view>

#include "apps/sluice/process/ranks.hpp"
#include "build_facts.hpp"

namespace sluice::command {

std::string version_number() { return SLUICE_VERSION; }

std::string version_with_commit() {
  constexpr std::string_view kCommit = kBuiltFromCommit;
  return kCommit.empty() ? version_number() : fmt::format("{}+{}", SLUICE_VERSION, kCommit);
}

std::string version_text() {
  const auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  return fmt::format(
      "sluice {}\n"
      "compiler:  {}\n"
      "MPI:       {}\n"
      "CBC:       {}\n"
      "SimGrid:   {}\n"
      "ScaLAPACK: {}\n",
      version_with_commit(), SLUICE_COMPILER, or_none(mpi_library()), or_none(SLUICE_CBC), or_none(SLUICE_SIMGRID),
      or_none(scalapack_library()));
}

}  // namespace sluice::command
