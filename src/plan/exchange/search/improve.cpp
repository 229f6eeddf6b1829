/// Large neighbourhood search: take some steps out of a plan, plan what they carried anew, keep the better.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, from a plan that is there.
///
/// Method: draw some steps, mostly 2 to 6 and sometimes up to 12, at random or of similar duration. The other steps
/// take over what they can without lasting longer: pieces grow, and vertices that idle get new ones. The rest is a KPBS
/// instance of its own, planned by plan_lazily with a horizon drawn from the horizons that could pay. Plans of equal
/// cost replace the old one too, so that the search moves on.
///
/// Guarantee: the cost never rises.
///
/// Complexity: plan_lazily for each attempt, on few steps. Memory O(cells). Deterministic for a seed unless time ends
/// it.
///
/// Source: our own; the scheme follows Shaw, "Using constraint programming and local search methods to solve vehicle
/// routing problems", CP 1998.
///
/// Example: sizes (2, 2), one left, planned in three steps 1, 2, 1: with steps 1 and 1 (of the first message) taken out
/// the rest is one message of 2, planned in one step.
#include "plan/exchange/search/improve.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "plan/exchange/shuffle.hpp"

namespace sluice::detail {

namespace {

constexpr std::int64_t kWorkOfCell = 2;    // of the table, an attempt
constexpr std::int64_t kWorkOfStep = 400;  // of the plan, an attempt

std::int64_t duration_of(const std::vector<CellPiece>& step) {
  std::int64_t result = 0;
  for (const CellPiece& piece : step) result = std::max(result, piece.size);
  return result;
}

/// Lets a step that stays carry what it can of `rest` without lasting longer.
void absorb(std::vector<CellPiece>& step, std::int64_t duration, DemandTable& rest) {
  const auto rights = as_size(rest.rights);
  std::vector<bool> left_busy(as_size(rest.lefts), false);
  std::vector<bool> right_busy(rights, false);
  for (CellPiece& piece : step) {
    left_busy[as_size(piece.left)] = true;
    right_busy[as_size(piece.right)] = true;
    std::int64_t& left = rest.size[as_size(piece.left) * rights + as_size(piece.right)];
    const std::int64_t more = std::min(left, duration - piece.size);
    piece.size += more;
    left -= more;
  }
  for (std::size_t u = 0; u < as_size(rest.lefts); ++u) {
    if (left_busy[u]) continue;
    if (step.size() >= as_size(rest.max_transfers)) return;
    std::size_t best = rights;
    for (std::size_t v = 0; v < rights; ++v) {
      if (right_busy[v] || rest.size[u * rights + v] == 0) continue;
      if (best == rights || rest.size[u * rights + v] > rest.size[u * rights + best]) best = v;
    }
    if (best == rights) continue;
    std::int64_t& left = rest.size[u * rights + best];
    const std::int64_t sent = std::min(left, duration);
    left -= sent;
    right_busy[best] = true;
    step.push_back({static_cast<std::int32_t>(u), static_cast<std::int32_t>(best), sent});
  }
}

}  // namespace

void improve(const DemandTable& table, CellSteps& steps, std::uint64_t seed, std::int64_t rounds, double bound,
             Budget& budget, const std::function<void()>& found) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
  DemandTable rest = table;
  for (std::int64_t failures = 0; failures < rounds && steps.size() > 1; ++failures) {
    if (budget.over() || cost(steps, table.setup) <= bound) return;
    std::vector<std::size_t> order(steps.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, random);
    const std::size_t most = std::min<std::size_t>(steps.size(), below(5) == 0 ? 12 : 6);
    const std::size_t out = 2 + below(most - 1);
    if (below(2) == 0) {
      // Neighbours by duration.
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return duration_of(steps[a]) < duration_of(steps[b]); });
      std::rotate(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(below(steps.size())), order.end());
    }
    budget.spend(kWorkOfCell * static_cast<std::int64_t>(rest.size.size()) +
                 kWorkOfStep * static_cast<std::int64_t>(steps.size()));
    std::fill(rest.size.begin(), rest.size.end(), 0);
    double removed = 0;
    std::int64_t transmission = 0;
    for (std::size_t i = 0; i < out; ++i) {
      for (const CellPiece& piece : steps[order[i]])
        rest.size[as_size(piece.left) * as_size(table.rights) + as_size(piece.right)] += piece.size;
      transmission += duration_of(steps[order[i]]);
    }
    removed = static_cast<double>(transmission) + table.setup * static_cast<double>(out);
    CellSteps kept;
    for (std::size_t i = out; i < order.size(); ++i) {
      kept.push_back(steps[order[i]]);
      absorb(kept.back(), duration_of(kept.back()), rest);
    }
    if (std::all_of(rest.size.begin(), rest.size.end(), [](std::int64_t size) { return size == 0; })) {
      steps = std::move(kept);
      found();
      failures = 0;
      continue;
    }
    const std::int64_t shortest = shortest_transmission(rest);
    const std::int64_t fewest = fewest_steps(rest);
    double room = removed - table.setup * static_cast<double>(fewest) - static_cast<double>(shortest);
    if (room < 0) continue;
    room = std::min({room, 2 * static_cast<double>(transmission), std::max(0.0, 4e18 - static_cast<double>(shortest))});
    LazySlackEffort effort;
    effort.width = 1 + static_cast<std::int32_t>(below(4));
    effort.durations = 4;
    effort.noise = 0.2 * unit();
    effort.seed = random();
    const auto horizon = shortest + static_cast<std::int64_t>(room * unit());
    std::optional<CellSteps> planned = plan_lazily(rest, horizon, effort, removed + 0.5, budget);
    if (!planned) continue;
    const double now = cost(*planned, table.setup);
    if (now > removed) continue;
    std::move(planned->begin(), planned->end(), std::back_inserter(kept));
    steps = std::move(kept);
    if (now >= removed) continue;
    failures = 0;
    found();
  }
}

}  // namespace sluice::detail
