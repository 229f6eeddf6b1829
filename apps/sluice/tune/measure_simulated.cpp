// `tune --measure` where SimGrid's SMPI simulates the machines, instead of measure.cpp.

#include "apps/sluice/tune/tune.hpp"
#include "sluice/error.hpp"

namespace sluice::command {

int run_tune(TuneTask) {
  throw InputError("sluice tune --measure", "simulated machines, whose MPI has no control variables",
                   "a build with Open MPI or MPICH");
}

}  // namespace sluice::command
