#include <cstdio>

#include "ranks.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

Ranks::Ranks(int&, char**&) {}
Ranks::~Ranks() = default;

bool Ranks::speaks() { return true; }

int Ranks::abandon(const std::string& message, int status) {
  std::fprintf(stderr, "error: %s\n", message.c_str());
  return status;
}

void require_mpi(const std::string& verb) {
  throw InputError(verb, "a build without MPI", "one configured with SLUICE_MPI=ON");
}

std::string needs_mpi_text() { return " (needs MPI, which was left out of this build)"; }

}  // namespace sluice::command
