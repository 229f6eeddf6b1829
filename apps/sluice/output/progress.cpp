#include "apps/sluice/output/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "apps/sluice/output/terminal.hpp"
#include "sluice/input/decimal.hpp"
#include "sluice/show/quantities.hpp"

namespace sluice::command {

namespace {

constexpr const char* kClearLine = "\r\x1b[K";
bool line_is_shown = false;

/// What a line of the terminal holds without its last column: some terminals go on in the next line behind it.
std::size_t columns() {
  constexpr std::size_t kUnknown = 80;
  const std::size_t width = terminal_width(Stream::kError);
  return (width == 0 ? kUnknown : width) - 1;
}

/// Puts `line` in the place of the line that is there.
void replace_line(std::string line) {
  line.resize(std::min(line.size(), columns()));
  line_is_shown = true;
  std::fputs((kClearLine + line).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace

void clear_progress() {
  if (line_is_shown) std::fputs(kClearLine, stderr);
  line_is_shown = false;
}

Progress::Progress(std::int64_t total) : total_(total), on_terminal_(shows_progress()) {}

Progress::~Progress() { clear_progress(); }

void Progress::show(std::int64_t done, const std::string& what) const {
  if (!on_terminal_) return;
  constexpr std::int64_t kWidest = 30, kNarrowest = 5, kBrackets = 3;  // with a blank
  const std::string figures = fmt::format("{}/{} {}", done, total_, what);
  const std::int64_t room =
      static_cast<std::int64_t>(columns()) - static_cast<std::int64_t>(figures.size()) - kBrackets;
  if (room < kNarrowest) return replace_line(figures);
  const std::int64_t width = std::min(kWidest, room);
  const std::int64_t filled = width * std::min(done, total_) / std::max<std::int64_t>(total_, 1);
  replace_line(fmt::format("[{:#<{}}{:{}}] {}", "", filled, "", width - filled, figures));
}

PlanningProgress::PlanningProgress(ExchangeOptions& options, std::int32_t decimals)
    : decimals_(decimals),
      on_terminal_(shows_progress()),
      lines_(options.algorithm == "exact" && manners().progress && !manners().quiet) {
  options.progress = [this](double incumbent, double bound) { show(incumbent, bound); };
  constexpr std::chrono::milliseconds kFirstShow(200);
  constexpr std::chrono::seconds kFirstLine(2);
  next_ = start_ + (on_terminal_ ? Clock::duration(kFirstShow) : Clock::duration(kFirstLine));
}

PlanningProgress::~PlanningProgress() { clear_progress(); }

void PlanningProgress::show(double incumbent, double bound) {
  constexpr std::chrono::milliseconds kBetweenShows(100);
  const Clock::time_point now = Clock::now();
  if (now < next_ || (!on_terminal_ && !lines_)) return;
  next_ = on_terminal_ ? now + kBetweenShows : now + (now - start_);
  const auto in_unit = [&](double total) { return number_text(move_decimal_point(total, -decimals_)); };
  const std::string line =
      fmt::format("{:.0f} s: best plan {}, bound {}, gap {}", std::chrono::duration<double>(now - start_).count(),
                  in_unit(incumbent), in_unit(bound), incumbent > bound ? excess_text(incumbent, bound) : "0 %");
  if (on_terminal_) return replace_line(line);
  std::fputs((line + '\n').c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace sluice::command
