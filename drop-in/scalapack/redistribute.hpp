#pragma once

#include "scalapack/arguments.hpp"

namespace sluice::scalapack {

/// Carries out a call on all processes of the global context `context`.
void redistribute_in(int context, const Call& call);
/// The same on all processes of the program.
void redistribute_in_world(const Call& call);

}  // namespace sluice::scalapack
