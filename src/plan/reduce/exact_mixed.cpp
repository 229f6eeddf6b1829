/// `exact` if costs differ or machines have dates: the reduction that ends first, without limits, in one part.
///
/// Problem: see include/sluice/plan/reduce.hpp and tree_schedule.hpp.
/// Method: two times describe what a machine has received and combined: when its port is free, and when it has combined
/// everything. Earlier is better in both. So among all ways of machine v to combine the elements of a set, only those
/// are kept that no other way equals or beats in both times. The way of a set consists of the way of a smaller set and
/// a last reception, of the rest of the set. Some machine of the rest has combined the rest as early as it can: without
/// limits, nothing else depends on what goes on in the rest. If the operation commutes, a set is any set of machines.
/// Otherwise it is a run of consecutive machines, and the last reception is the outermost on the left or on the right.
/// Guarantee: optimal.
/// Complexity: O(3^n n^2) times what is kept of a set (few); O(n^5) in the order of the machines.
/// Source: ours.
///
/// Example: d = 1 from machine 1 and 3 from machine 2, c = 1, all to machine 0: received in this order, the port is
/// free at 4, and both are combined at 5. In the opposite order: 4 and 5 too, because machine 0 waits for the 3 units
/// in any case.
#include "plan/reduce/exact_mixed.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "schedule/combiner.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

/// A way of a machine to combine a set, and how it came about: `sender` had the way `sent_way` of the set `sent_set`,
/// this machine the way `rest_way` of the rest.
struct Way {
  double port_free = 0;
  double done = 0;
  std::int32_t sender = -1;
  std::int32_t sent_way = 0;
  std::int32_t rest_way = 0;
  std::size_t sent_set = 0;
};
using Ways = std::vector<Way>;

void keep(Ways& ways, const Way& way) {
  for (const Way& each : ways)
    if (each.port_free <= way.port_free && each.done <= way.done) return;
  std::erase_if(ways, [&](const Way& each) { return each.port_free >= way.port_free && each.done >= way.done; });
  ways.push_back(way);
}

std::int32_t earliest(const Ways& ways) {
  const auto best =
      std::min_element(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.done < b.done; });
  return static_cast<std::int32_t>(best - ways.begin());
}

class SetSearch {
 public:
  explicit SetSearch(const MixedProblem& problem)
      : problem_(problem), costs_(problem.costs()), n_(static_cast<std::size_t>(problem.machines)) {
    problem_.commutative ? by_sets() : by_runs();
  }

