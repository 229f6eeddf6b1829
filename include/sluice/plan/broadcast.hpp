#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sluice/input/platform.hpp"
#include "sluice/schedule/program.hpp"
#include "sluice/schedule/tree_schedule.hpp"
#include "sluice/schedule/validate.hpp"
#include "sluice/stop.hpp"
#include "sluice/timing/program_replay.hpp"

/// Plans broadcasts over clusters of ranks: the times of strategies inside a cluster by models, trees between clusters,
/// and programs for ranks. Programs follow such trees, or send parts of the message different ways.
///
/// The terms come from pLogP: a message of m bytes occupies its sender for g(m) and arrives g(m) + L after its start.
/// Units are seconds and bytes; BetweenClusters has the user's unit of time.
namespace sluice {

// ---- inside a cluster

/// Holds the time of one strategy by a model.
struct StrategyPrediction {
  std::string_view strategy;       ///< "flat", "segmented-chain", ...
  double time_s = 0;               ///< time until the last rank has the message
  std::int64_t segment_bytes = 0;  ///< best size of segments; 0 if the strategy sends the message whole
  std::int64_t children = 0;       ///< for "d-ary": d, the most children of a rank; otherwise 0
  bool executable = true;          ///< false: only a model, of a protocol that the MPI may use
  bool best = false;               ///< says that it is the best of all, or the first of several best
  std::string_view source;         ///< paper or page of the model
};

/// Predicts the time of a broadcast inside a cluster by each strategy.
///
///  - `cluster`: latency and gap of its network
///  - `bytes`: size of the message, at least 0
///
/// The models are the eleven of Table 1 of the source, and further ones (docs/explanation/broadcast.md). If the cluster
/// has measured times, "native" is the MPI's own broadcast. Segments are searched among m / 2^i, then by hill climbing,
/// as in section 4.2. For one rank, or 0 bytes, all times are 0.
///
/// Source: Steffenel, "A Framework for Adaptive Collective Communications on Heterogeneous Hierarchical Networks"
/// (2006). Throws InputError for negative `bytes`, and for a cluster of two ranks or more without a gap.
[[nodiscard]] std::vector<StrategyPrediction> predict_broadcast(const PlatformCluster& cluster, std::int64_t bytes);

// ---- between clusters

/// Gives the times of clusters to send to each other and to broadcast inside. A matrix has a row for each sender; its
/// diagonal is not read. A cluster broadcasts inside after the last send of its coordinator to other clusters.
struct BetweenClusters {
  std::int64_t root = 0;        ///< cluster that has the message at the start
  std::vector<double> gap;      ///< clusters x clusters: g of one segment
  std::vector<double> latency;  ///< clusters x clusters: L
  std::vector<double> inside;   ///< T, the time of the broadcast inside each cluster
  /// Number of parts that go through the tree one after another. Each coordinator sends a part to all of its children,
  /// then the next part.
  std::int64_t segments = 1;

