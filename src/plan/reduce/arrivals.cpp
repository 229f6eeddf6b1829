/// `greedy` and `auto` if machines take part only from their dates of arrival on: the reduction that ends first.
///
/// Problem: see include/sluice/plan/reduce.hpp and tree_schedule.hpp: a machine neither receives nor sends before its
/// date.
/// Method: bisection finds the least length T. For a given T, time runs backwards from the end. Machine v has to be
/// done with all its transfers by its deadline T - arrivals[v]. Let L = c + d, m = max(c, d). A node that may split at
/// s inserts a child at s + L, is done with that by then, and may split again at s + m. So both the node and the child
/// are there for every deadline of s + L or later. Deadlines are taken in ascending order. For each deadline, all nodes
/// with s + L <= deadline split (while there are fewer nodes than machines left). Then the machine with this deadline
/// becomes the node with the largest s, which splits no more. T is feasible if no machine finds all nodes taken. With a
/// given root, its machine is node 0, which splits until its own deadline and is no node for others.
/// Guarantee: optimal (to 1e-12 of the length). Proof for a given T: let u be the smallest deadline and f the node of
/// largest s that is there by u. Take a feasible tree that has u's machine at a node w, not at f. There are three
/// cases. If f is below w, let w's machine be f instead. A machine of a later deadline may take f, or a node above f in
/// the history of splits. Then put that machine at f, and exchange the two machines. Otherwise exchange what comes of w
/// and what comes of f: w's s is not larger than f's, so everything that came of f is now no later. So the machine of u
/// may be f, and the rest follows by induction. Complexity: O(n) a length tried after sorting the dates, about 50
/// lengths; O(n) memory. Deterministic. Source: ours; Canon, Antoniu (2012) name arrival dates as a perspective.
///
/// Example: d = c = 1, dates 0, 0, 4, any root. T = 6: the deadlines are 2 (machine 2), 6, 6. For 2 the root splits, as
/// 0 + 2 <= 2: it may split again at 1, its child at 2. Machine 2 becomes the child, as that has the larger s, so it
/// sends at 6 - 2 = 4. For 6 the root splits again, its second child is inserted at 3: machine 0. Machine 1 is the
/// root. At the earliest times for this tree, machine 0 sends at 0 and machine 2 at 4; the result is there at 6.
#include "plan/reduce/arrivals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <numeric>
#include <optional>

#include "schedule/combiner.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

namespace {

/// A node that may split at `start` to insert a child, or be taken by a machine.
struct OpenNode {
  double start;
  std::int32_t node;
};

/// Open nodes in order of their start: children and nodes that have split come in ascending order each.
class OpenNodes {
 public:
  [[nodiscard]] std::size_t size() const { return children_.size() + split_.size(); }
  [[nodiscard]] bool empty() const { return size() == 0; }
  void add_child(const OpenNode& node) { children_.push_back(node); }
  void add_split(const OpenNode& node) { split_.push_back(node); }
  [[nodiscard]] const OpenNode& first() const { return child_first() ? children_.front() : split_.front(); }
  void drop_first() { child_first() ? children_.pop_front() : split_.pop_front(); }
  OpenNode take_last() {
    const bool child = split_.empty() || (!children_.empty() && children_.back().start > split_.back().start);
    std::deque<OpenNode>& queue = child ? children_ : split_;
    const OpenNode last = queue.back();
    queue.pop_back();
    return last;
  }

 private:
  [[nodiscard]] bool child_first() const {
    return split_.empty() || (!children_.empty() && children_.front().start < split_.front().start);
  }