  /// The shortest reduction to the root `wanted`, which may be kAnyRoot.
  TimedParents reduction_to(std::int64_t wanted) {
    std::int32_t root = static_cast<std::int32_t>(wanted);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < n_; ++v) {
      if (wanted != kAnyRoot && std::cmp_not_equal(v, wanted)) continue;
      const Ways& ways = ways_of(v, all());
      const double done = ways[static_cast<std::size_t>(earliest(ways))].done;
      if (done >= least) continue;
      least = done;
      root = static_cast<std::int32_t>(v);
    }
    result_ = {};
    result_.parent.assign(n_, -1);
    result_.length = unfold(root, all(), earliest(ways_of(static_cast<std::size_t>(root), all())));
    std::stable_sort(result_.transfers.begin(), result_.transfers.end(),
                     [](const TimedTransfer& a, const TimedTransfer& b) { return a.start < b.start; });
    return std::move(result_);
  }

 private:
  // A set is a number: of bits, or begin * (n + 1) + end of a run.
  [[nodiscard]] std::size_t run_of(std::size_t begin, std::size_t end) const { return begin * (n_ + 1) + end; }
  [[nodiscard]] std::size_t all() const { return problem_.commutative ? (std::size_t{1} << n_) - 1 : run_of(0, n_); }
  [[nodiscard]] Ways& ways_of(std::size_t machine, std::size_t set) { return ways_[set * n_ + machine]; }

  void start_alone(std::size_t v, std::size_t set) {
    const double date = problem_.date(static_cast<std::int64_t>(v));
    ways_of(v, set).push_back({.port_free = date, .done = date});
  }

  /// Machine v, which has combined `rest`, receives `sent` from `sender`.
  void receive(std::size_t v, std::size_t set, std::size_t rest, std::size_t sender, std::size_t sent) {
    const std::int32_t sent_way = earliest(ways_of(sender, sent));
    const double ready = ways_of(sender, sent)[static_cast<std::size_t>(sent_way)].done;
    const double d = costs_.transfer(static_cast<std::int64_t>(sender), static_cast<std::int64_t>(v));
    const double c = costs_.compute(static_cast<std::int64_t>(v));
    const Ways& before = ways_of(v, rest);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const double end = std::max(before[i].port_free, ready) + d;
      keep(ways_of(v, set), {end, std::max(before[i].done, end) + c, static_cast<std::int32_t>(sender), sent_way,
                             static_cast<std::int32_t>(i), sent});
    }
  }

  void by_sets() {
    const std::size_t sets = std::size_t{1} << n_;
    ways_.resize(sets * n_);
    for (std::size_t set = 1; set < sets; ++set) {
      for (std::size_t v = 0; v < n_; ++v) {
        if ((set >> v & 1U) == 0) continue;
        const std::size_t others = set & ~(std::size_t{1} << v);
        if (others == 0) start_alone(v, set);
        for (std::size_t sent = others; sent > 0; sent = (sent - 1) & others)
          for (std::size_t w = 0; w < n_; ++w)
            if ((sent >> w & 1U) != 0) receive(v, set, set & ~sent, w, sent);
      }
    }
  }

  void by_runs() {
    ways_.resize((n_ + 1) * (n_ + 1) * n_);
    for (std::size_t size = 1; size <= n_; ++size) {
      for (std::size_t begin = 0; begin + size <= n_; ++begin) {
        const std::size_t end = begin + size;
        for (std::size_t v = begin; v < end; ++v) {
          if (size == 1) start_alone(v, run_of(begin, end));
          for (std::size_t k = begin + 1; k < end; ++k) {
            const bool from_left = k <= v;
            const std::size_t sent = from_left ? run_of(begin, k) : run_of(k, end);
            const std::size_t rest = from_left ? run_of(k, end) : run_of(begin, k);
            for (std::size_t w = from_left ? begin : k; w < (from_left ? k : end); ++w)
              receive(v, run_of(begin, end), rest, w, sent);
          }
        }
      }
    }
  }

  /// Writes the transfers to `machine` and to the machines below it; returns when it is done.
  double unfold(std::int32_t machine, std::size_t set, std::int32_t way_number) {
    std::vector<Way> received;  // the last one first
    for (std::size_t left = set;;) {
      const Way way = ways_of(static_cast<std::size_t>(machine), left)[static_cast<std::size_t>(way_number)];
      if (way.sender < 0) break;
      received.push_back(way);
      way_number = way.rest_way;
      left = rest_of(left, way.sent_set);
    }
    double port_free = problem_.date(machine);
    Combiner combiner(port_free);
    for (auto way = received.rbegin(); way != received.rend(); ++way) {
      const double ready = unfold(way->sender, way->sent_set, way->sent_way);
      const double start = std::max(port_free, ready);
      port_free = start + costs_.transfer(way->sender, machine);
      combiner.combine(port_free, costs_.compute(machine));
      result_.transfers.push_back({way->sender, machine, start, port_free});
      result_.parent[static_cast<std::size_t>(way->sender)] = machine;
    }
    return combiner.finish();
  }

  [[nodiscard]] std::size_t rest_of(std::size_t set, std::size_t sent) const {
    if (problem_.commutative) return set & ~sent;
    const std::size_t begin = set / (n_ + 1), end = set % (n_ + 1);
    const std::size_t sent_begin = sent / (n_ + 1), sent_end = sent % (n_ + 1);
    return sent_begin == begin ? run_of(sent_end, end) : run_of(begin, sent_begin);
  }

  const MixedProblem& problem_;
  MachineCosts costs_;
  std::size_t n_;
  std::vector<Ways> ways_;  // by set and machine
  TimedParents result_;
};

}  // namespace

TimedParents exact_mixed(const MixedProblem& problem) { return exact_mixed(problem, {problem.root}).front(); }

std::vector<TimedParents> exact_mixed(const MixedProblem& problem, const std::vector<std::int64_t>& roots) {
  SLUICE_ASSERT(problem.machines <= (problem.commutative ? kMostForSets : kMostForRuns), "few machines");
  SetSearch search(problem);
  std::vector<TimedParents> result;
  for (const std::int64_t root : roots) result.push_back(search.reduction_to(root));
  return result;
}

}  // namespace sluice::detail
