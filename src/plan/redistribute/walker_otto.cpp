/// Walker and Otto's strategy: two redistributions through CYCLIC(lcm(r, s)) on the source grid. A comparison only.
///
/// Problem: move CYCLIC(r) to CYCLIC(s) with schedules for multiples alone: first CYCLIC(r) to CYCLIC(lcm(r, s)), then
/// CYCLIC(lcm(r, s)) to CYCLIC(s).
/// Guarantee: each stage has the fewest steps; the first, whose blocks divide, has optimal TC too (Proposition 6, after
/// division r = 1). The whole moves every element twice.
/// Source: Walker and Otto (1996) as described by Desprez, Dongarra, Petitet, Randriamaro, Robert (1997), section
/// 4.5.1.
/// Deviation: they treat P = Q; for P != Q the second stage changes grid and block size at once.
/// Example: 16:3 -> 16:15 -> 16:5 takes 5 + 3 steps; the direct schedule of 16:3 -> 16:5 takes 7.
#include "sluice/checked.hpp"
#include "sluice/error.hpp"
#include "sluice/plan/redistribute.hpp"

namespace sluice {

WalkerOttoPlan plan_walker_otto(const RedistributionProblem& problem, double setup) {
  if (problem.has_roles())
    throw InputError("walker-otto", "processes that are in both grids",
                     "all processes apart: copies are messages here");
  if (problem.has_part()) throw InputError("walker-otto", "a part of a matrix", "all of it");
  if (problem.is_irregular())
    throw InputError("walker-otto", "blocks given by cuts", "block-cyclic layouts on both sides");
  Layout between;
  std::vector<std::int64_t> shape, first, from_start, to_start, extent;
  for (const AxisPattern& axis : problem.axes()) {
    between.grid.push_back(axis.from().processes);
    between.block.push_back(checked::lcm(axis.from().block, axis.to().block, "block size lcm(r, s)"));
    first.push_back(axis.from().first_process);
    // The intermediate array is aligned with the target array.
    shape.push_back(axis.to().extent);
    from_start.push_back(axis.from_start());
    to_start.push_back(axis.to_start());
    extent.push_back(axis.extent());
  }
  const Distribution middle(between, shape, first, "block size lcm(r, s)");
  return {plan_redistribution({problem.from(), middle, from_start, to_start, extent}, "stepwise", setup),
          plan_redistribution({middle, problem.to(), to_start, to_start, extent}, "stepwise", setup)};
}

}  // namespace sluice
