#pragma once

#include <cstdint>

#include "run/mpi/program/program_part.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/reduction.hpp"

/// Reductions that one rank plans for all, over the clusters of a platform, or of which the user gives the program.
namespace sluice::mpi::detail {

/// Throws InputError unless a reduction like this can be planned over options.platform, which there is.
void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects);

/// Throws InputError unless options.program, which there is, is for such a reduction.
void check_program_for(const ReductionOptions& options, const Program& shape, bool of_objects);

/// The program, without its operations, of a reduction of such elements.
[[nodiscard]] Program shape_of_reduction(int ranks, int root, std::int64_t elements, std::int64_t element_bytes,
                                         bool commutative);

/// What this rank does, and how long all take by the model.
struct PlannedReduction {
  ProgramPart part;
  double length_s = 0;
};

/// Of `shape`, by the algorithm and segments of `options`. Collective. Throws InputError on every rank as
/// plan_reversed_broadcast does.
[[nodiscard]] PlannedReduction plan_over_platform(Channel& channel, const Platform& platform,
                                                  const ReductionOptions& options, const Program& shape);
/// By `program`, which is for `shape`. Collective. Throws InputError on every rank unless it is sound.
[[nodiscard]] PlannedReduction plan_by_program(Channel& channel, const Program& program, const Program& shape);

}  // namespace sluice::mpi::detail
