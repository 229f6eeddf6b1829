/// `greedy` and `auto` for mixed problems: trees that are built machine by machine, and moves that make a tree shorter.
///
/// Problem: see mixed_problem.hpp. Without a proof of optimality; the gap to reduce_bounds is printed.
/// Method of `greedy`: builds several trees and keeps the shortest when all are timed as they would run (TreeTimer).
///  - Backwards from the result, as Algorithm 1 of Canon and Antoniu: among all machines that have an element and all
///    that have none, the split whose transfer ends first is made next. A second tree adds the time that the new
///    machine takes to split in its turn. Machines with dates come in the order of their dates, the latest first.
///  - Forwards: among all pairs of machines that still have something, the pair whose combination ends first.
///  - The optimal trees for the mean costs, with at most 1, 2, 3, 4 and any number of children (few, for parts), the
///    fastest machines nearest the root. And the usual trees (flat, chain, binary).
/// If the operation does not commute: the trees that have a place for every machine in their order, and for few
/// machines the tree that would be optimal without limits and in one part. If any machine may be the root, all this is
/// done with each of few machines as the root, and with the likeliest of many.
/// Method of `auto`: from the best tree, a random machine is moved below another one, or changes places with another
/// one. In an order, it is moved below a machine next to its run, or changes places with its receiver, which may take
/// all its senders along. A change that makes the tree no longer is kept. After many moves in vain the search goes on
/// from the best tree with a few random moves. If any machine may be the root, moves go on from the best trees of
/// several roots, and each root stays. Then they go on from the best of all, whose root may change. If the number of
/// parts is chosen, moves go on from the best trees of the four best numbers.
/// Complexity: O(n^2) for most trees, O(n^3) for `forwards` (up to 256 machines), for each root; as many moves as the
/// work allows. O(n) memory besides the costs. Deterministic. Source: ours; the two greedy rules are known from
/// broadcasts (Bhat et al. 2003, ECEF), reversed.
///
/// Example: root 0, c = 1, d = 1 from machine 1, 4 from machine 2, to all. Backwards, machine 1 is inserted at 1 + 1 =
/// 2. Then machine 2: below the root at 2 + 4 = 6, below machine 1 at 2 + 1 + 4 = 7. So both send to the root.
#include "plan/reduce/mixed_search.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "plan/reduce/arrivals.hpp"
#include "plan/reduce/consecutive_runs.hpp"
#include "plan/reduce/dynamic_trees.hpp"
#include "plan/reduce/exact_mixed.hpp"
#include "plan/reduce/given_tree.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kMostForPairs = 256;       ///< machines of a tree built forwards
constexpr std::int64_t kMostForSplits = 1 << 13;  ///< and backwards
constexpr std::int64_t kMostForExact = 32;        ///< in order, of one that would be optimal without limits

std::size_t at(std::int64_t machine) { return static_cast<std::size_t>(machine); }

