#include <fmt/format.h>

#include <cstddef>

#include "sluice/error.hpp"
#include "sluice/plan/reduce.hpp"
#include "sluice/quantity_text.hpp"

namespace sluice {

std::vector<double> transfer_costs_over(const Platform& platform, std::int64_t bytes) {
  constexpr std::int64_t kMostRanks = 1 << 13;
  check_platform(platform, "platform");
  if (bytes < 0) throw InputError("size", count_text(bytes, "byte"), "at least 0");
  if (platform.ranks > kMostRanks)
    throw InputError("platform", count_text(platform.ranks, "rank"), fmt::format("at most {}", kMostRanks));
  const auto ranks = static_cast<std::size_t>(platform.ranks);
  const auto clusters = static_cast<std::int64_t>(platform.clusters.size());
  std::vector<double> costs(ranks * ranks, 0);
  for (std::int64_t a = 0; a < clusters; ++a) {
    const PlatformCluster& from = platform.clusters[static_cast<std::size_t>(a)];
    for (std::int64_t b = 0; b < clusters; ++b) {
      double cost = 0;
      if (a != b) {
        const PlatformLink& link = platform.link(a, b);
        cost = link.latency_s + link.gap.at(bytes);
      } else if (from.ranks.size() > 1) {
        cost = from.latency_s + from.gap.at(bytes);
      }
      for (const std::int64_t sender : from.ranks)
        for (const std::int64_t receiver : platform.clusters[static_cast<std::size_t>(b)].ranks)
          costs[static_cast<std::size_t>(sender) * ranks + static_cast<std::size_t>(receiver)] = cost;
    }
  }
  return costs;
}

}  // namespace sluice