  /// Returns the number of clusters.
  [[nodiscard]] std::int64_t clusters() const { return static_cast<std::int64_t>(inside.size()); }
};

/// Returns the problem between the clusters of a platform.
///
///  - `bytes`: size of the message, at least 0
///  - `root`: a rank
///  - `segments`: parts of equal size, at least 1
///  - `inside`: strategy inside the clusters, which predict_broadcast calls executable; T is its time by the model. If
///    empty, T is the least measured time, or, without measured times, the time of the best model
///
/// Throws InputError for an argument out of range, another strategy, and as check_platform.
[[nodiscard]] BetweenClusters between_clusters(const Platform& platform, std::int64_t bytes, std::int64_t root,
                                               std::int64_t segments = 1, std::string_view inside = {});

/// Sets how to plan a tree between clusters.
struct BetweenOptions {
  std::string algorithm = "auto";  ///< a name that algorithms("broadcast") has, or "auto"
  /// Names the lookahead of "ecef-la", as Bhat, Raghavendra, Prasanna (2003) do. "min" is the least g + L to another
  /// cluster that waits, and "average" is the mean over them. "average-sets" is the mean between all clusters that have
  /// the message, including this cluster, and all that wait.
  std::string lookahead = "min";
  /// Lets a coordinator broadcast inside earlier than its last sends to other clusters; the paper's rule forbids it.
  /// "exact" and "auto" use it; for one segment only.
  bool early_internal = false;
  /// Limits the work of "exact" and "auto"; at least 0; 1 is about a second. Work is counted, not timed, so that equal
  /// arguments give equal plans on every machine.
  double effort = 1;
  StopRequest stop;  ///< ends "exact" and "auto"
};

/// Holds a tree between clusters, and says how good it is.
struct BetweenPlan {
  /// Holds the tree; machines are clusters. bound.lower: no schedule is shorter; bound.upper: the length.
  TreeSchedule schedule;
  bool optimal = false;    ///< says that no schedule is shorter
  std::int64_t nodes = 0;  ///< search nodes of "exact", also inside "auto"
  /// For each cluster, the number of its sends that precede its internal broadcast.
  std::vector<std::int64_t> sends_before_inside;
};

/// Plans a tree between clusters.
///
///  - `problem`: times between C clusters and inside them
///  - `options`: algorithm and limits of the search
///
/// Named heuristics take at most O(C^2) per round. In total they take O(C^2) or O(C^2 log C), except "ecef" and its
/// variants in their worst case. "exact" takes exponential time: it proves 10 clusters within seconds, and says if it
/// proves nothing. "auto" is never longer than any heuristic. Deterministic.
///
/// Throws InputError for an unknown algorithm or lookahead, matrices of the wrong size, and times that are negative or
/// not finite. Further for a root out of range, segments below 1, early_internal with several segments, an effort that
/// is negative or not a number, and "exact" beyond 16 clusters.
[[nodiscard]] BetweenPlan plan_between_clusters(const BetweenClusters& problem, const BetweenOptions& options = {});

/// Returns what is wrong with `schedule` as a schedule of `problem`; empty if nothing. It checks what
/// validate(schedule) checks, and:
///
///  - every transfer takes g + L and occupies its port for g;
///  - the sends of a cluster are at least g apart;
///  - an internal broadcast comes after all sends of its cluster, or earlier if `sends_before_inside` says so;
///  - the length is the end of the last internal broadcast.
[[nodiscard]] std::vector<Violation> validate(const TreeSchedule& schedule, const BetweenClusters& problem,
                                              const std::vector<std::int64_t>& sends_before_inside = {});

// ---- whole broadcasts

/// Sets how to plan a whole broadcast.
struct BroadcastOptions {
  /// Names the algorithm: a heuristic, "exact" or "auto" for trees between clusters; "pipelined" or "parallel-entry"
  /// (see docs/explanation/broadcast.md); "native". "auto" takes the shortest of all; with `segments` = 1 it takes
  /// trees only.
  std::string algorithm = "auto";
  std::string lookahead = "min";  ///< as in BetweenOptions
  bool early_internal = false;    ///< as in BetweenOptions
  /// Number of segments between clusters; 0: "auto", "exact", "pipelined" and "parallel-entry" choose, others use 1.
  std::int64_t segments = 0;
  /// Names the strategy inside each cluster, which predict_broadcast calls executable, with its best segments; empty:
  /// the best by the models. Only for trees between clusters: with it, "auto" considers no other methods.
  std::string inside;
  /// Limits the work, as in BetweenOptions, for trees between clusters. If "auto" also considers other methods, whose
  /// work has limits of its own, trees get a fifth of it.
  double effort = 1;
  double slack = 0;  ///< for plan_costly_reduction, as in ProgramOptions
  /// Limits the messages of pipelines to hundreds of ranks. They are cut into more than 64 segments, up to 512, if that
  /// is shorter and the plan has about this number of messages at most. In up to 100 segments the limit is twice this
  /// number. 0: never more than 64.
  std::int64_t most_messages = 500'000;
  StopRequest stop;      ///< ends "exact", "auto", "pipelined" and "parallel-entry"
  bool messages = true;  ///< false: makes only the summary; the plan has no transfers and operations
};

/// Describes a broadcast by the MPI itself: it sends the whole message to at least two ranks. The first rank has all of
/// it, and has begun all its sends. The others send and receive no other messages.
struct NativeBroadcast {
  std::vector<std::int64_t> ranks;  ///< the first rank has the message at the start
  double start_s = 0;               ///< time when the broadcast begins
  double end_s = 0;                 ///< time when all ranks have the message

