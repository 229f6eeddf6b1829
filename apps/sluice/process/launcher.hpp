#pragma once

#include <optional>

namespace sluice::command {

/// A process among those that a launcher started.
struct Launch {
  int rank = 0;
  int ranks = 0;  ///< 0 if the launcher does not say
};

/// What mpirun, mpiexec or srun say to each process they start, by the variables of Open MPI, PMI (MPICH and others),
/// PMIx and Slurm's steps; nothing where none of them did. Needs no
/// MPI. The first call decides: it has to come before MPI starts.
[[nodiscard]] std::optional<Launch> launched();

}  // namespace sluice::command