/// What a transfer from or to a machine takes in the mean over the others; over 64 of many.
double mean_transfer(const MachineCosts& costs, std::int64_t n, std::int64_t machine, bool sends) {
  double sum = 0;
  double count = 0;
  for (std::int64_t other = 0; other < n; other += std::max<std::int64_t>(1, n / 64)) {
    if (other == machine) continue;
    sum += sends ? costs.transfer(machine, other) : costs.transfer(other, machine);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

// ---- trees to begin with

class TreeBuilder {
 public:
  /// `free`: a tree that would be optimal without limits, if there is one.
  TreeBuilder(const MixedProblem& problem, const TimedParents* free)
      : problem_(problem),
        costs_(problem.costs()),
        n_(problem.machines),
        root_(problem.root == kAnyRoot ? likely_roots(problem, 1).front() : problem.root),
        free_(free) {}

  std::vector<Parents> run() {
    if (n_ == 1) return {{-1}};
    if (problem_.commutative) {
      if (n_ <= kMostForSplits) {
        add(backwards(false));
        add(backwards(true));
      }
      if (n_ <= kMostForPairs && problem_.max_reducers == kNoLimit) add(forwards());
    }
    if (free_ != nullptr) add(free_->parent);
    if (problem_.segments == 1 && problem_.max_reducers == kNoLimit) add(dynamic_tree(problem_).parent);
    const ReduceCosts mean = mean_costs();
    for (const std::int64_t children : {kNoLimit, std::int64_t{4}, std::int64_t{3}, std::int64_t{2}}) {
      const GreedyLimits limits{problem_.max_transfers, problem_.max_reducers, children};
      // Few children together with few machines that combine may be no tree at all.
      if (children != kNoLimit && problem_.max_reducers != kNoLimit) continue;
      add_placed(greedy_tree(n_, mean, limits));
    }
    if (!problem_.arrivals.empty() && problem_.commutative) {
      const PlacedTree placed = tree_for_arrivals(problem_.arrivals, mean, problem_.root);
      add(parents_of(placed.parent, placed.machine, n_));
    }
    for (const std::int64_t arity : {std::int64_t{1}, std::int64_t{2}, n_}) {
      add_placed(with_shortest_times(given_parents({.arity = arity}, n_, arity), mean));
    }
    return std::move(trees_);
  }

 private:
  void add(Parents tree) {
    if (reducers_of(tree) > problem_.max_reducers) return;
    if (!problem_.commutative && !has_runs(tree)) return;
    trees_.push_back(std::move(tree));
  }

  void add_placed(const ReversedTree& tree) {
    if (problem_.commutative) {
      if (by_speed_.empty()) by_speed_ = machines_by_speed();
      add(parents_of(tree.parent, by_speed_, n_));
      return;
    }
    // For any root, take the first machine: a tree always fits around it.
    const std::int64_t root = problem_.root == kAnyRoot ? 0 : problem_.root;
    if (const auto machine = consecutive_runs(tree, n_, root)) add(parents_of(tree.parent, *machine, n_));
  }

  [[nodiscard]] ReduceCosts mean_costs() const {
    ReduceCosts mean;
    const auto n = static_cast<double>(n_);
    for (std::int64_t v = 0; v < n_; ++v) {
      mean.transfer += mean_transfer(costs_, n_, v, true) / n;
      mean.compute += costs_.compute(v) / n;
    }
    return mean;
  }
  /// The root, then the others: what is there early and fast may be near the root and combine much.
  [[nodiscard]] std::vector<std::int32_t> machines_by_speed() const {
    std::vector<std::int32_t> machines(at(n_));
    std::iota(machines.begin(), machines.end(), 0);
    std::vector<double> key(at(n_));
    for (std::int64_t v = 0; v < n_; ++v)
      key[at(v)] = problem_.date(v) + costs_.compute(v) + mean_transfer(costs_, n_, v, true);
    key[at(root_)] = -1;
    std::stable_sort(machines.begin(), machines.end(),
                     [&](std::int32_t a, std::int32_t b) { return key[at(a)] < key[at(b)]; });
    return machines;
  }

  /// From the result back: the machine whose transfer ends first is inserted next.
  [[nodiscard]] Parents backwards(bool looks_ahead) const {
    Parents parent(at(n_), -1);
    std::vector<double> split(at(n_), 0), free(at(n_), 0);  // when its last split is done, its last transfer ends
    std::vector<char> in_tree(at(n_), 0), splits(at(n_), 0);
    std::vector<std::int32_t> nodes{static_cast<std::int32_t>(root_)};
    in_tree[at(root_)] = 1;
    std::int64_t reducers = 0;
    const auto end = [&](std::int64_t p, std::int64_t u) {
      return std::max(split[at(p)] + costs_.compute(p), free[at(p)]) + costs_.transfer(u, p);
    };
    const auto may = [&](std::int64_t p) { return splits[at(p)] != 0 || reducers < problem_.max_reducers; };
    // For each machine that is not in the tree: the parent that would make it end first.
    std::vector<std::int32_t> best(at(n_), -1);
    const auto look = [&](std::int64_t u) {
      best[at(u)] = -1;
      for (const std::int32_t p : nodes)
        if (may(p) && (best[at(u)] < 0 || end(p, u) < end(best[at(u)], u))) best[at(u)] = p;
    };
    double latest = 0;
    for (std::int64_t v = 0; v < n_; ++v) latest = std::max(latest, problem_.date(v));
    for (std::int64_t u = 0; u < n_; ++u)
      if (in_tree[at(u)] == 0) look(u);
    for (std::int64_t inserted = 1; inserted < n_; ++inserted) {
      std::int64_t chosen = -1;
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t u = 0; u < n_; ++u) {
        if (in_tree[at(u)] != 0) continue;
        double key = end(best[at(u)], u) + (latest - problem_.date(u));
        if (looks_ahead) key += costs_.compute(u);
        if (key < least) {
          least = key;
          chosen = u;
        }
      }
      const std::int64_t p = best[at(chosen)];
      const double at_end = end(p, chosen);
      split[at(p)] += costs_.compute(p);
      free[at(p)] = at_end;
      split[at(chosen)] = free[at(chosen)] = at_end;
      const bool was_last = splits[at(p)] == 0 && ++reducers == problem_.max_reducers;
      splits[at(p)] = in_tree[at(chosen)] = 1;
      parent[at(chosen)] = static_cast<std::int32_t>(p);
      nodes.push_back(static_cast<std::int32_t>(chosen));
      for (std::int64_t u = 0; u < n_; ++u) {
        if (in_tree[at(u)] != 0) continue;
        if (was_last || best[at(u)] == p)
          look(u);
        else if (may(chosen) && end(chosen, u) < end(best[at(u)], u))
          best[at(u)] = static_cast<std::int32_t>(chosen);
      }
    }
    return parent;
  }

  /// From the start on: the pair that has combined first is the next one.
  [[nodiscard]] Parents forwards() const {
    Parents parent(at(n_), -1);
    std::vector<std::int64_t> left(at(n_));
    std::iota(left.begin(), left.end(), std::int64_t{0});
    std::vector<double> port(at(n_)), done(at(n_));
    for (std::int64_t v = 0; v < n_; ++v) port[at(v)] = done[at(v)] = problem_.date(v);
    while (left.size() > 1) {
      double least = std::numeric_limits<double>::infinity();
      std::pair<std::int64_t, std::int64_t> pair;
      for (const std::int64_t u : left) {
        if (u == problem_.root) continue;
        for (const std::int64_t v : left) {
          if (u == v) continue;
          const double end = std::max(done[at(u)], port[at(v)]) + costs_.transfer(u, v);
          const double combined = std::max(done[at(v)], end) + costs_.compute(v);
          if (combined >= least) continue;
          least = combined;
          pair = {u, v};
        }
      }
      const auto [u, v] = pair;
      port[at(v)] = std::max(done[at(u)], port[at(v)]) + costs_.transfer(u, v);
      done[at(v)] = least;
      parent[at(u)] = static_cast<std::int32_t>(v);
      std::erase(left, u);
    }
    return parent;
  }

  const MixedProblem& problem_;
  MachineCosts costs_;
  std::int64_t n_;
  std::int64_t root_;
  const TimedParents* free_;
  std::vector<std::int32_t> by_speed_;  ///< once it is asked for
  std::vector<Parents> trees_;
};

// ---- moves

constexpr std::int64_t kMostRestarts = 40;  ///< in vain, one after the other
/// Moves in vain until the search goes on from the best tree.
std::int64_t patience_of(std::int64_t machines) { return 20 * machines + 200; }

class TreeImprover {
 public:
  TreeImprover(const MixedProblem& problem, TreeTimer& timer, Parents tree, double bound)
      : problem_(problem), timer_(timer), n_(problem.machines), bound_(bound), best_(std::move(tree)), current_(best_) {
    best_length_ = current_length_ = timer_.length(best_);
  }

  TimedParents run(std::int64_t& work) {
    const std::int64_t step = n_ * problem_.segments;
    const std::int64_t patience = patience_of(n_);
    std::int64_t in_vain = 0;
    std::int64_t restarts = 0;
    while (n_ > 2 && work >= step && restarts < kMostRestarts && best_length_ > bound_) {
      work -= 1;  // of moves that come to nothing
      if (!move(current_)) continue;
      work -= step;
      const double length = timer_.length(trial_);
      in_vain = length < current_length_ ? 0 : in_vain + 1;
      if (length <= current_length_) {
        current_.swap(trial_);
        current_length_ = length;
      }
      if (current_length_ < best_length_) {
        best_ = current_;
        best_length_ = current_length_;
        restarts = 0;
      }
      if (in_vain < patience) continue;
      in_vain = 0;
      ++restarts;
      current_ = best_;
      for (int i = 0; i < 3; ++i)
        if (move(current_)) current_.swap(trial_);
      work -= step;
      current_length_ = timer_.length(current_);
    }
    return timer_.times(best_);
  }

 private:
  /// 0 to below - 1; the same on every platform.
  std::int64_t number(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }

  /// Writes a neighbour of `from` to trial_; false if the tried one is invalid.
  bool move(const Parents& from) {
    trial_ = from;
    const std::int64_t u = number(n_);
    const bool fits = problem_.commutative ? move_any(u) : move_in_order(u);
    return fits && reducers_of(trial_) <= problem_.max_reducers;
  }

  bool move_any(std::int64_t u) {
    const std::int64_t v = number(n_);
    if (u == v) return false;
    if (number(2) == 0) {
      if (trial_[at(u)] < 0 || trial_[at(u)] == v || is_below(v, u)) return false;
      trial_[at(u)] = static_cast<std::int32_t>(v);
      return true;
    }
    if ((trial_[at(u)] < 0 || trial_[at(v)] < 0) && problem_.root != kAnyRoot) return false;
    const auto other = [&](std::int32_t machine) {
      if (machine == u) return static_cast<std::int32_t>(v);
      return machine == v ? static_cast<std::int32_t>(u) : machine;
    };
    std::swap(trial_[at(u)], trial_[at(v)]);
    for (std::int32_t& parent : trial_) parent = other(parent);
    return true;
  }

  /// Moves a machine below a machine next to its run, or its parent below it, alone or with all that send to the
  /// parent.
  bool move_in_order(std::int64_t u) {
    if (trial_[at(u)] < 0) return false;
    if (number(4) == 0) {
      const std::int32_t v = trial_[at(u)];
      if (trial_[at(v)] < 0 && problem_.root != kAnyRoot) return false;
      // With the others that send to the parent, if a limit on the machines that combine requires it.
      if (number(2) == 0) std::replace(trial_.begin(), trial_.end(), v, static_cast<std::int32_t>(u));
      trial_[at(u)] = trial_[at(v)];
      trial_[at(v)] = static_cast<std::int32_t>(u);
      return has_runs(trial_);
    }
    std::int64_t begin = u, end = u + 1;
    while (begin > 0 && is_below(begin - 1, u)) --begin;
    while (end < n_ && is_below(end, u)) ++end;
    std::int64_t to = number(2) == 0 ? begin - 1 : end;
    if (to < 0 || to >= n_) return false;
    while (trial_[at(to)] >= 0 && number(2) == 0) to = trial_[at(to)];
    if (to == trial_[at(u)] || is_below(to, u)) return false;
    trial_[at(u)] = static_cast<std::int32_t>(to);
    return has_runs(trial_);
  }

  /// True also if v == u.
  [[nodiscard]] bool is_below(std::int64_t v, std::int64_t u) const {
    for (; v >= 0; v = trial_[at(v)])
      if (v == u) return true;
    return false;
  }

  const MixedProblem& problem_;
  TreeTimer& timer_;
  std::int64_t n_;
  double bound_;
  Parents best_;
  Parents current_;
  Parents trial_;
  double best_length_ = 0;
  double current_length_ = 0;
  std::mt19937_64 random_{1};
};

}  // namespace

