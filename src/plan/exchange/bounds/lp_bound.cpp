/// A bound from the linear program over steps, by column generation.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp: find a lower bound of the cost of all plans.
///
/// Program. A column c is a step: a matching M_c of at most k edges and a duration theta_c. It costs theta_c + beta,
/// and x_c says how often a plan takes it. Every plan with whole durations satisfies, for each edge e of size w,
///
///     size:   sum over c with e in M_c of min(theta_c, w) x_c          >= w
///     pieces: sum over c with e in M_c of (1 + [theta_c >= w]) x_c     >= 2,
///
/// the first because all of e is sent, the second because either one step lasts at least w or two steps carry e. (The
/// second is the Chvatal-Gomory cut of the first, divided by w - 1 and rounded up. It implies that e is in some step,
/// sum x_c >= 1. The degree and the number of edges bound that sum too, so the program is never below eta.) Its optimum
/// without integrality is the bound. If beta is whole, the cost of every plan is whole, and the bound is rounded up.
///
/// Durations. Let a_e >= 0 be prices of the size rows and b_e >= 0 prices of the pieces rows. A step of duration theta
/// is worth the heaviest matching of at most k edges under v_e(theta) = a_e min(theta, w) + b_e (1 + [theta >= w]). For
/// a fixed matching, worth - cost is linear in theta between two neighbouring sizes of its edges, and jumps upwards
/// when theta reaches a size. So on each such interval it is largest at the left end, or not above the value at the
/// size that ends the interval; beyond the largest size it falls. Hence the durations {1} and {w_e} suffice; 1 is the
/// least whole one.
///
/// Validity. If no step is worth more than rho times its cost under some prices, then these prices divided by rho are a
/// solution of the dual. No plan costs less than their sum over rho (Farley's bound), whatever the prices are. rho
/// comes not from matchings but from vertex prices that cover every edge (LimitedMatching::bound), so no error of a
/// search can raise the bound. Only the sums of m doubles are rounded. The bound is lowered by 1e-9 + m 2^-50 of
/// itself, far more than these roundings. The bound is therefore valid whenever the search ends.
///
/// Method: multipliers (augmented Lagrangian) over a pool of columns. One round has these parts. The uncovered demand
/// is r = 1 - A x (rows scaled to a demand of 1), with the penalty t. Find the x >= 0 of the pool that costs least, by
/// a few sweeps of coordinate descent. Set new prices y = max(0, y + t r). Find for every duration the best step under
/// y, and Farley's bound. Columns worth more than they cost join the pool; columns that were long of no use leave it. A
/// duration is skipped if vertex prices of its neighbour prove it no better than what is known. The first rounds, far
/// from any bound, try only some durations. x, completed by steps of one edge each, is a solution of the program, so
/// the gap is known. The search ends if the gap is 1e-5, or cannot change the rounded bound.
///
/// Guarantee: total >= eta, at most the optimum of the program (rounded up), no plan below it. Deterministic unless
/// time ends it.
/// Complexity: a round takes O(d (m + k (n^2 + m))) for d different sizes, n vertices, m edges; mostly far less,
/// because durations are skipped. Each column of the pool takes O(k) in each sweep. Some hundred rounds come within 0.1
/// %. Memory O(m + k columns). The budget is checked between durations and within matchings.
///
/// Source: Gilmore and Gomory, "A linear programming approach to the cutting-stock problem", Operations Research 9
/// (1961), for columns on demand; Farley, "A note on bounding a class of linear programming problems, including cutting
/// stock problems", Operations Research 38 (1990); Bertsekas, "Constrained optimization and Lagrange multiplier
/// methods" (1982), chapter 2. Choices: no simplex method, because its prices swing from vertex to vertex of a
/// degenerate dual. On 20 + 20 vertices, 400 sizes up to 10^4, its bound is below eta after 20 s; multipliers are
/// within 0.5 % of the optimum after 1 s. The first prices are eta's.
///
/// Example: k = 2, beta = 1, sizes (0,0) = (1,1) = (2,2) = 2; eta = 3 + 2. The program takes every pair of edges half a
/// time for 2 units: 3/2 steps of cost 3, that is 4.5. Prices of 0.75 for the pieces rows, 0 for the size rows, prove
/// it: a step of 2 units is worth at most 2 * 2 * 0.75 = 3, one of 1 unit at most 1.5, less than its cost 2; and they
/// sum to 3 * 2 * 0.75 = 4.5. Rounded up it is 5; the best plan costs 6.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "plan/exchange/bounds/program_bound.hpp"
#include "plan/exchange/bounds/step_program.hpp"
#include "plan/exchange/constructive/limited_matching.hpp"
#include "plan/exchange/constructive/planners.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfSweptEdge = 4;  // of an edge of a column, in a sweep
constexpr std::int64_t kWorkOfDuration = 4;   // of an edge, its values and the prices that cover them
constexpr double kGap = 1e-5;                 // of the bound: where the program counts as solved
constexpr double kWorth = 1 + 1e-7;           // worth of a column over its cost that lets it into the pool
constexpr double kPenalty = 3;                // t, as a multiple of the mean price
constexpr int kSweeps = 10;
constexpr double kSweepsEnd = 1e-5;          // no column's worth is further from its cost, relatively
constexpr int kPatience = 3;                 // rounds without use until the first sweep only considers a column,
constexpr int kOblivion = 40;                // and until it leaves the pool, if it is not used
constexpr std::size_t kFirstDurations = 48;  // tried in each of the first rounds,
constexpr double kFewDurations = 0.25;       // until at most this share of the durations yields a column

