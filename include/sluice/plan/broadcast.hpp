#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/plan/program.hpp"
#include "sluice/plan/stop.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/schedule/validate.hpp"

/// Plans broadcasts over clusters of ranks: the times of strategies inside a cluster by models, trees between clusters,
/// and programs for ranks, which carry out such trees or send parts of the message different ways.
///
/// The terms are those of pLogP: a message of m bytes keeps its sender for g(m) and arrives g(m) + L after its start.
/// Units are seconds and bytes; BetweenClusters has the user's unit of time.
namespace sluice {

// ---- inside a cluster

/// The time of one strategy by a model.
struct StrategyPrediction {
  std::string_view strategy;       ///< "flat", "segmented-chain", ...
  double time_s = 0;               ///< until the last rank has the message
  std::int64_t segment_bytes = 0;  ///< the best size of segments; 0 if the strategy sends the message whole
  std::int64_t children = 0;       ///< of "d-ary": d, the most children of a rank; else 0
  bool executable = true;          ///< false: only a model, of a protocol that the MPI may follow
  bool best = false;               ///< whether it is the best of all; of several, the first
  std::string_view source;         ///< where the model comes from
};

/// The eleven models of Table 1 of Steffenel, "A Framework for Adaptive Collective Communications on Heterogeneous
/// Hierarchical Networks" (2006), further ones (docs/explanation/broadcast.md), and, where the cluster has measured
/// times, "native", the MPI's own broadcast. Segments are searched among m / 2^i, then by hill climbing, as in section
/// 4.2. For one rank, or 0 bytes, all times are 0.
///
/// Throws InputError for negative `bytes`, and for a cluster of two ranks or more without a gap.
[[nodiscard]] std::vector<StrategyPrediction> predict_broadcast(const PlatformCluster& cluster, std::int64_t bytes);

// ---- between clusters

/// How long clusters take to send to each other and to broadcast inside. A matrix has a row for each sender; its
/// diagonal is not read. A cluster broadcasts inside when its coordinator has sent to other clusters for the last time.
struct BetweenClusters {
  std::int64_t root = 0;        ///< the cluster that has the message at the start
  std::vector<double> gap;      ///< clusters x clusters: g of one segment
  std::vector<double> latency;  ///< clusters x clusters: L
  std::vector<double> inside;   ///< T, the time of the broadcast inside each cluster
  /// Parts that go through the tree one after the other; each coordinator sends part by part, each to all of its
  /// children.
  std::int64_t segments = 1;

