#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Describes schedules of trees: transfers with their start and end times, the common result of the planners of
/// `reduce` and `broadcast`. In a reduction a machine sends once, to its parent in the tree; in a broadcast it receives
/// once, from its parent.
///
/// The model of a reduction: every machine holds an element. A transfer takes `transfer`, and combining two elements
/// takes `compute`. A machine receives from one other at a time, and receives while it combines; elements wait until it
/// can combine them. It sends when everything that was sent to it has been combined:
///
///     finish(k) = max(finish(k - 1), end of the k-th transfer to the machine) + compute,   start >= finish(last)
///
/// The length of the reduction is the time when the root finishes. A machine with an arrival date takes no part before
/// it: it does not receive, so it does not combine or send either.
///
/// Source: Canon, Antoniu, "Scheduling Associative Reductions with Homogeneous Costs when Overlapping Communications
/// and Computations", section 3.
///
/// An element may be cut into `segments` parts that go through the tree one after another. Each part is combined with
/// the same part of other elements; a machine then sends one part while it receives another.
///
/// Costs may differ. With `transfer_costs` a transfer takes the cost of its sender, or of the pair of its sender and
/// its receiver. With `compute_costs` combining takes the cost of the machine that combines.
///
/// With `over_links` machines are clusters, and a reduction goes over links that differ. A transfer takes the time of
/// its link; the latency in that time does not keep a machine from another transfer. Combining is free. A date is then
/// the time when a cluster has combined its own elements; a transfer to it may be under way earlier.
///
/// All times and costs are in one unit, which the user chooses.
namespace sluice {

/// Says when a transfer runs. In a reduction it ends when the receiver has the element and can combine it; `end -
/// start` is the cost of the transfer. In a broadcast it ends when the message arrives; the sender is free earlier, by
/// the latency of the link.
struct TimedTransfer {
  std::int64_t from = 0;  ///< machine
  std::int64_t to = 0;    ///< machine
  double start = 0;
  double end = 0;
  std::int64_t segment = 0;  ///< part of the element; 0 if it is not cut
  /// Time that it occupies the port of its sender (pLogP's gap); for a broadcast only, 0 if it is not stated.
  double port = 0;

  friend bool operator==(const TimedTransfer&, const TimedTransfer&) = default;
};

/// Bounds the length of the shortest schedule.
struct TreeBound {
  double lower = 0;  ///< no schedule is shorter
  double upper = 0;  ///< some schedule is no longer

  friend bool operator==(const TreeBound&, const TreeBound&) = default;
};

/// Holds a tree of transfers; the comment of this header has its model.
struct TreeSchedule {
  std::string problem = "reduce";  ///< or "broadcast"
  std::string algorithm;           ///< name of the planner's algorithm, for people
  std::int64_t machines = 0;       ///< at least 1; clusters in a broadcast between clusters
  std::int64_t root = 0;           ///< machine that has the result, or the message
  double transfer = 0;             ///< cost of a transfer of one part, for a reduction only
  double compute = 0;              ///< cost of combining one part, for a reduction only
  /// Costs of transfers of one part, if they differ; then `transfer` is 0. One for each sender, or one for each pair
  /// with a row for each sender; the entry of a machine with itself has no meaning. For a reduction only.
  std::vector<double> transfer_costs;
  /// Costs of combining one part on each machine, if they differ; then `compute` is 0.
  std::vector<double> compute_costs;
  bool over_links = false;                    ///< for a reduction only: `transfer` and `compute` are 0
  std::optional<std::int64_t> max_transfers;  ///< most transfers at any time
  std::optional<std::int64_t> max_reducers;   ///< most machines that combine
  /// If false, every subtree is a run of consecutive machines, combined in their order.
  bool commutative = true;
  std::int64_t segments = 1;             ///< number of parts of an element; 1: it is not cut
  std::vector<double> arrivals;          ///< one date per machine; empty if all are 0
  std::vector<TimedTransfer> transfers;  ///< in order of their start
  double length = 0;                     ///< time when the root has the result, or the last machine has the message
  TreeBound bound;                       ///< proven by the planner

  friend bool operator==(const TreeSchedule&, const TreeSchedule&) = default;
};

}  // namespace sluice
