#pragma once

#include "run/mpi/runtime/agreement.hpp"
#include "sluice/input/platform.hpp"

namespace sluice::mpi::detail {

/// All that a platform says, as arguments of a job: two platforms have the same bytes only if they are equal. The
/// arguments are not text: the text for 8 ranks takes longer than the agreement itself.
void add_platform(Arguments& arguments, const Platform& platform);

}  // namespace sluice::mpi::detail
