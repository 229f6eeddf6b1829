#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace sluice {

/// Describes an algorithm. `--help`, `compare` and the documentation all take it from here.
struct Algorithm {
  std::string_view problem;    ///< "redistribute", ...
  std::string_view name;       ///< name as users type it
  std::string_view guarantee;  ///< guarantee on the number of steps NS and the total cost TC
  std::string_view cost;       ///< time of planning
  std::string_view source;     ///< the paper, and "ours" for what is new here
  /// Works until its effort is spent or its plan is proven optimal; other algorithms end by themselves.
  bool searches = false;
  bool for_switches = false;  ///< for exchange: made for optical circuit switches
};

/// Returns true if one of `algorithms` has that name.
[[nodiscard]] inline bool has_algorithm(std::span<const Algorithm> algorithms, std::string_view name) {
  return std::ranges::find(algorithms, name, &Algorithm::name) != algorithms.end();
}

}  // namespace sluice
