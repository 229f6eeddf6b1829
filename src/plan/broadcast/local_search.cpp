/// Improves a tree between clusters by simulated annealing.
///
/// Problem: see BetweenClusters.
/// Method: a random move, kept if the schedule is no longer or, with a chance that sinks over time, if it is longer:
///  - a cluster, with all below it, moves to another sender, or to another place among the sends of its sender;
///  - two clusters change places in the tree, each with what is below the other;
///  - with `early_internal`, a cluster broadcasts inside earlier or later among its sends.
/// Most moves take a cluster on the way to the cluster that ends last, or a cluster that is served before one on this
/// way: others cannot make the schedule shorter at once. A schedule is valued by its length and, because plateaus are
/// wide, a little by the mean end of the internal broadcasts.
/// Guarantee: not longer than the schedule it starts from.
/// Complexity: O(C) a move, with one segment, for C clusters; O(C) memory. Deterministic: the seed is fixed.
/// Source: schedules of trees suggest the moves; simulated annealing after Kirkpatrick, Gelatt, Vecchi, "Optimization
/// by simulated annealing" (1983).
///
/// Example: a root with children 1 and 2 in this order, T_1 = 0 and T_2 = 10: the cluster that ends last is 2, 1 is
/// served before it; 1 moves behind 2, and the schedule is shorter by g_01.
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "base/fixed_math.hpp"
#include "plan/broadcast/cluster_tree.hpp"

namespace sluice::detail {

namespace {

class TreeAnnealing {
 public:
  TreeAnnealing(const BetweenClusters& problem, const ClusterTree& start, bool early_internal)
      : problem_(problem), c_(problem), n_(c_.size()), early_(early_internal), tree_(start), arrival_(n_), end_(n_) {
    if (tree_.sends_before_inside.empty()) {
      tree_.sends_before_inside.resize(n_);
      for (std::size_t i = 0; i < n_; ++i)
        tree_.sends_before_inside[i] = static_cast<std::int32_t>(tree_.children[i].size());
    }
  }

  ClusterTree run(std::int64_t attempts, const StopRequest& stop) {
    Value value = evaluate();
    Value best_value = value;
    ClusterTree best = tree_;
    constexpr double kHot = 0.015, kCold = 0.0003;  // of the length
    double temperature = kHot * value.length;
    const double cooling =
        fixed_exp(fixed_log(kCold / kHot) / static_cast<double>(std::max<std::int64_t>(1, attempts)));
    for (std::int64_t attempt = 0; attempt < attempts; ++attempt, temperature *= cooling) {
      if (stop && stop()) break;
      if (!move()) continue;
      const std::size_t last_before = last_;
      const Value next = evaluate();
      const double change = score(next) - score(value);
      if (change <= 0 || uniform() < fixed_exp(-change / temperature)) {
        value = next;
        if (value.length < best_value.length) {
          best_value = value;
          best = tree_;
        }
      } else {
        undo();
        last_ = last_before;
      }
    }
    return best;
  }

 private:
  struct Value {
    double length = 0;
    double mean_end = 0;
  };
  [[nodiscard]] static double score(const Value& value) { return value.length + 0.05 * value.mean_end; }

  std::size_t below(std::size_t count) { return static_cast<std::size_t>(random_() % count); }
  double uniform() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }

  [[nodiscard]] std::vector<std::int32_t>& children(std::size_t i) { return tree_.children[i]; }
  [[nodiscard]] std::size_t parent(std::size_t i) const { return static_cast<std::size_t>(tree_.parent[i]); }

  Value evaluate() {
    if (problem_.segments != 1) return {makespan(problem_, plain()), 0};
    Value value;
    stack_.assign(1, c_.root());
    arrival_[c_.root()] = 0;
    while (!stack_.empty()) {
      const std::size_t i = stack_.back();
      stack_.pop_back();
      double free = arrival_[i];
      const std::vector<std::int32_t>& sends = tree_.children[i];
      const auto before = static_cast<std::size_t>(tree_.sends_before_inside[i]);
      double end = 0;
      for (std::size_t s = 0; s <= sends.size(); ++s) {
        if (s == before || (s == sends.size() && end == 0)) end = free += c_.inside(i);
        if (s == sends.size()) break;
        const auto j = static_cast<std::size_t>(sends[s]);
        free += c_.gap(i, j);
        arrival_[j] = free + c_.latency(i, j);
        stack_.push_back(j);
      }
      end_[i] = end;
      value.mean_end += end;
      if (end > value.length) {
        value.length = end;
        last_ = i;
      }
    }
    value.mean_end /= static_cast<double>(n_);
    return value;
  }

  /// The tree for several segments, which has no early internal broadcast.
  [[nodiscard]] ClusterTree plain() const {
    ClusterTree tree = tree_;
    tree.sends_before_inside.clear();
    return tree;
  }

