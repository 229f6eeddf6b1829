#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Holds schedules of a front: no known schedule is better in both steps (NS) and transmission (TC).
struct Front {
  /// Describes one schedule.
  struct Point {
    std::int64_t steps = 0;                  ///< NS
    std::int64_t transmission = 0;           ///< TC
    std::int64_t transmission_at_least = 0;  ///< lower bound for schedules of at most as many steps
    double total = 0;                        ///< TC + set-up times NS
    std::string algorithm;                   ///< name of the planner's algorithm
  };
  std::vector<Point> points;               ///< by rising NS and falling TC, at least one
  double setup = 0;                        ///< set-up cost of a step
  std::string unit;                        ///< unit of TC, set-up and total: "elements"
  std::int64_t steps_at_least = 0;         ///< lower bound for any schedule
  std::int64_t transmission_at_least = 0;  ///< lower bound for any schedule
  bool complete = false;                   ///< says that every point is proven, and that there are no others
};

/// Draws the front in SVG: steps to the right, transmission up. A line leads from each schedule to the next. A filled
/// dot says that the TC is proven to be the lowest for its steps; otherwise a bar reaches down to the proven bound. A
/// ring marks the lowest total; dashed lines show the lower bounds of any schedule. `title` stands above. Light or dark
/// as the reader's system is. O(points).
[[nodiscard]] std::string front_svg(const Front& front, const std::string& title);

/// Returns "proven", or a sentence that follows "front: " and says what is unknown about the front.
[[nodiscard]] std::string front_proof_text(const Front& front);

}  // namespace sluice
