#include "sluice/show/gantt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "input/append_text.hpp"
#include "show/lanes.hpp"
#include "show/svg.hpp"
#include "show/time_axis.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice {
namespace {

constexpr double kLeastForStripes = 3;
constexpr double kLeastForEdges = 4;  // so wide that a line at each end leaves something
constexpr std::size_t kSingleBars = 20000;
constexpr double kNarrow = 1.0 / 3;

/// What a row shows of a transfer.
struct Bar {
  std::int64_t row = 0;
  bool receives = false;
  std::int64_t lane = 0;
  double start = 0;
  double end = 0;
  const TimelineTransfer* transfer = nullptr;
};

/// A step as a column.
struct StepColumn {
  std::int64_t step = 0;
  double start = 0;  ///< of its first transfer
  double end = 0;    ///< of its last one
};

/// The steps that have transfers, in order; none if two of them overlap, or transfers are of no step.
std::vector<StepColumn> columns_of(const Timeline& timeline) {
  std::vector<StepColumn> columns;
  for (const TimelineTransfer& each : timeline.transfers) {
    if (each.step < 0) return {};
    columns.push_back({each.step, each.start, std::max(each.end, each.sender_free)});
  }
  std::ranges::sort(columns, {}, &StepColumn::step);
  std::size_t count = 0;
  for (const StepColumn& each : columns) {
    if (count == 0 || columns[count - 1].step != each.step) {
      columns[count++] = each;
      continue;
    }
    columns[count - 1].start = std::min(columns[count - 1].start, each.start);
    columns[count - 1].end = std::max(columns[count - 1].end, each.end);
  }
  columns.resize(count);
  constexpr double kSumsAreInexact = 1e-9;
  for (std::size_t i = 1; i < count; ++i)
    if (columns[i].start < columns[i - 1].end - kSumsAreInexact * timeline.length) return {};
  return columns;
}

/// One timeline as rows below each other, from a height on.
class GanttRows {
 public:
  /// `length`: of the axis, at least as long as the timeline. `top`: of the name above the rows.
  GanttRows(const Timeline& timeline, double length, double top, GanttRow row)
      : timeline_(timeline),
        receivers_(row == GanttRow::kReceiver && !timeline.same_nodes),
        length_(length),
        lanes_(detail::lanes_of(timeline)),
        columns_(columns_of(timeline)),
        rows_(std::max<std::int64_t>(receivers_ ? timeline.receivers : timeline.senders, 1)),
        row_(std::min(detail::kTallestRow, detail::kMostRowsHeight / static_cast<double>(rows_))),
        top_(top + detail::kRowsHead),
        scale_(length > 0 ? detail::kRowsWidth / length : 0) {}

  [[nodiscard]] double bottom() const { return top_ + row_ * static_cast<double>(rows_) + detail::kRowsBottom; }

  [[nodiscard]] std::string draw() {
    axis();
    rows();
    steps();
    bars();
    return std::move(out_);
  }

  /// "2 transfers, length 4.00 ms, 1.0 of 2 senders busy, at most 1; numbers above: steps".
  [[nodiscard]] std::string facts() const {
    double busy = 0;
    for (const TimelineTransfer& each : timeline_.transfers)
      busy += receivers_ ? each.end - each.receive_start : each.sender_free - each.start;
    const std::int64_t nodes = receivers_ ? timeline_.receivers : timeline_.senders;
    const bool one_at_a_time =
        std::ranges::all_of(receivers_ ? lanes_.receives : lanes_.sends, [](auto n) { return n == 1; });
    return fmt::format(
        "{}, length {}{}{}{}", count_text(static_cast<std::int64_t>(timeline_.transfers.size()), "transfer"),
        time_text(timeline_.length, timeline_.unit), timeline_.unit == "s" ? "" : " (unit of the schedule)",
        timeline_.length > 0 && one_at_a_time
            ? fmt::format(", {:.1f} of {}\u00a0{}s busy, at most\u00a0{}", busy / timeline_.length, nodes,
                          receivers_ ? "receiver" : "sender", most_at_once())
            : "",
        columns_.empty() ? "" : "; numbers above: steps");
  }

 private:
  [[nodiscard]] double x(double time) const { return detail::kRowsLeft + time * scale_; }

  /// The most transfers that keep a node busy at any time.
  [[nodiscard]] std::int64_t most_at_once() const {
    std::vector<std::pair<double, int>> changes;  // an end comes before a start at the same time
    for (const TimelineTransfer& each : timeline_.transfers) {
      changes.emplace_back(receivers_ ? each.receive_start : each.start, 1);
      changes.emplace_back(receivers_ ? each.end : each.sender_free, -1);
    }
    constexpr double kSumsAreInexact = 1e-9;
    for (auto& [time, change] : changes)
      if (change > 0) time += kSumsAreInexact * timeline_.length;
    std::ranges::sort(changes);
    std::int64_t now = 0, most = 0;
    for (const auto& [time, change] : changes) most = std::max(most, now += change);
    return most;
  }