  friend bool operator==(const NativeBroadcast&, const NativeBroadcast&) = default;
};

/// Holds a broadcast: its schedule, and what each rank does.
struct BroadcastPlan {
  /// Holds the schedule. For trees it is between clusters, with the length that BetweenPlan has. For other methods
  /// machines are ranks, and each segment has a tree of its own. For "native" it has no transfers.
  TreeSchedule schedule;
  /// Says that the schedule is a tree between clusters. Then schedule.bound.lower holds only for trees of as many
  /// segments; otherwise it holds for every broadcast.
  bool between_clusters = false;
  bool optimal = false;  ///< for trees between clusters: no tree of as many segments is shorter
  /// Says that the length is not from a full replay, because that would be too much work. It is from a simulation, or
  /// from a replay of the first messages, as the method says ("..., estimated"). With hundreds of ranks, a full replay
  /// would give a greater length.
  bool estimated = false;
  /// Holds what ranks do: a program of "broadcast", which is sound by itself unless the MPI broadcasts too. It has a
  /// pace. `length_s` is the time when the last rank has the message, by the replay or by a broadcast of the MPI.
  /// `bound_s` holds for every method, as bound_of. It is absent if the MPI broadcasts, or if there were too many
  /// messages for the replay.
  Program program;
  std::vector<NativeBroadcast> native;  ///< broadcasts by the MPI, after the program; a rank is in at most one of them
  std::int64_t messages = 0;            ///< number of messages of the program
  /// Says how long a method that "auto" compared takes by the model; the chosen one comes first.
  struct Candidate {
    std::string method;   ///< name for people
    double length_s = 0;  ///< seconds until the last rank has the message
  };
  std::vector<Candidate> candidates;  ///< at least the chosen one
};

/// Returns what is wrong with the program of `plan` and its broadcasts by the MPI; empty if nothing. It checks the
/// program as validate() does, with each broadcast by the MPI as messages from its first rank to all its others at the
/// end. It also checks the broadcasts by the MPI:
///
///  - each has at least two ranks, in range, and no rank is in two or twice in one;
///  - all ranks but the first have no other messages;
///  - times are finite, the start is at least 0, and the end is between the start and the end of the program.
[[nodiscard]] std::vector<Violation> validate(const BroadcastPlan& plan);

/// Plans a broadcast.
///
///  - `platform`: the network, which passes check_platform
///  - `root`: a rank
///  - `bytes`: size of the message, at least 0
///  - `options`: algorithm, segments and limits of the search
///
/// Deterministic, so that each rank can plan for itself. For example, 1 MiB from rank 0 by the best pipeline:
///
///     const BroadcastPlan plan = plan_broadcast(platform, 0, 1 << 20, {.algorithm = "pipelined"});
///
/// Throws InputError as check_platform, between_clusters and plan_between_clusters do. Further for an unknown
/// algorithm, for "native" without measured times, for `inside` with an algorithm that is not a tree between clusters,
/// and for more than 2^22 messages.
[[nodiscard]] BroadcastPlan plan_broadcast(const Platform& platform, std::int64_t root, std::int64_t bytes,
                                           const BroadcastOptions& options = {});

}  // namespace sluice
