/// A bound by prices of nodes, for any number of them.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp: find a lower bound of all plans.
///
/// Method. node_prices.cpp proves a bound for any prices p_v(t) that a node v pays for a step of duration t; here good
/// prices are sought. The best are the dual solution of a linear program. In it every priced node plans for itself;
/// only the number of steps of each duration is common to all. Variables: x(t) >= 0 steps of duration t at cost t +
/// beta, and shares z_e(t) >= 0 of them for every message. Rows: both rows of lp_bound.cpp for each message. Then, over
/// the messages of each node, sum of z_e(t) <= x(t); over all messages, k x(t), for the limit k. With all nodes and all
/// durations it is the linear program of lp_bound.cpp, because shares that respect the nodes and k are a mixture of
/// matchings.
///
/// The primal-dual hybrid gradient method solves it. z goes down along its reduced costs; prices go up if the steps
/// that z takes, extrapolated, are too many. Then, for each duration, prices are projected to prices with a sum of at
/// most t + beta, which replaces x. Steps are scaled by rows and columns. The weight of prices against shares is set
/// anew, from how far both have come, whenever the gap has halved or after many iterations.
///
/// Few nodes decide: the nodes with most load and most messages. Among 5000 nodes, 8 give nearly all that the program
/// proves above eta. So it begins with kFirstNodes nodes and few durations. While the budget lasts, it goes on with
/// kMoreNodes times as many nodes and kMoreDurations times as many durations, from the prices it has. Messages are
/// merged if they pay only one node, or only for the limit, and lie between the same two durations: each counts as one
/// of their mean size. The result is proven for the messages as they are.
///
/// Guarantee: total >= eta, at most the optimum of the program (rounded up), no plan below it. Deterministic unless
/// time ends it.
/// Complexity: an iteration takes O(g (c + n)) for g durations, n priced nodes and c different messages; some hundred
/// to some thousand iterations each time. Memory O(m + g (c + n)), less than 512 MiB besides the demand.
///
/// Source: Chambolle and Pock, "A first-order primal-dual algorithm for convex problems with applications to imaging",
/// J. Math. Imaging and Vision 40 (2011); Pock and Chambolle, "Diagonal preconditioning for first order primal-dual
/// algorithms in convex optimization", ICCV 2011; Applegate et al., "Practical large-scale linear programming using
/// primal-dual hybrid gradient", NeurIPS 2021, for restarts and the weight. Choices: multiplicative weights were tried
/// in its place and do not come near; averages of the iterates bring nothing here.
///
/// Example: as in node_prices.cpp. The prices of eta give all to sender 0: t + 1. Half of the durations then have their
/// final prices: sender 1 needs no step longer than 2 except for its message of 3, and two steps of 2 carry that. So
/// sender 1's prices of 1 and 2 go up until sender 0 would rather take steps of 3.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "plan/exchange/bounds/node_price_search.hpp"
#include "plan/exchange/bounds/node_prices.hpp"
#include "plan/exchange/bounds/step_program.hpp"

namespace sluice::detail {

namespace {

constexpr std::size_t kFirstNodes = 8;
constexpr std::size_t kMoreNodes = 4;
constexpr std::size_t kFirstPricedDurations = 32;
constexpr std::size_t kMoreDurations = 2;
constexpr double kStageShare = 0.4;       // of what is left of the budget, for each number of nodes
constexpr int kBetweenChecks = 40;        // iterations
constexpr int kMostIterations = 20000;    // for one number of nodes
constexpr int kLeastPatience = 400;       // iterations without kProgress until it goes on
constexpr double kShareOfPatience = 0.5;  // kLeastPatience as a share of all iterations for this number of nodes
constexpr double kProgress = 1e-4;
constexpr double kNarrow = 1e-4;  // a gap that ends the search
constexpr int kFirstRestart = 100;
constexpr double kRestart = 0.36;

}  // namespace

NodePriceBound node_price_bound(const Demand& demand, double enough, Budget& budget) {
  NodePriceBound result;
  result.total = eta(demand).total;
  result.unrounded = result.total;
  if (demand.edges.empty() || result.total >= enough || budget.over()) return result;
  NodePriceSearch search(demand);
  std::size_t nodes = kFirstNodes;
  std::size_t durations = kFirstPricedDurations;
  while (!budget.over() && search.extend(nodes, durations)) {
    budget.spend(search.work_of_extension());
    Budget part = budget.share(kStageShare);
    double best = 0, least = std::numeric_limits<double>::infinity();
    double noted = 0;  // the best when it last went on by kProgress
    double gap = std::numeric_limits<double>::infinity();
    int since = 0, last_progress = 0;
    NodePrices prices;
    for (int iteration = 1; iteration <= kMostIterations && !part.over(); ++iteration) {
      search.iterate();
      part.spend(search.work_of_iteration());
      ++since;
      if (iteration % kBetweenChecks != 0) continue;
      part.spend(search.work_of_bounds());
      const auto [proven, cost] = search.bounds();
      least = std::min(least, cost);
      if (proven > best) {
        best = proven;
        prices = search.prices();
      }
      if (best > noted * (1 + kProgress)) {
        noted = best;
        last_progress = iteration;
      }
      if (best >= enough || least <= best * (1 + kNarrow)) break;
      if (iteration - last_progress > std::max<double>(kLeastPatience, kShareOfPatience * iteration)) break;
      if (cost - proven <= gap / 2 || since >= kFirstRestart + kRestart * iteration) {
        gap = cost - proven;
        since = 0;
        search.restart();
      }
    }
    const double proven = bound_by_node_prices(demand, prices);
    if (proven > result.unrounded) {
      result.unrounded = proven;
      result.prices = std::move(prices);
    }
    result.total = std::max(result.total, least_possible_cost(result.unrounded, demand.setup));
    if (result.total >= enough || search.has_all()) break;
    nodes *= kMoreNodes;
    durations = std::min(kMoreDurations * durations, NodePriceSearch::kMostDurations);
  }
  return result;
}

}  // namespace sluice::detail
