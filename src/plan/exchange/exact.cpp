/// `exact`: the cheapest plan, with proof.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, with whole sizes in the unit of the traffic. That matters: k =
/// 2 and three disjoint messages of size 1 take 2 + 2 beta in whole pieces, but 1.5 + 3 beta in halves, less for beta <
/// 1/2.
///
/// Program. Whole variables X_t, how many steps last t, and y_et, how many of these carry edge e (of size w_e):
///
///     least   sum (t + beta) X_t
///     sum of y_et over the edges at v  <= X_t          for each vertex v and duration t
///     sum of y_et over all edges       <= k X_t        for each t
///     sum over t of min(t, w_e) y_et   >= w_e          for each edge e.
///
/// This is exact: the edges of one duration, y_et times each, are a bipartite multigraph of degree <= X_t, so they fall
/// into X_t matchings (Koenig), and these can be levelled to at most k edges each: of a matching with more than k and
/// one with fewer, some path of their symmetric difference has one edge more of the former; swap it. Unlike a program
/// over numbered steps it has no equal solutions that differ in the order of steps. Added for strength: the pieces rows
/// of lp_bound.cpp and likewise, for further divisors d, sum of ceil(min(t, w_e) / d) y_et >= ceil(w_e / d)
/// (Chvatal-Gomory); least numbers of steps and of transmission, those of eta.
///
/// Method:
///  1. The bound of the linear program over steps (lp_bound.cpp), and `auto` for a start, each in a share of the
///  budget.
///  2. Is there a plan that costs at most a target between the bound and less than the best plan? Variables that the
///     prices of the bound rule out are left out: a plan with a step that costs c more than it is worth costs at
///     least (sum of prices) + c, so steps with c > target - sum are in no such plan; for y_et the heaviest matching
///     that contains e counts. Between two neighbouring sizes c is concave in t (lp_bound.cpp), so the durations
///     that stay are at both ends of such an interval.
///  3. CBC answers: a plan, or none, which lifts the bound above the target. With a whole beta costs are whole, and the
///     targets rise from the bound in few steps, as the optimum is most often the bound or one more; else the only
///     target is 1e-6 below the best plan. After each target `auto` tries once more, with another seed.
///
/// A search that was ended goes on from what it knew: its plan, its bound, which says what targets have been refuted,
/// and the prices of step 1. What CBC had seen of its last target is lost.
///
/// Where the program would have more than kMostVariables, the rest of the budget goes to `auto`.
///
/// Guarantee: `optimal` says that no plan is cheaper (by more than 1e-6), `bound` that none is below it, as far as
/// CBC's arithmetic (doubles, tolerance 1e-7) and ours are right; the plan and its cost do not depend on that.
///
/// Complexity: exponential. 8 + 8 vertices, dense, sizes to 20, beta = 3: seconds. The program has at most (m + 1) W
/// variables, W the largest size; memory as much. Deterministic unless time ends it.
///
/// Source: the program is ours; Koenig (1916) for the matchings; de Werra, "On some combinatorial problems arising in
/// scheduling", INFOR 8 (1970), for levelling; Chvatal, "Edmonds polytopes and a hierarchy of combinatorial problems",
/// Discrete Mathematics 4 (1973), for the added rows.
///
/// Example: k = 2, beta = 1, sizes (0,0) = (1,1) = (2,2) = 2. The linear program says 4.5, hence 5; `auto` finds 6: a
/// step of 2 with two messages, a step of 2 with one. Target 5: one step of at most 4 carries two messages, steps of 2
/// and 1 carry two and half of the third, steps of 1 and 1 less. No solution: 6 is the optimum.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "plan/exchange/integer_program.hpp"
#include "plan/exchange/limited_matching.hpp"
#include "plan/exchange/planners.hpp"
#include "plan/exchange/step_program.hpp"
#include "sluice/error.hpp"
#include "sluice/graph/edge_coloring.hpp"

