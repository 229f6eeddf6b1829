#include "plan/exchange/adapters/over_time.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace sluice::detail {

namespace {

/// What is left of a demand.
struct RestOfDemand {
  Demand demand;
  std::vector<std::int32_t> edges;  ///< which one of the whole each edge is
};

RestOfDemand rest_of(const Demand& whole, const std::vector<std::int64_t>& left, std::int64_t max_transfers) {
  RestOfDemand rest;
  Demand& demand = rest.demand;
  demand.setup = whole.setup;
  std::vector<std::int32_t> right_of(as_size(whole.rights), -1);
  std::int32_t last_left = -1;
  for (std::size_t e = 0; e < left.size(); ++e)
    if (left[e] > 0) right_of[as_size(whole.edges[e].right)] = 0;
  for (std::size_t r = 0; r < right_of.size(); ++r) {
    if (right_of[r] < 0) continue;
    right_of[r] = demand.rights++;
    demand.receiver_of_right.push_back(whole.receiver_of_right[r]);
  }
  for (std::size_t e = 0; e < left.size(); ++e) {
    if (left[e] == 0) continue;
    const Edge& edge = whole.edges[e];
    if (edge.left != last_left) {
      last_left = edge.left;
      ++demand.lefts;
      demand.sender_of_left.push_back(whole.sender_of_left[as_size(edge.left)]);
    }
    demand.edges.push_back({demand.lefts - 1, right_of[as_size(edge.right)], left[e]});
    rest.edges.push_back(static_cast<std::int32_t>(e));
  }
  demand.max_transfers =
      static_cast<std::int32_t>(std::min<std::int64_t>(max_transfers, std::min(demand.lefts, demand.rights)));
  return rest;
}

/// Steps that send most for their price come first.
void sort_by_use(PieceSteps& steps, double setup) {
  std::vector<std::pair<double, std::size_t>> use;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    double volume = 0;
    for (const Piece& piece : steps[s]) volume += static_cast<double>(piece.size);
    use.emplace_back(-volume / (setup + static_cast<double>(duration_of(steps[s]))), s);
  }
  std::sort(use.begin(), use.end());
  PieceSteps sorted;
  for (const auto& [key, s] : use) sorted.push_back(std::move(steps[s]));
  steps = std::move(sorted);
}

void drop_empty(PieceSteps& steps) {
  for (std::vector<Piece>& step : steps) std::erase_if(step, [](const Piece& piece) { return piece.size == 0; });
  std::erase_if(steps, [](const std::vector<Piece>& step) { return step.empty(); });
}

/// Shares of the effort for the plans that are to come, one after another.
class Shares {
 public:
  Shares(Budget& budget, double count) : budget_(budget), count_(std::max(1.0, count)) {}
  [[nodiscard]] Budget next() {
    const double share = 1 / count_;
    count_ = std::max(1.0, count_ - 1);
    return budget_.share(share);
  }

 private:
  Budget& budget_;
  double count_;
};

/// Interval by interval. `cut`: what is under way when k rises.
PieceSteps by_intervals(const Demand& demand, const std::vector<BackboneChange>& backbone, bool cut, Budget& budget,
                        double intervals, const PlanOfOneK& planner) {
  PieceSteps result;
  std::vector<std::int64_t> left(demand.edges.size());
  for (std::size_t e = 0; e < left.size(); ++e) left[e] = demand.edges[e].weight;
  std::int64_t transmission = 0;
  const auto now = [&] {
    return static_cast<double>(transmission) + demand.setup * static_cast<double>(result.size());
  };
  Shares shares(budget, intervals);
  std::size_t at = 0;  // the entry that holds
  while (std::any_of(left.begin(), left.end(), [](std::int64_t each) { return each > 0; })) {
    while (at + 1 < backbone.size() && backbone[at + 1].time <= now()) ++at;
    const double until = at + 1 < backbone.size() ? backbone[at + 1].time : std::numeric_limits<double>::infinity();
    const bool rises = at + 1 < backbone.size() && backbone[at + 1].max_transfers > backbone[at].max_transfers;
    const RestOfDemand rest = rest_of(demand, left, backbone[at].max_transfers);
    Budget share = shares.next();
    PieceSteps steps = planner(rest.demand, share).steps;
    drop_empty(steps);
    sort_by_use(steps, demand.setup);
    for (std::vector<Piece>& step : steps) {
      if (now() >= until) break;
      std::int64_t most = duration_of(step);
      const double room = std::ceil(until - now() - demand.setup);
      if (cut && rises && room >= 1 && room < static_cast<double>(most)) most = static_cast<std::int64_t>(room);
      for (Piece& piece : step) {
        piece.edge = rest.edges[as_size(piece.edge)];
        piece.size = std::min(piece.size, most);
        left[as_size(piece.edge)] -= piece.size;
      }
      transmission += most;
      result.push_back(std::move(step));
    }
  }
  return result;
}

}  // namespace

PlansOverTime plans_over_time(const Demand& demand, const std::vector<BackboneChange>& backbone, Budget& budget,
                              const PlanOfOneK& planner) {
  const std::int64_t least = std::ranges::min(backbone, {}, &BackboneChange::max_transfers).max_transfers;
  bool rises = false;
  for (std::size_t i = 1; i < backbone.size(); ++i)
    rises = rises || backbone[i].max_transfers > backbone[i - 1].max_transfers;
  const bool limits = least < demand.max_transfers;
  PlansOverTime result;
  Shares shares(budget, !limits ? 1 : rises ? 4 : 3);
  {
    Budget share = shares.next();
    result.of_largest = planner(demand, share);
  }
  PieceSteps steps = std::move(result.of_largest.steps);
  drop_empty(steps);
  std::stable_sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return a.size() != b.size() ? a.size() > b.size() : duration_of(a) > duration_of(b);
  });
  result.candidates.push_back(steps);
  if (!limits) return result;
  std::reverse(steps.begin(), steps.end());
  result.candidates.push_back(std::move(steps));
  {
    Demand narrow = demand;
    narrow.max_transfers = static_cast<std::int32_t>(least);
    Budget share = shares.next();
    result.candidates.push_back(planner(narrow, share).steps);
  }
  // Changes beyond the end of the plan so far are not reached by a good one.
  double end = 0;
  for (const std::vector<Piece>& step : result.candidates.back())
    if (!step.empty()) end += demand.setup + static_cast<double>(duration_of(step));
  const auto reached = static_cast<double>(
      std::count_if(backbone.begin(), backbone.end(), [&](const BackboneChange& change) { return change.time < end; }));
  for (const bool cut : {false, true}) {
    if (cut && !rises) continue;
    Budget share = shares.next();
    result.candidates.push_back(by_intervals(demand, backbone, cut, share, reached, planner));
  }
  return result;
}

}  // namespace sluice::detail
