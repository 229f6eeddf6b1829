#pragma once

#include <cstdint>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/plan/broadcast.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/schedule/combining_costs.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"

/// Plans reductions over a platform: broadcasts played backwards, and the shortest program.
namespace sluice {

/// Returns the same clusters with every link in the other direction.
[[nodiscard]] BetweenClusters transposed(const BetweenClusters& problem);

/// Returns the schedule of a reduction: the transfers of a broadcast, played backwards from its end. Clusters first
/// combine what their ranks have, which takes T, then what comes from others; combining that is free.
///
///  - `schedule`: a broadcast over as many clusters, which broadcast inside after their last sends
///  - `problem`: times between the clusters; if links differ by direction, plan `schedule` for the transposed problem
///
/// Throws InputError for a schedule of another problem or number of clusters.
[[nodiscard]] TreeSchedule reversed(const TreeSchedule& schedule, const BetweenClusters& problem);

/// Holds a reduction that is a broadcast played backwards.
struct ReversedPlan {
  /// Holds the schedule, of problem "reduce" over links. It is between clusters as reversed() makes it, or of ranks,
  /// with a tree for each segment.
  TreeSchedule schedule;
  bool between_clusters = false;  ///< as for BroadcastPlan
  bool optimal = false;           ///< as for BroadcastPlan
  /// Holds what ranks do: a program of "reduce". Each range goes back to the rank that sent it in the broadcast. It is
  /// first combined with this range of the ranks that it was forwarded to. The length is the broadcast's, and the pace
  /// is the reversed messages'. If the replay says that this is shorter, or the length is estimated, messages of one
  /// connection follow each other only slightly sooner than in the mirror image. Combining is free.
  Program program;
  std::vector<BroadcastPlan::Candidate> candidates;  ///< as for BroadcastPlan
};

/// Plans a reduction to one rank as a reversed broadcast of as many bytes over the links in the opposite direction. The
/// operation works element by element and commutes.
///
///  - `platform`: the network, which passes check_platform; its measured broadcasts have no effect
///  - `root`: the rank that gets the result
///  - `elements`: elements of the array of each rank, at least 0
///  - `element_bytes`: bytes of an element, at least 1
///  - `options`: as for plan_broadcast
///
/// Deterministic. Throws InputError as plan_broadcast does, for sizes out of range, for "native", and for early
/// internal broadcasts.
[[nodiscard]] ReversedPlan plan_reversed_broadcast(const Platform& platform, std::int64_t root, std::int64_t elements,
                                                   std::int64_t element_bytes, const BroadcastOptions& options = {});

/// Plans the reduction of plan_reversed_broadcast by any program, if combining takes time.
///
///  - `combine_s_per_byte`: cost of combining, 0 to 1e80
///  - `options`: algorithm, segments, and limits of the search
///  - `commutative`: if false, ranks are combined in their order
///
/// "auto" takes the shortest of "reversed-broadcast" with these options and all other programs of plan_program for a
/// reduce that are little work beside it. The name of a broadcast algorithm asks for its reversed broadcast alone; with
/// "auto", options.segments or options.inside do so too. If combining takes time, the broadcast is planned as if it
/// were free. It is planned again over links that are no faster than combining, and over links with time for two more
/// messages. The length comes from a replay. For a reversed broadcast of more than 12,000 messages that combines for
/// nothing, it is the broadcast's.
///
/// The algorithm may also be a name that algorithms(kReductionPrograms) has (sluice/plan/registry.hpp);
/// options.segments then is its number of segments. No reversed broadcast keeps the order of ranks. So if the operation
/// does not commute, "auto" takes the shortest of the programs that keep it. No program is proven to be the shortest;
/// program.bound_s, which holds for every order, limits the distance. Deterministic.
///
/// Throws InputError as plan_reversed_broadcast does, for a cost out of range, an effort of 0, and an algorithm that
/// does not keep an order that counts.
[[nodiscard]] ProgramPlan plan_costly_reduction(const Platform& platform, std::int64_t root, std::int64_t elements,
                                                std::int64_t element_bytes, const CombiningCosts& combine_s_per_byte,
                                                const BroadcastOptions& options = {}, bool commutative = true);

}  // namespace sluice