namespace sluice::detail {

namespace {

constexpr double kShareOfFirstBound = 0.2;  // of the budget
constexpr double kStartShare = 0.2;
constexpr double kMostStartWork = 2e9;
constexpr double kStartWorkOfPair = 1.2e5;  // of edges
constexpr double kBetweenShare = 0.25;      // of the work that a target took
constexpr double kSameCost = 1e-6;          // plans whose costs differ by less count as equally cheap
constexpr std::size_t kMostVariables = 100'000;
constexpr std::int64_t kMostDivisors = 3;  // added rows for each edge

/// Durations, and edges in steps of them, that a plan of at most some cost may have.
struct Possible {
  struct Steps {
    std::int64_t duration = 0;
    std::vector<std::int32_t> edges;
  };
  std::vector<Steps> steps;
  std::size_t variables = 0;
};

/// What the dual solution `prices` leaves; nothing if that is more than kMostVariables, or the budget was spent.
std::optional<Possible> possible_steps(const StepProgram& program, const std::vector<double>& prices, double target,
                                       Budget& budget) {
  const Demand& demand = program.demand();
  const double room = target - std::accumulate(prices.begin(), prices.end(), 0.0) + kSameCost;
  LimitedMatching matching(demand.lefts, demand.rights, demand.edges, demand.max_transfers);
  std::vector<double> values(program.edge_count());
  Possible result;
  bool enough = true;
  /// Whether a step of `duration` may occur; takes note if so.
  const auto visit = [&](std::int64_t duration) {
    program.values(duration, prices, values);
    enough = !budget.over() && matching.solve(values, budget);
    if (!enough) return false;
    const double spare = room - (program.cost(duration) * program.scale() - matching.bound(values));
    if (spare < 0) return false;
    Possible::Steps steps{duration, {}};
    for (std::size_t e = 0; e < demand.edges.size(); ++e) {
      if (matching.slack(demand.edges[e].left, demand.edges[e].right, values[e]) <= spare)
        steps.edges.push_back(static_cast<std::int32_t>(e));
    }
    result.variables += 1 + steps.edges.size();
    result.steps.push_back(std::move(steps));
    return true;
  };
  const std::vector<std::int64_t>& sizes = program.durations();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t first = sizes[i];
    std::int64_t last = i + 1 < sizes.size() ? sizes[i + 1] - 1 : first;
    std::int64_t next = first;
    while (next <= last && result.variables <= kMostVariables && visit(next)) ++next;
    for (; last > next && result.variables <= kMostVariables && enough; --last)
      if (!visit(last)) break;
    if (!enough || result.variables > kMostVariables) return std::nullopt;
  }
  return result;
}

/// The program of the header for plans that cost at least `bound` and at most `target`. Variables in the order of
/// `possible`: X of a duration, then its y.
IntegerProgram integer_program(const Demand& demand, const Possible& possible, double bound, double target) {
  IntegerProgram program;
  const auto vertices = as_size(demand.lefts) + as_size(demand.rights);
  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> of_edge(demand.edges.size());  // variable, duration
  IntegerProgram::Row cost{bound - kSameCost, target + kSameCost, {}};
  const std::int64_t k = demand.max_transfers;
  const auto ceil_div = [](std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); };
  const auto at_least = [](std::int64_t limit) {
    return IntegerProgram::Row{static_cast<double>(limit), IntegerProgram::kNoLimit, {}};
  };
  const Cost least = eta(demand);
  IntegerProgram::Row steps = at_least(least.steps);
  IntegerProgram::Row time = at_least(least.transmission);
  for (const Possible::Steps& each : possible.steps) {
    const auto x = static_cast<std::int32_t>(program.variables.size());
    const auto duration = static_cast<double>(each.duration);
    const double price = duration + demand.setup;
    program.variables.push_back({price, 0, std::floor((target + kSameCost) / price)});
    cost.entries.emplace_back(x, price);
    steps.entries.emplace_back(x, 1);
    time.entries.emplace_back(x, duration);
    std::vector<IntegerProgram::Row> at_vertex(vertices, at_least(0));
    IntegerProgram::Row at_once = at_least(0);
    for (const std::int32_t e : each.edges) {
      const Edge& edge = demand.edges[as_size(e)];
      const auto y = static_cast<std::int32_t>(program.variables.size());
      program.variables.push_back({0, 0, static_cast<double>(ceil_div(edge.weight, each.duration))});
      of_edge[as_size(e)].emplace_back(y, each.duration);
      at_vertex[as_size(edge.left)].entries.emplace_back(y, -1);
      at_vertex[as_size(demand.lefts + edge.right)].entries.emplace_back(y, -1);
      at_once.entries.emplace_back(y, -1);
    }
    for (IntegerProgram::Row& row : at_vertex) {
      if (row.entries.empty()) continue;
      row.entries.emplace_back(x, 1);
      program.rows.push_back(std::move(row));
    }
    if (k < std::min(demand.lefts, demand.rights) && !at_once.entries.empty()) {
      at_once.entries.emplace_back(x, static_cast<double>(k));
      program.rows.push_back(std::move(at_once));
    }
  }
  for (std::size_t e = 0; e < demand.edges.size(); ++e) {
    const std::int64_t size = demand.edges[e].weight;
    const auto add = [&](std::int64_t divisor) {
      IntegerProgram::Row row = at_least(ceil_div(size, divisor));
      for (const auto& [y, duration] : of_edge[e])
        row.entries.emplace_back(y, static_cast<double>(ceil_div(std::min(duration, size), divisor)));
      program.rows.push_back(std::move(row));
    };
    add(1);
    // The largest divisor for which ceil(size / divisor) is 2, 3, ...
    std::int64_t before = size;
    for (std::int64_t parts = 2; parts < 2 + kMostDivisors; ++parts) {
      const std::int64_t divisor = ceil_div(size, parts - 1) - 1;
      if (divisor <= 1) break;
      if (divisor != before) add(divisor);
      before = divisor;
    }
  }
  program.rows.push_back(std::move(cost));
  program.rows.push_back(std::move(steps));
  program.rows.push_back(std::move(time));
  return program;
}

