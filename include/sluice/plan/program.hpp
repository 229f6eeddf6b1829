#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/program.hpp"

/// Planning collectives over a platform: programs for all ranks, by fixed patterns over the ranks in the order of the
/// platform, and by patterns that treat messages between groups of ranks and inside of them differently.
namespace sluice {

/// A collective to plan among the ranks of a platform; the fields are those of Program.
struct ProgramProblem {
  Collective problem = Collective::kAllgather;  ///< which collective
  std::int64_t size_bytes = 0;                  ///< at least 0
  std::int64_t root = 0;                        ///< a rank, of no effect where the problem has no root
  std::int64_t element_bytes = 1;               ///< a divisor of size_bytes, of no effect where nothing is combined
  bool commutative = true;                      ///< false: ranks are combined in their order
  /// Bytes of each block or share, as set_blocks wants them, in place of `size_bytes`; empty: as size_bytes says.
  std::vector<std::int64_t> block_bytes = {};
  /// 0 to 1e80, of all ranks or of each, of no effect where nothing is combined.
  CombiningCosts combine_s_per_byte = {};
};
/// What a program is for, whatever its operations.
[[nodiscard]] ProgramProblem problem_of(const Program& program);

/// How to plan a program.
struct ProgramOptions {
  std::string algorithm = "auto";  ///< one that algorithms() names for the problem, or "auto"
  std::int64_t segments = 0;       ///< of "chain" and "circulant" broadcasts and reductions; 0: the best of some
  /// Of programs that are at most this share longer than the fastest, the one is taken in which the fewest pairs of
  /// ranks send to each other, and of several such that of the fewest messages: for platforms that are measured, with
  /// errors, and shared in ways that nobody has measured.
  double slack = 0;
  /// Above 0: how much work replays may be; the same arguments give the same plan on every machine. N times the
  /// default is N times the work.
  double effort = 1;
  StopRequest stop = {};  ///< ends planning with the best variant so far, once there is one
  /// Variants are replayed to their end although another one is faster, as long as that is little work (about a second
  /// in all): for the lengths of ProgramPlan::candidates, not for the program.
  bool all_lengths = false;
};

/// A program, and what it was chosen from.
struct ProgramPlan {
  Program program;  ///< its algorithm with what was chosen, such as "hierarchical, 6 groups, ring inside"
  /// How long each candidate takes in the replay. Candidates are the variants of the named algorithm, or of all; the
  /// one that was chosen comes first.
  struct Candidate {
    std::string algorithm;
    /// Seconds until the last rank is done; of one that is estimated, as a replay is given up when it is sure to be
    /// longer than the best one, about, or at least so many.
    double length_s = 0;
  };
  std::vector<Candidate> candidates;  ///< at least the one chosen
  /// The replay of the program would be too much work: its length is estimated, as its algorithm says ("bruck,
  /// estimated").
  bool estimated = false;
};

/// Plans by `options.algorithm` and takes its variant that is fastest in the replay. "auto" takes the fastest of all
/// algorithms that apply. What would be too much work to replay is estimated, and taken where nothing else is known or
/// all else seems to be much slower (docs/explanation/collectives.md). Deterministic. The operations are in an order in
/// which they could be carried out one message after the other.
///
/// Throws InputError for a bad platform, a root that is no rank, sizes below 0, elements that do not divide the size,
/// blocks that set_blocks refuses, an unknown algorithm or one that does not apply (which says why), an effort that is
/// not above 0, and where it would take more than 2^22 messages.
[[nodiscard]] ProgramPlan plan_program(const Platform& platform, const ProgramProblem& problem,
                                       const ProgramOptions& options = {});

/// Whether an algorithm of `problem`, one that combines, may be asked for where the operation does not commute. Not of
/// names that plan_program does not know.
[[nodiscard]] bool keeps_order(Collective problem, std::string_view algorithm);

/// A program for messages so short that their number counts more than their bytes, over a network of which nothing is
/// known: of an algorithm with the fewest rounds, "bruck", "recursive-doubling", "recursive-halving" or "binomial".
/// Where such an algorithm sends bytes several times, longer arrays go by one that does not: an allreduce of more than
/// 4 KiB by "recursive-halving" or "circulant", unless its order counts, and an alltoall of more than 256 bytes for
/// each pair of ranks, on average, by "pairwise". Ranks are taken in their order, from the root on. Nothing is
/// replayed: the length is not known, and is given as 0. Deterministic. For p ranks O(p^2) time and memory at most, and
/// O(p^2 log p) for an alltoall.
///
/// Throws InputError for ranks < 1, and for problems and sizes as plan_program does.
[[nodiscard]] Program plan_short_program(std::int64_t ranks, const ProgramProblem& problem);

/// What one rank does in a broadcast over a circulant graph, for a network of which nothing is known: the operations of
/// `rank` and of no other, each with positions among these in `after`. Those of all ranks are a sound program. The
/// message goes in `segments` parts of nearly equal size, none empty, in segments - 1 + ceil(log2 ranks) rounds, the
/// fewest there can be, in each of which a rank sends one part and receives one. The length is not known, and is given
/// as 0. O(segments + log^2 ranks) time and memory.
///
/// Source: Traeff, "Optimal Broadcast Schedules in Logarithmic Time with Applications to Broadcast, All-Broadcast,
/// Reduction and All-Reduction" (2024).
///
/// Throws InputError for ranks or segments < 1, a root or rank out of range, and negative bytes.
[[nodiscard]] Program circulant_broadcast_part(std::int64_t ranks, std::int64_t root, std::int64_t bytes,
                                               std::int64_t segments, std::int64_t rank);

/// When each operation of a program begins and ends.
struct ReplayedProgram {
  double length_s = 0;          ///< when the last operation has ended
  std::vector<double> start_s;  ///< by operation: of a send, when it begins; of others as end_s
  std::vector<double> end_s;    ///< by operation
};
/// Replays `program` over `platform`, where messages share what they pass (docs/explanation/collectives.md), at its
/// pace and with its cost of combining. Throws InputError unless the program is sound and has as many
/// ranks as the platform.
[[nodiscard]] ReplayedProgram replay(const Platform& platform, const Program& program);

/// The pace of `program`; of one that states none, for how long each send keeps the port of its rank, and the
/// connection between its two ranks, for itself. By operation, 0 for what is no send. @pre as many ranks as the
/// platform has
[[nodiscard]] std::vector<SendPace> send_paces(const Platform& platform, const Program& program);

/// A lower bound: in the replay no program for the problem ends earlier over the platform. It is the largest of these
/// times: the shortest way that some byte has to go, and what each port and uplink needs for the bytes that must pass
/// it, in messages of any size, and, where combining costs, what the p ranks have to combine, a p-th of it on each.
struct ProgramBound {
  double seconds = 0;  ///< from the start to the end of the last rank
  std::string kind;    ///< "paths", "port of rank 3", "uplink of cluster a", "combining"
};
/// The bound of `problem` over `platform`. Throws InputError as plan_program does for a bad platform or problem.
[[nodiscard]] ProgramBound bound_of(const Platform& platform, const ProgramProblem& problem);

}  // namespace sluice
