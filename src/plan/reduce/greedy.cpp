/// `greedy`: the shortest reduction, also with limits on the transfers at once or on the machines that combine.
///
/// Problem: see include/sluice/plan/reduce.hpp.
/// Method: time runs backwards from the result. A machine may start to split its element at s. It then gives one half
/// away at s + c + d to a machine that is inserted then, and may split again from s + max(d, c) on. One machine after
/// the other is inserted where that is possible soonest (Algorithm 1). With at most K transfers at once, the i-th ends
/// no earlier than d after the (i - K)-th (Algorithm 2). With at most K reducers, only the first K machines are given
/// anything to split (Algorithm 3). Both limits together are kept in the same way. So is a limit on the children of a
/// machine, for trees that parts of an element flow through.
/// Guarantee: optimal without limits (Theorem 4) and with either limit (Theorems 7 and 9). For both at once there is no
/// proof; it was never beaten in an exhaustive search of all n <= 8, d, c in 0..5 and both limits up to n / 2. With a
/// limit on the children it is optimal among schedules whose machines receive without a pause, by the argument of
/// Theorem 4.
/// Complexity: O(n) time and memory for the tree. For the shape alone, machines in the same state are one entry:
/// O(log^4 n) time and O(log^3 n) memory; with limits O(n / limit) times that at most. Deterministic.
/// Source: Canon, Antoniu, "Scheduling Associative Reductions with Homogeneous Costs when Overlapping Communications
/// and Computations" (2012), Algorithms 1, 2 and 3.
/// Deviations: (1) The paper searches the machine with the least s in a heap, O(n log n). An iteration writes two
/// values, the s of the new machine and the new s of the old one. Neither falls from one iteration to the next, so two
/// sorted queues replace the heap. Among equal s, the machine that has split before goes first. (2) Line 14 of
/// Algorithm 2 adds c to the start of a transfer by mistake (Figure 1 has t_4 = 0). (3) Times are whole numbers of c
/// and d until the end, so that sums of many terms do not lose precision. (4) Transfers start as late as the length
/// allows in all three; the paper moves the transfers of Algorithms 1 and 3 to the front. The length does not change.
///
/// Example: n = 4, d = c = 1. Machine 0 may split at 0. Machine 1 is inserted at 2, machine 0 may split again at 1.
/// Machine 2: soonest by machine 0, at 3, which may then split at 2, as machine 1 may. Machine 3: by machine 0, at 4.
/// So the length is 4, and forwards machine 3 sends at 0, machine 2 at 1, machine 1 at 2, and the result is there at 4.
#include "plan/reduce/greedy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// Machines in the same state, one after the other in a queue.
struct MachineRun {
  Moment start;  ///< of the next split
  double value;  ///< of start
  std::int64_t count;
};

/// Whether time `a` is later than `b` by more than the rounding of a Moment's value.
bool later(double a, double b) { return a > b * (1 + 1e-15); }

/// First in, first out. Most queues have few entries at a time. For each of these a std::deque would allocate two
/// blocks.
template <class T>
class Queue {
 public:
  [[nodiscard]] bool empty() const { return first_ == entries_.size(); }
  [[nodiscard]] T& front() { return entries_[first_]; }
  [[nodiscard]] const T& front() const { return entries_[first_]; }
  [[nodiscard]] T& back() { return entries_.back(); }
  void push_back(const T& entry) {
    constexpr std::size_t kKept = 16;
    // At most as many entries that went out are kept as there are entries inside.
    if (first_ > kKept && 2 * first_ > entries_.size()) {
      entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
      first_ = 0;
    }
    entries_.push_back(entry);
  }
  void pop_front() { ++first_; }

 private:
  std::vector<T> entries_;
  std::size_t first_ = 0;
};

/// Runs in order of their value.
class RunQueue {
 public:
  [[nodiscard]] bool empty() const { return runs_.empty(); }
  [[nodiscard]] const MachineRun& front() const { return runs_.front(); }
  /// The number of machines that came in, which is the place of the next one to come in; and the place of the next to
  /// go out.
  [[nodiscard]] std::int64_t pushed() const { return pushed_; }
  [[nodiscard]] std::int64_t dropped() const { return dropped_; }

