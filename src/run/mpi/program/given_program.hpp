#pragma once

#include "sluice/schedule/program.hpp"

/// Programs that the user gives instead of having one planned.
namespace sluice::mpi::detail {

/// What is given beside a program, which leaves nothing to plan.
struct BesideProgram {
  bool platform = false;
  bool plan = false;  ///< an algorithm, segments or more of how to plan
};

/// Throws InputError unless `program` is for what is asked for. `shape`: a program of that, of which the operations are
/// not looked at.
void check_given(const Program& program, const Program& shape, const BesideProgram& beside);

/// Throws InputError, with the first fault, unless `program` is sound.
void check_sound(const Program& program);

}  // namespace sluice::mpi::detail
