#pragma once

#include <string>
#include <vector>

namespace sluice {

/// Describes one bar.
struct Bar {
  std::string name;   ///< text before the bar
  double value = 0;   ///< at least 0
  std::string label;  ///< text after the bar
};

/// Draws bars below each other in SVG.
///
///  - `bars`: from top to bottom
///  - `bound`: value of a line through all bars; 0 or less: none
///  - `bound_label`: name of the line
///  - `title`, `axis`: texts above and below
///
/// Light or dark as the reader's system is. O(bars).
[[nodiscard]] std::string bars_svg(const std::vector<Bar>& bars, double bound, const std::string& bound_label,
                                   const std::string& title, const std::string& axis);

}  // namespace sluice
