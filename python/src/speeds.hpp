#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sluice/plan/exchange_speeds.hpp"

namespace sluice::python {

/// Makes speeds as speeds_of, with the backbone as pairs of a time and a number of transfers.
[[nodiscard]] inline NetworkSpeeds speeds_in_pairs(const std::vector<double>& senders,
                                                   const std::vector<double>& receivers,
                                                   const std::vector<std::pair<double, std::int64_t>>& backbone) {
  std::vector<double> times;
  std::vector<std::int64_t> transfers;
  for (const auto& [time, most] : backbone) {
    times.push_back(time);
    transfers.push_back(most);
  }
  return speeds_of(senders, receivers, times, transfers);
}

/// Returns speeds in millionths as numbers.
[[nodiscard]] inline std::vector<double> speeds_as_numbers(const std::vector<std::int64_t>& millionths) {
  std::vector<double> result;
  for (const std::int64_t each : millionths)
    result.push_back(static_cast<double>(each) / static_cast<double>(kSpeedOfOne));
  return result;
}

}  // namespace sluice::python
