#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "apps/sluice/command.hpp"
#include "apps/sluice/study/instance_random.hpp"
#include "apps/sluice/study/planner_comparison.hpp"
#include "apps/sluice/study/study.hpp"

// Demand as papers on optical circuit switches draw it (Solstice and Eclipse, both after what data centres report): at
// every port a few large flows carry most of the load and a dozen small ones the rest, all with noise. Here:
//
//   large flows 4, which share 70 % of the load of a port; small flows 12, which share 30 %
//   each of the 16 is a random permutation of the ports; flows that meet at a pair of ports add up
//   noise on every flow: normal, standard deviation 0.3 % of the load; a flow is 0.1 % of the load at least
//   load of a port before noise: 10^6 units
//   set-up, the delay of a reconfiguration: 0.2, 1, 5 % of the largest load
//
// The same demand is planned for one switch and for several side by side: n ports on each of them.
//
// The set-up is charged in every step; switches charge it as the delay of a reconfiguration, when they carry nothing.

namespace sluice::command {

namespace {

constexpr int kLarge = 4, kSmall = 12;
constexpr double kLargeShare = 0.7, kNoise = 0.003, kLeast = 0.001;
constexpr double kLoad = 1e6;

Traffic switch_demand(std::int64_t ports, std::uint64_t seed, std::int64_t number) {
  InstanceRandom random(seed, ports, number);
  Traffic traffic{ports, ports, {}};
  for (int flow = 0; flow < kLarge + kSmall; ++flow) {
    const double share = flow < kLarge ? kLargeShare / kLarge : (1 - kLargeShare) / kSmall;
    const std::vector<std::int64_t> to = random.permutation(ports);
    for (std::int64_t from = 0; from < ports; ++from) {
      const double size = kLoad * std::max(kLeast, share + kNoise * random.normal());
      traffic.messages.push_back({from, to[static_cast<std::size_t>(from)], std::llround(size)});
    }
  }
  return traffic;
}

}  // namespace

int study_switch_demand(const StudyTask& task) {
  compare_planners_at({64, 96, 128, 256}, 16, {1}, "switch-demand",
                      "Optical switches: 4 large and 12 small flows a port", switch_demand, task);
  return kDone;
}

int study_parallel_switches(const StudyTask& task) {
  compare_planners_at({64, 128}, 16, {1, 2, 4}, "parallel-switches",
                      "Optical switches side by side: 4 large and 12 small flows a port", switch_demand, task);
  return kDone;
}

}  // namespace sluice::command
