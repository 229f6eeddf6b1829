#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// A schedule of a tree: transfers with the time at which each starts and ends, the common result of the planners of
/// `reduce` and `broadcast`. In a reduction a machine sends once, to its parent in the tree; in a broadcast it receives
/// once, from its parent.
///
/// The model of a reduction (Canon, Antoniu, "Scheduling Associative Reductions with Homogeneous Costs when Overlapping
/// Communications and Computations", section 3): every machine holds an element. A transfer takes `transfer`, combining
/// two elements takes `compute`. A machine receives from one other at a time, and receives while it combines; what it
/// has received waits for as long as need be. It sends when everything sent to it has been combined:
///
///     finish(k) = max(finish(k - 1), end of the k-th transfer to the machine) + compute,   start >= finish(last)
///
/// and the reduction is as long as it takes the root to finish. With arrival dates a machine takes no part before its
/// own: it does not receive, so it does not combine or send either.
///
/// An element may be cut into `segments` parts that go through the tree one after the other, each combined with the
/// same part of other elements; a machine then sends one part while it receives another.
///
/// Costs may differ: with `transfer_costs` a transfer takes what its sender, or the pair of its sender and its
/// receiver, has there; with `compute_costs` combining takes what the machine that combines has there.
///
/// With `over_links` machines are clusters, and a reduction goes over links that differ: a transfer takes what its link
/// takes, and the latency in that does not keep a machine from receiving or sending another one. Combining is free. A
/// date is then the one at which a cluster has combined what is its own; a transfer to it may be under way before.
///
/// Units are the user's, the same for all times and costs.
namespace sluice {

/// In a reduction it ends when the receiver has the element and can combine it; `end - start` is the cost of a
/// transfer. In a broadcast it ends when the message arrives; the sender is free earlier, by the latency of the link.
struct TimedTransfer {
  std::int64_t from = 0;  ///< machine
  std::int64_t to = 0;    ///< machine
  double start = 0;
  double end = 0;
  std::int64_t segment = 0;  ///< which part of the element; 0 if it is not cut
  /// How long it keeps the sender from its next transfer (pLogP's gap). Of a broadcast only; 0 where none was stated.
  double port = 0;

  friend bool operator==(const TimedTransfer&, const TimedTransfer&) = default;
};

/// Between which lengths the shortest schedule lies.
struct TreeBound {
  double lower = 0;  ///< no schedule is shorter
  double upper = 0;  ///< some schedule is no longer

  friend bool operator==(const TreeBound&, const TreeBound&) = default;
};

/// A tree of transfers; the comment of this header has its model.
struct TreeSchedule {
  std::string problem = "reduce";  ///< or "broadcast"
  std::string algorithm;           ///< what planned it; for people
  std::int64_t machines = 0;       ///< at least 1; of a broadcast between clusters, clusters
  std::int64_t root = 0;           ///< who has the result, or the message
  double transfer = 0;             ///< of one part, if the element is cut; a reduction's only
  double compute = 0;              ///< the same
  /// Costs of single machines or links, of one part: of each sender, or of each pair, a row for each sender (the entry
  /// of a machine and itself stands for nothing). Empty if all are alike; else `transfer` is 0. A reduction's only.
  std::vector<double> transfer_costs;
  std::vector<double> compute_costs;          ///< of each machine that combines; likewise, with `compute`
  bool over_links = false;                    ///< a reduction's only: `transfer` and `compute` are 0
  std::optional<std::int64_t> max_transfers;  ///< at most so many run at any time
  std::optional<std::int64_t> max_reducers;   ///< at most so many machines combine
  bool commutative = true;       ///< else every subtree is a run of consecutive machines, combined in their order
  std::int64_t segments = 1;     ///< parts that an element is cut into; 1: it is not cut
  std::vector<double> arrivals;  ///< one date per machine; empty if all are there at 0
  std::vector<TimedTransfer> transfers;  ///< in order of their start
  double length = 0;                     ///< when the root has the result, or the last machine the message
  TreeBound bound;                       ///< as the planner proved it

  friend bool operator==(const TreeSchedule&, const TreeSchedule&) = default;
};

}  // namespace sluice
