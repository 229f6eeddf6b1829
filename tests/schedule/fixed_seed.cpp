// The same random schedules in every run of this program, unless RC_PARAMS says otherwise. RapidCheck prints the seed.
#include <cstdlib>

namespace {
[[maybe_unused]] const int kSeedIsSet = setenv("RC_PARAMS", "seed=20 max_success=500", 0);
}
