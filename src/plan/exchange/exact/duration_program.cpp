#include "plan/exchange/exact/duration_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "plan/exchange/bounds/step_program.hpp"
#include "plan/exchange/constructive/limited_matching.hpp"
#include "plan/exchange/exact/even_matchings.hpp"
#include "sluice/error.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kMostVariables = 100'000;
constexpr std::int64_t kMostDivisors = 3;  // added rows for each edge
constexpr int kFinestGrid = 1000;          // parts of a unit, for the times when steps begin
/// The most that a plan may cost if the order counts. Beyond it, a solver of doubles does not tell apart times that
/// differ by a unit. CLP then ends the process if a rounding exchanges the limits of a row.
constexpr double kMostOrderedCost = 1e9;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// The largest of 1, 1/2, .., 1/1000 that divides `setup`; 0: none.
double grid_of(double setup) {
  for (int parts = 1; parts <= kFinestGrid; ++parts)
    if (setup * parts == std::floor(setup * parts)) return 1.0 / parts;
  return 0;
}

IntegerProgram::Row at_least(double limit) { return {limit, IntegerProgram::kNoLimit, {}}; }

}  // namespace

DurationProgram::DurationProgram(const SpeedDemand& demand, const std::vector<BackboneChange>& backbone)
    : demand_(demand), backbone_(backbone) {}

std::int64_t DurationProgram::most_in(std::size_t edge, std::int64_t duration) const {
  return std::min(demand_.sizes[edge], size_within(duration, demand_.speeds[edge]));
}

std::int64_t DurationProgram::least_in(std::size_t edge, std::int64_t duration) const {
  return size_within(duration - 1, demand_.speeds[edge]) + 1;
}

double DurationProgram::price(const Steps& steps) const {
  return static_cast<double>(steps.duration) + demand_.times.setup;
}

bool DurationProgram::restrict_to(const std::vector<double>& prices, double target, Budget& budget) {
  target_ = target;
  intervals_.clear();
  steps_.clear();
  variables_ = 0;
  const std::int64_t most = demand_.times.max_transfers;
  if (backbone_.empty()) intervals_.push_back({0, most, false});
  for (const BackboneChange& change : backbone_) {
    const std::int64_t k = std::min(change.max_transfers, most);
    if (change.time >= target) break;
    if (!intervals_.empty() && intervals_.back().k == k) continue;
    if (!intervals_.empty() && k > intervals_.back().k)
      for (Interval& each : intervals_) each.exact_durations = true;
    intervals_.push_back({change.time, k, false});
  }
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const auto same = std::find_if(intervals_.begin(), intervals_.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const Interval& each) { return each.k == intervals_[i].k; });
    if (same == intervals_.begin() + static_cast<std::ptrdiff_t>(i)) {
      if (!restrict_interval(i, prices, budget)) return false;
      continue;
    }
    const auto from = as_size(same - intervals_.begin());
    for (std::size_t s = 0, count = steps_.size(); s < count; ++s) {
      if (steps_[s].interval != from) continue;
      steps_.push_back({steps_[s].duration, i, steps_[s].edges});
      variables_ += 1 + steps_.back().edges.size();
      if (variables_ > kMostVariables) return false;
    }
  }
  place();
  return variables_ <= kMostVariables && (intervals_.size() == 1 || target <= kMostOrderedCost);
}

