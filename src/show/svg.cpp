#include "show/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::string svg_head(double height, std::string_view title) {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} "
             "{:.0f}\" role=\"img\" font-family=\"sans-serif\" font-size=\"{}\">\n<title>{}</title>\n",
             kScreenPixels * kPictureWidth, kScreenPixels * height, kPictureWidth, height, kTextSize, escaped(title)) +
         std::string(kStyle) +
         fmt::format("<rect width=\"{:.0f}\" height=\"{:.0f}\" class=\"page\"/>\n", kPictureWidth, height);
}

std::string svg_text(double x, double y, std::string_view what, std::string_view anchor, int size,
                     std::string_view style_class) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\"{}>{}</text>\n", x, y, anchor,
                     size, style_class.empty() ? "" : fmt::format(" class=\"{}\"", style_class), escaped(what));
}

std::string_view text_colour_on(std::string_view colour) {
  // Relative luminance and contrast as WCAG 2.1 defines them.
  const auto light = [&](std::size_t at) {
    const double part = static_cast<double>(std::stoi(std::string(colour.substr(at, 2)), nullptr, 16)) / 255;
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
  };
  const double luminance = 0.2126 * light(1) + 0.7152 * light(3) + 0.0722 * light(5);
  constexpr double kDark = 0.0103;  // of #1a1a1a
  return (1.05 / (luminance + 0.05)) > (luminance + 0.05) / (kDark + 0.05) ? "white" : "#1a1a1a";
}

double text_width(std::size_t characters) { return kCharacterWidth * kTextSize * static_cast<double>(characters); }

SvgHeading svg_heading(double top, std::string_view title, std::string_view facts) {
  constexpr double kMargin = 8, kLeading = 1.35;
  SvgHeading heading{"", top};
  const auto add = [&](std::string_view text, int size) {
    const auto fit = static_cast<std::size_t>((kPictureWidth - 2 * kMargin) / (kCharacterWidth * size));
    while (!text.empty()) {
      std::size_t end = text.size();
      if (end > fit) {
        end = text.rfind(' ', fit);
        // A number and its sign stay together.
        while (end != text.npos && end > 0 && text.substr(end).starts_with(" %")) end = text.rfind(' ', end - 1);
        if (end == text.npos || end == 0) end = std::min(text.find(' ', 1), text.size());
      }
      heading.bottom += kLeading * size;
      heading.svg += svg_text(kMargin, heading.bottom - (kLeading - 1) * size, text.substr(0, end), "start", size);
      text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
    }
  };
  add(title, kTitleSize);
  add(facts, kTextSize);
  return heading;
}

double tick_step(double length, int most) {
  const double least = length / most;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least) return factor * power;
  return 10 * power;
}

}  // namespace sluice::detail