  /// The number of clusters.
  [[nodiscard]] std::int64_t clusters() const { return static_cast<std::int64_t>(inside.size()); }
};

/// The problem of a platform, for a message of `bytes` in `segments` parts of equal size, from `root`, a rank. T is the
/// time by the model of the strategy `inside`, one that predict_broadcast calls executable; where that is empty, the
/// least time that was measured if any was, else that of the best model. Throws InputError for negative bytes, segments
/// below 1, a root that is no rank, another strategy, and as check_platform.
[[nodiscard]] BetweenClusters between_clusters(const Platform& platform, std::int64_t bytes, std::int64_t root,
                                               std::int64_t segments = 1, std::string_view inside = {});

/// How to plan a tree between clusters.
struct BetweenOptions {
  std::string algorithm = "auto";  ///< one that algorithms("broadcast") names, or "auto"
  /// For "ecef-la", by the names of Bhat, Raghavendra, Prasanna (2003): "min" is the least g + L to another cluster
  /// that waits, "average" the mean over them, "average-sets" the mean between all that have the message, the cluster
  /// among them, and all that wait.
  std::string lookahead = "min";
  /// A coordinator may broadcast inside before its last sends to other clusters, which the paper's rule forbids.
  /// "exact" and "auto" make use of it; for one segment only.
  bool early_internal = false;
  /// At least 0: how much work "exact" and "auto" may do; 1 is about a second. It is counted, so that the same
  /// arguments give the same plan everywhere, whatever the clock says.
  double effort = 1;
  StopRequest stop;  ///< of "exact" and "auto"
};

/// A tree between clusters, and how good it is.
struct BetweenPlan {
  /// Machines are clusters. bound.lower: no schedule is shorter; bound.upper: the length.
  TreeSchedule schedule;
  bool optimal = false;    ///< whether no schedule is shorter
  std::int64_t nodes = 0;  ///< of the search of "exact", also within "auto"
  /// For each cluster, how many of its sends come before its internal broadcast.
  std::vector<std::int64_t> sends_before_inside;
};

/// Plans a tree between clusters. Deterministic. Named heuristics take O(C^2) per round at most; in all O(C^2) or O(C^2
/// log C), except "ecef" and its variants in their worst case. "exact" takes exponential time: proven for 10 clusters
/// within seconds, else it says that it is not. "auto" is never longer than any heuristic.
///
/// Throws InputError for an unknown algorithm or lookahead, matrices of the wrong size, times that are negative or not
/// finite, a root out of range, segments below 1, early_internal with several segments, an effort that is negative or
/// not a number, and "exact" beyond 16 clusters.
[[nodiscard]] BetweenPlan plan_between_clusters(const BetweenClusters& problem, const BetweenOptions& options = {});

/// What is wrong with `schedule` as one of `problem`; empty if nothing. As validate(schedule), and: every transfer
/// takes g + L and keeps its port for g, a cluster's sends are g apart at least, and the length is that of the last
/// internal broadcast, which comes after all sends or, where `sends_before_inside` says so, earlier.
[[nodiscard]] std::vector<Violation> validate(const TreeSchedule& schedule, const BetweenClusters& problem,
                                              const std::vector<std::int64_t>& sends_before_inside = {});

// ---- whole broadcasts

/// How to plan a whole broadcast.
struct BroadcastOptions {
  /// A heuristic, "exact" or "auto" for trees between clusters; "pipelined" or "parallel-entry" (see
  /// docs/explanation/broadcast.md); "native". "auto" takes the shortest of all; with `segments` = 1 only of trees.
  std::string algorithm = "auto";
  std::string lookahead = "min";  ///< as in BetweenOptions
  bool early_internal = false;    ///< as in BetweenOptions
  std::int64_t segments =
      0;  ///< between clusters; 0: "auto", "exact", "pipelined" and "parallel-entry" choose, others 1
  /// The strategy inside every cluster, one that predict_broadcast calls executable, in its best segments; empty: the
  /// best by the models. Only for trees between clusters: with it, "auto" considers no others.
  std::string inside;
  /// As in BetweenOptions, for trees between clusters; "auto" takes a fifth of it for these where it also looks at
  /// other ways, whose work has limits of its own.
  double effort = 1;
  double slack = 0;  ///< of plan_costly_reduction: as in ProgramOptions
  /// Pipelines to hundreds of ranks are cut into more than 64 segments, up to 512, where that is shorter and the plan
  /// has at most about so many messages, or twice as many in up to 100 segments; 0: never.
  std::int64_t most_messages = 500'000;
  StopRequest stop;      ///< of "exact", "auto", "pipelined" and "parallel-entry"
  bool messages = true;  ///< false: only the summary, the plan has no transfers and operations
};

/// At least two ranks to which the MPI's own broadcast sends the whole message. The first one has all of it, and has
/// begun all its sends. The others send and receive no other messages.
struct NativeBroadcast {
  std::vector<std::int64_t> ranks;  ///< the first one has the message at the start
  double start_s = 0;               ///< when the broadcast begins
  double end_s = 0;                 ///< when all have the message