  /// Times that differ only by rounding become equal, so that machines in equal states are recognised.
  void push(MachineRun run) {
    if (pushed_ > 0 && !later(run.value, last_value_)) {
      run.start = last_start_;
      run.value = last_value_;
    }
    last_start_ = run.start;
    last_value_ = run.value;
    pushed_ += run.count;
    if (!runs_.empty()) {
      MachineRun& last = runs_.back();
      if (last.value == run.value) {
        last.count += run.count;
        return;
      }
    }
    runs_.push_back(run);
  }
  void drop(std::int64_t count) {
    dropped_ += count;
    MachineRun& run = runs_.front();
    run.count -= count;
    if (run.count == 0) runs_.pop_front();
  }

 private:
  Queue<MachineRun> runs_;
  Moment last_start_;  // of what was pushed last
  double last_value_ = 0;
  std::int64_t pushed_ = 0;
  std::int64_t dropped_ = 0;
};

/// Machines by the number of children they have: 0, and 1 or more; or each number on its own, if there is a limit.
class Queues {
 public:
  explicit Queues(std::int64_t most_children) : most_children_(most_children), queues_(1) {}

  /// The queue of a machine from queue `from` after a split; -1 if it has all the children it may have.
  [[nodiscard]] std::int64_t next(std::size_t from) const {
    if (most_children_ == kNoLimit) return 1;
    const auto children = static_cast<std::int64_t>(from) + 1;
    return children < most_children_ ? children : -1;
  }
  /// Among the queues whose first machine may split first, the queue of the machines that have split most.
  [[nodiscard]] std::size_t first() const {
    std::size_t best = queues_.size();
    for (std::size_t i = queues_.size(); i-- > 0;)
      if (!queues_[i].empty() && (best == queues_.size() || queues_[i].front().value < queues_[best].front().value))
        best = i;
    return best;
  }
  [[nodiscard]] RunQueue& operator[](std::size_t i) {
    while (queues_.size() <= i) queues_.emplace_back();
    return queues_[i];
  }
  [[nodiscard]] std::size_t size() const { return queues_.size(); }

 private:
  std::int64_t most_children_;
  std::vector<RunQueue> queues_;
};

/// When the transfers before the last K end.
class EarlierTransfers {
 public:
  explicit EarlierTransfers(std::int64_t limit) : limit_(limit) {}

  /// The number of next transfers that wait for the same one, or for none.
  [[nodiscard]] std::int64_t alike() const { return known_ < limit_ ? limit_ - known_ : ends_.front().count; }
  [[nodiscard]] const Moment* waits_for() const { return known_ < limit_ ? nullptr : &ends_.front().end; }
  void add(const Moment& end, std::int64_t count) {
    if (limit_ == kNoLimit) return;
    if (known_ == limit_) {
      ends_.front().count -= count;
      if (ends_.front().count == 0) ends_.pop_front();
    } else {
      known_ += count;
    }
    if (!ends_.empty() && ends_.back().end == end)
      ends_.back().count += count;
    else
      ends_.push_back({end, count});
  }

 private:
  struct Ends {
    Moment end;
    std::int64_t count;
  };

  std::int64_t limit_;
  std::int64_t known_ = 0;
  Queue<Ends> ends_;
};

/// A machine on its way through the queues.
struct Follower {
  std::int64_t queue = 0;   ///< -1: in none any more
  std::int64_t number = 0;  ///< in that queue

  /// The place of a machine among those to be dropped next; -1 if it is not among them.
  [[nodiscard]] std::int64_t among(std::size_t from, std::int64_t dropped, std::int64_t count) const {
    if (queue != static_cast<std::int64_t>(from) || number >= dropped + count) return -1;
    return number - dropped;
  }
};

