#include "show/svg.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sluice::detail {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out;
}

std::string svg_head(double width, double height, std::string_view title) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\" "
             "role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{2}</title>\n",
             width, height, escaped(title)) +
         std::string(kStyle) +
         fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" class=\"page\"/>\n", width, height);
}

std::string svg_text(double x, double y, std::string_view what, std::string_view anchor, int size) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y, anchor,
                     size, escaped(what));
}

double tick_step(double length, int most) {
  const double least = length / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

}  // namespace sluice::detail