/// Prices whose sum is the bound eta (before rounding up P / k): all edges of the vertex with the largest load, or all
/// edges, share the time; likewise for degree and steps.
std::vector<double> prices_of_eta(const StepProgram& program) {
  const Demand& demand = program.demand();
  const auto lefts = static_cast<std::size_t>(demand.lefts);
  std::vector<double> load(lefts + static_cast<std::size_t>(demand.rights), 0);
  std::vector<double> degree(load.size(), 0);
  double total = 0;
  for (const Edge& edge : demand.edges) {
    const auto weight = static_cast<double>(edge.weight);
    for (const std::size_t v : {static_cast<std::size_t>(edge.left), lefts + static_cast<std::size_t>(edge.right)}) {
      load[v] += weight;
      degree[v] += 1;
    }
    total += weight;
  }
  const double k = demand.max_transfers;
  const auto largest_at = [](const std::vector<double>& values) {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  };
  const std::size_t loaded = largest_at(load);
  const std::size_t busy = largest_at(degree);
  const bool share_time = total / k > load[loaded];
  const bool share_steps = static_cast<double>(demand.edges.size()) / k > degree[busy];
  std::vector<double> prices(program.row_count(), 0);
  for (std::size_t e = 0; e < demand.edges.size(); ++e) {
    const auto left = static_cast<std::size_t>(demand.edges[e].left);
    const auto right = lefts + static_cast<std::size_t>(demand.edges[e].right);
    const double time = static_cast<double>(demand.edges[e].weight) / program.scale();
    const double setup = demand.setup / program.scale();
    if (share_time) {
      prices[e] = time / k;
    } else if (left == loaded || right == loaded) {
      prices[e] = time;
    }
    if (share_steps) {
      prices[program.edge_count() + e] = setup / k;
    } else if (left == busy || right == busy) {
      prices[program.edge_count() + e] = setup;
    }
  }
  return prices;
}

/// Columns in use or of use lately, and how often the current solution takes each.
class Pool {
 public:
  explicit Pool(const StepProgram& program) : program_(program), uncovered_(program.row_count(), 1.0) {}

  [[nodiscard]] std::size_t size() const { return items_.size(); }
  /// 1 - A x, by row.
  [[nodiscard]] const std::vector<double>& uncovered() const { return uncovered_; }