  void text(double at_x, double at_y, const std::string& what, const char* anchor) {
    out_ += detail::svg_text(at_x, at_y, what, anchor);
  }

  void axis() {
    out_ += detail::time_axis_svg(
        {detail::kRowsLeft, detail::kRowsWidth, top_, bottom() - detail::kRowsBottom, length_, timeline_.unit});
    const char* const row = timeline_.same_nodes ? "machine" : receivers_ ? "receiver" : "sender";
    // Numbers of steps stand above: then the name of the rows is below them.
    constexpr double kAxisText = 16;
    if (!columns_.empty()) text(detail::kRowsLeft - 8, top_ - 8, "step", "end");
    text(detail::kRowsLeft - 8, columns_.empty() ? top_ - 8 : bottom() - detail::kRowsBottom + kAxisText, row, "end");
  }

  void rows() {
    // Shows as many names as are legible.
    const auto every = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(detail::kLeastRowForText / row_)), 1);
    for (std::int64_t row = 0; row < rows_; ++row) {
      const double top = top_ + row_ * static_cast<double>(row);
      if (row % 2 == 0 && row_ >= kLeastForStripes)
        detail::append_text(out_, "<rect class=\"faint\" x=\"{}\" y=\"{:.2f}\" width=\"{}\" height=\"{:.2f}\"/>\n",
                            detail::kRowsLeft, top, detail::kRowsWidth, row_);
      if (row % every == 0) text(detail::kRowsLeft - 8, top + row_ / 2 + 4, fmt::format("{}", row), "end");
    }
  }

  /// A line where each step ends, except the last, and its number unless it would touch the one before.
  void steps() {
    constexpr double kLeastBetweenLines = 2, kBetweenNumbers = 2;
    double left = detail::kRowsLeft;
    double line = left, number_ends = left - kBetweenNumbers;
    for (const StepColumn& each : columns_) {
      const double right = x(each.end);
      const std::string number = fmt::format("{}", each.step);
      const double middle = (left + right) / 2, half = detail::text_width(number.size()) / 2;
      if (middle - half >= number_ends + kBetweenNumbers) {
        text(middle, top_ - 8, number, "middle");
        number_ends = middle + half;
      }
      left = right;
      if (&each == &columns_.back() || right - line < kLeastBetweenLines) continue;
      detail::append_text(out_, "<path class=\"line\" stroke-dasharray=\"3 2\" d=\"M{:.2f} {:.2f}V{:.2f}\"/>\n", right,
                          top_ - 4, bottom() - detail::kRowsBottom);
      line = right;
    }
  }

  void bars() {
    std::vector<Bar> all;
    all.reserve(timeline_.transfers.size() * (timeline_.same_nodes ? 2 : 1));
    for (std::size_t i = 0; i < timeline_.transfers.size(); ++i) {
      const TimelineTransfer& each = timeline_.transfers[i];
      if (!receivers_) all.push_back({each.from, false, lanes_.send[i], each.start, each.sender_free, &each});
      if (timeline_.same_nodes || receivers_)
        all.push_back({each.to, true, lanes_.receive[i], each.receive_start, each.end, &each});
    }
    const bool many = all.size() > kSingleBars;
    std::sort(all.begin(), all.end(), [](const Bar& a, const Bar& b) {
      if (a.row != b.row) return a.row < b.row;
      if (a.receives != b.receives) return a.receives < b.receives;
      return a.lane != b.lane ? a.lane < b.lane : a.start < b.start;
    });
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i + 1;
      double until = all[i].end;
      while (many && end < all.size() && narrow(all[i]) && narrow(all[end]) && all[end].row == all[i].row &&
             all[end].receives == all[i].receives && all[end].lane == all[i].lane &&
             (all[end].start - until) * scale_ < kNarrow)
        until = std::max(until, all[end++].end);
      append(all[i], until, end - i);
      i = end;
    }
  }

  [[nodiscard]] bool narrow(const Bar& bar) const { return (bar.end - bar.start) * scale_ < kNarrow; }

  void append(const Bar& bar, double until, std::size_t count) {
    const TimelineTransfer& each = *bar.transfer;
    const std::vector<std::int64_t>& lanes = bar.receives ? lanes_.receives : lanes_.sends;
    const double both = timeline_.same_nodes ? row_ / 2 : row_;
    const double lane = both / static_cast<double>(lanes[static_cast<std::size_t>(bar.row)]);
    const double gap = std::min(1.5, lane / 6);
    const bool below = bar.receives && timeline_.same_nodes;
    const double top =
        top_ + row_ * static_cast<double>(bar.row) + (below ? both : 0) + lane * static_cast<double>(bar.lane) + gap;
    const std::int64_t other = bar.receives ? each.from : each.to;
    const double width = std::max((until - bar.start) * scale_, 0.1);
    const char* const colour =
        count > 1 ? "#8c8c8c" : detail::kPalette[static_cast<std::size_t>(other) % detail::kPalette.size()];
    detail::append_text(
        out_,
        "<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"{}{}><title>{}</title></rect>\n",
        x(bar.start), top, width, lane - 2 * gap, colour, width >= kLeastForEdges ? " class=\"bar\"" : "",
        below ? " opacity=\"0.55\"" : "",
        count > 1 ? count_text(static_cast<std::int64_t>(count), "transfer") : facts_of(each));
    const std::string label = fmt::format("{}", other);
    // Received transfers are paler than their colour, or darker, depending on the ground: their text has the colour of
    // all text.
    if (count == 1 && lane >= detail::kLeastRowForText && width > detail::text_width(label.size()) + 1)
      detail::append_text(out_, "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"middle\"{}>{}</text>\n",
                          x(bar.start) + width / 2, top + lane / 2 + 3,
                          below ? "" : fmt::format(" style=\"fill:{}\"", detail::text_colour_on(colour)), label);
  }

  [[nodiscard]] std::string facts_of(const TimelineTransfer& each) const {
    return fmt::format("{} to {}{}{}{}: {} to {}", each.from, each.to,
                       each.size > 0 ? fmt::format(", size {}", each.size) : "",
                       each.offset >= 0 ? fmt::format(", offset {}", each.offset) : "",
                       each.step >= 0 ? fmt::format(", step {}", each.step) : "", time_text(each.start, timeline_.unit),
                       time_text(each.end, timeline_.unit));
  }

  const Timeline& timeline_;
  bool receivers_;  // rows are
  double length_;
  detail::Lanes lanes_;
  std::vector<StepColumn> columns_;
  std::int64_t rows_;
  double row_;
  double top_;  // of the rows
  double scale_;
  std::string out_;
};

