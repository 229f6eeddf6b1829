#include "sluice/show/front_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "input/append_text.hpp"
#include "show/svg.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {
namespace {

constexpr double kFrontHeight = 230;  // of the axes
constexpr double kFrontBottom = 48;
constexpr double kFrontRight = 24;
constexpr const char* kPointColour = "#0072B2";
constexpr const char* kUnprovenColour = "#E69F00";
constexpr const char* kCheapestColour = "#D55E00";

/// Whole numbers with ticks at multiples of a step, a place on both sides.
struct WholeAxis {
  WholeAxis(std::int64_t low, std::int64_t high, int most_ticks)
      : step(std::max<std::int64_t>(static_cast<std::int64_t>(detail::tick_step(
                                        static_cast<double>(std::max<std::int64_t>(high - low, 1)), most_ticks)),
                                    1)),
        from(static_cast<double>(low) - 0.6 * static_cast<double>(step)),
        until(static_cast<double>(high) + 0.6 * static_cast<double>(step)),
        first(low % step == 0 ? low : (low / step + 1) * step),
        ticks(high < first ? 0 : (high - first) / step + 1) {}

  /// The place of `value`, as a fraction of the axis.
  [[nodiscard]] double share(double value) const { return (value - from) / (until - from); }

  std::int64_t step;
  double from;
  double until;
  std::int64_t first;  ///< tick
  std::int64_t ticks;  ///< how many
};

class FrontPicture {
 public:
  explicit FrontPicture(const Front& front)
      : front_(front),
        x_(std::min(front.steps_at_least, front.points.front().steps), front.points.back().steps, 8),
        y_(std::min(front.transmission_at_least, front.points.back().transmission_at_least),
           front.points.front().transmission, 6),
        cheapest_(*std::min_element(front.points.begin(), front.points.end(),
                                    [](const auto& a, const auto& b) { return a.total < b.total; })) {}

  [[nodiscard]] std::string draw(const std::string& title) {
    const detail::SvgHeading heading = detail::svg_heading(
        6, title,
        fmt::format("{}; ring: the cheapest, total {} at {} per step; dashed: no schedule is below",
                    front_proof_text(front_), number_text(cheapest_.total), number_text(front_.setup)));
    top_ = heading.bottom + 24;
    left_ = 24 + detail::text_width(fmt::format("{}", front_.points.front().transmission).size());
    out_ = detail::svg_head(bottom() + kFrontBottom, title) + heading.svg;
    axes();
    bounds();
    line();
    for (std::size_t i = 0; i < front_.points.size(); ++i) point(i);
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] double bottom() const { return top_ + kFrontHeight; }
  [[nodiscard]] double right() const { return detail::kPictureWidth - kFrontRight; }
  [[nodiscard]] double x(std::int64_t steps) const {
    return left_ + x_.share(static_cast<double>(steps)) * (right() - left_);
  }
  [[nodiscard]] double y(std::int64_t transmission) const {
    return bottom() - y_.share(static_cast<double>(transmission)) * kFrontHeight;
  }

  template <class... Values>
  void append(fmt::format_string<Values...> format, Values&&... values) {
    detail::append_text(out_, format, std::forward<Values>(values)...);
  }

  void axes() {
    for (std::int64_t i = 0; i < x_.ticks; ++i) {
      const std::int64_t tick = x_.first + i * x_.step;
      append("<path class=\"line\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x(tick), top_, bottom() + 4);
      out_ += detail::svg_text(x(tick), bottom() + 17, fmt::format("{}", tick), "middle");
    }
    for (std::int64_t i = 0; i < y_.ticks; ++i) {
      const std::int64_t tick = y_.first + i * y_.step;
      append("<path class=\"line\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", left_ - 4, y(tick), right());
      out_ += detail::svg_text(left_ - 8, y(tick) + 4, fmt::format("{}", tick), "end");
    }
    out_ += detail::svg_text((left_ + right()) / 2, bottom() + 36, "steps (NS)", "middle");
    out_ += detail::svg_text(8, top_ - 8, "transmission (TC), " + front_.unit, "start");
  }

  void bounds() {
    constexpr const char* kDashed = "stroke=\"#8c8c8c\" stroke-width=\"1.5\" stroke-dasharray=\"5 3\" fill=\"none\"";
    append("<path {} d=\"M{:.1f} {:.1f}V{:.1f}\"><title>no schedule has fewer than {}</title></path>\n", kDashed,
           x(front_.steps_at_least), top_, bottom(), count_text(front_.steps_at_least, "step"));
    append("<path {} d=\"M{:.1f} {:.1f}H{:.1f}\"><title>no schedule has a TC below {}</title></path>\n", kDashed, left_,
           y(front_.transmission_at_least), right(), front_.transmission_at_least);
  }

  /// The lowest TC known for at most this number of steps.
  void line() {
    const Front::Point& first = front_.points.front();
    append("<path fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\" d=\"M{:.1f} {:.1f}", kPointColour, x(first.steps),
           y(first.transmission));
    for (const Front::Point& each : front_.points) append("H{:.1f}V{:.1f}", x(each.steps), y(each.transmission));
    append("H{:.1f}\"/>\n", right());
  }

  void point(std::size_t i) {
    const Front::Point& each = front_.points[i];
    const bool proven = each.transmission <= each.transmission_at_least;
    if (!proven)
      append("<path fill=\"none\" stroke=\"{0}\" stroke-width=\"2\" d=\"M{1:.1f} {2:.1f}V{3:.1f}m-5 0h10\"/>\n",
             kUnprovenColour, x(each.steps), y(each.transmission), y(each.transmission_at_least));
    if (&each == &cheapest_)
      append("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"8\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
             x(each.steps), y(each.transmission), kCheapestColour);
    append(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" {} stroke=\"{}\" stroke-width=\"1.5\"><title>{}: {}, TC {}{}, "
        "total "
        "{}</title></circle>\n",
        x(each.steps), y(each.transmission),
        proven ? fmt::format("fill=\"{}\"", kPointColour) : std::string("class=\"page\""), kPointColour,
        detail::escaped(each.algorithm), count_text(each.steps, "step"), each.transmission,
        proven ? "" : fmt::format(" (at least {})", each.transmission_at_least), number_text(each.total));
    // Labels stand to the right above the line, which goes on to the right below. The last label stands inside the
    // picture.
    constexpr std::size_t kMostLabels = 12;
    if (front_.points.size() > kMostLabels && &each != &cheapest_) return;
    const std::string label = fmt::format("{}, {}", each.steps, each.transmission);
    const bool room = x(each.steps) + 12 + detail::text_width(label.size()) < detail::kPictureWidth;
    out_ += detail::svg_text(x(each.steps) + (room ? 8 : -8), y(each.transmission) - 8, label, room ? "start" : "end");
  }

  const Front& front_;
  WholeAxis x_;
  WholeAxis y_;
  const Front::Point& cheapest_;
  double top_ = 0;
  double left_ = 0;
  std::string out_;
};

}  // namespace

std::string front_proof_text(const Front& front) {
  if (front.complete && front.points.size() == 1) return "optimal in NS and TC at once (proven)";
  if (front.complete) return "every schedule of whole messages has at least the NS and TC of one of these (proven)";
  return fmt::format("not proven to be all: no schedule has fewer than {}, none a TC below {}",
                     count_text(front.steps_at_least, "step"), front.transmission_at_least);
}

std::string front_svg(const Front& front, const std::string& title) {
  SLUICE_ASSERT(!front.points.empty(), "a front of no schedule");
  return FrontPicture(front).draw(title);
}

}  // namespace sluice
