#pragma once

#include "sluice/schedule/program.hpp"

/// Programs that the user gives instead of having one planned.
namespace sluice::mpi::detail {

/// Throws InputError unless `program` is for what is asked for. `shape`: a program of that, of which the operations are
/// not looked at; `asks_for_more`: whether an algorithm or segments are asked for besides.
void check_given(const Program& program, const Program& shape, bool asks_for_more);

/// Throws InputError, with the first fault, unless `program` is sound.
void check_sound(const Program& program);

}  // namespace sluice::mpi::detail