  std::deque<OpenNode> children_;
  std::deque<OpenNode> split_;
};

/// The tree for a given length, if there is one. `latest_first`: the machines, by descending date.
std::optional<PlacedTree> tree_of_length(double length, const std::vector<double>& arrivals, const ReduceCosts& costs,
                                         std::int64_t root, const std::vector<std::int32_t>& latest_first) {
  const double to_child = costs.compute + costs.transfer;
  const double to_next = costs.largest();
  const auto deadline = [&](std::int64_t machine) { return length - arrivals[static_cast<std::size_t>(machine)]; };
  PlacedTree tree;
  tree.parent.push_back(-1);
  tree.machine.push_back(static_cast<std::int32_t>(root));
  OpenNodes open;
  const auto split = [&](const OpenNode& node) {
    open.add_child({node.start + to_child, static_cast<std::int32_t>(tree.parent.size())});
    tree.parent.push_back(node.node);
    tree.machine.push_back(-1);
  };
  double root_start = 0;  // of a given root
  if (root == kAnyRoot) open.add_child({0, 0});
  auto left = arrivals.size() - (root == kAnyRoot ? 0 : 1);
  for (const std::int32_t machine : latest_first) {
    if (machine == root) continue;
    const double end = deadline(machine);
    const double root_end = root == kAnyRoot ? -1 : std::min(end, deadline(root));
    while (open.size() < left) {
      const bool root_may = root_start + to_child <= root_end;
      const bool other_may = !open.empty() && open.first().start + to_child <= end;
      if (root_may && (!other_may || root_start <= open.first().start)) {
        split({root_start, 0});
        root_start += to_next;
      } else if (other_may) {
        const OpenNode node = open.first();
        open.drop_first();
        split(node);
        open.add_split({node.start + to_next, node.node});
      } else {
        break;
      }
    }
    if (open.empty() || end < 0) return std::nullopt;
    tree.machine[static_cast<std::size_t>(open.take_last().node)] = machine;
    --left;
  }
  return tree;
}

}  // namespace

PlacedTree tree_for_arrivals(const std::vector<double>& arrivals, const ReduceCosts& costs, std::int64_t root) {
  std::vector<std::int32_t> latest_first(arrivals.size());
  std::iota(latest_first.begin(), latest_first.end(), 0);
  std::stable_sort(latest_first.begin(), latest_first.end(), [&](std::int32_t a, std::int32_t b) {
    return arrivals[static_cast<std::size_t>(a)] > arrivals[static_cast<std::size_t>(b)];
  });
  const double last_date = arrivals[static_cast<std::size_t>(latest_first.front())];
  // Beyond that, a date and a cost add up to the date.
  constexpr double kMostDateOverCost = 4503599627370496.0;  // 2^52
  if (last_date > kMostDateOverCost * (costs.compute + costs.transfer))
    throw InputError(
        "arrivals",
        fmt::format("a date of {}, where the costs are {} in all", last_date, costs.compute + costs.transfer),
        "at most 2^52 times the costs");
  double low = last_date;
  double high = last_date + 2 * static_cast<double>(arrivals.size()) * (costs.compute + costs.transfer);
  std::optional<PlacedTree> best = tree_of_length(high, arrivals, costs, root, latest_first);
  while (high - low > 1e-13 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (std::optional<PlacedTree> tree = tree_of_length(middle, arrivals, costs, root, latest_first)) {
      best = std::move(tree);
      high = middle;
    } else {
      low = middle;
    }
  }
  return std::move(*best);
}

TimedTree earliest_times(const PlacedTree& tree, const std::vector<double>& arrivals, const ReduceCosts& costs) {
  const std::size_t nodes = tree.parent.size();
  std::vector<std::vector<std::int32_t>> children(nodes);
  for (std::size_t node = 1; node < nodes; ++node)
    children[static_cast<std::size_t>(tree.parent[node])].push_back(static_cast<std::int32_t>(node));
  TimedTree result;
  std::vector<double> ready(nodes);
  for (std::size_t node = nodes; node-- > 0;) {
    const std::int32_t machine = tree.machine[node];
    const double arrival = arrivals[static_cast<std::size_t>(machine)];
    std::vector<std::int32_t>& senders = children[node];
    std::stable_sort(senders.begin(), senders.end(), [&](std::int32_t a, std::int32_t b) {
      return ready[static_cast<std::size_t>(a)] < ready[static_cast<std::size_t>(b)];
    });
    Combiner combiner(arrival);
    double free = arrival;
    for (const std::int32_t sender : senders) {
      const double start = std::max(free, ready[static_cast<std::size_t>(sender)]);
      free = start + costs.transfer;
      combiner.combine(free, costs.compute);
      result.transfers.push_back({tree.machine[static_cast<std::size_t>(sender)], machine, start, free});
    }
    ready[node] = combiner.finish();
  }
  std::stable_sort(result.transfers.begin(), result.transfers.end(),
                   [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
  result.length = ready[0];
  return result;
}

}  // namespace sluice::detail
