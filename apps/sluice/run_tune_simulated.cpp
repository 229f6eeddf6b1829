// `tune --measure` where SimGrid's SMPI simulates the machines, instead of run_tune.cpp.

#include "sluice/error.hpp"
#include "tune.hpp"

namespace sluice::command {

int run_tune(TuneTask) {
  throw InputError("sluice tune --measure", "simulated machines, whose MPI has no control variables",
                   "a build with Open MPI or MPICH");
}

}  // namespace sluice::command
