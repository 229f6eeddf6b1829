#pragma once

#include <string>
#include <vector>

namespace sluice {

/// One bar.
struct Bar {
  std::string name;   ///< before the bar
  double value = 0;   ///< at least 0
  std::string label;  ///< behind the bar
};

/// Bars one below the other in SVG, with a line through all of them at `bound`, which `bound_label` names (none where
/// it is 0 or less). `title` stands above, `axis` below. Light or dark as the reader's system is. O(bars).
[[nodiscard]] std::string bars_svg(const std::vector<Bar>& bars, double bound, const std::string& bound_label,
                                   const std::string& title, const std::string& axis);

}  // namespace sluice