bool DurationProgram::restrict_interval(std::size_t interval, const std::vector<double>& prices, Budget& budget) {
  Demand demand = demand_.times;
  demand.max_transfers = static_cast<std::int32_t>(intervals_[interval].k);
  const StepProgram program(demand);
  const double room = target_ - std::accumulate(prices.begin(), prices.end(), 0.0) + kSameCost;
  LimitedMatching matching(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  std::vector<double> values(program.edge_count());
  bool enough = true;
  /// Whether a step of `duration` may occur; takes note if so.
  const auto visit = [&](std::int64_t duration) {
    program.values(duration, prices, values);
    enough = !budget.over() && matching.solve(values, budget);
    if (!enough) return false;
    const double spare = room - (program.cost(duration) * program.scale() - matching.bound(values));
    if (spare < 0) return false;
    Steps steps{duration, interval, {}};
    for (std::size_t e = 0; e < demand.edges.size(); ++e) {
      if (most_in(e, duration) > 0 && matching.slack(demand.edges[e].left, demand.edges[e].right, values[e]) <= spare)
        steps.edges.push_back(static_cast<std::int32_t>(e));
    }
    variables_ += 1 + steps.edges.size();
    steps_.push_back(std::move(steps));
    return true;
  };
  const std::vector<std::int64_t>& sizes = program.durations();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t first = sizes[i];
    std::int64_t last = i + 1 < sizes.size() ? sizes[i + 1] - 1 : first;
    std::int64_t next = first;
    while (next <= last && variables_ <= kMostVariables && visit(next)) ++next;
    for (; last > next && variables_ <= kMostVariables && enough; --last)
      if (!visit(last)) break;
    if (!enough || variables_ > kMostVariables) return false;
  }
  return true;
}

void DurationProgram::place() {
  places_.clear();
  any_.clear();
  std::int32_t next = 0;
  for (const Steps& each : steps_) {
    Places& places = places_.emplace_back();
    places.first = next;
    next += static_cast<std::int32_t>(1 + each.edges.size());
    if (!intervals_[each.interval].exact_durations) continue;
    for (const std::int32_t e : each.edges) {
      const bool can = least_in(as_size(e), each.duration) <= most_in(as_size(e), each.duration);
      places.full.push_back(can ? next++ : -1);
    }
  }
  if (intervals_.size() > 1) {
    for (Places& each : places_) each.last = next++;
    for (std::size_t i = 0; i < intervals_.size(); ++i) any_.push_back(next++);
  }
  variables_ = as_size(next);
}

IntegerProgram DurationProgram::program(double bound) const {
  IntegerProgram program;
  program.variables.resize(variables_, {0, 0, 1});
  const Demand& demand = demand_.times;
  const auto vertices = as_size(demand.lefts) + as_size(demand.rights);
  IntegerProgram::Row cost{bound - kSameCost, target_ + kSameCost, {}};
  const Cost least = eta(demand);
  IntegerProgram::Row steps = at_least(static_cast<double>(least.steps));
  IntegerProgram::Row time = at_least(static_cast<double>(least.transmission));
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Steps& each = steps_[s];
    const Places& places = places_[s];
    const std::int32_t x = places.first;
    program.variables[as_size(x)] = {price(each), 0, std::floor((target_ + kSameCost) / price(each))};
    cost.entries.emplace_back(x, price(each));
    steps.entries.emplace_back(x, 1);
    time.entries.emplace_back(x, static_cast<double>(each.duration));
    std::vector<IntegerProgram::Row> at_vertex(vertices, at_least(0));
    IntegerProgram::Row at_once = at_least(0);
    IntegerProgram::Row full = at_least(0);
    const auto carry = [&](std::int32_t y, const Edge& edge, std::int64_t most) {
      program.variables[as_size(y)] = {0, 0, static_cast<double>(most)};
      at_vertex[as_size(edge.left)].entries.emplace_back(y, -1);
      at_vertex[as_size(demand.lefts + edge.right)].entries.emplace_back(y, -1);
      at_once.entries.emplace_back(y, -1);
    };
    for (std::size_t i = 0; i < each.edges.size(); ++i) {
      const std::size_t e = as_size(each.edges[i]);
      const std::int64_t size = demand_.sizes[e];
      carry(x + 1 + static_cast<std::int32_t>(i), demand.edges[e], ceil_div(size, most_in(e, each.duration)));
      if (places.full.empty() || places.full[i] < 0) continue;
      carry(places.full[i], demand.edges[e], size / least_in(e, each.duration));
      full.entries.emplace_back(places.full[i], 1);
    }
    for (IntegerProgram::Row& row : at_vertex) {
      if (row.entries.empty()) continue;
      row.entries.emplace_back(x, 1);
      program.rows.push_back(std::move(row));
    }
    const std::int64_t k = intervals_[each.interval].k;
    if (k < std::min(demand.lefts, demand.rights) && !at_once.entries.empty()) {
      at_once.entries.emplace_back(x, static_cast<double>(k));
      program.rows.push_back(std::move(at_once));
    }
    if (!intervals_[each.interval].exact_durations) continue;
    full.entries.emplace_back(x, -1);
    program.rows.push_back(std::move(full));
  }
  add_cover_rows(program);
  program.rows.push_back(std::move(cost));
  program.rows.push_back(std::move(steps));
  program.rows.push_back(std::move(time));
  if (intervals_.size() > 1) add_order_rows(program);
  return program;
}

