#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "sluice/plan/reduce.hpp"

/// The shortest reductions found without any of the planners' ideas: forwards in time, from the rules of
/// tree_schedule.hpp, in whole numbers. Slow.
namespace sluice::testing {

/// What a machine has received and combined so far, as seen from outside: when its port is free and when it is done.
/// Earlier is better in both.
using Front = std::vector<std::pair<int, int>>;

inline void add_to_front(Front& front, std::pair<int, int> state) {
  for (const auto& each : front)
    if (each.first <= state.first && each.second <= state.second) return;
  std::erase_if(front, [&](const auto& each) { return each.first >= state.first && each.second >= state.second; });
  front.push_back(state);
}

inline int earliest(const Front& front) {
  int least = std::numeric_limits<int>::max();
  for (const auto& state : front) least = std::min(least, state.second);
  return least;
}

inline Front after_receiving(const Front& receiver, int ready, int transfer, int compute) {
  Front result;
  for (const auto& [port, done] : receiver) {
    const int end = std::max(port, ready) + transfer;
    add_to_front(result, {end, std::max(done, end) + compute});
  }
  return result;
}

/// Lengths for 1 to `machines` machines, all there at 0: all trees and all orders of reception, by their size.
inline std::vector<int> shortest_lengths(int machines, int transfer, int compute) {
  std::vector<Front> fronts(static_cast<std::size_t>(machines) + 1);
  fronts[1] = {{0, 0}};
  std::vector<int> lengths{0, 0};
  for (int n = 2; n <= machines; ++n) {
    Front& front = fronts[static_cast<std::size_t>(n)];
    for (int last = 1; last < n; ++last)  // the size of the subtree received last
      for (const auto& state : after_receiving(fronts[static_cast<std::size_t>(n - last)],
                                               lengths[static_cast<std::size_t>(last)], transfer, compute))
        add_to_front(front, state);
    lengths.push_back(earliest(front));
  }
  return lengths;
}

/// The least end with dates of arrival, for each root: all trees on all machines, by the sets below them.
inline std::vector<int> shortest_with_arrivals(const std::vector<int>& arrivals, int transfer, int compute) {
  const std::size_t n = arrivals.size();
  const std::size_t sets = std::size_t{1} << n;
  std::vector<std::vector<Front>> fronts(n, std::vector<Front>(sets));
  for (std::size_t set = 1; set < sets; ++set) {
    for (std::size_t v = 0; v < n; ++v) {
      if ((set >> v & 1U) == 0) continue;
      Front& front = fronts[v][set];
      if (set == std::size_t{1} << v) front = {{arrivals[v], arrivals[v]}};
      const std::size_t others = set & ~(std::size_t{1} << v);
      for (std::size_t last = others; last > 0; last = (last - 1) & others)
        for (std::size_t w = 0; w < n; ++w)
          if ((last >> w & 1U) != 0)
            for (const auto& state :
                 after_receiving(fronts[v][set & ~last], earliest(fronts[w][last]), transfer, compute))
              add_to_front(front, state);
    }
  }
  std::vector<int> result;
  for (std::size_t v = 0; v < n; ++v) result.push_back(earliest(fronts[v][sets - 1]));
  return result;
}

/// With at most `max_transfers` at once and at most `max_reducers` machines that combine. Backwards in time: a machine
/// splits its element (compute) and gives half of it away (transfer). Every order of transfers by their start, each as
/// soon as that order allows; nothing is cut off but repetitions of a state.
class LimitedSearch {
 public:
  LimitedSearch(int machines, int transfer, int compute, int max_transfers, int max_reducers)
      : machines_(machines),
        transfer_(transfer),
        compute_(compute),
        max_transfers_(max_transfers),
        max_reducers_(max_reducers) {}

  int shortest() { return insert({{0, 0, 0}}, {}); }

 private:
  using Giver = std::array<int, 3>;  // its last split is done, its last transfer ends, it has split

  /// How long it takes until all are inserted.
  int insert(std::vector<Giver> givers, const std::vector<int>& ends) {
    if (static_cast<int>(givers.size()) == machines_) return ends.empty() ? 0 : ends.back();
    std::sort(givers.begin(), givers.end());
    const std::size_t kept = std::min(ends.size(), static_cast<std::size_t>(max_transfers_));
    std::vector<int> recent(ends.end() - static_cast<std::ptrdiff_t>(kept), ends.end());
    const auto key = std::pair(givers, recent);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    int reducers = 0;
    for (const Giver& giver : givers) reducers += giver[2];
    int least = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < givers.size(); ++i) {
      if (i > 0 && givers[i] == givers[i - 1]) continue;
      if (givers[i][2] == 0 && reducers == max_reducers_) continue;
      int start = std::max(givers[i][0] + compute_, givers[i][1]);
      if (!ends.empty()) start = std::max(start, ends.back() - transfer_);
      if (recent.size() == static_cast<std::size_t>(max_transfers_)) start = std::max(start, recent.front());
      const int end = start + transfer_;
      std::vector<Giver> next = givers;
      next[i] = {givers[i][0] + compute_, end, 1};
      next.push_back({end, end, 0});
      std::vector<int> next_ends = recent;
      next_ends.push_back(end);
      least = std::min(least, insert(std::move(next), next_ends));
    }
    known_[key] = least;
    return least;
  }