std::vector<std::int64_t> likely_roots(const MixedProblem& problem, std::int64_t most) {
  const MachineCosts costs = problem.costs();
  const std::int64_t n = problem.machines;
  std::vector<std::pair<double, std::int64_t>> ends;
  for (std::int64_t v = 0; v < n; ++v)
    ends.emplace_back(
        problem.date(v) + costs.compute(v) + mean_transfer(costs, n, v, false) - mean_transfer(costs, n, v, true), v);
  const auto count = std::min(most, n);
  std::partial_sort(ends.begin(), ends.begin() + count, ends.end());
  std::vector<std::int64_t> roots;
  for (std::int64_t i = 0; i < count; ++i) roots.push_back(ends[at(i)].second);
  return roots;
}

std::vector<std::vector<Parents>> mixed_starts(const MixedProblem& problem, const std::vector<std::int64_t>& roots) {
  std::vector<TimedParents> free;
  if (!problem.commutative && problem.machines <= kMostForExact) {
    MixedProblem without = problem;
    without.segments = 1;
    without.max_transfers = without.max_reducers = kNoLimit;
    free = exact_mixed(without, roots);
  }
  std::vector<std::vector<Parents>> starts;
  MixedProblem to_root = problem;
  for (std::size_t i = 0; i < roots.size(); ++i) {
    to_root.root = roots[i];
    starts.push_back(TreeBuilder(to_root, free.empty() ? nullptr : &free[i]).run());
  }
  return starts;
}