  void add(std::int64_t duration, std::vector<std::int32_t> edges) {
    Item item;
    item.column = {duration, std::move(edges), 0};
    item.cost = program_.cost(duration);
    for (const std::int32_t e : item.column.edges) {
      const auto [size, pieces] = program_.cover(static_cast<std::size_t>(e), duration);
      item.cover.emplace_back(size, pieces);
      item.norm += size * size + pieces * pieces;
    }
    items_.push_back(std::move(item));
  }

  /// Lets the solution cost less under `prices` and the penalty: sum cost x + |max(0, prices + penalty (1 - A x))|^2 /
  /// (2 penalty). Turns `prices` into max(0, prices + penalty (1 - A x)). Whether the budget was enough.
  bool descend(std::vector<double>& prices, double penalty, Budget& budget) {
    const std::size_t m = program_.edge_count();
    for (std::size_t row = 0; row < prices.size(); ++row) prices[row] += penalty * uncovered_[row];
    bool in_time = true;
    std::int64_t looks = 0;
    for (int sweep = 0; sweep < kSweeps && in_time; ++sweep) {
      double furthest = 0;
      for (Item& item : items_) {
        if (sweep > 0 && item.idle > kPatience) continue;
        looks += static_cast<std::int64_t>(item.cover.size());
        double worth = 0;
        for (std::size_t i = 0; i < item.cover.size(); ++i) {
          const auto e = static_cast<std::size_t>(item.column.edges[i]);
          worth += item.cover[i].first * std::max(0.0, prices[e]) + item.cover[i].second * std::max(0.0, prices[m + e]);
        }
        const double change = std::max((worth - item.cost) / (penalty * item.norm), -item.column.use);
        if (sweep == 0) ++item.idle;
        if (change == 0) continue;
        item.idle = 0;
        furthest = std::max(furthest, std::abs(worth / item.cost - 1));
        item.column.use += change;
        for (std::size_t i = 0; i < item.cover.size(); ++i) {
          const auto e = static_cast<std::size_t>(item.column.edges[i]);
          const double size = item.cover[i].first * change;
          const double pieces = item.cover[i].second * change;
          uncovered_[e] -= size;
          uncovered_[m + e] -= pieces;
          prices[e] -= penalty * size;
          prices[m + e] -= penalty * pieces;
        }
      }
      budget.spend(kWorkOfSweptEdge * std::exchange(looks, 0));
      if (furthest < kSweepsEnd) break;
      in_time = !budget.over();
    }
    for (double& price : prices) price = std::max(0.0, price);
    items_.erase(std::remove_if(items_.begin(), items_.end(),
                                [](const Item& item) { return item.idle > kOblivion && item.column.use == 0; }),
                 items_.end());
    return in_time;
  }

  /// The cost of the solution if every edge gets what it lacks from a step of its own.
  [[nodiscard]] double completed_cost() const {
    double result = 0;
    for (const Item& item : items_) result += item.cost * item.column.use;
    for (std::size_t e = 0; e < program_.edge_count(); ++e)
      result += lack(e) * program_.cost(program_.demand().edges[e].weight);
    return result;
  }

  /// The completed solution.
  [[nodiscard]] std::vector<Column> solution() const {
    constexpr double kLeast = 1e-6;
    std::vector<Column> result;
    for (const Item& item : items_)
      if (item.column.use > kLeast) result.push_back(item.column);
    for (std::size_t e = 0; e < program_.edge_count(); ++e) {
      if (lack(e) > kLeast)
        result.push_back({program_.demand().edges[e].weight, {static_cast<std::int32_t>(e)}, lack(e)});
    }
    return result;
  }

 private:
  struct Item {
    Column column;
    std::vector<std::pair<double, double>> cover;
    double cost = 0;
    double norm = 0;
    int idle = 0;  // rounds that did not change its use
  };

  [[nodiscard]] double lack(std::size_t e) const {
    return std::max({0.0, uncovered_[e], uncovered_[program_.edge_count() + e]});
  }

  const StepProgram& program_;
  std::vector<Item> items_;
  std::vector<double> uncovered_;
};

