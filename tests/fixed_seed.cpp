// Part of every test program: RapidCheck's properties draw the same cases in every run and, under MPI, on every rank.
// RC_PARAMS="seed=7 max_success=1000" in the environment goes first; a property that fails prints what reproduces it.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kSeedIsSet = setenv("RC_PARAMS", "seed=20240229", 0);
}