double starts_work(const MixedProblem& problem) {
  constexpr double kTrees = 20;        // all in all; each tree is timed
  constexpr double kPairsAtOnce = 64;  // pairs considered in the time of timing one transfer
  const auto n = static_cast<double>(problem.machines);
  const bool built = problem.commutative && problem.machines <= kMostForSplits;
  return kTrees * n * static_cast<double>(problem.segments) + (built ? n * n * n / kPairsAtOnce : 0);
}

TimedParents improve_tree(const MixedProblem& problem, TreeTimer& timer, Parents tree, double bound,
                          std::int64_t& work) {
  return TreeImprover(problem, timer, std::move(tree), bound).run(work);
}

double moves_work(const MixedProblem& problem) {
  return static_cast<double>(kMostRestarts * patience_of(problem.machines)) *
         static_cast<double>(problem.machines * problem.segments);
}

bool has_runs(const Parents& parent) {
  const std::size_t n = parent.size();
  std::vector<std::int32_t> children(n, 0), least(n), most(n), size(n, 1);
  for (const std::int32_t each : parent)
    if (each >= 0) ++children[at(each)];
  std::vector<std::int32_t> leaves;
  for (std::size_t v = 0; v < n; ++v) {
    least[v] = most[v] = static_cast<std::int32_t>(v);
    if (children[v] == 0) leaves.push_back(static_cast<std::int32_t>(v));
  }
  std::size_t done = 0;
  for (; done < leaves.size(); ++done) {
    const std::size_t v = at(leaves[done]);
    if (most[v] - least[v] + 1 != size[v]) return false;
    if (parent[v] < 0) continue;
    const std::size_t p = at(parent[v]);
    least[p] = std::min(least[p], least[v]);
    most[p] = std::max(most[p], most[v]);
    size[p] += size[v];
    if (--children[p] == 0) leaves.push_back(parent[v]);
  }
  return done == n;
}

std::int64_t reducers_of(const Parents& parent) {
  std::vector<char> receives(parent.size(), 0);
  for (const std::int32_t each : parent)
    if (each >= 0) receives[at(each)] = 1;
  return std::count(receives.begin(), receives.end(), 1);
}

Parents parents_of(const std::vector<std::int32_t>& parent, const std::vector<std::int32_t>& machine,
                   std::int64_t machines) {
  Parents result(at(machines), -1);
  for (std::size_t node = 0; node < machine.size(); ++node)
    if (machine[node] >= 0 && parent[node] >= 0) result[at(machine[node])] = machine[at(parent[node])];
  return result;
}

}  // namespace sluice::detail