void DurationProgram::add_cover_rows(IntegerProgram& program) const {
  struct Carried {
    std::int32_t variable = 0;
    std::int64_t most = 0;
    std::int64_t least = 0;
  };
  std::vector<std::vector<Carried>> of_edge(demand_.sizes.size());
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Steps& each = steps_[s];
    for (std::size_t i = 0; i < each.edges.size(); ++i) {
      const std::size_t e = as_size(each.edges[i]);
      const std::int64_t most = most_in(e, each.duration);
      of_edge[e].push_back({places_[s].first + 1 + static_cast<std::int32_t>(i), most, 0});
      if (places_[s].full.empty() || places_[s].full[i] < 0) continue;
      of_edge[e].push_back({places_[s].full[i], most, least_in(e, each.duration)});
    }
  }
  for (std::size_t e = 0; e < of_edge.size(); ++e) {
    const std::int64_t size = demand_.sizes[e];
    const auto add = [&](std::int64_t divisor) {
      IntegerProgram::Row row = at_least(static_cast<double>(ceil_div(size, divisor)));
      for (const Carried& each : of_edge[e])
        row.entries.emplace_back(each.variable, static_cast<double>(ceil_div(each.most, divisor)));
      program.rows.push_back(std::move(row));
    };
    add(1);
    // The largest divisors that make ceil(size / divisor) 2, 3, ...
    std::int64_t before = size;
    for (std::int64_t parts = 2; parts < 2 + kMostDivisors; ++parts) {
      const std::int64_t divisor = ceil_div(size, parts - 1) - 1;
      if (divisor <= 1) break;
      if (divisor != before) add(divisor);
      before = divisor;
    }
    IntegerProgram::Row room{0, static_cast<double>(size), {}};
    for (const Carried& each : of_edge[e])
      if (each.least > 0) room.entries.emplace_back(each.variable, static_cast<double>(each.least));
    if (!room.entries.empty()) program.rows.push_back(std::move(room));
  }
}

void DurationProgram::add_order_rows(IntegerProgram& program) const {
  // A limit half way between two possible start times of a step is safe from roundings.
  const double grid = grid_of(demand_.times.setup);
  const double slack = grid > 0 ? 0 : kSameCost;
  const auto begin_of = [&](std::size_t i) {
    const double begin = intervals_[i].begin;
    return grid > 0 ? (std::ceil(begin / grid - kSameCost) - 0.5) * grid : begin;
  };
  std::vector<std::pair<std::int32_t, double>> before;  // S of the intervals so far
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    const std::int32_t any = any_[i];
    if (i > 0) {
      IntegerProgram::Row begins = at_least(-slack);
      begins.entries = before;
      begins.entries.emplace_back(any, -begin_of(i));
      program.rows.push_back(std::move(begins));
    }
    IntegerProgram::Row one{0, 0, {{any, -1}}};
    std::vector<std::pair<std::int32_t, double>> of_last;
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].interval != i) continue;
      const Places& places = places_[s];
      one.entries.emplace_back(places.last, 1);
      program.rows.push_back({0, IntegerProgram::kNoLimit, {{places.first, 1}, {places.last, -1}}});
      program.rows.push_back(
          {0, IntegerProgram::kNoLimit, {{any, program.variables[as_size(places.first)].most}, {places.first, -1}}});
      before.emplace_back(places.first, price(steps_[s]));
      of_last.emplace_back(places.last, -price(steps_[s]));
    }
    program.rows.push_back(std::move(one));
    // All of its steps, but the last one unless k stays, fit between its begin and its end.
    const bool stays = i + 1 == intervals_.size();
    const double length = stays ? target_ + kSameCost - begin_of(i) : begin_of(i + 1) - begin_of(i) - grid / 2;
    IntegerProgram::Row within{-IntegerProgram::kNoLimit, slack, {{any, -length - slack}}};
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].interval != i) continue;
      within.entries.emplace_back(places_[s].first, price(steps_[s]));
      if (!stays) within.entries.emplace_back(places_[s].last, -price(steps_[s]));
    }
    program.rows.push_back(std::move(within));
    if (stays) break;
    const double end = begin_of(i + 1) + slack;
    const double most = std::max(end, target_ + 1);
    IntegerProgram::Row ends{-IntegerProgram::kNoLimit, most, before};
    ends.entries.insert(ends.entries.end(), of_last.begin(), of_last.end());
    ends.entries.emplace_back(any, most - end);
    program.rows.push_back(std::move(ends));
  }
}

