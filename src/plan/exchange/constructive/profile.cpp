/// `profile`: choose how long the steps last, then fit the messages into them.
///
/// Problem: KPBS, see include/sluice/plan/exchange.hpp.
///
/// Method: given a cap c, messages above it count as cut into parts of c. The i-th step then lasts as long as the r-th
/// longest among the i-th longest parts of all nodes, for r = 1, 2, 5 or 17. r > 1 mostly gives better plans; the nodes
/// above the r-th then cut more. Messages by falling size are fitted into these steps (Packing::insert_all): into the
/// shortest step that is long enough, into several steps or, if none is free at both ends, into a new one. At the end
/// every step is as short as what it carries. This is done for kCaps caps and kRanks ranks. It is done once more, the
/// cheapest first, with exchanges of two steps along paths if no step will do; at last without any profile. The
/// cheapest plan is the result; a profile that costs far more than a plan is left out.
///
/// Guarantee: none. On log-normal traffic (sparse, 5000 + 20000 nodes of 20 messages) within 1.5 to 8 % of eta; sending
/// messages whole is 20 to 60 % above it.
/// Complexity: O(m log m); for each profile O(m) to list it; and for each message one step for every 64 steps and one
/// for each step that is free at both its ends. Memory: 4 bytes per node and step: refuses more than 512 MiB.
/// Deterministic.
/// Source: ours. Falling caps are the thresholds of filtration, as for optical switches; best fit is known from bin
/// packing.
///
/// Example: messages 0->0 of 8, 0->1 of 1, 1->1 of 3, k = 2, set-up 1. Cap 8: steps of 8 and 1; 0->0 takes the first,
/// 1->1 the first too, 0->1 the second: cost 11 = eta.
#include "plan/exchange/constructive/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "plan/candidates.hpp"
#include "plan/exchange/constructive/planners.hpp"
#include "plan/exchange/parts.hpp"
#include "sluice/error.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice::detail {

namespace {

constexpr std::array<std::int64_t, 10> kCaps{64, 16, 4,  1,  32,
                                             8,  2,  45, 23, 11};  // 64ths of the largest message, few before many
constexpr std::array<std::size_t, 4> kRanks{0, 1, 4, 16};          // nodes whose parts are longer
constexpr std::size_t kMostRank = 16;
constexpr std::int64_t kWorkOfPart = 6;
constexpr double kHopelessProfile = 1.1;  // times the cheapest plan: profiles that cost more are left out
constexpr double kSetupShare = 0.25;      // of the set-up cost, in the rank of a profile: repack prefers many steps
constexpr double kListingShare = 0.25;    // of a budget, for listing profiles

}  // namespace

std::vector<Profile> profiles(const Demand& demand, const std::vector<std::int32_t>& order, std::int64_t most_steps,
                              Budget& budget) {
  const std::vector<std::vector<std::int64_t>> sizes = sizes_by_node(demand, order);
  const std::int64_t largest = demand.edges[as_size(order.front())].weight;
  const Cost least = eta(demand);
  std::vector<Profile> result;
  std::vector<std::int64_t> parts;
  std::vector<std::array<std::int64_t, kMostRank + 1>> longest;  // of each step, falling
  for (const std::int64_t part : kCaps) {
    const std::int64_t cap = std::max<std::int64_t>(1, largest / 64 * part + largest % 64 * part / 64);
    longest.clear();
    for (const std::vector<std::int64_t>& node : sizes) {
      cut_to_parts(node, cap, as_size(most_steps), parts);
      budget.spend(kWorkOfPart * static_cast<std::int64_t>(parts.size()));
      if (longest.size() < parts.size()) longest.resize(parts.size(), {});
      for (std::size_t i = 0; i < parts.size(); ++i) {
        auto& top = longest[i];
        if (parts[i] <= top.back()) continue;
        std::size_t at = kMostRank;
        for (; at > 0 && top[at - 1] < parts[i]; --at) top[at] = top[at - 1];
        top[at] = parts[i];
      }
    }
    if (static_cast<std::int64_t>(longest.size()) > most_steps) continue;
    for (const std::size_t rank : kRanks) {
      Profile profile;
      double transmission = 0;
      for (std::size_t i = 0; i < longest.size(); ++i) {
        // If fewer nodes have an i-th part, the last of them.
        std::size_t at = std::min(rank, kMostRank);
        while (at > 0 && longest[i][at] == 0) --at;
        profile.durations.push_back(longest[i][at]);
      }
      // No more than k messages fit into a step.
      const auto k = as_size(demand.max_transfers);
      for (std::size_t i = 0; i * k < order.size() && static_cast<std::int64_t>(i) < most_steps; ++i) {
        const std::int64_t size = std::min(cap, demand.edges[as_size(order[i * k])].weight);
        if (i >= profile.durations.size())
          profile.durations.push_back(size);
        else
          profile.durations[i] = std::max(profile.durations[i], size);
      }
      for (const std::int64_t duration : profile.durations) transmission += static_cast<double>(duration);
      transmission = std::max(transmission, static_cast<double>(least.transmission));
      const auto steps =
          static_cast<double>(std::max(static_cast<std::int64_t>(profile.durations.size()), least.steps));
      profile.least = transmission + demand.setup * steps;
      profile.rank = transmission + kSetupShare * demand.setup * steps;
      result.push_back(std::move(profile));
    }
    if (budget.over()) break;
  }
  std::stable_sort(result.begin(), result.end(), [](const Profile& a, const Profile& b) { return a.rank < b.rank; });
  return result;
}