/// Moves edges between matchings until none has more than `limit`; there are at most limit * classes.size().
void level(const Demand& demand, std::size_t limit, std::vector<std::vector<std::int32_t>>& classes) {
  const auto smaller = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  while (true) {
    auto& large = *std::max_element(classes.begin(), classes.end(), smaller);
    auto& small = *std::min_element(classes.begin(), classes.end(), smaller);
    if (large.size() <= limit) return;
    SLUICE_ASSERT(small.size() < limit, fmt::format("{} edges in the smallest matching", small.size()));
    // A path that starts with an edge of `large` at a left or right end that `small` leaves free, and ends likewise.
    const auto lefts = as_size(demand.lefts);
    std::vector<std::int32_t> in_small(lefts + as_size(demand.rights), -1), in_large(in_small);
    const auto ends = [&](std::int32_t e) {
      const Edge& edge = demand.edges[as_size(e)];
      return std::pair(as_size(edge.left), lefts + as_size(edge.right));
    };
    const auto note = [&](const std::vector<std::int32_t>& edges, std::vector<std::int32_t>& at) {
      for (const std::int32_t e : edges) {
        at[ends(e).first] = e;
        at[ends(e).second] = e;
      }
    };
    note(small, in_small);
    note(large, in_large);
    std::vector<std::int32_t> from_large, from_small;
    for (std::size_t start = 0; start < in_small.size(); ++start) {
      if (in_large[start] < 0 || in_small[start] >= 0) continue;
      from_large.clear();
      from_small.clear();
      std::size_t v = start;
      while (true) {
        const std::int32_t out = in_large[v];
        if (out < 0) break;
        from_large.push_back(out);
        v = ends(out).first == v ? ends(out).second : ends(out).first;
        const std::int32_t back = in_small[v];
        if (back < 0) break;
        from_small.push_back(back);
        v = ends(back).first == v ? ends(back).second : ends(back).first;
      }
      if (from_large.size() > from_small.size()) break;
    }
    SLUICE_ASSERT(from_large.size() == from_small.size() + 1,
                  fmt::format("path of {} and {} edges", from_large.size(), from_small.size()));
    const auto move = [](const std::vector<std::int32_t>& edges, auto& from, auto& to) {
      for (const std::int32_t e : edges) {
        from.erase(std::find(from.begin(), from.end(), e));
        to.push_back(e);
      }
    };
    move(from_large, large, small);
    move(from_small, small, large);
  }
}

/// The plan that `values` of integer_program describe.
PieceSteps decode(const Demand& demand, const Possible& possible, const std::vector<std::int64_t>& values) {
  struct Carrier {
    std::int64_t duration = 0;
    std::vector<std::int32_t> edges;
  };
  std::vector<Carrier> carriers;
  std::size_t next = 0;
  for (const Possible::Steps& each : possible.steps) {
    const std::int64_t count = values[next++];
    std::vector<Edge> copies;
    std::vector<std::int32_t> edge_of;
    for (const std::int32_t e : each.edges) {
      for (std::int64_t i = values[next++]; i > 0; --i) {
        copies.push_back({demand.edges[as_size(e)].left, demand.edges[as_size(e)].right, 1});
        edge_of.push_back(e);
      }
    }
    if (copies.empty()) continue;
    const EdgeColoring coloring = edge_coloring(BipartiteGraph(demand.lefts, demand.rights, copies));
    SLUICE_ASSERT(coloring.colors <= count && static_cast<std::int64_t>(copies.size()) <= count * demand.max_transfers,
                  fmt::format("{} colours, {} edges, {} steps", coloring.colors, copies.size(), count));
    std::vector<std::vector<std::int32_t>> classes(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < copies.size(); ++i) classes[as_size(coloring.color[i])].push_back(edge_of[i]);
    level(demand, as_size(demand.max_transfers), classes);
    for (std::vector<std::int32_t>& edges : classes) carriers.push_back({each.duration, std::move(edges)});
  }
  std::stable_sort(carriers.begin(), carriers.end(),
                   [](const Carrier& a, const Carrier& b) { return a.duration > b.duration; });
  std::vector<std::int64_t> left(demand.edges.size());
  for (std::size_t e = 0; e < left.size(); ++e) left[e] = demand.edges[e].weight;
  PieceSteps steps;
  for (const Carrier& carrier : carriers) {
    std::vector<Piece> pieces;
    for (const std::int32_t e : carrier.edges) {
      const std::int64_t size = std::min(left[as_size(e)], carrier.duration);
      if (size == 0) continue;
      pieces.push_back({e, size});
      left[as_size(e)] -= size;
    }
    if (!pieces.empty()) steps.push_back(std::move(pieces));
  }
  for (const std::int64_t rest : left) SLUICE_ASSERT(rest == 0, fmt::format("{} left to send", rest));
  return steps;
}

}  // namespace

