#pragma once

#include "sluice/schedule/program.hpp"

/// Programs that the user gives instead of having one planned.
namespace sluice::mpi::detail {

/// The other options that were given together with a program, although it leaves nothing to plan.
struct BesideProgram {
  bool platform = false;
  bool plan = false;  ///< an algorithm, segments or more of how to plan
};

/// Throws InputError unless `program` is for the collective that the user asks for. `shape` describes that collective;
/// its operations are not read.
void check_given(const Program& program, const Program& shape, const BesideProgram& beside);

/// Throws InputError with the first fault unless `program` is valid.
void check_sound(const Program& program);

}  // namespace sluice::mpi::detail
