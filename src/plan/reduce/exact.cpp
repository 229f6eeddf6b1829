/// `exact`: the shortest reduction with any limits, by exhaustive search.
///
/// Problem: see include/sluice/plan/reduce.hpp.
/// Method: backwards from the result, transfers in order of their start. For each transfer every machine that holds
/// anything is tried as the giver. The transfer starts as soon as this order allows. The giver has split (c after its
/// last split; splits are made ahead, because forwards what has come in may wait to be combined). Its last transfer has
/// ended. The transfer tried before has started, and fewer than K others run. The transfers of any schedule can be
/// moved to the front in this way, in their own order: nothing breaks and nothing ends later, so a shortest schedule is
/// found. A branch ends when a transfer would not end before the best length. It also ends when even without limits the
/// present machines could not reach the rest before it (most_machines). Among givers in equal states one is tried.
/// Guarantee: optimal.
/// Complexity: exponential; n <= 12. O(n) memory. Deterministic.
/// Source: ours; Canon, Antoniu (2012) prove their algorithms, which this one checks.
///
/// Example: n = 3, d = 2, c = 1: after the first transfer (1 to 3, backwards) the root could end the next at 5, machine
/// 1 at 6; so the length is 5.
#include "plan/reduce/exact.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sluice/plan/reduce.hpp"

namespace sluice::detail {

namespace {

class TreeSearch {
 public:
  TreeSearch(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits)
      : machines_(static_cast<std::size_t>(machines)), costs_(costs), limits_(limits) {
    givers_.push_back({});
    tree_.parent.push_back(-1);
    tree_.inserted.push_back({});
  }

  ReversedTree run() {
    insert();
    return std::move(best_);
  }

 private:
  struct Giver {
    Moment split;  ///< when its last split was done
    Moment free;   ///< when its last transfer ends
    bool reducer = false;

    friend bool operator==(const Giver&, const Giver&) = default;
  };

  [[nodiscard]] double value(const Moment& moment) const { return moment.value(costs_); }
  [[nodiscard]] Moment later(const Moment& a, const Moment& b) const { return value(b) > value(a) ? b : a; }

  void insert() {
    if (givers_.size() == machines_) {
      best_ = tree_;
      best_length_ = ends_.empty() ? 0 : value(ends_.back());
      limit_ = best_length_ * (1 - 1e-12);  // what is shorter by rounding only is no better
      return;
    }
    if (!within_reach()) return;
    std::vector<std::pair<Moment, std::size_t>> choices;
    for (std::size_t i = 0; i < givers_.size(); ++i) {
      const Giver& giver = givers_[i];
      if (std::find(givers_.begin(), givers_.begin() + static_cast<std::ptrdiff_t>(i), giver) !=
          givers_.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      if (!giver.reducer && reducers_ == limits_.reducers) continue;
      Moment start = later(giver.split + Moment{1, 0}, giver.free);
      if (!ends_.empty()) start = later(start, ends_.back() + Moment{0, -1});
      if (static_cast<std::int64_t>(ends_.size()) >= limits_.transfers)
        start = later(start, ends_[ends_.size() - static_cast<std::size_t>(limits_.transfers)]);
      choices.emplace_back(start + Moment{0, 1}, i);
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [&](const auto& a, const auto& b) { return value(a.first) < value(b.first); });
    for (const auto& [end, i] : choices) {
      if (value(end) >= limit_) return;
      const Giver before = givers_[i];
      if (!before.reducer) ++reducers_;
      givers_[i] = {before.split + Moment{1, 0}, end, true};
      givers_.push_back({end, end, false});
      ends_.push_back(end);
      tree_.parent.push_back(static_cast<std::int32_t>(i));
      tree_.inserted.push_back({static_cast<std::int32_t>(end.computes), static_cast<std::int32_t>(end.transfers)});
      insert();
      tree_.parent.pop_back();
      tree_.inserted.pop_back();
      ends_.pop_back();
      givers_.pop_back();
      givers_[i] = before;
      if (!before.reducer) --reducers_;
    }
  }

  /// Whether enough machines could be inserted before the best length if nothing but their splits were in the way.
  [[nodiscard]] bool within_reach() const {
    if (limit_ == std::numeric_limits<double>::infinity()) return true;
    std::int64_t reached = 0;
    for (const Giver& giver : givers_) {
      reached += most_machines(limit_ - value(giver.split), costs_.transfer, costs_.compute);
      if (reached >= static_cast<std::int64_t>(machines_)) return true;
    }
    return false;
  }

  std::size_t machines_;
  ReduceCosts costs_;
  GreedyLimits limits_;
  std::vector<Giver> givers_;
  std::vector<Moment> ends_;
  std::int64_t reducers_ = 0;
  ReversedTree tree_;
  ReversedTree best_;
  double best_length_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace

ReversedTree exact_tree(std::int64_t machines, const ReduceCosts& costs, const GreedyLimits& limits) {
  return TreeSearch(machines, costs, limits).run();
}

}  // namespace sluice::detail
