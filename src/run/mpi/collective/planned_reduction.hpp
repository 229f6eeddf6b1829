#pragma once

#include <cstdint>
#include <string>

#include "run/mpi/network/learn.hpp"
#include "run/mpi/runtime/channel.hpp"
#include "schedule/own_part.hpp"
#include "sluice/plan/reduce_part.hpp"
#include "sluice/plan/reversed_broadcast.hpp"
#include "sluice/run/mpi/reduction.hpp"
#include "sluice/schedule/program.hpp"

/// Reductions that one rank plans for all, over the clusters of a platform, or reductions by the user's program.
namespace sluice::mpi::detail {

using sluice::detail::kAnyCount;
using sluice::detail::OwnPart;

/// Throws InputError unless a reduction like this can be planned over options.platform, which exists. The reduction is
/// of elements, or of objects; the tree of objects is planned when the first execution has measured them.
void check_platform_for(const ReductionOptions& options, int ranks, bool of_objects);

/// The same as `part` says, of `count` elements, which are cut into segments as equal as possible, longer ones first;
/// kAnyCount: of one object of each rank.
[[nodiscard]] OwnPart own_part(const ReductionPart& part, std::int64_t count);

/// Throws InputError unless options.program, which exists, is for such a reduction.
void check_program_for(const ReductionOptions& options, const Program& shape, bool of_objects);

/// The program, without its operations, of a reduction of such elements.
[[nodiscard]] Program shape_of_reduction(int ranks, int root, std::int64_t elements, std::int64_t element_bytes,
                                         bool commutative);

/// What this rank does, and how long the reduction takes by the model; 0 if this rank does not know.
struct PlannedReduction {
  std::string method;
  OwnPart part;
  double length_s = 0;
};

/// Plans `shape` with the algorithm and segments of `options`. Collective. Throws InputError on every rank as
/// plan_reversed_broadcast does.
[[nodiscard]] PlannedReduction plan_over_platform(Channel& channel, const JobPlatform& known,
                                                  const ReductionOptions& options, const Program& shape,
                                                  double combine_s_per_byte);
/// This rank's part of a tree for whole objects of `bytes` bytes over options.platform; combining two objects takes
/// `compute_s`. The length comes from the replay over the platform. Collective. Throws InputError on every rank as
/// plan_reduce does.
[[nodiscard]] PlannedReduction plan_objects_over_platform(Channel& channel, const ReductionOptions& options,
                                                          std::int64_t bytes, double compute_s, bool commutative,
                                                          int root);
/// Takes `program`. Collective. Throws InputError on every rank unless the program is sound.
[[nodiscard]] PlannedReduction plan_by_program(Channel& channel, const Program& program);

}  // namespace sluice::mpi::detail