  int machines_;
  int transfer_;
  int compute_;
  int max_transfers_;
  int max_reducers_;
  std::map<std::pair<std::vector<Giver>, std::vector<int>>, int> known_;
};

/// Finds the shortest reduction for any combination of options. Tries every order of the starts of transfers, each as
/// soon as that order allows. Costs and dates are whole numbers. Nothing is left out.
class MixedSearch {
 public:
  explicit MixedSearch(const ReduceProblem& problem)
      : problem_(problem),
        n_(static_cast<std::size_t>(problem.machines)),
        parts_(static_cast<std::size_t>(problem.segments)) {}

  double shortest() {
    best_ = std::numeric_limits<double>::infinity();
    State state;
    for (std::size_t v = 0; v < n_; ++v) {
      const double date = problem_.arrivals.empty() ? 0 : problem_.arrivals[v];
      state.machines.push_back({date, date, date, false});
      for (std::size_t part = 0; part < parts_; ++part) state.cells.push_back({date, v, v + 1, false});
    }
    search(state);
    return best_;
  }

 private:
  struct Machine {
    double receives_until;
    double sends_until;
    double combined;
    bool reducer;
  };
  struct Cell {  // a part of a machine
    double ready;
    std::size_t begin, end;  // the machines whose parts are in it
    bool sent;
  };
  struct State {
    std::vector<Machine> machines;
    std::vector<Cell> cells;
    std::vector<double> ends;
    double last_start = 0;
    std::size_t done = 0;
    std::size_t reducers = 0;
  };

  [[nodiscard]] double transfer(std::size_t from, std::size_t to) const {
    const std::vector<double>& costs = problem_.transfer_costs;
    if (costs.empty()) return problem_.transfer;
    return costs.size() == n_ ? costs[from] : costs[from * n_ + to];
  }
  [[nodiscard]] double compute(std::size_t machine) const {
    return problem_.compute_costs.empty() ? problem_.compute : problem_.compute_costs[machine];
  }

  void search(const State& state) {
    if (state.last_start >= best_) return;
    if (state.done == (n_ - 1) * parts_) {
      for (std::size_t v = 0; v < n_; ++v) {
        bool is_root = problem_.root == kAnyRoot || static_cast<std::size_t>(problem_.root) == v;
        for (std::size_t part = 0; part < parts_; ++part) is_root = is_root && !state.cells[v * parts_ + part].sent;
        if (is_root) best_ = std::min(best_, state.machines[v].combined);
      }
      return;
    }
    for (std::size_t u = 0; u < n_; ++u)
      for (std::size_t v = 0; v < n_; ++v)
        for (std::size_t part = 0; part < parts_; ++part) transfer_next(state, u, v, part);
  }

  void transfer_next(const State& state, std::size_t u, std::size_t v, std::size_t part) {
    const Cell& sent = state.cells[u * parts_ + part];
    const Cell& held = state.cells[v * parts_ + part];
    if (u == v || sent.sent || held.sent || static_cast<std::int64_t>(u) == problem_.root) return;
    if (!problem_.commutative && sent.end != held.begin && held.end != sent.begin) return;
    const bool new_reducer = !state.machines[v].reducer;
    if (new_reducer && problem_.max_reducers && static_cast<std::int64_t>(state.reducers) == *problem_.max_reducers)
      return;
    double start =
        std::max({state.last_start, sent.ready, state.machines[u].sends_until, state.machines[v].receives_until});
    if (problem_.max_transfers) {
      std::vector<double> ends = state.ends;
      std::sort(ends.begin(), ends.end(), std::greater<>());
      const auto limit = static_cast<std::size_t>(*problem_.max_transfers);
      if (ends.size() >= limit) start = std::max(start, ends[limit - 1]);
    }
    State next = state;
    const double end = start + transfer(u, v);
    next.last_start = start;
    next.ends.push_back(end);
    next.machines[u].sends_until = next.machines[v].receives_until = end;
    next.machines[v].combined = std::max(next.machines[v].combined, end) + compute(v);
    next.machines[v].reducer = true;
    next.reducers += new_reducer ? 1 : 0;
    Cell& target = next.cells[v * parts_ + part];
    target.ready = next.machines[v].combined;
    target.begin = std::min(target.begin, sent.begin);
    target.end = std::max(target.end, sent.end);
    next.cells[u * parts_ + part].sent = true;
    ++next.done;
    search(next);
  }

  const ReduceProblem& problem_;
  std::size_t n_;
  std::size_t parts_;
  double best_ = 0;
};

}  // namespace sluice::testing
