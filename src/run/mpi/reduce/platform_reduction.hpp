#pragma once

#include <cstdint>

#include "run/mpi/program/program_part.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "sluice/run/mpi/reduction.hpp"

/// Planning a reduction over the clusters of a platform, on one rank for all.
namespace sluice::mpi::detail {

/// Throws InputError unless a reduction like this can be planned over options.platform, which there is.
void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects, bool commutative);

/// What this rank does, and how long all take by the model.
struct PlannedReduction {
  ProgramPart part;
  double length_s = 0;
};

/// Of `elements` elements of `element_bytes`, by the algorithm and segments of `options`. Collective. Throws InputError
/// on every rank as plan_reversed_broadcast does.
[[nodiscard]] PlannedReduction plan_over_platform(Channel& channel, const Platform& platform,
                                                  const ReductionOptions& options, int root, std::int64_t elements,
                                                  std::int64_t element_bytes);

}  // namespace sluice::mpi::detail
