#include "sluice/show/tree_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "input/append_text.hpp"
#include "show/svg.hpp"
#include "show/time_axis.hpp"
#include "sluice/error.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {
namespace {

class TreePicture {
 public:
  explicit TreePicture(const TreeSchedule& schedule)
      : schedule_(schedule),
        reduces_(schedule.problem == "reduce"),
        unit_(reduces_ && !schedule.over_links ? "" : "s"),
        row_(std::min(detail::kTallestRow, detail::kMostRowsHeight / static_cast<double>(schedule.machines))),
        scale_(schedule.length > 0 ? detail::kRowsWidth / schedule.length : 0),
        children_(static_cast<std::size_t>(schedule.machines)),
        y_(static_cast<std::size_t>(schedule.machines)) {
    for (const TimedTransfer& each : schedule.transfers)
      if (each.segment == 0) children_[static_cast<std::size_t>(parent_of(each))].push_back(&each);
  }

  [[nodiscard]] std::string draw(const std::string& title) {
    const detail::SvgHeading heading = detail::svg_heading(6, title, facts());
    const double top = heading.bottom + detail::kRowsHead;
    const double bottom = top + row_ * static_cast<double>(schedule_.machines);
    order(top);
    out_ = detail::svg_head(bottom + detail::kRowsBottom, title) + heading.svg;
    out_ += detail::svg_text(detail::kRowsLeft - 8, top - 8, "machine", "end");
    out_ += detail::time_axis_svg({detail::kRowsLeft, detail::kRowsWidth, top, bottom, schedule_.length, unit_});
    std::vector<double> from(children_.size(), 0), until(children_.size(), 0);
    const auto root = static_cast<std::size_t>(schedule_.root);
    (reduces_ ? until : from)[root] = reduces_ ? schedule_.length : 0;
    for (const std::vector<const TimedTransfer*>& list : children_) {
      for (const TimedTransfer* const each : list) {
        line(*each);
        const auto child = static_cast<std::size_t>(child_of(*each)),
                   parent = static_cast<std::size_t>(parent_of(*each));
        if (reduces_) {
          until[child] = each->start;
        } else {
          from[child] = each->end;
          until[child] = std::max(until[child], each->end);
          until[parent] = std::max(until[parent], each->start);
        }
      }
    }
    // What a machine takes part in, from its first transfer in a reduction.
    for (std::size_t machine = 0; machine < children_.size(); ++machine) {
      if (reduces_) {
        from[machine] = until[machine];
        for (const TimedTransfer* const each : children_[machine]) from[machine] = std::min(from[machine], each->start);
      }
      dot(machine, from[machine], until[machine]);
    }
    return out_ + "</svg>\n";
  }

 private:
  [[nodiscard]] std::int64_t parent_of(const TimedTransfer& each) const { return reduces_ ? each.to : each.from; }
  [[nodiscard]] std::int64_t child_of(const TimedTransfer& each) const { return reduces_ ? each.from : each.to; }
  [[nodiscard]] double x(double time) const { return detail::kRowsLeft + time * scale_; }

  /// Rows by depth first. Below a machine come first the children that it serves last in a broadcast, or that it hears
  /// from first in a reduction. So a line passes only rows of machines that are not at work yet, or no more.
  void order(double top) {
    for (std::vector<const TimedTransfer*>& list : children_)
      std::stable_sort(list.begin(), list.end(), [&](const TimedTransfer* a, const TimedTransfer* b) {
        return reduces_ ? a->start < b->start : a->start > b->start;
      });
    std::vector<std::int64_t> open{schedule_.root};
    double next = top + row_ / 2;
    while (!open.empty()) {
      const auto machine = static_cast<std::size_t>(open.back());
      open.pop_back();
      y_[machine] = next;
      next += row_;
      for (auto each = children_[machine].rbegin(); each != children_[machine].rend(); ++each)
        open.push_back(child_of(**each));
    }
  }

  [[nodiscard]] std::string facts() const {
    return fmt::format(
        "{}, root {}, length {}{}{}; {}", count_text(schedule_.machines, "machine"), schedule_.root,
        time_text(schedule_.length, unit_), unit_ == "s" ? "" : " (unit of the schedule)",
        schedule_.segments > 1 ? fmt::format("; the first of {}", count_text(schedule_.segments, "part")) : "",
        reduces_ ? "slanted line: transfer; level line: machine at work; dot: result sent"
                 : "slanted line: transfer; dot: message received; level line: machine sends");
  }

  void line(const TimedTransfer& each) {
    detail::append_text(
        out_,
        "<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" stroke-width=\"1.5\"><title>{} to {}: {} to "
        "{}</title></path>\n",
        x(each.start), y_[static_cast<std::size_t>(each.from)], x(each.end), y_[static_cast<std::size_t>(each.to)],
        detail::kPalette[0], each.from, each.to, time_text(each.start, unit_), time_text(each.end, unit_));
  }

  void dot(std::size_t machine, double from, double until) {
    const double radius = std::clamp(row_ / 5, 0.8, 4.0);
    detail::append_text(out_, "<path class=\"line\" d=\"M{:.2f} {:.2f}H{:.2f}\"/>\n", x(from), y_[machine], x(until));
    detail::append_text(out_, "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:.2f}\" fill=\"{}\"/>\n",
                        x(reduces_ ? until : from), y_[machine], radius, detail::kPalette[5]);
    if (row_ >= detail::kLeastRowForText || machine == static_cast<std::size_t>(schedule_.root))
      out_ += detail::svg_text(detail::kRowsLeft - 8, y_[machine] + 4, fmt::format("{}", machine), "end");
  }

  const TreeSchedule& schedule_;
  bool reduces_;
  std::string unit_;
  double row_;
  double scale_;
  std::vector<std::vector<const TimedTransfer*>> children_;
  std::vector<double> y_;
  std::string out_;
};

}  // namespace

std::string tree_svg(const TreeSchedule& schedule, const std::string& title) {
  if (schedule.machines > kMostDrawnMachines)
    throw InputError("picture", fmt::format("a tree of {}", count_text(schedule.machines, "machine")),
                     fmt::format("at most {}", kMostDrawnMachines));
  return TreePicture(schedule).draw(title);
}

}  // namespace sluice
