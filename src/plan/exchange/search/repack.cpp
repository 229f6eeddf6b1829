/// Local search over packings: take something out of a step, pack it elsewhere.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp, from a plan that is there.
///
/// Method: draw a step. Either the step is removed with all its pieces, or it becomes as short as one of its longer
/// pieces, and the excess of these is removed. The removed pieces, the largest first, are packed again so that steps
/// become longer by the least (Packing::insert_all). The change stays if the whole costs less than before, or more by
/// less than a threshold; otherwise it is undone. The threshold falls from kFirstThreshold of the mean cost of a step
/// to 0 as the budget is spent: threshold accepting, which leaves local minima without a memory of them.
///
/// Guarantee: the cheapest plan that `found` gets costs no more than the first plan.
///
/// Complexity: an attempt takes O(n) for the step, and for each piece that went O(steps / 64) and O(steps free at its
/// ends). If no such step will do, it also takes kMostGrowingPairs paths of at most n pieces. Memory: the packing's.
/// Deterministic for a seed, unless time ends it.
///
/// Source: our own; threshold accepting from Dueck and Scheuer, J. Computational Physics 90 (1990); taking out and
/// putting back from Schrimpf et al., "Record breaking optimization results using the ruin and recreate principle", the
/// same journal, 159 (2000).
///
/// Example: one message of 3 in three steps of 1, set-up 1, cost 6. Without one of the steps its piece goes to another,
/// which then lasts 2: cost 5; and once more: a step of 3, cost 4.
#include "plan/exchange/search/repack.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace sluice::detail {

namespace {

constexpr double kFirstThreshold = 0.02;
constexpr double kBetweenReports = 1.0 / 16;       // of the way
constexpr std::int64_t kBetweenTightenings = 256;  // attempts
constexpr std::int64_t kWorkOfRepackAttempt = 200;
constexpr std::int64_t kWorkOfRepackedPiece = 30;

}  // namespace

void repack(Packing& packing, std::uint64_t seed, std::int64_t rounds, double bound, Budget& budget,
            const std::function<void()>& found) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  const std::int64_t attempts = rounds * packing.steps();
  const double mean = packing.cost() / static_cast<double>(std::max<std::int64_t>(1, packing.steps()));
  const std::int64_t work_before = budget.spent();
  const std::int64_t work_left = budget.left();
  const bool unlimited = budget.unlimited();
  double least = packing.cost();
  double next_report = kBetweenReports;
  Packing::Removed removed;
  std::vector<std::int64_t> sizes;
  const auto report = [&] {
    packing.tighten();
    if (packing.cost() >= least) return;
    least = packing.cost();
    found();
  };
  for (std::int64_t attempt = 0; attempt < attempts && packing.steps() > 1; ++attempt) {
    budget.spend(packing.take_work() + kWorkOfRepackAttempt);
    if (budget.over()) break;
    if (attempt % kBetweenTightenings == 0) packing.tighten();
    if (packing.cost() <= bound) break;
    double done = static_cast<double>(attempt) / static_cast<double>(attempts);
    if (!unlimited)
      done = std::max(done, static_cast<double>(budget.spent() - work_before) / static_cast<double>(work_left));
    if (done >= next_report) {
      report();
      next_report += kBetweenReports;
    }
    const double threshold = kFirstThreshold * mean * (1 - std::min(1.0, done));

    auto step = static_cast<std::int32_t>(below(as_size(packing.places())));
    while (!packing.in_use(step)) step = (step + 1) % packing.places();
    const double before = packing.cost();
    removed.clear();
    packing.mark();
    const bool whole = below(2) == 0;
    if (!whole) packing.sizes_of(step, sizes);
    if (whole || sizes.size() < 2) {
      packing.remove_step(step, removed);
    } else {
      std::size_t reach = 2;
      while (reach < sizes.size() && below(2) == 0) reach *= 2;
      reach = std::min(reach, sizes.size());
      // One of the longest pieces, but not the longest itself.
      const std::size_t rank = std::min(sizes.size() - 1, 1 + below(reach));
      std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(rank), sizes.end(), std::greater<>());
      budget.spend(static_cast<std::int64_t>(4 * sizes.size()));
      if (sizes[rank] >= packing.duration(step)) {
        packing.undo();
        continue;
      }
      packing.shorten_step(step, sizes[rank], removed);
    }
    // The order is total: no pair of size and edge occurs twice.
    std::sort(removed.begin(), removed.end(), std::greater<>());
    budget.spend(kWorkOfRepackedPiece * static_cast<std::int64_t>(removed.size()));
    const double limit = before + threshold;
    const bool packed = std::all_of(removed.begin(), removed.end(), [&](const auto& each) {
      return packing.insert_all(each.second, each.first, limit - packing.cost());
    });
    if (packed && packing.cost() < limit) {
      packing.keep();
    } else {
      packing.undo();
    }
  }
  report();
}

}  // namespace sluice::detail