double DurationProgram::cost(const std::vector<std::int64_t>& values) const {
  double total = 0;
  for (std::size_t s = 0; s < steps_.size(); ++s)
    total += price(steps_[s]) * static_cast<double>(values[as_size(places_[s].first)]);
  return total;
}

PieceSteps DurationProgram::decode(const std::vector<std::int64_t>& values) const {
  struct Carrier {
    std::int64_t duration = 0;
    std::size_t interval = 0;
    bool last = false;
    std::vector<CarriedEdge> edges;
  };
  std::vector<Carrier> carriers;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Steps& each = steps_[s];
    const Places& places = places_[s];
    const std::int64_t count = values[as_size(places.first)];
    std::vector<CarriedEdge> carried;
    for (std::size_t i = 0; i < each.edges.size(); ++i) {
      carried.insert(carried.end(), as_size(values[as_size(places.first) + 1 + i]), {each.edges[i], false});
      if (!places.full.empty() && places.full[i] >= 0)
        carried.insert(carried.end(), as_size(values[as_size(places.full[i])]), {each.edges[i], true});
    }
    if (carried.empty()) continue;
    const Interval& interval = intervals_[each.interval];
    bool last = places.last >= 0 && values[as_size(places.last)] > 0;
    for (std::vector<CarriedEdge>& edges :
         even_matchings(demand_.times, carried, count, interval.k, interval.exact_durations)) {
      carriers.push_back({each.duration, each.interval, last, std::move(edges)});
      last = false;
    }
  }
  std::stable_sort(carriers.begin(), carriers.end(), [](const Carrier& a, const Carrier& b) {
    if (a.interval != b.interval) return a.interval < b.interval;
    return a.last != b.last ? b.last : a.duration > b.duration;
  });
  // First what makes full pieces as long as they have to be, then as much as fits.
  std::vector<std::int64_t> left = demand_.sizes;
  PieceSteps steps;
  for (const Carrier& carrier : carriers) {
    std::vector<Piece>& pieces = steps.emplace_back();
    for (const auto& [e, full] : carrier.edges) {
      pieces.push_back({e, full ? least_in(as_size(e), carrier.duration) : 0});
      left[as_size(e)] -= pieces.back().size;
    }
  }
  for (std::size_t s = 0; s < steps.size(); ++s) {
    for (Piece& piece : steps[s]) {
      const std::size_t e = as_size(piece.edge);
      const std::int64_t more = std::min(left[e], most_in(e, carriers[s].duration) - piece.size);
      piece.size += more;
      left[e] -= more;
    }
    std::erase_if(steps[s], [](const Piece& piece) { return piece.size == 0; });
  }
  std::erase_if(steps, [](const std::vector<Piece>& step) { return step.empty(); });
  for (const std::int64_t rest : left) SLUICE_ASSERT(rest == 0, fmt::format("{} left to send", rest));
  return steps;
}

}  // namespace sluice::detail
