#include "show/time_axis.hpp"

#include <fmt/format.h>

#include "input/append_text.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::detail {

std::string time_axis_svg(const TimeAxis& axis) {
  constexpr int kMostTicks = 5;
  std::string out;
  if (axis.length > 0) {
    const double step = tick_step(axis.length, kMostTicks);
    for (int i = 0; step * i <= axis.length * (1 + 1e-9); ++i) {
      const double x = axis.left + step * i * axis.width / axis.length;
      append_text(out, "<path class=\"line\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/>\n", x, axis.top, axis.bottom + 4);
      out += svg_text(x, axis.bottom + 17, i == 0 ? "0" : time_text(step * i, axis.unit), "middle");
    }
  }
  return out + svg_text(axis.left + axis.width / 2, axis.bottom + 36,
                        axis.unit == "s" ? "time" : "time (unit of the schedule)", "middle");
}

}  // namespace sluice::detail