std::int64_t most_steps_of_packing(const Demand& demand) { return 2 * eta(demand).steps + 128; }

bool fit(Packing& packing, const Demand& demand, const std::vector<std::int32_t>& order, const Profile& profile,
         Budget& budget) {
  constexpr double kAnyCost = 1e300;
  packing.clear();
  for (const std::int64_t duration : profile.durations)
    if (packing.add_step(duration) < 0) return false;
  constexpr std::size_t kEdgesAhead = 8;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int32_t e = order[i];
    if (i + 2 * kEdgesAhead < order.size()) packing.expect_ends(order[i + 2 * kEdgesAhead]);
    if (i + kEdgesAhead < order.size()) packing.expect(order[i + kEdgesAhead]);
    if (!packing.insert_all(e, demand.edges[as_size(e)].weight, kAnyCost)) return false;
    budget.spend(packing.take_work());
    if (budget.over()) return false;
  }
  packing.tighten();
  return true;
}

void fit_profiles(const Demand& demand, Packing& packing, Budget& budget, double share,
                  const std::function<void()>& found) {
  const double enough = static_cast<double>(budget.spent()) + share * static_cast<double>(budget.left());
  const std::vector<std::int32_t> order = by_falling_size(demand);
  Budget listing = budget.share(kListingShare * share);
  std::vector<Profile> all = profiles(demand, order, most_steps_of_packing(demand) - 64, listing);
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, std::size_t>> fitted;
  const auto attempt = [&](std::size_t i, bool by_paths) {
    packing.exchange_paths(by_paths);
    if (all[i].least >= kHopelessProfile * least || budget.over()) return;
    if (!fitted.empty() && static_cast<double>(budget.spent()) > enough) return;
    if (!fit(packing, demand, order, all[i], budget)) return;
    if (!by_paths) fitted.emplace_back(packing.cost(), i);
    least = std::min(least, packing.cost());
    found();
  };
  for (std::size_t i = 0; i < all.size(); ++i) attempt(i, false);
  std::stable_sort(fitted.begin(), fitted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  // Steps of no duration: all last as long as the first message that comes to them.
  fitted.emplace_back(0, all.size());
  all.emplace_back();
  for (const auto& [cost, i] : fitted) attempt(i, true);
  packing.exchange_paths(true);
}

std::optional<PieceSteps> plan_profile(const Demand& demand, Budget& budget) {
  const std::int64_t most = most_steps_of_packing(demand);
  if (!Packing::fits(demand, most))
    throw InputError("profile", fmt::format("{} and {} steps", count_text(demand.lefts + demand.rights, "node"), most),
                     "at most 2^27 in their product; first-fit needs no table");
  Packing packing(demand, static_cast<std::int32_t>(most));
  Candidates<PieceSteps> best;
  fit_profiles(demand, packing, budget, 1, [&] { best.offer(packing.cost(), [&] { return packing.pieces(); }); });
  return best.take();
}

}  // namespace sluice::detail