/// Calls sink(Insertions) for machines that are inserted at the same moment.
///
/// In every queue the machines that split first come first. So no machine has more children than the root, and the
/// first machine of every depth is the child of the first one of the depth above. Following these two tells the largest
/// number of children and the depth.
template <class Sink>
TreeShape insert_greedily(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill,
                          Sink sink) {
  TreeShape shape;
  Queues queues(limits.children);
  EarlierTransfers earlier(limits.transfers);
  Follower root;
  Follower deepest;
  std::int64_t inserted = 1;
  queues[0].push({Moment(), 0, 1});
  while (inserted < machines || fill) {
    const std::size_t from = queues.first();
    SLUICE_ASSERT(from < queues.size(), fmt::format("{} of {}", inserted, machines));
    MachineRun parent = queues[from].front();
    std::int64_t count = std::min(parent.count, earlier.alike());
    if (inserted < machines) count = std::min(count, machines - inserted);
    if (inserted < limits.reducers) count = std::min(count, limits.reducers - inserted);

    Moment end = parent.start + Moment{1, 0};
    if (const Moment* other = earlier.waits_for(); other != nullptr && other->value(costs) > end.value(costs))
      end = *other;
    end = end + Moment{0, 1};
    const double end_value = end.value(costs);
    if (inserted >= machines && later(end_value, shape.length.value(costs))) break;
    shape.length = end;
    if (from == 0) shape.reducers += count;

    const std::int64_t deepest_place = deepest.among(from, queues[from].dropped(), count);
    if (deepest_place >= 0) {
      ++shape.depth;
      deepest = {inserted < limits.reducers ? 0 : -1, queues[0].pushed() + deepest_place};
    }
    const std::int64_t to = queues.next(from);
    const std::int64_t root_place = root.among(from, queues[from].dropped(), count);
    if (root_place >= 0) {
      ++shape.max_children;
      root = {to, to < 0 ? 0 : queues[static_cast<std::size_t>(to)].pushed() + root_place};
    }

    sink(Insertions{inserted, count, static_cast<std::int64_t>(from), queues[from].dropped(), end});
    queues[from].drop(count);
    earlier.add(end, count);
    if (inserted < limits.reducers) queues[0].push({end, end_value, count});
    inserted += count;
    if (to >= 0) {
      const Moment computed = parent.start + Moment{1, 0};
      const Moment sent = end + Moment{-1, 0};
      parent.start = sent.value(costs) > computed.value(costs) ? sent : computed;
      parent.value = parent.start.value(costs);
      parent.count = count;
      queues[static_cast<std::size_t>(to)].push(parent);
    }
  }
  return shape;
}

}  // namespace

TreeShape greedy_shape(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits) {
  return insert_greedily(machines, costs, limits, false, [](const Insertions&) {});
}

std::vector<Insertions> greedy_insertions(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits,
                                          bool fill) {
  std::vector<Insertions> all;
  (void)insert_greedily(machines, costs, limits, fill, [&](const Insertions& each) { all.push_back(each); });
  return all;
}

ReversedTree greedy_tree(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits, bool fill) {
  ReversedTree tree;
  tree.parent.reserve(static_cast<std::size_t>(machines));
  tree.inserted.reserve(static_cast<std::size_t>(machines));
  tree.parent.push_back(-1);
  tree.inserted.push_back({});
  (void)insert_greedily(machines, costs, limits, fill, [&](const Insertions& each) {
    const SmallMoment end{static_cast<std::int32_t>(each.end.computes), static_cast<std::int32_t>(each.end.transfers)};
    const bool numbered = place_is_node(each.queue, limits);
    for (std::int64_t i = 0; i < each.count; ++i) {
      const std::int64_t place = each.place + i;
      tree.parent.push_back(numbered ? static_cast<std::int32_t>(place)
                                     : tree.parent[static_cast<std::size_t>(place + 1)]);
      tree.inserted.push_back(end);
    }
  });
  return tree;
}

TreeShape shape_of(const ReversedTree& tree, const std::vector<std::int32_t>& machine) {
  TreeShape shape;
  const std::size_t nodes = tree.parent.size();
  std::vector<std::int32_t> children(nodes, 0);
  std::vector<std::int32_t> depth(nodes, 0);
  for (std::size_t node = 1; node < nodes; ++node) {
    if (machine[node] < 0) continue;
    const auto parent = static_cast<std::size_t>(tree.parent[node]);
    depth[node] = depth[parent] + 1;
    shape.length = tree.inserted[node].wide();
    shape.depth = std::max<std::int64_t>(shape.depth, depth[node]);
    if (children[parent]++ == 0) ++shape.reducers;
    shape.max_children = std::max<std::int64_t>(shape.max_children, children[parent]);
  }
  return shape;
}

}  // namespace sluice::detail