  [[nodiscard]] std::size_t place(std::size_t x) const {
    const std::vector<std::int32_t>& list = tree_.children[parent(x)];
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), static_cast<std::int32_t>(x)) - list.begin());
  }

  /// A cluster that matters, not the root; n_ if there is none.
  std::size_t pick() {
    if (below(4) == 0 && problem_.segments == 1) {
      const std::size_t any = below(n_);
      return any == c_.root() ? n_ : any;
    }
    if (problem_.segments != 1) {
      const std::size_t any = below(n_);
      return any == c_.root() ? n_ : any;
    }
    std::size_t depth = 0;
    for (std::size_t i = last_; i != c_.root(); i = parent(i)) ++depth;
    if (depth == 0) {  // the root ends last: one of its sends has to go
      const std::vector<std::int32_t>& sends = children(c_.root());
      return sends.empty() ? n_ : static_cast<std::size_t>(sends[below(sends.size())]);
    }
    std::size_t i = last_;
    for (std::size_t up = below(depth); up > 0; --up) i = parent(i);
    if (below(2) == 0) {
      const std::size_t position = place(i);
      if (position > 0) return static_cast<std::size_t>(children(parent(i))[below(position)]);
    }
    if (i == last_ && below(4) == 0 && !children(i).empty())
      return static_cast<std::size_t>(children(i)[below(children(i).size())]);
    return i;
  }

  bool move() {
    if (n_ < 3 && !early_) return false;
    if (early_ && below(4) == 0) return shift_inside();
    const std::size_t x = pick();
    if (x == n_) return false;
    return below(2) == 0 ? relocate(x) : swap_with_another(x);
  }

  bool shift_inside() {
    const std::size_t i = below(2) == 0 ? last_ : below(n_);
    undo_ = {Undo::kInside, i, 0, static_cast<std::size_t>(tree_.sends_before_inside[i]), 0};
    tree_.sends_before_inside[i] = static_cast<std::int32_t>(below(children(i).size() + 1));
    return true;
  }

  void detach(std::size_t x) {
    const std::size_t from = parent(x);
    const std::size_t position = place(x);
    children(from).erase(children(from).begin() + static_cast<std::ptrdiff_t>(position));
    if (static_cast<std::size_t>(tree_.sends_before_inside[from]) > position) --tree_.sends_before_inside[from];
  }

  void attach(std::size_t x, std::size_t to, std::size_t position, bool before_inside) {
    children(to).insert(children(to).begin() + static_cast<std::ptrdiff_t>(position), static_cast<std::int32_t>(x));
    tree_.parent[x] = static_cast<std::int32_t>(to);
    if (before_inside) ++tree_.sends_before_inside[to];
  }

  bool relocate(std::size_t x) {
    const std::size_t to = below(n_);
    for (std::size_t i = to;; i = parent(i)) {
      if (i == x) return false;
      if (i == c_.root()) break;
    }
    const std::size_t from = parent(x), position = place(x);
    undo_ = {Undo::kRelocate, x, from, position, 0};
    undo_.before_inside = position < static_cast<std::size_t>(tree_.sends_before_inside[from]);
    detach(x);
    const std::size_t target = below(children(to).size() + 1);
    const auto before = static_cast<std::size_t>(tree_.sends_before_inside[to]);
    attach(x, to, target, !early_ || target < before || (target == before && below(2) == 0));
    return true;
  }

  bool swap_with_another(std::size_t x) {
    const std::size_t y = below(n_);
    if (y == x || y == c_.root()) return false;
    undo_ = {Undo::kSwap, x, y, 0, 0};
    exchange(x, y);
    return true;
  }

  void exchange(std::size_t x, std::size_t y) {
    std::int32_t& slot_of_x = children(parent(x))[place(x)];
    std::int32_t& slot_of_y = children(parent(y))[place(y)];
    std::swap(slot_of_x, slot_of_y);
    std::swap(tree_.parent[x], tree_.parent[y]);
    std::swap(tree_.children[x], tree_.children[y]);
    std::swap(tree_.sends_before_inside[x], tree_.sends_before_inside[y]);
    for (const std::size_t i : {x, y})
      for (const std::int32_t child : children(i))
        tree_.parent[static_cast<std::size_t>(child)] = static_cast<std::int32_t>(i);
  }

  void undo() {
    switch (undo_.kind) {
      case Undo::kInside:
        tree_.sends_before_inside[undo_.x] = static_cast<std::int32_t>(undo_.position);
        break;
      case Undo::kSwap:
        exchange(undo_.x, undo_.y);
        break;
      case Undo::kRelocate:
        detach(undo_.x);
        attach(undo_.x, undo_.y, undo_.position, undo_.before_inside);
        break;
    }
  }

  struct Undo {
    enum Kind { kInside, kSwap, kRelocate } kind = kInside;
    std::size_t x = 0, y = 0, position = 0;
    bool before_inside = false;
  };

  const BetweenClusters& problem_;
  Costs c_;
  std::size_t n_;
  bool early_;
  ClusterTree tree_;
  std::vector<double> arrival_;
  std::vector<double> end_;
  std::vector<std::size_t> stack_;
  std::size_t last_ = 0;  // the cluster that ends last
  Undo undo_;
  std::mt19937_64 random_{1};
};

}  // namespace

ClusterTree improved_tree(const BetweenClusters& problem, const ClusterTree& start, bool early_internal,
                          std::int64_t attempts, const StopRequest& stop) {
  return TreeAnnealing(problem, start, early_internal).run(attempts, stop);
}

}  // namespace sluice::detail
