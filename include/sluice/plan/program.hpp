#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/program_problem.hpp"
#include "sluice/stop.hpp"

/// Plans collectives over a platform: programs for all ranks. Some follow fixed patterns over the ranks in the order of
/// the platform. Others treat messages between groups of ranks and inside groups differently.
namespace sluice {

/// Sets how to plan a program.
struct ProgramOptions {
  std::string algorithm = "auto";  ///< a name that algorithms() has for the problem, or "auto"
  /// Segments of "chain" and "circulant" broadcasts and reductions; 0: the best of some.
  std::int64_t segments = 0;
  /// Prefers simple programs. The planner considers programs that are at most this share longer than the fastest. It
  /// takes the one with the fewest pairs of ranks that send to each other, then the fewest messages. Use it for
  /// measured platforms: they have errors, and are shared in ways that nobody has measured.
  double slack = 0;
  /// Limits the work of replays; above 0. N times the default is N times the work. Equal arguments give equal plans on
  /// every machine.
  double effort = 1;
  StopRequest stop = {};  ///< ends planning with the best variant so far, if there is one
  /// Replays all variants to their end if that is little work (about a second in total), although another variant is
  /// faster. Affects the lengths in ProgramPlan::candidates, not the program.
  bool all_lengths = false;
};

/// Holds a program, and the candidates that it was chosen from.
struct ProgramPlan {
  Program program;  ///< its algorithm says what was chosen, such as "hierarchical, 6 groups, ring inside"
  /// Says how long a candidate takes in the replay. Candidates are the variants of the named algorithm, or of all
  /// algorithms; the chosen one comes first.
  struct Candidate {
    std::string algorithm;
    /// Seconds until the last rank is done. If it was estimated: an approximation. If the replay was stopped because it
    /// was sure to be longer than the best one: a lower bound.
    double length_s = 0;
  };
  std::vector<Candidate> candidates;  ///< at least the chosen one
  /// Says that the length is estimated, because the replay would be too much work. The algorithm then says so: "bruck,
  /// estimated".
  bool estimated = false;
};

/// Plans a collective over a platform.
///
///  - `platform`: the network, which passes check_platform
///  - `problem`: collective, size, root and elements
///  - `options`: algorithm and limits of the search
///
/// Takes the variant of `options.algorithm` that is fastest in the replay; "auto" takes the fastest of all algorithms
/// that apply. If a replay would be too much work, the length is estimated. Such a variant is taken only if nothing
/// else is known, or all others seem much slower (docs/explanation/collectives.md). Deterministic. The order of the
/// operations allows an execution one message after another. For example, a sum of 1 MiB on each rank:
///
///     const ProgramProblem sum{.problem = Collective::kAllreduce, .size_bytes = 1 << 20, .element_bytes = 8};
///     const ProgramPlan plan = plan_program(platform, sum);
///
/// Throws InputError for:
///
///  - a bad platform, and a root that is not a rank
///  - sizes below 0, elements that do not divide the size, and blocks that set_blocks refuses
///  - an unknown algorithm, and one that does not apply (the message says why)
///  - an effort that is not above 0
///  - a program of more than 2^22 messages
[[nodiscard]] ProgramPlan plan_program(const Platform& platform, const ProgramProblem& problem,
                                       const ProgramOptions& options = {});

/// Returns true if an algorithm of `problem`, which combines, may be used for an operation that does not commute.
/// Unspecified for names that plan_program does not know.
[[nodiscard]] bool keeps_order(Collective problem, std::string_view algorithm);

/// Plans a program for messages so short that their number counts more than their bytes, over a network whose speeds
/// are unknown.
///
///  - `ranks`: at least 1
///  - `problem`: as for plan_program
///
/// It takes an algorithm with the fewest rounds: "bruck", "recursive-doubling", "recursive-halving" or "binomial". If
/// this algorithm sends bytes several times, longer arrays use another one. An allreduce of more than 4 KiB uses
/// "recursive-halving" or "circulant", unless its order counts. An alltoall of more than 256 bytes for each pair of
/// ranks, on average, uses "pairwise". Ranks are taken in their order, from the root on. Nothing is replayed, so the
/// length is unknown and is 0. Deterministic. For p ranks it takes at most O(p^2) time and memory, or O(p^2 log p) for
/// an alltoall.
///
/// Throws InputError for ranks < 1, and for problems and sizes as plan_program does.
[[nodiscard]] Program plan_short_program(std::int64_t ranks, const ProgramProblem& problem);

/// Plans the part of one rank in a broadcast over a circulant graph, for a network whose speeds are unknown. Returns
/// the operations of `rank` only; `after` of each holds positions among these. The operations of all ranks are a sound
/// program.
///
///  - `ranks`: 1 to 2^31 - 1
///  - `root`, `rank`: 0 to ranks - 1
///  - `bytes`: size of the message, at least 0
///  - `segments`: at least 1; parts of nearly equal size, none empty
///
/// There are segments - 1 + ceil(log2 ranks) rounds, the fewest possible. In each round a rank sends one part and
/// receives one. The length is unknown and is 0. O(segments + log^2 ranks) time and memory.
///
/// Source: Traeff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast,
/// Reduction and All-Reduction" (2024).
///
/// Throws InputError for ranks, a root or a rank out of range, segments < 1, and negative bytes.
[[nodiscard]] Program circulant_broadcast_part(std::int64_t ranks, std::int64_t root, std::int64_t bytes,
                                               std::int64_t segments, std::int64_t rank);

}  // namespace sluice