BoundedPlan plan_exact(const Demand& demand, Budget& budget, std::uint64_t seed, const Progress& progress,
                       const BoundedPlan* start) {
  if (!integer_solver_available())
    throw InputError("algorithm", "'exact'", "another one: this library was built without CBC");
  const LpBound linear = [&] {
    if (start != nullptr && !start->prices.empty()) {
      LpBound known;
      known.total = least_possible_cost(std::accumulate(start->prices.begin(), start->prices.end(), 0.0), demand.setup);
      known.prices = start->prices;
      return known;
    }
    Budget part = budget.share(kShareOfFirstBound);
    return lp_bound(demand, part);
  }();
  BoundedPlan best;
  double least = 0;
  const auto tell = [&] {
    SLUICE_ASSERT(best.bound <= least, fmt::format("bound {} above a plan of {}", best.bound, least));
    if (progress) progress(least, best.bound);
  };
  const auto settled = [&] { return least <= best.bound + kSameCost; };
  const auto search = [&](Budget& until, std::uint64_t with_seed) {
    BoundedPlan found = plan_auto(demand, until, with_seed, [&](double incumbent, double bound) {
      best.bound = std::max(best.bound, bound);
      if (progress && (best.steps.empty() || incumbent < least)) progress(incumbent, best.bound);
    });
    best.bound = std::max(best.bound, found.bound);
    // Their sum is the bound that they prove.
    const auto sum = [](const std::vector<double>& prices) {
      return std::accumulate(prices.begin(), prices.end(), 0.0);
    };
    if (sum(found.prices) > sum(best.prices)) best.prices = std::move(found.prices);
    if (bound_by_node_prices(demand, found.node_prices) > bound_by_node_prices(demand, best.node_prices))
      best.node_prices = std::move(found.node_prices);
    const double total = cost(found.steps, demand.setup);
    if (!best.steps.empty() && total >= least) return;
    least = total;
    best.steps = std::move(found.steps);
  };
  best.bound = std::max(linear.total, eta(demand).total);
  best.prices = linear.total > eta(demand).total ? linear.prices : std::vector<double>();
  const auto edges = static_cast<double>(demand.edges.size());
  if (start != nullptr) {
    best.steps = start->steps;
    best.node_prices = start->node_prices;
    least = cost(best.steps, demand.setup);
    best.bound_by_search = start->bound_by_search && start->bound > best.bound;
    best.bound = std::max(best.bound, start->bound);
  } else {
    Budget whole_share = budget.share(kStartShare);
    Budget first =
        whole_share.part(static_cast<std::int64_t>(std::min(kStartWorkOfPair * edges * edges, kMostStartWork)));
    search(first, seed);
  }
  tell();
  const StepProgram steps(demand);
  const bool whole = demand.setup == std::floor(demand.setup);
  while (!settled() && !budget.over()) {
    constexpr double kStages = 4;
    const double gap = least - best.bound;
    const double target = whole ? best.bound + std::floor((gap - 1) / kStages) : least - kSameCost;
    const std::optional<Possible> possible =
        linear.prices.empty() ? std::nullopt : possible_steps(steps, linear.prices, target, budget);
    if (!possible) {
      search(budget, ++seed);
      tell();
      break;
    }
    const std::int64_t spent = budget.spent();
    const IntegerProgram program = integer_program(demand, *possible, best.bound, target);
    const IntegerSolution solution = solve(program, budget, tell);
    if (!solution.values.empty()) {
      PieceSteps found = decode(demand, *possible, solution.values);
      const double total = cost(found, demand.setup);
      if (total < least) {
        least = total;
        best.steps = std::move(found);
      }
    }
    if (solution.state == IntegerSolution::State::kStopped) break;
    best.bound = solution.state == IntegerSolution::State::kSolved ? least : whole ? target + 1 : least;
    best.bound_by_search = true;
    tell();
    if (settled()) break;
    Budget between =
        budget.part(static_cast<std::int64_t>(kBetweenShare * static_cast<double>(budget.spent() - spent)));
    search(between, ++seed);
    tell();
  }
  SLUICE_ASSERT(best.bound <= least, fmt::format("bound {} above a plan of {}", best.bound, least));
  best.optimal = settled();
  return best;
}

}  // namespace sluice::detail