/// Says what the colours mean and, if rows both send and receive, which bars do which.
std::string key_of(bool both_directions) {
  return both_directions ? "in bars: the other node; in each row sends above, receives below, fainter"
                         : "in bars: the other node";
}

constexpr double kAbove = 6;  // of the first line

}  // namespace

std::string gantt_svg(const Timeline& timeline, const std::string& title, GanttRow row) {
  const detail::SvgHeading heading = detail::svg_heading(
      kAbove, title, GanttRows(timeline, timeline.length, 0, row).facts() + "; " + key_of(timeline.same_nodes));
  GanttRows rows(timeline, timeline.length, heading.bottom, row);
  return detail::svg_head(rows.bottom(), title) + heading.svg + rows.draw() + "</svg>\n";
}

std::string gantt_beside_svg(const Timeline& plan, const Timeline& run, const std::string& title, GanttRow row) {
  // A unit of a schedule takes as long as the run took for it on average: then both have one axis, and may end apart.
  const bool stretched = plan.unit != run.unit;
  const auto transfer_time = [](const Timeline& timeline) {
    double sum = 0;
    for (const TimelineTransfer& each : timeline.transfers) sum += each.sender_free - each.start;
    return sum;
  };
  const double of_plan = stretched ? transfer_time(plan) : plan.length;
  const double factor = of_plan > 0 ? (stretched ? transfer_time(run) : run.length) / of_plan : 1;
  const Timeline above = stretched ? scaled(plan, factor, run.unit) : plan;
  const double length = std::max(above.length, run.length);
  const std::string ratio = stretched || !(plan.length > 0) ? "" : fmt::format(", {:.2f} times the plan", factor);
  const detail::SvgHeading head = detail::svg_heading(kAbove, title, key_of(plan.same_nodes || run.same_nodes));
  const detail::SvgHeading plan_head = detail::svg_heading(
      head.bottom + kAbove, "",
      fmt::format(
          "plan, {}: {}{}", plan.algorithm, GanttRows(above, length, 0, row).facts(),
          stretched ? fmt::format("; at the mean speed of the run, {} per unit", time_text(factor, run.unit)) : ""));
  GanttRows plan_rows(above, length, plan_head.bottom, row);
  const detail::SvgHeading run_head =
      detail::svg_heading(plan_rows.bottom() + kAbove, "",
                          fmt::format("{}: {}{}", run.algorithm, GanttRows(run, length, 0, row).facts(), ratio));
  GanttRows run_rows(run, length, run_head.bottom, row);
  return detail::svg_head(run_rows.bottom(), title) + head.svg + plan_head.svg + plan_rows.draw() + run_head.svg +
         run_rows.draw() + "</svg>\n";
}

}  // namespace sluice
