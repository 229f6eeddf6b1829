#include "progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "sluice/input/decimal.hpp"
#include "sluice/show/quantities.hpp"
#include "terminal.hpp"

namespace sluice::command {

namespace {
constexpr const char* kClearLine = "\r\x1b[K";
}

Progress::Progress(std::int64_t total) : total_(total), on_terminal_(shows_progress()) {}

Progress::~Progress() {
  if (on_terminal_) std::fputs(kClearLine, stderr);
}

void Progress::show(std::int64_t done, const std::string& what) const {
  if (!on_terminal_) return;
  constexpr std::int64_t kWidth = 30;
  const std::int64_t filled = kWidth * std::min(done, total_) / std::max<std::int64_t>(total_, 1);
  const std::string line =
      fmt::format("{}[{:#<{}}{:{}}] {}/{} {}", kClearLine, "", filled, "", kWidth - filled, done, total_, what);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
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

PlanningProgress::~PlanningProgress() {
  if (on_terminal_ && shown_) std::fputs(kClearLine, stderr);
}

void PlanningProgress::show(double incumbent, double bound) {
  constexpr std::chrono::milliseconds kBetweenShows(100);
  const Clock::time_point now = Clock::now();
  if (now < next_ || (!on_terminal_ && !lines_)) return;
  next_ = on_terminal_ ? now + kBetweenShows : now + (now - start_);
  shown_ = true;
  const auto in_unit = [&](double total) { return number_text(move_decimal_point(total, -decimals_)); };
  const std::string line =
      fmt::format("{:.0f} s: best plan {}, bound {}, gap {}", std::chrono::duration<double>(now - start_).count(),
                  in_unit(incumbent), in_unit(bound), incumbent > bound ? excess_text(incumbent, bound) : "0 %");
  std::fputs((on_terminal_ ? kClearLine + line : line + '\n').c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace sluice::command
