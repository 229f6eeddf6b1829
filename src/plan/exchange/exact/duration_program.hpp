#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.hpp"
#include "plan/exchange/at_speeds.hpp"
#include "plan/exchange/demand.hpp"
#include "plan/exchange/exact/integer_program.hpp"
#include "sluice/input/speeds.hpp"

namespace sluice::detail {

/// Plans whose costs differ by less count as equally cheap.
inline constexpr double kSameCost = 1e-6;

/// Plans of at most some cost as solutions of an integer program over durations.
///
/// Problem: steps of at most k edges each, of sizes that are whole, which cost the set-up and how long they last; k may
/// depend on when a step begins, and edges may differ in speed (sluice/input/speeds.hpp).
///
/// Program. The variables are whole numbers: X_t, the number of steps that last t, and y_et, the number of those steps
/// that carry edge e. A step of t carries at most c_et of edge e (min(t, w_e) if its speed is 1):
///
///     least   sum (t + beta) X_t
///     sum of y_et over the edges at v  <= X_t          for each vertex v and duration t
///     sum of y_et over all edges       <= k X_t        for each t
///     sum over t of c_et y_et          >= w_e          for each edge e.
///
/// This is exact. The edges of one duration, y_et times each, are a bipartite multigraph of degree <= X_t. So they fall
/// into X_t matchings (Koenig), and these can be levelled to at most k edges each (de Werra; even_matchings.hpp).
/// Unlike a program over numbered steps it has no equal solutions that differ in the order of steps. Rows added for
/// strength: the pieces rows of lp_bound.cpp; for further divisors d, sum of ceil(c_et / d) y_et >= ceil(w_e / d)
/// (Chvatal-Gomory); the least numbers of steps and of transmission, from eta.
///
/// If k changes over time, each interval i of equal k has all of these variables, for the steps that begin in it. The
/// order of steps within an interval does not matter, except which is the last: u_it = 1 if the last one lasts t, and
/// z_i = 1 if there are any. With S_i for the cost of all steps that begin in intervals up to i,
///
///     sum over t of u_it = z_i,  u_it <= X_it <= M z_i
///     S_i - sum over t of (t + beta) u_it  <  begin of i + 1     unless z_i = 0
///     S_(i-1)                              >= begin of i         unless z_i = 0
///
/// and, for strength, S_i - S_(i-1) without the last step at most the length of i, times z_i.
///
/// No step waits. So while k is still to rise, a step has to last exactly as long as its duration says. Some of its
/// edges have pieces that are exactly that long: f_et of the y_et, at least X_t in all. No proof shows that these edges
/// can be spread over the matchings, so in this case the program is a relaxation. What it refutes is proven, but in
/// rare cases a solution is no plan.
///
/// Variables that the prices of the linear program rule out are left out (possible_steps).
///
/// Source: the program is ours; Koenig (1916); de Werra, INFOR 8 (1970); Chvatal, "Edmonds polytopes and a hierarchy of
/// combinatorial problems", Discrete Mathematics 4 (1973), for the added rows.
///
/// Example: k = 2, beta = 1, sizes (0,0) = (1,1) = (2,2) = 2, target 5: one step of at most 4 carries two messages,
/// steps of 2 and 1 carry two and half of the third, steps of 1 and 1 less. No solution.
class DurationProgram {
 public:
  /// Durations, and edges in steps of them, that a plan of at most some cost may have.
  struct Steps {
    std::int64_t duration = 0;
    std::size_t interval = 0;
    std::vector<std::int32_t> edges;
  };

  /// `demand` and `backbone` have to outlive this object. An empty backbone: k always is the demand's.
  DurationProgram(const SpeedDemand& demand, const std::vector<BackboneChange>& backbone);

  /// Restricts the plans of at most `target` by `prices`, a solution of the dual of the linear program over steps
  /// (lp_bound.cpp). A plan with a step that costs c more than it is worth costs at least (sum of prices) + c. So no
  /// such plan has a step with c > target - sum; for an edge, the heaviest matching that contains it counts. Between
  /// two neighbouring sizes c is concave in t, so the durations that stay are at both ends of such an interval. False
  /// if the program would be too large, its numbers would be too large, or the budget was spent.
  [[nodiscard]] bool restrict_to(const std::vector<double>& prices, double target, Budget& budget);

  /// The program for plans that cost at least `bound` and at most the target.
  [[nodiscard]] IntegerProgram program(double bound) const;

  /// The cost of `values`, a solution of program().
  [[nodiscard]] double cost(const std::vector<std::int64_t>& values) const;

  /// The plan that `values` describe: sizes, in execution order.
  [[nodiscard]] PieceSteps decode(const std::vector<std::int64_t>& values) const;

 private:
  struct Interval {
    double begin = 0;
    std::int64_t k = 0;
    bool exact_durations = false;  ///< whether k rises after the interval
  };
  /// Positions of the variables of steps_[i]: X, then one per edge, then the variables of full pieces, and u.
  struct Places {
    std::int32_t first = 0;
    std::vector<std::int32_t> full;  ///< of each edge, -1: none
    std::int32_t last = -1;          ///< u
  };

  /// The most, and the least, that a piece of exactly `duration` carries of an edge.
  [[nodiscard]] std::int64_t most_in(std::size_t edge, std::int64_t duration) const;
  [[nodiscard]] std::int64_t least_in(std::size_t edge, std::int64_t duration) const;
  [[nodiscard]] double price(const Steps& steps) const;
  [[nodiscard]] bool restrict_interval(std::size_t interval, const std::vector<double>& prices, Budget& budget);
  void place();
  void add_cover_rows(IntegerProgram& program) const;
  void add_order_rows(IntegerProgram& program) const;

  const SpeedDemand& demand_;
  const std::vector<BackboneChange>& backbone_;
  double target_ = 0;
  std::vector<Interval> intervals_;
  std::vector<Steps> steps_;
  std::vector<Places> places_;
  std::vector<std::int32_t> any_;  ///< z of each interval
  std::size_t variables_ = 0;
};

}  // namespace sluice::detail
