#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sluice {

/// Schedules of which no known one is better in both steps (NS) and transmission (TC).
struct Front {
  /// One schedule.
  struct Point {
    std::int64_t steps = 0;                  ///< NS
    std::int64_t transmission = 0;           ///< TC
    std::int64_t transmission_at_least = 0;  ///< of any schedule of as many steps, or fewer
    double total = 0;                        ///< TC + set-up times NS
    std::string algorithm;                   ///< what planned it
  };
  std::vector<Point> points;               ///< by rising NS and falling TC, at least one
  double setup = 0;                        ///< of a step
  std::string unit;                        ///< of TC, set-up and total: "elements"
  std::int64_t steps_at_least = 0;         ///< of any schedule
  std::int64_t transmission_at_least = 0;  ///< of any schedule
  bool complete = false;                   ///< whether every point is proven, and that there are no others
};

/// Returns the front in SVG: steps to the right, transmission up. A line leads from each schedule to the next; a dot is
/// filled where it is proven that as many steps have no lower TC, else a bar reaches down to what is proven. A ring
/// marks the lowest total; dashed lines show the lower bounds of any schedule. `title` stands above. Light or dark as
/// the reader's system is. O(points).
[[nodiscard]] std::string front_svg(const Front& front, const std::string& title);

/// "proven", or a sentence that follows "front: " and says what is not known of the front.
[[nodiscard]] std::string front_proof_text(const Front& front);

}  // namespace sluice
