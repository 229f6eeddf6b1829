#include "apps/sluice/study/moe_traffic.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include "apps/sluice/study/instance_random.hpp"

// Traffic of a mixture of experts: every rank sends each of its tokens to the ranks of the experts that were chosen for
// it. Practitioners report that the popularity of experts is far from even, close to log-normal. A few columns of the
// matrix then carry most of it, and all ranks prefer the same experts. Here:
//
//   popularity of a rank's experts: exp(z), z normal with deviation 1, the same for all senders; of 64 ranks the most
//   popular one gets about 7 times the mean
//   preference of a sender: exp(z / 4) besides, for each pair
//   each rank has 4096 tokens for 2 experts each, of 4096 units (bytes at fp8) a token; shares of a row are rounded to
//   whole tokens, and what a rank sends to itself is left out

namespace sluice::command {

namespace {

constexpr double kPopularity = 1, kPreference = 0.25;
constexpr double kTokens = 4096.0 * 2;
constexpr std::int64_t kTokenSize = 4096;

}  // namespace

Traffic moe_traffic(std::int64_t ranks, std::uint64_t seed, std::int64_t number) {
  InstanceRandom random(seed, ranks, number);
  std::vector<double> popularity(static_cast<std::size_t>(ranks));
  for (double& each : popularity) each = std::exp(kPopularity * random.normal());
  Traffic traffic{ranks, ranks, {}};
  std::vector<double> share(popularity.size());
  for (std::int64_t from = 0; from < ranks; ++from) {
    for (std::size_t to = 0; to < share.size(); ++to)
      share[to] = popularity[to] * std::exp(kPreference * random.normal());
    const double whole = std::accumulate(share.begin(), share.end(), 0.0);
    for (std::int64_t to = 0; to < ranks; ++to) {
      const std::int64_t tokens = std::llround(kTokens * share[static_cast<std::size_t>(to)] / whole);
      if (to != from && tokens > 0) traffic.messages.push_back({from, to, tokens * kTokenSize});
    }
  }
  return traffic;
}

}  // namespace sluice::command
