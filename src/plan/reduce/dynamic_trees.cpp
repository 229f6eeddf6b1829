/// `tree-dyn` and `non-commut-tree-dyn`: trees that form while the reduction runs, without knowledge of the costs.
///
/// Problem: see include/sluice/plan/reduce.hpp. Costs serve to tell when a transfer and a combination have ended, which
/// at run time the machines would see.
/// Method: a machine that has combined all it received, and is not about to receive, waits. When two wait, one sends to
/// the other; for an operation that does not commute, when two wait whose elements are adjacent. The machine that has
/// waited longest receives; of equals, the lowest. The root, if it is given, never sends. If several pairs could form,
/// the pair that has waited longest forms first.
/// Guarantee: none here; the paper proves ratios in its model.
/// Complexity: O(n log n) time, with few transfers at once O(n^2) in order at worst; O(n) memory. Deterministic.
/// Source: A. Benoit, L.-C. Canon, L. Marchal, "Non-clairvoyant reduction algorithms for heterogeneous platforms",
/// Concurrency and Computation 27(6), 2015, Tree-dyn and Non-Commut-Tree-dyn: reductions start as soon as possible
/// between processors that are idle.
/// Deviations: we know the idea of the algorithms, not each of their rules. The choice of the receiver, the treatment
/// of a given root, limits and dates are ours.
///
/// Example: d = c = 1, machines 0 to 4, root 0: at 0 machine 1 sends to 0, 3 to 2, and 4 waits; at 2 machine 4 sends to
/// 0, at 4 machine 2. The result is there at 6; the optimum is 4, because transfers may overlap with combining.
#include "plan/reduce/dynamic_trees.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <set>
#include <tuple>
#include <utility>

namespace sluice::detail {

namespace {

class PairingMachines {
 public:
  explicit PairingMachines(const MixedProblem& problem)
      : problem_(problem),
        costs_(problem.costs()),
        since_(static_cast<std::size_t>(problem.machines), kBusy),
        left_(since_.size()),
        right_(since_.size()) {
    result_.parent.assign(since_.size(), -1);
    for (std::int32_t v = 0; v < problem.machines; ++v) {
      left_[at(v)] = v - 1;
      right_[at(v)] = v + 1 < problem.machines ? v + 1 : -1;
      events_.push({problem.date(v), v, false});
    }
  }

  TimedParents run() {
    std::int64_t order = 0;
    while (!events_.empty()) {
      const double now = events_.top().time;
      while (!events_.empty() && events_.top().time == now) {
        const Event event = events_.top();
        events_.pop();
        if (event.ends_transfer) {
          --running_;
          continue;
        }
        since_[at(event.machine)] = order++;
        result_.length = now;  // the last one to be done is the root
        problem_.commutative ? wait(event.machine) : wait_in_order(event.machine);
      }
      while (!pairs_.empty() && running_ < problem_.max_transfers) {
        const auto [first, second] = std::pair(std::get<2>(*pairs_.begin()), std::get<3>(*pairs_.begin()));
        pairs_.erase(pairs_.begin());
        combine(first, second, now);
      }
    }
    return std::move(result_);
  }

 private:
  static constexpr std::int64_t kBusy = -1;
  struct Event {
    double time;
    std::int32_t machine;
    bool ends_transfer;

    friend bool operator>(const Event& a, const Event& b) {
      return std::tuple(a.time, !a.ends_transfer, a.machine) > std::tuple(b.time, !b.ends_transfer, b.machine);
    }
  };

  static std::size_t at(std::int32_t machine) { return static_cast<std::size_t>(machine); }

  /// `first` has waited longer.
  void pair(std::int32_t first, std::int32_t second) {
    pairs_.emplace(since_[at(first)], since_[at(second)], first, second);
  }

  void wait(std::int32_t machine) {
    if (alone_ < 0) {
      alone_ = machine;
    } else {
      pair(alone_, machine);
      alone_ = -1;
    }
  }
  void wait_in_order(std::int32_t machine) {
    for (const std::int32_t next : {left_[at(machine)], right_[at(machine)]})
      if (next >= 0 && since_[at(next)] != kBusy) pair(next, machine);
  }

  void combine(std::int32_t first, std::int32_t second, double now) {
    const bool swaps = second == problem_.root;
    const std::int32_t to = swaps ? second : first;
    const std::int32_t from = swaps ? first : second;
    for (const std::int32_t each : {first, second}) {
      if (!problem_.commutative) {
        for (const std::int32_t next : {left_[at(each)], right_[at(each)]}) {
          if (next < 0 || since_[at(next)] == kBusy) continue;
          pairs_.erase({since_[at(each)], since_[at(next)], each, next});
          pairs_.erase({since_[at(next)], since_[at(each)], next, each});
        }
      }
      since_[at(each)] = kBusy;
    }
    // `from` is gone: its neighbour on the other side becomes the neighbour of `to`.
    const std::int32_t before = left_[at(from)], after = right_[at(from)];
    if (before >= 0) right_[at(before)] = after;
    if (after >= 0) left_[at(after)] = before;
    const double end = now + costs_.transfer(from, to);
    result_.transfers.push_back({from, to, now, end});
    result_.parent[at(from)] = to;
    ++running_;
    events_.push({end, to, true});
    events_.push({end + costs_.compute(to), to, false});
  }

  const MixedProblem& problem_;
  MachineCosts costs_;
  std::vector<std::int64_t> since_;         // by machine: its place in the order of beginning to wait; kBusy if it does
                                            // not wait
  std::vector<std::int32_t> left_, right_;  // by machine: the machine with the elements next to its own, -1 if there is
                                            // none
  std::int32_t alone_ = -1;                 // the machine that waits for any other
  std::set<std::tuple<std::int64_t, std::int64_t, std::int32_t, std::int32_t>> pairs_;  // by how long they have waited
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::int64_t running_ = 0;
  TimedParents result_;
};

}  // namespace

TimedParents dynamic_tree(const MixedProblem& problem) { return PairingMachines(problem).run(); }

}  // namespace sluice::detail