  friend bool operator==(const NativeBroadcast&, const NativeBroadcast&) = default;
};

/// A broadcast: its schedule, and what each rank does.
struct BroadcastPlan {
  /// Of trees: between clusters, length as BetweenPlan has it. Of other methods machines are ranks, and each segment
  /// has a tree of its own. Of "native": no transfers.
  TreeSchedule schedule;
  /// Whether the schedule is a tree between clusters. Then schedule.bound.lower holds for trees of as many segments
  /// alone, else for every broadcast.
  bool between_clusters = false;
  bool optimal = false;  ///< of trees between clusters: no tree of as many segments is shorter
  /// A replay of all messages would be too much work: the length is that of a simulation, or goes by the replay of the
  /// first of them, as the method says ("..., estimated"). To hundreds of ranks the replay takes longer than that.
  bool estimated = false;
  /// What ranks do: a program of "broadcast", sound by itself unless there are broadcasts by the MPI. `length_s` is
  /// when the last rank has the message, by the replay or by one of these broadcasts. `bound_s` holds for every method,
  /// as bound_of has it; there is none where the MPI broadcasts, or where messages were too many for the replay. It has
  /// a pace.
  Program program;
  std::vector<NativeBroadcast> native;  ///< by the MPI, after the program; a rank is in at most one of them
  std::int64_t messages = 0;            ///< number of messages of the program
  /// What each method that "auto" compared takes by the model, the first one chosen.
  struct Candidate {
    std::string method;   ///< its name for people
    double length_s = 0;  ///< seconds until the last rank has the message
  };
  std::vector<Candidate> candidates;  ///< at least the one chosen
};

/// What is wrong with the program of `plan` and its broadcasts by the MPI; empty if nothing. As validate() of
/// a program in which the first rank of every broadcast by the MPI sends the message to all others of it, after all
/// else; and:
///
///  - broadcasts by the MPI: at least two ranks, in range, none of them in two or twice in one; all but the first have
///    no messages; times finite, the start at least 0, the end not before it nor after the end of the program.
[[nodiscard]] std::vector<Violation> validate(const BroadcastPlan& plan);

/// Plans a broadcast of `bytes` from rank `root`. Deterministic, so that every rank can plan for itself.
///
/// Throws InputError as check_platform, between_clusters and plan_between_clusters do, for an unknown algorithm, for
/// "native" where times are not measured, for a strategy inside with an algorithm that is no tree of clusters, and for
/// more than 2^22 messages.
[[nodiscard]] BroadcastPlan plan_broadcast(const Platform& platform, std::int64_t root, std::int64_t bytes,
                                           const BroadcastOptions& options = {});

// ---- the other way round: reductions

/// The same clusters with every link in the other direction.
[[nodiscard]] BetweenClusters transposed(const BetweenClusters& problem);

/// The schedule of a reduction that goes the other way round: the transfers of a broadcast, played backwards from its
/// end. Clusters first combine what their ranks have, which takes T, then what comes from others; combining that is
/// free. `schedule` is one of `problem` in which clusters broadcast inside after their last sends; where links differ
/// by direction, plan it for the transposed problem of the reduction. Throws InputError unless it is one of "broadcast"
/// over as many clusters.
[[nodiscard]] TreeSchedule reversed(const TreeSchedule& schedule, const BetweenClusters& problem);

/// A reduction that is a broadcast played backwards.
struct ReversedPlan {
  /// Of problem "reduce", over links: between clusters as reversed() has it, else of ranks, each segment through a tree
  /// of its own.
  TreeSchedule schedule;
  bool between_clusters = false;  ///< as for BroadcastPlan
  bool optimal = false;           ///< likewise
  /// Every range goes back to where the broadcast got it from, combined with the same range of the ranks to which the
  /// broadcast passed it on. A program of "reduce", whose length is that of the broadcast and whose pace is that of the
  /// messages the other way; where the replay says that this is shorter, or the length is estimated, messages of one
  /// connection follow each other not much sooner than in the mirror image. Combining is free.
  Program program;
  std::vector<BroadcastPlan::Candidate> candidates;  ///< as for BroadcastPlan
};

/// Plans the reduction of arrays of `elements` elements of `element_bytes` each, one per rank, to rank `root`, by an
/// operation that works element by element and commutes: the broadcast of as many bytes over the links in the opposite
/// direction, reversed. Measured broadcasts of the platform are not looked at. Deterministic.
///
/// Throws InputError as plan_broadcast does, for a negative number of elements, less than one byte, "native" and early
/// internal broadcasts.
[[nodiscard]] ReversedPlan plan_reversed_broadcast(const Platform& platform, std::int64_t root, std::int64_t elements,
                                                   std::int64_t element_bytes, const BroadcastOptions& options = {});

/// Plans the same reduction by any program, where combining takes `combine_s_per_byte`, which may be 0: by the shortest
/// of "reversed-broadcast" with these options and all others that plan_program has for a reduce, as far as they are
/// little work beside it; by that alone unless options.algorithm is "auto" and options.segments and options.inside are
/// as they are by default. Where combining takes time, the broadcast is planned as if it were free, again over links
/// that are no faster than combining, and over links that leave time for two messages besides. The length is that of a
/// replay or, of a reversed broadcast of more than 12,000 messages that combines for nothing, that of the broadcast.
/// Deterministic.
///
/// Also by a program of a name that algorithms(kReductionPrograms) has (sluice/plan/registry.hpp), in so many segments
/// where it goes in segments. If the operation is not `commutative`, ranks are combined in their order, which no
/// broadcast the other way round keeps: "auto" is then the shortest of the programs that keep it. None of them is
/// proven to be the shortest; program.bound_s, which holds for every order, says how far away that can be.
///
/// Throws InputError as plan_reversed_broadcast does, for a cost that is not 0 to 1e80, an effort of 0 and an algorithm
/// that does not keep an order that counts.
[[nodiscard]] ProgramPlan plan_costly_reduction(const Platform& platform, std::int64_t root, std::int64_t elements,
                                                std::int64_t element_bytes, const CombiningCosts& combine_s_per_byte,
                                                const BroadcastOptions& options = {}, bool commutative = true);

}  // namespace sluice