/// Looks for steps worth more than they cost.
class Pricing {
 public:
  Pricing(const StepProgram& program, Budget& budget)
      : program_(program),
        budget_(budget),
        matching_(program.demand().lefts, program.demand().rights, program.demand().edges,
                  program.demand().max_transfers),
        values_(program.edge_count()),
        stride_(std::max<std::size_t>(1, program.durations().size() / kFirstDurations)) {}

  /// Adds columns to `pool`. Returns the largest worth of a step under `prices` divided by its cost, or more; nothing
  /// if the budget is spent first. In the first calls, while most durations yield a column, a call tries only every
  /// stride_-th duration, others in every call, and returns infinity.
  std::optional<double> run(const std::vector<double>& prices, Pool& pool) {
    const std::vector<std::int64_t>& durations = program_.durations();
    const std::size_t stride = stride_;
    ++calls_;
    std::size_t added = 0;
    double ratio = 0;
    for (std::size_t i = durations.size(); i-- > 0;) {
      if ((i + calls_) % stride != 0) continue;
      if (budget_.over()) return std::nullopt;
      budget_.spend(kWorkOfDuration * static_cast<std::int64_t>(program_.edge_count()));
      const double cost = program_.cost(durations[i]);
      program_.values(durations[i], prices, values_);
      const double guess = matching_.bound(values_) / cost;
      if (guess <= 1 || guess <= ratio) {
        ratio = std::max(ratio, guess);
        continue;
      }
      if (!matching_.solve(values_, budget_)) return std::nullopt;
      ratio = std::max(ratio, matching_.bound(values_) / cost);
      double worth = 0;
      for (const std::int32_t e : matching_.edges()) worth += values_[static_cast<std::size_t>(e)];
      if (worth <= cost * kWorth) continue;
      pool.add(durations[i], matching_.edges());
      ++added;
    }
    if (stride == 1) return ratio;
    if (static_cast<double>(added * stride) < kFewDurations * static_cast<double>(durations.size())) stride_ /= 2;
    return std::numeric_limits<double>::infinity();
  }

 private:
  const StepProgram& program_;
  Budget& budget_;
  LimitedMatching matching_;
  std::vector<double> values_;
  std::size_t stride_;
  std::size_t calls_ = 0;
};

}  // namespace

LpBound lp_bound(const Demand& demand, Budget& budget) {
  LpBound result;
  result.total = eta(demand).total;
  result.unrounded = result.total;
  const std::optional<PieceSteps> start = plan_first_fit(demand, budget);
  if (!start) return result;
  const StepProgram program(demand);
  Pool pool(program);
  for (const std::vector<Piece>& step : *start) {
    std::int64_t duration = 0;
    std::vector<std::int32_t> edges;
    for (const Piece& piece : step) {
      duration = std::max(duration, piece.size);
      edges.push_back(piece.edge);
    }
    pool.add(duration, std::move(edges));
  }
  const double margin = 1 - 1e-9 - static_cast<double>(demand.edges.size()) * 0x1p-50;
  std::vector<double> prices = prices_of_eta(program);
  const auto in_cost = [&](double factor) {
    std::vector<double> scaled = prices;
    for (double& price : scaled) price *= factor * program.scale();
    return scaled;
  };
  result.prices = in_cost(margin);
  const double penalty =
      kPenalty * std::accumulate(prices.begin(), prices.end(), 0.0) / static_cast<double>(program.row_count());
  Pricing pricing(program, budget);
  while (!result.optimal && pool.descend(prices, penalty, budget)) {
    const double above = pool.completed_cost() * program.scale();
    const std::optional<double> ratio = pricing.run(prices, pool);
    if (!ratio) break;
    const double sum = std::accumulate(prices.begin(), prices.end(), 0.0);
    const double bound = *ratio > 0 ? sum / *ratio * margin * program.scale() : 0;
    if (bound > result.unrounded) {
      result.unrounded = bound;
      result.prices = in_cost(margin / *ratio);
    }
    result.total = std::max(result.total, least_possible_cost(result.unrounded, demand.setup));
    result.optimal = above <= result.unrounded * (1 + kGap) || result.total >= least_possible_cost(above, demand.setup);
  }
  result.columns = pool.solution();
  return result;
}

}  // namespace sluice::detail
